"""Bodies that stops, dry friction or ropes hold, and that prescribed bodies push in the direction that is held."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from support.scenes import make_scene, run

G, STEP = 10.0, 2e-3
DOWN = [0, 0, -G]
RADIUS, HALF = 0.1, 0.05
SOFT = 1e-5  # m: what a body sinks into what carries it, measured 2e-6


def ball(e: float, **more) -> dict:
    shape = {"type": "sphere", "radius": RADIUS, "material": {"restitution": e, "friction": 0.3}}
    return {"mass": 2.0, "inertia": {"principal": [8e-3] * 3}, "position": [0, 0, -1], "shapes": [shape]} | more


def lift(e: float = 0.0) -> dict:
    """A plate that rises and sinks below the ball."""
    plate = {"type": "box", "size": [1, 1, 2 * HALF], "material": {"restitution": e}}
    return {"motion": {"prescribed": {"position": [0, 0, "= -1.2 + 0.3*sin(2*t)"]}}, "shapes": [plate]}


def carried(t) -> np.ndarray:
    """The height of a ball that rests on the plate, or at -1 m."""
    return np.maximum(-1.2 + 0.3 * np.sin(2 * t) + RADIUS + HALF, -1.0)


HOLDS = {
    "stop": ({"motion": {"slide": {"axis": [0, 0, 1], "limits": [0, 10]}}}, []),
    "rope": ({}, [{"type": "distance", "between": ["world", "ball"], "max_length": 1}]),
    "stop of a hinge": (
        {
            "center_of_mass": [0, 0, 0],
            "motion": {"hinge": {"axis": [0, 1, 0], "at": [4, 0, 0], "limits": ["0 deg", "90 deg"]}},
        },
        [],
    ),
}


@pytest.mark.parametrize("name", HOLDS)
@pytest.mark.parametrize("e", [0.0, 0.5])
def test_a_plate_lifts_what_rests_at_a_stop(name, e):
    """The plate meets the ball from below at 0.5 m/s: along what the stop holds, so nothing gives way until it is let
    go. After the way down the stop holds it again.
    """
    more, loops = HOLDS[name]
    found = run(
        {"ball": ball(e, **more), "lift": lift(e)}, loops=loops, gravity=DOWN, duration=6, step=STEP, record_every=0.01
    )
    z, expected = found["ball"].world.position[:, 2], carried(found.time)
    assert (z > expected - SOFT).all()  # nothing passes through
    if e == 0.0:
        allowed = 2e-3 if "hinge" in name else SOFT  # on an arc the lowest point of the ball is not below its centre
        assert np.abs(z - expected).max() < allowed
    else:
        late = (found.time > 2.0) & (found.time < 3.0)  # rebounds have ended, and the plate is away
        assert np.abs(z[late] + 1).max() < 1e-9


@pytest.mark.parametrize("friction", [0.0, 30.0])
def test_a_prescribed_body_pushes_a_cart_against_its_dry_friction(friction):
    """At 0.4 m/s from 0.75 s on; the force of the contact is that of the friction."""
    box = {"type": "box", "size": [0.2] * 3, "material": {"friction": 0}}
    cart = {"mass": 2.0, "inertia": {"principal": [8e-3] * 3}, "shapes": [box],
            "motion": {"slide": {"axis": [1, 0, 0], "friction": friction}}}  # fmt: skip
    pusher = {"motion": {"prescribed": {"position": ["= -0.5 + 0.4*t", 0, 0]}},
              "shapes": [{"type": "sphere", "radius": RADIUS}]}  # fmt: skip
    scene = make_scene({"cart": cart, "pusher": pusher}, duration=2, step=STEP, record_every=0.01)
    found = rigidsim.simulate(scene, contacts=True)
    x = found["cart"].world.position[:, 0]
    assert np.abs(x - np.maximum(0.4 * found.time - 0.3, 0)).max() < SOFT
    force = np.asarray(found.arrays["contacts/force"])[-50:]
    assert np.abs(np.abs(force) - [friction, 0, 0]).max() < 1e-9


def test_reactions_of_loops_are_those_under_contact():
    """A ball on a rod of given length, and a plate far away or below the ball: the rod bears the weight."""
    loops = [{"type": "distance", "between": ["world", "ball"]}]
    for x in (30.0, 0.0):
        plate = {"type": "box", "size": [1, 1, 2 * HALF], "position": [x, 0, 0]}
        bodies = {"ball": ball(0.0), "plate": {"motion": "fixed", "position": [0, 0, -1.5], "shapes": [plate]}}
        found = run(bodies, loops=loops, gravity=DOWN, duration=0.1, step=STEP, record_every=0.01)
        assert np.abs(np.asarray(found.arrays["loops/force"])[:, 0] - [0, 0, 2 * G]).max() < 1e-11
