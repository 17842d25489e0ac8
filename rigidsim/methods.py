"""Methods of scenes, states, trajectories and sweeps that are functions of packages above theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def calling(name: str) -> Callable[..., Any]:
    """A method that calls the function `name` of `rigidsim`, which alone knows where that is, with the object first."""

    def method(self, *arguments, **options):
        import rigidsim

        return getattr(rigidsim, name)(self, *arguments, **options)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"`rigidsim.{name}` of this object."
    return method
