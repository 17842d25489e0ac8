"""Numbers of forces that expressions give: motion against an independent integration, energy, lanes, derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rigidsim
from rigidsim.analysis.loads import LoadsAtSample
from rigidsim.analysis.past import SampleModel
from rigidsim.certify.certifying import certify
from rigidsim.errors import SceneError, SimulationError

TOLERANCES = {"rkmk4": {}, "adaptive": {"rtol": 1e-12, "atol": 1e-13}, "taylor": {"tolerance": 1e-14}}
SPRING = {
    "type": "spring", "to": "world", "stiffness": "= k + 2*sin(t)", "damping": "= 0.1*t", "length": "= 1 + cos(2*t)/5",
}  # fmt: skip
DRAG = {"type": "drag", "quadratic": "= exp(-x)", "linear": 0.1}
TORSION = {"type": "torsion_spring", "to": "world", "stiffness": "= 3 + t", "damping": "= 0.1*exp(-t)"}


def made(forces: list, *, method="rkmk4", duration=2.0, m=1.0, turns=True, **more) -> rigidsim.Scene:
    body = {"mass": "= m", "inertia": {"principal": [1, 2, 3]}, "position": [1.5, 0, 0], "forces": forces}
    body |= {"angular_velocity": [0.1, 0.2, 1.0]} if turns else {}
    settings = {
        "duration": duration,
        "step": 0.005,
        "integrator": {"name": method} | TOLERANCES[method],
        "record_every": 0.1,
    }
    return rigidsim.Scene.from_dict(
        {"format": "rigidsim/1", "simulation": settings, "parameters": {"m": m, "k": 4}, "bodies": {"m": body}} | more
    )


def drift(found: rigidsim.Trajectory) -> float:
    """The largest change of energy less work, J."""
    kinetic, potential, work = (
        found.arrays[f"diagnostics/{n}"] for n in ("kinetic_energy", "potential_energy", "work")
    )
    return float(np.abs(kinetic + potential - work - kinetic[0] - potential[0]).max())


@pytest.mark.parametrize(
    ("method", "tolerance"),
    [("rkmk4", 2e-9), pytest.param("adaptive", 1e-11, marks=pytest.mark.slow), ("taylor", 2e-12)],
)
def test_the_motion_is_that_of_an_independent_integration(method, tolerance):
    """A mass on a spring that stiffens, is damped ever more and changes its length, in a medium that thins."""

    def rates(t, y):
        x, v = y
        pull = (4 + 2 * np.sin(t)) * (x - 1 - 0.2 * np.cos(2 * t)) + 0.1 * t * v
        return [v, -pull - (0.1 + np.exp(-x) * abs(v)) * v]

    found = rigidsim.simulate(made([SPRING, DRAG], method=method, duration=4.0, turns=False))
    want = solve_ivp(rates, (0, 4), [1.5, 0], method="DOP853", rtol=1e-13, atol=1e-14, t_eval=found.time)
    assert np.abs(found["m"].world.position[:, 0] - want.y[0]).max() < tolerance
    assert drift(found) < tolerance
    assert not found.arrays["diagnostics/potential_energy"].any()
    assert abs(found.arrays["diagnostics/work"][-1]) > 0.05


def test_a_constant_expression_and_a_number_are_one_motion():
    """`4 + 0*t` is a coefficient, and 4 a number: the paths agree, the energies are booked differently."""
    forces = [{"type": "spring", "to": "world", "stiffness": 4, "length": 1}, {"type": "drag", "linear": 0.2}]
    varied = [forces[0] | {"stiffness": "= 4 + 0*t"}, forces[1] | {"linear": "= 0.2 + 0*x"}]
    one, other = (rigidsim.simulate(made(each)) for each in (forces, varied))
    assert (one["m"].world.position == other["m"].world.position).all()
    total = [run.arrays["diagnostics/potential_energy"] - run.arrays["diagnostics/work"] for run in (one, other)]
    assert np.abs(total[0] - total[0][0] - total[1]).max() < 1e-9


def test_a_torsion_spring_by_expressions():
    """About one axis: theta'' = -(3 + t) theta/3 - 0.2 theta', against an independent integration."""
    spring = TORSION | {"damping": 0.6, "axis": [0, 0, 1], "rest": {"axis": [0, 0, 1], "angle": 0.5}}
    body = {"mass": 1, "inertia": {"principal": [1, 2, 3]}, "forces": [spring]}
    scene = made([]).resolved() | {"bodies": {"m": body}}
    found = rigidsim.simulate(rigidsim.Scene.from_dict(scene))
    want = solve_ivp(
        lambda t, y: [y[1], -(3 + t) * (y[0] - 0.5) / 3 - 0.2 * y[1]], (0, 2), [0, 0], method="DOP853", rtol=1e-13,
        atol=1e-14, t_eval=found.time,
    )  # fmt: skip
    angle = 2 * np.arctan2(found["m"].world.orientation[:, 3], found["m"].world.orientation[:, 0])
    assert np.abs(angle - want.y[0]).max() < 1e-10
    assert drift(found) < 1e-10


