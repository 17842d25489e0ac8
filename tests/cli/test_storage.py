"""Output that cannot be written: refused early, or given up without a trace."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections import namedtuple

import pytest

import rigidsim
from spinning_brick import remains

Usage = namedtuple("Usage", "total used free")
LARGE = ["--duration", "100", "--record-every", "0.01"]  # 10 001 samples, 2.9 MB


def limited_to(size: int):
    """For a child process: no file larger than so many bytes."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_existing_file_is_refused_before_anything_is_computed(call, workplace, monkeypatch):
    monkeypatch.setattr("rigidsim.report.run.Simulation", None)  # calling it would be a bug, exit code 1
    (workplace / "a.h5").write_bytes(b"old")
    code, out, err = call("run", "scene.yaml", "-o", "a.h5")
    assert (code, out) == (5, "")
    assert err == "error: a.h5 exists already; --force replaces it, -o names another file\n"
    assert (workplace / "a.h5").read_bytes() == b"old"


def test_output_folder_without_permission(call, workplace, monkeypatch):
    monkeypatch.setattr("rigidsim.trajectory.writer.os.access", lambda _, mode: mode == os.R_OK)
    code, _, err = call("run", "scene.yaml", "-o", "a.h5")
    assert (code, err) == (5, "error: no permission to write in .\n")
    assert remains(workplace) == {"scene.yaml"}


def test_default_folder_that_is_a_file(call, workplace):
    (workplace / "outputs").write_text("mine")
    code, _, err = call("run", "scene.yaml")
    assert (code, err) == (5, "error: cannot make the folder outputs: File exists; -o names a file elsewhere\n")


def test_history_larger_than_the_disk_is_refused_up_front(call, workplace, monkeypatch):
    monkeypatch.setattr("rigidsim.trajectory.writer.shutil.disk_usage", lambda _: Usage(10**9, 10**9 - 10**4, 10**4))
    code, _, err = call("run", "scene.yaml", "-o", "a.h5", *LARGE)
    assert code == 5
    # 8 bytes x (1 + 2 bodies x 26 + 12) x 10 001 samples
    assert "10001 samples of 2 bodies need up to 0.0052 GB; . has 1e-05 GB free" in err
    assert "--record-every" in err
    assert remains(workplace) == {"scene.yaml"}


@pytest.mark.parametrize("size", [0, 1000, 20_000, 200_000, 500_000])
def test_disk_full_is_one_sentence_and_leaves_nothing(shell, workplace, size):
    """HDF5 left to itself ends the interpreter with a segmentation fault here."""
    code, out, err = shell("run", "scene.yaml", "-o", "a.h5", *LARGE, preexec_fn=limited_to(size))
    assert (code, out) == (5, "")
    assert err == "error: cannot write a.h5: File too large\n"
    assert remains(workplace) == {"scene.yaml"}


def test_disk_full_leaves_the_old_file_as_it_was(shell, call, workplace):
    call("run", "scene.yaml", "-o", "a.h5")
    before = (workplace / "a.h5").read_bytes()
    answer = shell("run", "scene.yaml", "-o", "a.h5", "--force", *LARGE, preexec_fn=limited_to(200_000))
    assert answer.code == 5
    assert (workplace / "a.h5").read_bytes() == before
    assert remains(workplace) == {"scene.yaml", "a.h5"}


def test_process_that_saves_to_a_full_disk_lives_on(workplace):
    code = (
        "import resource, rigidsim\n"
        "trajectory = rigidsim.simulate(rigidsim.Scene.from_file('scene.yaml', ['simulation.duration=100']))\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, resource.RLIM_INFINITY))\n"
        "try:\n    trajectory.save('a.h5')\n"
        "except rigidsim.RigidsimError as error:\n    print(error)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))\n"
        "trajectory.save('a.h5')\n"
        "print(rigidsim.load('a.h5').content_hash == trajectory.content_hash)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "cannot write a.h5: File too large\nTrue\n"
    assert remains(workplace) == {"scene.yaml", "a.h5"}


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_second_writer_is_refused_and_the_first_one_is_not_disturbed(spawn, call, workplace, force):
    first = spawn("run", "scene.yaml", "-o", "a.h5", "--duration", "1e6", "--step", "1e-3", "--record-every", "1e3")
    while not (workplace / ".a.h5.tmp").exists():
        assert first.poll() is None, first.communicate()
        time.sleep(0.01)
    time.sleep(0.3)
    code, _, err = call("run", "scene.yaml", "-o", "a.h5", *force)
    assert (code, err) == (5, "error: another process is writing a.h5\n")
    first.send_signal(signal.SIGINT)
    assert first.wait(timeout=60) == 130
    with rigidsim.load("a.h5") as trajectory:
        assert trajectory.status == "interrupted"
        assert trajectory.content_hash == trajectory.stored_hash
    assert remains(workplace) == {"scene.yaml", "a.h5"}


def test_file_that_appears_meanwhile_is_kept(call, workplace, monkeypatch):
    from rigidsim.report import run

    def appears(*arguments):
        (workplace / "a.h5").write_text("theirs")
        return simulation(*arguments)

    simulation = run.Simulation.blocks
    monkeypatch.setattr(run.Simulation, "blocks", appears)
    code, _, err = call("run", "scene.yaml", "-o", "a.h5")
    assert code == 5
    assert "a.h5 was written by another process meanwhile" in err
    assert (workplace / "a.h5").read_text() == "theirs"
    assert remains(workplace) == {"scene.yaml", "a.h5"}


def test_what_a_killed_process_left_is_taken_over(spawn, call, workplace):
    first = spawn("run", "scene.yaml", "-o", "a.h5", "--duration", "1e6", "--record-every", "1e3")
    while not (workplace / ".a.h5.tmp").exists():
        assert first.poll() is None, first.communicate()
        time.sleep(0.01)
    os.kill(first.pid, signal.SIGKILL)
    first.wait(timeout=60)
    assert remains(workplace) == {"scene.yaml", ".a.h5.tmp"}
    assert call("run", "scene.yaml", "-o", "a.h5").code == 0
    assert remains(workplace) == {"scene.yaml", "a.h5"}
    with rigidsim.load("a.h5") as trajectory:
        assert trajectory.content_hash == trajectory.stored_hash
