"""Videos of trajectories: pictures at equal intervals of time, written to one file."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from rigidsim.arguments import instance, number, refuse
from rigidsim.errors import UsageError
from rigidsim.trajectory.destination import IN_PYTHON, FileKind, Hints, kind_of
from rigidsim.trajectory.spool import published
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.views.display import playing_speed
from rigidsim.views.film import CODERS, GIF, KINDS, PNG, palette_of, require_writer, write_gif, write_png, write_video
from rigidsim.views.reel import Clip, Reel, Viewpoint

AZIMUTH, ELEVATION = -60.0, 20.0
"""The direction (degrees) from which a scene is seen by default."""
USUAL_FPS, USUAL_SIZE = 30.0, (1280, 720)
GIF_FPS, GIF_SIZE = 20.0, (640, 360)
LEAST_FPS, MOST_FPS, MOST_GIF_FPS = 0.1, 240.0, 50.0
MOST_PICTURES, MOST_GIF_PIXELS = 36_000, 1_000_000_000
MOST_NAMED = 12
"""Letters in a warning."""
LEAST_SIDE, MOST_SIDE = 64, 4096


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
    warn: Callable[[str], None] = warnings.warn,
    hints: Hints = IN_PYTHON,
) -> Path:
    """Write a video, `.gif`, `.mp4` or `.webm`, or a picture of the time `end`, `.png`; needs `rigidsim[video]`.

    Parameters
    ----------
    trajectory : Trajectory
        The run that is shown.
    path : str or Path
        The file; its ending gives the format.
    frame : str
        The body from which all is seen.
    follow : str
        The body that the camera looks at all the time. If it is `world`, the camera stays and shows all.
    camera : sequence of float
        Azimuth and elevation in degrees, and perhaps a distance in m.
    traces : iterable of str
        The bodies whose paths are drawn; by default the free ones if they are few.
    begin, end : float
        Times, s.
    speed : float
        Seconds of the run in one second of the video.
    fps : float
        Pictures in a second.
    size : sequence of int
        Width and height, pixels.
    force : bool
        Replace an existing file.
    progress : callable
        `progress(done, total)` is called with 0 before the file is opened, then after each picture.
    warn : callable
        It is called with a sentence about letters that pictures lack.
    hints : Hints
        What messages advise, in Python or on the command line.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    UsageError
        For an unknown body or setting, or if a package is missing.
    NotRecordedError
        If the motion was not recorded.
    StorageError
        If the file exists and `force` is false, or cannot be written.
    """
    instance(trajectory, Trajectory, "what is filmed")
    kind = kind_of(path, KINDS)
    require_writer(kind)
    size = _checked_size(size, kind)
    clip = _clip(trajectory, kind, begin, end, speed, fps)
    if kind is GIF and len(clip.times) * size[0] * size[1] > MOST_GIF_PIXELS:
        raise UsageError(f"a GIF of {len(clip.times):,} pictures would be very large; write an MP4, or less of it")
    reel = Reel.of(trajectory, clip, Viewpoint(frame, follow, *_checked_camera(camera), traces), size)
    if missing := reel.lettering.missing:
        warn(f"the font of pictures lacks the letters {missing[:MOST_NAMED]}, which are drawn as boxes")
    still = reel.image(len(clip.times) - 1) if kind is PNG else None
    if progress:
        progress(0, 1 if still else len(clip.times))
    with published(path, kind, force, hints) as file:
        if still:
            write_png(file, still)
        elif kind is GIF:
            colours = palette_of(reel.samples(), reel.scenery.display.colours)
            write_gif(file, reel.images(progress), len(clip.times), clip.fps, colours)
        else:
            write_video(file, reel.images(progress), kind, clip.fps, reel.title)
    return Path(path)


def _clip(
    trajectory: Trajectory,
    kind: FileKind,
    begin: float | None,
    end: float | None,
    speed: float | None,
    fps: float | None,
) -> Clip:
    """The times of the pictures; the last one of a single picture is its own time."""
    first, last = float(trajectory.time[0]), float(trajectory.time[-1])
    begin = first if begin is None else number(begin, "the begin")
    end = last if end is None else number(end, "the end")
    if not first <= begin <= end <= last:
        span = f"the trajectory covers {first:g} to {last:g} s"
        raise UsageError(f"there is no motion from {begin:g} to {end:g} s; {span}")
    speed = playing_speed(end - begin) if speed is None else number(speed, "the speed")
    fps = (GIF_FPS if kind is GIF else USUAL_FPS) if fps is None else number(fps, "fps")
    most = MOST_GIF_FPS if kind is GIF else MOST_FPS
    if not 0 < speed < math.inf:
        refuse("the speed", "a positive number", speed)
    if not LEAST_FPS <= fps <= most:
        refuse("fps", f"a number from {LEAST_FPS:g} to {most:g}", fps)
    count = math.floor(min((end - begin) / speed * fps * (1 + 1e-12), 1e15)) + 1
    if count > MOST_PICTURES:
        raise UsageError(f"{count:,} pictures are more than {MOST_PICTURES:,}; show less, or choose a larger speed")
    times = np.minimum(begin + np.arange(count) * (speed / fps), end)
    if kind is PNG:
        return Clip(np.unique(np.append(times, end)), 1.0, fps)  # a picture does not play: it has no speed to tell
    return Clip(times, speed, fps)


def _checked_size(size: Sequence[int] | None, kind: FileKind) -> tuple[int, int]:
    if size is None:
        return GIF_SIZE if kind is GIF else USUAL_SIZE
    step = 2 if kind in CODERS else 1
    sides = [number(side, "the size") for side in size]
    if len(sides) != 2 or not all(LEAST_SIDE <= side <= MOST_SIDE and side % step == 0 for side in sides):
        even = "even " if step == 2 else ""
        refuse("the size", f"width and height, two {even}integers from {LEAST_SIDE} to {MOST_SIDE}", tuple(size))
    return int(sides[0]), int(sides[1])


def _checked_camera(camera: Sequence[float]) -> tuple[float, float, float | None]:
    """Azimuth and elevation (rad), and the distance (m) or None."""
    given = [number(part, "the camera") for part in camera] or [AZIMUTH, ELEVATION]
    expected = "azimuth and elevation (-90 to 90) in degrees, and perhaps a distance in m"
    if len(given) not in (2, 3) or not np.all(np.isfinite(given)) or abs(given[1]) > 90 or not all(given[2:]):
        refuse("the camera", expected, tuple(camera))
    if given[2:] and given[2] <= 0:
        refuse("the distance of the camera", "a positive number", given[2])
    return math.radians(given[0]), math.radians(given[1]), given[2] if given[2:] else None
