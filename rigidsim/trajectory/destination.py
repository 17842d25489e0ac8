"""Where a trajectory may be written: what can be found out before anything is computed."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, NoReturn

from rigidsim.errors import FormatError, StorageError
from rigidsim.trajectory.fields import sample_bytes

HDF5_BEGINS = b"\x89HDF\r\n\x1a\n"


class Advice(NamedTuple):
    """What a message tells the user to do, in the words of where they are."""

    replace: str
    elsewhere: str


IN_PYTHON = Advice("force=True", "or save to another path")
IN_SHELL = Advice("--force", "-o names another file")


@contextlib.contextmanager
def plainly(path: Path) -> Iterator[None]:
    """Complaints of the system and of HDF5 about writing a file, as one sentence."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        number = getattr(error, "errno", None)
        reason = os.strerror(number) if number else str(error).splitlines()[0]
        raise StorageError(f"cannot write {path}: {reason}") from error


def check_output(path: Path, force: bool, advice: Advice = IN_PYTHON) -> None:
    """Raise StorageError, before anything is computed, if the file cannot become a trajectory."""
    folder = path.parent
    mode = _mode_of(path)
    if stat.S_ISDIR(mode):
        raise StorageError(f"{path} is a folder; name a file, such as {path / 'out.h5'}")
    if not folder.is_dir():
        raise StorageError(f"the folder {folder} does not exist")
    if stat.S_ISLNK(mode):
        raise StorageError(f"{path} is a symbolic link to {path.readlink()}, which does not exist; remove the link")
    if mode and not stat.S_ISREG(mode):
        raise StorageError(f"{path} is not a regular file")
    if mode and not force:
        raise StorageError(f"{path} exists already; {advice.replace} replaces it, {advice.elsewhere}")
    if mode and not is_replaceable(path):
        raise StorageError(
            f"{path} is not a rigidsim trajectory, or it is damaged; {advice.replace} replaces trajectories only,"
            f" {advice.elsewhere}"
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StorageError(f"no permission to write in {folder}")
    with plainly(path):
        check_beside(path)


def _mode_of(path: Path) -> int:
    """Of what the path leads to; of the link itself, if it leads nowhere; 0 if there is nothing."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        with contextlib.suppress(FileNotFoundError):
            return path.lstat().st_mode
        return 0
    except (OSError, ValueError) as error:
        raise StorageError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from None


def is_replaceable(path: Path) -> bool:
    """A trajectory or an empty file: a scene, or another's data, is not lost to a slip of the fingers."""
    from rigidsim.trajectory.stored import format_of

    with plainly(path), path.open("rb") as file:
        if not file.read(1):
            return True
    with contextlib.suppress(FormatError):
        return format_of(path).startswith("rigidsim-trajectory/")
    return False


def check_space(path: Path, n_sample: int, n_node: int, with_terms: bool) -> None:
    """Raise StorageError if the disk has no room for the samples, uncompressed."""
    need, free = n_sample * sample_bytes(n_node, with_terms), shutil.disk_usage(path.parent).free
    if need > free:
        raise StorageError(
            f"{n_sample} samples of {n_node} bodies need up to {need / 1e9:.3g} GB;"
            f" {path.parent} has {free / 1e9:.3g} GB free; record fewer samples with --record-every"
        )


def path_beside(final: Path) -> Path:
    """Where a file lies until it is whole."""
    return final.with_name(f".{final.name}.tmp")


def check_beside(final: Path) -> None:
    """Raise StorageError if what lies there is not what an earlier process of ours left when it was killed."""
    path = path_beside(final)
    with contextlib.suppress(FileNotFoundError):
        _require_ours(path, path.lstat())
        with path.open("rb") as file:
            head = file.read(len(HDF5_BEGINS))
        if head not in (b"", HDF5_BEGINS, bytes(len(HDF5_BEGINS))):  # HDF5 may write its first bytes last
            _refuse(path, "it is not an HDF5 file")


def open_beside(path: str, _flags: int) -> int:
    """An opener: a new file, or what a killed process of ours left behind; no link is followed."""
    flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    with contextlib.suppress(FileExistsError):
        return os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o666)
    _require_ours(Path(path), Path(path).lstat())
    descriptor = os.open(path, flags)
    try:
        _require_ours(Path(path), os.fstat(descriptor))
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _require_ours(path: Path, status: os.stat_result) -> None:
    """Whoever can plant something at this name must not choose what is overwritten through it."""
    if stat.S_ISLNK(status.st_mode):
        _refuse(path, "it is a symbolic link")
    if not stat.S_ISREG(status.st_mode):
        _refuse(path, "it is not a regular file")
    if status.st_nlink > 1:
        _refuse(path, "the file has other names too")
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        _refuse(path, "the file belongs to another user")


def _refuse(path: Path, why: str) -> NoReturn:
    raise StorageError(f"{path} is in the way, where a trajectory lies until it is whole: {why}; remove it")
