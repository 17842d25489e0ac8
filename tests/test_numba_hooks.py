"""What of numba is used without its promise: noticed when it is gone, and not needed for the bits."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core import caching, codegen, event

from rigidsim import _jit, _numba_hooks

WITHOUT = "RIGIDSIM_NUMBA_HOOKS"
needs_hooks = pytest.mark.skipif(not _numba_hooks.usable(), reason="numba is used as documented")


# The probe


@pytest.fixture
def fault(monkeypatch, tmp_path, caplog):
    """Probe anew, in a folder that knows of no probe: the line that is logged, or None."""

    def lines() -> list[str]:
        """Of the probe; that something is compiled may be announced, too."""
        return [line for line in caplog.messages if line.startswith("numba ")]

    def probed() -> str | None:
        before = codegen.JITCPUCodegen._library_class, codegen.JITCPUCodegen.__dict__.get("set_env")
        listeners = list(event._registered["numba:compile"])
        if not _numba_hooks.usable.__wrapped__():
            after = codegen.JITCPUCodegen._library_class, codegen.JITCPUCodegen.__dict__.get("set_env")
            assert (after, event._registered["numba:compile"]) == (before, listeners)
            (line,) = lines()
            return line
        event._registered["numba:compile"][:] = listeners
        codegen.JITCPUCodegen._library_class, codegen.JITCPUCodegen.set_env = before
        assert not lines()
        return None

    monkeypatch.delenv(WITHOUT, raising=False)
    monkeypatch.setattr(_numba_hooks, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(_numba_hooks, "_underway", _numba_hooks._Underway())
    return probed


@needs_hooks
def test_probe_passes_once_a_version(fault, monkeypatch):
    assert fault() is None
    monkeypatch.setattr(_numba_hooks, "_probe", lambda folder: pytest.fail("probed twice"))
    assert fault() is None


def no_option(monkeypatch):
    monkeypatch.setattr(_numba_hooks, "_INLINED", {"no_such_option": True})
    return "KeyError: \"Unrecognized options: {'no_such_option'}): "


def option_without_effect(monkeypatch):
    monkeypatch.setattr(_numba_hooks, "_NO_ALLOCATION", {})
    return "references are counted"


def library_without_effect(monkeypatch):
    monkeypatch.setattr(_numba_hooks, "_light_library_class", lambda: codegen.JITCodeLibrary)
    return "the parts of a kernel are compiled by themselves"


def no_library_class(monkeypatch):
    monkeypatch.delattr(codegen, "JITCodeLibrary")
    return "AttributeError"


def no_set_env(monkeypatch):
    monkeypatch.delattr(codegen.JITCPUCodegen, "set_env")
    return "AttributeError"


def events_without_effect(monkeypatch):
    monkeypatch.setattr(_numba_hooks._Underway, "notify", lambda self, event: None)
    return "the parts of a kernel are compiled by themselves"


def cache_without_effect(monkeypatch):
    class Forgetful(caching.NullCache):
        def __init__(self, *_):
            pass

    monkeypatch.setattr(_numba_hooks, "_kernel_cache_class", lambda: Forgetful)
    return "a kernel is not read back"


BROKEN = [
    no_option,
    option_without_effect,
    library_without_effect,
    no_library_class,
    no_set_env,
    events_without_effect,
    cache_without_effect,
]


@needs_hooks
@pytest.mark.parametrize("broken", BROKEN)
def test_probe_notices_what_is_gone_or_does_something_else(fault, monkeypatch, broken):
    reason = broken(monkeypatch)
    line = fault()
    assert line.startswith("numba ")
    assert f"is used without shortcuts ({reason}" in line


def test_other_values_of_the_variable_are_named(fault, monkeypatch, caplog):
    monkeypatch.setenv(WITHOUT, "maybe")
    monkeypatch.setattr(_numba_hooks, "_install", lambda: 1 / 0)
    _numba_hooks.usable.__wrapped__()
    assert caplog.records[0].getMessage() == f"{WITHOUT}='maybe' is not used: expected on or off"


# Parts by module and name


@needs_hooks
def test_a_function_of_the_same_name_elsewhere_is_no_part(monkeypatch):
    def named(x):
        return x

    underway = _numba_hooks._Underway()
    _numba_hooks.mark_part(named)
    underway.functions = [_jit.kernel, named]
    assert underway.part(named.__qualname__) == (__name__, named.__qualname__)
    named.__module__ = "elsewhere"
    assert underway.part(named.__qualname__) is None


# Without hooks

# Loops, formulas and their forms for compiled code, as in a step.
TURNING = """
import sys
from types import ModuleType
import numpy as np
from rigidsim._jit import kernel, watch_compilation
from rigidsim.engine.integrators.relative import turn_cubic
from rigidsim.physics.elementary import sin_cos, sqrt

def turn(rows, lanes):
    turn_cubic(rows[0], rows[1], lanes)
    for i in range(8):
        rows[1, i], rows[0, i] = sin_cos(sqrt(rows[1, i]))

name = turn.__module__ = "rigidsim.engine.turning"  # else it is not kept
sys.modules[name] = ModuleType(name)
rows = np.linspace(0.1, 3.0, 160).reshape(2, 80)
with watch_compilation(lambda: None) as watch:
    kernel(turn)(rows, (0.0,) * 8)
print(rows.tobytes().hex(), watch.seconds > 0.0)
"""


def turned(folder: Path, **environment: str) -> tuple[list[str], str]:
    """What a process writes to its two streams: the bits and whether anything was compiled, and lines of the log."""
    (folder / "turning.py").write_text(TURNING)
    variables = {"RIGIDSIM_CACHE_DIR": str(folder / "cache"), "NUMBA_CACHE_DIR": str(folder / "theirs")}
    done = subprocess.run(
        [sys.executable, folder / "turning.py"],
        env=os.environ | variables | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split(), done.stderr


def test_with_and_without_hooks_the_bits_are_the_same(tmp_path):
    """And with either, the next process reads what this one compiled."""
    (interpreted, _), quiet = turned(tmp_path, NUMBA_DISABLE_JIT="1")
    assert quiet == ""
    for is_new in (True, False):
        assert turned(tmp_path, **{WITHOUT: "on"}) == ([interpreted, str(is_new)], "")
    for is_new in (True, False):
        said, line = turned(tmp_path, **{WITHOUT: "off"})
        assert said == [interpreted, str(is_new)]
        assert line.startswith("numba ") and line.count("\n") == 1
        assert f"is used without shortcuts ({WITHOUT}=off)" in line
    (version,) = (tmp_path / "cache").iterdir()
    assert len(list(version.rglob("*turn*.nbc"))) == len(list(version.glob("*turn*.kernel"))) == 1
    assert not (tmp_path / "theirs").exists()


HASH = """
from every_kind import GRAVITY, STEP, every_kind
from scenes import make_scene
import rigidsim
scene = make_scene(every_kind(), duration=0.1, step=STEP, gravity=GRAVITY, integrator="euler")
print(rigidsim.simulate(scene, terms=True).content_hash)
"""


@pytest.mark.slow
def test_without_hooks_a_run_has_the_same_bits():
    """The tests of the engine, too, pass without: RIGIDSIM_NUMBA_HOOKS=off pytest tests/engine (an hour)."""
    printed = {
        subprocess.run(
            [sys.executable, "-c", HASH],
            cwd=Path(__file__).parent / "engine",
            env=os.environ | {WITHOUT: value},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for value in ("on", "off")
    }
    assert len(printed) == 1
