"""Linear motion about a state beside closed forms, and states of rest."""

from __future__ import annotations

import numpy as np
import pytest

from rigidsim.errors import SimulationError, UsageError
from rigidsim.scene import Scene
from rigidsim.sensitivities.linear import equilibrium, linearize
from rigidsim.simulation.batch import simulate

ROUNDING = 1e-12
G = 9.81
DOUBLE = """
format: rigidsim/1
parameters: {k: 3.0, c: 0.05, l: 0.7, tilt: 0, load: 0}
simulation: {duration: 2, step: 1e-3}
world: {gravity: [0, -9.81, 0]}
bodies:
  upper:
    mass: 2
    center_of_mass: [0, -0.3, 0]
    inertia: {principal: [0.1, 0.1, 0.1]}
    motion: {hinge: {axis: [0, 0, 1], angle: "= tilt", motor: {torque: "= load"}}}
    children:
      lower:
        mass: 1
        position: [0, "= -l", 0]
        center_of_mass: [0, -0.2, 0]
        inertia: {principal: [0.05, 0.05, 0.05]}
        motion: {hinge: {axis: [0, 0, 1], angle: 0, spring: {stiffness: "= k"}, damping: "= c"}}
"""
TOP = """
format: rigidsim/1
parameters: {spin: 60, m: 0.5, h: 0.1, i: 0.004, i3: 0.003}
simulation: {duration: 1, step: 1e-3}
world: {gravity: [0, 0, -9.81]}
bodies:
  top:
    mass: "= m"
    center_of_mass: [0, 0, "= h"]
    inertia: {principal: ["= i", "= i", "= i3"]}
    angular_velocity: [0, 0, "= spin"]
    motion: {ball: {}}
"""
CART = """
format: rigidsim/1
parameters: {cart: 3, bob: 1, l: 0.5, k: 40, push: 0}
simulation: {duration: 1, step: 1e-3}
world: {gravity: [0, -9.81, 0]}
bodies:
  cart:
    mass: "= cart"
    inertia: {principal: [1, 1, 1]}
    motion: {slide: {axis: [1, 0, 0], spring: {stiffness: "= k"}, motor: {force: "= push"}}}
    children:
      bob: {mass: "= bob", inertia: point, center_of_mass: [0, "= -l", 0], motion: {hinge: {axis: [0, 0, 1]}}}
"""
TUMBLING = """
format: rigidsim/1
simulation: {duration: 1, step: 1e-3}
bodies:
  brick:
    mass: 2
    inertia: {principal: [1, 2, 2.5]}
    angular_velocity: [0.1, 3, 0.2]
    velocity: [1, 0, 0]
    forces: [{type: spring, to: world, at: [0.1, 0, 0], to_at: [1, 1, 0], stiffness: 20, length: 0.5}]
"""


def scene(text: str, **changes) -> Scene:
    return Scene.from_text(text, overrides=[*changes.items()])


def frequencies(mass: np.ndarray, stiffness: np.ndarray) -> np.ndarray:
    """Hz, of M x'' + K x = 0."""
    return np.sort(np.sqrt(np.linalg.eigvals(np.linalg.solve(mass, stiffness)).real)) / (2.0 * np.pi)


def double(k: float, length: float = 0.7) -> tuple[np.ndarray, np.ndarray]:
    """Mass and stiffness of the double pendulum, in its relative angles, about hanging."""
    m, c, inertia = (2.0, 1.0), (0.3, 0.2), (0.1, 0.05)
    reach = length + c[1]
    mass = np.zeros((2, 2))
    for jacobian, weight in (
        ([c[0], 0.0], m[0]),
        ([reach, c[1]], m[1]),
        ([1.0, 0.0], inertia[0]),
        ([1.0, 1.0], inertia[1]),
    ):
        mass += weight * np.outer(jacobian, jacobian)
    lower = m[1] * G * c[1]
    return mass, np.array([[m[0] * G * c[0] + m[1] * G * reach, lower], [lower, lower + k]])


def test_a_double_pendulum():
    mass, stiffness = double(3.0)
    found = linearize(scene(DOUBLE, c=0))
    assert found.states == ["upper.angle", "upper.rate", "upper/lower.angle", "upper/lower.rate"]
    np.testing.assert_allclose([one.frequency for one in found.modes], frequencies(mass, stiffness), rtol=ROUNDING)
    assert max(abs(one.damping) for one in found.modes) < ROUNDING
    damped = linearize(scene(DOUBLE), inputs=["load", "k"])
    rates = [1, 3]
    np.testing.assert_allclose(damped.A[np.ix_(rates, [0, 2])], -np.linalg.solve(mass, stiffness), rtol=ROUNDING)
    np.testing.assert_allclose(
        damped.A[np.ix_(rates, rates)], np.linalg.solve(mass, [[0, 0], [0, -0.05]]), atol=ROUNDING
    )
    np.testing.assert_allclose(damped.B[rates, 0], np.linalg.solve(mass, [1.0, 0.0]), rtol=1e-9)
    assert np.all(damped.B[:, 1] == 0.0)  # of a relaxed spring
    assert all(0.0 < one.damping < 0.1 for one in damped.modes)


