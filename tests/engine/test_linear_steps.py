"""What the scene's warnings are derived from is what the stepper does: stability, growth, and errors of each
integrator.
"""

from __future__ import annotations

import cmath

import numpy as np
import pytest

from rigidsim.scene.notes.steps import flight_error, growth
from rigidsim.scene.schema.integrators import MODELS
from support.scenes import make_scene, run

NAMES = tuple(name for name, model in MODELS.items() if not model.chooses)
POINT = {"mass": 1, "inertia": "point"}
STEP = 0.01


def method(name: str):
    return MODELS[name](name=name)


def stepped(name: str, A, steps: int) -> np.ndarray:
    return np.linalg.matrix_power(method(name).linear_step(np.array(A)), steps)


def last(forces: list, name: str, steps: int, **body) -> tuple[float, float]:
    """x and v_x of a particle of 1 kg under these forces, after so many steps."""
    bodies = {"p": POINT | {"forces": forces} | body}
    world = run(bodies, duration=STEP * steps, step=STEP, integrator=name)["p"].world
    return float(world.position[-1, 0]), float(world.velocity[-1, 0])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("swing", "damping"), [(0.3, 0.0), (0.3, 0.5), (0.0, 1.9), (1.9, 0.1), (0.05, 2.9)])
def test_linear_step_is_what_the_stepper_does(name, swing, damping):
    """x'' = -k x - c x' for 20 steps; round-off grows as the motion does, 1e-13 of the largest power at most."""
    spring = {"type": "spring", "to": "world", "length": 0, "stiffness": (swing / STEP) ** 2}
    drag = {"type": "drag", "linear": damping / STEP}
    x, v = last([spring, drag], name, 20, position=[1, 0, 0], velocity=[3, 0, 0])
    expected = stepped(name, [(0, 1), (-(swing**2), -damping)], 20) @ [1, 3 * STEP]
    size = max(1.0, *np.abs(expected))
    assert x == pytest.approx(expected[0], abs=1e-13 * size)
    assert STEP * v == pytest.approx(expected[1], abs=1e-13 * size)


# Rate of damping and of an undamped swing, times the step, up to which the stepper does not grow. Measured here.
BOUNDS = {"rkmk4": (2.785, 2.828), "magnus": (2.0, 0.0), "magnus2": (2.0, 0.0), "euler": (2.0, 2.0)}


@pytest.mark.parametrize(("name", "bound"), [(name, bound) for name, (bound, _) in BOUNDS.items()])
def test_bounds_of_damping(name, bound):
    for factor, grows in ((0.998, False), (1.002, True)):
        _, v = last([{"type": "drag", "linear": factor * bound / STEP}], name, 2000, velocity=[1, 0, 0])
        assert (abs(v) > 1) == grows == (growth(method(name), 0.0, factor * bound) > 0)


@pytest.mark.parametrize(("name", "bound"), [(name, bound) for name, (_, bound) in BOUNDS.items() if bound])
def test_bounds_of_swings(name, bound):
    for factor, grows in ((0.99, False), (1.01, True)):
        spring = {"type": "spring", "to": "world", "length": 0, "stiffness": (factor * bound / STEP) ** 2}
        x, _ = last([spring], name, 300, position=[1, 0, 0])
        assert (abs(x) > 100) == grows == (growth(method(name), factor * bound, 0.0) > 1e-12)


@pytest.mark.parametrize(("name", "law"), [("magnus", lambda z: z**2 / 4), ("magnus2", lambda z: z**4 / 8)])
def test_growth_of_undamped_swings(name, law):
    """The amplitude, of x and v/w together, after 400 steps of 0.2 rad; the laws are leading terms, to z^2."""
    z, steps = 0.2, 400
    spring = {"type": "spring", "to": "world", "length": 0, "stiffness": (z / STEP) ** 2}
    x, v = last([spring], name, steps, position=[1, 0, 0])
    measured = np.log(np.hypot(x, v * STEP / z)) / steps
    assert measured == pytest.approx(growth(method(name), z, 0.0), rel=z)  # an ellipse, not a circle: z in one turn
    assert growth(method(name), z, 0.0) == pytest.approx(law(z), rel=z * z)


def test_growth_near_one_is_not_a_difference_of_roundings():
    """A million million steps of a slow swing or a weak drag: nothing grows with rkmk4."""
    for swing, damping in ((1e-8, 0.0), (0.0, 1e-12), (1e-9, 1e-12), (1e-4, 0.0), (0.0, 1e-300)):
        assert 1e12 * growth(method("rkmk4"), swing, damping) < 1e-3


