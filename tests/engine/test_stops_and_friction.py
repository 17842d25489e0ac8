"""Stops, dry friction and motors of a rate in joints, against closed forms and exact energies."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import rigidsim
from jointed_trees import random_tree
from rigidsim.certify.certifying import AGREES, certify
from rigidsim.physics.quaternion import rotate
from rigidsim.report.explain import BodyReport
from rigidsim.report.inspect import Inspection
from support.scenes import make_scene, run

G = 9.81
PARTICLE = {"mass": 1.0, "inertia": "point"}
BOX = {"mass": 2.0, "inertia": {"principal": [0.3, 0.4, 0.5]}}


def on_slide(axis, **keys) -> dict:
    """A particle of 1 kg on a slide."""
    return PARTICLE | {"motion": {"slide": {"axis": list(axis)} | keys}}


def swinging(**keys) -> dict:
    """A particle of 1 kg on 1 m below a hinge."""
    return PARTICLE | {"center_of_mass": [0, 0, -1], "motion": {"hinge": {"axis": [0, -1, 0]} | keys}}


def joints_of(found, name: str) -> np.ndarray:
    return np.asarray(found.arrays[f"joints/{name}"])


def motion_of(found, joint: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A coordinate and its rate."""
    return tuple(joints_of(found, name)[:, joint] for name in ("coordinate", "rate"))


