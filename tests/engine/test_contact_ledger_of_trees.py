"""The ledger of contact on trees of joints: motors of every kind, stops and dry friction, and what wheels lose that
slip.
"""

from __future__ import annotations

import numpy as np
import pytest

from contact_scenes import G, ball, block, collide, floor, rod
from rigidsim.trajectory.contact_ledger import ContactLedger

ROUNDING = 1e-12  # of all that was booked: measured 5e-15, of a thousand steps that are added up


def closes(ledger: ContactLedger) -> bool:
    """Whether nothing but rounding is left; an error of a tree, which answers as a whole, has no order in the step."""
    return abs(ledger.error) <= ROUNDING * max(ledger.kinetic_energy, *map(abs, ledger.causes.values()))


# --- random trees

DRIVES = ("law", "prescribed", "rate", "friction", "stops", "spring")
MAKERS = (
    lambda **how: ball(0.1, 0.7, **how),
    lambda **how: block((0.15, 0.2, 0.25), 1.2, **how),
    lambda **how: rod(0.06, 0.2, 0.8, **how),
)


def driven_joint(random: np.random.Generator, drive: str) -> dict:
    """A hinge or a slide somewhere, and what acts in it."""
    turns = bool(random.integers(2))
    size, effort = (1.0, "torque") if turns else (0.15, "force")
    swing = f"{random.uniform(0.1, 0.4)!r}*sin({random.uniform(2, 6)!r}*t + {random.uniform(0, 6)!r})"
    acts = {
        "law": {"motor": {effort: f"= 3*{swing} - 0.1*rate"}},
        "prescribed": {"motor": {"angle" if turns else "displacement": f"= {size}*{swing}"}},
        "rate": {"motor": {"rate": 3 * size * random.normal(), f"max_{effort}": random.uniform(0.5, 20)}},
        "friction": {"friction": random.uniform(0.1, 5)},
        "stops": {"limits": [-0.3 * size, 0.3 * size]},
        "spring": {"spring": {"stiffness": 5 / size**2}, "damping": 0.2},
    }
    at = {"at": random.uniform(-0.2, 0.2, 3).tolist()} if turns else {}
    return {"hinge" if turns else "slide": at | {"axis": random.normal(size=3).tolist()} | acts[drive]}


def random_trees(seed: int) -> dict:
    """Two that tumble, one on a base that turns and rises, over a belt that moves; every drive is in some joint."""
    random = np.random.default_rng(seed)
    belt = {"shapes": [{"type": "plane", "surface_velocity": [0.5, 0.2, 0]}]}
    base = {"motion": {"prescribed": {"velocity": [0.1, 0, 0.05], "angular_velocity": [0, 0.1, 0.5]}}, "children": {}}
    bodies: dict = {"floor": floor(friction=0.6) | belt, "base": base, "ball": ball(at=(0.6, 0.1, 1))}
    drives = iter([*random.permutation(DRIVES), *random.permutation(DRIVES)])
    for k in range(3):
        root = MAKERS[random.integers(3)](at=(1.2 * k, 0, 0.5))
        if k == 2:
            root["motion"] = driven_joint(random, next(drives))
        else:
            root["angular_velocity"] = random.normal(size=3).tolist()
        (base["children"] if k == 2 else bodies)[f"root{k}"] = root
        nodes = [root]
        for i in range(3):
            way = random.normal(size=3)
            node = MAKERS[random.integers(3)](
                at=0.35 * way / np.linalg.norm(way),
                friction=float(random.choice([0, 0.5, 1])),
                motion=driven_joint(random, next(drives)),
            )
            nodes[random.integers(len(nodes))].setdefault("children", {})[f"n{i}"] = node
            nodes.append(node)
    return bodies


@pytest.mark.parametrize("seed", range(1, 6))
def test_the_ledger_of_trees_with_motors_closes(seed):
    """With every step, and friction on the belt has its own line."""
    for step in (2e-3, 1e-3):
        trajectory = collide(random_trees(seed), duration=1, step=step, record_every=0.02)
        ledger = trajectory.contact_ledger
        assert closes(ledger), ledger
        assert ledger.friction < 0
        assert ledger.kinetic_energy > 1 and abs(ledger.driven) > 1e-4


# --- by cause


