"""From LLVM's intermediate representation to machine code, and from machine code to a function that Python calls.

The passes are few: what is written is straight already, lanes are vectors, and the standard pipelines take ten times as
long for code that is no faster. None of them may change the bits of a float, as no line has a flag that allows it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator
from functools import cache

import llvmlite
import llvmlite.binding as llvm

LIGHT = ("always_inliner", "simplify_cfg", "new_gvn", "dead_code_elimination", "simplify_cfg")
ONLY_REGISTERS = ("sroa",)  # straight code: arrays of the function become registers
SELECTION = 2  # the level of LLVM's selection of instructions


@cache
def _initialised() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _target() -> llvm.TargetMachine:
    _initialised()
    return llvm.Target.from_default_triple().create_target_machine(
        llvm.get_host_cpu_name(), _features(), SELECTION, "default", "jitdefault", jit=True
    )


@cache
def _features() -> str:
    return llvm.get_host_cpu_features().flatten()


@cache
def machine_name() -> str:
    """What machine code depends on besides its text: the processor and LLVM."""
    return f"{llvm.get_host_cpu_name()} {_features()} llvmlite {llvmlite.__version__} LLVM {llvm.llvm_version_info}"


def machine_code(units: Iterable[str], passes: tuple[str, ...]) -> Iterator[bytes]:
    """The object code of each unit (`writing.Unit`) after these passes."""
    machine = _target()
    head = f'target triple = "{machine.triple}"\ntarget datalayout = "{machine.target_data}"\n'
    for text in units:
        parsed = llvm.parse_assembly(head + text)
        parsed.verify()
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1))
        manager = llvm.create_new_module_pass_manager()
        for name in passes:
            getattr(manager, f"add_{name}_pass")()
        manager.run(parsed, builder)
        yield machine.emit_object(parsed)


class Loaded:
    """Machine code in memory, of all units of a kernel. `call(address of the words)` runs it without the interpreter's
    lock.
    """

    def __init__(self, codes: list[bytes]):
        machine = _target()
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(f'target triple = "{machine.triple}"'), machine)
        for code in codes:
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        address = self._engine.get_function_address("kernel")
        self.call: Callable[[int], None] = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)