def flights(h: float, e: float, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Height and velocity of a ball that falls from h and rebounds with the restitution e, at some times: flight n
    begins with e^n sqrt(2 g h); the last one ends at sqrt(2 h/g) (1 + e)/(1 - e).
    """
    z, v = np.zeros(len(t)), np.zeros(len(t))
    begin, up = -math.sqrt(2 * h / G), math.sqrt(2 * G * h)
    while up > 1e-30:
        end = begin + 2 * up / G
        flying = (begin <= t) & (t < end)
        z[flying] = up * (t[flying] - begin) - G / 2 * (t[flying] - begin) ** 2
        v[flying] = up - G * (t[flying] - begin)
        begin, up = end, e * up
    return z, v


@pytest.mark.parametrize("side", [1, -1])
def test_a_ball_on_a_stop_rebounds_to_the_closed_form_and_comes_to_rest(side):
    """A lower and an upper limit; after infinitely many rebounds within 1.355 s the ball is at rest, exactly."""
    limits = [0, None] if side > 0 else [None, 0]
    ball = on_slide([0, 0, side], displacement=side * 1.0, limits=limits, restitution=0.5)
    found = run({"ball": ball}, duration=2.0, step=0.01, gravity=[0, 0, -G], record_every=0.01)
    x, rate = (side * each for each in motion_of(found))
    z, v = flights(1.0, 0.5, found.time)
    rest = math.sqrt(2 / G) * 3
    settled = found.time > rest + 0.02
    assert np.abs(x - z).max() < G * 0.01**2 / 2  # no rebound is left out but those within a step; measured 1.3e-5
    early = found.time < rest - 0.1  # the first four rebounds
    assert np.abs(x - z)[early].max() < 1e-13 and np.abs(rate - v)[early].max() < 1e-12
    assert (rate[settled] == 0).all() and (x[settled] == x[-1]).all() and abs(x[-1]) < 1e-14
    assert np.abs(np.ptp(found.total_energy)) < 1e-12
    assert joints_of(found, "force")[settled, 0, 2] == pytest.approx(G, abs=1e-12)


@pytest.mark.parametrize(("step", "bound"), [(1e-3, 1e-12), (5e-3, 5e-10), (1e-2, 1e-8)])
def test_twenty_elastic_impacts_are_the_mirrored_free_pendulum(step, bound):
    """The stop is at the lowest point: the angle is |angle| of the free one, which passes it every half period."""
    start = {"angle": "90 deg"}
    how = {"duration": 24.0, "step": step, "gravity": [0, 0, -G], "record_every": 0.1}
    free = run({"rod": swinging(**start)}, **how)
    found = run({"rod": swinging(**start, limits=[0, None], restitution=1)}, **how)
    x, rate = motion_of(found)
    angle, speed = motion_of(free)
    assert np.sum(np.diff(np.sign(angle)) != 0) >= 20
    assert np.abs(x - np.abs(angle)).max() < bound
    assert np.abs(rate - np.sign(angle) * speed).max() < 3 * bound
    assert np.ptp(found.total_energy) < 10 * np.ptp(free.total_energy) + 1e-12


def test_a_block_slides_to_its_exact_end_and_stays_there():
    """x = v t - F t^2 / (2 m) until t = m v/F."""
    block = on_slide([1, 0, 0], rate=3.0, friction=2.0)
    found = run({"block": block}, duration=2.0, step=0.04, record_every=0.04)
    x, rate = motion_of(found)
    t = np.minimum(found.time, 1.5)
    assert np.abs(x - (3 * t - t**2)).max() < 1e-13
    assert np.abs(rate - (3 - 2 * t)).max() < 1e-13
    stopped = found.time > 1.5
    assert (rate[stopped] == 0).all() and (x[stopped] == x[-1]).all()
    assert np.ptp(found.total_energy) < 1e-12
    assert found.diagnostic("work")[-1] == pytest.approx(-4.5, abs=1e-12)


@pytest.mark.parametrize(("friction", "slips"), [(G * 0.6 * 1.001, False), (G * 0.6 * 0.5, True), (0.0, True)])
def test_a_block_on_an_incline_is_held_or_slips(friction, slips):
    """Of a slope 3 : 4 gravity takes 0.6 g along it."""
    found = run({"block": on_slide([4, 0, -3], friction=friction)}, duration=1.0, step=0.01, gravity=[0, 0, -G],
                record_every=0.1)  # fmt: skip
    x, rate = motion_of(found)
    a = G * 0.6 - friction if slips else 0.0
    assert np.abs(x - a / 2 * found.time**2).max() < 1e-13
    assert np.abs(rate - a * found.time).max() < 1e-13
    if not slips:
        assert (x == 0).all() and (rate == 0).all()


@pytest.mark.parametrize("sign", [1, -1])
def test_a_growing_force_breaks_the_block_loose_at_its_instant(sign):
    """The force c t exceeds the friction F at t = F/c; from there on x = c (t - F/c)^3 / 6."""
    c, friction = 7.0, 3.0
    block = on_slide([1, 0, 0], friction=friction) | {"forces": [{"force": [f"= {sign * c}*t", 0, 0]}]}
    found = run({"block": block}, duration=1.0, step=0.05, record_every=0.05)
    x, rate = motion_of(found)
    since = np.maximum(0, found.time - friction / c)
    assert np.abs(sign * x - c / 6 * since**3).max() < 1e-13
    assert np.abs(sign * rate - c / 2 * since**2).max() < 1e-12
    assert (x[since == 0] == 0).all()
    held = joints_of(found, "force")[:, 0, 0] if sign else None
    assert np.abs(held + sign * np.minimum(c * found.time, friction)).max() < 1e-12


def test_a_mass_on_a_spring_loses_the_same_in_each_half_period_and_stays_off_its_middle():
    """Coulomb friction F on a spring k: half periods of pi sqrt(m/k) about +-F/k, each shorter by 2 F/k."""
    k, friction, start = 100.0, 1.0, 0.095
    block = on_slide([1, 0, 0], displacement=start, friction=friction, spring={"stiffness": k})
    found = run({"block": block}, duration=2.0, step=5e-3, record_every=0.01)
    x, _ = motion_of(found)
    half, w, d = np.floor(found.time * math.sqrt(k) / math.pi), math.sqrt(k), friction / k
    swings = 5  # 0.095, -0.075, 0.055, -0.035, 0.015, -(-0.005): within F/k of the middle
    turn = start - 2 * d * half
    swinging = (turn - d) * (-1.0) ** half * np.cos(w * found.time - math.pi * half) + d * (-1.0) ** half
    expected = np.where(half < swings, swinging, 0.005)
    assert (
        np.abs(x - expected).max() < 1e-7
    )  # that of the method in 20 rad, 20 (w h)^4/120 of the amplitude; measured 1.9e-8
    assert (x[half >= swings] == x[-1]).all() and x[-1] == pytest.approx(0.005, abs=1e-8)


def turning_angles(first: float, friction: float) -> list[float]:
    """The turning angles of a pendulum of 1 kg and 1 m with dry friction, by energy, to the one where it stays."""
    found = [first]
    while G * abs(math.sin(found[-1])) > friction:
        a = found[-1]
        side = math.copysign(1.0, a)

        def lost(b, a=a, side=side):
            return G * (math.cos(b) - math.cos(a)) - side * friction * (a - b)

        # From the middle on the energy that is left falls.
        least = side * math.asin(friction / G)
        found.append(brentq(lost, least, -a, xtol=1e-15, rtol=1e-15))
    return found


@pytest.mark.parametrize(("step", "bound"), [(1e-2, 1e-8), (1e-3, 1e-12)])
def test_a_pendulum_with_dry_friction_rests_at_the_last_of_its_exact_turning_angles(step, bound):
    expected = turning_angles(math.radians(100), 0.7)
    assert len(expected) == 11
    found = run({"rod": swinging(angle="100 deg", friction=0.7)}, duration=16.0, step=step, gravity=[0, 0, -G],
                record_every=0.5)  # fmt: skip
    x, rate = motion_of(found)
    assert rate[-1] == 0 and x[-1] == x[-2]
    assert abs(x[-1] - expected[-1]) < bound
    assert np.ptp(found.total_energy) < 20 * bound


def test_two_blocks_stick_and_slip_as_the_closed_form_says():
    """B lies on A, A on the ground; A is pushed for a second. B slips on A until both are equally fast; they are braked
    together, and stop at one instant. All accelerations are constant between these.
    """
    upper = on_slide([1, 0, 0], friction=1.2)
    lower = PARTICLE | {"mass": 2.0, "motion": {"slide": {"axis": [1, 0, 0], "friction": 3.0}}}
    lower |= {"children": {"b": upper}, "forces": [{"force": [10, 0, 0], "during": [0, 1]}]}
    found = run({"a": lower}, duration=4.0, step=0.01, record_every=0.05)
    a_rate, (along, b_rate) = motion_of(found)[1], motion_of(found, 1)
    t = found.time
    meet = 1 + 1.7 / 3.3
    end = meet + 1.2 * meet
    together = 1.2 * meet - (t - meet)
    v_a = np.select([t < 1, t < meet, t < end], [2.9 * t, 2.9 - 2.1 * (t - 1), together], 0.0)
    v_b = np.select([t < meet, t < end], [1.2 * t, together], 0.0)
    assert np.abs(a_rate - v_a).max() < 1e-12
    assert np.abs(b_rate - (v_b - v_a)).max() < 1e-12
    stuck, still = t > meet, t > end
    assert (b_rate[stuck] == 0).all() and (along[stuck] == along[-1]).all() and (a_rate[still] == 0).all()
    assert along[-1] == pytest.approx(-1.7 / 2 - 1.7**2 / 6.6, abs=1e-12)
    assert np.ptp(found.total_energy) < 1e-11


def test_a_motor_pushes_with_all_it_has_until_its_rate_and_then_as_much_as_that_takes():
    """Up to the wanted rate at t = m v/F, then against a force below its largest one, then against one above it."""
    loads = [{"force": [-3, 0, 0], "during": [1, 3]}, {"force": [-3, 0, 0], "during": [2, 3]}]
    cart = on_slide([1, 0, 0], motor={"rate": 2.0, "max_force": 5.0}) | {"forces": loads}
    found = run({"cart": cart}, duration=4.0, step=0.01, record_every=0.05)
    _, rate = motion_of(found)
    t = found.time
    expected = np.minimum(np.minimum(5 * t, 2.0), np.maximum(2 - (t - 2), 1 + 5 * (t - 3)))
    assert np.abs(rate - expected).max() < 1e-12
    steady = (t > 0.4) & (t < 2)
    assert (rate[steady] == 2.0).all()
    assert np.ptp(found.total_energy) < 1e-11
    push = joints_of(found, "motor")[:, 0]
    within = [(t < 0.4, 5.0), ((t > 0.4) & (t < 1), 0.0), ((t > 1) & (t < 2), 3.0), ((t > 2) & (t < 3.2), 5.0)]
    for when, force in [*within, (t > 3.2, 0.0)]:
        assert np.abs(push[when] - force).max() < 1e-12


def test_a_motor_of_a_rate_turns_wheel_and_satellite_apart_and_momentum_is_kept():
    """A relative rate W between inertias I and J about one axis takes I J/(I + J) W/T."""
    wheel = {"mass": 0.1, "inertia": {"principal": [0.02, 0.01, 0.01]}}
    wheel |= {"motion": {"hinge": {"axis": [1, 0, 0], "motor": {"rate": 30.0, "max_torque": 0.5}}}}
    found = run({"satellite": BOX | {"children": {"wheel": wheel}}}, duration=2.0, step=0.01, record_every=0.05)
    rate = motion_of(found)[1]
    share = 0.3 * 0.02 / 0.32
    assert np.abs(rate - np.minimum(30, 0.5 / share * found.time)).max() < 1e-11
    assert found["satellite"].world.angular_velocity[-1, 0] == pytest.approx(-30 * 0.02 / 0.32, abs=1e-12)
    assert np.abs(found.angular_momentum).max() < 1e-13
    assert np.ptp(found.total_energy) < 1e-11


def test_a_stop_in_a_free_tree_keeps_its_momenta():
    """Two bodies in space on a slide with stops: they rebound from each other with the restitution, and the velocity of
    their centre of mass stays.
    """
    other = BOX | {"mass": 1.0, "motion": {"slide": {"axis": [1, 0, 0], "rate": 1.0, "limits": [-0.5, 0.5],
                                                     "restitution": 0.8}}}  # fmt: skip
    found = run({"one": BOX | {"children": {"other": other}, "velocity": [0.1, 0, 0]}}, duration=3.0, step=0.01,
                record_every=0.01)  # fmt: skip
    x, rate = motion_of(found)
    assert np.ptp(found.diagnostic("linear_momentum"), axis=0).max() < 1e-14
    assert np.ptp(found.angular_momentum, axis=0).max() < 1e-14
    hits = np.array([0.5, 0.5 + 1 / 0.8, 0.5 + 1 / 0.8 + 1 / 0.64])
    n = np.searchsorted(hits, found.time)
    apart = np.abs(found.time[:, None] - hits).min(axis=1) > 1e-9  # at a sample it may be before or after the impact
    assert np.abs(rate - (-0.8) ** n)[apart].max() < 1e-13
    assert np.abs(x).max() <= 0.5 + 1e-14
    assert np.ptp(found.total_energy) < 1e-13


@pytest.mark.parametrize("rate", [0.0, -1e-6, -1e-3, 1e-3])
def test_a_fall_between_near_stops_ends_at_its_time(rate):
    """The whole fall of a micrometre is a twentieth of a step, and its first rate says little about the last one."""
    ball = on_slide([0, 0, 1], displacement=5e-7, rate=rate, limits=[-5e-7, 5e-6], restitution=0.5)
    found = run({"ball": ball}, duration=0.01, step=0.01, gravity=[0, 0, -G])
    time = (rate + math.sqrt(rate**2 + 2 * G * 1e-6)) / G
    assert found.events[0].time == pytest.approx(time, abs=1e-14)
    assert found.events[0].velocity_before[2] == pytest.approx(rate - G * time, abs=1e-13)
    assert np.ptp(found.total_energy) < 1e-16
    assert motion_of(found)[0][-1] == -5e-7


@pytest.mark.parametrize(
    ("method", "gap"), [("rkmk4", 1e-6), ("adaptive", 1e-9), pytest.param("taylor", 1e-9, marks=pytest.mark.slow)]
)
def test_a_coordinate_that_rattles_between_near_stops_comes_to_rest_and_never_passes_them(method, gap):
    """Elastic impacts end as a plastic one, if more than a hundred are in a step, or in 1e-4 of the grid."""
    ball = on_slide([1, 0, 0], rate=1.0, limits=[0, gap], restitution=1)
    found = run({"ball": ball}, duration=0.02, step=0.01, integrator=method)
    assert 100 <= len(found.events) <= 102
    assert motion_of(found)[1][-1] == 0 and 0 <= motion_of(found)[0][-1] <= gap
    assert found.diagnostic("work")[-1] == pytest.approx(-0.5, abs=1e-12)


@pytest.mark.parametrize("method", ["rkmk4", "adaptive", pytest.param("taylor", marks=pytest.mark.slow)])
def test_a_force_of_time_takes_a_body_off_its_stop_at_its_instant(method):
    """F = 2 (0.3 - t) N holds 1 kg at the stop; from 0.3 s on x = -(t - 0.3)^3/3 m. The sign of the acceleration at
    that instant is that of rounding.
    """
    block = on_slide([1, 0, 0], limits=[None, 0], restitution=0) | {"forces": [{"force": ["= 2*(0.3 - t)", 0, 0]}]}
    found = run({"block": block}, duration=0.8, step=0.02, integrator=method)
    away = np.maximum(found.time - 0.3, 0.0)
    assert motion_of(found)[0] == pytest.approx(-(away**3) / 3, abs=1e-10)
    assert motion_of(found)[1] == pytest.approx(-(away**2), abs=1e-10)


@pytest.mark.parametrize("method", ["rkmk4", "adaptive", pytest.param("taylor", marks=pytest.mark.slow)])
def test_a_body_that_leaves_its_stop_from_rest_and_comes_back_in_a_step_does_not_pass_it(method):
    """F = t - 0.05 N on 1 kg at a stop: x = t^3/6 - t^2/40 m up to 0.15 s, then zero."""
    block = on_slide([1, 0, 0], limits=[None, 0], restitution=0) | {"forces": [{"force": ["= t - 0.05", 0, 0]}]}
    found = run({"block": block}, duration=0.5, step=0.1, integrator=method)
    t = found.time
    assert motion_of(found)[0] == pytest.approx(np.where(t < 0.15, t**3 / 6 - t**2 / 40, 0.0), abs=1e-12)
    assert [event.time for event in found.events] == pytest.approx([0.15], abs=1e-10)


def tangled(k: int = 0) -> dict:
    """A tree with all three: a cart with friction on a tilted slide, an arm on it with stops, a wheel with a motor."""
    wheel = BOX | {"mass": 0.3, "center_of_mass": [0.02, 0, 0.01], "position": [0, 0, -1]}
    wheel |= {"motion": {"hinge": {"axis": [0, 1, 0.2], "motor": {"rate": 6.0 + k, "max_torque": 0.8}}}}
    arm = BOX | {"center_of_mass": [0, 0, -0.5], "children": {"wheel": wheel}}
    arm |= {"motion": {"hinge": {"axis": [0, -1, 0], "angle": 1.2, "limits": [-0.3 + 0.01 * k, 1.3],
                                 "restitution": 0.6, "friction": 0.2}}}  # fmt: skip
    slide = {"axis": [1, 0, 0.1], "friction": 1.5 + 0.1 * k, "limits": [-0.4, 0.4], "restitution": 0.3}
    return {"cart": BOX | {"children": {"arm": arm}, "motion": {"slide": slide}}}


WING = {"mass": 1.0, "inertia": {"principal": [0.05] * 3}}


def butterfly(order, **keys) -> dict:
    """A free body with two mirrored wings on hinges, in this order of the file."""
    wings = {
        name: WING | {"center_of_mass": [0.4 * side, 0, 0], "position": [0.2 * side, 0, 0],
                      "motion": {"hinge": {"axis": [0, side, 0], "rate": -2, "limits": [-0.5, 3], **keys}}}
        for name, side in (("left", -1), ("right", 1))
    }  # fmt: skip
    base = {"mass": 1.0, "inertia": {"principal": [0.1] * 3}}
    return {"base": base | {"children": {name: wings[name] for name in order}}}


@pytest.mark.parametrize("method", ["rkmk4", pytest.param("taylor", marks=pytest.mark.slow)])
def test_stops_that_are_reached_at_one_instant_are_struck_together(method):
    """What is symmetric stays so: neither wing strikes first, whatever their order, and no energy is lost."""
    found = [
        run(butterfly(order, restitution=1), duration=0.5, step=1e-3, integrator=method, record_every=0.05)
        for order in (("left", "right"), ("right", "left"))
    ]
    for each in found:
        rates = joints_of(each, "rate")
        assert abs(rates[:, 0] - rates[:, 1]).max() < 1e-12 and rates[-1, 0] > 1
        assert abs(each["base"].world.angular_velocity).max() < 1e-12
        assert np.ptp(each.total_energy) < 1e-12
    assert abs(joints_of(found[0], "rate") - joints_of(found[1], "rate")).max() < 1e-12


def test_an_arm_at_rest_on_its_stop_gives_its_forearm_back_what_strikes_its_stop():
    """The forearm presses the arm into its stop, which does not give way: b comes back as fast as it came."""
    forearm = {"mass": 1.0, "inertia": {"principal": [0.1] * 3}, "center_of_mass": [0.4, 0, 0], "position": [1, 0, 0]}
    forearm["motion"] = {"hinge": {"axis": [0, 1, 0], "rate": 3, "limits": [-2, 0.3], "restitution": 1}}
    arm = {"mass": 2.0, "inertia": {"principal": [0.2] * 3}, "center_of_mass": [0.5, 0, 0]}
    arm |= {"motion": {"hinge": {"axis": [0, 1, 0], "limits": [-1, 0]}}, "children": {"b": forearm}}
    found = run({"a": arm}, duration=0.16, step=1e-3, gravity=[0, 0, -G], record_every=0.16)
    # A pendulum of 0.26 kg m^2 about its hinge: 0.13 rate^2 - 4 g m d sin(x) keeps its value, also when thrown back.
    x, rate = motion_of(found, 1)
    energy = 0.13 * rate**2 - 0.4 * G * np.sin(x)
    assert rate[-1] < -1 and abs(energy[-1] - energy[0]) < 1e-10
    assert motion_of(found, 0)[1][-1] == 0.0


def test_impacts_at_one_instant_of_bodies_apart_do_not_share_their_restitution():
    beads = {
        f"b{k}": on_slide([1, 0, 0], rate=1.0, limits=[-0.1, 0.1], restitution=e) | {"position": [0, k, 0]}
        for k, e in enumerate((1.0, 0.5, 0.0))
    }
    found = run(beads, duration=0.15, step=0.05, record_every=0.05)
    assert joints_of(found, "rate")[-1] == pytest.approx([-1.0, -0.5, 0.0], abs=1e-15)


@pytest.mark.parametrize("method", ["adaptive", "taylor"])
def test_impacts_far_apart_in_time_do_not_end_each_other(method):
    """A mass between elastic stops: its way folded, after each of 150 impacts as after the first."""
    body = {"mass": 1.0, "inertia": "point", "motion": {"slide": {"axis": [1, 0, 0], "rate": 1.0}}}
    body["motion"]["slide"] |= {"limits": [-0.1, 0.1], "restitution": 1}
    found = run({"bead": body}, duration=30.05, step=0.05, integrator=method, record_every=0.05)
    x, v = motion_of(found)
    folded = 0.1 - abs((found.time - 0.1) % 0.4 - 0.2)
    assert abs(x + folded).max() < 1e-12 and abs(abs(v) - 1.0).max() < 1e-12


@pytest.mark.parametrize("method", ["adaptive", "taylor"])
def test_many_bodies_between_stops_do_not_share_a_count_of_impacts(method):
    """Ten beads, 146 impacts in all: each takes the share 0.95 of a rate, so the k-th way takes 0.2/(0.95^k rate)."""
    stops = {"limits": [-0.1, 0.1], "restitution": 0.95}
    beads = {f"b{k}": on_slide([1, 0, 0], rate=1 + 0.1 * k, **stops) | {"position": [0, k, 0]} for k in range(10)}
    found = run(beads, duration=3, step=1e-3, integrator=method, record_every=0.5)
    counts = []
    for k in range(10):
        rate, time, count = 1 + 0.1 * k, 0.1 / (1 + 0.1 * k), 0
        while time < 3:
            rate, count = -0.95 * rate, count + 1
            time += 0.2 / abs(rate)
        assert joints_of(found, "rate")[-1, k] == pytest.approx(rate, abs=1e-13)
        counts.append(count)
    assert sum(counts) == 146


def test_impacts_at_stops_are_events(tmp_path):
    """At their exact times, with the impulse on the body, its rate before and after, and the energy that is lost."""
    ball = on_slide([0, 0, -1], displacement=-1.0, limits=[None, 0], restitution=0.5) | {"scale": 2.0}
    door = BOX | {"motion": {"hinge": {"axis": [0, 0, 1], "rate": -2.0, "limits": [-1, 1], "restitution": 1}}}
    found = run({"ball": ball, "door": door}, duration=1.1, step=0.01, gravity=[0, 0, -G], record_every=0.1)
    fall, speed = math.sqrt(2 / G), math.sqrt(2 * G)
    expected = [(fall, "ball.limits[1]", speed), (0.5, "door.limits[0]", 2.0), (2 * fall, "ball.limits[1]", speed / 2)]
    events = list(found.events)
    assert [event.id for event in events] == [name for _, name, _ in sorted(expected)]
    for event, (time, name, rate) in zip(events, sorted(expected), strict=True):
        assert (event.cause, event.receiver, event.parent_after) == ("stop", name[:4], "")
        assert event.time == pytest.approx(time, abs=1e-13)
        if event.body == "ball":
            assert event.impulse == pytest.approx((0, 0, 1.5 * rate), abs=1e-12)
            assert (event.velocity_before[2], event.velocity_after[2]) == pytest.approx((-rate, rate / 2), abs=1e-12)
            assert event.energy == pytest.approx(-3 / 8 * rate**2, abs=1e-11)
        else:
            assert event.angular_impulse == pytest.approx((0, 0, 2 * rate * 0.5), abs=1e-12)
            assert event.energy == pytest.approx(0, abs=1e-12)
    found.save(tmp_path / "found.h5")
    with rigidsim.load(tmp_path / "found.h5") as kept:
        assert list(kept.events) == events
        shown = str(Inspection.of(kept, tmp_path / "found.h5"))
        assert "0.5 s  door reaches its lower limit: [0, 0, 2] N m s; energy" in shown
        assert "ball reaches its upper limit" in str(BodyReport.of(kept, "ball", fall))


@pytest.mark.slow
def test_each_of_many_worlds_has_its_own_events():
    count = {"metrics": {"hits": "= count('stops')"}}
    scenes = [rigidsim.Scene.from_dict(make_scene(tangled(k), **HOW).resolved() | count) for k in (0, 30, 60)]
    together, alone = rigidsim.simulate(scenes), [rigidsim.simulate(scene) for scene in scenes]
    for one, other in zip(together, alone, strict=True):
        assert len(other.events) > 1 and list(one.events) == list(other.events)
        assert one.metrics == other.metrics == {"hits": len(other.events)}
    assert len({found.metrics["hits"] for found in alone}) > 1


def test_a_satellite_with_stops_friction_and_motors_moves_as_below_any_other_frame():
    """Turned, in spinning and accelerated frames, in another order, with half the step, and by another integrator."""
    ship = BOX | {"mass": 5.0, "velocity": [0.3, 0.1, 0], "angular_velocity": [0.2, -0.5, 0.1], "children": tangled()}
    found = certify(make_scene({"ship": ship}, **HOW | {"duration": 1.0}))
    assert found.is_certified
    assert sum(way.verdict == AGREES for way in found.ways) == 8


def limited(random: np.random.Generator, start: float) -> list[float]:
    """Limits around a start, perhaps a micrometre apart."""
    return [start - float(random.choice([0, 0.01, 0.3])), start + float(random.choice([1e-6, 0.05, 0.5]))]


def with_modes(bodies: dict, random: np.random.Generator) -> dict:
    """The bodies, with friction, stops and motors in some of the coordinates of their joints."""
    for body in bodies.values():
        kind, keys = next(iter(body["motion"].items())) if isinstance(body.get("motion"), dict) else ("free", {})
        starts = [keys.get(key, 0.0) for key in {"hinge": ["angle"], "slide": ["displacement"]}.get(kind, [])]
        if starts:
            largest = {"max_torque" if kind == "hinge" else "max_force": float(random.choice([0.1, 1, 30]))}
            motor = {"motor": {"rate": random.normal()} | largest}
            keys |= [{"friction": float(random.choice([0.01, 0.5, 20]))}, motor, {}][random.integers(3)]
            if random.random() < 0.6:
                keys |= {"limits": limited(random, starts[0]), "restitution": float(random.choice([0, 0.5, 1]))}
        elif kind in ("universal", "cylindrical", "planar"):
            zero = [0.0] * (3 if kind == "planar" else 2)
            starts = keys.get("angles", [keys["displacement"], keys["angle"]] if kind == "cylindrical" else zero)
            keys |= {"frictions": random.choice([0, 0.1, 2], size=len(starts)).tolist()}
            keys |= {"restitutions": random.choice([0, 0.5, 1], size=len(starts)).tolist()}
            keys |= {"limits": [limited(random, x) if random.random() < 0.6 else None for x in starts]}
        with_modes(body.get("children", {}), random)
    return bodies


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 300))])
def test_coordinates_of_random_trees_never_pass_their_stops_and_the_ledger_closes(seed):
    random = np.random.default_rng(seed)
    root = str(random.choice(["free", "hinge", "slide"]))
    bodies = with_modes(random_tree(seed, int(random.integers(4, 8)), root), random)
    found = run(bodies, duration=0.5, step=5e-3, gravity=[0, 0, -G], record_every=0.02)
    scene, x = found.header.scene, joints_of(found, "coordinate")
    joints = [scene.hierarchy[path].joint for path in found.header.joints]
    coordinates = [one for joint in joints for one in joint.coordinates]
    for one, course in zip(coordinates, x.T, strict=True):
        assert one.low - 1e-12 <= course.min() and course.max() <= one.high + 1e-12
    energy = found.total_energy
    size = max(np.abs(found.diagnostic(part)).max() for part in ("kinetic_energy", "potential_energy", "work"))
    assert np.ptp(energy) <= 1e-4 * size  # the method's own error, of trees that turn by 0.1 rad a step


HOW = {"duration": 2.0, "step": 5e-3, "gravity": [0, 0, -G], "record_every": 0.1}


def test_worlds_side_by_side_have_the_bits_of_each_alone():
    scenes = [make_scene(tangled(k), **HOW) for k in range(18)]
    together = [found.content_hash for found in rigidsim.simulate(scenes)]
    assert len(set(together)) == 18
    assert together == [rigidsim.simulate(scene).content_hash for scene in scenes]


def test_slices_of_a_run_do_not_change_its_bits():
    scene = make_scene(tangled(), **HOW)
    whole = rigidsim.simulate(scene)
    simulation = rigidsim.Simulation(scene)
    for count in (1, 7, 92, 300):
        simulation.step(count)
    assert np.array_equal(simulation.state["cart/arm/wheel"].world.position, whole["cart/arm/wheel"].world.position[-1])
    assert np.array_equal(simulation.state["cart/arm"].world.velocity, whole["cart/arm"].world.velocity[-1])


def test_the_ledger_of_a_tree_with_all_of_them_closes_at_order_four():
    errors = [np.ptp(run(tangled(), **HOW | {"step": step}).total_energy) for step in (1e-2, 5e-3)]
    assert errors[1] < 1e-6 and errors[1] < errors[0] / 8


@pytest.mark.parametrize(
    "frame",
    [{"position": [3, -2, 5], "orientation": {"axis": [1, 2, 3], "angle": 0.9}}, {"scale": 8.0}],
    ids=["turned", "larger"],
)
def test_a_tree_moves_in_the_world_as_it_does_below_another_frame(frame):
    """Fixed frames: turned by a quaternion, which rounds, and of larger units, a power of two."""
    bodies, gravity = tangled(), np.array([0, 0, -G])
    above = run(bodies, **HOW)
    if "scale" in frame:
        bodies["cart"] |= {"scale": 0.125}
        slide = bodies["cart"]["motion"]["slide"]
        slide["limits"] = [end / 8 for end in slide["limits"]]
    else:
        q = rigidsim.Scene.from_dict(
            {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 1}, "bodies": {"b": frame}}
        ).hierarchy["b"].orientation  # fmt: skip
        gravity = np.array(rotate(q, tuple(gravity)))
    below = run({"frame": frame | {"children": bodies}}, **HOW | {"gravity": gravity.tolist()})
    for name in ("coordinate", "rate"):
        one, other = (joints_of(found, name) for found in (above, below))
        assert np.abs(one - other).max() < (1e-9 if "position" in frame else 1e-12)


def test_what_rests_at_its_stop_is_not_struck_by_the_rounding_of_an_impact_across():
    tilted = {"axis": [0.3, 1, 0.2], "angle": "37 deg"}
    lift = {"slide": {"axis": {"frame": "world", "value": [0, 0, 1]}, "limits": [0, None]}}
    across = {"frame": "world", "value": [1, 0, 0]}
    cart = {"slide": {"axis": across, "rate": 1, "limits": [None, 0.1], "restitution": 0.5}}
    particle = {"mass": 1, "inertia": "point"}
    bodies = {
        "lift": particle | {"orientation": tilted, "motion": lift, "children": {"cart": particle | {"motion": cart}}}
    }
    found = rigidsim.simulate(
        rigidsim.Scene.from_dict(
            {
                "format": "rigidsim/1",
                "simulation": {"duration": 0.2, "step": 0.001},
                "world": {"gravity": [0, 0, -9.81]},
                "bodies": bodies,
            }
        )
    )
    assert [event.id for event in found.events] == ["lift/cart.limits[1]"]