@pytest.mark.parametrize("joint", ["slide", "hinge"])
def test_a_motor_below_another_joint_that_gives_way(joint):
    """It presses at a constant pace against a wall: the part of the carrier's inertia is work of the motor, too."""
    size, quantity = (0.2, "displacement") if joint == "slide" else (1.0, "angle")
    at = {} if joint == "slide" else {"at": [0, 0, -0.2]}
    axis = [1, 0, 0] if joint == "slide" else [0, 1, 0]
    ram = ball(at=(0.5, 0, 0), motion={joint: at | {"axis": axis, "motor": {quantity: f"= {size}*t"}}})
    carrier = block((0.1, 0.1, 0.1), 5, children={"ram": ram})
    carrier["motion"] = {"slide": {"axis": [1, 0, 0], "spring": {"stiffness": 500}, "damping": 50}}
    wall = {"position": [1.15, 0, 0], "shapes": [{"type": "box", "size": [1, 1, 1]}]}
    for step in (2e-3, 1e-3):
        ledger = collide({"cart": carrier, "wall": wall}, duration=1, step=step, gravity=[0, 0, 0]).contact_ledger
        assert closes(ledger) and ledger.driven > 1


def test_wheels_that_slip_until_they_roll():
    """A motor that keeps the rate w spends twice what the cart gains, m v^2/2 with v = w r and the inertia of the wheel
    that rolls: the other half is that of friction.
    """
    rate, radius, step = 15.0, 0.3, 1e-3

    def wheel(x: float, y: float, **joint) -> dict:
        hinge = {"hinge": {"axis": [0, 1, 0], "collide": True} | joint}
        return ball(radius, 2, at=(x, y, 0), motion=hinge) | {"collide": True}

    motor = {"rate": rate, "motor": {"rate": rate, "max_torque": 40.0}}
    wheels = {"rl": wheel(-0.5, 0.4, **motor), "rr": wheel(-0.5, -0.4, **motor), "fr": wheel(0.5, 0)}
    cart = block((1, 0.2, 0.1), 10, at=(0, 0, radius), children=wheels) | {"collide": False}
    trajectory = collide({"floor": floor(), "cart": cart}, duration=1.5, step=step, record_every=0.02)
    gained = 0.5 * (10 + 3 * 2 + 0.4 * 2) * (rate * radius) ** 2
    ledger = trajectory.contact_ledger
    assert closes(ledger)
    # The front wheel slips at first, too: what is left is of the order of the step.
    assert ledger.driven == pytest.approx(2 * gained, rel=step)
    assert ledger.friction == pytest.approx(-gained, rel=step)
    assert abs(ledger.damping) + abs(ledger.overlaps) <= step * gained
    assert trajectory["cart"].world.velocity[-1, 0] == pytest.approx(rate * radius, rel=1e-9)
    assert np.ptp(trajectory.total_energy) <= 1e-9 * 3 * 16 * G


@pytest.mark.parametrize("loops", [[], [{"type": "coupling", "between": ["car/turret/gun", "drum"], "ratio": 0.6}]])
@pytest.mark.parametrize("mode", ["stepping", "events"])
def test_the_ledger_closes_where_a_struck_tree_carries_another_one(mode, loops):
    """A car with a wheel bounces on the floor. Its turret has a prescribed motion, on which a gun hangs, which answers
    with no force on the car; a gear may couple it to a drum.
    """
    turret = {"motion": {"prescribed": {"velocity": [0, 0, 0.1], "angular_velocity": [0, 0, 2]}}}
    hinge, size = {"hinge": {"axis": [0, 1, 1], "at": [-0.2, 0, 0], "rate": 0.5}}, (0.3, 0.3, 0.3)
    gun = block(size, 1.0, at=(0.2, 0, 0.4), motion=hinge)
    wheel = ball(0.2, 1.0, at=(0.3, 0, -0.3), motion={"hinge": {"axis": [0, 1, 0]}})
    parts = {"turret": turret | {"children": {"gun": gun | {"collide": False}}}, "wheel": wheel}
    car = block(size, 3.0, at=(0, 0, 0.6), velocity=[0.3, 0, -1], angular_velocity=[0, 1, 0]) | {"children": parts}
    drum = block(size, 1.0, at=(5, 0, 1), motion={"hinge": {"axis": [1, 0, 0], "rate": 0.3}})
    bodies = {"floor": floor(restitution=0.7), "car": car | {"collide": False}, "drum": drum | {"collide": False}}
    how = {"duration": 0.2, "step": 1e-3, "record_every": 0.01, "contact": mode}
    trajectory = collide(bodies, loops=loops, **how)
    assert len(trajectory.events.contact) and closes(trajectory.contact_ledger)
    drift = np.ptp(trajectory.total_energy) / trajectory.contact_ledger.kinetic_energy
    assert drift <= 1e-10, drift  # of the integrator: measured 1.6e-11