def test_a_sleeping_top():
    """i theta'' - i3 spin J theta' - m g h theta = 0 with the inertia about the tip: two gyroscopic frequencies."""
    i, i3, spin, weight = 0.004 + 0.5 * 0.1**2, 0.003, 60.0, 0.5 * G * 0.1
    found = linearize(scene(TOP))
    # in axes that spin: theta ~ exp(i (w - spin) t) with i w^2 - i3 spin w + weight = 0
    root = np.sqrt((i3 * spin) ** 2 - 4.0 * i * weight)
    exact = sorted(abs((i3 * spin + sign * root) / (2.0 * i) - spin) / (2.0 * np.pi) for sign in (1.0, -1.0))
    np.testing.assert_allclose([one.frequency for one in found.modes if one.frequency], exact, rtol=ROUNDING)
    assert max(abs(one.damping) for one in found.modes) < 1e-10
    slow = linearize(scene(TOP, spin=30))  # (i3 spin)^2 < 4 i weight: it falls
    assert max(one.eigenvalue.real for one in slow.modes) > 1.0


def test_a_pendulum_on_a_cart():
    mass, stiffness = np.array([[4.0, 0.5], [0.5, 0.25]]), np.diag([40.0, G * 0.5])
    found = linearize(
        scene(CART), inputs=["push"], outputs=["cart.position.x", "cart/bob.angle[deg]", "kinetic_energy"]
    )
    np.testing.assert_allclose([one.frequency for one in found.modes], frequencies(mass, stiffness), rtol=ROUNDING)
    np.testing.assert_allclose(found.B[[1, 3], 0], np.linalg.solve(mass, [1.0, 0.0]), rtol=1e-9)
    np.testing.assert_allclose(found.C[:2], [[1, 0, 0, 0], [0, 0, 1, 0]], atol=1e-11)
    assert np.all(found.D == 0.0)


def test_a_body_in_flight_beside_differences_of_the_run():
    """The state after a step from neighbouring states, beside the matrix exponential of A h; of second order in h."""
    found = linearize(scene(TUMBLING), at=0.5)
    assert found.A.shape == (12, 12) and found.time == 0.5
    later = linearize(scene(TUMBLING), at=0.501)
    assert np.abs(later.A - found.A).max() < 0.02 * np.abs(found.A).max()
    free = scene(TUMBLING.replace("forces:", "_: ").replace("_: ", "forces: []  # "))
    omega = np.array([0.0, 3.0, 0.0])
    spun = linearize(Scene.from_text(free.source, overrides=[("bodies.brick.angular_velocity", omega.tolist())]))
    # Euler: growth about the middle axis, 3 sqrt((2 - 1) (2.5 - 2) / (1 2.5))
    growth = max(one.eigenvalue.real for one in spun.modes)
    assert growth == pytest.approx(3.0 * np.sqrt(1.0 * 0.5 / 2.5), rel=1e-10)


def test_outputs_know_the_scene():
    """Kinetic energy of a moving cart: its derivative with respect to the rate is m v, to the mass v^2/2."""
    moving = CART.replace("push: 0}", "push: 0, v: 0.2}").replace("axis: [1, 0, 0],", 'axis: [1, 0, 0], rate: "= v",')
    found = linearize(scene(moving), inputs=["cart"], outputs=["kinetic_energy", "cart.kinetic_energy"])
    np.testing.assert_allclose(found.C[0], [0.0, 4.0 * 0.2, 0.0, 0.5 * 0.2], atol=1e-11)
    np.testing.assert_allclose(found.D[:, 0], [0.02, 0.02], rtol=1e-9)


def test_states_of_rest():
    """A torque of 2 N m holds the upper pendulum at the angle where gravity balances it."""
    found = equilibrium(scene(DOUBLE, load=2, tilt=0.1), ["tilt", *LOWER])
    tilt, lower = found.values.values()
    # of the lower hinge: m g c sin(tilt + lower) + k lower = 0; of both: moments of gravity balance the torque
    assert G * 0.2 * np.sin(tilt + lower) + 3.0 * lower == pytest.approx(0.0, abs=1e-11)
    moment = G * (2 * 0.3 * np.sin(tilt) + 0.7 * np.sin(tilt) + 0.2 * np.sin(tilt + lower))
    assert moment == pytest.approx(2.0, rel=1e-11)
    assert np.abs(found.linear.f).max() < 1e-11 and all(one.eigenvalue.real < 0.0 for one in found.linear.modes)


