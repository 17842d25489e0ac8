"""Videos of trajectories: pictures at equal intervals of time, written to one file."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from rigidsim.arguments import file_path, number, refuse
from rigidsim.errors import UsageError
from rigidsim.hindsight.quantities import full_path
from rigidsim.trajectory.destination import IN_PYTHON, FileKind, Hints
from rigidsim.trajectory.encoding import cores
from rigidsim.trajectory.published import kind_of, published
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.views.camera import Camera, fitted
from rigidsim.views.film import CODERS, GIF, KINDS, PNG, palette_of, require_writer, write_gif, write_png, write_video
from rigidsim.views.lettering import Lettering
from rigidsim.views.poses import Seen
from rigidsim.views.scenery import Scenery
from rigidsim.views.stage import Stage, playing_speed, stage_at

AZIMUTH, ELEVATION = -60.0, 20.0
"""The direction (degrees) from which a scene is seen by default."""
FPS = {GIF: 20.0}
SIZES = {GIF: (640, 360)}
USUAL_FPS, USUAL_SIZE = 30.0, (1280, 720)
MOST_FPS, MOST_GIF_FPS, MOST_FRAMES, MOST_GIF_PIXELS = 240.0, 50.0, 36_000, 1_000_000_000
LEAST_SIDE, MOST_SIDE = 64, 4096
MOST_PATHS, MOST_NAMES = 12, 8
"""Paths of free bodies are drawn by default, and names written, if there are no more than so many."""
NEAR = 2.0
"""Bodies that are not farther than so many radii from the centre of what is of interest are shown as well."""
FOLLOWED_ROOM = 6.0
"""The radius of what is shown around a body that is followed, in radii of the body."""


@dataclass(frozen=True)
class Clip:
    """Which times are shown and how fast: `begin` and `end` (s), `speed` in s of motion per s of playing, `fps`."""

    begin: float
    end: float
    speed: float
    fps: float

    @cached_property
    def times(self) -> np.ndarray:
        """The times (s) of the pictures."""
        count = math.floor((self.end - self.begin) / self.speed * self.fps * (1 + 1e-12)) + 1
        if count > MOST_FRAMES:
            raise UsageError(f"{count:,} pictures are too many (at most {MOST_FRAMES:,}); choose a larger speed")
        return np.minimum(self.begin + np.arange(count) * (self.speed / self.fps), self.end)


def video(
    trajectory: Trajectory,
    path: str | Path,
    *,
    frame: str = "world",
    follow: str = "",
    camera: Sequence[float] = (),
    traces: Iterable[str] | None = None,
    begin: float | None = None,
    end: float | None = None,
    speed: float | None = None,
    fps: float | None = None,
    size: Sequence[int] | None = None,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
    hints: Hints = IN_PYTHON,
) -> Path:
    """Write a video of a trajectory; the ending of `path` is gif, mp4 or webm, or png for one picture at `end`.

    Bodies are shown as seen from the body `frame`. `camera` is azimuth and elevation in degrees, and the distance in m
    if it is not to be chosen; it looks at the body `follow` all the time. `traces` are the bodies whose paths are
    drawn; by default the free ones, if they are few. `speed` is how many seconds of the motion one second shows.
    `progress(done, total)` is called after each picture.

    Raises UsageError, StorageError if the file exists and `force` is false or cannot be written, NotRecordedError if no
    poses were recorded.
    """
    path = file_path(path, "the video's file")
    kind = kind_of(path, KINDS)
    require_writer(kind)
    size = _checked_size(size, kind)
    clip = _clip(trajectory, kind, begin, end, speed, fps)
    if kind is GIF and len(clip.times) * size[0] * size[1] > MOST_GIF_PIXELS:
        raise UsageError(f"a GIF of {len(clip.times):,} pictures would be very large; write an MP4, or less of it")
    reel = Reel.of(trajectory, clip, frame, follow, camera, traces, size)
    with published(path, kind, force, hints) as file:
        if kind is PNG:
            write_png(file, reel.image(len(clip.times) - 1))
        elif kind is GIF:
            colours = palette_of([reel.small(k) for k in reel.spread()], reel.scenery.stage.colours)
            write_gif(file, reel.images(progress), len(clip.times), clip.fps, colours)
        else:
            write_video(file, reel.images(progress), kind, clip.fps, reel.scenery.stage.title)
    return path


@dataclass(frozen=True)
class Reel:
    """The images of a video, one after the other."""

    scenery: Scenery
    cameras: Sequence[Camera]
    lettering: Lettering

    @classmethod
    def of(
        cls,
        trajectory: Trajectory,
        clip: Clip,
        frame: str,
        follow: str,
        camera: Sequence[float],
        traces: Iterable[str] | None,
        size: tuple[int, int],
    ) -> Reel:
        """The images of a clip; see `video`. Raises UsageError for bodies that are not shown."""
        stage = stage_at(trajectory, clip.times, clip.speed)
        row, followed = _row(trajectory, stage, frame), _row(trajectory, stage, follow) if follow else None
        seen = stage.poses.seen_from(row)
        traced = _free_bodies(stage) if traces is None else [_row(trajectory, stage, body) for body in traces]
        framing = stage.framing(seen)
        scenery = Scenery(stage, seen, framing, [body for body in traced if body not in (row, -1)])
        cameras = _cameras(stage, seen, followed, _checked_camera(camera), size)
        return cls(scenery, cameras, _lettering(scenery, clip, frame, size))

    def image(self, k: int, camera: Camera | None = None):
        """The image at one of the times."""
        camera = camera or self.cameras[k]
        pixels = self.scenery.picture(k, camera).render()
        letters = replace(self.lettering, size=camera.size)
        return letters.written_on(pixels, _clock(self.scenery.stage.poses.time[k], self.scenery.stage.poses.time))

    def small(self, k: int):
        """A smaller one of these images."""
        camera = self.cameras[k]
        return self.image(k, replace(camera, size=(max(1, camera.size[0] // 2), max(1, camera.size[1] // 2))))

    def spread(self) -> list[int]:
        """The numbers of some images, from the first to the last."""
        last = len(self.cameras) - 1
        return sorted({0, last // 3, 2 * last // 3, last})

    def images(self, progress: Callable[[int, int], None] | None = None) -> Iterator:
        """All images in order, made on all cores."""
        total, waiting = len(self.cameras), deque()
        pool = ThreadPoolExecutor(cores())
        try:
            for k in range(total + cores()):
                if k < total:
                    waiting.append(pool.submit(self.image, k))
                if k >= cores() and waiting:
                    yield waiting.popleft().result()
                    if progress:
                        progress(k - cores() + 1, total)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _clip(
    trajectory: Trajectory,
    kind: FileKind,
    begin: float | None,
    end: float | None,
    speed: float | None,
    fps: float | None,
) -> Clip:
    first, last = float(trajectory.time[0]), float(trajectory.time[-1])
    begin, end = (edge if given is None else number(given, name) for given, edge, name in
                  ((begin, first, "the begin"), (end, last, "the end")))  # fmt: skip
    if not first <= begin <= end <= last:
        raise UsageError(
            f"there is no motion from {begin:g} to {end:g} s; the trajectory covers {first:g} to {last:g} s"
        )
    speed = playing_speed(end - begin) if speed is None else number(speed, "the speed")
    most = MOST_GIF_FPS if kind is GIF else MOST_FPS
    fps = FPS.get(kind, USUAL_FPS) if fps is None else number(fps, "fps")
    if not 0 < speed < math.inf:
        refuse("the speed", "a positive number", speed)
    if not 0.1 <= fps <= most:
        refuse("fps", f"a number from 0.1 to {most:g}", fps)
    return Clip(begin, end, speed, fps)


def _checked_size(size: Sequence[int] | None, kind: FileKind) -> tuple[int, int]:
    if size is None:
        return SIZES.get(kind, USUAL_SIZE)
    expected = f"two integers from {LEAST_SIDE} to {MOST_SIDE}, even ones for MP4 and WebM"
    step = 2 if kind in CODERS else 1
    if len(size) != 2 or any(int(side) != side or not LEAST_SIDE <= side <= MOST_SIDE or side % step for side in size):
        refuse("the size", expected, "x".join(map(str, size)))
    return int(size[0]), int(size[1])


def _checked_camera(camera: Sequence[float]) -> tuple[float, float, float | None]:
    """Azimuth and elevation (rad), and the distance (m) or None."""
    given = [number(part, "the camera") for part in camera] or [AZIMUTH, ELEVATION]
    expected = "azimuth and elevation (-90 to 90) in degrees, and perhaps a distance in m"
    if len(given) not in (2, 3) or not np.all(np.isfinite(given)) or abs(given[1]) > 90 or not all(given[2:]):
        refuse("the camera", expected, " ".join(map(str, camera)))
    if len(given) == 3 and given[2] <= 0:
        refuse("the distance of the camera", "a positive number", given[2])
    return math.radians(given[0]), math.radians(given[1]), given[2] if len(given) == 3 else None


def _row(trajectory: Trajectory, stage: Stage, body: str) -> int:
    """The row of a body by its path or the end of it, -1 for the world. Raises UsageError."""
    return stage.row(body if body == "world" else full_path(trajectory, body))


def _free_bodies(stage: Stage) -> list[int]:
    free = [row for row in stage.known if stage.kinds[row] == "free"]
    return free if len(free) <= MOST_PATHS else []


def _cameras(
    stage: Stage, seen: Seen, followed: int | None, camera: tuple[float, float, float | None], size: tuple[int, int]
) -> list[Camera]:
    """The camera at each frame."""
    azimuth, elevation, distance = camera
    n_frame = len(stage.poses.time)
    if followed is None or followed < 0:
        rows = _near(stage, seen)
        points = seen.position[:, rows].reshape(-1, 3)
        found = fitted(azimuth, elevation, size, points, np.tile(stage.reach[rows], n_frame))
        return [replace(found, distance=distance or found.distance)] * n_frame
    reach = stage.reach[followed] * FOLLOWED_ROOM or stage.framing(seen).radius / 2
    near = fitted(azimuth, elevation, size, np.zeros((1, 3)), np.full(1, reach))
    return [replace(near, target=target, distance=distance or near.distance) for target in seen.position[:, followed]]


def _near(stage: Stage, seen: Seen) -> list[int]:
    """The rows of the bodies that are always near what is of interest."""
    ball = stage.framing(seen)
    away = np.max(np.linalg.norm(seen.position - ball.centre, axis=-1), axis=0) + stage.reach
    return [row for row in stage.known if away[row] <= NEAR * ball.radius] or list(stage.known)


def _lettering(scenery: Scenery, clip: Clip, frame: str, size: tuple[int, int]) -> Lettering:
    stage = scenery.stage
    told = [] if frame == "world" else [f"seen from {frame}"]
    if clip.speed != 1:
        told.append(f"{clip.speed:g} x real time")
    shown = sorted({part.body for part in stage.parts if part.kind != "ground"})
    names = [(stage.paths[row], stage.colours[row]) for row in shown] if len(shown) <= MOST_NAMES else []
    return Lettering(stage.title, ", ".join(told), names, f"grid {scenery.spacing:g} m", size)


def _clock(time: float, times: np.ndarray) -> str:
    """A time with as many digits as tell it from the next."""
    step = (times[-1] - times[0]) / max(len(times) - 1, 1)
    digits = max(0, -math.floor(math.log10(step))) if step > 0 else 3
    return f"t = {time:.{min(digits, 9)}f} s"
