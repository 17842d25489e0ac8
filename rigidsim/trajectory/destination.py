"""Where a file is written: the kinds of files, which of them may replace an existing one (its own kind only), the paths
of what is under way, and the checks that are made before a run starts.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, NoReturn

from rigidsim.arguments import file_path
from rigidsim.errors import FormatError, StorageError, UsageError

HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
LONGEST_BEGIN = 300  # bytes


class FileKind(NamedTuple):
    """A kind of file: what messages call one and several, the endings of its name, and a regular expression for how it
    begins; none if any file with that name is one. Results have the name of their `format` in the file, before its
    number, any name, and a function that `opens` them.
    """

    name: str
    plural: str
    endings: tuple[str, ...]
    begin: bytes = b""
    format: str = ""
    opens: str = ""

    def is_one(self, path: Path) -> bool:
        """Whether an existing file is of this kind, or empty. A trajectory, or the result file of a sweep, is of no
        other kind, whatever its name.
        """
        with path.open("rb") as file:
            head = file.read(LONGEST_BEGIN)
        if not head or self.format:
            return not head or result_kind(path) is self
        return re.match(self.begin, head, re.DOTALL) is not None and result_kind(path) is None


SCENE = FileKind("a scene", "scenes", (".yaml",))
TRAJECTORY = FileKind("a trajectory", "trajectories", (".h5",), format="rigidsim-trajectory/", opens="rigidsim.load")
SWEEP = FileKind(
    "the result file of a sweep",
    "result files of sweeps",
    (".h5",),
    format="rigidsim-sweep/",
    opens="rigidsim.load_sweep",
)
RESULTS = (TRAJECTORY, SWEEP)


def kind_of(path: str | Path, kinds: tuple[FileKind, ...]) -> FileKind:
    """The kind of file that the ending of a path stands for. Raises UsageError for another ending."""
    path = file_path(path, "the file")
    for kind in kinds:
        if path.suffix.lower() in kind.endings:
            return kind
    endings = ", ".join(ending for kind in kinds for ending in kind.endings)
    raise UsageError(f"{path}: the name must end with one of {endings}")


def result_kind(path: Path, lock: bool = True) -> FileKind | None:
    """The kind of results in an existing file; None for another file, and for one that is damaged. With `lock`,
    StorageError if another process writes it.
    """
    from rigidsim.trajectory.stored import format_of

    with path.open("rb") as file:
        if file.read(len(HDF5_SIGNATURE)) != HDF5_SIGNATURE:
            return None
    with contextlib.suppress(FormatError):
        found = format_of(path, lock)
        return next((kind for kind in RESULTS if found.startswith(kind.format)), None)
    return None


def may_replace(path: Path, kind: FileKind, force: bool) -> bool:
    """Whether a file of this kind may be written to a path that has been checked before, and may exist by now."""
    return force and (not path.exists() or kind.is_one(path))


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


def check_output(
    path: Path, kind: FileKind, force: bool, hints: Hints = IN_PYTHON, keeps_unfinished: bool = True
) -> None:
    """Raise StorageError if a file of this kind cannot be written to this path. With `force` it may replace another one
    of its kind; without `keeps_unfinished`, what a killed run left is replaced with `force` only.
    """
    with as_storage_error(path):
        _check_place(path, kind, force, hints)
        check_temporary(path, kind, hints)  # first: a run under way has a checkpoint, too
        if not (keeps_unfinished or force):
            require_no_unfinished(path, hints)


def require_no_unfinished(path: Path, hints: Hints) -> None:
    """Raise StorageError if a killed run left samples."""
    if is_unfinished(path):
        hint = f"`rigidsim run` continues with --resume and begins again with {hints.replace}"
        raise StorageError(f"{path}: there are samples of a run that was interrupted, which {hint}")


def _check_place(path: Path, kind: FileKind, force: bool, hints: Hints) -> None:
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
    if mode:
        _check_existing(path, kind, force, hints)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StorageError(f"no permission to write in {folder}")


def _check_existing(path: Path, kind: FileKind, force: bool, hints: Hints) -> None:
    """Raise StorageError unless a file may replace an existing one."""
    found = result_kind(path) if os.access(path, os.R_OK) else None
    only = f"{hints.replace} overwrites {kind.plural} only, {hints.elsewhere}"
    if found not in (None, kind):
        raise StorageError(f"{path} is {found.name}; {only}")
    if not force:
        raise StorageError(f"{path} exists already; use {hints.replace} to overwrite it, {hints.elsewhere}")
    if not kind.is_one(path):
        raise StorageError(f"{path} is not {kind.name}, or it is damaged; {only}")


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


def check_space(path: Path, what: str, need: int, hint: str) -> None:
    """Raise StorageError if the disk has no space for that many bytes."""
    free = shutil.disk_usage(path.parent).free
    if need > free:
        raise StorageError(f"{what} up to {need / 1e6:.3g} MB; {path.parent} has {free / 1e6:.3g} MB free; {hint}")


def temporary_path(final: Path) -> Path:
    """The path of the file until it is complete."""
    return final.with_name(f".{final.name}.tmp")


def checkpoint_path(final: Path) -> Path:
    """The path of what is needed to continue the run that writes a file."""
    return final.with_name(f".{final.name}.resume")


def is_unfinished(final: Path) -> bool:
    """Whether a killed run left what is needed to continue it."""
    return temporary_path(final).exists() and checkpoint_path(final).exists()


def remove_remains(final: Path) -> None:
    """Remove what a process left that was killed when its file had got its name."""
    temporary = temporary_path(final)
    with as_storage_error(final):
        if final.exists() and temporary.exists() and temporary.samefile(final):
            temporary.unlink(missing_ok=True)
        if not temporary.exists():
            checkpoint_path(final).unlink(missing_ok=True)


def check_temporary(final: Path, kind: FileKind, hints: Hints) -> None:
    """Raise StorageError if there is a file at the temporary path that is not from a killed run of this user, or is
    from a sweep that can be continued.
    """
    from rigidsim.trajectory.stored import is_locked

    path = temporary_path(final)
    with contextlib.suppress(FileNotFoundError):
        _require_own(path, path.lstat())
        if is_locked(path):
            raise StorageError(f"another process is writing {final}")
        if kind is not SWEEP and result_kind(path, lock=False) is SWEEP:
            _refuse(path, f"it has the runs of a sweep that was interrupted, which {hints.resume} continues")
        with path.open("rb") as file:
            head = file.read(len(HDF5_SIGNATURE))
        if kind in RESULTS and head not in (b"", HDF5_SIGNATURE, bytes(len(HDF5_SIGNATURE))):  # it may be written last
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
