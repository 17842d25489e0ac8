"""Video files: how many pictures, how long, how large; and what is refused."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from itertools import pairwise

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

import rigidsim
from moving_ball import history
from rigidsim.errors import Interrupted, StorageError, UsageError
from rigidsim.views.reel import clock

SIZE = (96, 64)


@pytest.fixture(scope="module")
def moving():
    return history()


def frames_of(path) -> tuple[dict, list[np.ndarray]]:
    """What ffmpeg reads from a video: its description and its pictures."""
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    done = subprocess.run(command, capture_output=True, check=True)
    reported = done.stderr.decode()
    width, height = map(int, re.search(r"Video: .*?, (\d+)x(\d+)[ ,]", reported).groups())
    about = {
        "size": (width, height),
        "fps": float(re.search(r"([\d.]+) fps", reported)[1]),
        "duration": float(re.search(r"Duration: 00:00:([\d.]+)", reported)[1]),
        "title": re.search(r"title +: (.*)", reported, re.IGNORECASE)[1],
    }
    return about, list(np.frombuffer(done.stdout, np.uint8).reshape(-1, height, width, 3))


def remains(folder) -> set[str]:
    return {file.name for file in folder.iterdir()}


def test_gif_has_the_pictures_of_the_clip(moving, tmp_path):
    """1 s at half the speed and 10 pictures per second: 21 pictures, 100 ms each, which differ."""
    path = moving.video(tmp_path / "a.gif", size=SIZE, fps=10, speed=0.5)
    with Image.open(path) as gif:
        assert (gif.size, gif.n_frames, gif.info["loop"]) == (SIZE, 21, 0)
        shown = []
        for k in range(gif.n_frames):
            gif.seek(k)
            assert gif.info["duration"] == 100
            shown.append(np.asarray(gif.convert("RGB")).astype(int))
    assert all(np.abs(after - before).max() > 40 for before, after in pairwise(shown))
    assert remains(tmp_path) == {"a.gif"}


def test_delays_of_a_gif_add_up(moving, tmp_path):
    """30 per second is no multiple of 10 ms; the sum is right all the same."""
    path = moving.video(tmp_path / "a.gif", size=SIZE, fps=30, speed=1)
    with Image.open(path) as gif:
        delays = []
        for k in range(gif.n_frames):
            gif.seek(k)
            delays.append(gif.info["duration"])
    assert len(delays) == 31
    assert set(delays) == {30, 40}
    assert sum(delays) == round(31 / 30 * 100) * 10


@pytest.mark.parametrize("name", ["a.mp4", "a.webm"])
def test_videos_have_the_pictures_of_the_clip(moving, tmp_path, name):
    path = moving.video(tmp_path / name, size=SIZE, fps=25, speed=1, begin=0.2)
    about, frames = frames_of(path)
    assert (about["size"], about["fps"], len(frames)) == (SIZE, 25, 21)
    assert about["title"] == "A ball and a brick"
    assert about["duration"] == pytest.approx(21 / 25, abs=0.02)
    assert np.abs(frames[0].astype(int) - frames[-1]).max() > 40
    assert remains(tmp_path) == {name}


def test_pictures_are_those_of_the_times(moving, tmp_path):
    """The last picture of a video is the picture of its last time, but for the compression."""
    moving.video(tmp_path / "a.mp4", size=SIZE, speed=1, end=0.5, traces=())
    moving.video(tmp_path / "a.png", size=SIZE, speed=1, end=0.5, traces=())
    _, frames = frames_of(tmp_path / "a.mp4")
    picture = np.asarray(Image.open(tmp_path / "a.png"))
    away = [np.abs(frame.astype(int) - picture).mean() for frame in frames]
    assert min(away) == away[-1] < away[0] / 2


def test_a_picture_has_no_speed(moving, tmp_path):
    """Of one time nothing depends on it, nor is it written."""
    for name, speed in (("a.png", 1), ("b.png", 0.1)):
        moving.video(tmp_path / name, size=SIZE, begin=0.5, end=0.5, speed=speed)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


@pytest.mark.parametrize("name", ["a.gif", "a.mp4", "a.png"])
def test_the_same_trajectory_gives_the_same_bytes(moving, tmp_path, name):
    first, second = tmp_path / name, tmp_path / f"2{name}"
    for path in (first, second):
        moving.video(path, size=SIZE, fps=10, end=0.5, speed=1)
    assert first.read_bytes() == second.read_bytes()


def test_a_followed_body_stays_in_the_middle(moving, tmp_path):
    """The middle of the picture has its colour at all times."""
    for end in (0.05, 0.95):
        path = moving.video(tmp_path / "a.png", size=SIZE, follow="ball", end=end, traces=(), speed=1, force=True)
        red, green, blue = np.asarray(Image.open(path))[SIZE[1] // 2, SIZE[0] // 2].astype(int)
        assert blue > green > red  # "#0072b2"


def test_the_camera_turns_the_picture(moving, tmp_path):
    """From the opposite side what was left is right."""
    sides = []
    for azimuth in (-90, 90):
        path = tmp_path / "a.png"
        moving.video(path, size=SIZE, camera=(azimuth, 0, 4), end=0.1, traces=(), speed=1, force=True)
        pixels = np.asarray(Image.open(path)).astype(int)
        blue = np.argwhere((pixels[..., 2] - pixels[..., 0] > 90) & (np.arange(SIZE[1])[:, None] > SIZE[1] / 4))
        sides.append(blue[:, 1].mean() - SIZE[0] / 2)
    assert sides[0] > 5 and sides[1] < -5


def test_bodies_without_shapes_and_reparented_ones_are_shown(tmp_path):
    """A ball with axes, also between the samples before and after it changes its parent."""
    body = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "velocity": [1, 0, 0]}
    scene = {
        "format": "rigidsim/1",
        "simulation": {"duration": 1, "step": 0.01, "record_every": 0.25},
        "bodies": {"car": {**body, "children": {"bag": {**body, "position": [0, 0, 1]}}}},
        "reparent": [{"body": "car/bag", "to": "world", "time": 0.5}],
    }
    trajectory = rigidsim.simulate(rigidsim.Scene.from_dict(scene))
    path = trajectory.video(tmp_path / "a.gif", size=SIZE, fps=10, speed=1, frame="bag")
    with Image.open(path) as gif:
        assert gif.n_frames > 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"frame": "bal"}, "did you mean 'ball'"),
        ({"follow": "nut"}, "there is no body 'nut'"),
        ({"traces": ["nut"]}, "there is no body 'nut'"),
        ({"camera": (1, 2, 3, 4)}, "the camera must be azimuth and elevation"),
        ({"camera": (0, 91)}, "elevation (-90 to 90)"),
        ({"camera": (0, math.nan)}, "the camera must be"),
        ({"camera": (0, 0, -1)}, "the distance of the camera must be a positive number"),
        ({"camera": (0, 0, 0)}, "the camera must be"),
        ({"camera": ("a", 0)}, "the camera must be an array of real numbers"),
        ({"begin": 2}, "there is no motion from 2 to 1 s; the trajectory covers 0 to 1 s"),
        ({"begin": 0.5, "end": 0.4}, "there is no motion from 0.5 to 0.4 s"),
        ({"end": math.nan}, "there is no motion"),
        ({"speed": 0}, "the speed must be a positive number"),
        ({"speed": 1e-300}, "pictures are more than 36,000"),
        ({"fps": 0}, "fps must be a number from 0.1 to 240"),
        ({"size": (96,)}, "the size must be width and height, two even integers from 64 to 4096"),
        ({"size": (97, 64)}, "two even integers"),
        ({"size": (96, 5000)}, "from 64 to 4096"),
    ],
)
def test_bad_arguments_are_refused(moving, tmp_path, options, message):
    with pytest.raises(UsageError) as refused:
        moving.video(tmp_path / "a.mp4", **options)
    assert message in str(refused.value)
    assert remains(tmp_path) == set()


def test_large_and_unknown_files_are_refused(moving, tmp_path):
    with pytest.raises(UsageError, match="a GIF of 1,201 pictures would be very large; write an MP4"):
        moving.video(tmp_path / "a.gif", size=(2000, 1000), fps=12, speed=0.01)
    with pytest.raises(UsageError, match=r"must end with one of \.gif, \.mp4, \.webm, \.png"):
        moving.video(tmp_path / "a.avi")
    (tmp_path / "a.gif").write_text("my notes")
    with pytest.raises(StorageError, match="exists already; use force=True"):
        moving.video(tmp_path / "a.gif")
    with pytest.raises(StorageError, match="is not a GIF, or it is damaged; force=True overwrites GIFs only"):
        moving.video(tmp_path / "a.gif", force=True)
    assert (tmp_path / "a.gif").read_text() == "my notes"


@pytest.mark.parametrize(
    ("module", "package", "name"),
    [("embreex", "embreex", "a.gif"), ("PIL", "pillow", "a.gif"), ("imageio_ffmpeg", "imageio-ffmpeg", "a.mp4")],
)
def test_a_missing_package_is_named(moving, tmp_path, monkeypatch, module, package, name):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError) as refused:
        moving.video(tmp_path / name)
    assert str(refused.value) == f'videos need {package}; install it with: pip install "rigidsim[video]"'


@pytest.mark.parametrize(
    ("said", "reported"), [("x: No space left on device", "No space left on device"), ("bad codec", "bad codec")]
)
def test_what_ffmpeg_says_is_reported(moving, tmp_path, monkeypatch, said, reported):
    coder = tmp_path / "ffmpeg"
    coder.write_text(f"#!/bin/sh\necho '{said}' >&2\necho 'Conversion failed: {reported}' >&2\nexit 1\n")
    coder.chmod(0o755)
    monkeypatch.setattr(imageio_ffmpeg, "get_ffmpeg_exe", lambda: str(coder))
    with pytest.raises(StorageError, match=f"cannot write .*a.mp4: .*{reported}"):
        moving.video(tmp_path / "a.mp4", size=SIZE, fps=5)
    assert remains(tmp_path) == {"ffmpeg"}


@pytest.mark.parametrize("name", ["a.gif", "a.mp4"])
def test_an_interruption_leaves_nothing(moving, tmp_path, name):
    from rigidsim.views.video import video

    def stop(done, total):
        if done == 3:
            raise Interrupted("stopped", 2)

    with pytest.raises(Interrupted):
        video(moving, tmp_path / name, size=SIZE, fps=10, speed=1, progress=stop)
    assert remains(tmp_path) == set()


@pytest.mark.parametrize(
    ("time", "times", "text"),
    [(0.5, [0, 0.05, 1], "t = 0.5 s"), (0.25, np.arange(5) * 0.05, "t = 0.25 s"), (3, [3], "t = 3.000 s"),
     (1e4, [0, 1e5], "t = 10000 s")],
)  # fmt: skip
def test_the_clock_has_the_digits_that_change(time, times, text):
    assert clock(time, np.array(times)) == text


@pytest.mark.parametrize("distance", [1e60, 1e300])
def test_a_camera_too_far_away_sees_nothing_and_does_not_warn(moving, tmp_path, distance):
    moving.video(tmp_path / "a.png", size=SIZE, camera=(0, 90, distance))
    assert remains(tmp_path) == {"a.png"}


def test_the_grid_is_not_at_bodies_far_below(tmp_path):
    """The planet's centre is a body, 1e6 m below: the picture of the ball has the same grid as without it."""
    ball = {"mass": 1, "inertia": "point", "velocity": [1, 0, 0]}
    for name, others in (("a.png", {}), ("b.png", {"planet": {"motion": "fixed", "position": [0, 0, -1e6]}})):
        scene = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.1}, "bodies": {"ball": ball} | others}
        rigidsim.simulate(rigidsim.Scene.from_dict(scene)).video(tmp_path / name, size=(256, 128))
    grids = [np.asarray(Image.open(tmp_path / name))[:, :160] for name in ("a.png", "b.png")]
    np.testing.assert_array_equal(*grids)
