"""`repeat` on a body: the positions of its copies, and the values that expressions in each copy may use."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from rigidsim.errors import did_you_mean
from rigidsim.physics.elementary import sin_cos
from rigidsim.scene.expressions.tokens import NAME
from rigidsim.scene.expressions.vocabulary import RESERVED
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import Parsed, SceneModel, invalid, list_of, mapping_of, one_of
from rigidsim.scene.values.quantities import LENGTH, vector, whole
from rigidsim.scene.values.rotation import Quaternion, Vector, three_numbers

INDEX, COUNT, AXES = "index", "count", ("i", "j", "k")
PROVIDED = (INDEX, COUNT, *AXES)
FORMS = "{grid: [3, 2, 1], spacing: [1, 1, 1]}, {line: 5, spacing: [1, 0, 0]} or {random: 20, seed: 1, size: [2, 2, 1]}"


class Copy(NamedTuple):
    """One copy: the values that its expressions may use, its offset from the original, and its orientation if new."""

    names: dict[str, float]
    offset: Vector
    orientation: Quaternion | None = None


def _check_size(size: Vector) -> Vector:
    if min(size) < 0:
        raise invalid("repeat", "the box has a negative size")
    return size


def _check_values(values: dict) -> dict:
    for name in values:
        if not NAME.fullmatch(name) or name in RESERVED or name in PROVIDED:
            raise invalid("parameter-name", f"a value cannot be called '{shown(name)}'")
    return values


_VALUE = {"type": ["number", "string"]}
VALUES_SCHEMA = {
    "type": "object",
    "description": "Further names for expressions in the copies: a list with an entry for each copy, or an expression.",
    "additionalProperties": {"anyOf": [_VALUE, {"type": "array", "items": _VALUE}]},
}
Count = Parsed[int, whole(1)]


class Repetition(SceneModel):
    """The part that all forms share."""

    SPREAD: ClassVar[str] = "spacing"
    """The key that gives the distance between copies."""

    values: Annotated[
        Parsed[dict[str, Any], mapping_of(str, Any, "names with values", "{m: [1, 2, 3]}")],
        AfterValidator(_check_values),
        WithJsonSchema(VALUES_SCHEMA),
    ] = Field(default={})

    @property
    def count(self) -> int:
        """The number of copies."""
        raise NotImplementedError

    def copies(self) -> Iterator[Copy]:
        """The copies in order."""
        raise NotImplementedError

    @property
    def names(self) -> tuple[str, ...]:
        """The names that expressions in a copy may use in addition to the parameters."""
        axes = AXES if isinstance(self, Grid) else ()
        return (INDEX, COUNT, *axes, *self.values)


class Grid(Repetition):
    """Copies along three axes of the parent, the last running fastest."""

    grid: Parsed[tuple[Count, Count, Count], list_of(Count, 3, "[along x, along y, along z]")] = Field(
        description="Number of copies along x, y and z of the parent."
    )
    spacing: Parsed[Vector, vector(LENGTH)] = Field(description="Distance between neighbours along x, y and z.")

    @property
    def count(self) -> int:
        """The number of copies."""
        return math.prod(self.grid)

    def copies(self) -> Iterator[Copy]:
        """The copies in order."""
        for index, place in enumerate(np.ndindex(*self.grid)):
            offset = three_numbers(n * distance for n, distance in zip(place, self.spacing, strict=True))
            yield Copy({**_numbered(index, self.count), **dict(zip(AXES, map(float, place), strict=True))}, offset)


class Line(Repetition):
    """Copies along a straight line."""

    line: Count = Field(description="Number of copies.")
    spacing: Parsed[Vector, vector(LENGTH)] = Field(description="Offset from each copy to the next.")

    @property
    def count(self) -> int:
        """The number of copies."""
        return self.line

    def copies(self) -> Iterator[Copy]:
        """The copies in order."""
        for index in range(self.line):
            yield Copy(_numbered(index, self.line), three_numbers(index * distance for distance in self.spacing))


class Scatter(Repetition):
    """Copies at random positions in a box around the original, the same on every machine."""

    SPREAD: ClassVar[str] = "size"

    random: Count = Field(description="Number of copies.")
    seed: Parsed[int, whole(0)] = Field(
        description="Seed of the random numbers; the same seed gives the same copies on every machine."
    )
    size: Annotated[Parsed[Vector, vector(LENGTH)], AfterValidator(_check_size)] = Field(
        description="Edges of the box around the body's position in which the copies are placed."
    )
    orientation: Parsed[Literal["random"] | None, Literal["random"]] = Field(
        None, description="random: each copy gets an orientation uniform over all rotations."
    )

    @property
    def count(self) -> int:
        """The number of copies."""
        return self.random

    def copies(self) -> Iterator[Copy]:
        """The copies in order."""
        # Raw bits of the generator: NumPy's conversion to floats may change from version to version.
        bits = np.random.PCG64(self.seed).random_raw(6 * self.random)
        for index, row in enumerate(((bits >> np.uint64(11)) * 2.0**-53).reshape(-1, 6).tolist()):
            offset = three_numbers((u - 0.5) * width for u, width in zip(row, self.size, strict=False))
            attitude = _attitude(*row[3:]) if self.orientation else None
            yield Copy(_numbered(index, self.random), offset, attitude)


def _numbered(index: int, count: int) -> dict[str, float]:
    return {INDEX: float(index), COUNT: float(count)}


def _attitude(a: float, b: float, c: float) -> Quaternion:
    """A quaternion uniform over all rotations, from three numbers uniform in [0, 1) (Shoemake 1992)."""
    s_b, c_b = sin_cos(math.tau * b)
    s_c, c_c = sin_cos(math.tau * c)
    p, q = math.sqrt(1 - a), math.sqrt(a)
    return (p * s_b, p * c_b, q * s_c, q * c_c)


KEYS = ("grid", "line", "random")


def _form(value: Any) -> str:
    return next((name for name in KEYS if name in value), "line")


def _require_form(value: Any) -> Any:
    if not isinstance(value, dict) or not any(key in value for key in KEYS):
        hints = (did_you_mean(key, KEYS) for key in value) if isinstance(value, dict) else ()
        hint = next(filter(None, hints), f"write {FORMS}")
        raise invalid("repeat", f"{shown(value)} is not a way to repeat a body", hint)
    return value


Repeat = Annotated[
    Parsed[Repetition, one_of(_form, grid=Grid, line=Line, random=Scatter)], BeforeValidator(_require_form)
]
"""The repetition of a body, in any of its forms."""
