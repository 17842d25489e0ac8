"""Where compiled kernels are kept, and how they are read back in the least time."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parent
_KEPT = 4  # versions of the program whose compiled code is kept side by side


def _text_hash() -> str:
    """Hash of all that compiled code depends on.

    Numba's own key sees only the file of the kernel itself: a change in a formula of another file would leave the old
    machine code in use (numba issue 1833).
    """
    import numba

    digest = hashlib.sha256(f"{numba.__version__} {platform.python_version()}".encode())
    files = [
        _PACKAGE / "_cache.py",
        _PACKAGE / "_jit.py",
        *sorted((_PACKAGE / "physics").glob("*.py")),
        *sorted((_PACKAGE / "engine").rglob("*.py")),
    ]
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _is_private(folder: Path) -> bool:
    """True if only this user can write there; cached code is pickled, so another user's file could run as us."""
    if not hasattr(os, "getuid"):
        return True
    info = folder.stat()
    return info.st_uid == os.getuid() and not info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _candidates() -> Iterator[Path]:
    if "RIGIDSIM_CACHE_DIR" in os.environ:
        yield Path(os.environ["RIGIDSIM_CACHE_DIR"])
    with suppress(RuntimeError):  # no home directory
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rigidsim"
    yield Path(tempfile.gettempdir()) / f"rigidsim-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"


def _forget_old_versions(root: Path) -> None:
    """Remove the compiled code of all versions but those run last."""
    versions = [path for path in root.iterdir() if re.fullmatch("[0-9a-f]{16}", path.name)]
    for path in sorted(versions, key=lambda path: path.stat().st_mtime)[:-_KEPT]:
        shutil.rmtree(path, ignore_errors=True)


@cache
def cache_folder() -> Path | None:
    """The first private, writable folder for compiled code, or None: then every process compiles for itself."""
    name = _text_hash()
    for root in _candidates():
        folder = root / name
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with tempfile.TemporaryFile(dir=folder):
                pass
            if _is_private(folder):
                os.utime(folder)
                with suppress(OSError):  # another process may be doing the same
                    _forget_old_versions(root)
                return folder
        except OSError:
            continue
    return None


@cache
def _kernel_cache_class() -> type:
    """Numba's cache of a function's machine code, made light: a kernel is called from Python only.

    With the machine code numba keeps the text of a function, for others to inline, which is as large again; and before
    it reads from the cache it loads all that it needs to compile. A kernel needs neither (measured: 0.2 s of the 0.75 s
    of a small run).
    """
    import llvmlite.binding as llvm
    from numba.core import caching

    class MachineCode(caching.CompileResultCacheImpl):
        def reduce(self, result):
            (name, kind, (machine_code, text)), *rest = super().reduce(result)
            module = llvm.parse_bitcode(text)
            defined = [x.name for x in (*module.functions, *module.global_variables) if not x.is_declaration]
            names_only = "\n".join(f'define void @"{symbol}"() {{ ret void }}' for symbol in defined)
            return (name, kind, (machine_code, llvm.parse_assembly(names_only).as_bitcode())), *rest

    class KernelCache(caching.FunctionCache):
        _impl_class = MachineCode

        def load_overload(self, sig, target_context):
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)

    return KernelCache


def kernel_cache(function: Callable):
    """The cache of one kernel's machine code, in `cache_folder()`."""
    import numba

    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder())  # read while a cache is made; others' functions keep their own place
    try:
        return _kernel_cache_class()(function)
    finally:
        numba.config.CACHE_DIR = before
