"""Contact of trees whose joints have stops, dry friction or motors of a wanted rate."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from contact_scenes import G, ball, block, collide, floor, surface, touching
from rigidsim.blueprints import build_world
from rigidsim.simulation.events import shapes_of
from rigidsim.simulation.overlaps import starting_overlaps

LIFT, LOAD = 2.0, 3.0  # kg
STEPS = [1e-3, 5e-3]


def lift(**joint) -> dict:
    """A platform on a vertical slide, and a block on it."""
    platform = block((1, 1, 0.1), LIFT, motion={"slide": {"axis": [0, 0, 1]} | joint})
    return {"lift": platform, "load": block((0.2, 0.2, 0.2), LOAD, at=(0, 0, 0.15))}


def last_speed(trajectory: rigidsim.Trajectory, body: str) -> float:
    """The largest component of the velocity at the end, m/s."""
    return np.abs(trajectory[body].world.velocity[-1]).max()


# --- what rests


@pytest.mark.parametrize("step", STEPS)
def test_a_load_on_a_slide_that_friction_holds_stays(step):
    """60 N against 49 N, of which the smooth step knows 20 N; or 15 N, with a spring that alone would overcome that."""
    spring = {"stiffness": 100.0, "rest": 0.45}  # which does not know of the load in the first step
    for joint, start in (({"friction": 60.0}, 0.0), ({"friction": 15.0, "spring": spring}, 10 * step**2)):
        trajectory = collide(lift(**joint), duration=0.5, step=step, record_every=step)
        assert np.all(trajectory["lift"].joint.rates[5:] == 0.0)
        assert np.abs(trajectory["lift"].joint.coordinates).max() <= start
        assert last_speed(trajectory, "load") <= 1e-12
        assert np.ptp(trajectory.total_energy) <= 1e-6


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_load_on_a_lift_that_came_to_its_stop_stays(step, restitution):
    """With a spring that would lift the platform alone off its stop, too; a rebound of the platform dies out."""
    for more in ({}, {"spring": {"stiffness": 100.0, "rest": 0.3}}):
        joint = {"limits": [-0.1, 0.5], "restitution": restitution} | more
        trajectory = collide(lift(**joint), duration=1.0, step=step, record_every=0.05)
        assert trajectory["lift"].joint.coordinates[-1, 0] == -0.1
        assert trajectory["lift"].joint.rates[-1, 0] == 0.0
        assert last_speed(trajectory, "load") <= 1e-12
        assert np.ptp(trajectory.total_energy) <= 1e-8
        assert trajectory.contact_ledger.relative_error <= 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("method", ["adaptive", "taylor"])
def test_a_load_rests_with_methods_that_choose_their_steps(method):
    """On a slide that friction holds, and on one that came to its stop, which would give half its rate back."""
    how = {"duration": 1.0, "step": 5e-3, "record_every": 0.05, "integrator": method}
    for joint, x in (({"friction": 60.0}, 0.0), ({"limits": [-0.1, 0.5], "restitution": 0.5}, -0.1)):
        trajectory = collide(lift(**joint), **how)
        assert trajectory["lift"].joint.coordinates[-1, 0] == x
        assert trajectory["lift"].joint.rates[-1, 0] == 0.0
        assert last_speed(trajectory, "load") <= 1e-12
        assert np.ptp(trajectory.total_energy) <= 1e-6


def leg(friction: float, limits: list | None = None) -> dict:
    """A trunk, a shank and a foot on hinges, a little off the vertical, above a floor."""
    joint = {"axis": [0, 1, 0], "friction": friction} | ({"limits": limits} if limits else {})
    foot = block((0.3, 0.2, 0.1), 0.5, at=(0, 0, -0.25), motion={"hinge": joint | {"at": [0, 0, 0.05]}})
    shank = {"mass": 1.0, "inertia": {"principal": [0.01, 0.01, 0.002]}, "position": [0.1, 0, -0.3]}
    shank |= {"motion": {"hinge": joint | {"at": [0, 0, 0.2]}}, "children": {"foot": foot}}
    trunk = block((0.2, 0.2, 0.2), 5.0, at=(0, 0, 0.6005), children={"shank": shank})
    return {"trunk": trunk, "floor": floor(friction=0.8)}


@pytest.mark.parametrize("step", STEPS)
def test_a_leg_stands_if_friction_holds_it_and_else_folds_to_its_stop(step):
    """The knee bears 5 N m with 10, and none with 1."""
    for friction, limits, held in ((10.0, None, True), (1.0, [-0.3, 0.3], False)):
        trajectory = collide(leg(friction, limits), duration=1.5, step=step, record_every=0.05)
        foot, shank = trajectory["trunk/shank/foot"].joint, trajectory["trunk/shank"].joint
        assert foot.rates[-1, 0] == shank.rates[-1, 0] == 0.0
        assert last_speed(trajectory, "trunk") <= 1e-9
        if held:
            assert abs(foot.coordinates[-1, 0]) + abs(shank.coordinates[-1, 0]) <= 0.02
        else:
            assert foot.coordinates[-1, 0] == 0.3
        assert np.ptp(trajectory.total_energy) <= 1e-6


# --- what moves


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("joint", [{"friction": 40.0}, {"motor": {"rate": 0.1, "max_force": 40.0}}])
def test_a_slide_with_too_little_to_hold_its_load_falls_at_the_rate_of_the_rest(step, joint):
    """a = g - F/M, of both: to rounding in the rate, to second order in the way."""
    trajectory = collide(lift(**joint), duration=0.5, step=step, record_every=0.05)
    a, t = G - 40.0 / (LIFT + LOAD), trajectory.time
    start = 0.1 if "motor" in joint else 0.0
    rates = trajectory["lift"].joint.rates[:, 0]
    np.testing.assert_allclose(np.diff(rates[1:]), -0.05 * a, rtol=1e-8)
    assert abs(rates[-1] + a * 0.5) <= start + 2 * G * step
    assert abs(trajectory["lift"].joint.coordinates[-1, 0] + a * t[-1] ** 2 / 2) <= (start + 2 * G * step) * t[-1]
    assert trajectory.contact_ledger.relative_error <= 1e-9


def test_a_motor_that_is_strong_enough_lifts_the_load_at_its_rate():
    """60 N against 49 N: from rest, with what is left, and then at 0.1 m/s."""
    trajectory = collide(lift(motor={"rate": 0.1, "max_force": 60.0}), duration=0.5, step=1e-3, record_every=0.1)
    assert np.all(trajectory["lift"].joint.rates[1:, 0] == 0.1)
    assert last_speed(trajectory, "load") == pytest.approx(0.1, rel=1e-12)
    gains = 60.0 / (LIFT + LOAD) - G
    assert trajectory["lift"].joint.coordinates[-1, 0] == pytest.approx(0.05 - 0.1**2 / (2 * gains), abs=1e-4)


# --- what is struck

DOOR, M, SPEED, ARM = 2.0 / 3, 0.5, 2.0, 0.7  # moment about the hinge, the ball, its speed, its lever


def struck_door(joint: dict, step: float, duration: float = 0.2) -> rigidsim.Trajectory:
    """A ball flies against a door, which turns to positive angles."""
    moment = 2.0 / 12
    door = {"mass": 2.0, "inertia": {"principal": [moment, 1e-3, moment]}, "center_of_mass": [0.5, 0, 0]}
    door |= {"motion": {"hinge": {"axis": [0, 0, 1]} | joint}}
    door |= {"shapes": [{"type": "box", "size": [1, 0.04, 0.5], "position": [0.5, 0, 0]}]}
    bodies = {"door": door, "ball": ball(0.05, M, at=(ARM, -0.17, 0), velocity=[0, SPEED, 0], friction=0.0)}
    return collide(bodies, gravity=[0, 0, 0], duration=duration, step=step, record_every=step)


@pytest.mark.parametrize("step", STEPS)
def test_a_ball_strikes_a_door_with_a_stop(step):
    """Away from the stop with P = M v/(1 + M x^2/I), as if there were none, bit for bit; into it, nothing moves."""
    free, away = (struck_door(joint, step) for joint in ({}, {"limits": [0, 3]}))
    rates = away["door"].joint.rates[:, 0]
    impulse = M * SPEED / (1 + M * ARM**2 / DOOR)
    assert rates[np.argmax(rates != 0)] == pytest.approx(impulse * ARM / DOOR, rel=1e-4)
    assert np.array_equal(rates, free["door"].joint.rates[:, 0])
    into = struck_door({"limits": [-3, 0]}, step)
    assert np.abs(into["door"].joint.rates).max() <= 1e-15
    assert np.abs(into["ball"].world.velocity[-1]).max() <= 1e-12


@pytest.mark.parametrize("step", STEPS)
def test_a_door_that_a_ball_throws_against_its_other_stop_stays_there(step):
    """The ball follows, and presses on: the impact is an event, and the stop is not passed."""
    trajectory = struck_door({"limits": [-0.05, 0.05]}, step)
    angle = trajectory["door"].joint.coordinates[:, 0]
    assert [event.cause for event in trajectory.events].count("stop") >= 1
    assert angle.max() <= 0.05
    assert abs(trajectory["door"].joint.rates[-1, 0]) <= 1e-5
    assert angle[-1] == pytest.approx(0.05, abs=1e-6)
    assert np.ptp(trajectory.total_energy) <= 1e-12


def test_friction_takes_from_a_blow_what_it_can_in_a_step_and_then_stops_the_door():
    """The rate after the blow is less by F h/I at most; F times the angle is what energy the door and the ball had."""
    step, friction = 1e-3, 5.0
    trajectory = struck_door({"friction": friction}, step, duration=0.3)
    rates, angle = trajectory["door"].joint.rates[:, 0], trajectory["door"].joint.coordinates[:, 0]
    struck, impulse = int(np.argmax(rates != 0)), M * SPEED / (1 + M * ARM**2 / DOOR)
    assert 0 <= impulse * ARM / DOOR - rates[struck] <= friction * step / DOOR
    both = DOOR + M * ARM**2  # the ball presses on, and is braked with the door
    braked = (rates[struck] - rates[struck + 20]) / (20 * step)
    assert braked == pytest.approx(friction / both, rel=3e-3)
    assert angle[-1] == pytest.approx((impulse * ARM / DOOR) ** 2 * both / (2 * friction), rel=1e-2)
    assert rates[-1] == 0.0


# --- bits


def test_slices_do_not_change_the_bits_of_a_leg_that_folds():
    """What waits for contact follows from what is kept between slices."""
    scene = touching(leg(2.0, [-0.3, 0.3]), duration=0.4, step=5e-3)
    whole, sliced = rigidsim.simulate(scene), rigidsim.Simulation(scene)
    for count in (1, 2, 30, 1, 46):
        sliced.step(count)
    for body in ("trunk", "trunk/shank/foot"):
        for quantity in ("position", "velocity"):
            reached = getattr(whole[body].world, quantity)[-1]
            assert np.array_equal(getattr(sliced.state[body].world, quantity), reached), (body, quantity)


# --- restitution of what strikes a coordinate that has modes

BAR, BALL, HIT_AT, FAST, E = 0.6, 0.5, 0.9, 3.0, 0.8  # moment about the hinge, kg, lever, m/s, restitution
TORQUE = 5.0


METHODS = ["rkmk4", *(pytest.param(method, marks=pytest.mark.slow) for method in ("adaptive", "taylor"))]


def struck_bar(method: str, **joint) -> rigidsim.Trajectory:
    """A ball falls on a bar on a hinge that is at rest, without gravity, after 0.85 m."""
    bar = {"mass": 2, "inertia": {"principal": [0.1, 0.1, 0.1]}, "center_of_mass": [0.5, 0, 0]}
    bar |= {"motion": {"hinge": {"axis": [0, 1, 0]} | joint}} | surface(E, 0.0)
    bar["shapes"] = [{"type": "box", "size": [1, 0.2, 0.1], "position": [0.5, 0, 0]}]
    falling = ball(0.1, BALL, at=(HIT_AT, 0, 1.0), velocity=[0, 0, -FAST], **surface(E, 0.0))
    bodies = {"bar": bar, "ball": falling}
    return collide(bodies, gravity=[0, 0, 0], duration=1.0, step=1e-3, record_every=1e-2, integrator=method)


def after_the_blow(method: str, **joint) -> tuple[float, np.ndarray, np.ndarray]:
    """The velocity of the ball at the end; times and rates of the bar after the impact, which is at 0.85 m."""
    trajectory = struck_bar(method, **joint)
    (impact,) = [event for event in trajectory.events if event.cause == "impact"]
    assert impact.time == pytest.approx(0.85 / FAST, abs=1e-13)
    since = trajectory.time - impact.time
    rates = trajectory["bar"].joint.rates[:, 0]
    return trajectory["ball"].world.velocity[-1, 2], since[since > 0], rates[since > 0]


P = (1 + E) * FAST / (1 / BALL + HIT_AT**2 / BAR)  # of the impact, N s, where the bar is free
GRIPS = [{"friction": TORQUE}, {"motor": {"rate": 0.0, "max_torque": TORQUE}}]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("joint", [{}, *GRIPS])
def test_no_friction_and_no_motor_takes_part_in_an_impact(joint, method):
    """They brake the bar afterwards, at F/I: all from the impulse of two free bodies."""
    upwards, since, rates = after_the_blow(method, **joint)
    assert upwards == pytest.approx(P / BALL - FAST, rel=1e-13)
    braked = TORQUE / BAR if joint else 0.0
    np.testing.assert_allclose(rates, np.maximum(P * HIT_AT / BAR - braked * since, 0.0), atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("joint", [{}, *GRIPS])
def test_a_stop_takes_part_in_an_impact_that_presses_on_it_and_in_no_other(joint, method):
    """The hinge turns downwards: the upper stop, at which it rests, bears the blow, and the lower one does not."""
    upwards, _, rates = after_the_blow(method, limits=[-1, 0], **joint)
    assert upwards == pytest.approx(E * FAST, rel=1e-13)
    assert np.all(rates == 0.0)
    upwards, since, rates = after_the_blow(method, limits=[0, 3], **joint)
    assert upwards == pytest.approx(P / BALL - FAST, rel=1e-13)
    assert rates[0] == pytest.approx(P * HIT_AT / BAR - (TORQUE / BAR if joint else 0.0) * since[0], rel=1e-12)


def test_of_several_stops_those_bear_an_impact_that_it_presses_on():
    """Two bars in a row: the outer one is held by its stop against the inner one, which turns away from its own."""
    half = {"mass": 1, "inertia": {"principal": [0.05, 0.05, 0.05]}, "center_of_mass": [0.25, 0, 0]}
    outer = half | {"position": [0.5, 0, 0], "motion": {"hinge": {"axis": [0, 1, 0], "limits": [-1, 0]}}}
    outer |= {"shapes": [{"type": "box", "size": [0.5, 0.2, 0.1], "position": [0.25, 0, 0]}]} | surface(E, 0.0)
    inner = half | {"motion": {"hinge": {"axis": [0, 1, 0], "limits": [0, 3]}}, "children": {"outer": outer}}
    falling = ball(0.1, BALL, at=(HIT_AT, 0, 1.0), velocity=[0, 0, -FAST], **surface(E, 0.0))
    found = collide({"inner": inner, "ball": falling}, gravity=[0, 0, 0], duration=0.4, step=1e-3, record_every=0.1)
    moment = 2 * 0.05 + 0.25**2 + 0.75**2  # of both bars as one
    impulse = (1 + E) * FAST / (1 / BALL + HIT_AT**2 / moment)
    assert found["ball"].world.velocity[-1, 2] == pytest.approx(impulse / BALL - FAST, rel=1e-13)
    assert found["inner"].joint.rates[-1, 0] == pytest.approx(impulse * HIT_AT / moment, rel=1e-12)
    assert abs(found["inner/outer"].joint.rates[-1, 0]) <= 1e-15


def test_a_bar_that_bounces_between_a_floor_and_its_stop_keeps_its_energy():
    """Both elastic, without gravity: its rate has one size, and each event is half a period after the last."""
    tip = [{"type": "sphere", "radius": 0.1, "position": [1, 0, 0]}]
    bar = {"mass": 2, "inertia": {"principal": [0.1, 0.1, 0.1]}, "center_of_mass": [0.5, 0, 0], "shapes": tip}
    hinge = {"axis": [0, -1, 0], "limits": [-2, 0.5], "restitution": 1.0, "rate": -2.1}
    bodies = {"bar": bar | {"motion": {"hinge": hinge}} | surface(1.0, 0.0)}
    bodies["floor"] = floor(restitution=1.0, friction=0.0) | {"position": [0, 0, -0.1 - np.sin(0.5)]}
    found = collide(bodies, gravity=[0, 0, 0], duration=3.0, step=6e-3, record_every=6e-3)
    times, causes = zip(*[(e.time, e.cause) for e in found.events], strict=True)
    assert causes == ("impact", "stop") * 3
    np.testing.assert_allclose(times, (0.5 + np.arange(6)) / 2.1, rtol=1e-12)
    np.testing.assert_allclose(np.abs(found["bar"].joint.rates), 2.1, rtol=1e-12)


# --- loops


@pytest.mark.slow
def test_a_ball_strikes_a_parallelogram_as_one_body_in_a_circle():
    """Its coupler is carried sideways, by inertia L^2/3 of each crank and of its own mass; upwards it is a wall."""
    rod = {"inertia": {"principal": [0.01, 1 / 12, 1 / 12]}, "center_of_mass": [0.5, 0, 0], "mass": 1}
    hinge = {"hinge": {"axis": [0, -1, 0]}}
    upright, level = ({"axis": [0, -1, 0], "angle": angle} for angle in (np.pi / 2, -np.pi / 2))
    coupler = {"inertia": {"principal": [0.1, 0.4, 0.4]}, "center_of_mass": [0.75, 0, 0], "mass": 2, "motion": hinge}
    coupler |= {"shapes": [{"type": "box", "size": [1.2, 0.2, 0.1], "position": [0.75, 0, 0]}]} | surface(E, 0.5)
    crank = rod | {"orientation": upright, "motion": hinge}
    crank["children"] = {"coupler": coupler | {"position": [1, 0, 0], "orientation": level}}
    bodies = {"crank": crank, "rocker": rod | {"position": [1.5, 0, 0], "orientation": upright, "motion": hinge}}
    bodies["ball"] = ball(0.1, BALL, at=(1, 0, 2), velocity=[1, 0, -FAST], **surface(E, 0.5))
    loop = {"type": "point", "between": ["crank/coupler", "rocker"], "at": [1.5, 0, 0], "to_at": [1, 0, 0]}
    found = collide(bodies, gravity=[0, 0, 0], duration=0.3, step=1e-3, record_every=0.1, loops=[loop])
    assert [event.cause for event in found.events] == ["impact"]
    after, moment, r = found["ball"].world.velocity[-1], 2 / 3 + 2, 0.1
    assert after[2] == pytest.approx(E * FAST, rel=1e-12)
    aside = 1 / (1 / BALL + r**2 / (0.4 * BALL * r**2) + 1 / moment)  # the impulse that ends the slip of 1 m/s
    assert after[0] == pytest.approx(1 - aside / BALL, rel=1e-10)
    assert found["crank"].joint.rates[-1, 0] == pytest.approx(-aside / moment, rel=2e-3)
    assert found["rocker"].joint.rates[-1, 0] == pytest.approx(found["crank"].joint.rates[-1, 0], rel=1e-10)
    assert found.contact_ledger.relative_error <= 1e-12


def overlapping_linkage(kind: str, **loop) -> tuple[dict, list]:
    """A parallelogram of boxes that overlap at its joints, of which one is a loop."""
    bar = block((1.2, 0.1, 0.1), center_of_mass=[0.5, 0, 0], motion={"hinge": {"axis": [0, -1, 0]}})
    bar["shapes"][0]["position"] = [0.5, 0, 0]
    upright, level = ({"axis": [0, -1, 0], "angle": angle} for angle in (1.2, -1.2))
    coupler = bar | {"position": [1, 0, 0], "orientation": level}
    bodies = {"crank": bar | {"orientation": upright, "children": {"coupler": coupler}}}
    bodies["rocker"] = bar | {"position": [1, 0, 0], "orientation": upright}
    ends = {"type": kind, "between": ["crank/coupler", "rocker"], "at": [1, 0, 0], "to_at": [1, 0, 0]}
    return bodies, [ends | ({"axis": [0, 1, 0]} if kind == "hinge" else {}) | loop]


@pytest.mark.parametrize("kind", ["point", "hinge"])
def test_what_a_loop_joins_overlaps_there_without_effect_unless_it_collides(kind):
    """As what a joint connects: to the last bit as without shapes that collide. A ball strikes the linkage."""
    how = {"duration": 0.1, "step": 1e-3, "record_every": 0.01}
    (bodies, loops), joints = overlapping_linkage(kind), ("crank", "rocker", "crank/coupler")
    falling = bodies | {"ball": ball(0.1, 1.0, at=(0.9, 0, 1.2), velocity=[0, 0, -5])}
    pictures, alone = collide(bodies, contact="off", loops=loops, **how), collide(bodies, loops=loops, **how)
    struck = collide(falling, loops=loops, **how)
    for path in joints:
        expected = pictures[path].joint.coordinates
        assert np.array_equal(alone[path].joint.coordinates, expected)
        assert np.array_equal(struck[path].joint.coordinates[:3], expected[:3])
        assert np.abs(struck[path].joint.coordinates[-1] - expected[-1]).max() > 1e-2
    assert "impact" in {event.cause for event in struck.events}
    for more, expected in (({}, []), ({"collide": True}, [("crank/coupler.shapes[0]", "rocker.shapes[0]")])):
        world = build_world(touching(bodies, loops=overlapping_linkage(kind, **more)[1], **how))
        names = shapes_of(world)
        assert [(names[one], names[other]) for one, other, _ in starting_overlaps(world)] == expected