LOWER = ["bodies.upper.children.lower.motion.hinge.angle"]


def test_a_parent_that_changes_later_does_not_matter():
    arm = {"motion": {"hinge": {"axis": [0, 1, 0]}}, "mass": 1, "center_of_mass": [0, 0, -1], "inertia": "point"}
    data = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.01}, "world": {"gravity": [0, 0, -4]}}
    data["bodies"] = {"arm": arm, "post": {"mass": 1, "inertia": {"principal": [1, 1, 1]}}}
    data["reparent"] = [{"time": 0.5, "body": "arm", "to": "post", "motion": "fixed"}]
    model = linearize(Scene.from_dict(data))
    assert abs(max(one.frequency for one in model.modes) - 1.0 / np.pi) <= 1e-12  # sqrt(4 / 1) / 2 pi


def test_refusals():
    with pytest.raises(SimulationError, match="no equilibrium was found near the numbers of the scene"):
        equilibrium(scene(DOUBLE, load=50), ["tilt"])
    with pytest.raises(UsageError, match=r"the state at 0\.0005 s is not one of the run"):
        linearize(scene(DOUBLE), at=0.0005)
    with pytest.raises(UsageError, match="'nothing' is not in the scene"):
        linearize(scene(DOUBLE), inputs=["nothing"])
    with pytest.raises(UsageError, match="1 to 8 numbers"):
        equilibrium(scene(DOUBLE), [])


def test_a_servo_with_a_stiffness_is_a_spring_and_a_damper():
    """I x'' = -k x - c x' about the wanted angle: eigenvalues -c/2I +- i sqrt(k/I - (c/2I)^2)."""
    k, c, moment = 8.0, 0.5, 0.5
    motor = {"angle": "= 0*t", "stiffness": f"{k} N m/rad", "damping": f"{c} N m s/rad"}
    rod = {
        "mass": 1.0,
        "inertia": {"principal": [moment] * 3},
        "motion": {"hinge": {"axis": [0, 0, 1], "motor": motor}},
    }
    simulation = {"duration": 1, "step": 0.01}
    found = linearize(Scene.from_dict({"format": "rigidsim/1", "simulation": simulation, "bodies": {"rod": rod}}))
    (mode,) = found.modes
    wanted = complex(-c / (2 * moment), (k / moment - (c / (2 * moment)) ** 2) ** 0.5)
    assert mode.eigenvalue == pytest.approx(wanted, rel=1e-12)


def test_outputs_of_controllers_are_held_and_named():
    """x'' = (push - 3 x)/2, with the push of that instant, 4 - 2 x of the last sample."""
    scene = Scene.from_text("""
format: rigidsim/1
simulation: {duration: 10, step: 0.01}
bodies:
  cart:
    mass: 2
    inertia: {principal: [1, 1, 1]}
    motion: {slide: {axis: [1, 0, 0], spring: {stiffness: 3}, motor: {force: "= push"}}}
    sensors: {wheel: {type: encoder, every: 0.1}}
controllers:
  push: {type: hold, every: 0.1, input: "= 4 - 2*wheel_coordinate('cart')"}
""")
    found, run = linearize(scene, at=1.05), simulate(scene)
    x, push = run["cart"].joint.coordinates[105, 0], 4 - 2 * run["cart"].joint.coordinates[100, 0]
    assert found.held == ["cart.wheel_coordinate", "cart.wheel_rate", "push"]
    assert np.abs(found.f[1] - (push - 3 * x) / 2) < 1e-12
    assert np.abs(found.A - [[0, 1], [-1.5, 0]]).max() < 1e-14


def test_a_tank_has_its_mass_in_the_linear_motion():
    scene = Scene.from_text("""
format: rigidsim/1
simulation: {duration: 10, step: 0.1}
bodies:
  rocket:
    mass: 200
    inertia: {principal: [100, 100, 10]}
    forces:
      - {type: mass_flow, tank: rocket/fuel, rate: "= 2 + 0.02*mass('rocket/fuel') + 0.1*v_z", exhaust_velocity: 2500}
    children:
      fuel: {mass: 800, inertia: {principal: [300, 300, 40]}, motion: tank}
""")
    found = linearize(scene)
    i, j = (found.states.index(name) for name in ("rocket/fuel.mass", "rocket.velocity.z"))
    assert np.abs(found.f[[i, j]] - [-18, 45]).max() < 1e-12
    wanted = [[-0.02, -0.1], [2500 * 0.02 / 1000 - 45000 / 1000**2, 0.25]]
    assert np.abs(found.A[np.ix_([i, j], [i, j])] - wanted).max() < 1e-15
