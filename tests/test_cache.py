"""Compiled code on disk: whose it is, whether it is whole, and what happens where it cannot be kept."""

from __future__ import annotations

import logging
import os
import random
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

from rigidsim.jit import cache, kernels, routine
from rigidsim.jit.cache import keep_entry, read_entry
from rigidsim.jit.values import NotCompilable
from rigidsim.physics.elementary import sqrt

VERSION = "0123456789abcdef"
PAYLOAD = random.Random(0).randbytes(5000)


@pytest.fixture(autouse=True)
def tell_again(monkeypatch):
    """What is reported once a process is reported once a test."""
    monkeypatch.setattr(cache, "_log_once", cache.cache(cache.log))


@pytest.fixture
def logged(caplog):
    """The lines reported so far."""
    caplog.set_level(logging.WARNING, "rigidsim")
    return lambda: [record.getMessage() for record in caplog.records]


@pytest.fixture
def choice(monkeypatch, tmp_path):
    """A fresh choice of the folder, with tmp_path/home for a home and tmp_path/tmp for temporary files."""
    (tmp_path / "tmp").mkdir(mode=0o777)
    os.chmod(tmp_path / "tmp", 0o1777)
    monkeypatch.delenv("RIGIDSIM_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path / "tmp"))
    return cache.cache_folder.__wrapped__


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


# Which folder


def test_folder_is_where_the_environment_says(choice, monkeypatch, tmp_path, logged):
    monkeypatch.setenv("RIGIDSIM_CACHE_DIR", str(tmp_path / "deep" / "mine"))
    assert choice().parent == tmp_path / "deep" / "mine"
    monkeypatch.delenv("RIGIDSIM_CACHE_DIR")
    assert choice().parent == tmp_path / "home" / "rigidsim"
    assert logged() == []


def test_empty_value_counts_as_unset(choice, monkeypatch, tmp_path, logged):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RIGIDSIM_CACHE_DIR", "")
    assert choice().parent == tmp_path / "home" / "rigidsim"
    assert logged() == []


def test_relative_folder_stays_the_same_when_the_program_moves(choice, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RIGIDSIM_CACHE_DIR", "mine")
    assert choice().parent == tmp_path / "mine"


@pytest.mark.parametrize("value", ["file", "file/below", "/dev/null/nowhere", "loop", "x" * 300])
def test_value_that_cannot_be_used_is_named_and_passed_over(choice, monkeypatch, tmp_path, logged, value):
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RIGIDSIM_CACHE_DIR", value)
    assert choice().parent == tmp_path / "home" / "rigidsim"
    (line,) = logged()
    assert line.startswith(f"RIGIDSIM_CACHE_DIR={value!r} is not used: ")
    assert not line.endswith("None")


@pytest.mark.parametrize("place", ["RIGIDSIM_CACHE_DIR", "home"])
def test_a_link_of_this_user_is_followed_to_a_folder_that_can_be_trusted(choice, monkeypatch, tmp_path, logged, place):
    (tmp_path / "shared" / "mine").mkdir(parents=True)
    link = tmp_path / "home" / "rigidsim"
    link.parent.mkdir()
    link.symlink_to("../shared/mine")
    if place != "home":
        monkeypatch.setenv(place, str(link))
    assert choice().parent == tmp_path / "shared" / "mine"
    assert logged() == []
    if place != "home":
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
        for bad, mode in ((tmp_path / "shared", 0o777), (tmp_path / "shared" / "mine", 0o777)):
            os.chmod(bad, mode)
            assert choice().parent == tmp_path / "other" / "rigidsim"
            assert logged()[-1].endswith(f" is not used: {bad}: can be written to by other users")
            os.chmod(bad, 0o700)
        owned_by_another(monkeypatch, link)
        assert choice().parent == tmp_path / "other" / "rigidsim"
        assert logged()[-1].endswith(f" is not used: {link}: is a link of another user")


def test_no_folder_at_all_is_allowed(choice, monkeypatch):
    def none():
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/nowhere")
    monkeypatch.setattr(tempfile, "gettempdir", none)
    assert choice() is None
    monkeypatch.setattr(tempfile, "gettempdir", lambda: "/dev/null")
    assert choice() is None


# Whose it is


@pytest.mark.parametrize("mask", [0o000, 0o002, 0o022, 0o077])
def test_all_that_is_made_is_private_whatever_the_umask(choice, monkeypatch, tmp_path, mask):
    monkeypatch.setenv("RIGIDSIM_CACHE_DIR", str(tmp_path / "new" / "mine"))
    before = os.umask(mask)
    try:
        folder = choice()
        keep_entry(folder / "one.kernel", PAYLOAD)
    finally:
        os.umask(before)
    assert {mode(path) for path in (folder, folder.parent, folder.parent.parent)} == {0o700}
    assert {mode(path) for path in folder.iterdir()} == {0o600}


@pytest.mark.parametrize("level", ["folder", "root", "parent"])
@pytest.mark.parametrize("bits", [0o720, 0o702, 0o777])
def test_folder_that_others_can_write_to_is_refused(choice, monkeypatch, tmp_path, logged, level, bits):
    monkeypatch.setenv("RIGIDSIM_CACHE_DIR", str(tmp_path / "parent" / "root"))
    folder = choice()
    bad = {"folder": folder, "root": folder.parent, "parent": folder.parent.parent}[level]
    os.chmod(bad, bits)
    assert choice().parent == tmp_path / "home" / "rigidsim"
    assert logged()[0].endswith(f" is not used: {bad}: can be written to by other users")


def test_parent_for_all_is_allowed_where_each_can_only_rename_what_is_theirs(choice, monkeypatch, tmp_path):
    (tmp_path / "parent").mkdir()
    os.chmod(tmp_path / "parent", 0o1777)
    monkeypatch.setenv("RIGIDSIM_CACHE_DIR", str(tmp_path / "parent" / "root"))
    assert choice().parent == tmp_path / "parent" / "root"


def test_temporary_folder_made_by_someone_else_is_refused(choice, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/nowhere")
    theirs = tmp_path / "tmp" / f"rigidsim-{os.getuid()}"
    assert choice().parent == theirs
    os.chmod(theirs, 0o777)
    assert choice() is None
    shutil.rmtree(theirs)
    (tmp_path / "target").mkdir()
    theirs.symlink_to(tmp_path / "target")
    assert choice() is None
    assert not list((tmp_path / "target").iterdir())


def owned_by_another(monkeypatch, *paths: Path) -> None:
    """Let these seem to belong to another user."""
    inodes = {path.lstat().st_ino for path in paths}

    def foreign(call):
        def answer(*arguments, **options):
            info = call(*arguments, **options)
            if info.st_ino not in inodes:
                return info
            return os.stat_result([*info[:4], os.getuid() + 1, *info[5:]])

        return answer

    for name in ("stat", "lstat", "fstat"):
        monkeypatch.setattr(os, name, foreign(getattr(os, name)))


@pytest.mark.parametrize("level", ["folder", "root", "parent"])
def test_folder_of_another_user_is_refused(choice, monkeypatch, tmp_path, logged, level):
    monkeypatch.setenv("RIGIDSIM_CACHE_DIR", str(tmp_path / "parent" / "root"))
    folder = choice()
    bad = {"folder": folder, "root": folder.parent, "parent": folder.parent.parent}[level]
    owned_by_another(monkeypatch, bad)
    assert choice().parent == tmp_path / "home" / "rigidsim"
    assert logged()[0].endswith(f" is not used: {bad}: belongs to another user")


def test_entry_of_another_user_is_dropped(monkeypatch, tmp_path, logged):
    keep_entry(tmp_path / "one.kernel", PAYLOAD)
    owned_by_another(monkeypatch, tmp_path / "one.kernel")
    assert read_entry(tmp_path / "one.kernel") is None
    assert logged() == [
        f"compiled code is discarded and compiled again: {tmp_path / 'one.kernel'}: belongs to another user"
    ]
    assert not (tmp_path / "one.kernel").exists()


def test_entry_that_others_can_write_to_is_dropped(tmp_path, logged):
    keep_entry(tmp_path / "one.kernel", PAYLOAD)
    os.chmod(tmp_path / "one.kernel", 0o620)
    assert read_entry(tmp_path / "one.kernel") is None
    assert "can be written to by other users" in logged()[0]


def test_link_in_the_place_of_an_entry_is_dropped_and_its_target_is_not(tmp_path, logged):
    keep_entry(tmp_path / "one.kernel", PAYLOAD)
    os.rename(tmp_path / "one.kernel", tmp_path / "target")
    (tmp_path / "one.kernel").symlink_to("target")
    assert read_entry(tmp_path / "one.kernel") is None
    assert len(logged()) == 1
    assert not os.path.lexists(tmp_path / "one.kernel")
    assert (tmp_path / "target").exists()


def test_pipe_in_the_place_of_an_entry_does_not_hang(tmp_path, logged):
    os.mkfifo(tmp_path / "one.kernel", 0o600)
    assert read_entry(tmp_path / "one.kernel") is None
    assert "is not a regular file" in logged()[0]


# Old versions


def test_compiled_code_of_old_versions_is_removed(tmp_path):
    versions = [cache._prepared(tmp_path, f"{day:016x}") for day in range(6)]
    for day, version in enumerate(versions):
        keep_entry(version / "one.kernel", PAYLOAD)
        os.utime(version, (day, day))
    cache._forget_old_versions(tmp_path)
    assert set(tmp_path.iterdir()) == set(versions[-4:])


def test_only_what_carries_our_mark_is_removed(choice, monkeypatch, tmp_path):
    """Folders that look like ours by their names, or are links to ours, with a user's data in them."""
    root = tmp_path / "cache"
    ours = cache._prepared(tmp_path / "elsewhere", "a" * 16)
    for version in ("1" * 16, "2" * 16, "3" * 16):
        cache._prepared(root, version)
    precious = [root / (digit * 16) for digit in "bcdef"]
    for path in precious[:4]:
        path.mkdir()
        (path / "thesis.txt").write_text("precious")
    shutil.copy(ours / cache._MARK, precious[1])  # the mark of another version
    (precious[2] / cache._MARK).write_text("Signature: 8a477f597d28d172789f06886806bc55\n")  # another program's
    (precious[3] / cache._MARK).symlink_to(ours / cache._MARK)
    precious[4].symlink_to(ours)
    for path in precious:
        os.utime(path, (0, 0), follow_symlinks=False)
    monkeypatch.setenv("RIGIDSIM_CACHE_DIR", str(root))
    monkeypatch.setattr(cache, "_KEPT", 1)
    folder = choice()
    assert set(root.iterdir()) == {folder, *precious}
    assert all((path / "thesis.txt").read_text() == "precious" for path in precious[:4])
    assert cache._is_marked(ours)


def test_folder_that_was_there_before_is_used_but_never_marked(tmp_path):
    (tmp_path / VERSION).mkdir(mode=0o700)
    assert cache._prepared(tmp_path, VERSION) == tmp_path / VERSION
    assert not cache._is_marked(tmp_path / VERSION)


# Whether it is whole


def test_entry_is_read_as_it_was_kept(tmp_path, logged):
    assert read_entry(tmp_path / "one.kernel") is None
    keep_entry(tmp_path / "one.kernel", PAYLOAD)
    keep_entry(tmp_path / "one.kernel", PAYLOAD[:100])
    assert read_entry(tmp_path / "one.kernel") == PAYLOAD[:100]
    assert [path.name for path in tmp_path.iterdir()] == ["one.kernel"]
    assert logged() == []


def damages(content: bytes, count: int, seed: int):
    """Copies of a file, with one bit turned or the end cut off."""
    pick = random.Random(seed)
    yield b""
    for _ in range(count):
        turned = bytearray(content)
        turned[pick.randrange(len(content))] ^= 1 << pick.randrange(8)
        yield bytes(turned)
        yield content[: pick.randrange(len(content))]


def check_damages(path: Path, count: int) -> None:
    """Each damaged copy is recognised and dropped; the entry itself is read."""
    content = path.read_bytes()
    for damaged in damages(content, count, seed=len(content)):
        path.write_bytes(damaged)
        assert read_entry(path) is None
        assert not path.exists()
    cache._write(path, content)
    assert read_entry(path)


def test_damaged_entry_is_dropped_with_one_line(tmp_path, logged):
    keep_entry(tmp_path / "one.kernel", PAYLOAD)
    check_damages(tmp_path / "one.kernel", 20)
    assert logged() == [f"compiled code is discarded and compiled again: {tmp_path / 'one.kernel'}: is damaged"]


def test_entry_in_the_place_of_another_is_dropped(tmp_path):
    keep_entry(tmp_path / "one.kernel", PAYLOAD)
    os.rename(tmp_path / "one.kernel", tmp_path / "other.kernel")
    assert read_entry(tmp_path / "other.kernel") is None


@pytest.mark.slow
def test_every_damage_of_real_kernels_is_found(tmp_path):
    entries = list(cache.cache_folder().glob("*.kernel"))
    assert entries, "run any scene first"
    for entry in entries:
        shutil.copy(entry, tmp_path)
        check_damages(tmp_path / entry.name, 200)


# A kernel, from text to file and back


def doubled_plus(x, y):
    return 2.0 * x + y


doubled_plus.__module__ = "rigidsim.engine.test"  # else it is not kept


@pytest.fixture
def fresh_kernel(monkeypatch, tmp_path):
    """The kernel as a new process has it: (result, compiled or not)."""
    monkeypatch.setattr(kernels, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(kernels, "object_folder", lambda: tmp_path)

    def call(x=3.0, y=1.0):
        with kernels.watch_compilation() as watch:
            result = kernels.kernel(doubled_plus)(x, y)
        return result, watch.seconds > 0.0

    return call


def test_kernel_is_compiled_once_for_each_kind_of_arguments(fresh_kernel, tmp_path, logged):
    assert [fresh_kernel(), fresh_kernel()] == [(7.0, True), (7.0, False)]
    assert [fresh_kernel(3), fresh_kernel(3), fresh_kernel()] == [(7.0, True), (7.0, False), (7.0, False)]
    assert len(list(tmp_path.glob("*.kernel"))) == 2
    assert logged() == []


@pytest.mark.parametrize("kind", ["kernel", "o"])
@pytest.mark.parametrize("damage", [lambda content: b"", lambda content: content[:-1], lambda content: content[::-1]])
def test_damaged_kernel_is_compiled_anew_and_kept(fresh_kernel, tmp_path, logged, damage, kind):
    fresh_kernel()
    (entry,) = tmp_path.glob(f"*.{kind}")
    entry.write_bytes(damage(entry.read_bytes()))
    assert [fresh_kernel(), fresh_kernel()] == [(7.0, True), (7.0, False)]
    assert logged() == [f"compiled code is discarded and compiled again: {entry}: is damaged"]


def test_kernel_that_cannot_be_kept_still_runs(fresh_kernel, tmp_path, logged):
    shutil.rmtree(tmp_path)
    assert [fresh_kernel(), fresh_kernel()] == [(7.0, True), (7.0, True)]
    assert logged() == [
        f"compiled code cannot be saved, the next run compiles again: {tmp_path}: No such file or directory"
    ]


def test_a_kernel_that_does_not_compile_leaves_nothing_and_can_be_tried_again(fresh_kernel, tmp_path):
    for _ in range(2):
        with pytest.raises(NotCompilable):
            fresh_kernel("x", None)
    assert not list(tmp_path.iterdir())
    assert fresh_kernel() == (7.0, True)


def test_a_kernel_that_another_process_made_meanwhile_is_replaced(fresh_kernel, monkeypatch, tmp_path, logged):
    """Both made the same; each reads what is whole."""
    fresh_kernel()
    before = {entry: entry.read_bytes() for entry in tmp_path.iterdir()}
    monkeypatch.setattr(kernels, "read_entry", lambda path: None)
    assert fresh_kernel() == (7.0, True)
    monkeypatch.undo()
    assert len(before) == 2 and all(read_entry(entry) for entry in before)
    assert {entry: entry.read_bytes() for entry in tmp_path.iterdir()} == before
    assert logged() == []


@routine
def sum_of_squares(x):
    total = 0.0
    for k in range(len(x)):
        total += x[k] * x[k]
    return total


@routine
def scale(x, factor):
    for k in range(len(x)):
        x[k] *= factor


def length(x):
    return sqrt(sum_of_squares(x))


def scaled_length(x, factor):
    scale(x, factor)
    return sqrt(sum_of_squares(x))


def test_kernels_share_the_objects_of_functions(monkeypatch, tmp_path):
    """A routine that two kernels call is compiled once; the object of each kernel is its own."""
    monkeypatch.setattr(kernels, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(kernels, "object_folder", lambda: tmp_path)
    for function in (length, scaled_length):
        monkeypatch.setattr(function, "__module__", "rigidsim.engine.test")

    assert kernels.kernel(length)(np.array([3.0, 4.0])) == 5.0
    assert len(list(tmp_path.glob("*.o"))) == 2
    assert kernels.kernel(scaled_length)(np.array([3.0, 4.0]), 2.0) == 10.0
    assert len(list(tmp_path.glob("*.o"))) == 4
    assert len(list(tmp_path.glob("*sum_of_squares*.o"))) == len(list(tmp_path.glob("*scale.*.o"))) == 1


def test_objects_that_nobody_used_for_long_are_removed(choice, monkeypatch, tmp_path):
    monkeypatch.setenv("RIGIDSIM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "cache_folder", choice)
    folder = cache.object_folder.__wrapped__()
    monkeypatch.setattr(cache, "object_folder", lambda: folder)
    assert folder.parent == tmp_path / "cache"
    for name, days in (("new.o", 1), ("used.o", 60), ("old.o", 60)):
        keep_entry(folder / name, PAYLOAD)
        os.utime(folder / name, (time.time() - 86400 * days,) * 2)
    assert read_entry(folder / "used.o") == PAYLOAD
    cache.forget_unused_objects.__wrapped__()
    assert {path.name for path in folder.glob("*.o")} == {"new.o", "used.o"}


FULL = """
import resource, sys
from pathlib import Path
from rigidsim.jit.cache import keep_entry
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
for name in ("one", "two"):
    keep_entry(Path(sys.argv[1], name), bytes(10000))
"""


def test_full_disk_leaves_a_line_and_no_half_file(tmp_path):
    pytest.importorskip("resource")
    command = [sys.executable, "-c", FULL, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == f"compiled code cannot be saved, the next run compiles again: {tmp_path}: File too large\n"
    assert not list(tmp_path.iterdir())
