"""All uses of undocumented parts of numba, with a probe that checks them.

These are: three options of `njit`, a library class that leaves the parts of a kernel unoptimised, the cache of a
dispatcher, and the serialisation of a compiled kernel. `usable` returns whether all of them exist and work. If not, or
with RIGIDSIM_NUMBA_HOOKS=off, kernels are compiled by documented means and stored in numba's own cache: the bits are
the same, but compilation and steps take longer (measured for `rkmk4` and one body: 120 s of compiling instead of 40 s,
258 us per step instead of 1.2 us).
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path

from rigidsim._cache import Claim, cache_folder, keep_entry, log, read_entry

_VARIABLE = "RIGIDSIM_NUMBA_HOOKS"
_DOCUMENTED = {"error_model": "numpy"}
_CALLED = {"no_cfunc_wrapper": True}  # kernels are not called from C; saves a tenth of the compilation
_INLINED = {"forceinline": True}
# Without numba's reference counting a view of a row costs nothing; code which allocates does not compile then.
_NO_ALLOCATION = {"_nrt": False}

# Parts of kernels, by module and qualified name; the value is whether the part is optimised separately, as loops over
# lanes are.
_parts: dict[tuple[str, str], bool] = {}


def is_ours(function: Callable) -> bool:
    """Whether a function belongs to this package."""
    return (function.__module__ or "").startswith("rigidsim.")


def mark_part(function: Callable, optimised: bool = False) -> None:
    """Register a function, and the functions defined inside it, as parts of kernels, never called on their own."""
    _parts[function.__module__, function.__qualname__] = optimised


def _all_options(inlined: bool, allocates: bool) -> dict[str, bool | str]:
    return _DOCUMENTED | _CALLED | (_INLINED if inlined else {}) | ({} if allocates else _NO_ALLOCATION)


def options(inlined: bool = False, allocates: bool = False) -> dict[str, bool | str]:
    """Options of `njit`: whether the function is always inlined, and whether it may allocate (numba's run time)."""
    return _all_options(inlined, allocates) if usable() else _DOCUMENTED


class _Underway:
    """The stack of functions being compiled: a kernel, a part of it, a part of that."""

    def __init__(self):
        self.functions: list[Callable] = []
        self.light: set[str] = set()  # names of the parts that were left unoptimised
        self.give_up: Callable[[], object] = nullcontext  # called if a kernel does not compile

    def notify(self, event) -> None:
        """Called by numba when a compilation starts or ends."""
        if event.is_start:
            self.functions.append(event.data["dispatcher"].py_func)
        else:
            self.functions.pop()
            if not self.functions and sys.exc_info()[0]:
                self.give_up()

    def is_ours(self) -> bool:
        """Whether a kernel of this package is being compiled."""
        return bool(self.functions) and is_ours(self.functions[0])

    def part(self, name: str) -> tuple[str, str] | None:
        """The part that is being compiled, if its name is this one."""
        if not self.is_ours() or self.functions[-1].__qualname__ != name:
            return None
        module, outer = self.functions[-1].__module__, name.partition(".<locals>.")[0]
        return next((key for key in ((module, name), (module, outer)) if key in _parts), None)


_underway = _Underway()


def _light_library_class() -> type:
    """A library class that keeps the unoptimised code of functions that are parts of a kernel; the kernel is optimised
    once.

    By default numba optimises every function, and again in each of its callers up to the kernel, and generates machine
    code for each.
    """
    from numba.core import codegen

    class Library(codegen.JITCodeLibrary):
        def _optimize_final_module(self) -> None:
            part = _underway.part(self.name)
            if part is None or _parts[part]:
                super()._optimize_final_module()

        def _finalize_final_module(self) -> None:
            if _underway.part(self.name) is None:
                super()._finalize_final_module()
                return
            self._finalize_dynamic_globals()
            self._verify_declare_only_symbols()
            self._finalized = True
            _underway.light.add(self.name)

    return Library


def _install() -> Callable[[], None]:
    """Install the hooks; returns a context that removes them."""
    from numba.core import codegen, event

    cpu = codegen.JITCPUCodegen
    library, set_environment = cpu._library_class, cpu.set_env

    def set_env(self, name: str, environment) -> None:
        # A part has no machine code, so it has no address to write its environment to; no part uses an environment.
        if not _underway.is_ours() or self._engine.is_symbol_defined(name):
            set_environment(self, name, environment)

    def remove() -> None:
        event.unregister("numba:compile", _underway)
        cpu._library_class, cpu.set_env = library, set_environment

    light = _light_library_class()
    event.Listener.register(_Underway)
    event.register("numba:compile", _underway)
    cpu._library_class, cpu.set_env = light, set_env
    return remove


@cache
def _kernel_cache_class() -> type:
    """A cache of a function's machine code, smaller than numba's: a kernel is called from Python only.

    Numba's cache also contains the intermediate code of a function, for others to inline, and reading it loads
    everything that compilation needs. A kernel needs neither (measured: 0.2 s of the 0.75 s of a small run).
    """
    import llvmlite.binding as llvm
    from numba.core import caching, compiler, serialize

    def light(library, *rest):
        name, kind, (machine_code, text) = library
        module = llvm.parse_bitcode(text)
        defined = [x.name for x in (*module.functions, *module.global_variables) if not x.is_declaration]
        names_only = "\n".join(f'define void @"{symbol}"() {{ ret void }}' for symbol in defined)
        return (name, kind, (machine_code, llvm.parse_assembly(names_only).as_bitcode())), *rest

    class KernelCache(caching.NullCache):
        """The cache of one kernel: the folder is named after a hash of its source, the file after its types."""

        def __init__(self, function: Callable, folder: Path, waiting: Callable[[], AbstractContextManager]):
            self._function, self._folder, self._claim = function, folder, Claim(waiting)

        def _path(self, signature, codegen) -> Path:
            module, name = self._function.__module__, self._function.__qualname__
            key = repr((f"{module}.{name}", signature, codegen.magic_tuple())).encode()
            name = name.rpartition(".")[2]  # without <locals>, which is not a valid file name on all systems
            return self._folder / f"{module}.{name}-{hashlib.sha256(key).hexdigest()[:16]}.kernel"

        def load_overload(self, sig, target_context):
            path = self._path(sig, target_context.codegen())
            payload = read_entry(path)
            if payload is None:  # claim the entry, or wait for the process that is compiling it
                _underway.give_up = self._claim.release
                self._claim.take(path)
                payload = read_entry(path)
            if payload is None:
                return None
            self._claim.release()
            return compiler.CompileResult._rebuild(target_context, *pickle.loads(payload))

        def save_overload(self, sig, cres):
            try:
                keep_entry(self._path(sig, cres.codegen), serialize.dumps(light(*cres._reduce())))
            finally:
                self._claim.release()

    return KernelCache


def compiled(function: Callable, folder: Path | None, waiting: Callable[[], AbstractContextManager]) -> Callable:
    """A function that is compiled on its first call, and saved in the folder if there is one.

    If another process is compiling it, the call waits for its result, in the context `waiting`.
    """
    return (_with_hooks if usable() else _documented)(function, folder, waiting)


def _with_hooks(function: Callable, folder: Path | None, waiting: Callable[[], AbstractContextManager]) -> Callable:
    import numba

    dispatcher = numba.njit(nogil=True, **_all_options(inlined=False, allocates=False))(function)
    if folder:
        dispatcher._cache = _kernel_cache_class()(function, folder, waiting)
    return dispatcher


def _documented(function: Callable, folder: Path | None, _waiting: Callable[[], AbstractContextManager]) -> Callable:
    import numba

    # Numba's own cache detects changes in the kernel's file only. The name of the folder depends on the source of
    # everything that a kernel uses, wherever NUMBA_CACHE_DIR points.
    theirs, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder or "")
    try:
        return numba.njit(nogil=True, cache=folder is not None, **_DOCUMENTED)(function)
    finally:
        numba.config.CACHE_DIR = theirs


