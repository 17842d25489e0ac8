"""Runs that have ended, kept for worlds of the same structure: arrays, and how kernels find them, are made once."""

from __future__ import annotations

from collections.abc import Hashable
from threading import Lock

from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.assembly.lanes import share_structure
from rigidsim.engine.time.run import BlockRun
from rigidsim.jit.kernels import is_interpreted

MOST = 4
"""Runs that are kept, the last ones."""


class SpareRuns:
    """Runs of one world each that have ended, and can begin again with another world of their structure."""

    def __init__(self) -> None:
        self._kept: list[tuple[Hashable, BlockRun]] = []  # the last one was used last
        self._lock = Lock()

    def take(self, kind: Hashable, world: World) -> BlockRun | None:
        """A run of this kind that begins with this world; None if there is none."""
        wanted = kind, is_interpreted()
        with self._lock:
            fitting = (k for k, (key, run) in enumerate(self._kept)
                       if key == wanted and share_structure(run.worlds[0], world))  # fmt: skip
            place = next(fitting, None)
            run = None if place is None else self._kept.pop(place)[1]
        if run is not None:
            run.begin_with(world)
        return run

    def give(self, kind: Hashable, run: BlockRun) -> None:
        """Keep a run of this kind that nobody uses any more."""
        if run.is_reusable:
            with self._lock:
                self._kept = [*self._kept[-MOST + 1 :], ((kind, is_interpreted()), run)]

    def forget(self) -> None:
        """Keep none of them."""
        with self._lock:
            self._kept = []


spare_runs = SpareRuns()
