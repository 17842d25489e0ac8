"""Plastic blows: one place in a plane and in space, several places, rows; closed forms, and another solution of the
same law.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import struck_places
from contact_scenes import G, ball, block, collide, floor, rod, tilted
from rigidsim.engine.contact.simultaneous import ImpactProblem
from rigidsim.engine.model.arrays import made

FREE = [0, 0, 0]


def after(trajectory, name: str) -> np.ndarray:
    """Velocity and rate in the world at the end."""
    motion = trajectory[name].world
    return np.concatenate([motion.velocity[-1], motion.angular_velocity[-1]])


# --- one place


def moment_of_rod(mass: float, length: float, radius: float) -> float:
    """About a transverse axis of a capsule: a cylinder with two half balls."""
    bar, balls = length, 4 * radius / 3  # volumes over pi r^2
    of_bar = bar * (length**2 / 12 + radius**2 / 4)
    of_balls = balls * (2 / 5 * radius**2 + length**2 / 4 + 3 / 8 * length * radius)
    return mass * (of_bar + of_balls) / (bar + balls)


def struck_rod(angle: float, v, mu: float) -> tuple[np.ndarray, bool]:
    """(v_x, v_z, omega_y) of a rod of 1 kg, 0.4 m and 20 mm after its lower end has struck a floor, and whether it
    slides one way as long as the blow lasts, or sticks: then this is Coulomb's law at each moment of the blow.
    """
    x, z, moment = -0.2 * math.sin(angle), -0.2 * math.cos(angle) - 0.02, moment_of_rod(1.0, 0.4, 0.02)
    # The place moves with (v_x + omega z, v_z - omega x); omega grows by (z P_x - x P_z)/moment.
    K = np.eye(2) + np.array([[z * z, -x * z], [-x * z, x * x]]) / moment
    way = math.copysign(1.0, v[0] if v[0] != 0.0 else K[0, 1])  # in which it slides, at the end or at once
    P = -np.linalg.solve(K, v)
    sticks = abs(P[0]) <= mu * P[1]
    if not sticks:
        slides = np.array([-way * mu, 1.0])
        P = slides * -v[1] / (K[1] @ slides)
    end = (v + K @ P)[0] * way
    return np.array([v[0] + P[0], v[1] + P[1], (z * P[0] - x * P[1]) / moment]), sticks or end >= 0.0


@pytest.mark.parametrize(("step", "substeps"), [(1e-3, 4), (1e-4, 4), (1e-3, 1)])
def test_a_rod_that_strikes_the_floor_with_one_end(step, substeps):
    """It slides, whatever the step and the sub-steps."""
    low = 0.2 * math.sqrt(0.5) + 0.02
    body = rod(0.02, 0.4, at=(0, 0, low + 5e-4), orientation=tilted(math.pi / 4), velocity=[0, 0, -2])
    how = {"gravity": FREE, "contact": {"mode": "stepping", "substeps": substeps}}
    found = after(collide({"floor": floor(), "rod": body}, duration=2e-3, step=step, **how), "rod")
    assert found[[0, 2, 4]] == pytest.approx([0.6404, -0.7192, 5.0853], abs=5e-5)
    assert found[[0, 2, 4]] == pytest.approx(struck_rod(math.pi / 4, np.array([0.0, -2.0]), 0.5)[0], rel=1e-9)
    assert np.abs(found[[1, 3, 5]]).max() < 1e-12


def test_rods_in_a_plane_slide_one_way_or_stick():
    random, bodies, expected = np.random.default_rng(1), {"floor": floor(friction=0.25)}, {}
    while len(expected) < 100:
        angle, mu = float(random.uniform(-1.4, 1.4)), float(random.uniform(0, 1))
        v = np.array([random.normal(0, 1.5), -random.uniform(0.5, 3)])
        motion, known = struck_rod(angle, v, mu)
        if known:
            name = f"rod{len(expected)}"
            expected[name] = motion
            bodies[name] = rod(
                0.02, 0.4, at=(0, 5 * len(expected), 0.2 * math.cos(angle) + 0.02 - 1e-4 * v[1]),
                orientation=tilted(angle), velocity=[float(v[0]), 0, float(v[1])], friction=mu**2 / 0.25,
            )  # fmt: skip
    trajectory = collide(bodies, duration=1e-3, step=1e-3, gravity=FREE)
    for name, motion in expected.items():
        assert after(trajectory, name)[[0, 2, 4]] == pytest.approx(motion, abs=1e-9), name


def moments_of_box(half, mass: float = 1.0) -> np.ndarray:
    square = np.square(half)
    return mass / 3 * (square.sum() - square)


def struck_corner(R: np.ndarray, half, v, mu: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A box of 1 kg after its lowest corner struck a floor, by the law on matrices: velocity, angular momentum; and the
    corner.
    """
    inverse = R @ (R / moments_of_box(half)).T
    corners = R @ (half * np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, 8).T).T
    r = corners[:, np.argmin(corners[2])]
    X = np.cross(np.eye(3), r)  # omega x r = -X omega
    P = struck_places.alone(np.eye(3) + X @ inverse @ X.T, np.array([0.0, 0, 1]), v, 0.0, mu)
    return v + P, np.cross(r, P), r


