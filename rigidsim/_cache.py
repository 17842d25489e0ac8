"""Where compiled kernels are kept, and how they are read back safely.

A kernel is one file. It is used only if nobody but this user can have written it, and if it is as it was written: what
it holds is unpickled and run. Whatever is wrong here costs a compilation, never a run.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parent
_VARIABLE = "RIGIDSIM_CACHE_DIR"
_KEPT = 4  # versions of the program whose compiled code is kept side by side
_PRIVATE = 0o700
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_CHECKSUM_BYTES = 32
# The file that marks a folder as ours, and as one that need not be backed up (bford.info/cachedir).
_MARK = "CACHEDIR.TAG"


def _text_hash() -> str:
    """Hash of all that compiled code depends on.

    Numba's own key sees only the file of the kernel itself: a change in a formula of another file would leave the old
    machine code in use (numba issue 1833).
    """
    import numba

    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    files = [
        _PACKAGE / "_cache.py",
        _PACKAGE / "_jit.py",
        _PACKAGE / "_numba_hooks.py",
        *sorted((_PACKAGE / "physics").glob("*.py")),
        *sorted((_PACKAGE / "engine").rglob("*.py")),
    ]
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def log(message: str) -> None:
    """A line on stderr, unless the program that imports us handles its log."""
    import logging

    logging.getLogger("rigidsim").warning(message)


_log_once = cache(log)


def _check_owned(info: os.stat_result, path: Path) -> None:
    """Raise PermissionError unless this is ours and nobody else can write to it."""
    if not hasattr(os, "getuid"):
        return
    if info.st_uid != os.getuid():
        raise PermissionError(errno.EPERM, "belongs to another user", str(path))
    if info.st_mode & _OTHERS_WRITE:
        raise PermissionError(errno.EPERM, "can be written to by other users", str(path))


def _check_parent(info: os.stat_result, path: Path) -> None:
    """Raise PermissionError if another user could put a folder of theirs in the place of one in here, as ssh does.

    Whoever owns the outermost folder is to be trusted: root, or what root is called inside a container.
    """
    if not hasattr(os, "getuid"):
        return
    if info.st_uid not in (os.getuid(), os.lstat("/").st_uid):
        raise PermissionError(errno.EPERM, "belongs to another user", str(path))
    if info.st_mode & _OTHERS_WRITE and not info.st_mode & stat.S_ISVTX:
        raise PermissionError(errno.EPERM, "can be written to by other users", str(path))


def _check_folder(folder: Path) -> None:
    """Raise OSError unless this is a folder of ours, and no link to one."""
    info = folder.lstat()
    if not stat.S_ISDIR(info.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, "is not a folder", str(folder))
    _check_owned(info, folder)


def _read(path: Path) -> bytes:
    """A file of ours; raises OSError if it is anything else."""

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))

    with open(path, "rb", opener=opener) as file:
        info = os.fstat(file.fileno())
        if not stat.S_ISREG(info.st_mode):
            raise OSError(errno.EINVAL, "is not a regular file", str(path))
        _check_owned(info, path)
        return file.read()


def _write(path: Path, content: bytes) -> None:
    """Make or replace a file: whole, or not at all; readable by this user only."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _mark_of(version: str) -> bytes:
    text = f"Signature: 8a477f597d28d172789f06886806bc55\n# Code compiled by rigidsim, version {version}.\n"
    return text.encode()


def _is_marked(folder: Path) -> bool:
    """Whether this program made the folder, for the version that it is named after."""
    try:
        _check_folder(folder)
        return _read(folder / _MARK) == _mark_of(folder.name)
    except OSError:
        return False


def _forget_old_versions(root: Path) -> None:
    """Remove the compiled code of all versions but those run last."""
    versions = [path for path in root.iterdir() if re.fullmatch("[0-9a-f]{16}", path.name) and _is_marked(path)]
    for path in sorted(versions, key=lambda path: path.lstat().st_mtime)[:-_KEPT]:
        shutil.rmtree(path, ignore_errors=True)