def test_lanes_slices_a_resumed_run_and_python_have_the_same_bits(monkeypatch):
    scene = made([SPRING, DRAG, TORSION], metrics={"x": "= final(x('m'))"})
    masses = np.linspace(1, 2, 18)
    found = rigidsim.sweep(scene, vary={"m": "1:2:18"})
    each = [rigidsim.simulate(scene.with_overrides([("m", m)])).metrics["x"] for m in masses]
    assert (found.metrics["x"] == each).all() and len(set(each)) == 18
    whole, begun, again = (rigidsim.Simulation(scene) for _ in range(3))
    whole.step(whole.n_step)
    begun.step(133)
    again.resume(begun.checkpoint(), begun.events)
    again.step(again.n_step - 133)
    assert (again.state["m"].world.position == whole.state["m"].world.position).all()
    short = made([SPRING, DRAG, TORSION], duration=0.2)
    compiled = rigidsim.simulate(short).content_hash
    monkeypatch.setenv("RIGIDSIM_JIT", "off")
    assert rigidsim.simulate(short).content_hash == compiled


def test_derivatives_are_those_of_differences():
    """The error of a central difference of h = 1e-5 is h^2, and rounding over h."""
    scene = made([SPRING, DRAG, TORSION], metrics={"x": "= final(x('m'))"})
    found = rigidsim.simulate(scene, derivatives=["m", "k"])
    for name, value in (("m", 1.0), ("k", 4.0)):
        more, less = (rigidsim.simulate(scene.with_overrides([(name, value + h)])).metrics["x"] for h in (1e-5, -1e-5))
        slope = found.derivative(name).arrays["world/position"][-1, 0, 0]
        assert abs(slope - (more - less) / 2e-5) < 1e-9


def test_explain_and_certify_know_them():
    scene = made([SPRING, DRAG, TORSION])
    found = rigidsim.simulate(scene, terms=True)
    shares = LoadsAtSample(SampleModel(found, 10)).shares("m")
    assert len(shares) == 3
    total = sum(share.terms["applied"] for share in shares)
    assert np.abs(total - found.arrays["terms/applied"][10, 0]).max() < 1e-14
    assert certify(scene).is_certified


def test_a_number_becomes_an_expression_during_the_run():
    """x'' = -4 x until t = 1, then -4 exp(1 - t) x."""
    spring = {"type": "spring", "to": "world", "stiffness": 4, "length": 0}
    change = {"time": 1, "set": {"bodies.m.forces[0].stiffness": "= 4*exp(1 - t)"}}
    found = rigidsim.simulate(made([spring], changes=[change], turns=False))

    def rates(t, y):
        return [y[1], -4 * (np.exp(1 - t) if t > 1 else 1.0) * y[0]]

    first = solve_ivp(rates, (0, 1), [1.5, 0], method="DOP853", rtol=1e-13, atol=1e-14)
    want = solve_ivp(rates, (1, 2), first.y[:, -1], method="DOP853", rtol=1e-13, atol=1e-14)
    assert abs(found["m"].world.position[-1, 0] - want.y[0, -1]) < 1e-9
    assert drift(found) < 1e-9


def test_a_coefficient_that_is_no_number_ends_the_run():
    with pytest.raises(SimulationError, match=r"the expression of m, forces\[0\]\.linear gave nan at t = 1\.20"):
        rigidsim.simulate(made([{"type": "drag", "linear": "= sqrt(1.2 - t)"}]))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (-1, "must not be negative, got -1"),
        ("= -k", "must not be negative, got -4"),
        ("soft", "expected a number (stiffness, N/m), got the text 'soft'"),
        ("= stiff*t", "unknown name 'stiff'"),
        ("4 N", "'N' is a unit of force"),
        ("= v", "expected a number, got a vector"),
        (None, "has no value"),
    ],
)
def test_a_bad_coefficient_is_one_located_sentence(value, message):
    with pytest.raises(SceneError) as failure:
        made([{"type": "spring", "to": "world", "stiffness": value}])
    assert message in str(failure.value) and "bodies.m.forces[0].stiffness" in str(failure.value)
