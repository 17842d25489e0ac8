"""Where compiled kernels are kept, and how they are read back: safely, and in the least time.

A kernel is one file. It is used only if nobody but this user can have written it, and if it is as it was written: what
it holds is unpickled and run. Whatever is wrong here costs a compilation, never a run.
"""

from __future__ import annotations

import errno
import hashlib
import os
import pickle
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
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


@cache
def _kernel_cache_class() -> type:
    """A cache of a function's machine code, lighter than numba's: a kernel is called from Python only.

    With the machine code numba keeps the text of a function, for others to inline, which is as large again; and before
    it reads from the cache it loads all that it needs to compile. A kernel needs neither (measured: 0.2 s of the 0.75 s
    of a small run).
    """
    import llvmlite.binding as llvm
    from numba.core import caching, compiler, serialize

    def light(library):
        name, kind, (machine_code, text) = library
        module = llvm.parse_bitcode(text)
        defined = [x.name for x in (*module.functions, *module.global_variables) if not x.is_declaration]
        names_only = "\n".join(f'define void @"{symbol}"() {{ ret void }}' for symbol in defined)
        return name, kind, (machine_code, llvm.parse_assembly(names_only).as_bitcode())

    class KernelCache(caching.NullCache):
        def __init__(self, function: Callable, folder: Path):
            self._name, self._folder = f"{function.__module__}.{function.__qualname__}", folder

        def _path(self, signature, codegen) -> Path:
            key = repr((self._name, signature, codegen.magic_tuple()))
            return self._folder / f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.kernel"

        def load_overload(self, sig, target_context):
            payload = read_entry(self._path(sig, target_context.codegen()))
            return payload and compiler.CompileResult._rebuild(target_context, *pickle.loads(payload))

        def save_overload(self, sig, cres):
            library, *rest = cres._reduce()
            keep_entry(self._path(sig, cres.codegen), serialize.dumps((light(library), *rest)))

    return KernelCache


def kernel_cache(function: Callable, folder: Path):
    """The cache of one kernel's machine code. The folder's name stands for its text, the file's name for its types."""
    return _kernel_cache_class()(function, folder)
