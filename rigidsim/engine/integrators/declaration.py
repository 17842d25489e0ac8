"""How an integrator is declared: its name, the class of its options, and its step, or its trials."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Trials(NamedTuple):
    """The step of a method that chooses its length, see `engine/time/trials.py`."""

    make: Callable  # the arrays in `Scratch.trial`, or those of the block before, with the numbers of this one
    attempt: Callable
    between: Callable
    share: Callable  # the relative tolerance of a step
    fill: Callable | None = None  # what `between` needs besides


class Integrator(NamedTuple):
    """A method: its name in a scene, the class of its options, and its step; or its trials, if it chooses its steps."""

    name: str
    options: type
    step: Callable | None = None
    trials: Trials | None = None
    weights: tuple[float, ...] = ()  # of the stages in a step, where contacts are held in them; see `add_works`
    divides: bool = False  # whether steps in which a body turns too far have parts, see `engine/integrators/parts.py`