def angular_momentum(trajectory, name: str, half) -> np.ndarray:
    """Of a box of 1 kg about its centre, at the end."""
    motion = trajectory[name].world
    R = Rotation.from_quat(motion.orientation[-1], scalar_first=True)
    return R.apply(moments_of_box(half) * R.inv().apply(motion.angular_velocity[-1].copy()))


def test_boxes_in_space_that_strike_with_a_corner():
    """A hundred, turned and thrown at random, with friction from 0 to 2."""
    random, bodies, expected = np.random.default_rng(2), {"floor": floor(friction=1.0)}, {}
    turns = Rotation.random(100, random_state=random)
    for k in range(100):
        half, mu = random.uniform(0.05, 0.2, 3), float(random.uniform(0, 2))
        v = np.append(random.normal(0, 1.5, 2), -random.uniform(0.5, 3))
        *motion, r = struck_corner(turns[k].as_matrix(), half, v, mu)
        expected[f"box{k}"] = half, *motion
        bodies[f"box{k}"] = block(
            (2 * half).tolist(), at=(0, 5 * k, -r[2] - 1e-4 * v[2]), velocity=v.tolist(), friction=mu**2,
            orientation={"wxyz": turns[k].as_quat(scalar_first=True).tolist()},
        )  # fmt: skip
    trajectory = collide(bodies, duration=2e-4, step=2e-4, gravity=FREE)
    for name, (half, v, L) in expected.items():
        assert trajectory[name].world.velocity[-1] == pytest.approx(v, abs=1e-9), name
        assert angular_momentum(trajectory, name, half) == pytest.approx(L, abs=1e-9), name


def test_a_corner_sticks_with_much_friction():
    """Friction 5: the corner stops, and what it gets is what stops it."""
    R = Rotation.from_euler("yx", (1.0, 0.4))
    half, v = np.array([0.15, 0.05, 0.025]), np.array([1.0, 0, -2])
    after, L, r = struck_corner(R.as_matrix(), half, v, 5.0)
    omega = R.apply(R.inv().apply(L) / moments_of_box(half))
    assert after + np.cross(omega, r) == pytest.approx(0, abs=1e-14)
    orientation = {"wxyz": R.as_quat(scalar_first=True).tolist()}
    box = block((2 * half).tolist(), at=(0, 0, -r[2] + 2e-5), orientation=orientation, velocity=v.tolist(), friction=25)
    trajectory = collide({"floor": floor(friction=1), "box": box}, duration=1e-5, step=1e-5, gravity=FREE)
    assert trajectory["box"].world.velocity[-1] == pytest.approx(after, abs=1e-9)
    assert angular_momentum(trajectory, "box", half) == pytest.approx(L, abs=1e-9)


# --- several places


@pytest.mark.parametrize("step", [1e-3, 5e-3])
@pytest.mark.parametrize(("angle", "friction"), [(0.0, 0.5), (0.7, 0.5), (0.7, 0.0)])
def test_a_box_dropped_flat_rests_at_once(angle, friction, step):
    """From 1 m."""
    box = block((0.4, 0.3, 0.2), at=(0, 0, 1.1), orientation={"axis": [0, 0, 1], "angle": angle}, friction=friction)
    trajectory = collide({"floor": floor(), "box": box}, duration=0.6, step=step, record_every=step)
    motion, blow = trajectory["box"].world, math.ceil(math.sqrt(2 / G) / step)
    speeds = np.abs(np.hstack([motion.velocity, motion.angular_velocity])).max(axis=1)
    assert speeds[blow - 1] > 4.3
    assert speeds[blow:].max() < 1e-6  # measured: 4e-10, and 6e-8 when single sweeps take over
    assert np.abs(motion.position[-1] - [0, 0, 0.1]).max() < 1e-5


@pytest.mark.parametrize("count", [2, 5, 10, 30])
def test_a_ball_that_strikes_a_row_of_balls_takes_all_along(count):
    bodies = {f"b{k:02}": ball(at=(0.2 * k, 0, 0), friction=0) for k in range(count)}
    bodies["first"] = ball(at=(-0.25, 0, 0), friction=0, velocity=[1, 0, 0])
    trajectory = collide(bodies, duration=0.1, step=1e-3, gravity=FREE)
    found = np.array([after(trajectory, name) for name in bodies])
    assert found[:, 0] == pytest.approx(1 / (count + 1), abs=1e-6)
    assert np.abs(found[:, 1:]).max() <= 1e-12


