"""Standard streams that are closed, full, narrow, or not a terminal."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import struct
import termios
import time
from pathlib import Path

import pytest

import rigidsim
from rigidsim.cli.console import printable
from rigidsim.report.wording import clock
from rigidsim.runner.progress import Progress, Working
from spinning_brick import SCENE, remains


@pytest.fixture
def nobody_reads():
    """The writing end of a pipe whose other end is closed."""
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)


@pytest.mark.parametrize("arguments", [["schema"], ["--help"], ["run", "scene.yaml", "-o", "a.h5"]])
def test_closed_pipe_is_quiet(shell, nobody_reads, arguments):
    assert shell(*arguments, stdout=nobody_reads) == (141, "", "")


def test_run_is_kept_when_nobody_reads_its_messages(shell, nobody_reads):
    shell("run", "scene.yaml", "-o", "a.h5", stdout=nobody_reads, stderr=nobody_reads)
    with rigidsim.load("a.h5") as trajectory:
        assert trajectory.status == "complete"


def test_closed_streams_do_no_harm(shell):
    def close():
        for number in (0, 1, 2):
            os.close(number)

    assert shell("run", "scene.yaml", "-o", "a.h5", preexec_fn=close).code == 0
    assert shell("run", "nowhere.yaml", preexec_fn=close).code == 5
    with rigidsim.load("a.h5") as trajectory:
        assert trajectory.content_hash == trajectory.stored_hash


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_output_is_one_sentence(shell):
    with open("/dev/full", "w") as full:
        answer = shell("schema", stdout=full)
    assert answer == (5, "", "error: output: No space left on device\n")


@pytest.mark.parametrize("environment", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}])
def test_names_beyond_ascii(shell, workplace, environment):
    (workplace / "größe.yaml").write_text(SCENE.replace("brick:", "Körper_界:"), encoding="utf-8")
    assert shell("run", "größe.yaml", "-o", "größe.h5", "--json", environment=environment).code == 0
    code, out, err = shell("inspect", "größe.h5", environment=environment)
    assert (code, err) == (0, "")
    assert "K\\xf6rper_\\u754c" in out or "Körper_界" in out
    mistaken = SCENE.replace("brick:", "Körper_界:").replace("mass", "mas")
    (workplace / "größe.yaml").write_text(mistaken, encoding="utf-8")
    code, _, err = shell("validate", "größe.yaml", environment=environment)
    assert code == 3
    assert "unknown key 'mas'" in err


LONG = ["run", "scene.yaml", "-o", "a.h5", "--duration", "1e6", "--step", "1e-3", "--record-every", "1e3"]


@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_progress_rewrites_one_line_on_a_terminal_only(spawn, term):
    """On a terminal of 30 columns; a dumb one gets a line every ten seconds instead, the first after a second."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 10, 30, 0, 0))
    process = spawn(*LONG, stderr=theirs, environment={"TERM": term})
    os.close(theirs)
    seen, mark = b"", b"\n" if term == "dumb" else b"\r"
    while seen.count(mark) < (1 if term == "dumb" else 4):
        seen += os.read(ours, 100_000)
    process.terminate()
    process.communicate(timeout=60)
    seen += os.read(ours, 100_000)
    os.close(ours)
    progress, _, end = seen.decode().rpartition("interrupted by SIGTERM")
    assert end
    if term == "dumb":
        assert progress.startswith("  0.") and progress.rstrip().endswith(" left")
        return
    lines = progress.split("\r")
    assert lines[1].startswith("  0.")
    assert max(map(len, lines)) == 29


def test_progress_elsewhere_is_a_line_every_ten_seconds(monkeypatch, capsys):
    now = [100.0]
    monkeypatch.setattr("rigidsim.runner.progress.time.monotonic", lambda: now[0])
    progress = Progress(1000, 0.01, quiet=False)
    for n in range(0, 1000, 10):
        now[0] += 0.25
        progress.update(n)
    progress.clear()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[0] == " 39.0%  t = 3.9 of 10 s  0.39 x real time  0:00:16 left"


def test_long_run_says_how_long_it_will_take_once_its_speed_is_measured(monkeypatch, capsys):
    """A thousandth in the first second: a thousand seconds; a tenth: ten, of which nothing is said."""
    for part, foretold in ((0.001, ["  0.1%  t = 0.01 of 10 s  0.01 x real time  0:16:39 left"]), (0.1, [])):
        now = [100.0]
        monkeypatch.setattr("rigidsim.runner.progress.time.monotonic", lambda now=now: now[0])
        progress, quiet = Progress(100_000, 1e-4, quiet=False), Progress(100_000, 1e-4, quiet=True)
        for tenth in range(1, 30):
            now[0] = 100.0 + 0.1 * tenth
            for each in (progress, quiet):
                each.update(round(100_000 * part * 0.1 * tenth))
        assert capsys.readouterr().err.splitlines() == foretold


