"""`contact: events`: closed forms, orders of convergence, invariants, and determinism.

Tolerances are multiples of the errors that were measured, or of the rounding of the largest terms.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rigidsim
from rigidsim import Scene
from rigidsim.engine.constraints.lasting import LOCATING
from rigidsim.physics.quaternion import rotate
from rigidsim.report.contact import chosen_contact
from rigidsim.report.jumps import describe_event
from rigidsim.scene.hierarchy.collision_pairs import CollisionPairs
from rigidsim.trajectory.events import BEGINS, ROLLS, SLIDES

G, RADIUS, EPS = 9.81, 0.1, np.finfo(float).eps
UP = np.array([0.0, 0.0, 1.0])
INERTIA = 0.4 * RADIUS**2


def ball(position, velocity=(0, 0, 0), rate=(0, 0, 0), **material) -> dict:
    """A homogeneous ball of 1 kg."""
    return {
        "mass": 1, "inertia": {"principal": [INERTIA] * 3}, "shapes": [{"type": "sphere", "radius": RADIUS}],
        "position": [*map(float, position)], "velocity": [*map(float, velocity)],
        "angular_velocity": {"relative_to": "world", "value": [*map(float, rate)]}, "material": material,
    }  # fmt: skip


def scene(bodies, duration, step, every=None, contact="events", **world) -> Scene:
    simulation = {"duration": duration, "step": step, "record_every": every or duration, "contact": contact}
    return Scene.from_dict(
        {
            "format": "rigidsim/1",
            "simulation": simulation,
            "world": {"gravity": [0, 0, -G], **world},
            "bodies": bodies,
        }
    )


def run(*arguments, **keys):
    return rigidsim.simulate(scene(*arguments, **keys))


def plane(friction=0.0, **material) -> dict:
    return {"shapes": [{"type": "plane"}], "material": {"friction": friction, **material}}


def test_a_ball_slides_then_rolls():
    mu, v, w, end = 0.3, np.array([2.4, -0.7, 0.0]), np.array([4.0, -3.0, 7.0]), 1.0
    slip = v + np.cross(w, -RADIUS * UP)
    d, stops = slip / np.linalg.norm(slip), np.linalg.norm(slip) / (3.5 * mu * G)
    expected = v * stops - 0.5 * mu * G * stops**2 * d + (v - mu * G * stops * d) * (end - stops)
    bodies = {"floor": plane(mu), "ball": ball((0, 0, RADIUS), v, w, friction=mu)}
    trajectory = run(bodies, end, 0.01, 0.1)
    found = trajectory["ball"].world
    assert np.abs(found.position[-1] - expected - RADIUS * UP).max() < 64 * EPS * np.linalg.norm(expected)
    rolls = found.velocity[-1] + np.cross(found.angular_velocity[-1], -RADIUS * UP)
    assert np.linalg.norm(rolls) < 1e-12
    ledger = trajectory.contact_ledger
    spin = found.angular_velocity[-1]
    lost = 0.5 * (found.velocity[-1] @ found.velocity[-1] - v @ v) + 0.5 * INERTIA * (spin @ spin - w @ w)
    assert ledger.friction == pytest.approx(lost, abs=64 * EPS * (v @ v))
    assert abs(ledger.error) < 64 * EPS * (v @ v)
    modes = [(event.cause, event.time, event.energy) for event in trajectory.events]
    assert [cause for cause, *_ in modes] == ["contact_begins", "sliding_begins", "rolling_begins"]
    assert modes[2][1:] == pytest.approx((stops, lost), abs=64 * EPS * (v @ v))
    assert trajectory.events.contact.kind.tolist() == [BEGINS, SLIDES, ROLLS]
    (text,) = (describe_event(event, "ball", trajectory) for event in trajectory.events.between(0.1, 1.0))
    assert text == (
        f"at t = {stops:.9g} s: ball begins to roll on floor; it slid for {stops:.6g} s and lost {-lost:.6g} J to"
        " friction"
    )


def test_modes_of_contact_are_events():
    """A cube that is pushed over its edge turns on that; one that lies beside rests on the floor; a ball that is
    dropped rests, one on an incline rolls from the start.
    """
    tilt = {"axis": [0, 1, 0], "angle": 0.3}
    bodies = {
        "floor": plane(3.0),
        "brick": brick(0.05),
        "dropped": ball((2, 0, RADIUS + 0.05), friction=0.5),
        "slope": {"position": [-9, 0, 0], "orientation": tilt, **plane(0.9)},
        "rolls": ball(np.array([-9, 0, 0]) + RADIUS * np.array([np.sin(0.3), 0, np.cos(0.3)]), friction=0.9),
    }
    contacts = [{"between": ["brick", "slope"], "collide": False}, {"between": ["floor", "rolls"], "collide": False}]
    contacts += [{"between": ["dropped", "slope"], "collide": False}]
    trajectory = run(bodies, 0.3, 0.01, contacts=contacts)
    found = trajectory.events.contact
    begun = [found.event(row) for row in np.flatnonzero(found.kind >= SLIDES)]
    times = {({*event.bodies} - {"floor", "slope"}).pop() + " " + event.cause: event.time for event in begun}
    assert times.pop("dropped rest_begins") == pytest.approx(np.sqrt(0.1 / G), abs=1e-14)
    assert times == {"brick sticking_begins": 0.0, "rolls rolling_begins": 0.0}


def test_the_end_of_a_contact_has_the_work_of_friction():
    """A ball slides off the end of a table; per pair, the work of friction in all modes is that of the ledger."""
    mu, v = 0.1, 2.0
    table = {"shapes": [{"type": "box", "size": [1, 1, 0.2]}], "position": [0, 0, -0.1], "material": {"friction": mu}}
    trajectory = run({"table": table, "ball": ball((0, 0, RADIUS), (v, 0, 0), friction=mu)}, 0.6, 0.01)
    modes = [(event.cause, event.energy) for event in trajectory.events if event.cause != "impact"]
    assert [cause for cause, _ in modes][:3] == ["contact_begins", "sliding_begins", "contact_ends"]
    assert modes[2][1] == pytest.approx(trajectory.contact_ledger.friction, rel=1e-12)
    assert modes[2][1] < 0.0


def test_events_within_one_step_do_not_hide_each_other():
    """Two balls bounce beside each other to rest, many times in a step: neither passes through the floor."""
    e = 0.9
    bodies = {"floor": plane()} | {
        f"ball_{k}": ball((k, 0, 0.1 + k * 0.037 + RADIUS), restitution=e) for k in range(2)
    }  # fmt: skip
    trajectory = run(bodies, 6.0, 0.05)
    for k, height in enumerate((0.1, 0.137)):
        rests = np.sqrt(2 * height / G) * (1 + e) / (1 - e)
        found = [e.time for e in trajectory.events if e.cause == "rest_begins" and f"ball_{k}" in e.bodies]
        assert found == pytest.approx([rests], abs=1e-9)


def test_bounces_end_at_the_sum_of_their_series():
    e, first = 0.8, np.sqrt(2 / G)
    bodies = {"floor": plane(), "ball": ball((0, 0, 1 + RADIUS), restitution=e)}
    trajectory = run(bodies, 5.0, 0.01)
    impacts = [event.time for event in trajectory.events if event.cause == "impact"]
    exact = first * (1 + 2 * np.cumsum(np.append(0.0, e ** np.arange(1, 20))))
    assert np.abs(np.array(impacts[:20]) - exact).max() < 32 * EPS * 4
    rests = [event.time for event in trajectory.events if event.cause == "contact_begins"][-1]
    assert rests == pytest.approx(first * (1 + e) / (1 - e), abs=1e-9)
    assert not np.any(trajectory["ball"].world.velocity[-1])
    assert trajectory["ball"].world.position[-1, 2] == pytest.approx(RADIUS, abs=4 * EPS)


def test_a_hundred_elastic_bounces():
    first = np.sqrt(2 / G)
    bodies = {"floor": plane(), "ball": ball((0, 0, 1 + RADIUS), restitution=1, friction=0)}
    trajectory = run(bodies, 202 * first, 202 * first / 4000)
    impacts = np.array([event.time for event in trajectory.events if event.cause == "impact"])
    assert np.abs(impacts - first * (1 + 2 * np.arange(101))).max() < 1e-10
    assert trajectory["ball"].world.position[-1, 2] == pytest.approx(1 + RADIUS, abs=1e-10)


def turntable(omega, mu) -> dict:
    return {"motion": {"prescribed": {"angular_velocity": [0, 0, omega]}}, **plane(mu)}


def on_turntable(omega, start, v, duration) -> np.ndarray:
    """A rolling ball goes on a circle at 2/7 of the rate of the table (Weltner, Am. J. Phys. 47, 1979)."""
    k = 2 / 7 * omega
    way = complex(*v) * (np.exp(1j * k * duration) - 1) / (1j * k) + complex(*start)
    return np.array([way.real, way.imag])


def test_a_ball_on_a_turntable_goes_on_a_circle():
    omega, start, v = 2.0, np.array([1.0, 0, 0]), np.array([0.3, 0.8, 0])
    rate = np.cross(UP, v - omega * np.cross(UP, start)) / RADIUS
    errors = []
    for step in (0.02, 0.01):
        bodies = {"table": turntable(omega, 2.0), "ball": ball(start + RADIUS * UP, v, rate, friction=2.0)}
        found = run(bodies, 2.0, step)["ball"].world.position[-1, :2]
        errors.append(np.abs(found - on_turntable(omega, start[:2], v[:2], 2.0)).max())
    assert errors[1] < 5e-11
    assert errors[0] / errors[1] > 2**3.5


def test_friction_that_turns_stops():
    """A ball that is put on a turntable: its slip turns until it stops, to 1e-9 of its way."""
    omega, mu, end = 3.0, 0.2, 1.0

    def slip(s):
        return s[2:4] + RADIUS * np.array([-s[5], s[4]]) - omega * np.array([-s[1], s[0]])

    def rates(t, s, rolls):
        force = 2 / 7 * omega * np.array([-s[3], s[2]]) if rolls else -mu * G * slip(s) / np.linalg.norm(slip(s))
        return np.r_[s[2:4], force, np.array([force[1], -force[0]]) * RADIUS / INERTIA]

    def stops(t, s, rolls):
        return np.linalg.norm(slip(s)) - 1e-10

    stops.terminal = True
    precise = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14}
    one = solve_ivp(rates, (0, end), [0.5, 0, 0, 0, 0, 0], args=(False,), events=stops, **precise)
    two = solve_ivp(rates, (one.t[-1], end), one.y[:, -1], args=(True,), **precise)
    bodies = {"table": turntable(omega, mu), "ball": ball((0.5, 0, RADIUS), friction=mu)}
    found = run(bodies, end, 0.01)["ball"].world.position[-1, :2]
    assert np.abs(found - two.y[:2, -1]).max() < 5e-9


def rod(v, rate) -> dict:
    """A capsule of 1 kg that lies along x."""
    return {
        "mass": 1, "inertia": {"principal": [0.02, 0.02, 0.002]}, "position": [0, 0, 0.05],
        "shapes": [{"type": "capsule", "radius": 0.05, "length": 0.4}],
        "orientation": {"axis": [0, 1, 0], "angle": 0.5 * np.pi}, "velocity": v,
        "angular_velocity": {"relative_to": "world", "value": [0, 0, rate]}, "material": {"friction": 0.3},
    }  # fmt: skip


def test_a_lying_capsule_spins_down_as_under_even_pressure():
    """The moment of friction of an even pressure on a line is mu N l/4. While the capsule slides, too, its points bear
    different loads, and `stepping` has the same limit, at first order: 3.3e-4 at 1 ms, 9.6e-5 at 0.25 ms.
    """
    found = run({"floor": plane(0.3), "rod": rod([0, 0, 0], 4)}, 0.25, 0.01, 0.05)["rod"].world
    expected = 4 - 0.3 * G * 0.4 / 4 / 0.02 * np.arange(6) * 0.05
    assert np.abs(found.angular_velocity[:, 2] - expected).max() < 64 * EPS * 4
    bodies = {"floor": plane(0.3), "rod": rod([0.8, 0.3, 0], 4)}
    cases = [(0.01, "events"), (0.005, "events"), (1e-3, "stepping"), (2.5e-4, "stepping")]
    ends = [run(bodies, 0.5, step, contact=mode)["rod"].world for step, mode in cases]
    exact, finer, coarse, fine = (np.r_[end.position[-1], end.orientation[-1]] for end in ends)
    assert np.abs(finer - exact).max() < 1e-5
    assert np.abs(fine - exact).max() < 2e-4
    assert np.abs(fine - exact).max() < 0.5 * np.abs(coarse - exact).max()


def test_the_stop_of_a_lying_capsule_takes_few_trials():
    """Near the stop of one end the direction of its slip decides what it bears, and so where its friction acts.
    Measured: at most 53 trials of a step.
    """
    simulation = rigidsim.Simulation(scene({"floor": plane(0.3), "rod": rod([0.8, 0.3, 0], 4)}, 0.6, 0.01))
    taken = []
    while simulation.time < 0.6:
        simulation.step()
        taken.append(simulation._run.contacts.arrays.lasting.locating[LOCATING.taken])
    assert max(taken) < 100
    assert {"sliding_begins", "rolling_begins"} <= {event.cause for event in simulation.events}


BRICK = np.array([0.1, 0.2, 0.3])


def brick(tilt) -> dict:
    """A brick that stands on an edge, and its inertia about that over its mass."""
    half, arm = BRICK, np.hypot(BRICK[0], BRICK[2])
    turned = np.arctan2(half[0], half[2]) + tilt
    tensor = [(b * b + c * c) / 3 for b, c in ((half[1], half[2]), (half[0], half[2]), (half[0], half[1]))]
    body = {
        "mass": 1, "inertia": {"principal": tensor}, "shapes": [{"type": "box", "size": [*(2 * half)]}],
        "position": [arm * np.sin(tilt), 0, arm * np.cos(tilt)], "material": {"friction": 3.0},
        "orientation": {"wxyz": [np.cos(turned / 2), 0, np.sin(turned / 2), 0]},
    }  # fmt: skip
    return json.loads(json.dumps(body))


def test_a_brick_tips_on_two_corners_at_order_four():
    arm = np.hypot(BRICK[0], BRICK[2])
    inertia = arm**2 * 4 / 3
    falls = solve_ivp(
        lambda t, s: [s[1], G * arm * np.sin(s[0]) / inertia], (0, 0.5), [0.05, 0], method="DOP853", rtol=1e-13,
        atol=1e-15,
    )  # fmt: skip
    psi = falls.y[0, -1]
    errors = []
    for step in (0.02, 0.01):
        trajectory = run({"floor": plane(3.0), "brick": brick(0.05)}, 0.5, step)
        position = trajectory["brick"].world.position[-1]
        errors.append(np.abs(position - arm * np.array([np.sin(psi), 0, np.cos(psi)])).max())
        assert trajectory.events[0].cause == "contact_begins"
    assert errors[1] < 5e-8
    assert errors[0] / errors[1] > 2**3.5


def test_smooth_rolling_conserves_energy_at_order_four_and_does_not_slip():
    """A ball with three moments of inertia whose centre of mass is beside its middle."""
    rate, errors = np.array([-2.0, 8.0, 1.5]), []
    body = {
        **ball((0, 0, RADIUS), np.cross(rate, RADIUS * UP), rate, friction=3.0),
        "inertia": {"principal": [0.003, 0.004, 0.0045]}, "center_of_mass": [0.02, 0.01, -0.03],
    }  # fmt: skip
    for step in (0.02, 0.01, 0.005):
        trajectory = run({"floor": plane(3.0), "ball": body}, 2.0, step, 0.04)
        assert [event.cause for event in trajectory.events] == ["contact_begins", "rolling_begins"]
        energy = sum(np.asarray(trajectory.arrays[f"diagnostics/{kind}_energy"]) for kind in ("kinetic", "potential"))
        errors.append(np.abs(energy - energy[0]).max())
        motion = trajectory["ball"].world
        slip = motion.velocity + np.cross(motion.angular_velocity, -RADIUS * UP)
        assert np.abs(slip).max() < 1e-12
        assert np.abs(motion.position[:, 2] - RADIUS).max() < 1e-13
    assert errors[2] < 5e-8
    assert errors[1] / errors[2] > 2**3.5


LOADED = {
    **ball((0, 0, RADIUS), np.cross([-2.0, 8, 1.5], RADIUS * UP), (-2, 8, 1.5), friction=3.0),
    "inertia": {"principal": [0.003, 0.004, 0.0045]}, "center_of_mass": [0.02, 0.01, -0.03],
}  # fmt: skip
TOP = {
    **ball((0, 0, RADIUS), (0, 0, 0), (0, 0, 60), friction=0.2), "inertia": {"principal": [0.0041, 0.0041, 0.004]},
    "center_of_mass": [0, 0, -0.02], "orientation": {"axis": [1, 0, 0], "angle": 0.3},
}  # fmt: skip
LEDGERS = {
    "rolls": (3.0, LOADED, 2.0, 0.01, 5e-7),
    "slides": (0.2, TOP, 0.5, 0.002, 1e-7),
    "tips": (3.0, None, 0.5, 0.01, 1e-7),
}
"""The friction of a floor, a body (a brick), duration, the longer of two steps, a bound of the error there, J."""


@pytest.mark.parametrize("case", LEDGERS)
def test_the_ledger_of_contact_closes_at_order_four(case):
    """Energy less work, and what contact did less what is booked. Measured at the longer step: 2e-7, 3e-8, 2e-8 J."""
    friction, body, duration, step, bound = LEDGERS[case]
    errors = []
    for h in (step, 0.5 * step):
        trajectory = run({"floor": plane(friction), "mover": body or brick(0.05)}, duration, h)
        kinds = ("kinetic_energy", "potential_energy", "work")
        kinetic, potential, work = (np.asarray(trajectory.arrays[f"diagnostics/{kind}"]) for kind in kinds)
        energy = kinetic + potential - work
        errors.append((abs(trajectory.contact_ledger.error), abs(energy[-1] - energy[0])))
    assert max(errors[0]) < bound
    assert np.all(np.array(errors[0]) > 2**3.5 * np.array(errors[1]))


def test_jellett_s_integral_of_a_tippe_top():
    """A sliding ball whose centre of mass is on its axis, beside the middle: L . (from the centre of mass to the
    contact) is constant, whatever friction does (Jellett 1872). The top turns over meanwhile.
    """
    aside, moments, errors = 0.02, np.array([0.0041, 0.0041, 0.004]), []
    body = {
        **ball((0, 0, RADIUS), (0, 0, 0), (0, 0, 60), friction=0.2), "inertia": {"principal": moments.tolist()},
        "center_of_mass": [0, 0, -aside], "orientation": {"axis": [1, 0, 0], "angle": 0.3},
    }  # fmt: skip
    for step in (0.004, 0.002):
        motion = run({"floor": plane(0.2), "top": body}, 2.0, step, 0.1)["top"].world
        axis = np.array([rotate(tuple(q), tuple(UP)) for q in motion.orientation])
        along = np.sum(motion.angular_velocity * axis, axis=1, keepdims=True)
        momentum = moments[0] * motion.angular_velocity + (moments[2] - moments[0]) * along * axis
        jellett = np.sum(momentum * (aside * axis - RADIUS * UP), axis=1)
        errors.append(np.abs(jellett / jellett[0] - 1).max())
        assert axis[0, 2] > 0.95
        assert axis[-1, 2] < -0.2
    assert errors[1] < 5e-8
    assert errors[0] / errors[1] > 2**3.5


def test_a_disc_rolls_steadily_about_its_centre():
    """A thin disc whose centre rests precesses at sqrt(4 g/(R sin theta)) and turns about its diameter through the
    contact alone. Thickness 2e-9 m; the height stays to 1e-9 m, and so does the centre.
    """
    radius, tilt = 0.1, 0.5
    axis = np.array([np.sin(tilt), 0, np.cos(tilt)])
    diameter = (UP - np.cos(tilt) * axis) / np.sin(tilt)
    rate = np.sqrt(4 * G / (radius * np.sin(tilt)))
    body = {
        "mass": 1, "inertia": {"principal": [radius**2 / 4, radius**2 / 4, radius**2 / 2]},
        "shapes": [{"type": "cylinder", "radius": radius, "length": 2e-9}], "material": {"friction": 5.0},
        "position": [0, 0, radius * np.sin(tilt)], "orientation": {"axis": [0, 1, 0], "angle": tilt},
        "angular_velocity": {"relative_to": "world", "value": (rate * np.sin(tilt) * diameter).tolist()},
    }  # fmt: skip
    found = run({"floor": plane(5.0), "disc": body}, 1.0, 1e-3, 0.02)["disc"].world
    assert np.abs(found.position - [0, 0, radius * np.sin(tilt)]).max() < 2e-9
    axes = np.array([rotate(tuple(q), tuple(UP)) for q in found.orientation])
    turned = np.arctan2(axes[:, 1], axes[:, 0])
    assert np.abs(np.exp(1j * turned) - np.exp(1j * rate * np.arange(51) * 0.02)).max() < 1e-6


@pytest.mark.parametrize(("side", "tilt"), [(1, 0.4), (-1, 1.2)], ids=["on the base", "towards the apex"])
def test_a_cone_rolls_on_its_rim(side, tilt):
    """The rim of its base, in the plane of the centre, is that of a disc without thickness, whichever way it leans. The
    centre stands still, see `test_a_disc_rolls_steadily_about_its_centre`. Measured at 2 ms: 5e-9 m; fourth order.
    """
    rate = np.sqrt(4 * G / (RADIUS * np.sin(tilt)))
    turned = {"orientation": {"axis": [1, 0, 0], "angle": np.pi}} if side < 0 else {}
    cone = {"type": "cone", "radius": RADIUS, "length": 0.02, "position": [0, 0, side * 0.01], **turned}
    body = {
        "mass": 1, "center_of_mass": [0, 0, 0], "inertia": {"principal": [0.0025, 0.0025, 0.005]}, "shapes": [cone],
        "position": [0, 0, RADIUS * np.sin(tilt)], "orientation": {"axis": [0, 1, 0], "angle": tilt},
        "angular_velocity": (rate * np.sin(tilt) * np.array([-np.cos(tilt), 0, np.sin(tilt)])).tolist(),
        "material": {"friction": 5.0},
    }  # fmt: skip
    errors = []
    for step in (4e-3, 2e-3):
        found = run({"floor": plane(5.0), "disc": body}, 0.4, step)["disc"].world
        errors.append(np.abs(found.position[-1] - [0, 0, RADIUS * np.sin(tilt)]).max())
    assert errors[1] < 1e-8
    assert errors[0] / errors[1] > 12


def test_a_cone_rolls_on_its_side():
    """About its apex, which stands still; the line of contact turns evenly. 256 roundings of 1 m."""
    length, rate, end = 0.2, 0.8, 0.5
    slope = np.arctan2(RADIUS, length)
    axis = -np.array([np.cos(slope), 0, np.sin(slope)])  # from the base to the apex
    omega = np.array([-rate / np.tan(slope), 0, 0])
    body = {
        "mass": 1, "center_of_mass": [0, 0, -length / 4], "inertia": {"principal": [0.003, 0.003, 0.003]},
        "shapes": [{"type": "cone", "radius": RADIUS, "length": length}], "material": {"friction": 5.0},
        "position": (-0.5 * length * axis).tolist(), "velocity": np.cross(omega, -0.5 * length * axis).tolist(),
        "orientation": {"axis": [0, 1, 0], "angle": float(np.arctan2(axis[0], axis[2]))},
        "angular_velocity": {"relative_to": "world", "value": omega.tolist()},
    }  # fmt: skip
    trajectory = run({"floor": plane(5.0), "cone": body}, end, 1e-3)
    x, y = 0.5 * length * np.cos(slope) * np.array([np.cos(rate * end), np.sin(rate * end)])
    expected = [x, y, 0.5 * length * np.sin(slope)]
    assert np.abs(trajectory["cone"].world.position[-1] - expected).max() < 256 * EPS
    assert [event.cause for event in trajectory.events] == ["contact_begins", "rolling_begins"]


def test_a_ball_that_bounced_to_rest_stays_there():
    """For an hour, to the last bit."""
    bodies = {"floor": plane(), "ball": ball((0, 0, 1 + RADIUS), restitution=0.8)}
    found = run(bodies, 3600.0, 0.1, 360.0)["ball"].world
    assert np.abs(found.position[1:] - RADIUS * UP).max() <= EPS * RADIUS
    assert not np.any(found.velocity[1:])


def test_a_cradle_passes_its_blow():
    bodies = {
        f"b{k}": ball((2 * RADIUS * k - 0.1 * (k == 0), 0, 0), (1.0 * (k == 0), 0, 0), restitution=1) for k in range(5)
    }
    trajectory = run(bodies, 0.5, 0.01, gravity=[0, 0, 0])
    speeds = [trajectory[f"b{k}"].world.velocity[-1, 0] for k in range(5)]
    assert np.abs(np.array(speeds) - [0, 0, 0, 0, 1]).max() < 1e-12


def trials(simulation, steps: int) -> list[int]:
    """The trials of each step."""
    taken = []
    for _ in range(steps):
        simulation.step()
        taken.append(int(simulation._run.contacts.arrays.lasting.locating[LOCATING.taken]))
    return taken


def test_a_cradle_of_fifty_balls_passes_its_blow():
    """With gaps of 0.1 mm the blow passes one after the other, each at its time; about 20 trials an impact."""
    gap, speed, last = 1e-4, 1.0, 49
    pitch = 2 * RADIUS + gap
    bodies = {
        f"b{k}": ball((pitch * k - 0.1 * (k == 0), 0, 0), (speed * (k == 0), 0, 0), restitution=1) for k in range(50)
    }
    simulation = rigidsim.Simulation(scene(bodies, 0.3, 0.01, gravity=[0, 0, 0]))
    assert sum(trials(simulation, 30)) < 20 * last
    moved = [simulation.state[f"b{k}"].world for k in range(50)]
    assert not simulation.warnings
    # 64 roundings of the last place, 10 m.
    assert moved[last].velocity[0] == pytest.approx(speed, abs=1e-12)
    assert moved[last].position[0] == pytest.approx(pitch * last + 0.3 - 0.1 - last * gap, abs=64 * EPS * 10)
    assert np.abs([motion.velocity for motion in moved[:last]]).max() < 1e-12


def test_balls_that_barely_part_take_few_trials():
    """A cradle of fifty that touch, on springs: after a swing they are apart by round-off. Steps took 10 000 trials,
    for gaps that may have closed by less than that. Measured: at most 44.
    """
    radius, stiffness = 0.02, 0.25 * 7.54**2
    own = {"mass": 0.25, "shapes": [{"type": "sphere", "radius": radius}]}
    own |= {"material": {"restitution": 1, "friction": 0}, "forces": [{"force": [f"= -{stiffness}*x", 0, 0]}]}
    bodies = {
        f"place_{k}": {
            "position": [2 * radius * k, 0, 0],
            "children": {"ball": {**own, "position": [-0.06 * (k == 0), 0, 0]}},
        }
        for k in range(50)
    }
    simulation = rigidsim.Simulation(scene(bodies, 1.0, 1e-3, gravity=[0, 0, 0]))
    taken = trials(simulation, 1000)
    assert max(taken) < 200


def test_balls_that_roll_apart_from_each_other_have_the_bits_of_one_alone():
    """Sixteen on one floor: contacts of bodies that do not touch each other are solved by themselves."""
    start = {"velocity": (2, -0.7, 0), "rate": (4, -3, 7), "friction": 0.3}
    alone = run({"floor": plane(0.3), "ball": ball((0, 0, RADIUS), **start)}, 1.0, 0.01)["ball"].world
    beside = {f"ball_{k}": ball((0, k, RADIUS), **start) for k in range(16)}
    found = run({"floor": plane(0.3), **beside}, 1.0, 0.01)
    for k in range(16):
        assert np.array_equal(found[f"ball_{k}"].world.velocity, alone.velocity)
        assert np.array_equal(found[f"ball_{k}"].world.position[:, 0], alone.position[:, 0])


@pytest.mark.slow
def test_a_break_of_sixteen_balls_does_not_depend_on_the_step():
    """At most a few of them touch each other at once. Measured: 1e-9 m."""
    rows = [(row, j - 0.5 * row) for row in range(5) for j in range(row + 1)]
    material = {"friction": 0.2, "restitution": 0.9}
    bodies = {"floor": plane(0.2), "cue": ball((-1, 0.01, RADIUS), (4, 0, 0), (0, 40, 0), **material)}
    for k, (row, across) in enumerate(rows):
        place = (row * (1.7322 * RADIUS + 1e-3), across * (2 * RADIUS + 1e-3), RADIUS)
        bodies[f"ball_{k}"] = ball(place, **material)
    ends = []
    for step in (0.01, 0.005):
        simulation = rigidsim.Simulation(scene(bodies, 2.0, step))
        while simulation.time < 2.0 - 1e-9:
            simulation.step()
        assert not any("sub-steps" in warning for warning in simulation.warnings)
        ends.append(np.array([simulation.state[f"ball_{k}"].world.position for k in range(15)]))
    assert np.abs(ends[0] - ends[1]).max() < 1e-7


ARM = {
    "mass": 1, "inertia": {"principal": [0.01] * 3}, "center_of_mass": [0, 0, -0.5], "position": [3, 0, 5],
    "motion": {"hinge": {"axis": [0, 1, 0], "angle": 1.0}},
}  # fmt: skip


def test_joints_beside_contacts_by_events():
    """A pendulum changes no bit of a ball that bounces. A spring joins its end to one that rolls, of which the mass is
    7/5 m then: 2.6e-7 m and rad off the reduced equations with 10 ms.
    """
    bodies = {
        "floor": plane(0.3, restitution=0.5),
        "ball": ball((0, 0, 0.2), (2, -0.7, 0), (4, -3, 7), friction=0.3),
    }
    alone, beside = run(bodies, 1.0, 0.01)["ball"].world, run({**bodies, "arm": ARM}, 1.0, 0.01)["ball"].world
    assert np.array_equal(alone.position, beside.position)

    k, length, velocity = 5.0, 4.0, np.array([1.0, 0.4, 0.0])

    def rate(_, y):
        (x, y_ball, angle), rates = y[:3], y[3:]
        arm = np.array([-np.sin(angle), 0, -np.cos(angle)])
        way = np.array([x - 3, y_ball, RADIUS - 5]) - arm
        force = k * (np.linalg.norm(way) - length) * way / np.linalg.norm(way)  # on the arm
        turns = (np.cross(arm, force) + np.cross(0.5 * arm, [0, 0, -G]))[1] / (0.01 + 0.25)
        return np.concatenate([rates, -force[:2] / 1.4, [turns]])

    start = [0, 0, 1.0, *velocity[:2], 0]
    expected = solve_ivp(rate, (0, 1), start, method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    spring = {"type": "spring", "to": "ball", "stiffness": k, "length": length, "at": [0, 0, -1]}
    spin = np.cross(UP, velocity) / RADIUS
    bodies = {"floor": plane(0.9), "ball": ball((0, 0, RADIUS), velocity, spin, friction=0.9)}
    errors = []
    for step in (0.01, 0.005):
        found = run({**bodies, "arm": {**ARM, "forces": [spring]}}, 1.0, step)
        (x, y, _), angle = found["ball"].world.position[-1], found["arm"].joint.coordinates[-1, 0]
        errors.append(np.abs([x, y, angle] - expected[:3]).max())
    assert errors[0] < 4e-7
    assert errors[0] / errors[1] > 13


def rolling(every=0.5, contact="events"):
    bodies = {
        "floor": plane(0.4, restitution=0.6),
        "ball": ball((0, 0, 0.3), (1.2, 0.3, 0), (3, 8, 5), friction=0.4),
        "other": ball((0.5, 0.13, RADIUS), friction=0.4),
    }
    return scene(bodies, 1.0, 0.01, every, contact)


def test_samples_and_slices_do_not_change_the_motion():
    whole, fine = rigidsim.simulate(rolling()), rigidsim.simulate(rolling(0.01))
    parts = rigidsim.Simulation(rolling())
    for _ in range(100):
        parts.step()
    for name in ("ball", "other"):
        last = whole[name].world.position[-1]
        assert np.array_equal(last, fine[name].world.position[-1])
        assert np.array_equal(last, parts.state[name].world.position)
    assert [event.time for event in whole.events] == [event.time for event in fine.events]
    assert any(event.cause == "impact" and event.time > 0 for event in whole.events)


def test_both_modes_have_one_limit():
    exact = rigidsim.simulate(rolling())["ball"].world.position[-1]
    coarse = rigidsim.simulate(rolling(contact="stepping"))["ball"].world.position[-1]
    assert np.abs(exact - coarse).max() < 0.05


@pytest.mark.parametrize("contact, tolerance", [("events", 1e-11), ("stepping", 1.5e-3)])
def test_the_end_of_a_rod_rebounds_while_the_other_one_rests(contact, tolerance):
    """Without friction the middle falls straight, and the resting end stays on the floor: all places of a pair that is
    struck are one problem. Each time the sine of the angle is e^2 of the last one. Sub-steps: off by 8e-4 at 1 ms, and
    of first order.
    """
    e, angle, length, radius = 0.5, 0.2, 0.4, 0.03
    rod = {
        "mass": 1, "inertia": {"principal": [0.015, 0.015, 0.0005]}, "material": {"restitution": e},
        "shapes": [{"type": "capsule", "radius": radius, "length": length}],
        "position": [0, 0, radius + 0.5 * length * np.sin(angle)],
        "orientation": {"axis": [0, 1, 0], "angle": 0.5 * np.pi + angle},
    }  # fmt: skip
    found = run({"floor": plane(), "rod": rod}, 0.5, 1e-3, 1e-3, contact)["rod"].world
    falls = np.argmax(found.position[:, 2] <= radius + 0.002 * length)
    highest = (found.position[falls + 10 :, 2].max() - radius) / (0.5 * length)
    # the highest sample is at most half a millisecond from the top: g (0.25 ms)^2 of half a length
    assert highest == pytest.approx(e**2 * np.sin(angle), abs=tolerance + G * 0.5e-3**2 / length)
    along = np.array([rotate(tuple(q), tuple(UP))[2] for q in found.orientation])
    lower = found.position[:, 2] + 0.5 * length * along - radius
    assert np.abs(lower[: falls + 50]).max() < tolerance


@pytest.mark.parametrize("seed", [1, 3, 6])
def test_an_edge_that_lands_beside_a_resting_one_is_struck_as_one(seed):
    """In sub-steps resting corners overlap a little before they are parted, which turns the edge that lands: its two
    corners are struck together all the same. Difference of both modes at 1 ms: at most 7e-6 m.
    """
    axis = np.random.default_rng(seed).normal(size=3)
    box = {
        "mass": 0.66, "material": {"friction": 0}, "shapes": [{"type": "box", "size": [0.29, 0.11, 0.17]}],
        "position": [0, 0, 0.2], "orientation": {"axis": axis.tolist(), "angle": 0.7},
        "velocity": [0.2, -0.1, 0], "angular_velocity": [1, -2, 0.5],
    }  # fmt: skip
    ways = [run({"floor": plane(), "box": box}, 0.4, 1e-3, 0.01, mode)["box"].world for mode in ("events", "stepping")]
    assert np.abs(ways[0].position - ways[1].position).max() < 3e-5


def test_what_rests_on_a_face_is_left_to_sub_steps():
    bodies = {
        "floor": plane(0.5),
        "box": {**brick(0.0), "position": [0, 0, 0.3], "orientation": {"wxyz": [1, 0, 0, 0]}},
    }
    simulation = rigidsim.Simulation(scene(bodies, 0.1, 0.01))
    for _ in range(10):
        simulation.step()
    assert any("left 10 of 10 steps to sub-steps" in warning for warning in simulation.warnings)
    assert simulation.state["box"].world.position[2] == pytest.approx(0.3, abs=1e-3)


@pytest.mark.parametrize("way, is_decided", [(1.0, True), (-1.0, False)])
def test_the_run_says_that_a_rod_of_painleve_has_no_decided_force(way, is_decided):
    """A rod that leans forward is pushed against its tip with friction 2: n.K(n - mu d) < 0, as 1 + 3 cos(a) (cos(a) -
    2 sin(a)) < 0 at tan(a) = 2 (Painleve 1895). Pulled the other way it slides. Afterwards it turns about its tip.
    """
    angle = np.arctan(2.0)
    axis = np.array([np.cos(angle), 0, np.sin(angle)])
    rod = {
        "mass": 1, "inertia": {"principal": [1 / 12, 1 / 12, 1e-4]}, "position": [*(0.01 * UP + 0.5 * axis)],
        "shapes": [{"type": "capsule", "radius": 0.01, "length": 1.0}], "velocity": [way, 0, 0],
        "orientation": {"axis": [0, 1, 0], "angle": 0.5 * np.pi - angle}, "material": {"friction": 2.0},
    }  # fmt: skip
    simulation = rigidsim.Simulation(scene({"floor": plane(2.0), "rod": json.loads(json.dumps(rod))}, 0.2, 0.002))
    while simulation.time < 0.2 - 1e-9:
        simulation.step()
    left = [warning for warning in simulation.warnings if "sub-steps" in warning]
    if is_decided:
        assert not left
    else:
        (warning,) = left
        assert "the first at t = 0 s: friction pressed bodies together" in warning
        assert "so the laws decide no force" in warning
        assert [event.cause for event in simulation.events][-1] == "rolling_begins"


def test_a_step_that_is_left_to_sub_steps_has_their_bits():
    """A brick slides and spins on a face: each step begins with what contact remembers of the last one."""
    box = {
        "mass": 1, "shapes": [{"type": "box", "size": [0.6, 0.4, 0.2]}], "position": [0, 0, 0.1],
        "velocity": [1.5, 0.4, 0], "angular_velocity": [0, 0, 3], "material": {"friction": 0.4},
    }  # fmt: skip
    ways = [
        run({"floor": plane(0.4), "box": box}, 0.4, 2e-3, 0.1, mode)["box"].world for mode in ("events", "stepping")
    ]
    assert np.array_equal(ways[0].position, ways[1].position)
    assert np.array_equal(ways[0].orientation, ways[1].orientation)


REFUSED = {
    "integrator": ({"integrator": "taylor"}, {}, "does not locate the events of contacts; use rkmk4 or adaptive"),
    "rolling friction": ({}, {"material": {"rolling_friction": 0.1}}, "does not support rolling friction"),
    "sensor": ({}, {"collide": "sensor"}, "does not support sensors"),
    "hull": (
        {},
        {"shapes": [{"type": "hull", "points": [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]}]},
        "does not follow the point of contact on",
    ),
    "plane": ({}, {}, "does not support scenes with world.plane"),
}


@pytest.mark.parametrize(("simulation", "body", "words"), REFUSED.values(), ids=REFUSED)
def test_what_events_do_not_support_is_refused(simulation, body, words):
    settings = {"duration": 1, "step": 0.01, "contact": "events", **simulation}
    bodies = {"floor": plane(), "ball": {**ball((0, 0, 1)), **body}}
    world = {"plane": [0, 1, 0]} if "plane" in words else {}
    with pytest.raises(rigidsim.SceneError, match=words):
        Scene.from_dict({"format": "rigidsim/1", "simulation": settings, "world": world, "bodies": bodies})


HELD = {
    "stops": ({"limits": [-1, 1]}, [], "joints that stop, rub, hold a rate or break, such as that of 'arm'"),
    "friction": ({"friction": 0.1}, [], "joints that stop, rub, hold a rate or break, such as that of 'arm'"),
    "rope": ({}, [{"type": "distance", "between": ["world", "ball"], "max_length": 2}], "limits of loops, such as"),
}


@pytest.mark.parametrize(("joint", "loops", "words"), HELD.values(), ids=HELD)
def test_events_do_not_support_modes_of_joints_and_loops(joint, loops, words):
    arm = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "position": [3, 0, 1]}
    arm["motion"] = {"hinge": {"axis": [0, 1, 0], **joint}}
    with pytest.raises(rigidsim.SceneError, match=words):
        scene({"floor": plane(), "ball": ball((0, 0, 1)), "arm": arm}, 1, 0.01, loops=loops)


SPHERES = {f"ball_{k}": ball((k, 0, RADIUS)) for k in range(4)}
APART = {f"ball_{k}": {**ball((k, 0, 1)), "collide": {"group": f"of_{k}", "with": ["floor"]}} for k in range(9)}


def cart(n) -> dict:
    """A body on n wheels in a row, which touch the floor alone."""
    hinged = {"motion": {"hinge": {"axis": [0, 1, 0]}}, "collide": {"group": "wheels", "with": ["floor"]}}
    wheel = {key: value for key, value in ball((0, 0, 0)).items() if key not in ("velocity", "angular_velocity")}
    wheels = {f"wheel_{k}": {**wheel, **hinged, "position": [k, 0, 0]} for k in range(n)}
    return {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "position": [0, 0, RADIUS], "children": wheels}


CHOICES = {
    "cart": ({}, {"cart": cart(4)}, "events", "few round shapes and planes can meet"),
    "long cart": ({}, {"cart": cart(9)}, "stepping", "9 places of one group of bodies can bear loads"),
    "three balls": ({}, {name: SPHERES[name] for name in [*SPHERES][:3]}, "events", "few round shapes and planes"),
    "capsule": ({}, {"rod": rod([0, 0, 0], 1)}, "events", "few round shapes and planes can meet"),
    "four balls": ({}, SPHERES, "stepping", "10 places of one group of bodies can bear"),
    "balls apart": ({}, APART, "events", "few round shapes and planes can meet"),
    "box": ({}, {"brick": brick(0.1)}, "stepping", "a box of 'brick' can lie on a face"),
    "method": ({"integrator": "taylor"}, {"ball": ball((0, 0, 1))}, "stepping", "taylor does not locate"),
    "sub-steps": ({"contact": {"mode": "auto", "substeps": 5}}, {"ball": ball((0, 0, 1))}, "stepping", "substeps are"),
    "rolling": ({}, {"ball": ball((0, 0, 1), rolling_friction=0.1)}, "stepping", "does not support rolling friction"),
    "cone": ({}, {"cone": {**ball((0, 0, 1)), "shapes": [{"type": "cone", "radius": 0.1, "length": 0.3}]}}, "stepping",
             "a cone of 'cone' can lie on a face"),
    "many": ({}, {f"ball_{k}": ball((k, 0, 1)) for k in range(130)}, "stepping", "131 shapes can meet"),
}  # fmt: skip


@pytest.mark.parametrize(("simulation", "bodies", "mode", "why"), CHOICES.values(), ids=CHOICES)
def test_auto_chooses_events_for_few_round_shapes(simulation, bodies, mode, why):
    settings = {"duration": 1, "step": 0.01, "contact": "auto", **simulation}
    document = {
        "format": "rigidsim/1",
        "simulation": settings,
        "bodies": {"floor": {**plane(), "collide": {"group": "floor"}}, **bodies},
    }
    summary = CollisionPairs(Scene.from_dict(document).hierarchy).summary
    assert summary["mode"] == mode
    assert why in summary["why"]
    assert f"contact: {mode} (auto: {summary['why']}), " in chosen_contact(summary)[0]
    settings["contact"] = "stepping"
    assert "why" not in CollisionPairs(Scene.from_dict(document).hierarchy).summary


def test_auto_gives_the_bits_of_the_mode_that_it_chooses():
    bodies = {"floor": plane(0.3), "ball": ball((0, 0, RADIUS), (1, 0, 0), friction=0.3)}
    found = [run(bodies, 0.1, 0.01, contact=mode).content_hash for mode in ("auto", "events", "stepping")]
    assert found[0] == found[1] != found[2]


def test_ellipsoids_touch_planes_alone():
    egg = {**ball((0, 0, 1)), "shapes": [{"type": "ellipsoid", "radii": [0.1, 0.2, 0.1]}]}
    scene({"floor": plane(), "egg": egg}, 1, 0.01)
    with pytest.raises(rigidsim.SceneError, match="can touch planes alone"):
        scene({"floor": plane(), "egg": egg, "ball": ball((1, 0, 1))}, 1, 0.01)
