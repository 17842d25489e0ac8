"""Times and directions of loads: windows, instants, directions."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema

from rigidsim.scene.values.base import invalid, list_of
from rigidsim.scene.values.quantities import NUMBER_ONLY, TIME, quantity, vector
from rigidsim.scene.values.rotation import Vector

STATE = frozenset({"time", "state"})
"""The variables that an expression of a force may use."""


def _check_window(window: tuple[float, float]) -> tuple[float, float]:
    """A window begins at or after the start and has a length."""
    start, end = window
    if start < 0:
        raise invalid("during", f"the window begins at {start:.12g} s, before the simulation does")
    if not start < end:
        raise invalid("during", f"the window ends at {end:.12g} s, not after its beginning at {start:.12g} s")
    return window


def _check_direction(direction: Vector) -> Vector:
    """A direction must not vanish."""
    if not any(direction):
        raise invalid("direction", "the direction is zero")
    return direction


def _check_instant(time: float) -> float:
    if time < 0:
        raise invalid("time", f"{time:.12g} s is before the simulation begins")
    return time


_NOT_NEGATIVE = WithJsonSchema(TIME.json_schema(least=0))
Window = Annotated[list_of(Annotated[quantity(TIME), _NOT_NEGATIVE], 2, "[start, end]"), AfterValidator(_check_window)]
Direction = Annotated[vector(NUMBER_ONLY), AfterValidator(_check_direction)]
Instant = Annotated[quantity(TIME), AfterValidator(_check_instant), _NOT_NEGATIVE]
