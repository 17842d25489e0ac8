"""Output that cannot be written: refused early, or kept as far as it goes; and nothing of others is touched."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections import namedtuple

import h5py
import pytest

import rigidsim
from spinning_brick import remains

Usage = namedtuple("Usage", "total used free")
LARGE = ["--duration", "100", "--record-every", "0.01"]  # 10 001 samples in three chunks, 2.5 MB


def limited_to(size: int):
    """For a child process: no file larger than so many bytes."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_existing_file_is_refused_before_anything_is_computed(call, workplace, monkeypatch):
    monkeypatch.setattr("rigidsim.runner.run.Simulation", None)  # calling it would be a bug, exit code 70
    (workplace / "a.h5").write_bytes(b"old")
    code, out, err = call("run", "scene.yaml", "-o", "a.h5")
    assert (code, out) == (5, "")
    assert err == "error: a.h5 exists already; use --force to overwrite it, or use -o to write to another path\n"
    assert (workplace / "a.h5").read_bytes() == b"old"


def test_output_folder_without_permission(call, workplace, monkeypatch):
    monkeypatch.setattr("rigidsim.trajectory.destination.os.access", lambda _, mode: mode == os.R_OK)
    code, _, err = call("run", "scene.yaml", "-o", "a.h5")
    assert (code, err) == (5, "error: no permission to write in .\n")
    assert remains(workplace) == {"scene.yaml"}


def test_default_folder_that_is_a_file(call, workplace):
    (workplace / "outputs").write_text("mine")
    code, _, err = call("run", "scene.yaml")
    assert (code, err) == (5, "error: cannot create the folder outputs: File exists; use -o to write elsewhere\n")


def test_history_larger_than_the_disk_is_refused_up_front(call, workplace, monkeypatch):
    monkeypatch.setattr(
        "rigidsim.trajectory.destination.shutil.disk_usage", lambda _: Usage(10**9, 10**9 - 10**4, 10**4)
    )
    code, _, err = call("run", "scene.yaml", "-o", "a.h5", *LARGE)
    assert code == 5
    # 8 bytes x (1 + 2 bodies x 26 + 12) x 10 001 samples
    assert "10001 samples of 2 bodies need up to 5.2 MB; . has 0.01 MB free" in err
    assert "--record-every" in err
    assert remains(workplace) == {"scene.yaml"}


def test_no_room_for_the_beginning_is_one_sentence(shell, workplace):
    """HDF5 left to itself ends the interpreter with a segmentation fault here."""
    for size in (0, 1000, 20_000):
        code, out, err = shell("run", "scene.yaml", "-o", "a.h5", *LARGE, preexec_fn=limited_to(size))
        assert (code, out, err) == (5, "", "error: cannot write a.h5: File too large\n")
        assert remains(workplace) == {"scene.yaml"}


def test_no_room_for_one_chunk_is_reported(shell, workplace):
    code, out, err = shell("run", "scene.yaml", "-o", "a.h5", *LARGE, preexec_fn=limited_to(500_000))
    assert (code, out) == (5, "")
    assert err == (
        "error: cannot write a.h5: File too large; the run had reached t = 81.92 of 100 s; nothing was saved, because"
        " there was no space for the first chunk of samples\n"
    )
    assert remains(workplace) == {"scene.yaml"}


@pytest.mark.parametrize(("size", "samples", "end"), [(1_500_000, 4096, "40.95"), (2_000_000, 8192, "81.91")])
def test_full_disk_keeps_whole_chunks(shell, call, workplace, size, samples, end):
    code, out, err = shell("run", "scene.yaml", "-o", "a.h5", *LARGE, preexec_fn=limited_to(size))
    assert (code, out) == (5, "")
    reached = "cannot write a.h5: File too large; the run had reached t = 100 of 100 s"
    assert err == f"error: {reached}; a.h5, status failed, holds the first {samples} samples, to t = {end} s\n"
    assert remains(workplace) == {"scene.yaml", "a.h5"}
    assert call("inspect", "a.h5").out.startswith(f"a.h5: failed, {samples} samples every 0.01 s, 0 to {end} s\n")
    with h5py.File("a.h5") as file:
        assert (file.attrs["status"], file.attrs["message"]) == ("failed", reached)


