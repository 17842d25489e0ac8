"""The images of a video: what each shows, from where, and what is written on it."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from rigidsim.analysis.quantities import full_path
from rigidsim.engine.model.arrays import MotionSamples
from rigidsim.trajectory.encoding import cores
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.views.camera import Camera, fitted
from rigidsim.views.display import GROUND, Display, display_at
from rigidsim.views.lettering import Lettering
from rigidsim.views.poses import WORLD_ROW
from rigidsim.views.scenery import Scenery

MOST_PATHS, MOST_NAMES = 12, 8
"""Paths of free bodies are drawn by default, and names written, if there are no more than so many."""
NEAR = 2.0
"""Bodies that are not farther than so many radii from the centre of what is of interest are shown as well."""
FOLLOWED_ROOM = 6.0
"""The radius of what is shown around a body that is asked to be followed, in radii of the body."""
ALL = (WORLD_ROW, 0.0)
"""What a camera follows, and the radius of what it shows, if it stays where it is and shows all."""


class Clip(NamedTuple):
    """The `times` (s) of the pictures, `speed` in s of motion per s of playing, and pictures per second, `fps`."""

    times: np.ndarray
    speed: float
    fps: float


class Viewpoint(NamedTuple):
    """What is looked at: from the body `frame`, at the body `follow`, which is the world for a camera that stays where
    it is, or empty (see `Display.leader`); `azimuth`, `elevation` (rad) and `distance` (m, or None) of the camera; the
    bodies whose paths are drawn, or None for the free ones if they are few.
    """

    frame: str
    follow: str
    azimuth: float
    elevation: float
    distance: float | None
    traces: Iterable[str] | None


@dataclass(frozen=True)
class Reel:
    """The images of a video, one after the other."""

    scenery: Scenery
    cameras: Sequence[Camera]
    lettering: Lettering

    @classmethod
    def of(cls, trajectory: Trajectory, clip: Clip, look: Viewpoint, size: tuple[int, int]) -> Reel:
        """The images of a clip. Raises UsageError for bodies that are not shown."""
        display = display_at(trajectory, clip.times, clip.speed)

        def row(body: str) -> int:
            return display.row(body if body == "world" else full_path(trajectory, body))

        frame = row(look.frame)
        seen = display.poses.seen_from(frame)
        free = [known for known in display.known if display.kinds[known] == "free"]
        few = free if len(free) <= MOST_PATHS else []
        traced = few if look.traces is None else [row(body) for body in look.traces]
        traced = [body for body in traced if body not in (frame, WORLD_ROW)]
        followed, room = _followed(display, seen, row(look.follow)) if look.follow else display.leader(seen) or ALL
        scenery = Scenery(display, seen, display.framing(seen), traced, room)
        cameras = _cameras(scenery, followed, look, size)
        return cls(scenery, cameras, _lettering(scenery, clip, frame, size))

    @property
    def title(self) -> str:
        """The title of the scene."""
        return self.scenery.display.title

    def image(self, k: int, camera: Camera | None = None):
        """The image at one of the times, by default from its own camera."""
        camera = camera or self.cameras[k]
        pixels = self.scenery.picture(k, camera).render()
        letters = replace(self.lettering, size=camera.size)
        times = self.scenery.display.poses.time
        return letters.written_on(pixels, clock(float(times[k]), times))

    def samples(self) -> list:
        """A few of the images, from the first to the last, at half the size."""
        last = len(self.cameras) - 1
        small = [replace(camera, size=(camera.size[0] // 2, camera.size[1] // 2)) for camera in self.cameras]
        return [self.image(k, small[k]) for k in sorted({0, last // 3, 2 * last // 3, last})]

    def images(self, progress: Callable[[int, int], None] | None = None) -> Iterator:
        """All images in order, made on all cores; `progress(done, total)` is called after each."""
        waiting: deque[Future] = deque()
        total, done = len(self.cameras), 0
        pool = ThreadPoolExecutor(cores())
        try:
            for k in range(total + cores()):
                if k < total:
                    waiting.append(pool.submit(self.image, k))
                if k >= cores() and waiting:
                    yield waiting.popleft().result()
                    done += 1
                    if progress:
                        progress(done, total)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def clock(time: float, times: np.ndarray) -> str:
    """A time (s) as text, with as many digits as tell it from the next of all times."""
    step = (times[-1] - times[0]) / max(len(times) - 1, 1)
    digits = max(0, -math.floor(math.log10(step))) if step > 0 else 3
    return f"t = {time:.{min(digits, 9)}f} s"


def _followed(display: Display, seen: MotionSamples, body: int) -> tuple[int, float]:
    """A body to follow, and the radius (m) of what is shown around it."""
    if body == WORLD_ROW:
        return ALL
    return body, display.reach[body] * FOLLOWED_ROOM or display.framing(seen).radius / 2


def _cameras(scenery: Scenery, followed: int, look: Viewpoint, size: tuple[int, int]) -> list[Camera]:
    """The camera at each time."""
    display, seen = scenery.display, scenery.seen
    direction, n_frame = (look.azimuth, look.elevation), len(display.poses.time)
    if followed != WORLD_ROW:
        near = fitted(*direction, size, np.zeros((1, 3)), np.full(1, scenery.room))
        distance = look.distance or near.distance
        return [
            replace(near, target=target, distance=distance)
            for target in display.places(seen, followed, display.middle[followed])
        ]
    bodies = _near(scenery)
    points = [display.middles(seen, bodies).reshape(-1, 3), *(display.places(seen, *end) for end in display.ends)]
    reach = [np.tile(display.reach[bodies], n_frame), np.zeros(len(display.ends) * n_frame)]
    found = fitted(*direction, size, np.concatenate(points), np.concatenate(reach))
    return [replace(found, distance=look.distance or found.distance)] * n_frame


def _near(scenery: Scenery) -> list[int]:
    """The rows of the bodies that are always near what is of interest."""
    display, ball = scenery.display, scenery.framing
    away = np.linalg.norm(display.middles(scenery.seen, display.known) - ball.centre, axis=-1).max(axis=0)
    far = away + display.reach[list(display.known)]
    return [row for row, most in zip(display.known, far, strict=True) if most <= NEAR * ball.radius] or list(
        display.known
    )


def _lettering(scenery: Scenery, clip: Clip, frame: int, size: tuple[int, int]) -> Lettering:
    display = scenery.display
    texts = [] if frame == WORLD_ROW else [f"seen from {display.paths[frame]}"]
    if clip.speed != 1:
        texts.append(f"{clip.speed:g} x real time")
    shown = sorted({part.body for part in display.parts if part.kind != GROUND})
    names = [(display.paths[row], display.colours[row]) for row in shown]
    if len(names) > MOST_NAMES:
        names = [*names[: MOST_NAMES - 1], (f"and {len(names) - MOST_NAMES + 1} more", "")]
    return Lettering(display.title, ", ".join(texts), names, f"grid {scenery.spacing:g} m", size)
