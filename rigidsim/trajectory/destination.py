"""Checks of the output path, made before the simulation starts."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator
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


class FileKind(NamedTuple):
    """A kind of file: what messages call it, the endings of its name, and what it begins with, after `skipped` bytes."""

    name: str
    endings: tuple[str, ...]
    signatures: tuple[bytes, ...] = ()
    skipped: int = 0

    def is_one(self, path: Path) -> bool:
        """Whether an existing file, empty or not, is of this kind by its beginning."""
        with path.open("rb") as file:
            head = file.read(16)
        return not head or not self.signatures or head[self.skipped :].startswith(self.signatures)


TRAJECTORY = FileKind("a rigidsim trajectory", (".h5",), (HDF5_SIGNATURE,))
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


def check_output(path: Path, force: bool, hints: Hints = IN_PYTHON, kind: FileKind = TRAJECTORY) -> None:
    """Raise StorageError if a file, by default a trajectory, cannot be written to this path."""
    folder = path.parent
    mode = _mode_of(path)
    if stat.S_ISDIR(mode):
        raise StorageError(f"{path} is a folder; name a file, such as {path / f'out{kind.endings[0]}'}")
    if not folder.is_dir():
        raise StorageError(f"the folder {folder} does not exist")
    if stat.S_ISLNK(mode):
        raise StorageError(f"{path} is a symbolic link to {path.readlink()}, which does not exist; remove the link")
    if mode and not stat.S_ISREG(mode):
        raise StorageError(f"{path} is not a regular file")
    if mode and not force:
        raise StorageError(f"{path} exists already; use {hints.replace} to overwrite it, {hints.elsewhere}")
    if mode and not is_replaceable(path, kind):
        only = "trajectories" if kind is TRAJECTORY else "such files"
        raise StorageError(
            f"{path} is not {kind.name}, or it is damaged; {hints.replace} overwrites {only} only, {hints.elsewhere}"
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StorageError(f"no permission to write in {folder}")
    with as_storage_error(path):
        check_temporary(path, kind)


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


def is_replaceable(path: Path, kind: FileKind = TRAJECTORY) -> bool:
    """Whether `force` may overwrite the file: one of the same kind (a sweep is like a trajectory) or an empty file,
    never other data.
    """
    from rigidsim.trajectory.stored import format_of

    if kind is not TRAJECTORY:
        with as_storage_error(path):
            return kind.is_one(path)

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
        message = f"{path} needs {need / 1e9:.3g} GB; {path.parent} has {free / 1e9:.3g} GB free"
        raise StorageError(f"{message}; record less, or run it in parts")


def temporary_path(final: Path) -> Path:
    """The path of the file until it is complete."""
    return final.with_name(f".{final.name}.tmp")


def check_temporary(final: Path, kind: FileKind = TRAJECTORY) -> None:
    """Raise StorageError if there is a file at the temporary path that is not from a killed run of this user."""
    path = temporary_path(final)
    with contextlib.suppress(FileNotFoundError):
        _require_own(path, path.lstat())
        if kind is not TRAJECTORY:
            if not kind.is_one(path):
                _refuse(path, f"it is not {kind.name}")
            return
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