def _candidates() -> Iterator[Path]:
    if os.environ.get(_VARIABLE):
        yield Path(os.environ[_VARIABLE])
    with suppress(RuntimeError):  # no home directory
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rigidsim"
    with suppress(OSError):  # no folder for temporary files
        yield Path(tempfile.gettempdir()) / f"rigidsim-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"


def _prepared(root: Path, version: str) -> Path:
    """The folder of a version in a root, made if need be; raises OSError if it cannot be used or cannot be trusted."""
    root = Path(os.path.abspath(root))
    root = Path(os.path.realpath(root.parent), root.name)
    for parent in reversed(root.parents):
        parent.mkdir(mode=_PRIVATE, exist_ok=True)
        _check_parent(parent.lstat(), parent)
    folder = root / version
    for level in (root, folder):
        is_new = not os.path.lexists(level)
        level.mkdir(mode=_PRIVATE, exist_ok=True)
        _check_folder(level)
    if is_new:
        _write(folder / _MARK, _mark_of(version))
    with tempfile.TemporaryFile(dir=folder):
        pass
    os.utime(folder)
    return folder


@cache
def cache_folder() -> Path | None:
    """The first private, writable folder for compiled code, or None: then every process compiles for itself."""
    version, asked = _text_hash(), os.environ.get(_VARIABLE)
    for root in _candidates():
        try:
            folder = _prepared(root, version)
        except OSError as error:
            if asked and root == Path(asked):
                _log_once(f"{_VARIABLE}={asked!r} is not used: {error.filename or root}: {error.strerror}")
            continue
        with suppress(OSError):  # another process may be doing the same
            _forget_old_versions(folder.parent)
        return folder
    return None


def _checksum(name: str, payload: bytes) -> bytes:
    return hashlib.blake2b(name.encode() + payload, digest_size=_CHECKSUM_BYTES).digest()


def read_entry(path: Path) -> bytes | None:
    """What was kept under this name, or None. An entry that is not as it was written, by us, is dropped."""
    try:
        content = _read(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        fault = str(error.strerror)
    else:
        checksum, payload = content[:_CHECKSUM_BYTES], content[_CHECKSUM_BYTES:]
        if checksum == _checksum(path.name, payload):
            return payload
        fault = "is damaged"
    _log_once(f"compiled code is dropped and made anew: {path}: {fault}")
    with suppress(OSError):
        path.unlink()
    return None


def keep_entry(path: Path, payload: bytes) -> None:
    """Keep this under a name. Where that cannot be done, it has to be made anew next time."""
    try:
        _write(path, _checksum(path.name, payload) + payload)
    except OSError as error:
        _log_once(f"compiled code is not kept, the next run compiles again: {path.parent}: {error.strerror}")


def _lock(handle: int) -> bool:
    """Whether the file is ours alone now, or cannot be locked at all."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        pass
    return True


class Claim:
    """The right to make an entry, held by one process at a time, so that no two do the same work.

    It ends with the process that holds it, and is no more than an agreement: where files cannot be locked everyone has
    it, and nobody waits forever for a process that hangs.
    """

    LONGEST, POLL = 300.0, 0.05  # seconds

    def __init__(self, waiting: Callable[[], AbstractContextManager]):
        self._waiting, self._handle = waiting, None

    def take(self, path: Path) -> None:
        """Return when no other process is making this entry; if one is, wait in the context `waiting`."""
        self.release()
        with suppress(OSError):
            self._handle = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        if self._handle is None or _lock(self._handle):
            return
        end = time.monotonic() + self.LONGEST
        with self._waiting():
            while time.monotonic() < end and not _lock(self._handle):
                time.sleep(self.POLL)

    def release(self) -> None:
        """Let the next one have it. The file stays: were it removed, two processes could lock two files."""
        handle, self._handle = self._handle, None
        if handle is None:
            return
        with suppress(ImportError, OSError):
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_UN)  # a child process may have the file open, too
        os.close(handle)
