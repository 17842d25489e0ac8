"""The decorators `formula`, `inlined`, `routine` and `kernel`. Only here and in `_cache` is numba configured.

A *formula* is a plain Python function on numbers and tuples; inside a kernel it is inlined. So is an *inlined* loop
over bodies. A *routine* is a loop over lanes that compiled code calls. A *kernel* is what Python calls: compiled with
`nogil` (so that threads can run blocks of worlds side by side) and `error_model="numpy"` (1/0 is inf, as in the lanes);
never with fastmath, so that compiled and interpreted text give the same bits.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

from rigidsim._cache import cache_folder, kernel_cache, log

_CALLED = {"error_model": "numpy", "no_cfunc_wrapper": True}  # C does not call us: a tenth less to compile
_INLINED = _CALLED | {"forceinline": True}
# Without numba's reference counting a view of a row is free (measured: a step 13 times faster); it also means that code
# which allocates does not compile.
_NO_ALLOCATION = {"_nrt": False}

# Formulas are told to numba when the first kernel is compiled, so that whoever only evaluates them, or runs a kernel
# from the cache, does not wait for it.
_untold: list[Callable[[], object]] = []
_parts: set[str] = set()  # names of all functions that are only ever parts of a kernel
_optimised: set[str] = set()  # and of those among them that are optimised by themselves: the loops over lanes


def _inlined(function: Callable, options: dict[str, bool | str]) -> Callable:
    _parts.add(function.__qualname__)

    def tell() -> None:
        from numba.extending import register_jitable

        register_jitable(**options)(function)

    _untold.append(tell)
    return function


def formula(function: Callable) -> Callable:
    """Mark a plain function on numbers and tuples as one that kernels inline; called from Python it is itself."""
    return _inlined(function, _INLINED)


def inlined(function: Callable) -> Callable:
    """Mark a loop over bodies as part of the kernel that calls it.

    A call that hands over a whole model copies some two hundred words, which costs more than a step of a small scene.
    """
    return _inlined(function, _INLINED | _NO_ALLOCATION)


def routine(function: Callable) -> Callable:
    """Mark a loop over lanes that kernels call; whether it is inlined there is left to the compiler."""
    _optimised.add(function.__qualname__)
    return _inlined(function, _CALLED | _NO_ALLOCATION)


def compiled_form(generic: Callable) -> Callable:
    """Give a function that dispatches on the kind of number its form for compiled code, inlined like a formula."""

    def remember(form: Callable) -> Callable:
        def tell() -> None:
            from numba.extending import overload

            overload(generic, jit_options=_INLINED)(form)

        _parts.update(f"{form.__qualname__}.<locals>.{name}" for name in ("<lambda>", "advance"))
        _untold.append(tell)
        return form

    return remember


def _tell_formulas() -> None:
    while _untold:
        _untold.pop(0)()


def log_compilation() -> None:
    """How a compilation is announced to whoever calls us from Python."""
    log(compilation_notice())


def compilation_notice() -> str:
    """What is said as a wait begins."""
    kept = "this happens once" if cache_folder() else "set RIGIDSIM_CACHE_DIR to a folder of yours to keep the result"
    return f"compiling the stepper for this kind of run, half a minute or so; {kept}"


class CompileWatch:
    """What was compiled under `watch_compilation`: `seconds`, zero if all came from the cache."""

    def __init__(self, announce: Callable[[], None]):
        self.announce, self.announced, self.seconds = announce, False, 0.0

    def tell(self) -> None:
        """Announce the first compilation; those that follow are part of the same wait."""
        if not self.announced:
            self.announced = True
            self.announce()


class Compiling:
    """Told by numba when a compilation starts and ends, never for code from the cache. Only the outermost counts."""

    def __init__(self):
        self.depth, self.ours, self.begin = 0, False, 0.0
        self.watches: list[CompileWatch] = []  # the outermost first: it is the one that tells

    def notify(self, told) -> None:
        """What numba calls, under its lock."""
        if told.is_start and self.depth == 0:
            self.ours = _is_ours(told.data["dispatcher"].py_func)
            if self.ours:
                self.begin = time.perf_counter()
                self.watches[0].tell() if self.watches else log_compilation()
                _tell_formulas()
        self.depth += 1 if told.is_start else -1
        if self.depth == 0 and self.ours:
            for watch in self.watches:
                watch.seconds += time.perf_counter() - self.begin


_compiling = Compiling()


@contextmanager
def watch_compilation(announce: Callable[[], None] = log_compilation) -> Iterator[CompileWatch]:
    """Call `announce` once if anything has to be compiled; the watch's `seconds` says how long it took.

    Of watches inside each other all measure, and the outermost announces.
    """
    watch = CompileWatch(announce)
    _compiling.watches.append(watch)
    try:
        yield watch
    finally:
        _compiling.watches.remove(watch)


def _is_ours(function: Callable) -> bool:
    return (function.__module__ or "").startswith("rigidsim.")


@cache
def _make_parts_light() -> None:
    """Of the functions that are only parts of a kernel, numba keeps the unoptimised text; the kernel is optimised once.

    As it is, numba optimises every function it meets, and again in each caller up to the kernel, and makes machine code
    of each: that took four times as long (measured: 31 s instead of 8 s for `rkmk4`). In effect only while one of our
    kernels is being compiled, and only for functions marked here.
    """
    from numba.core import codegen, event

    event.Listener.register(Compiling)
    event.register("numba:compile", _compiling)

    class Library(codegen.JITCodeLibrary):
        def _is_part(self) -> bool:
            return _compiling.depth > 0 and _compiling.ours and self.name in _parts

        def _optimize_final_module(self) -> None:
            if not self._is_part() or self.name in _optimised:
                super()._optimize_final_module()

        def _finalize_final_module(self) -> None:
            if not self._is_part():
                super()._finalize_final_module()
                return
            self._finalize_dynamic_globals()
            self._verify_declare_only_symbols()
            self._finalized = True

    set_environment = codegen.JITCPUCodegen.set_env

    def set_env(self, name: str, environment) -> None:
        # A part has no machine code, hence no address to write its environment to; nothing of ours uses one.
        if not (_compiling.depth > 0 and _compiling.ours) or self._engine.is_symbol_defined(name):
            set_environment(self, name, environment)

    codegen.JITCPUCodegen._library_class = Library
    codegen.JITCPUCodegen.set_env = set_env


def kernel(function: Callable) -> Callable:
    """Compile on first call, from the cache where possible. The environment's NUMBA_DISABLE_JIT=1 leaves it Python."""
    import numba

    _make_parts_light()
    compiled = numba.njit(nogil=True, **_CALLED, **_NO_ALLOCATION)(function)
    folder = cache_folder()
    # Of other kernels, as of tests, the name of the folder does not know the text.
    is_hashed = function.__module__.startswith("rigidsim.engine.")
    if folder and is_hashed and not numba.config.DISABLE_JIT:
        compiled._cache = kernel_cache(function, folder)
    return compiled


@contextmanager
def without_blas() -> Iterator[None]:
    """Keep numba from importing SciPy while it is imported and loads its tables; no kernel of ours calls BLAS.

    Saves a fifth of a second. For a process that is ours alone: numba code loaded later in it cannot multiply matrices.
    """
    blocked = "scipy" not in sys.modules
    if blocked:
        sys.modules["scipy"] = None
    try:
        yield
    finally:
        if blocked:
            del sys.modules["scipy"]
