"""Islands of bodies that rest fall asleep, and wake by what reaches them; else nothing changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rigidsim
from contact_scenes import ball, block, floor, rod, touching
from rigidsim.errors import SceneError
from rigidsim.report.explain import BodyReport

SLEEP = {"mode": "stepping", "substeps": 4, "sleep": True}
AWAKE = {"mode": "stepping", "substeps": 4}
STEP = 5e-3
CALM = 0.01 * 9.81 * STEP  # m/s, below which a body rests


def towers(**more) -> dict:
    """Two towers of two blocks on a floor, and what else there is."""
    each = {f"{name}{k}": block(at=(x, 0, 0.5 + k)) for name, x in (("a", 0), ("b", 6)) for k in range(2)}
    return {"floor": floor()} | each | more


THROWN = {"ball": ball(0.2, 1.0, at=(-8, 0, 1.2), velocity=[4, 0, 10])}


def scene_of(bodies: dict, duration: float, *, contact=SLEEP, step=STEP, **how) -> rigidsim.Scene:
    return touching(bodies, duration=duration, step=step, contact=contact, **how)


def asleep(simulation: rigidsim.Simulation) -> set[str]:
    """The bodies that sleep now, by the last parts of their paths."""
    run = simulation._run
    flags, paths = run.contacts.arrays.sleep.asleep, run.worlds[0].paths
    assert run.contacts.arrays.sleep.counts[0] == flags.sum()
    return {paths[node].split("/")[-1] for row, node in enumerate(run.model.moved_node) if flags[row]}


def sleepers(scene: rigidsim.Scene, *times: float) -> list[set[str]]:
    """The bodies that sleep at these times, s."""
    simulation, found = rigidsim.Simulation(scene), []
    for time in times:
        simulation.step(round(time / scene.simulation.step) - simulation.n)
        found.append(asleep(simulation))
    return found


def test_a_thrown_ball_wakes_the_tower_that_it_hits_and_nothing_else():
    both = {"a0", "a1", "b0", "b1"}
    before, after = sleepers(scene_of(towers(**THROWN), 2.2), 1.5, 2.05)
    assert before == both
    assert after == {"b0", "b1"}


def test_what_sleeps_moves_as_without_sleep_within_the_drift_of_its_threshold():
    one, other = (
        rigidsim.simulate(scene_of(towers(**THROWN), 1.8, contact=contact, record_every=0.1))
        for contact in (SLEEP, AWAKE)
    )
    apart = one.arrays["world/position"] - other.arrays["world/position"]
    assert np.abs(apart).max() < CALM * 1.8
    assert not np.array_equal(one.arrays["world/position"], other.arrays["world/position"])
    still = one.arrays["world/velocity"][15, 1:]
    assert {0.0} == {*np.abs(still[[np.abs(row).max() < 1 for row in still]]).ravel()}


def test_a_chain_wakes_as_a_whole():
    row = {f"c{k}": block(at=(0, 0, 0.5 + k)) for k in range(5)}
    top = {"ball": ball(0.2, 5.0, at=(0, 0, 5.6), velocity=[0, 0, 8.0])}
    before, after = sleepers(scene_of({"floor": floor()} | row | top, 4), 1.6, 1.75)
    assert before == {*row}
    assert after == set()


def test_an_impulse_wakes():
    pushed = towers()
    pushed["a0"]["impulses"] = [{"time": 2.0, "impulse": [0.5, 0, 0]}]
    before, after = sleepers(scene_of(pushed, 2.2), 1.99, 2.01)
    assert before == {"a0", "a1", "b0", "b1"}
    assert after == {"b0", "b1"}


def test_a_load_keeps_awake():
    pushed = towers()
    pushed["a0"]["forces"] = [{"force": [1.0, 0, 0], "during": [2.0, 2.1]}]
    assert sleepers(scene_of(pushed, 2), 1.9) == [{"b0", "b1"}]


def test_a_support_that_leaves_wakes():
    drops = {"prescribed": {"velocity": [0, 0, "= if(t > 2, -3*(t - 2), 0)"]}}
    lift = {"shapes": [{"type": "box", "size": [2, 2, 0.2], "position": [0, 0, -0.1]}], "motion": drops}
    bodies = {"lift": lift, "a0": block(at=(0, 0, 0.5)), "a1": block(at=(0, 0, 1.5))}
    scene = scene_of(bodies, 2.5)
    assert sleepers(scene, 1.99, 2.02) == [{"a0", "a1"}, set()]
    end = rigidsim.simulate(scene).arrays["world/position"][-1, -1, 2]
    assert end == pytest.approx(1.5 - 0.375, abs=2e-3)


def test_something_prescribed_that_comes_to_touch_wakes():
    comes = {"prescribed": {"velocity": [0.05, 0, 0]}}
    pusher = {"shapes": [{"type": "box", "size": [1, 1, 1]}], "position": [-1.1, 0, 0.5], "motion": comes}
    scene = scene_of(towers(pusher=pusher), 2.5)
    assert sleepers(scene, 1.9, 2.1) == [{"a0", "a1", "b0", "b1"}, {"b0", "b1"}]


def train(**motion) -> dict:
    cargo = {f"c{k}": block(at=(0, 0, 0.5 + k)) for k in range(2)}
    return {
        "train": {"shapes": [{"type": "box", "size": [9, 3, 1], "position": [0, 0, -0.5]}], "children": cargo} | motion
    }


BRAKES = {"motion": {"prescribed": {"velocity": ["= if(t < 2, 1 + 0.5*t, max(2 - 8*(t - 2), 0))", 0, 0]}}}


def test_cargo_of_an_accelerating_train_sleeps_and_wakes_when_it_brakes():
    scene = scene_of(train(**BRAKES), 3, record_every=0.05)
    assert sleepers(scene, 1.99, 2.02) == [{"c0", "c1"}, set()]
    one = rigidsim.simulate(scene)
    other = rigidsim.simulate(scene_of(train(**BRAKES), 3, contact=AWAKE, record_every=0.05))
    before = one.time < 2.0
    for name in ("position", "velocity"):
        apart = one.arrays[f"world/{name}"] - other.arrays[f"world/{name}"]
        assert np.abs(apart[before]).max() < 10 * CALM
    slid = one.arrays["world/position"][-1, 1, 0] - one.arrays["world/position"][-1, 0, 0]
    assert slid > 0.1


@pytest.mark.parametrize("bodies", [towers(**THROWN), train(**BRAKES)], ids=["thrown", "train"])
def test_the_ledger_closes(bodies):
    scenes = [scene_of(bodies, 3, contact=contact, record_every=0.05) for contact in (SLEEP, AWAKE)]
    runs = [rigidsim.simulate(scene) for scene in scenes]
    drifts = [np.abs(run.total_energy - run.total_energy[0]).max() for run in runs]
    assert drifts[0] <= 2 * drifts[1] + 1e-9
    errors = [abs(run.contact_ledger.error) for run in runs]
    assert errors[0] <= 2 * errors[1] + 1e-6


def test_slow_bodies_do_not_fall_asleep():
    """A ball that rolls at 2 mm/s, a block that creeps on a belt of 1 mm/s, and a ball that spins in place."""
    creeping = {"type": "box", "size": [3, 3, 1], "position": [0, 20, -0.5], "surface_velocity": [1e-3, 0, 0]}
    bodies = {
        "floor": {
            "shapes": [
                {"type": "plane", "offset": -2},
                {"type": "box", "size": [9, 9, 1], "position": [0, 0, -0.5]},
                creeping,
            ]
        },
        "roller": ball(0.1, at=(0, 0, 0.1), velocity=[2e-3, 0, 0], angular_velocity=[0, 2e-2, 0]),
        "crate": block(at=(0, 20, 0.5)),
        "spinner": ball(0.1, at=(2, 0, 0.1), angular_velocity=[0, 0, 3]),
        "rests": block(at=(-3, 0, 0.5)),
    }
    assert sleepers(scene_of(bodies, 3), 3.0) == [{"rests"}]


def test_a_body_in_free_fall_or_without_gravity_does_not_sleep():
    bodies = {"floor": floor(), "a": ball(at=(0, 0, 5)), "b": ball(at=(1, 0, 5))}
    assert sleepers(scene_of(bodies, 2, gravity=[0, 0, 0]), 2.0) == [set()]


MIXED = towers(**THROWN, rod=rod(at=(3, 2, 0.1), orientation={"axis": [0, 1, 0], "angle": "90 deg"}))


def test_slices_give_the_same_bits():
    scene = scene_of(MIXED, 2.4, record_every=0.1)
    sliced = rigidsim.Simulation(scene)
    for n in (1, 99, 150, 7, 143, 5, 75):
        sliced.step(n)
    assert asleep(sliced) == {"a0", "a1", "b0", "b1", "rod"} - {"a0", "a1"}
    undivided = rigidsim.Simulation(scene)
    undivided.step(480)
    assert np.array_equal(sliced._run.state, undivided._run.state)


@pytest.mark.parametrize("end", [100, 250, 395, 402])
def test_a_resumed_run_has_the_same_bits(end):
    scene = scene_of(MIXED, 2.4, record_every=0.1)
    whole, begun, again = (rigidsim.Simulation(scene) for _ in range(3))
    begun.step(end)
    again.resume(begun.checkpoint(), begun.events)
    again.step(480 - end)
    whole.step(480)
    assert asleep(again) == asleep(whole)
    assert np.array_equal(again._run.state, whole._run.state)
    for name, rows in whole.checkpoint().items():
        if name == "contact.touches":  # of two logs, which are not merged
            continue
        assert np.array_equal(rows, again.checkpoint()[name]), name


def test_a_change_of_the_tree_with_fewer_bodies_wakes_all():
    joins = {"body": "a1", "to": "a0", "time": 2.0, "motion": "fixed"}
    before, after = sleepers(scene_of(towers(), 2.2, reparent=[joins]), 1.99, 2.01)
    assert before == {"a0", "a1", "b0", "b1"}
    assert after == set()


def test_other_intervals_of_samples_give_the_same_bits():
    ends = [rigidsim.simulate(scene_of(MIXED, 2.4, record_every=each)) for each in (0.005, 0.3)]
    assert np.array_equal(ends[0].arrays["world/position"][::60], ends[1].arrays["world/position"])


def test_contact_points_and_forces_go_on():
    scene = scene_of(towers(), 2, record_every=0.1)
    trajectory = rigidsim.simulate(scene, contacts=True)
    force = np.array([np.abs(points.force[:, 2]).sum() for points in trajectory.contacts])
    assert force[10:] == pytest.approx(6 * 9.81, rel=1e-2)  # of each tower two weights, and one
    assert force[20] == force[19]


@pytest.mark.parametrize("integrator", ["euler", "magnus", "adaptive"])
def test_other_integrators(integrator):
    scene = scene_of(towers(**THROWN), 2.2, integrator=integrator)
    before, after = sleepers(scene, 1.5, 2.05)
    assert before == {"a0", "a1", "b0", "b1"}
    assert after == {"b0", "b1"}


def test_interpreted_text_has_the_same_bits(monkeypatch):
    bodies = {
        "floor": floor(),
        "a": ball(0.1, at=(0, 0, 0.1)),
        "ball": ball(0.1, at=(-0.5, 0, 0.1), velocity=[0.7, 0, 0]),
    }
    scene = scene_of(bodies, 0.9, step=0.02)
    whole = rigidsim.Simulation(scene)
    whole.step(27)
    assert asleep(whole) == {"a"}
    whole.step(18)
    assert asleep(whole) == set()
    monkeypatch.setenv("RIGIDSIM_JIT", "off")
    other = rigidsim.Simulation(scene)
    other.step(45)
    assert np.array_equal(other._run.state, whole._run.state)


@pytest.mark.parametrize("mode", ["events", "off"])
def test_sleep_needs_stepping(mode):
    with pytest.raises(SceneError, match="bodies sleep with 'mode: stepping' alone"):
        scene_of({"floor": floor(), "a": ball()}, 1, contact={"mode": mode, "sleep": True})


def test_a_scene_with_loops_runs():
    """Bodies that loops hold stay awake."""
    changes = ["simulation.contact={mode: stepping, sleep: true}", "simulation.duration=0.02"]
    scene = rigidsim.Scene.from_file(Path(__file__).parents[2] / "scenes" / "ragdoll.yaml", changes)
    simulation = rigidsim.Simulation(scene)
    simulation.step(simulation.n_step)


def changes_of(events) -> list[tuple[str, str, float]]:
    """The bodies that fell asleep and woke, in order: what they did, the body, the time in s."""
    both = [event for event in events if event.cause in ("falls_asleep", "wakes")]
    assert all(event.shapes[0] == event.shapes[1] for event in both)
    return [(event.cause, event.bodies[0], event.time) for event in both]


def test_events_tell_what_falls_asleep_and_wakes():
    scene = scene_of(towers(**THROWN), 2.2, record_every=0.1)
    trajectory = rigidsim.simulate(scene)
    found = changes_of(trajectory.events)
    slept, woke = found[:4], found[4:]
    assert sorted((what, body) for what, body, _ in slept) == [
        ("falls_asleep", name) for name in ("a0", "a1", "b0", "b1")
    ]
    assert all(0.5 <= time < 1.5 for *_, time in slept)
    assert [(what, body) for what, body, _ in woke] == [("wakes", "a0"), ("wakes", "a1")]
    hit = min(e.time for e in trajectory.events if e.cause == "contact_begins" and "ball" in e.bodies and e.time > 1.5)
    assert [time for *_, time in woke] == pytest.approx([hit - STEP] * 2, abs=1e-12)  # the beginning of that step
    times = {body: time for _, body, time in slept}
    told = str(BodyReport.of(trajectory, "a1", 1.5))
    assert f"a1 sleeps, since t = {times['a1']:.9g} s" in told
    assert "a1 wakes" in str(BodyReport.of(trajectory, "a1", hit))
    assert "sleeps" not in str(BodyReport.of(trajectory, "a1", 2.2))


@pytest.mark.parametrize("end", [100, 160, 395, 402])
def test_a_resumed_run_has_the_same_events(end):
    scene = scene_of(MIXED, 2.4, record_every=0.1)
    whole, begun, again = (rigidsim.Simulation(scene) for _ in range(3))
    whole.step(480)
    begun.step(end)
    again.resume(begun.checkpoint(), begun.events)
    again.step(480 - end)
    assert changes_of(again.events) == changes_of(whole.events) != []


def test_a_change_of_the_tree_wakes_all():
    parted = scene_of(
        towers(load=block(at=(20, 0, 0.5))),
        2.0,
        reparent=[{"time": 1.8, "body": "load", "to": "floor"}],
    )
    found = changes_of(rigidsim.simulate(parted).events)
    assert {(what, body) for what, body, time in found if time == 1.8} == {
        ("wakes", body) for body in ("a0", "a1", "b0", "b1", "load")
    }


def test_the_log_has_room_for_a_pile_that_falls_asleep_and_wakes():
    """More bodies than the log holds beside the touches of one step."""
    row = {f"r{k:04}": ball(0.1, at=(0.2 * k, 0, 0.1)) for k in range(1500)}
    row["r0000"]["impulses"] = [{"time": 0.75, "impulse": [5.0, 0, 0]}]
    found = changes_of(rigidsim.simulate(scene_of({"floor": floor()} | row, 0.76)).events)
    assert [what for what, *_ in found] == ["falls_asleep"] * 1500 + ["wakes"] * 1500


def test_a_ball_thrown_into_a_pile_wakes_that_pile_alone():
    """Of two heaps of balls, each in a pit of its own and none like another."""
    rng, heaps = np.random.default_rng(3), {}
    for name, x in (("p", 0.0), ("q", 5.0)):
        for k in range(12):
            place = np.array([x + 0.22 * (k % 2) - 0.11, 0.22 * (k // 2 % 2) - 0.11, 0.1 + 0.22 * (k // 4)])
            heaps[f"{name}{k:02}"] = ball(
                0.1, at=tuple(place + rng.uniform(-4e-3, 4e-3, 3)), material={"rolling_friction": 0.01}
            )
        walls = [{"type": "box", "size": [0.1, 1, 1], "position": [x + side * 0.3, 0, 0.5]} for side in (-1, 1)] + [
            {"type": "box", "size": [1, 0.1, 1], "position": [x, side * 0.3, 0.5]} for side in (-1, 1)
        ]
        heaps[f"pit_{name}"] = {"shapes": walls}
    thrown = {"shot": ball(0.05, 0.2, at=(0, 0, 1.2), velocity=[0, 0, 20.0])}
    bodies = {"floor": {"shapes": [{"type": "plane"}], "material": {"rolling_friction": 0.01}}} | heaps | thrown
    scene = scene_of(bodies, 4.3)
    before, after = sleepers(scene, 3.9, 4.2)
    of = {name: {body for body in heaps if body[0] == name and body[1].isdigit()} for name in "pq"}
    assert before == of["p"] | of["q"]
    assert of["q"] <= after
    woke = {body for what, body, time in changes_of(rigidsim.simulate(scene).events) if what == "wakes"}
    assert woke == of["p"]
