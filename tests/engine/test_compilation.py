"""What is compiled, and how often."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import numba
import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher
from rigidsim._jit import kernel, watch_compilation
from rigidsim._numba_hooks import usable

import rigidsim.engine
from rigidsim import _jit
from rigidsim.engine import run, stepper
from rigidsim.engine.building import build_world
from rigidsim.engine.lanes import LANES

HERE = Path(__file__).parent
needs_hooks = pytest.mark.skipif(not usable(), reason="numba is used as documented")

SIGNATURES = """
import sys
from importlib import import_module
from pkgutil import walk_packages
from every_kind import GRAVITY, STEP, every_kind
from scenes import make_scene
import rigidsim, rigidsim.engine
from numba.core.dispatcher import Dispatcher
how = dict(duration=0.2, step=STEP, gravity=GRAVITY, integrator=sys.argv[1])
for terms in (False, True):
    rigidsim.simulate(make_scene(every_kind(), **how), terms=terms)
    rigidsim.simulate(make_scene({"alone": every_kind()["probe"]}, **how), terms=terms)
for found in walk_packages(rigidsim.engine.__path__, "rigidsim.engine."):
    for name, value in vars(import_module(found.name)).items():
        if isinstance(value, Dispatcher) and value.py_func.__module__ == found.name:
            print(found.name, name, len(value.signatures))
"""


def kernels() -> dict[str, Dispatcher]:
    """All kernels of the engine by name."""
    found = {}
    for module in walk_packages(rigidsim.engine.__path__, "rigidsim.engine."):
        for name, value in vars(import_module(module.name)).items():
            if isinstance(value, Dispatcher) and value.py_func.__module__ == module.name:
                found[f"{module.name}.{name}"] = value
    return found


@pytest.mark.parametrize("integrator", ["rkmk4", "magnus"])
def test_kernels_are_compiled_once_for_one_kind_of_model(integrator):
    """With and without terms, and for large and small scenes; `test_kinds_of_models` tells which kinds there are."""
    done = subprocess.run(
        [sys.executable, "-c", SIGNATURES, integrator], cwd=HERE, capture_output=True, text=True, check=True
    )
    counts = {tuple(line.split()[:2]): int(line.split()[2]) for line in done.stdout.splitlines()}
    assert counts["rigidsim.engine.stepper", "advance"] == 1
    assert max(counts.values()) == 1, {name: count for name, count in counts.items() if count > 1}


def test_kernels_are_found_and_share_their_options():
    found = kernels()
    assert "rigidsim.engine.stepper.advance" in found
    for name, dispatcher in found.items():
        options = dispatcher.targetoptions
        assert options["nogil"], name
        assert options["error_model"] == "numpy", name
        assert not options.get("fastmath"), name
        assert not options.get("parallel"), name
        assert options.get("_nrt") is (False if usable() else None), name


@needs_hooks
def test_a_kernel_that_allocates_does_not_compile():
    """Without numba's run time there is no memory to be had."""

    def allocate(n):
        return np.zeros(n).sum()

    with pytest.raises(numba.core.errors.NumbaError):
        kernel(allocate)(3)


BALL = {"mass": 1.0, "inertia": {"principal": [1.0, 1.0, 1.0]}}
FORCE = {"force": [1.0, 0.0, 0.0]}
FLEA = {"mass": 0.1, "inertia": "point", "position": [1.0, 0.0, 0.0]}
EVENTFUL = {
    "nothing": {"bodies": {"ball": BALL}},
    "impulse": {"bodies": {"ball": BALL | {"impulses": [{"time": 0.055, "impulse": [1.0, 0.0, 0.0]}]}}},
    "impulse at the start": {"bodies": {"ball": BALL | {"impulses": [{"time": 0.0, "impulse": [1.0, 0.0, 0.0]}]}}},
    "constant force": {"bodies": {"ball": BALL | {"forces": [FORCE | {"during": [0.03, 0.055]}]}}},
    "drag": {"bodies": {"ball": BALL | {"forces": [{"type": "drag", "linear": 1.0, "during": [0.03, 0.055]}]}}},
    "reparenting": {
        "bodies": {"ball": BALL | {"children": {"flea": FLEA}}},
        "reparent": [{"body": "ball/flea", "to": "world", "time": 0.055}],
    },
}


@pytest.fixture
def called(monkeypatch):
    """Names of the kernels that were called, with the numbers of lanes; each has one machine code for these."""
    names: set[tuple[str, int]] = set()

    def noted(name, compiled):
        def call(*arguments):
            names.add((name, len(arguments[-1])))
            return compiled(*arguments)

        return call

    for name in ("advance", "observe_at"):
        monkeypatch.setattr(stepper, name, noted(name, getattr(stepper, name)))
    return names


@pytest.mark.parametrize("parts", EVENTFUL.values(), ids=EVENTFUL)
@pytest.mark.parametrize("count", [1, 2])
def test_all_that_a_run_calls_is_prepared(called, monkeypatch, parts, count):
    """So that nothing is left to compile when stepping begins; and what is prepared is called."""
    prepared = []
    prepare = run.BlockRun.prepare

    def noted(block):
        prepare(block)
        prepared.append(called.copy())

    monkeypatch.setattr(run.BlockRun, "prepare", noted)
    rigidsim.simulate([eventful(parts)] * count)
    assert prepared[0] == called
    assert {lanes for _, lanes in called} == {1 if count == 1 else LANES}


def eventful(parts: dict) -> rigidsim.Scene:
    """A tenth of a second."""
    simulation = {"duration": 0.1, "step": 0.01}
    return rigidsim.Scene.from_dict({"format": "rigidsim/1", "simulation": simulation} | parts)


@pytest.mark.parametrize("parts", EVENTFUL.values(), ids=EVENTFUL)
def test_preparing_changes_nothing(parts):
    blocks = [run.BlockRun([build_world(eventful(parts))], 1) for _ in range(2)]
    for _ in range(3):
        blocks[1].prepare()
    for block in blocks:
        block.advance(10)
    assert blocks[0].state.tobytes() == blocks[1].state.tobytes()
    assert blocks[0].place()[:3] == blocks[1].place()[:3]


def halved(x):
    return x / 2.0


halved.__module__ = "rigidsim.test"  # of ours, and not kept


def test_compilation_is_told_to_the_log(caplog):
    kernel(halved)(1.0)
    assert [(record.name, record.levelname) for record in caplog.records] == [("rigidsim", "WARNING")]
    assert caplog.records[0].getMessage() == _jit.compilation_notice()


def test_outermost_watch_announces_once_and_all_measure(caplog):
    told = []
    with watch_compilation(lambda: told.append("outer")) as outer:
        with watch_compilation(lambda: told.append("inner")) as inner:
            kernel(halved)(1.0)
        between = inner.seconds
        kernel(halved)(1.0)
    assert told == ["outer"]
    assert 0.0 < between == inner.seconds < outer.seconds
    assert not caplog.records


def test_other_programs_compilations_are_their_own(caplog):
    with watch_compilation(pytest.fail) as watch:
        numba.njit(lambda x: x + 1.0)(1.0)
    assert watch.seconds == 0.0
    assert not caplog.records


def test_notice_without_a_folder_says_what_to_do(monkeypatch):
    monkeypatch.setattr(_jit, "cache_folder", lambda: "a folder")
    assert "this happens once" in _jit.compilation_notice()
    monkeypatch.setattr(_jit, "cache_folder", lambda: None)
    assert "set RIGIDSIM_CACHE_DIR" in _jit.compilation_notice()