def test_full_disk_leaves_the_old_file_as_it_was(shell, call, workplace):
    call("run", "scene.yaml", "-o", "a.h5")
    before = (workplace / "a.h5").read_bytes()
    answer = shell("run", "scene.yaml", "-o", "a.h5", "--force", *LARGE, preexec_fn=limited_to(1_500_000))
    assert answer.code == 5
    assert "; a-2.h5, status failed, holds the first 4096 samples" in answer.err
    assert (workplace / "a.h5").read_bytes() == before
    assert remains(workplace) == {"scene.yaml", "a.h5", "a-2.h5"}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can mount")
def test_full_file_system_keeps_whole_chunks(call, workplace, monkeypatch):
    """There was room at first."""
    monkeypatch.setattr("rigidsim.trajectory.destination.shutil.disk_usage", lambda _: Usage(10**9, 0, 10**9))
    disk = workplace / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1500k", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("mounting is not permitted")
    try:
        code, _, err = call("run", "scene.yaml", "-o", "disk/a.h5", "--terms", *LARGE)
        assert code == 5
        assert "No space left on device; the run had reached" in err
        with rigidsim.load("disk/a.h5") as trajectory:
            assert (trajectory.status, len(trajectory.time)) == ("failed", 4096)
            assert trajectory.content_hash == trajectory.stored_hash
        assert remains(disk) == {"a.h5"}
    finally:
        subprocess.run(["umount", disk], check=True)


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
    while not (workplace / ".a.h5.resume").exists():
        assert first.poll() is None, first.communicate()
        time.sleep(0.01)
    code, _, err = call("run", "scene.yaml", "-o", "a.h5", *force)
    assert (code, err) == (5, "error: another process is writing a.h5\n")
    first.send_signal(signal.SIGINT)
    assert first.wait(timeout=60) == 130
    with rigidsim.load("a.h5") as trajectory:
        assert trajectory.status == "interrupted"
        assert trajectory.content_hash == trajectory.stored_hash
    assert remains(workplace) == {"scene.yaml", "a.h5"}


def appears_meanwhile(monkeypatch, path, text: str) -> None:
    """While the next run is under way, someone writes a file."""
    from rigidsim.runner import run

    blocks = run.Simulation.blocks

    def and_writes(*arguments):
        path.write_text(text)
        return blocks(*arguments)

    monkeypatch.setattr(run.Simulation, "blocks", and_writes)


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize("has_links", [True, False])
def test_file_that_appears_meanwhile_is_kept_and_so_is_the_run(call, workplace, monkeypatch, force, has_links):
    def no_links(*_):
        raise PermissionError(1, "Operation not permitted")

    if not has_links:
        monkeypatch.setattr("rigidsim.trajectory.spool.os.link", no_links)
    appears_meanwhile(monkeypatch, workplace / "a.h5", "theirs")
    (workplace / "a-2.h5").write_text("another")
    code, _, err = call("run", "scene.yaml", "-o", "a.h5", *force)
    assert (code, err) == (
        5,
        "error: a.h5 was written by another process in the meantime; this file was saved as a-3.h5\n",
    )
    assert (workplace / "a.h5").read_text() == "theirs"
    assert (workplace / "a-2.h5").read_text() == "another"
    assert remains(workplace) == {"scene.yaml", "a.h5", "a-2.h5", "a-3.h5"}
    with rigidsim.load("a-3.h5") as trajectory:
        assert trajectory.status == "complete"
        assert trajectory.content_hash == trajectory.stored_hash


def test_run_that_cannot_be_named_at_all_is_left_where_it_is(call, workplace, monkeypatch):
    def refused(*_):
        raise PermissionError(1, "Operation not permitted")

    for name in ("link", "replace"):
        monkeypatch.setattr(f"rigidsim.trajectory.spool.os.{name}", refused)
    code, _, err = call("run", "scene.yaml", "-o", "a.h5")
    assert code == 5
    assert err.endswith("this file was saved as .a.h5.tmp\n")
    with rigidsim.load(".a.h5.tmp") as trajectory:
        assert trajectory.status == "complete"


