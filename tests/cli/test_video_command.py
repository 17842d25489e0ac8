"""`rigidsim video` as it is typed."""

from __future__ import annotations

import signal

import pytest
from PIL import Image

from rigidsim.errors import Interrupted
from rigidsim.runner.making import Making
from spinning_brick import SCENE, remains

SMALL = ("--size", "96x64")


@pytest.fixture
def ran(made):
    made("run.h5", "a.h5")


def test_a_gif_is_made(call, ran, workplace):
    """0.5 s at 10 pictures per second."""
    done = call(
        "video", "a.h5", "-o", "a.gif", *SMALL, "--fps", "10", "--speed", "1", "--from", "0.25", "--to", "750 ms"
    )
    size = (workplace / "a.gif").stat().st_size
    assert done == (0, f"a.gif: 6 pictures, {size / 1e3:.3g} kB\n", "")
    with Image.open("a.gif") as gif:
        assert (gif.n_frames, gif.size) == (6, (96, 64))
    assert remains(workplace) == {"scene.yaml", "a.h5", "a.gif"}


def test_the_default_is_an_mp4_beside_the_trajectory(call, ran, workplace):
    done = call("video", "a.h5", *SMALL, "--fps", "2", "--speed", "1", "-q", "--frame", "mark", "--follow", "brick",
                "--camera", "10, 20, 5", "--trace", "brick")  # fmt: skip
    assert done == (0, "", "")
    assert (workplace / "a.mp4").read_bytes()[4:8] == b"ftyp"


def test_one_picture(call, ran):
    assert call("video", "a.h5", "--at", "0.5", *SMALL).out.startswith("a.png: 1 picture, ")
    assert call("video", "a.h5", "--at", "0.5", *SMALL, "--no-traces", "-o", "b.png", "--frame", "mark").code == 0
    with Image.open("a.png") as first, Image.open("b.png") as second:
        assert first.size == second.size == (96, 64)
        assert first.tobytes() != second.tobytes()


def test_files_that_are_there_or_not(call, ran, workplace):
    (workplace / "a.mp4").write_text("")
    done = call("video", "a.h5", *SMALL)
    assert (done.code, "a.mp4 exists already; use --force to overwrite it" in done.err) == (5, True)
    (workplace / "a.mp4").write_text("my notes, which are long")
    assert "--force overwrites MP4 videos only" in call("video", "a.h5", *SMALL, "--force").err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_and_leaves_nothing(call, ran, workplace, monkeypatch, number):
    """It comes after the second picture."""
    report = Making.report

    def signalled(self, done, total):
        if done == 2:
            signal.raise_signal(number)
        report(self, done, total)

    monkeypatch.setattr(Making, "report", signalled)
    monkeypatch.setattr("rigidsim.runner.progress.MEASURED_SECONDS", float("inf"))  # a slow machine prints progress
    done = call("video", "a.h5", "-o", "a.gif", *SMALL)
    assert (done.code, done.err) == (128 + number, f"stopped by {number.name}; a.gif was not written\n")
    assert remains(workplace) == {"scene.yaml", "a.h5"}
    assert issubclass(Interrupted, Exception)


def test_a_signal_is_answered_at_once_while_there_is_no_file(call, ran, workplace, monkeypatch):
    """Before the first report; afterwards only at the next one, so that the file is removed."""
    monkeypatch.setattr("rigidsim.views.reel.Reel.of", lambda *_: signal.raise_signal(signal.SIGTERM))
    done = call("video", "a.h5", "-o", "a.gif", *SMALL)
    assert (done.code, done.err) == (143, "stopped by SIGTERM; a.gif was not written\n")
    assert remains(workplace) == {"scene.yaml", "a.h5"}


def test_letters_that_the_font_lacks_are_reported(call, workplace):
    (workplace / "a.yaml").write_text(SCENE.replace("brick:", "箱:"))
    assert call("run", "a.yaml", "-o", "b.h5").code == 0
    done = call("video", "b.h5", "--at", "0.1", "-o", "b.png", *SMALL)
    assert (done.code, done.err) == (
        0,
        "warning: the font of pictures lacks the letters 箱, which are drawn as boxes\n",
    )


def test_progress_is_shown_on_stderr(call, ran, monkeypatch):
    """A line at the begin and for each picture if lines are due at once."""
    monkeypatch.setattr("rigidsim.runner.progress.REDRAW_SECONDS", {True: 0.0, False: 0.0})
    done = call("video", "a.h5", "-o", "a.gif", *SMALL, "--fps", "2", "--speed", "1")
    assert [line.split("  ")[-2] for line in done.err.splitlines()] == [f"{k} of 3 pictures" for k in range(4)]


def test_neither_display_nor_window_system_is_needed(shell, call, ran, workplace):
    done = shell("video", "a.h5", "--at", "1", *SMALL, environment={"DISPLAY": "", "WAYLAND_DISPLAY": ""})
    assert (done.code, done.err) == (0, "")
