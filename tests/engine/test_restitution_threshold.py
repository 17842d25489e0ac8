"""Which approaches count as impacts, and which of these rebound: the threshold, and what must not hide an impact."""

from __future__ import annotations

import math

import numpy as np
import pytest

from contact_scenes import G, ball, block, collide, floor, rod, surface, tilted

FREE = [0, 0, 0]
QUARTER = math.pi / 2


# --- a place that rests does not hide one that strikes


@pytest.mark.parametrize("step", [2e-3, 5e-4])
@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("e", [0.0, 0.5])
def test_a_rod_that_tips_over_on_one_end_rebounds_with_the_other(e, friction, step):
    """The end on the floor stays there; the other leaves with e times its speed, and so the rod turns back."""
    fallen = rod(
        0.05, 1.0, at=(0, 0, 0.5 * math.sin(0.2) + 0.05), orientation=tilted(QUARTER - 0.2), restitution=e,
        friction=friction,
    )  # fmt: skip
    bodies = {"floor": floor(friction=friction), "rod": fallen}
    trajectory = collide(bodies, duration=0.25, step=step, record_every=step)
    rate = trajectory["rod"].world.angular_velocity[:, 1]
    blow = np.argmax(rate)
    assert rate[blow] > 2.3
    # The sample before the blow and that after it are up to a step away: 3 g/2 h.
    found = rate[blow + 1 : blow + 3]
    assert found[np.argmin(found)] == pytest.approx(-e * rate[blow], abs=1.5 * G * step)


# --- the threshold


def bat(e: float, carried: bool, step: float) -> np.ndarray:
    """The velocity of a ball struck by a bat that turns at 100 rad/s, written as part of the hub or carried by it."""
    shape = {"type": "box", "size": [0.1, 0.5, 0.3], "orientation": {"axis": [0, 0, 1], "angle": QUARTER}}
    hub = {
        "motion": {"prescribed": {"angular_velocity": [0, 0, 100.0]}},
        "orientation": {"axis": [0, 0, 1], "angle": -QUARTER - 0.5},
    }
    if carried:
        still = {"motion": {"prescribed": {"velocity": [0, 0, 0]}}}
        hub["children"] = {"bat": {"position": [1, 0, 0], "shapes": [shape]} | still | surface(e, 0)}
    else:
        hub |= {"shapes": [shape | {"position": [1, 0, 0]}]} | surface(e, 0)
    bodies = {"hub": hub, "ball": ball(0.05, at=(0, -1, 0), friction=0)}
    return collide(bodies, duration=0.006, step=step, gravity=FREE)["ball"].world.velocity[-1]


@pytest.mark.parametrize("step", [1e-3, 5e-4])
@pytest.mark.parametrize("e", [0.1, 0.15, 0.5])
def test_a_bat_strikes_in_the_same_way_however_the_scene_is_written(e, step):
    """A carried bat is accelerated at 10^4 m/s2, hardly along the normal. The ball is met 0.1 m from the middle plane
    of the bat, and s from the hub along it: the face comes with 100/s s, along (s, -0.1).
    """
    part, carried = bat(e, False, step), bat(e, True, step)
    assert carried == pytest.approx(part, abs=1e-9)
    s = math.sqrt(0.99)
    assert part == pytest.approx(np.array([s, -0.1, 0]) * 100 * s * (1 + e), abs=1e-9)


@pytest.mark.parametrize("factor", [0.98, 1.02])
@pytest.mark.parametrize("step", [1e-3, 5e-3])
def test_a_ball_rebounds_if_it_leaves_faster_than_twice_the_pull_of_a_step(step, factor):
    speed = factor * 2 * G * step / 0.5
    thrown = ball(0.1, at=(0, 0, 0.1), velocity=[0, 0, -speed], restitution=0.5)
    v = collide({"floor": floor(), "ball": thrown}, duration=step, step=step)["ball"].world.velocity[-1, 2]
    expected = 0.5 * speed - G * step if factor > 1 else 0
    assert v == pytest.approx(expected, abs=1e-9 if factor > 1 else G * step)


def test_what_falls_together_is_struck_a_bounded_number_of_times():
    """A ball on a table that falls with it: the relative acceleration is zero, but not the threshold."""
    table = block((1, 1, 0.1), 5, at=(0, 0, 100), restitution=0.8)
    above = ball(0.1, at=(0, 0, 100.16), velocity=[0, 0, -1], restitution=0.8)
    trajectory = collide({"table": table, "ball": above}, duration=3, step=1e-3, record_every=0.1)
    impacts = [event for event in trajectory.events if event.cause == "impact"]
    assert 1 <= len(impacts) <= 30
    relative = trajectory["ball"].world.velocity - trajectory["table"].world.velocity
    assert np.abs(relative[-1]).max() < 1.0
    close = block((1, 1, 0.1), 5, at=(0, 0, 100), restitution=0.8)
    rests = ball(0.1, at=(0, 0, 100.15), restitution=0.8)
    trajectory = collide({"table": close, "ball": rests}, duration=1, step=1e-3)
    assert sum(event.cause == "impact" for event in trajectory.events) <= 1
    assert trajectory["ball"].world.velocity[-1] == pytest.approx([0, 0, -G], abs=1e-9)


def test_a_ball_in_a_cage_that_falls_with_it_comes_to_rest():
    """Slower by half each time; the last rebounds are below the threshold."""
    walls = [{"type": "box", "size": [1, 1, 0.1], "position": [0, 0, z]} for z in (-0.2, 0.2)]
    cage = {"mass": 5, "inertia": {"principal": [1, 1, 1]}, "shapes": walls, "position": [0, 0, 100]} | surface(0.5)
    inside = ball(0.1, at=(0, 0, 100), velocity=[0, 0, 1], restitution=0.5)
    trajectory = collide({"cage": cage, "ball": inside}, duration=3, step=1e-3, record_every=0.1)
    impacts = [event.time for event in trajectory.events if event.cause == "impact"]
    assert 4 <= len(impacts) <= 60
