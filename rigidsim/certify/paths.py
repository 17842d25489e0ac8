"""The paths of moved bodies in the world, and how far two of them are apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from rigidsim.analysis.differences import angles, distances
from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.contact.arrays import LANES
from rigidsim.engine.contact.run import ContactRun
from rigidsim.engine.loads.callbacks import Callback
from rigidsim.engine.model import layout
from rigidsim.engine.time.run import BlockRun
from rigidsim.physics.quaternion import conjugate, product, rotate_back


class Paths(NamedTuple):
    """Where bodies are at the samples of a run: (sample, body, component), m and unit quaternions."""

    names: tuple[str, ...]
    position: np.ndarray
    orientation: np.ndarray

    @property
    def fails_at(self) -> int | None:
        """The first sample with a number that is not finite; None if all are."""
        finite = np.isfinite(self.position).all(axis=(1, 2)) & np.isfinite(self.orientation).all(axis=(1, 2))
        return None if finite.all() else int(np.argmin(finite))

    def of(self, names: tuple[str, ...]) -> Paths:
        """Those of some bodies, in this order."""
        rows = [self.names.index(name) for name in names]
        return Paths(names, self.position[:, rows], self.orientation[:, rows])

    def turned_back(self, q: tuple) -> Paths:
        """The paths of a world that was turned as a whole."""
        position = np.stack(rotate_back(q, tuple(np.moveaxis(self.position, -1, 0))), axis=-1)
        parts = product(conjugate(q), tuple(np.moveaxis(self.orientation, -1, 0)))
        return Paths(self.names, position, np.stack(parts, axis=-1))

    def distances(self, other: Paths) -> np.ndarray:
        """(sample, body) m; infinite from where either is not finite."""
        return _apart(distances, self.position, other.position)

    def angles(self, other: Paths) -> np.ndarray:
        """(sample, body) rad; infinite from where either is not finite."""
        return _apart(angles, self.orientation, other.orientation)


def _apart(measure: Callable[..., np.ndarray], first: np.ndarray, second: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        apart = measure(first, second)
    return np.where(np.isfinite(apart), apart, np.inf)


def paths_of(world: World, callbacks: Mapping[str, Callback] | None = None) -> tuple[Paths, float | None]:
    """Run a world to its end. The paths of its moved bodies, and the time of the first touch, s; None if nothing
    touches.
    """
    blueprint = world.blueprint
    run = BlockRun([world], 1, False, callbacks, contacts=ContactRun(False, 1 if callbacks else LANES))
    samples = run.room(-(-blueprint.n_step // blueprint.stride))
    for _ in run.slices(blueprint.n_step, blueprint.stride, samples, 0):
        pass
    last, moved = run.observed(), [node.index for node in world.tree.moved_nodes()]
    position, orientation = (
        np.concatenate([of_run, of_end])[:, moved]
        for of_run, of_end in zip(samples.world[:2], last.world[:2], strict=True)
    )
    touched = min((values[:, layout.EVENT.time].min() for _, values in run.contact.log if len(values)), default=None)
    names = tuple(world.paths[index] for index in moved)
    return Paths(names, position, orientation), None if touched is None else float(touched)