@pytest.mark.parametrize("target", ["/nowhere/x.h5", "nothing.h5"])
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_link_to_nothing_is_refused_before_anything_is_computed(call, workplace, monkeypatch, target, force):
    monkeypatch.setattr("rigidsim.runner.run.Simulation", None)  # calling it would be a bug, exit code 70
    (workplace / "a.h5").symlink_to(target)
    code, _, err = call("run", "scene.yaml", "-o", "a.h5", *force)
    assert (code, err) == (
        5,
        f"error: a.h5 is a symbolic link to {target}, which does not exist; remove the link\n",
    )


PLANTED = {
    "a link": (lambda path: path.symlink_to("victim"), "it is a symbolic link"),
    "a link to nothing": (lambda path: path.symlink_to("nothing"), "it is a symbolic link"),
    "a second name": (lambda path: path.hardlink_to("victim"), "the file has other hard links"),
    "a pipe": (os.mkfifo, "it is not a regular file"),
    "a folder": (lambda path: path.mkdir(), "it is not a regular file"),
    "a text": (lambda path: path.write_text("mine, and of some length"), "it is not an HDF5 file"),
}


MEANWHILE_READ = ("meanwhile", "a text")  # what it holds is looked at before the run only
WHEN = [(moment, what) for moment in ("before", "meanwhile") for what in PLANTED if (moment, what) != MEANWHILE_READ]


@pytest.mark.parametrize(("moment", "what"), WHEN)
def test_planted_file_under_way_is_not_written_through(call, workplace, monkeypatch, moment, what):
    plant, why = PLANTED[what]
    if moment == "before":
        monkeypatch.setattr("rigidsim.runner.run.Simulation", None)
    else:
        monkeypatch.setattr("rigidsim.trajectory.destination.check_temporary", lambda *_: None)
    (workplace / "victim").write_bytes(b"precious")
    plant(workplace / ".a.h5.tmp")
    code, _, err = call("run", "scene.yaml", "-o", "a.h5")
    assert code == 5
    assert err == (f"error: the temporary file .a.h5.tmp exists already and cannot be overwritten: {why}; remove it\n")
    assert (workplace / "victim").read_bytes() == b"precious"
    assert remains(workplace) == {"scene.yaml", "victim", ".a.h5.tmp"}


def test_file_under_way_of_another_user_is_not_taken_over(call, workplace, monkeypatch):
    (workplace / ".a.h5.tmp").write_bytes(b"")
    monkeypatch.setattr("rigidsim.trajectory.destination.os.geteuid", lambda: os.getuid() + 1)
    code, _, err = call("run", "scene.yaml", "-o", "a.h5")
    assert code == 5
    assert "the file belongs to another user" in err


def test_file_under_way_that_is_replaced_is_not_published(call, workplace, monkeypatch):
    from rigidsim.runner import run

    blocks = run.Simulation.blocks

    def and_plants(*arguments):
        (workplace / ".a.h5.tmp").unlink()
        (workplace / ".a.h5.tmp").symlink_to("scene.yaml")
        return blocks(*arguments)

    monkeypatch.setattr(run.Simulation, "blocks", and_plants)
    code, _, err = call("run", "scene.yaml", "-o", "a.h5")
    assert (code, "was removed or replaced during the run" in err) == (5, True)
    assert not os.path.lexists("a.h5")


def test_force_replaces_only_trajectories_and_empty_files(call, workplace, monkeypatch):
    with h5py.File("theirs.h5", "w") as file:
        file["x"] = [1.0, 2.0]
    (workplace / "cut.h5").write_bytes((workplace / "theirs.h5").read_bytes()[:100])
    (workplace / "theirs").write_text("kept")
    for name in ("theirs.h5", "cut.h5", "theirs"):
        before = (workplace / name).read_bytes()
        code, _, err = call("run", "scene.yaml", "-o", name, "--force")
        words = "is not a trajectory, or it is damaged; --force overwrites trajectories only"
        assert (code, err) == (5, f"error: {name} {words}, or use -o to write to another path\n")
        assert (workplace / name).read_bytes() == before
    (workplace / "empty.h5").touch()
    for _ in range(2):  # the second time it is a trajectory
        assert call("run", "scene.yaml", "-o", "empty.h5", "--force").code == 0


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
