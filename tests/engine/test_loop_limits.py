"""Loops that have limits: ropes, and the swing and twist of a ball joint; against closed forms, other formulations with
joints, and independent integrations.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rigidsim
from rigidsim.errors import SceneError
from rigidsim.report.explain import BodyReport
from rigidsim.report.jumps import cause_of
from support.scenes import make_scene, run

G = 10.0
DOWN = [0, 0, -G]
PARTICLE = {"mass": 2.0, "inertia": "point"}
ROD = {"mass": 2.0, "inertia": {"principal": [0.05, 0.06, 0.02]}, "center_of_mass": [0, 0, -0.3]}
METHODS = [
    ("rkmk4", 3e-9),
    ({"name": "adaptive", "rtol": 1e-12}, 3e-12),
    pytest.param({"name": "taylor", "tolerance": 1e-14}, 3e-12, marks=pytest.mark.slow),
]


def rope(most, between=("world", "ball"), **keys) -> dict:
    return {"type": "distance", "between": list(between), "max_length": most} | keys


def angle(type, **keys) -> dict:
    return {"type": type, "between": ["world", "ball"], "axis": [0, 0, 1]} | keys


LEDGER = ("linear_momentum", "spin_angular_momentum", "orbital_angular_momentum", "kinetic_energy")


def stops_of(found) -> list:
    return [event for event in found.events.scheduled if event.cause == "stop"]


@pytest.mark.parametrize(("method", "bound"), METHODS)
def test_a_falling_particle_is_caught_by_a_rope_and_swings(method, bound):
    """Taut after sqrt(2 sqrt(3)/g) s, at 30 deg; what is across the rope remains of the velocity. Measured 1.6e-9 m at
    5 ms, 1e-12 m with steps by tolerance.
    """
    ball = PARTICLE | {"position": [1, 0, 0]}
    found = run(
        {"ball": ball}, loops=[rope(2)], gravity=DOWN, duration=3, step=5e-3, integrator=method, record_every=0.1
    )
    taut, angle = math.sqrt(2 * math.sqrt(3) / G), math.pi / 6
    (event,) = stops_of(found)
    assert abs(event.time - taut) < 1e-13
    v = G * taut
    jerk = PARTICLE["mass"] * v * math.cos(angle)
    assert np.allclose(event.impulse, [-jerk * 0.5, 0, jerk * math.sqrt(0.75)], rtol=0, atol=1e-12)
    assert abs(event.energy + PARTICLE["mass"] / 2 * (v * math.cos(angle)) ** 2) < 1e-11
    assert event.id == "world.loops[0].max_length" and event.name == "world-ball"

    def swing(_, y):
        return [y[1], -G / 2 * math.sin(y[0])]

    start = [angle, -v * math.sin(angle) / 2]
    t, (x, _, z) = found.time, found["ball"].world.position.T
    late = t > taut
    angles = solve_ivp(swing, (taut, 3), start, rtol=1e-12, atol=1e-13, dense_output=True).sol(t[late])[0]
    assert np.abs(x[late] - 2 * np.sin(angles)).max() < bound and np.abs(z[late] + 2 * np.cos(angles)).max() < bound
    assert np.abs(z[~late] + G / 2 * t[~late] ** 2).max() < 1e-14
    assert np.abs(np.hypot(x, z)[late] - 2).max() < 1e-12
    force = np.asarray(found.arrays["loops/force"])[:, 0]
    rates = np.sum(found["ball"].world.velocity ** 2, axis=1)
    tension = PARTICLE["mass"] * (rates / 2 - G * z / 2)
    assert np.abs(np.linalg.norm(force, axis=1)[late] - tension[late]).max() < 1e-10
    assert not force[~late].any()


@pytest.mark.parametrize("e", [1.0, 0.5])
def test_a_particle_inside_of_a_circle_flies_along_chords(e):
    """Without gravity; the rope gives back e of the radial velocity. Only rounding is left, as flights are straight."""
    ball = PARTICLE | {"position": [0.3, -0.4, 0], "velocity": [3, 2, 0]}
    found = run({"ball": ball}, loops=[rope(1, restitution=e)], duration=4, step=0.01, record_every=0.05)
    p, v, t = np.array([0.3, -0.4]), np.array([3.0, 2.0]), 0.0
    flights = [(0.0, p, v)]
    while t < 4:
        ahead = p @ v
        flight = (-ahead + math.sqrt(ahead * ahead + v @ v * (1 - p @ p))) / (v @ v)
        t, p = t + flight, p + flight * v
        v = v - (1 + e) * (v @ p) * p
        flights.append((t, p, v))
        if e < 1 and v @ p > -0.2:
            break  # slower rebounds may end within a step, and are none
    until = flights[-1][0]
    for time, here in zip(found.time, found["ball"].world.position[:, :2], strict=True):
        begin, p, v = next(each for each in reversed(flights) if each[0] <= time)
        if time < until:
            assert np.abs(here - p - (time - begin) * v).max() < 1e-12
    struck = [event.time for event in stops_of(found)]
    assert np.abs(np.array(struck[: len(flights) - 2]) - [each[0] for each in flights[1:-1]]).max() < 1e-12
    spin = np.cross(found["ball"].world.position, found["ball"].world.velocity)[:, 2]
    assert np.abs(spin - spin[0]).max() < (1e-13 if e == 1 else 1e-9)  # along the circle of the order of the method
    if e < 1:  # after infinitely many rebounds the particle runs along the circle
        last = found["ball"].world
        assert abs(np.linalg.norm(last.position[-1]) - 1) < 1e-14 and abs(last.position[-1] @ last.velocity[-1]) < 1e-13


def test_steps_by_series_go_on_through_many_limits():
    """A body on a ball joint rebounds in its cone, once from a step that began at the cone. The progress of a run is no
    orientation, which has length 1. Measured 8e-13 s.
    """
    ball = {
        "mass": 1.2, "inertia": {"principal": [0.93, 0.30, 1.05]}, "center_of_mass": [0.31, 0.55, -0.32],
        "motion": {"ball": {}}, "angular_velocity": [-0.77, 0.43, -0.06],
    }  # fmt: skip
    how = {"loops": [angle("swing", max_angle=0.08, restitution=0.7)], "gravity": [-1.4, 2.3, -1.0], "duration": 1}
    series, steps = (
        run({"ball": ball}, integrator=method, step=1e-3, record_every=0.1, **how)
        for method in ({"name": "taylor", "tolerance": 1e-13}, "rkmk4")
    )
    expected = [event.time for event in stops_of(steps)]
    assert len(expected) > 1
    assert np.abs(np.subtract([event.time for event in stops_of(series)], expected)).max() < 1e-11


def test_a_rope_goes_slack_where_it_would_push_and_catches_again():
    """A pendulum that is too slow for a whole turn leaves the circle where the tension is zero, falls in a parabola,
    and is caught.
    """
    speed, length = 8.0, 1.9
    ball = PARTICLE | {"position": [0, 0, -length], "velocity": [speed, 0, 0]}
    found = run({"ball": ball}, loops=[rope(length)], gravity=DOWN, duration=3, step=2e-3, record_every=0.01)
    up = (speed**2 / (G * length) - 2) / 3  # the sine of the angle above the horizontal where it leaves

    def swing(_, y):
        return [y[1], -G / length * math.sin(y[0])]

    def leaves(_, y):
        return -math.cos(y[0]) - up

    leaves.terminal = True
    circle = solve_ivp(swing, (0, 2), [0, speed / length], rtol=1e-12, atol=1e-13, dense_output=True, events=leaves)
    begin, (angle, rate) = circle.t[-1], circle.y[:, -1]
    p = length * np.array([math.sin(angle), -math.cos(angle)])
    v = length * rate * np.array([math.cos(angle), math.sin(angle)])
    # |p + v s + g s^2/2|^2 = length^2, of which two roots are 0: the speed and curvature of both paths agree there.
    polynomial = [G * G / 4, -G * v[1], v @ v - G * p[1], 2 * p @ v, 0.0]
    caught = begin + max(root.real for root in np.roots(polynomial) if abs(root.imag) < 1e-6)
    event = stops_of(found)[0]
    assert abs(event.time - caught) < 2e-9  # measured 2e-10: the swing has the order of the method
    for time, (x, _, z) in zip(found.time, found["ball"].world.position, strict=True):
        if time <= begin:
            angle = circle.sol(time)[0]
            expected = length * np.array([math.sin(angle), -math.cos(angle)])
        elif time <= caught:
            s = time - begin
            expected = p + s * v + [0, -G / 2 * s * s]
        else:
            continue
        assert np.abs(expected - [x, z]).max() < 2e-9


def test_a_rope_between_free_bodies_keeps_momenta_and_takes_the_energy_of_the_jerk():
    bodies = {
        "a": {
            "mass": 1.0,
            "inertia": {"principal": [0.1, 0.2, 0.3]},
            "velocity": [-1, 2, 0],
            "angular_velocity": [1, 2, 3],
        },
        "b": {
            "mass": 3.0,
            "inertia": {"principal": [0.4, 0.3, 0.2]},
            "position": [1, 0, 0],
            "angular_velocity": [0, 2, -3],
        },
    }
    one = rope(2, ("a", "b"), at=[0.1, 0.2, 0], to_at=[0, -0.3, 0], restitution=0.9, min_length=1)
    found = run(bodies, loops=[one], duration=8, step=2e-3, record_every=0.01)
    part = {name: np.asarray(found.arrays[f"diagnostics/{name}"]) for name in LEDGER}
    p, spin = part["linear_momentum"], part["spin_angular_momentum"] + part["orbital_angular_momentum"]
    assert np.abs(p - p[0]).max() < 1e-13 and np.abs(spin - spin[0]).max() < 1e-10
    events, kinetic = stops_of(found), part["kinetic_energy"]
    assert len(events) > 5 and {event.id.rpartition(".")[2] for event in events} == {"max_length", "min_length"}
    # An impulse P along n changes the relative speed along n from -u to e u, so the energy by -(1 - e) u P/2.
    for event in events:
        assert event.energy < 0
    lost = kinetic[0] - kinetic[-1]
    assert abs(lost + sum(event.energy for event in events)) < 1e-9
    r = found["b"].world.position - found["a"].world.position
    assert np.linalg.norm(r, axis=1).max() < 2 + 0.3 + 0.3


@pytest.mark.parametrize("e", [0.0, 0.7])
def test_limits_of_a_distance_move_a_body_as_stops_of_a_slide_do(e):
    """Along one line a distance is the coordinate of a slide."""
    ball, axis = PARTICLE, [0, 0, 1]
    slide = {"axis": axis, "displacement": 1.0, "limits": [0.4, 1.9], "restitution": e, "rate": 6.0}
    on_stops = {"ball": ball | {"motion": {"slide": slide}}}
    slide = {"axis": axis, "displacement": 1.0, "rate": 6.0}
    on_rope = {"ball": ball | {"motion": {"slide": slide}}}
    how = {"gravity": DOWN, "duration": 3, "step": 0.01, "record_every": 0.01}
    expected = run(on_stops, **how)
    found = run(on_rope, loops=[rope(1.9, min_length=0.4, restitution=e)], **how)
    z, heights = found["ball"].world.position[:, 2], expected["ball"].world.position[:, 2]
    assert np.abs(z - heights).max() < 1e-13
    times, own = ([event.time for event in stops_of(one)] for one in (expected, found))
    assert len(times) == len(own) and np.abs(np.subtract(times, own)).max() < 1e-13


@pytest.mark.parametrize(
    ("axis", "limits"),
    [
        ([1, 0, 0], {"type": "swing", "axis": [0, 0, 1], "max_angle": "50 deg"}),
        ([0, 0, 1], {"type": "twist", "axis": [0, 0, 1], "limits": ["-50 deg", "50 deg"]}),
        ([0.6, 0, 0.8], {"type": "turn", "max_angle": "50 deg"}),
    ],
    ids=["swing", "twist", "turn"],
)
def test_limits_of_angles_turn_a_body_as_stops_of_a_hinge_do(axis, limits):
    """About one axis the swing and the turn are the size of the angle of a hinge, and the twist the angle."""
    body = {"mass": 2.0, "inertia": {"principal": [0.05, 0.06, 0.02]}, "center_of_mass": [0.1, -0.3, -0.2]}
    hinge = {"axis": axis, "rate": -5.0}
    stops = ["-50 deg", "50 deg"]
    how = {"gravity": [3, 1, -G], "duration": 3, "step": 5e-3, "record_every": 0.05}
    expected = run({"arm": body | {"motion": {"hinge": hinge | {"limits": stops, "restitution": 0.5}}}}, **how)
    loop = limits | {"between": ["world", "arm"], "restitution": 0.5}
    found = run({"arm": body | {"motion": {"hinge": hinge}}}, loops=[loop], **how)
    angles, own = (np.asarray(one.arrays["joints/coordinate"])[:, 0] for one in (expected, found))
    assert len(stops_of(expected)) > 3
    assert np.abs(own - angles).max() < 2e-11  # measured 3e-12: loops are held by multipliers, stops by the coordinate


def test_a_symmetric_rod_on_a_ball_joint_rebounds_in_its_cone_as_an_own_integration_says():
    """Without gravity across the axis the momentum about the vertical is kept, and an elastic impact turns the rate of
    the angle round: theta'' = L^2 cos/(I sin^3) - (m g l/I) sin, with I about the joint and L = I sin^2 phi'.
    """
    lever, mass, across = 0.3, 2.0, 0.05
    inertia = across + mass * lever**2
    tilt, most = 0.5, 0.9
    rod = {
        "mass": mass, "inertia": {"principal": [across, across, 0.01]}, "center_of_mass": [0, 0, -lever],
        "motion": {"ball": {}}, "orientation": {"axis": [1, 0, 0], "angle": tilt},
    }  # fmt: skip
    speed, swirl = 6.0, 2.0  # of the angle, and about the vertical
    rod["angular_velocity"] = [speed, 0, swirl]
    spin = swirl  # of the vertical rate, along the rod it turns, too
    loop = {"type": "swing", "between": ["world", "rod"], "axis": [0, 0, -1], "to_axis": [0, 0, -1], "max_angle": most,
            "restitution": 1}  # fmt: skip
    found = run({"rod": rod}, loops=[loop], gravity=DOWN, duration=2, step=1e-3, record_every=0.05)
    along = 0.01 * spin * math.cos(tilt)  # momentum along the rod, which is kept
    total = (inertia * math.sin(tilt) ** 2 * swirl) + along * math.cos(tilt)

    def turn(_, y):
        sine, cosine = math.sin(y[0]), math.cos(y[0])
        rate = (total - along * cosine) / (inertia * sine**2)
        return [y[1], rate**2 * sine * cosine - along * rate * sine / inertia - mass * G * lever * sine / inertia]

    def meets(_, y):
        return y[0] - most

    meets.terminal, meets.direction = True, 1
    t, y, times, parts = 0.0, [tilt, speed], [], []
    while t < 2:
        part = solve_ivp(turn, (t, 2), y, rtol=1e-12, atol=1e-13, dense_output=True, events=meets)
        parts.append((t, part.sol))
        t, y = part.t[-1], [part.y[0, -1], -part.y[1, -1]]
        times.append(t)
    axis = -_third_axes(found["rod"].world.orientation)
    angles = np.arccos(-axis[:, 2])
    assert len(times) > 4
    assert np.abs(np.array([event.time for event in stops_of(found)]) - times[:-1]).max() < 1e-9
    for time, angle in zip(found.time, angles, strict=True):
        path = next(path for begin, path in reversed(parts) if begin <= time)
        assert abs(angle - path(time)[0]) < 1e-8
    energy = sum(np.asarray(found.arrays[f"diagnostics/{name}"]) for name in ("kinetic_energy", "potential_energy"))
    assert np.abs(energy - energy[0]).max() < 1e-9


def _third_axes(q) -> np.ndarray:
    w, x, y, z = np.asarray(q).T
    return np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=-1)


def test_a_rope_on_a_moving_carrier_pulls_as_at_rest():
    """A carrier at a constant velocity, turned: the motion in it is that of a carrier at rest."""

    def bodies(**motion) -> dict:
        carrier = {"motion": {"prescribed": motion}} if motion else {"motion": "fixed"}
        turned = {"orientation": {"axis": [1, 2, 3], "angle": 0.7}}
        return {"carrier": carrier | turned | {"children": {"ball": PARTICLE | {"position": [1, 0, 0]}}}}

    loop, how = rope(2, ("carrier", "carrier/ball"), restitution=0.3), {"gravity": DOWN, "duration": 2, "step": 5e-3}
    still = run(bodies(), loops=[loop], record_every=0.1, **how)
    moving = run(bodies(velocity=[30, -20, 10]), loops=[loop], record_every=0.1, **how)
    own, expected = (one["carrier/ball"].local.position for one in (moving, still))
    assert np.abs(own - expected).max() < 1e-11


@pytest.mark.parametrize("time", [0.3, 1.23456])
def test_a_body_that_gets_another_parent_stays_on_its_rope(time):
    """While the rope is slack, and while it is taut: the motion in the world goes on."""
    ball = {"mass": 2.0, "inertia": {"principal": [1, 1, 1]}, "position": [1, 0, 0]}
    carrier = {"motion": {"prescribed": {"velocity": [1, 0, 0], "angular_velocity": [0, 0, 0.5]}}}
    how = {"loops": [rope(2, restitution=0.3)], "gravity": DOWN, "duration": 3, "step": 5e-3, "record_every": 0.05}
    expected = run({"ball": ball, "carrier": carrier}, **how)
    found = run({"ball": ball, "carrier": carrier}, reparent=[{"body": "ball", "to": "carrier", "time": time}], **how)
    own = found["ball"].world.position
    assert np.abs(own - expected["ball"].world.position).max() < 5e-12  # measured 5e-13: one step is divided


LOOPS = [
    {"type": "turn", "between": ["world", "arm"], "max_angle": 1.2, "restitution": 0.1},
    rope(0.6, ("world", "arm/hand"), at=[0.2, 0, -0.2], restitution=0.4, min_length=0.2),
    {"type": "swing", "between": ["world", "arm"], "axis": [0, 0, 1], "max_angle": 0.6, "restitution": 0.2},
    {"type": "twist", "between": ["arm", "arm/hand"], "axis": [0, 0, 1], "limits": [-0.3, 0.4]},
]


def arm_and_hand(mass=1.0) -> dict:
    """An arm on a ball joint with a hand on a hinge with friction and a stop: three kinds of limits and a stop."""
    hand = {"mass": mass, "inertia": {"principal": [0.01, 0.02, 0.015]}, "center_of_mass": [0.1, 0, 0],
            "position": [0, 0, -0.4], "motion": {"universal": {"axes": [[0, 0, 1], [0, 1, 0]], "rates": [6, -3],
            "limits": [None, [-1, 0.5]], "frictions": [0, 0.05]}}}  # fmt: skip
    return {"arm": ROD | {"motion": {"ball": {}}, "angular_velocity": [3, 0.5, 1], "children": {"hand": hand}}}


def test_lanes_have_the_bits_of_one():
    how = {"loops": LOOPS, "gravity": DOWN, "duration": 0.6, "step": 2e-3}
    scenes = [make_scene(arm_and_hand(1 + 0.1 * k), **how) for k in range(5)]
    alone = [rigidsim.simulate(scene) for scene in scenes]
    assert min(len(stops_of(one)) for one in alone) > 3
    assert [one.content_hash for one in rigidsim.simulate(scenes)] == [one.content_hash for one in alone]


@pytest.mark.parametrize("method", ["rkmk4", pytest.param({"name": "adaptive", "rtol": 1e-11}, marks=pytest.mark.slow)])
def test_slices_and_text_as_it_stands_have_the_bits_of_a_whole_run(method):
    how = {"loops": LOOPS, "gravity": DOWN, "duration": 0.2, "step": 2e-3, "integrator": method}
    scene = make_scene(arm_and_hand(), record_every=0.2, **how)
    whole = rigidsim.simulate(scene)
    simulation = rigidsim.Simulation(make_scene(arm_and_hand(), **how))
    for steps in (1, 9, 30, 60):
        simulation.step(steps)
    last, expected = simulation.state["arm/hand"].local, whole["arm/hand"].local
    assert (last.position == expected.position[-1]).all() and (last.velocity == expected.velocity[-1]).all()
    nothing = {"arm": lambda t, state: ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))}
    interpreted = rigidsim.simulate(scene, callbacks=nothing)
    assert (interpreted["arm/hand"].local.position == expected.position).all()


def test_steps_by_tolerance_agree_with_steps_of_a_given_length_through_many_limits():
    """Several limits, a stop and friction in one tree. The difference falls with the step."""
    how = {"loops": LOOPS, "gravity": DOWN, "duration": 0.5, "record_every": 0.05}
    precise = run(arm_and_hand(), step=1e-3, integrator={"name": "adaptive", "rtol": 1e-12}, **how)
    errors = []
    for step in (2e-3, 1e-3):
        found = run(arm_and_hand(), step=step, **how)
        errors.append(np.abs(found["arm/hand"].world.position - precise["arm/hand"].world.position).max())
    assert errors[1] < 1e-8 and errors[0] / errors[1] > 8


def test_the_swing_and_the_twist_stay_within_their_limits():
    found = run(arm_and_hand(), loops=LOOPS, gravity=DOWN, duration=3, step=2e-3, record_every=2e-3)
    swing = np.arccos(np.clip(_third_axes(found["arm"].world.orientation)[:, 2], -1, 1))
    twist = np.asarray(found.arrays["joints/coordinate"])[:, 0]
    assert swing.max() < 0.6 + 1e-9 and twist.min() > -0.3 - 1e-9
    length = np.linalg.norm(found["arm/hand"].world.position - [0.2, 0, -0.2], axis=1)
    assert length.max() < 0.6 + 1e-9 and length.min() > 0.2 - 1e-9


def test_reports_name_the_limits():
    how = {"gravity": DOWN, "duration": 1, "step": 5e-3, "record_every": 0.1}
    found = run({"ball": PARTICLE | {"position": [1, 0, 0]}}, loops=[rope(2, name="tether")], **how)
    (event,) = stops_of(found)
    assert cause_of(event).startswith("tether reaches its max_length: [") and cause_of(event).endswith(" N s on ball")
    assert "the loop tether (distance) exerts" in str(BodyReport.of(found, "ball", 0.9))


@pytest.mark.parametrize(
    ("loop", "message"),
    [
        (rope(0.5), "the distance at the start, 1 m, is above the limit of 0.5 m"),
        (rope(2, min_length=1.5), "the distance at the start, 1 m, is below the limit of 1.5 m"),
        (rope(2, min_length=3), "the smallest distance, 3 m, is not below the largest, 2 m"),
        (rope(2, length=1), "'length' keeps the distance, so nothing is left to limit"),
        ({"type": "distance", "between": ["world", "ball"], "restitution": 0.5}, "there is no limit at which"),
        (angle("swing", max_angle=4), "is not between 0 and 180 deg"),
        (angle("twist", limits=[1, -1]), "is below the greatest"),
        ({"type": "turn", "between": ["world", "ball"], "max_angle": 0}, "is not between 0 and 180 deg"),
        (angle("twist", limits=[0.2, 1]), "0 rad, is below"),
    ],
)  # fmt: skip
def test_limits_that_cannot_be_are_refused(loop, message):
    ball = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "position": [1, 0, 0]}
    with pytest.raises(SceneError) as caught:
        make_scene({"ball": ball}, loops=[loop], duration=1, step=0.01)
    assert message in str(caught.value)


def test_a_method_that_locates_no_events_refuses_limits():
    with pytest.raises(SceneError, match="limits"):
        make_scene(
            {"ball": PARTICLE | {"position": [1, 0, 0]}}, loops=[rope(2)], duration=1, step=0.01, integrator="magnus"
        )
