"""Independent bodies are stepped side by side in lanes, with the bits of steps of one body after the other."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from contact_scenes import ball, block, floor, touching
from rigidsim.engine.assembly import contacts

STEP, STEPS = 5e-3, 220
SLEEP = {"mode": "stepping", "sleep": True}
CHANGES = [
    {"body": "b05", "to": "pusher", "time": 0.1, "motion": "free"},
    {"body": "b05", "to": "world", "time": 0.203, "motion": "free"},
    {"body": "b07", "to": "b08", "time": 0.3, "motion": "fixed"},
]


def pile(count: int) -> dict:
    """Balls on a floor, some of which hit each other; one spins by more than a radian a step."""
    balls = {
        f"b{k:02}": ball(0.1, 1 + 0.1 * k, at=(0.25 * (k % 5), 0.25 * (k // 5), 0.1), rolling=0.05)
        for k in range(count)
    }
    balls["b03"]["velocity"], balls["b04"]["angular_velocity"] = [1.0, 0, 0], [300.0, 0, 100.0]
    balls["b06"]["impulses"] = [{"time": 1.0, "impulse": [0.1, 0, 1.0]}]
    return {"floor": floor()} | balls


def others() -> dict:
    """Bodies that bear a load, are seen by one, carry a body, or are carried; and two that are independent: one on a
    body that is moved, and one of two parts.
    """
    spring = {"type": "spring", "to": "near", "stiffness": 10, "length": 0.5}
    moves = {"prescribed": {"velocity": [0.1, 0, 0]}}
    return {
        "blown": ball(at=(3, 0, 0.2), forces=[{"type": "drag", "linear": 0.1}]),
        "near": ball(at=(3, 1, 0.3)),
        "held": ball(at=(3, 2, 0.3), forces=[spring]),
        "carrier": block(at=(3, 4, 0.5), children={"carried": ball(at=(0, 0, 0.6))}),
        "pusher": {"shapes": [{"type": "box", "size": [1, 1, 1]}], "position": [-2, 0, 0.5], "motion": moves},
        "lies": block(at=(-2, 0, 1.5)),
        "fallen": block(at=(6, 0, 0.6), children={"part": block(at=(0, 0, 1), motion="fixed")}),
    }


def scene_of(bodies: dict, steps: int = STEPS, **how) -> rigidsim.Scene:
    return touching(bodies, duration=steps * STEP, step=STEP, record_every=10 * STEP, **how)


def rich(steps: int = STEPS) -> rigidsim.Scene:
    return scene_of(pile(19) | others(), steps, contact=SLEEP, reparent=CHANGES)


def independent(simulation: rigidsim.Simulation) -> set[str]:
    """Their paths."""
    run = simulation._run
    made, paths = run._scratch.independent, run.worlds[0].paths
    return set() if made is None else {paths[run.model.moved_node[row]] for row in made.row}


def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on, no body is stepped beside others."""
    monkeypatch.setattr(contacts, "LEAST_INDEPENDENT", 10**6)


def test_which_bodies_are_independent():
    simulation, balls = rigidsim.Simulation(rich()), {f"b{k:02}" for k in range(19)}
    assert independent(simulation) == balls | {"lies", "fallen"}
    simulation.step(30)  # b05 has a parent that moves
    assert independent(simulation) == balls - {"b05"} | {"lies", "fallen"}
    simulation.step(160)
    assert independent(simulation) == balls - {"b07"} | {"lies", "fallen"}
    asleep = simulation._run.contacts.arrays.sleep.asleep
    assert 0 < asleep.sum() < len(asleep)


@pytest.mark.parametrize("how", [{"plane": [0, 0, 1]}, {"integrator": "magnus"}, {"contact": {"mode": "events"}}])
def test_other_steps_have_none(how):
    wall = {"shapes": [{"type": "box", "size": [1, 1, 1]}], "position": [9, 0, 0]}
    bodies = {"wall": wall} | {f"b{k}": ball(at=(0.3 * k, 0, 0.1)) for k in range(20)}
    assert not independent(rigidsim.Simulation(scene_of(bodies, gravity=[0, -9.81, 0], **how)))


def test_few_bodies_need_no_more_code():
    assert independent(rigidsim.Simulation(scene_of(pile(8))))
    assert not independent(rigidsim.Simulation(scene_of(pile(7))))


def test_the_bits_are_those_of_one_body_after_the_other(monkeypatch):
    beside = rigidsim.simulate(rich())
    one_by_one(monkeypatch)
    assert not independent(rigidsim.Simulation(rich()))
    assert beside.content_hash == rigidsim.simulate(rich()).content_hash


def test_a_pile_of_nothing_else_has_the_same_bits(monkeypatch):
    beside = rigidsim.simulate(scene_of(pile(19)))
    one_by_one(monkeypatch)
    assert beside.content_hash == rigidsim.simulate(scene_of(pile(19))).content_hash


def test_interpreted_code_has_the_same_bits(monkeypatch):
    scenes = [scene_of(pile(16), 3) for _ in range(2)]
    beside = rigidsim.simulate(scenes[0])
    monkeypatch.setenv("RIGIDSIM_JIT", "off")
    assert beside.content_hash == rigidsim.simulate(scenes[1]).content_hash


@pytest.mark.parametrize("end", [30, 100, 190])
def test_a_resumed_run_has_the_same_bits(end):
    whole, begun, again = (rigidsim.Simulation(rich()) for _ in range(3))
    begun.step(end)
    again.resume(begun.checkpoint(), begun.events)
    again.step(STEPS - end)
    whole.step(STEPS)
    assert np.array_equal(again._run.state, whole._run.state)


def test_a_run_that_begins_again_with_other_numbers_has_the_bits_of_its_own():
    """The arrays of a run that has ended serve the next one."""
    changed = pile(19)
    changed["b09"]["mass"] = 5.0
    found = [rigidsim.simulate([scene_of(pile(19)), scene_of(changed)])[1], rigidsim.simulate(scene_of(changed))]
    assert found[0].content_hash == found[1].content_hash


@pytest.mark.slow  # compiles contact with tangents
def test_derivatives_of_a_pile():
    """Their kernels have one lane. The mass of a ball that another one hits enters the motion of both."""

    def read(mass: float) -> rigidsim.Scene:
        bodies = pile(16)
        bodies["b04"]["mass"] = mass
        return scene_of(bodies, 60)

    name = "bodies.b04.mass"
    found = rigidsim.simulate(read(1.4), derivatives=[name])
    assert found.content_hash == rigidsim.simulate(read(1.4)).content_hash
    up, down = (rigidsim.simulate(read(1.4 + e)).arrays["world/position"][-1] for e in (1e-6, -1e-6))
    rates = found.derivative(name).arrays["world/position"][-1]
    assert np.abs(rates).max() > 1e-3
    assert np.abs((up - down) / 2e-6 - rates).max() < 1e-5 * np.abs(rates).max()
