"""Events as the kernels record them: what acted, whom it reached, and how often Python is needed for it."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest

import rigidsim
from random_trees import first_free, node_at, random_tree, random_vector
from rigidsim.blueprints import build_world
from rigidsim.engine.events import buffer as events
from rigidsim.engine.time import run
from rigidsim.engine.time.specialised import Specialised
from rigidsim.simulation.events import event_columns
from rigidsim.trajectory.events import scheduled_in
from support.scenes import EPS, make_scene

HOW = {"duration": 0.3, "step": 0.01, "record_every": 0.01}


def eventful(seed: int) -> dict:
    """A random tree, each of whose free bodies is struck again and again, some at the same instants; some inherit."""
    random = np.random.default_rng(seed)
    bodies, paths, kinds = random_tree(seed)
    for path in (path for path, kind in zip(paths, kinds, strict=True) if kind == "free"):
        times = random.choice([0.0, 0.05, 0.07, 0.1234, 0.125, 0.3], 3, replace=False)
        impulses = [{"time": float(t), "impulse": random_vector(random), "at": random_vector(random)} for t in times]
        node_at(bodies, path).update(impulses=impulses, inherit_impulses=bool(random.integers(2)))
    return bodies


@pytest.fixture
def calls(monkeypatch) -> list[bool]:
    """Of the stepper: whether each began with what happens as an era begins."""
    made: list[bool] = []
    advance = run.advance.caller()

    def noted(method, n, done, era, arrives, *arguments):
        made.append(arrives)
        return advance(method, n, done, era, arrives, *arguments)

    monkeypatch.setattr(run, "advance", SimpleNamespace(caller=lambda: noted))
    return made


@pytest.mark.parametrize("seed", [3, 7])
def test_how_many_events_the_buffer_holds_changes_no_bit(monkeypatch, seed):
    scene = make_scene(eventful(seed), **HOW)
    whole = rigidsim.simulate(scene)
    assert len({event.time for event in whole.events}) < len(whole.events)
    for capacity in (1, 5):
        monkeypatch.setattr(events, "CAPACITY", capacity)
        small = rigidsim.simulate(scene)
        assert small.events == whole.events and small.content_hash == whole.content_hash


def struck(count: int) -> dict:
    """A ball that is struck so many times in a tenth of a second."""
    impulses = [{"time": 0.1 * (k + 0.5) / count, "impulse": [(-1) ** k, 0, 0]} for k in range(count)]
    return {"ball": {"mass": 1, "inertia": "point", "impulses": impulses}}


@pytest.mark.parametrize(("capacity", "most"), [(1000, 1), (40, 3)])
def test_the_stepper_returns_for_a_full_buffer_only(calls, monkeypatch, capacity, most):
    monkeypatch.setattr(events, "CAPACITY", capacity)
    monkeypatch.setattr(Specialised, "takes", lambda *_: False)  # which leaves single steps to the stepper
    simulation = rigidsim.Simulation(make_scene(struck(100), duration=0.1, step=0.01))
    simulation.prepare()
    calls.clear()
    simulation._run.advance(10)
    assert len(calls) == most and len(simulation.events) == 100
    assert [event.velocity_after[0] for event in simulation.events] == [1.0, 0.0] * 50


def test_going_back_over_a_reparenting_goes_back_to_the_buffer_of_that_tree():
    """The buffer has a row for each body that moves, and there are fewer afterwards."""
    ball = {"mass": 1, "inertia": {"principal": [1, 1, 1]}}
    struck = ball | {"position": [1, 0, 0], "impulses": [{"time": 0.02, "impulse": [0, 1, 0]}]}
    made = {"format": "rigidsim/1", "simulation": {"duration": 0.05, "step": 0.01}, "bodies": {"a": ball, "b": struck}}
    made["reparent"] = [{"body": "b", "to": "a", "motion": "fixed", "time": 0.03}]
    block = run.BlockRun([build_world(rigidsim.Scene.from_dict(made))], 1, keeps_events=True)
    place = block.place()
    block.advance(5)
    first = scheduled_in(event_columns(block))
    block.go_back(place)
    block.advance(5)
    assert scheduled_in(event_columns(block)) == first and [event.cause for event in first] == ["impulse", "reparent"]


@pytest.mark.parametrize("plane", [None, [0.36, 0.48, 0.8]])
@pytest.mark.parametrize("seed", range(8))
def test_what_is_recorded_is_what_the_momenta_gain(seed, plane):
    """The impulses that acted, and what bodies that were carried along gained, of one instant."""
    random = np.random.default_rng(seed)
    bodies, paths, kinds = flat_tree(seed) if plane else random_tree(seed)
    free = [path for path, kind in zip(paths, kinds, strict=True) if kind == "free"]
    for path in free:
        node_at(bodies, path)["inherit_impulses"] = bool(random.integers(2))
    before = ledger_of(bodies, plane)
    for path in random.choice(free, min(3, len(free)), replace=False):
        impulse = {"time": 0, "impulse": random_vector(random), "at": random_vector(random)}
        node_at(bodies, str(path))["impulses"] = [impulse | {"angular_impulse": random_vector(random)}]
    after = ledger_of(bodies, plane)
    carried = {other.body: other for event in after.events for other in event.carried}
    # What a struck body that is carried along gains in the world is its own impulse and what it inherits.
    gained = [*carried.values(), *(event for event in after.events if event.body not in carried)]
    for name, field in (("linear_momentum", "impulse"), ("spin_angular_momentum", "angular_impulse")):
        change = after.diagnostic(name)[0] - before.diagnostic(name)[0]
        size = max(np.abs(after.diagnostic(name)[0]).max(), np.abs(before.diagnostic(name)[0]).max(), 1.0)
        assert np.abs(change - sum(np.array(getattr(one, field)) for one in gained)).max() <= 256 * EPS * size


def flat_tree(seed: int) -> tuple[dict, list[str], list[str]]:
    """Free bodies in a row, each the child of the one before."""
    random = np.random.default_rng(seed)
    bodies: dict = {}
    below, paths = bodies, []
    for k in range(4):
        body = {"mass": float(random.uniform(1, 2)), "inertia": {"principal": [1, 1.2, 1.3]}, "children": {}}
        below[f"n{k}"], below = body, body["children"]
        paths.append("/".join(f"n{i}" for i in range(k + 1)))
    return bodies, paths, ["free"] * 4


def ledger_of(bodies: dict, plane: list[float] | None) -> rigidsim.Trajectory:
    how = {"duration": 0.01, "step": 0.01} | ({"plane": plane} if plane else {})
    return rigidsim.simulate(make_scene(bodies, **how))


@pytest.mark.parametrize("seed", range(8))
def test_of_several_impulses_of_one_instant_each_names_whom_its_own_jump_reached(seed):
    """Whoever hangs on what is struck, up to the first free body on each branch; on, through those that inherit."""
    bodies, paths, kinds = random_tree(seed)
    free = [path for path, kind in zip(paths, kinds, strict=True) if kind == "free"]
    for k, path in enumerate(free):
        node_at(bodies, path).update(inherit_impulses=k % 2 == 1, impulses=[{"time": 0, "impulse": [1, 0, 0]}])
    carries = set(free[1::2])
    found = rigidsim.simulate(make_scene(bodies, duration=0.01, step=0.01)).events
    assert [event.body for event in found] == sorted(free)
    for event in found:
        expected = set(reached_from(event.body, paths, kinds, carries))
        assert {other.body for other in event.protected} == expected - carries
        assert {other.body for other in event.carried} == expected & carries


def reached_from(path: str, paths: list[str], kinds: list[str], carries: set[str]) -> Iterator[str]:
    for other in first_free(paths, kinds, path):
        yield other
        if other in carries:
            yield from reached_from(other, paths, kinds, carries)
