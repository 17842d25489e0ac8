"""The cache of compiled code on disk, read and written safely.

The object code of a function is one file, and is named by all that it was made of, so kernels and versions of the
program share it. A kernel is a file with the names of its objects. What is in these files is run, so one is used only
if no other user can have written it and its checksum is correct. A problem with the cache costs a compilation, never a
run.
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
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
VARIABLE = "RIGIDSIM_CACHE_DIR"
_KEPT = 4  # number of versions of the program whose kernels are kept
_OBJECTS = "objects"
_UNUSED = 30 * 86400.0  # s; objects that were not used for so long are removed
_PRIVATE = 0o700
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_CHECKSUM_BYTES = 32
# The file that marks a folder as written by this program, and as one that need not be backed up (bford.info/cachedir).
_MARK = "CACHEDIR.TAG"


def _text_hash() -> str:
    """Hash of all text that compiled code depends on."""
    digest = hashlib.sha256(sys.version.encode())
    for part in ("jit", "physics", "quantities", "engine"):
        for file in sorted((_PACKAGE / part).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def short_hash(text: str) -> str:
    """Sixteen digits that name compiled code made of this text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def log(message: str) -> None:
    """Log a warning: a line on stderr, unless the importing program configures logging."""
    import logging

    logging.getLogger("rigidsim").warning(message)


_log_once = cache(log)


def _check_owned(info: os.stat_result, path: Path, is_parent: bool = False) -> None:
    """Raise PermissionError unless this belongs to this user and no other user can write to it; of a parent, if
    another user could replace a folder in it: the same rule as that of ssh.

    The owner of the outermost folder is trusted: root, or the user that root is mapped to inside a container.
    """
    if not hasattr(os, "getuid"):
        return
    if info.st_uid != os.getuid() and not (is_parent and info.st_uid == os.lstat("/").st_uid):
        raise PermissionError(errno.EPERM, "belongs to another user", str(path))
    if info.st_mode & _OTHERS_WRITE and not (is_parent and info.st_mode & stat.S_ISVTX):
        raise PermissionError(errno.EPERM, "can be written to by other users", str(path))


def _check_owned_link(info: os.stat_result, path: Path) -> None:
    """Raise PermissionError unless this link belongs to this user; its mode means nothing."""
    if hasattr(os, "getuid") and info.st_uid != os.getuid():
        raise PermissionError(errno.EPERM, "is a link of another user", str(path))


def _check_folder(folder: Path) -> None:
    """Raise OSError unless this is a folder that belongs to this user, and not a link to one."""
    info = folder.lstat()
    if not stat.S_ISDIR(info.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, "is not a folder", str(folder))
    _check_owned(info, folder)


def _read(path: Path) -> bytes:
    """The content of a file that belongs to this user; raises OSError if it is anything else."""

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))

    with open(path, "rb", opener=opener) as file:
        info = os.fstat(file.fileno())
        if not stat.S_ISREG(info.st_mode):
            raise OSError(errno.EINVAL, "is not a regular file", str(path))
        _check_owned(info, path)
        return file.read()


def _write(path: Path, content: bytes) -> None:
    """Create or replace a file atomically; only this user can read it."""
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
    """Whether this program created the folder, for the version in its name."""
    try:
        _check_folder(folder)
        return _read(folder / _MARK) == _mark_of(folder.name)
    except OSError:
        return False


def _forget_old_versions(root: Path) -> None:
    """Remove the compiled code of all versions except the last ones that ran."""
    versions = [path for path in root.iterdir() if re.fullmatch("[0-9a-f]{16}", path.name) and _is_marked(path)]
    for path in sorted(versions, key=lambda path: path.lstat().st_mtime)[:-_KEPT]:
        shutil.rmtree(path, ignore_errors=True)


def _candidates() -> Iterator[tuple[Path, bool]]:
    """Folders, and whether each is one that the user has chosen, who may have made a link of it."""
    if os.environ.get(VARIABLE):
        yield Path(os.environ[VARIABLE]), True
    with suppress(RuntimeError):  # no home directory
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rigidsim", True
    with suppress(OSError):  # no folder for temporary files
        yield Path(tempfile.gettempdir()) / f"rigidsim-{os.getuid() if hasattr(os, 'getuid') else 'cache'}", False


def _trusted_place(path: Path) -> Path:
    """The path without links above it, of which all folders are made that do not exist; OSError if another user could
    replace one of them.
    """
    path = Path(os.path.realpath(path.parent), path.name)
    for parent in reversed(path.parents):
        parent.mkdir(mode=_PRIVATE, exist_ok=True)
        _check_owned(parent.lstat(), parent, is_parent=True)
    return path


def _prepared(root: Path, version: str, follows: bool = False) -> Path:
    """The folder of a version in a root, created if necessary; OSError if it cannot be used or cannot be trusted. If
    `follows`, the root may be a link of this user, to a folder that can be trusted as well.
    """
    root = _trusted_place(Path(os.path.abspath(root)))
    if follows and root.is_symlink():
        _check_owned_link(root.lstat(), root)
        root = _trusted_place(Path(os.path.realpath(root)))
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
    """The first private, writable folder for compiled code; None if there is none, and every process has to compile."""
    version, asked = _text_hash(), os.environ.get(VARIABLE)
    for root, is_chosen in _candidates():
        try:
            folder = _prepared(root, version, is_chosen)
        except OSError as error:
            if asked and root == Path(asked):
                _log_once(f"{VARIABLE}={asked!r} is not used: {error.filename or root}: {error.strerror}")
            continue
        with suppress(OSError):  # another process may be doing the same
            _forget_old_versions(folder.parent)
        return folder
    return None


@cache
def object_folder() -> Path | None:
    """The folder beside that of this version that has the object code of functions, for all versions; None if there is
    none.
    """
    folder = cache_folder()
    if folder is None:
        return None
    try:
        folder = _prepared(folder.parent, _OBJECTS)
    except OSError as error:
        _log_once(f"compiled code cannot be saved, the next run compiles again: {error.filename}: {error.strerror}")
        return None
    return folder


@cache
def forget_unused_objects() -> None:
    """Remove the objects that were not used for a month; once in a process, which compiles for seconds anyway."""
    folder, now = object_folder(), time.time()
    for path in folder.glob("*.o") if folder else ():
        with suppress(OSError):  # another process may be doing the same
            if now - path.lstat().st_mtime > _UNUSED:
                path.unlink()


def _checksum(name: str, payload: bytes) -> bytes:
    return hashlib.blake2b(name.encode() + payload, digest_size=_CHECKSUM_BYTES).digest()


def read_entry(path: Path) -> bytes | None:
    """The content of an entry, or None. An entry that is damaged or not written by this user is deleted."""
    try:
        content = _read(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        fault = str(error.strerror)
    else:
        checksum, payload = content[:_CHECKSUM_BYTES], content[_CHECKSUM_BYTES:]
        if checksum == _checksum(path.name, payload):
            with suppress(OSError):  # a folder that cannot be written to
                os.utime(path)
            return payload
        fault = "is damaged"
    _log_once(f"compiled code is discarded and compiled again: {path}: {fault}")
    with suppress(OSError):
        path.unlink()
    return None


def keep_entry(path: Path, payload: bytes) -> None:
    """Write an entry. If that fails, the next run compiles again."""
    try:
        _write(path, _checksum(path.name, payload) + payload)
    except OSError as error:
        _log_once(f"compiled code cannot be saved, the next run compiles again: {path.parent}: {error.strerror}")
