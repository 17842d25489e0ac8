"""Kinetic + potential - work is constant, whatever touches: contact's part of the work is told with it."""

from __future__ import annotations

import numpy as np
import pytest

from contact_scenes import G, ball, block, collide, floor, rod

EPS = np.finfo(float).eps


def drift(trajectory) -> float:
    """The largest departure of the total energy from what it was, J."""
    return float(np.abs(trajectory.total_energy - trajectory.total_energy[0]).max())


def test_a_box_held_by_friction_against_a_push():
    """3 N for 10 s on a box that does not move: nothing is gained or lost."""
    push = {"force": [3, 0, 0], "frame": "world"}
    bodies = {"floor": floor(), "box": block((0.4, 0.4, 0.2), at=(0, 0, 0.1), forces=[push])}
    trajectory = collide(bodies, duration=10, step=5e-3, record_every=0.1)
    assert drift(trajectory) <= 1e-9
    assert np.abs(trajectory["box"].world.velocity[-1]).max() <= 1e-9
    assert abs(trajectory["box"].world.position[-1, 0]) <= 1e-5


def test_friction_takes_what_a_sliding_box_had():
    """m v^2/2, and mu m g times the way."""
    bodies = {"floor": floor(), "box": block((0.4, 0.4, 0.2), 2, at=(0, 0, 0.1), velocity=[1, 0, 0])}
    trajectory = collide(bodies, duration=0.5, step=1e-3, record_every=0.01)
    kinetic, work = trajectory.diagnostic("kinetic_energy"), trajectory.diagnostic("work")
    assert kinetic[0] == pytest.approx(1.0, rel=1e-12)
    assert kinetic[-1] <= 1e-12
    assert work[-1] - work[0] == pytest.approx(-1.0, abs=1e-4)  # it sinks by a hundredth of a millimetre
    way = trajectory["box"].world.position[-1, 0]
    assert way == pytest.approx(1 / (2 * 0.5 * G), rel=1e-3)
    assert drift(trajectory) <= 1e-13


@pytest.mark.parametrize("seed", range(3))
def test_a_heap_of_everything_in_a_moving_frame(seed):
    """Shapes, materials, impacts, a shaking floor and children: the sum of what is booked stays what it was."""
    random = np.random.default_rng(seed)
    makers = (
        lambda **how: ball(0.2, **how),
        lambda **how: block((0.3, 0.4, 0.5), **how),
        lambda **how: rod(0.1, 0.4, **how),
    )
    children = {}
    for i in range(12):
        how = {
            "at": (0.9 * (i % 3) - 0.9 + 0.05 * random.normal(), 0.9 * (i // 3 % 2), 0.6 + 0.8 * (i // 6)),
            "restitution": float(random.choice([0, 0.5, 1])),
            "friction": float(random.choice([0, 0.5, 2])),
            "rolling": float(random.choice([0, 0.01])),
            "angular_velocity": random.normal(size=3).tolist(),
        }
        children[f"b{i:02}"] = makers[i % 3](**how)
    children["b03"]["children"] = {"cargo": ball(0.05, 0.1, at=(0, 0, 3))}
    tray = {"motion": {"prescribed": {"velocity": [0.3, 0, 0.1], "angular_velocity": [0, 0, 0.5]}}}
    walls = [{"type": "plane"}]
    walls += [
        {"type": "plane", "normal": list(n), "offset": -1.6} for n in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))
    ]
    trajectory = collide(
        {"tray": tray | {"shapes": walls, "children": children}}, duration=2, step=1e-3, record_every=0.02
    )
    size = max(np.abs(trajectory.diagnostic(part)).max() for part in ("kinetic_energy", "potential_energy", "work"))
    # The method's error of bodies that turn by up to 40 mrad a step: measured 4e-12, and 7e-11 at twice the step.
    assert drift(trajectory) <= 2e-11 * size
