"""Tanks: the rocket equation, jet damping, the instant at which a tank is empty, energy, stages, and bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import rigidsim
from rigidsim.analysis.loads import joint_reactions
from rigidsim.certify.certifying import certify
from rigidsim.errors import SceneError, UsageError

ADAPTIVE = {"name": "adaptive", "rtol": 1e-11, "atol": 1e-12}
LATER = pytest.param(ADAPTIVE, marks=pytest.mark.slow, id="adaptive")
EVERY = pytest.mark.parametrize("integrator", ["rkmk4", LATER, "taylor"])
OBLATE = {"center": [0, 0, -6.4e6], "gm": 4.0e14, "j2": 1e-3, "radius": 6.4e6}
EMPTY_AT = (-8 + math.sqrt(64 + 240)) / 0.4
"""When 300 kg have flowed out at 8 + 0.4 t kg/s."""


def rocket(*, duration=20.0, step=0.05, integrator="rkmk4", gravity=(0, 0, 0), flow=None, **more) -> rigidsim.Scene:
    """A body that tumbles, with a tank and a nozzle off its axis."""
    jet = {
        "type": "mass_flow", "tank": "rocket/fuel", "rate": "= 8 + 0.4*t", "exhaust_velocity": 30,
        "at": [0.1, 0.02, -3], "direction": [0.05, 0, 1],
    }  # fmt: skip
    body = {
        "mass": 200, "inertia": {"principal": [120, 100, 30]}, "velocity": [3, 0, 10],
        "angular_velocity": [0.02, 0.3, 0.05], "forces": [jet | (flow or {})],
        "children": {
            "fuel": {"mass": 300, "inertia": {"principal": [90, 110, 40]}, "position": [0.1, 0, -1.2], "motion": "tank"}
        },
    }  # fmt: skip
    settings = {"duration": duration, "step": step, "integrator": integrator}
    scene = {"format": "rigidsim/1", "simulation": settings, "world": {"gravity": gravity}, "bodies": {"rocket": body}}
    return rigidsim.Scene.from_dict(scene | more)


def textbook(duration: float) -> np.ndarray:
    """Position, velocity, orientation (w, x, y, z) and rate of the body by the equations of a variable mass system:
    Newton's and Euler's laws about the moving centre of mass, in body axes (see `physics/mass_flow.py`).
    """
    structure, kilogram = np.diag([120.0, 100.0, 30.0]), np.diag([90.0, 110.0, 40.0]) / 300
    tank, nozzle, jet = np.array([0.1, 0, -1.2]), np.array([0.1, 0.02, -3.0]), np.array([0.05, 0, 1])
    jet = jet / np.linalg.norm(jet)

    def about(r):
        return r @ r * np.eye(3) - np.outer(r, r)

    def rates(t, y):
        v, q, omega, m = y[3:6], y[6:10], y[10:13], y[13]
        mu, whole = 8 + 0.4 * t, 200 + m
        center = m * tank / whole
        inertia = structure + 200 * about(center) + m * kilogram + m * about(tank - center)
        e, c, thrust = nozzle - center, tank - center, 30 * mu * jet
        force = thrust - 2 * mu * np.cross(omega, nozzle - tank)
        # The Coriolis torque of the flow, as the change of the inertia, what the jet takes, and the flow inside.
        change = -mu * (np.cross(c, np.cross(omega, c)) + kilogram @ omega)
        taken = mu * np.cross(e, np.cross(omega, e))
        inside = np.cross(omega, mu * np.cross(c, e))
        torque = np.cross(e, thrust) - change - taken - inside
        alpha = np.linalg.solve(inertia, torque - np.cross(omega, inertia @ omega))
        a = force / whole - np.cross(alpha, center) - np.cross(omega, np.cross(omega, center))
        turning = 0.5 * np.concatenate([[-q[1:] @ omega], q[0] * omega + np.cross(q[1:], omega)])
        return np.concatenate([v, Rotation.from_quat(q[[1, 2, 3, 0]]).apply(a), turning, alpha, [-mu]])

    begin = [0, 0, 0, 3, 0, 10, 1, 0, 0, 0, 0.02, 0.3, 0.05, 300]
    return solve_ivp(rates, (0, duration), begin, method="DOP853", rtol=1e-13, atol=1e-12).y[:, -1]


def drift(found: rigidsim.Trajectory) -> float:
    return (
        found.metric("= drift").value if hasattr(found.metric("= drift"), "value") else float(found.metric("= drift"))
    )


@pytest.mark.parametrize(
    ("integrator", "step", "bound"),
    # Measured: 5.1e-7, 3.2e-8 (order 4), 3.7e-12 and 2.5e-12 m.
    [
        ("rkmk4", 0.1, 1e-6),
        ("rkmk4", 0.05, 6.5e-8),
        pytest.param("taylor", 1.0, 4e-11, marks=pytest.mark.slow),
        (ADAPTIVE, 1.0, 4e-11),
    ],
)
def test_a_tumbling_rocket_moves_by_the_equations_of_a_variable_mass(integrator, step, bound):
    found, want = rigidsim.simulate(rocket(integrator=integrator, step=step)), textbook(20.0)
    motion = found["rocket"].world
    assert np.abs(motion.position[-1] - want[:3]).max() < bound
    assert np.abs(motion.velocity[-1] - want[3:6]).max() < bound
    assert np.abs(motion.orientation[-1] * np.sign(want[6] * motion.orientation[-1, 0]) - want[6:10]).max() < bound
    assert found.metric("= final(mass('rocket/fuel'))") == pytest.approx(60.0, abs=1e-10)  # 300 - 160 - 80


def test_the_methods_of_first_order_converge():
    want = textbook(2.0)
    for name in ("euler", "magnus"):
        errors = [
            np.abs(
                rigidsim.simulate(rocket(duration=2.0, integrator=name, step=h))["rocket"].world.position[-1] - want[:3]
            )
            for h in (0.02, 0.01)
        ]
        assert 1.8 < np.linalg.norm(errors[0]) / np.linalg.norm(errors[1]) < 2.2


@EVERY
def test_a_vertical_rocket_gains_what_the_rocket_equation_says(integrator):
    """v = u log(m0/m) - g t, also after the tank is empty, which is found to rounding."""
    found = rigidsim.simulate(still(integrator))
    (event,), v = found.events.scheduled, found["rocket"].world.velocity[:, 2]
    assert event.name == "empty" and abs(event.time - 15.0) < 2e-14
    m = np.maximum(500 - 20 * found.time, 200)
    want = 2500 * np.log(500 / m) - 9.81 * found.time
    # Simpson's rule of 1/m errs by u h^4 20^4/(480 m^4), taken at both ends: 5.1e-8 m/s at 0.1 s, which is measured.
    bound = 2500 * (0.1 * 20 / 200) ** 4 / 480 * 1.1 if integrator == "rkmk4" else 2e-10
    assert np.abs(v - want).max() < bound
    assert found.metric("= final('rocket/fuel.flow')") == 0.0 and found.metric("= final(mass('rocket/fuel'))") == 0.0


def still(integrator, **more) -> rigidsim.Scene:
    """A rocket that stands upright, whose nozzle is below its centre of mass."""
    body = {
        "mass": 200, "inertia": {"principal": [100, 100, 20]},
        "forces": [
            {"type": "mass_flow", "tank": "rocket/fuel", "rate": 20, "exhaust_velocity": 2500, "at": [0, 0, -3]}
        ],
        "children": {"fuel": {"mass": 300, "inertia": {"principal": [90, 90, 40]}, "motion": "tank"}},
    }  # fmt: skip
    settings = {"duration": 30.0, "step": 0.1, "integrator": integrator}
    data = {"format": "rigidsim/1", "simulation": settings, "world": {"gravity": [0, 0, -9.81]}}
    return rigidsim.Scene.from_dict(data | {"bodies": {"rocket": body}} | more)


@pytest.mark.parametrize("gravity", [(1, 2, -9.81), OBLATE], ids=["uniform", "source"])
def test_energy_less_work_is_constant(gravity):
    """What leaves takes its kinetic and potential energy along; the tank runs empty on the way."""
    scene = rocket(duration=30.0, step=1.0, integrator=ADAPTIVE, gravity=gravity)
    assert rigidsim.simulate(scene).metric("= drift") < 2e-13
    coarse, fine = (
        rigidsim.simulate(rocket(duration=30.0, step=h, gravity=gravity)).metric("= drift") for h in (0.2, 0.1)
    )
    assert fine < 1e-9 and 8 < coarse / fine < 32


@EVERY
def test_the_instant_at_which_a_tank_is_empty_is_found_to_rounding(integrator):
    found = rigidsim.simulate(rocket(duration=30.0, step=0.25, integrator=integrator))
    (event,) = found.events.scheduled
    assert (event.id, event.name) == ("rocket/fuel.motion.tank", "empty")
    assert abs(event.time - EMPTY_AT) < 1e-12
    beyond = found.time > EMPTY_AT
    assert not found.arrays["joints/coordinate"][beyond].any()
    P = 200 * found["rocket"].world.velocity
    assert np.abs(np.diff(np.linalg.norm(found.arrays["diagnostics/linear_momentum"][beyond], axis=1))).max() < 1e-9
    assert P.shape == (len(found.time), 3)


def test_momentum_and_what_has_left_are_constant():
    """The momentum of the bodies, of the flow inside, and of all that has left by the nozzle, in steady flow."""
    found = rigidsim.simulate(rocket(duration=10.0, step=0.01, flow={"rate": 12.0}))
    body = found["rocket"].world
    turned = Rotation.from_quat(body.orientation[:, [1, 2, 3, 0]])
    omega = body.angular_velocity
    nozzle, inside = turned.apply([0.1, 0.02, -3]), turned.apply(np.array([0, 0.02, -1.8]))
    jet = turned.apply(np.array([0.05, 0, 1]) / np.hypot(0.05, 1))
    leaves = 12.0 * (body.velocity + np.cross(omega, nozzle) - 30 * jet)
    gone = np.stack([np.trapezoid(leaves[: k + 1], found.time[: k + 1], axis=0) for k in (0, len(found.time) - 1)])
    whole = found.arrays["diagnostics/linear_momentum"][[0, -1]] + 12.0 * inside[[0, -1]] + gone
    # The trapezoidal rule errs by h^2/12 times the change of the slope, here 1e-5 of 10^4 N s.
    assert np.abs(whole[1] - whole[0]).max() < 2e-2


def test_a_drop_gathers_mass_from_still_air():
    """A drop that gains half a kilogram in each metre of its way through a cloud at rest: m v is constant."""
    body = {
        "mass": 1e-6, "inertia": {"principal": [1, 1, 1]}, "velocity": [0, 0, -5],
        "forces": [{"type": "mass_flow", "tank": "drop/water", "rate": "= 0.5*v_z", "exhaust_velocity": "= v_z"}],
        "children": {"water": {"mass": 2, "inertia": {"principal": [1, 1, 1]}, "motion": "tank"}},
    }  # fmt: skip
    settings = {"duration": 4.0, "step": 0.01}
    scene = {"format": "rigidsim/1", "simulation": settings, "bodies": {"drop": body}}
    found = rigidsim.simulate(rigidsim.Scene.from_dict(scene))
    z, v, m = found["drop"].world.position[:, 2], found["drop"].world.velocity[:, 2], found.arrays["joints/coordinate"]
    assert np.abs(m[:, 0] - (2 - 0.5 * z)).max() < 1e-9
    assert np.abs((m[:, 0] + 1e-6) * v + 5 * (2 + 1e-6)).max() < 2e-8  # measured: 1.04e-8, of order 4
    assert found.metric("= drift") < 2.5e-9  # measured: 1.3e-9


def test_a_stage_is_let_go_with_what_is_left_in_it():
    """Momenta do not jump, and each stage keeps the mass that it has then."""
    lower = {
        "mass": 50, "inertia": {"principal": [40, 40, 9]}, "motion": "weld", "position": [0, 0.2, -4],
        "children": {"fuel": {"mass": 100, "inertia": {"principal": [9, 9, 5]}, "motion": "tank"}},
        "forces": [
            {"type": "mass_flow", "tank": "upper/lower/fuel", "rate": 5, "exhaust_velocity": 900, "at": [0, 0, -1]}
        ],
    }  # fmt: skip
    upper = {
        "mass": 80,
        "inertia": {"principal": [30, 30, 5]},
        "angular_velocity": [0.3, 0.1, 0.2],
        "children": {"lower": lower},
    }
    data = {
        "format": "rigidsim/1", "simulation": {"duration": 12.0, "step": 0.01}, "bodies": {"upper": upper},
        "reparent": [{"body": "upper/lower", "to": "world", "time": 10.0}],
    }  # fmt: skip
    found = rigidsim.simulate(rigidsim.Scene.from_dict(data))
    k = int(np.searchsorted(found.time, 10.0 - 1e-9))
    masses = np.array([80, 50, 50.0])  # upper, lower, and half of the fuel
    velocities = [found[path].world.velocity[k] for path in ("upper", "upper/lower", "upper/lower/fuel")]
    P = found.arrays["diagnostics/linear_momentum"][k]
    assert np.abs(masses @ np.array(velocities) - P).max() < 1e-9
    before = rigidsim.simulate(rigidsim.Scene.from_dict(data | {"reparent": []}))
    assert np.abs(before.arrays["diagnostics/linear_momentum"][k] - P).max() < 1e-9
    assert found.metric("= drift") < 1e-9


@pytest.mark.parametrize("motion", ["fixed", "weld", {"hinge": {"axis": [0, 0, 1]}}], ids=["fixed", "weld", "hinge"])
def test_a_tug_with_a_half_empty_tank_docks_and_keeps_all_momenta(motion):
    leak = {"type": "mass_flow", "tank": "tug/fuel", "rate": 5, "at": [0.3, 0, 0], "during": [0, 10]}
    fuel = {"mass": 100, "inertia": {"principal": [9, 9, 5]}, "motion": "tank", "position": [0.3, 0, 0]}
    tug = {
        "mass": 50, "inertia": {"principal": [40, 40, 9]}, "velocity": [1, 0.2, 0],
        "angular_velocity": [0.1, 0, 0.2], "children": {"fuel": fuel}, "forces": [leak],
    }  # fmt: skip
    port = {"mass": 70, "inertia": {"principal": [30, 30, 30]}, "position": [12, 0, 1]}
    data = {
        "format": "rigidsim/1", "simulation": {"duration": 12, "step": 0.01}, "bodies": {"tug": tug, "port": port},
        "reparent": [{"body": "tug", "to": "port", "time": 11, "motion": motion}],
    }  # fmt: skip
    found = rigidsim.simulate(rigidsim.Scene.from_dict(data))
    k = int(np.searchsorted(found.time, 11 - 1e-9))
    P, spin, orbital = (
        found.arrays[f"diagnostics/{name}"]
        for name in ("linear_momentum", "spin_angular_momentum", "orbital_angular_momentum")
    )
    L = spin + orbital
    assert np.abs(P[[k, -1]] - P[k - 1]).max() < 1e-11  # of 104 N s
    assert np.abs(L[[k, -1]] - L[k - 1]).max() < 1e-10  # of 150 N m s


def test_energies_of_a_tank_alone_are_refused():
    with pytest.raises(SceneError, match="the mass of the tank 'rocket/fuel' changes"):
        rocket(metrics={"x": "= final('rocket/fuel.kinetic_energy')"})
    found = rigidsim.simulate(rocket(duration=1.0))
    with pytest.raises(UsageError, match="the mass of the tank 'rocket/fuel' changes"):
        found.metric("= final('rocket/fuel.kinetic_energy')")


def test_the_reactions_of_a_tank_explain_its_acceleration():
    """Of the mass that is left: the force of the joint over it is its part of the recorded acceleration."""
    found = rigidsim.simulate(rocket(duration=10.0), terms=True)
    (own,) = joint_reactions(found, len(found.time) - 1, "rocket/fuel")
    assert np.abs(own.terms["joint"] - found["rocket/fuel"].term("joint")[-1]).max() < 1e-12


def test_lanes_slices_and_a_resumed_run_have_the_same_bits():
    def scene(rate):
        return rocket(duration=30.0, step=0.1, flow={"rate": f"= {rate} + 0.4*t"})

    alone = [rigidsim.simulate(scene(rate)) for rate in (8, 9)]
    together = rigidsim.simulate([scene(8), scene(9)])
    assert [one.content_hash for one in alone] == [one.content_hash for one in together]
    begun, again = rigidsim.Simulation(scene(8)), rigidsim.Simulation(scene(8))
    for n in (7, 100, 93):
        begun.step(n)
    again.resume(begun.checkpoint(), begun.events)
    again.step(100)
    begun.step(100)
    for one in (begun, again):
        assert (one.state["rocket"].world.position == alone[0]["rocket"].world.position[-1]).all()
        assert one.events == alone[0].events


@pytest.mark.parametrize("integrator", ["rkmk4", LATER])
def test_compiled_and_interpreted_runs_have_the_same_bits(monkeypatch, integrator):
    scene = rocket(duration=25.0, step=1.0, integrator=integrator)
    compiled = rigidsim.simulate(scene)
    monkeypatch.setenv("RIGIDSIM_JIT", "off")
    assert rigidsim.simulate(scene).content_hash == compiled.content_hash and len(compiled.events) == 1


def test_a_tank_that_does_not_run_empty_is_no_warning():
    simulation = rigidsim.Simulation(rocket(duration=2.0))
    simulation.step(simulation.n_step)
    assert not simulation.warnings and not len(simulation.events)


@pytest.mark.slow
def test_the_scene_means_the_same_in_other_words():
    report = certify(rocket(duration=30.0, step=0.1))
    assert all(one.verdict != "differs" for one in report.ways)


@pytest.mark.parametrize(
    ("change", "place", "words"),
    [
        ({"tank": "rocket"}, "forces[0].tank", "'rocket' is free, not on a tank joint"),
        ({"tank": "rocket/fule"}, "forces[0].tank", "there is no body 'rocket/fule'"),
        ({"rate": "3 m"}, "forces[0].rate", "mass flow (kg/s) is expected"),
        ({"rate": "= mass('rocket')"}, "forces[0].rate", "not a tank, so its mass does not change"),
        ({"rate": "= rate('rocket/fuel')"}, "forces[0].rate", "has no rate; it has mass, flow"),
        ({"rate": "= flow('rocket/fuel')"}, "forces[0].rate", "unknown function 'flow'"),
    ],
)
def test_bad_flows_are_refused_where_they_are(change, place, words):
    with pytest.raises(SceneError) as error:
        rocket(flow=change)
    assert place in str(error.value) and words in str(error.value)


def test_tanks_that_cannot_be_are_refused():
    fuel = {"mass": 3, "inertia": "point", "motion": "tank"}
    body = {"mass": 1, "inertia": {"principal": [1, 1, 1]}}

    def read(own: dict, **more):
        data = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.1}}
        rigidsim.Scene.from_dict(data | {"bodies": {"a": {**body, "children": {"fuel": own}}, "b": body}} | more)

    read(fuel)
    for own, more, words in (
        ({"motion": "tank"}, {}, "a tank has no mass at the start"),
        ({**fuel, "motion": {"tank": {"breaks": {"force": 1}}}}, {}, "a tank cannot break off"),
        ({**fuel, "velocity": [1, 0, 0]}, {}, "follows from that of the joint; omit it"),
        (fuel, {"reparent": [{"body": "a/fuel", "to": "world", "time": 0.5}]}, "is a tank, which keeps its parent"),
        (
            fuel,
            {"reparent": [{"body": "b", "to": "a", "time": 0.5, "motion": "tank"}]},
            "cannot be made during the run",
        ),
        (fuel, {"world": {"mutual_gravity": {}}}, "mutual gravity takes constant masses"),
        (fuel, {"metrics": {"x": "= final(displacement('a/fuel'))"}}, "has no displacement; it has mass, flow"),
    ):
        with pytest.raises(SceneError, match=words):
            read(own, **more)