def test_a_row_of_too_many_balls_is_left_to_the_sub_steps():
    """Seventy: they leave at different speeds, but momentum stays, and energy does not grow."""
    bodies = {f"b{k:02}": ball(at=(0.2 * k, 0, 0), friction=0) for k in range(70)}
    bodies["first"] = ball(at=(-0.25, 0, 0), friction=0, velocity=[1, 0, 0])
    trajectory = collide(bodies, duration=1, step=1e-3, record_every=0.05, gravity=FREE)
    v = np.array([trajectory[name].world.velocity[:, 0] for name in bodies])
    assert np.abs(v.sum(axis=0) - 1).max() <= 1e-11  # measured: 1.6e-12
    assert np.all(np.diff(np.sum(v**2, axis=0)) <= 1e-12)


@pytest.mark.parametrize(
    ("plastic", "most_mu"),
    [*(pytest.param(*one, marks=pytest.mark.slow) for one in ((True, 0.5), (False, 1.5))), (False, 0.5)],
)
def test_random_blows_obey_the_law(plastic, most_mu):
    """A hundred of two to six places on up to four bodies; the same sweeps with matrices, ended later."""
    problem, compared = made(ImpactProblem, {}), 0
    for seed in range(100):
        blow = struck_places.drawn(np.random.default_rng(seed), most_mu, plastic=plastic)
        found, settled = struck_places.solve(blow, problem)
        expected, ends = struck_places.impulses(blow, 300)
        if settled and ends:
            change = blow.mobility @ blow.jacobian.T @ np.stack([found.ravel(), expected.ravel()], axis=1)
            assert np.abs(change[:, 0] - change[:, 1]).max() <= 1e-6 * np.abs(change).max(), seed
            compared += 1
    assert compared >= 85


@pytest.mark.slow
@pytest.mark.parametrize("count", [1000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_random_blows_never_raise_the_energy(count):
    """Whatever the places, their restitution and their friction, settled or not; and each impulse is in its cone."""
    problem, settled_in_all, random = made(ImpactProblem, {}), 0, np.random.default_rng(3)
    for k in range(count):
        blow = struck_places.drawn(random, random.choice([0.0, 0.5, 2.0]))
        P, settled = struck_places.solve(blow, problem)
        before, (u, later) = blow.kinetic_energy, struck_places.slips_before_and_after(blow, P)
        gained = np.sum(P * (u + later)) / 2
        assert gained <= 1e-12 * before, k
        P_n = np.sum(blow.normal * P, axis=1)
        P_t = np.linalg.norm(P - P_n[:, None] * blow.normal, axis=1)
        assert np.all(P_t <= blow.mu * P_n + 1e-9 * np.abs(P).max()), k
        settled_in_all += settled
    assert settled_in_all > 0.9 * count


@pytest.mark.parametrize("seed", range(20))
def test_the_law_is_continuous_in_restitution(seed):
    """1e-9 is as good as none."""
    blow = struck_places.drawn(np.random.default_rng(seed), 0.5, plastic=True)
    without, _ = struck_places.solve(blow)
    blow.e[:] = 1e-9
    little, _ = struck_places.solve(blow)
    assert np.abs(little - without).max() <= 1e-8 * np.abs(without).max()


def test_bodies_without_restitution_and_with_hardly_any_leave_in_the_same_way():
    def leaving(e: float) -> np.ndarray:
        bodies = {
            "floor": floor(restitution=e),
            "box": block(
                (0.4, 0.3, 0.2), at=(0, 0, 0.1505), velocity=[1, 0, -2], orientation=tilted(0.3), restitution=e
            ),
            "ball": ball(at=(0.6, 0, 0.5), velocity=[-3, 0.1, 0], restitution=e),
        }
        trajectory = collide(bodies, duration=0.05, step=1e-3, gravity=FREE)
        return np.concatenate([after(trajectory, name) for name in ("box", "ball")])

    assert np.abs(leaving(1e-9) - leaving(0.0)).max() <= 1e-7


# --- two free bodies


@pytest.mark.parametrize("step", [2e-3, 1e-3, 5e-4])
def test_a_blow_keeps_the_momenta_of_two_free_bricks(step):
    """To round-off at the blows; what sub-steps do while they touch acts at the distance of the gap."""
    bodies = {
        "a": block((0.4, 0.2, 0.1), 2.0, at=(0, 0, 0), velocity=[0.5, 0, 0.2], angular_velocity=[0, 0.3, 0]),
        "b": block((0.3, 0.3, 0.2), 1.0, at=(0.1, 0.03, 0.3), velocity=[-0.5, 0.2, -2], orientation=tilted(0.2)),
    }
    trajectory = collide(bodies, duration=0.2, step=step, record_every=step, gravity=FREE)
    p = trajectory.diagnostic("linear_momentum")
    L = trajectory.diagnostic("spin_angular_momentum") + trajectory.diagnostic("orbital_angular_momentum")
    assert np.abs(p - p[0]).max() <= 1e-13
    blows = [event.time for event in trajectory.events if event.cause == "impact"]
    assert len(blows) >= 5
    assert np.abs(L - L[0])[trajectory.time < 0.0755].max() <= 1e-12  # three blows; measured: 1e-13
    assert np.abs(L - L[0]).max() <= 2e-5 * step  # measured: 3e-8, 4e-9, 6e-11
