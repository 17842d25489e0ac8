"""The poses of bodies at the times that are shown, and how they are seen from any of them.

They are kept relative to the parents, in float64, and composed along the tree from the body that is looked from: so a
scene of 1.5e11 m has centimetres, seen from what is near them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rigidsim.engine.model.arrays import MotionSamples
from rigidsim.errors import NotRecordedError
from rigidsim.physics.frames import compose_motion, inverse_pose, inverse_velocity
from rigidsim.trajectory.motion import QUANTITIES, columns, rows, straddling
from rigidsim.trajectory.trajectory import Trajectory

WIDTHS = (3, 4, 3, 3)
WORLD_ROW = -1
"""The row of the world, as a parent or as what is looked from."""
STILL = (((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), 1.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@dataclass(frozen=True)
class Poses:
    """Motions of all bodies relative to their parents at the times that are shown (s), in m, rad and s, in the axes of
    the parents: `position`, `orientation`, `velocity`, `angular_velocity` (frame, body, component). `trees[k]` has the
    row of the parent of each body, -1 for the world, and `tree` (frame) the number of the tree at each time.
    """

    time: np.ndarray
    position: np.ndarray
    orientation: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    trees: tuple[tuple[int, ...], ...]
    tree: np.ndarray

    def seen_from(self, row: int = WORLD_ROW, frames: slice = slice(None)) -> MotionSamples:
        """The motion of all bodies relative to the body of this row, in its axes, or to the world, at some frames. The
        last row is that of the world.
        """
        part = replace(self, **{name: getattr(self, name)[frames] for name in ("time", *QUANTITIES, "tree")})
        n_frame, n_body = part.position.shape[:2]
        seen = MotionSamples(*(np.empty((n_frame, n_body + 1, width)) for width in WIDTHS))
        for number, parents in enumerate(self.trees):
            held = np.flatnonzero(part.tree == number)
            if len(held):
                part._see(seen, row, parents, slice(held[0], held[-1] + 1))
        return seen

    def _see(self, seen: MotionSamples, row: int, parents: Sequence[int], frames: slice) -> None:
        found, line = {row: STILL}, row
        while line != WORLD_ROW:  # outwards: the ancestors, as seen from their descendant
            pose, *rates = self._local(line, frames)
            back = inverse_pose(pose), *inverse_velocity(pose, *rates)
            found[parents[line]] = compose_motion(*found[line], *back)
            line = parents[line]
        for body in range(len(parents)):
            above: list[int] = []
            while body not in found:
                above.append(body)
                body = parents[body]
            for child in reversed(above):
                found[child] = compose_motion(*found[parents[child]], *self._local(child, frames))
        for body in (*range(len(parents)), WORLD_ROW):
            (p, q, _), v, omega = found[body]
            for array, part in zip(seen, (p, q, v, omega), strict=True):
                array[frames, body] = rows(part)

    def _local(self, body: int, frames: slice) -> tuple:
        p, q, v, omega = (columns(getattr(self, name)[frames, body]) for name in QUANTITIES)
        return (p, q, 1.0), v, omega


def chosen_samples(time: np.ndarray, n_frame: int) -> np.ndarray:
    """The numbers of at most so many samples, evenly spaced in time, with the first and the last."""
    if len(time) <= n_frame:
        return np.arange(len(time))
    wanted = np.linspace(time[0], time[-1], max(2, n_frame))
    after = np.clip(np.searchsorted(time, wanted), 1, len(time) - 1)
    nearer = wanted - time[after - 1] < time[after] - wanted
    return np.unique(after - nearer)


def shown_times(shown: Trajectory, n_frame: int) -> np.ndarray:
    """The times of the samples, and of as many between them as fit; none between two samples in different trees."""
    samples = np.asarray(shown.time)
    parts = n_frame // len(samples)
    if parts < 2 or len(samples) < 2:
        return samples
    steps = np.arange(parts) / parts
    between = (samples[:-1, None] + steps * np.diff(samples)[:, None]).ravel()
    times = np.append(between, samples[-1])
    return times[~straddling(samples, [change.time for change in shown.header.changes], times)]


def poses_of(shown: Trajectory, times: np.ndarray) -> tuple[Poses, list[int]]:
    """The poses of all bodies at the times, and the rows of those that are known. What was not recorded relative to the
    parent, and does not follow, is placed in the world; if that is not known either, the body is left out. Raises
    NotRecordedError if all are.
    """
    trees = [[node.parent - 1 for node in tree] for tree in shown.header.history]  # rows of parents, -1: the world
    links = {row: _motion(shown, "local", row, times) for row in range(len(shown.paths))}

    def lacks_link(row: int) -> bool:
        return links[row] is None or any(p != WORLD_ROW and links.get(p) is None for p in (tree[row] for tree in trees))

    while unlinked := [row for row in links if lacks_link(row)]:
        for row in unlinked:
            links[row] = _motion(shown, "world", row, times)
            for tree in trees:
                tree[row] = WORLD_ROW
            if links[row] is None:
                del links[row]
    if not links:
        raise NotRecordedError(f"no poses were recorded ({shown.header.record_text})")
    return _assembled(shown, times, trees, links), sorted(links)


def _assembled(shown: Trajectory, times: np.ndarray, trees: Sequence[Sequence[int]], links: dict) -> Poses:
    number = np.searchsorted(shown.header.history.begins, times, side="right") - 1
    metres = np.append(shown.header.scale, 1.0)[np.array(trees)][number]  # of the parents' units; the world is last
    arrays = [np.zeros((len(times), len(shown.paths), width)) for width in WIDTHS]
    arrays[1][..., 0] = 1.0
    for row, found in links.items():
        for array, name in zip(arrays, QUANTITIES, strict=True):
            unit = metres[:, row, None] if name in ("position", "velocity") else 1.0
            array[:, row] = unit * found[name]
    p, q, v, omega = arrays
    return Poses(times, p, q, v, omega, tuple(map(tuple, trees)), number)


def _motion(shown: Trajectory, frame: str, row: int, times: np.ndarray) -> dict[str, np.ndarray] | None:
    """The quantities of a body in the frame `local` or `world` at the times; None if they are not known."""
    motion = shown.motion(frame, row)
    if len(times) != len(shown.time):
        motion = motion.at(times)
    try:
        return {name: getattr(motion, name) for name in QUANTITIES}
    except NotRecordedError:
        return None
