"""Runs that have ended, kept for worlds of the same structure: arrays, and how kernels find them, are made once."""

from __future__ import annotations

from collections.abc import Hashable
from threading import Lock

from rigidsim.building import build_world
from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.lanes import structure
from rigidsim.engine.run import BlockRun
from rigidsim.jit.kernels import is_interpreted
from rigidsim.scene import Scene

MOST = 4
"""Runs that are kept, the last ones."""


class SpareRuns:
    """Runs of one world each that have ended, and can begin again with another world of their structure."""

    def __init__(self) -> None:
        self._kept: list[tuple[Hashable, BlockRun]] = []  # the last one was used last
        self._lock = Lock()

    def take(self, wanted: Hashable, world: World) -> BlockRun | None:
        """A run of this key that begins with this world; None if there is none."""
        with self._lock:
            place = next((k for k, (key, _) in enumerate(self._kept) if key == wanted), None)
            run = None if place is None else self._kept.pop(place)[1]
        if run is not None:
            run.begin_with(world)
        return run

    def give(self, key: Hashable, run: BlockRun) -> None:
        """Keep a run that nobody uses any more."""
        if run.is_reusable:
            with self._lock:
                self._kept = [*self._kept[-MOST + 1 :], (key, run)]

    def forget(self) -> None:
        """Keep none of them."""
        with self._lock:
            self._kept = []


def key_of(scene: Scene, kind: Hashable) -> Hashable:
    """What runs have in common that may begin again with each other's worlds."""
    return scene.once(_structure), kind, is_interpreted()


def _structure(scene: Scene) -> Hashable:
    return structure(build_world(scene))


spare_runs = SpareRuns()
