"""The decorators `formula`, `inlined`, `routine` and `kernel`: how a function is given to numba.

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

from rigidsim._cache import cache_folder, log
from rigidsim._numba_hooks import compiled, is_ours, mark_part, options, usable

# Formulas are registered with numba when the first kernel is compiled, so that whoever only evaluates them, or runs a
# kernel from the cache, does not wait for it.
_unregistered: list[Callable[[], object]] = []


def _part(function: Callable, is_loop: bool = False, **how: bool) -> Callable:
    mark_part(function, is_loop)

    def register() -> None:
        from numba.extending import register_jitable

        register_jitable(**options(**how))(function)

    _unregistered.append(register)
    return function


def formula(function: Callable) -> Callable:
    """Mark a plain function on numbers and tuples as one that kernels inline; called from Python it is itself."""
    return _part(function, inlined=True, allocates=True)


def inlined(function: Callable) -> Callable:
    """Mark a loop over bodies as part of the kernel that calls it.

    A call that hands over a whole model copies some two hundred words, which costs more than a step of a small scene.
    """
    return _part(function, inlined=True)


def routine(function: Callable) -> Callable:
    """Mark a loop over lanes that kernels call; whether it is inlined there is left to the compiler."""
    return _part(function, is_loop=True)


def compiled_form(generic: Callable) -> Callable:
    """Give a function that dispatches on the kind of number its form for compiled code, inlined like a formula."""

    def remember(form: Callable) -> Callable:
        def register() -> None:
            from numba.extending import overload

            overload(generic, jit_options=options(inlined=True, allocates=True))(form)

        mark_part(form)
        _unregistered.append(register)
        return form

    return remember


def _register_formulas() -> None:
    while _unregistered:
        _unregistered.pop(0)()


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

    def announce_once(self) -> None:
        """Announce the first compilation; those that follow are part of the same wait."""
        if not self.announced:
            self.announced = True
            self.announce()


class Compiling:
    """Hears from numba when a compilation starts and ends, never of code from the cache. Only the outermost counts."""

    def __init__(self):
        self.depth, self.ours, self.begin = 0, False, 0.0
        self.watches: list[CompileWatch] = []  # the outermost first: it is the one that announces

    def notify(self, event) -> None:
        """What numba calls, under its lock."""
        if event.is_start and self.depth == 0:
            self.ours = is_ours(event.data["dispatcher"].py_func)
            if self.ours:
                self._start()
                _register_formulas()
        self.depth += 1 if event.is_start else -1
        if self.depth == 0 and self.ours:
            self._stop()

    @contextmanager
    def elsewhere(self) -> Iterator[None]:
        """While another process compiles what this one needs, too: that is as long a wait."""
        self._start()
        try:
            yield
        finally:
            self._stop()

    def _start(self) -> None:
        self.begin = time.perf_counter()
        self.watches[0].announce_once() if self.watches else log_compilation()

    def _stop(self) -> None:
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


@cache
def _listen() -> None:
    from numba.core import event

    event.Listener.register(Compiling)
    event.register("numba:compile", _compiling)


def kernel(function: Callable) -> Callable:
    """Compile on first call, from the cache where possible. The environment's NUMBA_DISABLE_JIT=1 leaves it Python."""
    import numba

    if numba.config.DISABLE_JIT:
        return function
    usable()  # what it compiles to find out is not announced
    _listen()
    # Of other kernels, as of tests, the name of the folder does not know the text.
    is_hashed = function.__module__.startswith("rigidsim.engine.")
    return compiled(function, cache_folder() if is_hashed else None, _compiling.elsewhere)


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
