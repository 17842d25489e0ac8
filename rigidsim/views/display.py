"""What a three-dimensional picture of a trajectory shows, as plain numbers: triangles of bodies, colours, poses."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rigidsim.analysis.colours import colours
from rigidsim.arguments import number, refuse
from rigidsim.engine.model.arrays import MotionSamples
from rigidsim.errors import UsageError
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.scene import Scene
from rigidsim.scene.hierarchy.nodes import SceneNode
from rigidsim.scene.hierarchy.start import Starts
from rigidsim.scene.schema.shapes import HalfSpace
from rigidsim.scene.values.rotation import IDENTITY, Vector
from rigidsim.trajectory.motion import columns, rows, straddling
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.trajectory.windows import samples_between
from rigidsim.tree.history import History
from rigidsim.views.links import ShownJoint, ShownLink, links_of
from rigidsim.views.loads import Loads, loads_of
from rigidsim.views.poses import WIDTHS, WORLD_ROW, Poses, chosen_samples, poses_of, shown_times
from rigidsim.views.surfaces import Triangles, grounds, marker, segments_for, surface_of

NATURAL = (4.0, 60.0)
"""Durations (s) that are played in real time; others take about `PLAYED` s."""
PLAYED = 10.0
FPS = 60.0
MOST_VALUES = 14_000_000
"""Numbers of all poses together: thirteen for each body and frame."""
FAR, ROOM = 3.0, 2.0
"""A camera goes along with what moves, if the radius of its way is more than `FAR` of its own, and then shows `ROOM` of
that.
"""
GROUND_SIZE = 2.5
"""Half the edge of the square that is shown of a plane, in radii of what moves above it."""
SOLID, GROUND, MARKER = "solid", "ground", "marker"


class ShownPart(NamedTuple):
    """A surface of a body: x -> position + R(orientation) (scale x), in m, in the axes of the body. `kind` is solid,
    ground (a polygon in a plane, see `grounds`), or marker: a ball of radius 1 for a body without shapes, to be drawn
    in a size that can be seen.
    """

    body: int
    surface: int
    kind: str
    position: np.ndarray
    orientation: np.ndarray
    scale: np.ndarray

    def corners(self, surface: Triangles) -> np.ndarray:
        """The vertices of its surface in the body, m."""
        return self.position + rows(rotate(tuple(self.orientation), columns(self.scale * surface.vertices)))


class Chapter(NamedTuple):
    """A part of a display that is chosen by its name, such as a mode: its first and last frame."""

    name: str
    first: int
    last: int


class Framing(NamedTuple):
    """A ball (m) that contains what a picture should show; its radius is 1 if that is a point."""

    centre: np.ndarray
    radius: float


@dataclass(frozen=True)
class Display:
    """What a picture of a trajectory shows. Arrays of bodies have the rows of `paths`, the order of the scene.

    `poses` has the motions at the times shown; `speed` is how many seconds of them a second of playing takes.
    `surfaces` are shared by the `parts`; `middle` (body, 3) is the middle (m) of the box around the solids of a body,
    in its axes, and `reach` (body) the radius (m) about it that they fill; `kinds` are free (or on a joint, at any
    time), fixed or prescribed; `colours` are `#rrggbb`; `known` are the rows of the bodies with poses, `hollow` those
    of bodies that may hide others within them; `joints` and `links` are those of all times; `notes` are sentences about
    what is not shown as it is; `loads` are the forces, None for a scene; `chapters` are shown one at a time.
    """

    title: str
    paths: tuple[str, ...]
    kinds: tuple[str, ...]
    colours: tuple[str, ...]
    poses: Poses
    speed: float
    surfaces: tuple[Triangles, ...]
    parts: tuple[ShownPart, ...]
    middle: np.ndarray
    reach: np.ndarray
    known: tuple[int, ...]
    hollow: tuple[int, ...] = ()
    joints: Sequence[ShownJoint] = ()
    links: Sequence[ShownLink] = ()
    notes: tuple[str, ...] = ()
    loads: Loads | None = None
    chapters: tuple[Chapter, ...] = ()

    def row(self, body: str) -> int:
        """The row of a body by its path, -1 for `world`. Raises UsageError if it is not shown."""
        if body == "world":
            return WORLD_ROW
        if body in self.paths and self.paths.index(body) in self.known:
            return self.paths.index(body)
        shown = ", ".join(self.paths[row] for row in self.known[:10])
        raise UsageError(f"there is no body {body!r} to look from or at; bodies: {shown}")

    @cached_property
    def ends(self) -> list[tuple[int, Vector]]:
        """The points of joints and links, each in the axes of a body, m."""
        joints = [(joint.on, joint.point) for joint in self.joints]
        return list(dict.fromkeys([*joints, *(end for link in self.links for end in link.ends)]))

    def framing(self, seen: MotionSamples) -> Framing:
        """A ball around all that is of interest, as it is seen, at all times."""
        return _ball(self._boxes(seen, list(self.interesting(seen)), self.ends))

    def interesting(self, seen: MotionSamples) -> Iterator[int]:
        """The free bodies, and solids that are not much larger or farther; else all bodies."""
        free = [row for row in self.known if self.kinds[row] == "free"]
        solid = [row for row in self.known if self.reach[row] > 0 and self.kinds[row] != "free"]
        first = free or solid or list(self.known)
        yield from first
        ball = _ball(self._boxes(seen, first))
        for row in solid if free else ():
            away = np.linalg.norm(self.places(seen, row, self.middle[row]) - ball.centre, axis=-1).max()
            if away + self.reach[row] < 4 * ball.radius:
                yield row

    def leader(self, seen: MotionSamples) -> tuple[int, float] | None:
        """The body that a camera follows unless it is asked otherwise, and the radius (m) that it shows around it: the
        largest free one, if what moves is small beside its way. Large solids near the way count as well.
        """
        free = [row for row in self.known if self.kinds[row] == "free"]
        if not self.reach[free].any():
            return None
        half = _ball(self._boxes(seen, free)).radius / 2
        near = [row for row in self.interesting(seen) if row in free or self.reach[row] > half]
        boxes = self._boxes(seen, near, self.ends)
        if _ball(boxes).radius <= FAR * np.linalg.norm(boxes[1] - boxes[0], axis=1).max() / 2:
            return None
        first = free[int(np.argmax(self.reach[free]))]
        place = self.places(seen, first, self.middle[first])
        away = np.linalg.norm(self.middles(seen, near) - place[:, None], axis=-1) + self.reach[near]
        ends = [np.linalg.norm(self.places(seen, *end) - place, axis=-1).max() for end in self.ends]
        return first, ROOM * float(max(away.max(), *ends, 0.0))

    def _boxes(
        self, seen: MotionSamples, bodies: Sequence[int], points: Sequence[tuple[int, Vector]] = ()
    ) -> tuple[np.ndarray, np.ndarray]:
        """The lower and upper corners (frame, 3) of boxes around bodies, and around points of any."""
        place, reach = self.middles(seen, bodies), self.reach[bodies, None]
        lower, upper = (place - reach).min(axis=1), (place + reach).max(axis=1)
        for end in (self.places(seen, *point) for point in points):
            lower, upper = np.minimum(lower, end), np.maximum(upper, end)
        return lower, upper

    def middles(self, seen: MotionSamples, bodies: Sequence[int]) -> np.ndarray:
        """Where the middles of bodies are at all times, (frame, body, 3), m."""
        return np.stack([self.places(seen, body, self.middle[body]) for body in bodies], axis=1)

    @staticmethod
    def places(seen: MotionSamples, body: int, point: Sequence[float]) -> np.ndarray:
        """Where a point in the axes of a body is at all times, (frame, 3), m."""
        return seen.position[:, body] + rows(rotate(columns(seen.orientation[:, body]), tuple(point)))


def display_of(
    trajectory: Trajectory, begin: float | None = None, end: float | None = None, fps: float = FPS
) -> Display:
    """The display of a trajectory from `begin` to `end` (s): of its samples at most `fps` for each second of playing,
    and poses between them (see `Motion.at`) where the samples are fewer. Raises UsageError for times outside it.
    """
    begin, end = (None if time is None else number(time, name) for time, name in ((begin, "begin"), (end, "end")))
    between = samples_between(trajectory, begin, end)
    samples, times = np.arange(between.start, between.stop), trajectory.time[between]
    duration = float(times[-1] - times[0])
    speed = playing_speed(duration)
    n_frame = _frames(duration / speed, fps, len(trajectory))
    chosen = samples[chosen_samples(times, n_frame)]
    shown = trajectory.part(chosen)
    poses, known = poses_of(shown, shown_times(shown, n_frame))
    display = _display_of(trajectory, poses, known, speed)
    notes: list[str] = []
    loads = loads_of(trajectory, chosen, poses, notes)
    return replace(display, loads=loads, notes=(*display.notes, *notes))


def display_at(trajectory: Trajectory, times: np.ndarray, speed: float) -> Display:
    """The display of a trajectory at these times (s), in ascending order. One that lies between samples before and
    after a reparenting becomes that of the sample before.
    """
    samples = np.asarray(trajectory.time)
    after = np.clip(np.searchsorted(samples, times), 1, max(len(samples) - 1, 1))
    between = straddling(samples, [change.time for change in trajectory.header.changes], times)
    times = np.where(between, samples[after - 1], times)
    near = np.unique(np.clip(np.concatenate([after - 1, after]), 0, len(samples) - 1))
    poses, known = poses_of(trajectory.part(near), times)
    return _display_of(trajectory, poses, known, speed)


def _display_of(trajectory: Trajectory, poses: Poses, known: Sequence[int], speed: float) -> Display:
    header = trajectory.header
    kinds = ["free" if row in header.history.ever_moved else kind for row, kind in enumerate(header.kinds)]
    start = header.scene.hierarchy
    return _display(header.scene, header.whole_history(start, start.reparentings), kinds, poses, known, speed)


def display_of_scene(scene: Scene) -> Display:
    """The display of a scene at t = 0."""
    nodes = scene.hierarchy
    found = Starts(nodes)
    starts = [found[node.frame] for node in nodes]
    p, q, v, omega = (np.array([[getattr(start, name) for start in starts]]) for name in ("p", "q", "v", "omega"))
    poses = Poses(np.zeros(1), p, q, v, omega, ((WORLD_ROW,) * len(starts),), np.zeros(1, np.int64))
    kinds = ["free" if node.is_moved() else node.kind for node in nodes]
    return _display(scene, nodes.history, kinds, poses, range(len(starts)), 1.0)


def playing_speed(duration: float) -> float:
    """Seconds of the motion in a second of playing: 1 for usual durations, else 1, 2 or 5 times a power of ten."""
    if duration <= 0 or NATURAL[0] <= duration <= NATURAL[1]:
        return 1.0
    wanted = duration / PLAYED
    power = 10.0 ** math.floor(math.log10(wanted))
    return min((digit * power for digit in (1, 2, 5, 10)), key=lambda speed: abs(math.log(speed / wanted)))


def _frames(seconds: float, fps: float, n_body: int) -> int:
    if not 0 < number(fps, "fps") < math.inf:
        refuse("fps", "a positive number", fps)
    return max(2, min(math.ceil(seconds * fps) + 1, MOST_VALUES // (sum(WIDTHS) * n_body)))


def _display(
    scene: Scene, history: History, kinds: Sequence[str], poses: Poses, known: Sequence[int], speed: float
) -> Display:
    nodes = scene.hierarchy.nodes
    surfaces, parts, notes = _parts([nodes[row] for row in known], known)
    middle, reach = np.zeros((len(nodes), 3)), np.zeros(len(nodes))
    for row, corners in _corners(parts, surfaces).items():
        middle[row] = (corners.min(axis=0) + corners.max(axis=0)) / 2
        reach[row] = np.linalg.norm(corners - middle[row], axis=-1).max()
    shown = set(known)
    missing = [node.path for row, node in enumerate(nodes) if row not in shown]
    if missing:
        named = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
        several = "bodies are not shown because their" if len(missing) > 1 else "body is not shown because its"
        notes.append(f"{len(missing)} {several} poses were not recorded: {named}")
    paths = tuple(node.path for node in nodes)
    joints, links = links_of(scene.hierarchy, history, shown)
    display = Display(
        scene.title, paths, tuple(kinds), tuple(colours(paths).values()), poses, speed,
        tuple(surfaces), tuple(parts), middle, reach, tuple(known), joints=joints, links=links, notes=tuple(notes),
    )  # fmt: skip
    return _with_grounds(replace(display, hollow=tuple(_hollow(display))), nodes)


def _hollow(display: Display) -> Iterator[int]:
    """The bodies of several solids within the bounds of which the origin of a free body is, at the first frame."""
    solids = Counter(part.body for part in display.parts if part.kind == SOLID)
    seen = display.poses.seen_from(WORLD_ROW, slice(0, 1))
    free = np.array([row for row in display.known if display.kinds[row] == "free"], np.int64)
    for row, corners in _corners(display.parts, display.surfaces).items():
        if solids[row] > 1:
            away = seen.position[0, free[free != row]] - seen.position[0, row]
            inner = rows(rotate_back(tuple(seen.orientation[0, row]), columns(away)))
            if np.any(np.all((inner > corners.min(axis=0)) & (inner < corners.max(axis=0)), axis=1)):
                yield row


def _corners(parts: Sequence[ShownPart], surfaces: Sequence[Triangles]) -> dict[int, np.ndarray]:
    """The vertices (n, 3), m, of all solids of each body that has any, in its axes."""
    found: dict[int, list[np.ndarray]] = {}
    for part in parts:
        if part.kind == SOLID:
            found.setdefault(part.body, []).append(part.corners(surfaces[part.surface]))
    return {row: np.concatenate(corners) for row, corners in found.items()}


def _with_grounds(display: Display, nodes: Sequence[SceneNode]) -> Display:
    surfaces, parts = list(display.surfaces), list(display.parts)
    for row in display.known:
        if planes := [shape for shape in nodes[row].body.shapes if isinstance(shape, HalfSpace)]:
            ball = display.framing(display.poses.seen_from(row))
            for surface, foot, turn in grounds(planes, nodes[row].metres, ball.centre, GROUND_SIZE * ball.radius):
                parts.append(ShownPart(row, len(surfaces), GROUND, foot, np.array(turn), np.ones(3)))
                surfaces.append(surface)
    return replace(display, surfaces=tuple(surfaces), parts=tuple(parts))


def _parts(nodes: Sequence[SceneNode], rows_of: Sequence[int]) -> tuple[list[Triangles], list[ShownPart], list[str]]:
    """The surfaces of the solids of nodes, which have these rows; markers of nodes without shapes; notes."""
    keys: dict[object, int] = {}
    surfaces: list[Triangles] = []
    parts, notes = [], []
    segments = segments_for(sum(max(1, len(node.body.solids)) for node in nodes))

    def number_of(key: object, surface: Triangles) -> int:
        if key not in keys:
            keys[key] = len(surfaces)
            surfaces.append(surface)
        return keys[key]

    for row, node in zip(rows_of, nodes, strict=True):
        for shape in node.body.solids:
            found, metres = surface_of(shape, segments), node.metres
            place = metres * np.array(shape.position), np.array(shape.orientation), metres * np.array(found.scale)
            parts.append(ShownPart(row, number_of(found.key, found.surface), SOLID, *place))
            if not found.is_exact:
                path = getattr(shape, "path", "")
                notes.append(f"{node.path}: {path} cannot be read or has changed; its bounding box is shown")
        if not node.body.shapes:
            parts.append(
                ShownPart(row, number_of(MARKER, marker(segments)), MARKER, np.zeros(3), np.array(IDENTITY), np.ones(3))
            )
    return surfaces, parts, notes


def _ball(boxes: tuple[np.ndarray, np.ndarray]) -> Framing:
    """A ball around boxes, given by their corners (box, 3)."""
    lower, upper = boxes[0].min(axis=0), boxes[1].max(axis=0)
    return Framing((lower + upper) / 2, float(np.linalg.norm(upper - lower)) / 2 or 1.0)