def flown(name: str, rate: float, position: list, velocity: list, steps: int) -> complex:
    """Where a particle is, seen from the world, that flies freely below a drum that spins about z."""
    chip = POINT | {"position": position, "velocity": {"value": velocity, "relative_to": "world"}}
    drum = {"motion": {"prescribed": {"angular_velocity": [0, 0, rate]}}, "children": {"chip": chip}}
    p = run({"drum": drum}, duration=STEP * steps, step=STEP, integrator=name)["drum/chip"].local.position[-1]
    return complex(p[0], p[1]) * cmath.exp(1j * rate * STEP * steps)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("turn", [0.02, 0.2])
def test_stray_is_what_free_flights_in_a_spinning_frame_err_by(name, turn):
    steps, rate = 300, turn / STEP
    time = STEP * steps
    resting = abs(flown(name, rate, [1, 0, 0], [0, 0, 0], steps) - 1)
    leaving = abs(flown(name, rate, [0, 0, 0], [1, 0, 0], steps) - time) / time
    expected = flight_error(method(name), turn, turn * steps)
    # Round-off: some 1e-16 of what has grown, a step.
    assert max(resting, leaving) == pytest.approx(expected, rel=1e-8, abs=1e-12)


LAWS = {
    "magnus2": lambda z, T: z**2 * T / 6,
    "magnus": lambda z, T: z * T**2 / 4,
    "euler": lambda z, T: z * T**2 / 2,
}


@pytest.mark.parametrize("name", LAWS)
def test_laws_of_straying(name):
    """Leading terms, for many radians in small steps; what is left out is some 1/T and z T^2 of them."""
    z, total = (0.02, 400.0) if name == "magnus2" else (1e-4, 20.0)
    assert flight_error(method(name), z, total) == pytest.approx(LAWS[name](z, total), rel=0.06)


DRUMS = {
    "a constant rate": {"motion": {"prescribed": {"angular_velocity": [0, 0, 200]}}},
    "expressions": {
        "motion": {
            "prescribed": {
                "position": ["= 0.3*sin(3*t)", 0, "= t"],
                "orientation": {"euler": ["= 200*t", "= 0.2*sin(t)", "= 0.1*t"], "order": "ZYX"},
            }
        }
    },
    "free": {"mass": 5, "inertia": {"principal": [1, 2, 3]}, "angular_velocity": [140, 40, 140]},
    "a radian a step": {"motion": {"prescribed": {"angular_velocity": [0, 0, 1000]}}},
}


@pytest.mark.parametrize("drum", DRUMS.values(), ids=DRUMS)
def test_a_chip_flies_straight_in_a_fast_drum(drum):
    """Though its motion is that relative to the drum, 130 m/s and more. Measured: 2e-14 to 1.1e-12 of the way, which is
    the rounding of angles up to 1000 rad."""
    chip = POINT | {"position": [1, 0.5, 0.2], "velocity": [0.1, -0.2, 0.3]}
    seen = run({"drum": drum | {"children": {"chip": chip}}}, duration=1.0, step=1e-3)["drum/chip"].world
    way = seen.position[-1] - seen.position[0]
    assert np.linalg.norm(way) > 100
    assert np.abs(way - seen.velocity[0]).max() <= 4e-12 * np.linalg.norm(way)


@pytest.mark.parametrize("name", NAMES)
def test_quadrature_is_what_a_body_at_rest_gains(name):
    """Below a frame whose velocity is a step of 0.4 m/s within 10 ms, seen between two steps and warned of as such."""
    pace = {"velocity": ["= 0.2*tanh(300*(t-0.505))", 0, 0]}
    rest = POINT | {"velocity": {"value": [0, 0, 0], "relative_to": "world"}}
    bodies = {"b": {"motion": {"prescribed": pace}, "children": {"p": rest}}}
    how = {"duration": 1, "step": 0.01, "integrator": name, "record_every": 0.01}
    (warning,) = make_scene(bodies, **how).warnings
    reported = float(warning.split("gains ")[1].split(" m/s")[0])
    gained = np.abs(run(bodies, **how)["b/p"].world.velocity[:, 0]).max()
    assert reported == pytest.approx(gained, rel=0.05)  # two digits are shown
    if name == "rkmk4":
        assert gained == pytest.approx(0.08, abs=0.002)
