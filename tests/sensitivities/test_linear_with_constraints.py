"""Linear motion where loops and contacts hold a body, beside closed forms and the benchmark bicycle."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rigidsim.errors import UsageError
from rigidsim.scene import Scene
from rigidsim.sensitivities.linear import LinearModel, equilibrium, linearize

G, RADIUS = 9.81, 0.1
ROUNDING = 1e-12
SCENES = Path(__file__).parents[2] / "scenes"
PLANE = {"shapes": [{"type": "plane"}], "material": {"friction": 0.3}}
BALL = {
    "mass": 2, "shapes": [{"type": "sphere", "radius": "= r"}], "position": [0, 0, "= r"],
    "inertia": {"principal": [0.4 * 2 * RADIUS**2] * 3}, "material": {"friction": 0.3},
}  # fmt: skip


def scene(bodies: dict, contact="events", loops=(), **simulation) -> Scene:
    return Scene.from_dict(
        {
            "format": "rigidsim/1",
            "parameters": {"r": RADIUS},
            "simulation": {"duration": 1, "step": 0.01, "contact": contact, **simulation},
            "world": {"gravity": [0, 0, -G], "loops": [*loops]},
            "bodies": bodies,
        }
    )


def moving(linear: LinearModel) -> list[complex]:
    return [one.eigenvalue for one in linear.modes if one.frequency > 0.0]


# --- the benchmark bicycle


def benchmark() -> tuple[np.ndarray, ...]:
    """M, C1, K0 and K2 of M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 for the angles of lean and steer.

    Source: Meijaard, Papadopoulos, Ruina and Schwab, Linearized dynamics equations for the balance and steer of a
    bicycle: a benchmark and review, Proc. R. Soc. A 463 (2007), table 1 and appendix A. Axes: x forward, z down.
    """
    w, c, tilt = 1.02, 0.08, np.pi / 10
    r_R, m_R, R_xx, R_yy = 0.3, 2.0, 0.0603, 0.12
    x_B, z_B, m_B, B_xx, B_xz, B_zz = 0.3, -0.9, 85.0, 9.2, 2.4, 2.8
    x_H, z_H, m_H, H_xx, H_xz, H_zz = 0.9, -0.7, 4.0, 0.05892, -0.00756, 0.00708
    r_F, m_F, F_xx, F_yy = 0.35, 3.0, 0.1405, 0.28
    m_T = m_R + m_B + m_H + m_F
    x_T = (x_B * m_B + x_H * m_H + w * m_F) / m_T
    z_T = (-r_R * m_R + z_B * m_B + z_H * m_H - r_F * m_F) / m_T
    T_xx = R_xx + B_xx + H_xx + F_xx + m_R * r_R**2 + m_B * z_B**2 + m_H * z_H**2 + m_F * r_F**2
    T_xz = B_xz + H_xz - m_B * x_B * z_B - m_H * x_H * z_H + m_F * w * r_F
    T_zz = R_xx + B_zz + H_zz + F_xx + m_B * x_B**2 + m_H * x_H**2 + m_F * w**2
    m_A = m_H + m_F
    x_A, z_A = (x_H * m_H + w * m_F) / m_A, (z_H * m_H - r_F * m_F) / m_A
    A_xx = H_xx + F_xx + m_H * (z_H - z_A) ** 2 + m_F * (r_F + z_A) ** 2
    A_xz = H_xz - m_H * (x_H - x_A) * (z_H - z_A) + m_F * (w - x_A) * (r_F + z_A)
    A_zz = H_zz + F_xx + m_H * (x_H - x_A) ** 2 + m_F * (w - x_A) ** 2
    sin, cos = np.sin(tilt), np.cos(tilt)
    u_A = (x_A - w - c) * cos - z_A * sin
    A_ll = m_A * u_A**2 + A_xx * sin**2 + 2 * A_xz * sin * cos + A_zz * cos**2
    A_lx = -m_A * u_A * z_A + A_xx * sin + A_xz * cos
    A_lz = m_A * u_A * x_A + A_xz * sin + A_zz * cos
    mu, S_R, S_F = c / w * cos, R_yy / r_R, F_yy / r_F
    S_T, S_A = S_R + S_F, m_A * u_A + mu * m_T * x_T
    off = A_lx + mu * T_xz
    M = np.array([[T_xx, off], [off, A_ll + 2 * mu * A_lz + mu**2 * T_zz]])
    K0 = np.array([[m_T * z_T, -S_A], [-S_A, -S_A * sin]])
    K2 = np.array([[0, (S_T - m_T * z_T) / w * cos], [0, (S_A + S_F * sin) / w * cos]])
    off = mu * S_T + S_F * cos
    C1 = np.array(
        [
            [0, off + T_xz / w * cos - mu * m_T * z_T],
            [-off, A_lz / w * cos + mu * (S_A + T_zz / w * cos)],
        ]
    )
    return M, C1, K0, K2


def eigenvalues(speed: float) -> np.ndarray:
    M, C1, K0, K2 = benchmark()
    below = np.linalg.solve(M, np.hstack([-(G * K0 + speed**2 * K2), -speed * C1]))
    return np.linalg.eigvals(np.vstack([np.hstack([np.zeros((2, 2)), np.eye(2)]), below]))


def test_the_matrices_of_the_benchmark_are_those_published():
    M, C1, K0, K2 = benchmark()
    published = (
        (M, [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]]),
        (C1, [[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]]),
        (K0, [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]]),
        (K2, [[0, 76.59734589573222], [0, 2.65431523794604]]),
    )
    for found, wanted in published:
        np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-13)


WEAVE = 4.46486771378823j
PUBLISHED = {5.0: [-14.07838969279822, -0.77534188219585 - WEAVE, -0.77534188219585 + WEAVE, -0.32286642900409]}


@pytest.mark.parametrize("speed", [0.5, 4.6, 5.0, 8.0])
def test_the_benchmark_bicycle(speed):
    """Two wheels that roll, each with three rows: of 18 variables ten are left. Six eigenvalues are zero: place,
    heading, speed, and angles of the wheels. Measured: 4e-14 of the largest one.
    """
    bicycle = Scene.from_file(SCENES / "bicycle.yaml", [f"v={speed}", "push=0"])
    linear = linearize(bicycle)
    assert len(linear.states) == 10 and len(linear.variables) == 18
    values = np.linalg.eigvals(linear.A)
    moved = np.sort_complex(values[np.abs(values) > 1e-5])
    assert len(moved) == 4
    np.testing.assert_allclose(moved, np.sort_complex(eigenvalues(speed)), rtol=1e-12)
    if speed in PUBLISHED:
        np.testing.assert_allclose(moved, np.sort_complex(PUBLISHED[speed]), rtol=1e-12)


# --- contacts


def test_a_ball_on_a_spring_rolls():
    """(m + I/r^2) x'' = -k x, in both directions, and no other motion is left but three angles and a spin."""
    held = {**BALL, "forces": [{"force": ["= -30*x", "= -30*y", 0]}]}
    linear = linearize(scene({"floor": PLANE, "ball": held}), outputs=["ball.velocity.x"])
    exact = 1j * np.sqrt(30 / (1.4 * 2))
    assert len(linear.states) == 5 + 3  # place and rotation; rates of rolling and of the spin
    np.testing.assert_allclose(moving(linear), [exact, exact], rtol=ROUNDING)
    by_rate = linear.C[0, linear.states.index("ball.angular_velocity.y")]
    assert by_rate == pytest.approx(RADIUS, rel=ROUNDING)
    height = [one.name for one in linear.variables].index("ball.position.z")
    assert not linear.T[height].any()


def test_the_direction_of_a_slip_changes_friction():
    """v' = -mu g u/|u|: a velocity across the slip u turns the friction, one along it does not."""
    sliding = {**BALL, "velocity": [2, 0, 0]}
    linear = linearize(scene({"floor": PLANE, "ball": sliding}), at=0.1)
    slip = 2 - 3.5 * 0.3 * G * 0.1
    assert len(linear.states) == 5 + 5
    rows = [linear.states.index(f"ball.velocity.{axis}") for axis in "xy"]
    np.testing.assert_allclose(linear.A[np.ix_(rows, rows)], [[0, 0], [0, -0.3 * G / slip]], atol=1e-12)


