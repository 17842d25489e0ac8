"""Checks of the output path, made before the simulation starts."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, NoReturn

from rigidsim.errors import FormatError, StorageError

FORMATS = ("rigidsim-trajectory/", "rigidsim-sweep/")
HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"


class Hints(NamedTuple):
    """The hints of error messages, for Python or for the shell."""

    replace: str
    elsewhere: str
    resume: str


IN_PYTHON = Hints("force=True", "or save to another path", "resume=True")
IN_SHELL = Hints("--force", "or use -o to write to another path", "--resume")


@contextlib.contextmanager
def as_storage_error(path: Path) -> Iterator[None]:
    """Convert errors of the system and of HDF5 when writing a file to StorageError."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        number = getattr(error, "errno", None)
        reason = os.strerror(number) if number else str(error).splitlines()[0]
        raise StorageError(f"cannot write {path}: {reason}") from error


def check_output(path: Path, force: bool, hints: Hints = IN_PYTHON) -> None:
    """Raise StorageError if the trajectory cannot be written to this path."""
    check_place(path, force, hints, is_replaceable, ("a rigidsim trajectory", "trajectories"))
    with as_storage_error(path):
        check_temporary(path)


def check_place(
    path: Path,
    force: bool,
    hints: Hints,
    is_same_kind: Callable[[Path], bool],
    kind: tuple[str, str],
    example: str = "out.h5",
) -> None:
    """Raise StorageError if a file cannot be written to this path. With `force` it may replace one of the same kind,
    which `is_same_kind` tells and `kind` names, one and several.
    """
    folder = path.parent
    mode = _mode_of(path)
    if stat.S_ISDIR(mode):
        raise StorageError(f"{path} is a folder; name a file, such as {path / example}")
    if not folder.is_dir():
        raise StorageError(f"the folder {folder} does not exist")
    if stat.S_ISLNK(mode):
        raise StorageError(f"{path} is a symbolic link to {path.readlink()}, which does not exist; remove the link")
    if mode and not stat.S_ISREG(mode):
        raise StorageError(f"{path} is not a regular file")
    if mode and not force:
        raise StorageError(f"{path} exists already; use {hints.replace} to overwrite it, {hints.elsewhere}")
    if mode and not is_same_kind(path):
        raise StorageError(
            f"{path} is not {kind[0]}, or it is damaged; {hints.replace} overwrites {kind[1]} only, {hints.elsewhere}"
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StorageError(f"no permission to write in {folder}")


def _mode_of(path: Path) -> int:
    """The file mode of the target of the path; of the link itself if it is broken; 0 if there is nothing."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        with contextlib.suppress(FileNotFoundError):
            return path.lstat().st_mode
        return 0
    except (OSError, ValueError) as error:
        raise StorageError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from None


def is_replaceable(path: Path) -> bool:
    """Whether `force` may overwrite the file: only a trajectory, a sweep or an empty file, never other data."""
    from rigidsim.trajectory.stored import format_of

    with as_storage_error(path), path.open("rb") as file:
        if not file.read(1):
            return True
    with contextlib.suppress(FormatError):
        return format_of(path).startswith(FORMATS)
    return False


def check_space(path: Path, n_sample: int, n_node: int, sample_bytes: int) -> None:
    """Raise StorageError if the disk has no space for the samples, uncompressed."""
    need, free = n_sample * sample_bytes, shutil.disk_usage(path.parent).free
    if need > free:
        raise StorageError(
            f"{n_sample} samples of {n_node} bodies need up to {need / 1e9:.3g} GB;"
            f" {path.parent} has {free / 1e9:.3g} GB free; record fewer samples with --record-every, or less of each"
            " with simulation.record"
        )


def check_room(path: Path, need: int) -> None:
    """Raise StorageError if the disk has no space for a file of this many bytes."""
    free = shutil.disk_usage(path.parent).free
    if need > free:
        message = f"{path} needs {need / 1e6:.3g} MB; {path.parent} has {free / 1e6:.3g} MB free"
        raise StorageError(f"{message}; record less, or run it in parts")


def temporary_path(final: Path) -> Path:
    """The path of the file until it is complete."""
    return final.with_name(f".{final.name}.tmp")


def check_temporary(final: Path) -> None:
    """Raise StorageError if there is a file at the temporary path that is not from a killed run of this user."""
    path = temporary_path(final)
    with contextlib.suppress(FileNotFoundError):
        _require_own(path, path.lstat())
        with path.open("rb") as file:
            head = file.read(len(HDF5_SIGNATURE))
        if head not in (b"", HDF5_SIGNATURE, bytes(len(HDF5_SIGNATURE))):  # HDF5 may write the signature last
            _refuse(path, "it is not an HDF5 file")


def open_temporary(path: str, _flags: int) -> int:
    """An opener for a new file, or for the file of a killed run of this user; no link is followed."""
    flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    with contextlib.suppress(FileExistsError):
        return os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o666)
    _require_own(Path(path), Path(path).lstat())
    descriptor = os.open(path, flags)
    try:
        _require_own(Path(path), os.fstat(descriptor))
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _require_own(path: Path, status: os.stat_result) -> None:
    """Refuse files that another user could have placed there to have something else overwritten."""
    if stat.S_ISLNK(status.st_mode):
        _refuse(path, "it is a symbolic link")
    if not stat.S_ISREG(status.st_mode):
        _refuse(path, "it is not a regular file")
    if status.st_nlink > 1:
        _refuse(path, "the file has other hard links")
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        _refuse(path, "the file belongs to another user")


def _refuse(path: Path, why: str) -> NoReturn:
    raise StorageError(f"the temporary file {path} exists already and cannot be overwritten: {why}; remove it")