def test_quiet_progress_says_nothing(capsys, monkeypatch):
    monkeypatch.setattr("rigidsim.runner.progress.REDRAW_SECONDS", {True: 0.0, False: 0.0})
    Progress(10, 0.1, quiet=True).update(5)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0:00:00"), (59.6, "0:01:00"), (7325, "2:02:05")])
def test_clock(seconds, text):
    assert clock(seconds) == text


def test_scene_comes_from_standard_input(shell, call, monkeypatch, workplace):
    with open("scene.yaml") as scene:
        assert shell("run", "-", stdin=scene).code == 0
    with open("scene.yaml") as scene:
        monkeypatch.setattr("sys.stdin", scene)
        assert call("validate", "-").out == "<stdin>: valid; 1 free, 1 fixed; 100 steps of 0.01 s\n"
    assert call("run", "scene.yaml").code == 0
    with rigidsim.load("outputs/stdin.h5") as piped, rigidsim.load("outputs/scene.h5") as named:
        assert piped.content_hash == named.content_hash
        assert piped.header.scene_text == SCENE


def test_mistakes_on_standard_input_have_their_place(call, monkeypatch, workplace):
    def given(content: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

    for command in ("run", "validate"):
        given(SCENE.replace("mass:", "mas:", 1).encode())
        code, out, err = call(command, "-")
        assert (code, out) == (3, "")
        assert err.startswith("<stdin>:")
        assert "unknown key 'mas'" in err
        given(b"\xff\xfe")
        assert "<stdin>:1:1: error[encoding]" in call(command, "-").err
        given(b"")
        assert call(command, "-").code == 3
    assert remains(workplace) == {"scene.yaml"}


def test_meshes_of_a_scene_on_standard_input_are_sought_here(call, monkeypatch):
    text = SCENE + "    shapes: [{type: mesh, file: nowhere.stl}]\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert "nowhere.stl" in call("validate", "-").err


def test_a_trajectory_does_not_go_to_standard_output(call, workplace):
    code, out, err = call("run", "scene.yaml", "-o", "-")
    assert (code, out) == (2, "")
    assert err.startswith("error: -o -: an HDF5 file cannot be written to standard output; name a file;")
    assert remains(workplace) == {"scene.yaml"}


def test_printable_escapes_what_moves_the_cursor():
    assert printable("ä\n\tb\x1b[2J\x07\u202e") == "ä\n\tb\\x1b[2J\\x07\\u202e"


def on_terminal(monkeypatch, columns: int = 60) -> io.StringIO:
    """Let stderr be a terminal of this width; what is written there."""
    written = io.StringIO()
    written.isatty, written.fileno = (lambda: True), (lambda: 2)
    monkeypatch.setattr("rigidsim.runner.progress.sys.stderr", written)
    monkeypatch.setattr("rigidsim.runner.progress.os.get_terminal_size", lambda _: os.terminal_size((columns, 10)))
    monkeypatch.setenv("TERM", "xterm")
    return written


def test_long_work_of_unknown_length_is_named_on_a_terminal(monkeypatch):
    """Once it has taken some time; the line is gone at the end. Short work, and a quiet command, say nothing."""
    written = on_terminal(monkeypatch, 21)
    monkeypatch.setattr("rigidsim.runner.progress.SHORT_SECONDS", 0.01)
    with Working("reading a_long_name.yaml"):
        while not written.getvalue():
            time.sleep(0.01)
    assert written.getvalue() == "\rreading a_long_name." + "\r" + 20 * " " + "\r"
    monkeypatch.setattr("rigidsim.runner.progress.SHORT_SECONDS", 60.0)
    with Working("reading a.yaml"), Working("writing", quiet=True):
        pass
    assert written.getvalue().count("reading") == 1


def test_long_work_says_nothing_elsewhere(monkeypatch, capsys):
    monkeypatch.setattr("rigidsim.runner.progress.SHORT_SECONDS", 0.001)
    with Working("reading a.yaml"):
        time.sleep(0.02)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("words", [("validate", "scene.yaml"), ("run", "scene.yaml", "-o", "a.h5", "--plot", "--view")])
def test_every_part_of_a_command_names_itself(call, monkeypatch, words):
    parts = []
    monkeypatch.setattr("rigidsim.runner.progress.Working.__enter__", lambda self: parts.append(self._what))
    monkeypatch.setattr("rigidsim.runner.progress.Working.__exit__", lambda *_: None)
    assert call(*words).code == 0
    run = ["building the model", "completing a.h5", "drawing a.png", "making a.html"]
    assert parts == ["reading scene.yaml", *(run if words[0] == "run" else [])]