def test_a_number_that_moves_a_contact():
    """A larger ball has its centre higher, and rolls faster at the same rate."""
    outputs = ["ball.position.z", "ball.velocity.x"]
    rolling = {**BALL, "velocity": [1, 0, 0], "angular_velocity": [0, 1 / RADIUS, 0]}
    linear = linearize(scene({"floor": PLANE, "ball": rolling}), inputs=["r"], outputs=outputs)
    np.testing.assert_allclose(linear.D[0], [1.0], rtol=ROUNDING)
    np.testing.assert_allclose(linear.D[1], [1 / RADIUS], rtol=1e-9)
    assert "ball.angular_velocity.y" in linear.states and "ball.velocity.x" not in linear.states


def test_what_touches_nothing_is_in_flight():
    linear = linearize(scene({"floor": PLANE, "ball": {**BALL, "position": [0, 0, 1]}}))
    assert len(linear.states) == 12 and not moving(linear)


def test_states_without_a_linear_motion_are_refused():
    falling = {**BALL, "velocity": [0, 0, -1]}
    with pytest.raises(UsageError, match="the state at 0 s has no linear motion: bodies collide there"):
        linearize(scene({"floor": PLANE, "ball": falling}))
    with pytest.raises(UsageError, match="contact by stepping has no linear motion, as it acts between states; write"):
        linearize(scene({"floor": PLANE, "ball": BALL}, "stepping"))
    pushed = {**BALL, "forces": [{"force": ["= 100", 0, 0]}]}
    with pytest.raises(UsageError, match="the state at 0 s has no linear motion: a contact begins to slip there"):
        linearize(scene({"floor": PLANE, "ball": pushed}))
    with pytest.raises(UsageError, match="equilibrium: no state is looked for in which bodies touch"):
        equilibrium(scene({"floor": PLANE, "ball": BALL}), ["r"])


