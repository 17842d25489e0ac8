"""Specialised code: the bits of general code wherever it can be used, and used where it saves more than it costs."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from rigidsim.blueprints import build_world
from rigidsim.cli.examples import shipped_scenes
from rigidsim.engine.time import run as engine_run
from rigidsim.engine.time import specialised
from rigidsim.engine.time.run import BlockRun
from rigidsim.engine.time.specialised import MOST_SECONDS, WORTH_READING, Specialised
from rigidsim.engine.time.stepper import cruise
from rigidsim.jit.layouts import KnownArray, lay_out

TOP = {"mass": 1, "inertia": {"principal": [1, 2, 3]}, "angular_velocity": {"frame": "body", "value": [0.01, 2, 0.01]}}
METRICS = {"fast": "= max(speed('top/moon'))", "late": "= first(x('top/moon') < 0.99)", "hits": '= count("impulses")'}


def scene(steps: int = 60, integrator="rkmk4", **more) -> rigidsim.Scene:
    """A body on a spring below a tumbling one, with an impulse between two steps and a window that begins in one."""
    moon = {
        "mass": 1,
        "inertia": {"principal": [1, 1, 2]},
        "position": [1, 0, 0],
        "velocity": [0, 1, 0],
        "forces": [
            {"type": "spring", "to": "top", "stiffness": 30, "damping": 0.2},
            {"force": ["= -2*x + sin(3*t)", 0, 0]},
            {"force": [0, 0, 3], "during": [0.1034, 0.4]},
        ],
        "impulses": [{"time": 0.2, "impulse": [0, 0, 0.5]}],
    }
    return rigidsim.Scene.from_dict(
        {
            "format": "rigidsim/1",
            "parameters": {"w": 1.0},
            "simulation": {"duration": steps * 0.01, "step": 0.01, "integrator": integrator, "record_every": 0.03},
            "world": {"gravity": [0, 0, -9.81]},
            "bodies": {"top": TOP | {"velocity": [0, 0, "= w"], "children": {"moon": moon}}},
        }
        | more
    )


@pytest.fixture
def forced(monkeypatch):
    """Specialised code takes every step that it can."""

    def takes(self, era, arguments, seconds, is_measured):
        self._on[era] = self._is_possible
        return self._is_possible

    monkeypatch.setattr(Specialised, "takes", takes)


def content_of(trajectory: rigidsim.Trajectory, folder) -> str:
    """The hash of all that is recorded."""
    path = folder / "out.h5"
    trajectory.save(path, force=True)
    with rigidsim.load(path) as saved:
        return saved.content_hash


def in_both(make, monkeypatch):
    """What `make` gives as general and as specialised code."""
    first = make()
    with monkeypatch.context() as patch:
        patch.setattr(Specialised, "takes", lambda self, era, *_: self._on.setdefault(era, self._is_possible))
        return first, make()


def small(integrator: str) -> rigidsim.Scene:
    """One body with an impulse and a force by expression: of two bodies the code of a series takes a minute to make,
    that of all stages of adaptive six seconds.
    """
    ball = {"mass": 1, "inertia": {"principal": [1, 1, 2]}, "forces": [{"force": ["= -2*x + sin(3*t)", 0, 0]}]}
    ball |= {"impulses": [{"time": 0.2, "impulse": [0, 0, 0.5]}]}
    return scene(integrator=integrator, bodies={"top": {"children": {"moon": ball}}}, metrics=METRICS, parameters={})


def test_straight_code_knows_the_tables_of_series():
    series = BlockRun([build_world(small("taylor"))], 1)._scratch.trial.given
    layout = lay_out(series, [], is_local=True).fields
    tables = [name for name, part in series._asdict().items() if isinstance(part, np.ndarray)]
    assert len(tables) > 10
    assert [name for name in tables if not isinstance(layout[name], KnownArray)] == []


@pytest.mark.parametrize(
    "integrator",
    [
        "rkmk4",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("magnus", "magnus2", "euler", "adaptive")),
        "taylor",
    ],
)
def test_windows_impulses_and_samples_have_the_bits_of_general_code(integrator, tmp_path, monkeypatch):
    is_long = integrator in ("adaptive", "taylor")
    made = small(integrator) if is_long else scene(integrator=integrator, metrics=METRICS)
    first, second = in_both(lambda: rigidsim.simulate(made), monkeypatch)
    assert content_of(first, tmp_path) == content_of(second, tmp_path)
    assert first.metrics == second.metrics
    assert len(first.events) == len(second.events) == 1


def test_a_series_in_which_products_need_products_has_the_bits_of_general_code(tmp_path, monkeypatch):
    rod = {"mass": 1, "inertia": {"principal": [0.08, 0.08, 0.001]}, "center_of_mass": [0, 0, -0.5]}
    hinge = {"hinge": {"axis": [0, 1, 0]}}
    lower = rod | {"motion": hinge, "position": [0, 0, -1]}
    rods = {"upper": rod | {"motion": {"hinge": {"axis": [0, 1, 0], "angle": "90 deg"}}, "children": {"lower": lower}}}
    made = scene(integrator={"name": "taylor", "tolerance": 1e-3}, bodies=rods, parameters={})
    first, second = in_both(lambda: rigidsim.simulate(made), monkeypatch)
    assert content_of(first, tmp_path) == content_of(second, tmp_path)


def test_slices_of_any_length_have_the_same_bits(forced):
    world, states = build_world(scene(metrics=METRICS)), []
    for lengths in ([60], [1] * 60, [7, 13, 1, 39]):
        run = BlockRun([world], 1)
        for n in lengths:
            run.advance(n)
        states.append((run.state.tobytes(), run.metrics().tobytes()))
    assert len(set(states)) == 1


@pytest.mark.parametrize(
    "name", ["payload_release", "three_frames_deep", "vehicle_on_earth", "kapitza_pendulum", "double_pendulum"]
)
def test_shipped_scenes_have_the_bits_of_general_code(name, tmp_path, monkeypatch):
    """Reparentings, prescribed motions by expressions, gravity of a point, deep trees, joints."""
    made = rigidsim.Scene.from_file(shipped_scenes()[name])
    first, second = in_both(lambda: rigidsim.simulate(made), monkeypatch)
    assert content_of(first, tmp_path) == content_of(second, tmp_path)


def test_attraction_across_the_tree_has_the_bits_of_general_code(tmp_path, monkeypatch):
    """Of a body and one below it, and of two below different parents."""
    bodies = {
        "top": TOP | {"children": {"moon": TOP | {"position": [1, 0, 0]}}},
        "cart": {
            "motion": {"prescribed": {"velocity": [1, 0, 0]}},
            "children": {"ball": TOP | {"position": [0, 2, 0]}},
        },
    }
    made = scene(bodies=bodies, parameters={}, world={"mutual_gravity": {"constant": 1}})
    first, second = in_both(lambda: rigidsim.simulate(made, terms=True), monkeypatch)
    assert content_of(first, tmp_path) == content_of(second, tmp_path)


@pytest.mark.parametrize("integrator", ["rkmk4", "adaptive"])
def test_loops_have_the_bits_of_general_code(integrator, tmp_path, monkeypatch):
    """A rod from a free body to the world."""
    rod = {"type": "distance", "between": ["top", "world"], "at": [0.1, 0.2, 0.3], "to_at": [1, 0, 0]}
    made = scene(10, integrator, bodies={"top": TOP | {"angular_velocity": [0, 0, 0]}}, parameters={}, world={
        "gravity": [0, 0, -9.81], "loops": [rod]})  # fmt: skip
    first, second = in_both(lambda: rigidsim.simulate(made), monkeypatch)
    assert content_of(first, tmp_path) == content_of(second, tmp_path)


def test_a_step_in_specialised_code_calls_no_general_code(forced, monkeypatch):
    run = BlockRun([build_world(scene(steps=5))], 1)
    run.advance(0)
    monkeypatch.setattr(run, "_advance", None)
    run.advance(5)
    assert run.n == 5 and run.specialised.is_on


@pytest.mark.slow
def test_sweeps_have_the_same_content_in_both_kinds_of_code(tmp_path, monkeypatch):
    made = scene(metrics=METRICS)

    def content():
        with rigidsim.sweep(made, vary={"w": "0.5:2:40"}, path=tmp_path / "out.h5", force=True) as found:
            return found.content_hash

    first, second = in_both(content, monkeypatch)
    assert first == second


def decided(code: Specialised, seconds: float, is_measured: bool) -> bool:
    """Whether specialised code takes era 0 of a block, for which `seconds` are to come in general code."""
    run = BlockRun([build_world(scene())], 1)
    return code.takes(0, lambda: run._cruising(0, 1, run._one, 0, True), seconds, is_measured)


class TestChoice:
    """Which code is taken, and the sentence that says why."""

    @pytest.fixture(autouse=True)
    def _nothing_is_made(self, monkeypatch):
        monkeypatch.setattr(type(cruise), "is_made", lambda *_: False)
        monkeypatch.setattr(type(cruise), "seconds_to_make", lambda *_: 1.0)

    def test_long_runs_take_the_second(self):
        code = Specialised()
        assert decided(code, 1000.0, True)
        why = "specialised code takes about 1.0 s to make and saves about 300.0 s"
        assert code.as_dict() == {"code": "specialised", "why": why}

    def test_what_costs_more_than_it_saves_is_not_made(self):
        code = Specialised()
        assert not decided(code, 2.0, True)
        assert code.as_dict() == {
            "code": "general",
            "why": "specialised code takes about 1.0 s to make and saves about 0.6 s",
        }

    def test_short_runs_do_not_even_read_it(self, monkeypatch):
        monkeypatch.setattr(type(cruise), "seconds_to_make", lambda *_: pytest.fail("was read"))
        code = Specialised()
        assert not decided(code, WORTH_READING, True)
        assert code.reason == f"specialised code would save less than {WORTH_READING:g} s"

    def test_a_careful_estimate_is_not_the_last_word(self):
        code = Specialised()
        assert not decided(code, 0.1, False) and not decided(code, 2.0, False)
        assert decided(code, 1000.0, True)

    def test_what_takes_long_to_make_is_not_made(self, monkeypatch):
        monkeypatch.setattr(type(cruise), "seconds_to_make", lambda *_: np.inf)
        code = Specialised()
        assert not decided(code, 1e6, True)
        assert code.reason == f"making specialised code would take more than {MOST_SECONDS:g} s"

    def test_what_is_made_is_taken_at_once(self, monkeypatch):
        monkeypatch.setattr(type(cruise), "is_made", lambda *_: True)
        code = Specialised()
        assert decided(code, 0.0, False)
        assert code.reason == "its code is made already"


def test_contact_and_callbacks_stay_in_general_code():
    ball = {"mass": 1, "shapes": [{"type": "sphere", "radius": 0.1}], "position": [0, 0, 1]}
    floor = {"motion": "fixed", "shapes": [{"type": "plane"}]}
    touching = rigidsim.Simulation(scene(bodies={"ball": ball, "floor": floor}))
    assert touching.code == {"code": "general", "why": "contact is computed by general code"}
    called = rigidsim.Simulation(scene(), callbacks={"top": lambda t, motions: ((0, 0, 0), (0, 0, 0))})
    assert called.code == {"code": "general", "why": "callbacks are interpreted"}


def test_interpreted_runs_stay_in_general_code(monkeypatch):
    monkeypatch.setenv("RIGIDSIM_JIT", "off")
    assert rigidsim.Simulation(scene()).code["why"] == "the code is interpreted"


def test_a_long_run_changes_its_code_on_its_way(monkeypatch):
    """It is measured first, and goes on in specialised code with the same bits."""
    monkeypatch.setattr(engine_run, "LEAST_TIMED", 1e-6)
    monkeypatch.setattr(engine_run, "LEAST_SECONDS", 0.0)
    monkeypatch.setattr(specialised, "WORTH_READING", 0.0)
    monkeypatch.setattr(type(cruise), "is_made", lambda *_: False)
    monkeypatch.setattr(type(cruise), "seconds_to_make", lambda *_: 0.0)
    made = scene()
    run, reference = BlockRun([build_world(made)], 1), BlockRun([build_world(made)], 1)
    were_specialised = []
    for _ in range(6):
        run.advance(10)
        were_specialised.append(run.specialised.is_on)
    monkeypatch.setattr(reference.specialised, "takes", lambda *_: False)
    reference.advance(60)
    assert were_specialised[0] is False and were_specialised[-1] is True
    assert run.state.tobytes() == reference.state.tobytes()