class HookError(Exception):
    """A hook is disabled by the user, or does not work as expected."""


@cache
def usable() -> bool:
    """Whether the hooks are installed and work. If not, one line of warning is logged."""
    import numba

    remove = nullcontext
    try:
        _check_wanted()
        remove = _install()
        _verify(cache_folder())
    except Exception as error:  # any error of an unknown version of numba
        remove()
        reason = str(error) if isinstance(error, HookError) else f"{type(error).__name__}: {error}".partition(". ")[0]
        log(
            f"numba {numba.__version__} is used without shortcuts ({reason}): results are the same, "
            "compiling takes three times as long and a step up to two hundred times"
        )
        return False
    return True


def _check_wanted() -> None:
    value = os.environ.get(_VARIABLE, "")
    if value == "off":
        raise HookError(f"{_VARIABLE}=off")
    if value not in ("", "on"):
        log(f"{_VARIABLE}={value!r} is not used: expected on or off")


def _verify(folder: Path | None) -> None:
    """Run the probe, which takes 0.3 s, once for each version, and store in the folder that it passed."""
    passed = folder and folder / "numba_hooks.passed"
    if passed and read_entry(passed) is not None:
        return
    _probe(folder)
    if passed:
        keep_entry(passed, b"")


def _probe_parts() -> tuple[Callable, Callable, Callable]:
    """A formula, a loop that calls it, and a kernel that calls the loop with a view of a row."""

    def added(x, y):
        return x + y

    def row_sum(row):
        total = 0.0
        for x in row:
            total = added(total, x)
        return total

    def second_row_sum(rows):
        return row_sum(rows[1])

    return added, row_sum, second_row_sum


def _probe(folder: Path | None) -> None:
    """Compile a kernel that needs every hook, and read it back. Raises if a hook is missing or has another effect."""
    import numpy as np
    from numba.extending import register_jitable

    formula, loop, kernel = _probe_parts()
    for part, inlined in ((formula, True), (loop, False)):
        mark_part(part, optimised=not inlined)
        register_jitable(**_all_options(inlined, allocates=False))(part)
    for _ in range(2 if folder else 1):
        dispatcher = _with_hooks(kernel, folder, nullcontext)
        if dispatcher(np.arange(6.0).reshape(2, 3)) != 12.0:
            raise HookError("a kernel gives wrong numbers")
        (signature,) = dispatcher.signatures
        if dispatcher.stats.cache_misses[signature]:
            _check_compiled(dispatcher.inspect_llvm(signature), formula, loop)
    if folder and not dispatcher.stats.cache_hits[signature]:
        raise HookError("a kernel is not read back")


def _check_compiled(text: str, *parts: Callable) -> None:
    if not {part.__qualname__ for part in parts} <= _underway.light:
        raise HookError("the parts of a kernel are compiled by themselves")
    if "NRT_" in text:
        raise HookError("references are counted")