# --- loops


def rod(mass: float, length: float, **more) -> dict:
    inertia = {"principal": [mass * length**2 / 12] * 3}
    return {"mass": mass, "center_of_mass": [0, 0, -length / 2], "inertia": inertia, **more}


def test_a_bar_hangs_on_two_rods():
    """A parallelogram: (M + 2 m/3) l q'' = -(M + m) g q, of three hinges and a loop of five equations, three of which
    depend on the others.
    """
    length, hinge = 0.8, {"hinge": {"axis": [0, 1, 0]}}
    bar = {"mass": 3, "center_of_mass": [0.5, 0, 0], "inertia": {"principal": [1, 1, 1]}}
    bar |= {"position": [0, 0, -length], "motion": hinge}
    bodies = {
        "left": rod(1, length, motion=hinge, children={"bar": bar}),
        "right": rod(1, length, motion=hinge, position=[1, 0, 0]),
    }
    loop = {"type": "hinge", "between": ["left/bar", "right"], "at": [1, 0, 0], "to_at": [0, 0, -length]}
    linear = linearize(scene(bodies, "off", [{**loop, "axis": [0, 1, 0]}]), outputs=["left.angle", "right.angle"])
    (mode,) = linear.modes
    assert mode.frequency == pytest.approx(np.sqrt(4 * G / ((3 + 2 / 3) * length)) / (2 * np.pi), rel=ROUNDING)
    shape = [mode.shape[name] for name in ("left.angle", "right.angle", "left/bar.angle")]
    np.testing.assert_allclose(np.array(shape) / shape[0], [1, 1, -1], atol=ROUNDING)
    assert len(linear.states) == 2
    np.testing.assert_allclose(linear.C[0], linear.C[1], atol=ROUNDING)


def test_a_rest_of_rods_in_a_loop():
    """A torque on one of two rods that carry a bar balances their weight at an angle, sin q = torque/((M + m) g l)."""
    length, axis = 0.8, {"axis": [0, 1, 0]}
    bar = {"mass": 3, "center_of_mass": [0.5, 0, 0], "inertia": {"principal": [1, 1, 1]}}
    bar |= {"position": [0, 0, -length], "motion": {"hinge": {**axis, "angle": "= -r"}}}
    driven = {"hinge": {**axis, "angle": "= r", "motor": {"torque": 10}}}
    bodies = {
        "left": rod(1, length, motion=driven, children={"bar": bar}),
        "right": rod(1, length, motion={"hinge": {**axis, "angle": "= r"}}, position=[1, 0, 0]),
    }
    loop = {"type": "hinge", "between": ["left/bar", "right"], "at": [1, 0, 0], "to_at": [0, 0, -length]}
    found = equilibrium(scene(bodies, "off", [{**loop, "axis": [0, 1, 0]}]), ["r"])
    assert np.sin(found.values["r"]) == pytest.approx(10 / (4 * G * length), rel=1e-10)


def test_a_limit_of_a_loop_is_refused():
    rope = {"type": "distance", "between": ["world", "ball"], "max_length": 2}
    with pytest.raises(UsageError, match="a scene with limits of loops is not defined"):
        linearize(scene({"ball": BALL}, "off", [rope]))
