"""What is compiled, how often, and what is reported of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rigidsim
from every_kind import GRAVITY, STEP, every_kind
from rigidsim.blueprints import build_world
from rigidsim.engine.assembly.lanes import LANES
from rigidsim.engine.integrators import INTEGRATORS
from rigidsim.engine.time import run
from rigidsim.jit import kernels
from rigidsim.jit.kernels import Caller, Kernel, kernel, watch_compilation
from rigidsim.simulation.spare import spare_runs
from support.scenes import make_scene

SCENES = Path(__file__).parents[2] / "scenes"


@pytest.mark.parametrize("integrator", [integrator.name for integrator in INTEGRATORS])
def test_kernels_are_compiled_once_for_one_kind_of_model(monkeypatch, integrator):
    """With and without terms, and for large and small scenes; `test_kinds_of_models` tells which kinds there are. That
    of `taylor` has the formulas of the operations in a scene's equations.
    """
    fresh = Kernel(run.advance.function)
    monkeypatch.setattr(run, "advance", fresh)
    how = {"duration": 0.2, "step": STEP, "gravity": GRAVITY, "integrator": integrator}
    for terms in (False, True):
        rigidsim.simulate(make_scene(every_kind(), **how), terms=terms)
        rigidsim.simulate(make_scene({"alone": every_kind()["probe"]}, **how), terms=terms)
    assert len(fresh._codes) == (2 if integrator == "taylor" else 1)


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
    """The kinds of calls of the stepper: the number of lanes, and whether there is an event buffer. Each has one
    machine code.
    """
    spare_runs.forget()  # those of other tests have callers already
    kinds: set[tuple[int, bool]] = set()
    made = run.BlockRun._caller

    def noting(self, kernel):
        call = made(self, kernel)

        def noted(*arguments):
            kinds.add((len(arguments[-1]), arguments[-3] is not None))
            return call(*arguments)

        return noted if kernel is run.advance else call

    monkeypatch.setattr(run.BlockRun, "_caller", noting)
    return kinds


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
    assert {lanes for lanes, _ in called} == {1 if count == 1 else LANES}


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


@pytest.fixture
def slow(monkeypatch):
    """Any compilation takes so long that it is announced."""
    monkeypatch.setattr(kernels, "WORTH_A_NOTICE", 0.0)


def test_compilation_is_reported_to_the_log(slow, caplog):
    kernel(halved)(1.0)
    assert [(record.name, record.levelname) for record in caplog.records] == [("rigidsim", "WARNING")]
    assert re.match(r"compiling the stepper for this kind of scene, about [\d.]+ s; ", caplog.records[0].getMessage())


def test_a_short_compilation_is_not_reported(caplog):
    with watch_compilation(pytest.fail) as watch:
        kernel(halved)(1.0)
    assert watch.seconds > 0.0
    assert not caplog.records


def test_outermost_watch_announces_once_and_all_measure(slow, caplog):
    reported = []
    with watch_compilation(lambda _: reported.append("outer")) as outer:
        with watch_compilation(lambda _: reported.append("inner")) as inner:
            kernel(halved)(1.0)
        between = inner.seconds
        kernel(halved)(1.0)
    assert reported == ["outer"]
    assert 0.0 < between == inner.seconds < outer.seconds
    assert not caplog.records


def test_notice_without_a_folder_says_what_to_do(monkeypatch):
    monkeypatch.setattr(kernels, "cache_folder", lambda: "a folder")
    assert "this happens once" in kernels.compilation_notice(3.0)
    monkeypatch.setattr(kernels, "cache_folder", lambda: None)
    assert "set RIGIDSIM_CACHE_DIR" in kernels.compilation_notice(3.0)


def units_of(scene: str) -> dict[str, int]:
    """The units of the stepper of a shipped scene, and how many lines they have."""
    _, arguments = next(rigidsim.Simulation(rigidsim.Scene.from_file(SCENES / f"{scene}.yaml"))._run.calls())
    fresh = Kernel(run.advance.function)
    caller = Caller(fresh)
    caller._take(arguments)
    return {name: unit.size for name, unit in fresh._module(tuple(caller._layouts)).units.items()}


@pytest.mark.parametrize("other", ["crates_on_ship_deck", "newtons_cradle"])
def test_kinds_of_scenes_share_most_of_their_code(other):
    """A scene with impulses or loads, too, compiles what those need, and what calls all else."""
    first, second = units_of("spheres_in_a_box"), units_of(other)
    shared = sum(size for name, size in second.items() if name in first)
    assert 0.7 * sum(second.values()) < shared < sum(second.values())
