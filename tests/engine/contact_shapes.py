"""Shapes for tests of contact: rows as the kernels read them, made by hand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from rigidsim.engine.collision.narrow import meet
from rigidsim.engine.collision.pairs import PlacedShape
from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model.arrays import Contacts
from rigidsim.physics.contact import COLLIDES
from rigidsim.physics.distances import BOX, HALF_SPACE, POINT, SEGMENT


class Shape(NamedTuple):
    """One shape: its kind, its row of values, its pose."""

    kind: int
    value: np.ndarray
    pose: np.ndarray

    def moved(self, p, rotation: Rotation = Rotation.identity()) -> Shape:  # noqa: B008
        """Turned about the reference frame's origin, then shifted."""
        centre = rotation.apply(self.pose[:3]) + p
        turned = rotation * Rotation.from_quat(self.pose[3:], scalar_first=True)
        return self._replace(pose=np.array([*centre, *turned.as_quat(scalar_first=True)]))

    @property
    def axes(self) -> np.ndarray:
        """The rotation matrix: its columns are the shape's axes."""
        return Rotation.from_quat(self.pose[3:], scalar_first=True).as_matrix()


def shape_of(kind: int, half, radius: float, bound: float) -> Shape:
    """A shape at the origin."""
    value = np.zeros(at.SOLID.width)
    value[at.SOLID.place("q")], value[at.SOLID.radius], value[at.SOLID.half], value[at.SOLID.bound] = (
        1.0,
        radius,
        half,
        bound,
    )
    return Shape(kind, value, np.array([0.0, 0, 0, 1, 0, 0, 0]))


def sphere(radius: float) -> Shape:
    return shape_of(POINT, (0, 0, 0), radius, radius)


def capsule(radius: float, half: float) -> Shape:
    return shape_of(SEGMENT, (0, 0, half), radius, radius + half)


def box(*half: float) -> Shape:
    return shape_of(BOX, half, 0.0, float(np.linalg.norm(half)))


def plane() -> Shape:
    return shape_of(HALF_SPACE, (0, 0, 0), 0.0, np.inf)


class Place(NamedTuple):
    """One place, read from its row."""

    normal: np.ndarray
    gap: float
    first: np.ndarray
    second: np.ndarray
    feature: float


def places_of(a: Shape, b: Shape, reach: float = 1e3) -> list[Place]:
    """What the narrow phase finds for two shapes; not compiled."""
    rows = np.full((at.MOST_PLACES, at.PLACE.width), np.nan)
    shapes = [PlacedShape(one.kind, one.value, one.pose) for one in (a, b)]
    count = meet(*shapes, reach, rows)
    return [
        Place(
            r[:3],
            r[at.PLACE.gap],
            r[at.PLACE.place("first") : at.PLACE.place("second")],
            r[at.PLACE.place("second") : at.PLACE.feature],
            r[at.PLACE.feature],
        )
        for r in rows[:count]
    ]


def contacts_of(shapes: list[Shape], n_moved: int | None = None, classes=None, action=None) -> Contacts:
    """The model part of these shapes, each on a contact body of its own."""
    n = len(shapes)
    rows = np.zeros((n, at.SHAPE.width), np.int64)
    rows[:, at.SHAPE.body] = rows[:, at.SHAPE.leader] = np.arange(n)
    rows[:, at.SHAPE.kind] = [s.kind for s in shapes]
    rows[:, at.SHAPE.surfaces] = 0 if classes is None else classes
    action = np.array([[COLLIDES]]) if action is None else np.array(action)
    return Contacts(
        shape=rows,
        shape_value=np.array([s.value for s in shapes]),
        body=np.zeros((n, at.CONTACT_BODY.width), np.int64),
        way=np.zeros((0, at.WAY.width), np.int64),
        action=action,
        value=np.zeros((action.size, at.MATERIAL.width)),
        n_moved=n if n_moved is None else n_moved,
        substeps=4,
        share=0.5,
        trees=None,
        apart=np.zeros(0, np.int64),
    )


def poses_of(shapes: list[Shape]) -> np.ndarray:
    return np.array([s.pose for s in shapes])
