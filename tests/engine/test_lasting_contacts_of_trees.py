"""`contact: events` of bodies of trees of joints, and of loops: closed forms, and reduced equations of plane motion.

The references have as few coordinates as the motion: absolute angles of a chain of links, of which the tip may touch
the floor. Tolerances are multiples of the errors that were measured, or of the rounding of the largest terms.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rigidsim
from rigidsim import Scene
from rigidsim.analysis.quantities import quantity

G, EPS = 9.81, np.finfo(float).eps
FLIES, STICKS = 0, 2  # the tip of a chain
PRECISE = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14}


def scene(bodies, duration, step, gravity=(0, 0, -G), **settings) -> Scene:
    world = {"gravity": [*map(float, gravity)], "loops": settings.pop("loops", [])}
    simulation = {"duration": duration, "step": step, "record_every": duration, "contact": "events", **settings}
    return Scene.from_dict({"format": "rigidsim/1", "simulation": simulation, "world": world, "bodies": bodies})


def run(*arguments, **settings):
    return rigidsim.simulate(scene(*arguments, **settings), contacts=True)


def plane(friction=0.0, **material) -> dict:
    return {"shapes": [{"type": "plane"}], "material": {"friction": friction, **material}}


def sphere(radius, position=(0, 0, 0)) -> list:
    return [{"type": "sphere", "radius": radius, "position": [*map(float, position)]}]


# --- a chain of links in the plane y = 0


class Chain:
    """Links of mass m, length L, centre of mass c and inertia I, the first one on a hinge at the height `top`; at the
    end of the last one a ball of radius `radius`. Angles are those of the links from x towards z.
    """

    def __init__(self, links, top, radius):
        self.links, self.top, self.radius, self.n = links, top, radius, len(links)
        m, L, c, self.inertia = map(np.array, zip(*links, strict=True))
        self.length = L
        reach = np.tril(np.broadcast_to(L, (self.n, self.n)), -1) + np.diag(c)  # of link k by angle i
        self.products = np.einsum("k,ki,kj->ij", m, reach, reach)
        self.weights = G * m @ reach

    def equations(self, y):
        """(M, h, J, b) of M q'' = h + J^T f, of which the point of contact accelerates by J q'' + b: normal, slip."""
        q, v = y[: self.n], y[self.n :]
        apart, slips = q[:, None] - q, np.append(np.zeros(self.n - 1), self.radius)
        M = self.products * np.cos(apart) + np.diag(self.inertia)
        h = -(self.products * np.sin(apart)) @ v**2 - self.weights * np.cos(q)
        along, across = self.length * np.cos(q), self.length * np.sin(q)
        return M, h, np.array([along, slips - across]), -np.array([across @ v**2, along @ v**2])

    def gap(self, y):
        return self.length @ np.sin(y[: self.n]) + self.top - self.radius

    def slip(self, y):
        return self.equations(y)[2][1] @ y[self.n :]

    def forces(self, y, mu, mode):
        """(N, f, q'') of a tip that slides in the direction `mode` (1 or -1), sticks, or flies."""
        M, h, J, b = self.equations(y)
        W, free = np.linalg.solve(M, J.T), np.linalg.solve(M, h)
        if mode == FLIES:
            return 0.0, 0.0, free
        if mode == STICKS:
            N, f = np.linalg.solve(J @ W, -(b + J @ free))
        else:
            N = -(b[0] + J[0] @ free) / (J[0] @ (W @ [1, -mu * mode]))
            f = -mu * mode * N
        return N, f, free + W @ [N, f]

    def struck(self, y, mu):
        """The state after a plastic impact of the tip, of which friction does not stop the slip."""
        M, _, J, _ = self.equations(y)
        d = np.sign(self.slip(y))
        push = np.linalg.solve(M, J[0] - mu * d * J[1])
        after = y[self.n :] - push * (J[0] @ y[self.n :]) / (J[0] @ push)
        assert d * (J[1] @ after) > 0
        return np.concatenate([y[: self.n], after])

    def move(self, y, mu, duration, mode):
        """(the state at the end, times of events): the tip flies or slides at first."""
        t, times = 0.0, []
        while True:
            found = self.phase(t, y, mu, duration, mode)
            t, y = found.t[-1], found.y[:, -1]
            if found.status == 0:
                return y, times
            times.append(t)
            if mode == FLIES:
                y = self.struck(y, mu)
                mode = np.sign(self.slip(y))
            elif len(found.t_events[0]):
                mode = FLIES
            elif mode == STICKS:
                mode = -np.sign(self.forces(y, mu, STICKS)[1])
            else:
                N, f, _ = self.forces(y, mu, STICKS)
                mode = STICKS if abs(f) <= mu * N else -np.sign(f)

    def phase(self, t, y, mu, duration, mode):
        """The motion in one mode, to its end."""

        def rate(_, y):
            return np.concatenate([y[self.n :], self.forces(y, mu, mode)[2]])

        return solve_ivp(rate, (t, duration), y, events=[self.event(k, mu, mode) for k in range(2)], **PRECISE)

    def event(self, k, mu, mode):
        """What vanishes where a mode ends: the normal force or the gap; the slip, or what friction has left."""

        def margin(_, y):
            N, f, _ = self.forces(y, mu, mode)
            if k == 0:
                return self.gap(y) if mode == FLIES else N
            return 1.0 if mode == FLIES else mu * N - abs(f) if mode == STICKS else mode * self.slip(y)

        margin.terminal, margin.direction = True, -1
        return margin

    def touching(self, angles, speed):
        """The state of a chain of which the last two links are turned so that the tip touches, and moves along x."""
        L, K = self.length[-2:]
        x, z = 0.55 * (L + K), self.radius - self.top - self.length[:-2] @ np.sin(np.array(angles))
        first = np.arctan2(z, x) + np.arccos((L**2 + x**2 + z**2 - K**2) / (2 * L * np.hypot(x, z)))
        last = np.arctan2(z - L * np.sin(first), x - L * np.cos(first))
        q = np.array([*angles, first, last])
        J = np.array([-self.length * np.sin(q), self.length * np.cos(q)])[:, -2:]
        return np.concatenate([q, np.zeros(self.n - 2), np.linalg.solve(J, [speed, 0.0])])

    def body(self, k, mu):
        m, L, c, moment = self.links[k]
        body = {"mass": m, "inertia": {"principal": [1e-3, moment, moment]}, "center_of_mass": [c, 0, 0]}
        tip = {"shapes": sphere(self.radius, (L, 0, 0)), "material": {"friction": mu}}
        return body | (tip if k == self.n - 1 else {})

    def tree(self, y, mu):
        """The bodies of a scene: link_0/link_1/..."""
        q, v, found = y[: self.n].tolist(), y[self.n :].tolist(), {}
        for k in reversed(range(self.n)):
            before = (q[k - 1], v[k - 1]) if k else (0.0, 0.0)
            hinge = {"axis": [0, -1, 0], "angle": q[k] - before[0], "rate": v[k] - before[1]}
            at = [self.links[k - 1][1], 0, 0] if k else [0, 0, self.top]
            found = {f"link_{k}": self.body(k, mu) | {"position": at, "motion": {"hinge": hinge}, "children": found}}
        return {"floor": plane(mu), **found}

    def loops(self, y, mu):
        """(bodies, loops): free links that loops hold, the first one on a joint."""
        q, v = y[: self.n], y[self.n :]
        bodies, at, velocity, loops = self.tree(y, mu), np.array([0, 0, self.top]), np.zeros(3), []
        bodies["link_0"].pop("children")
        for k in range(1, self.n):
            L, c, s = self.links[k - 1][1], np.cos(q[k - 1]), np.sin(q[k - 1])
            at = at + L * np.array([c, 0, s])
            velocity = velocity + L * v[k - 1] * np.array([-s, 0, c])
            bodies[f"link_{k}"] = self.body(k, mu) | {
                "position": at.tolist(), "orientation": {"axis": [0, -1, 0], "angle": float(q[k])},
                "velocity": velocity.tolist(),
                "angular_velocity": {"relative_to": "world", "value": [0, -float(v[k]), 0]},
            }  # fmt: skip
            ends = {"between": [f"link_{k - 1}", f"link_{k}"], "at": [L, 0, 0], "to_at": [0, 0, 0]}
            loops.append({"type": "hinge", "axis": [0, 1, 0], **ends})
        return bodies, loops

    def found(self, trajectory, paths):
        """The last orientations and rates, as (cos, sin) of the angles and angular velocities."""
        worlds = [trajectory[path].world for path in paths]
        turns = [world.orientation[-1] for world in worlds]  # about -y
        angles = [-2 * np.arctan2(q[2], q[0]) for q in turns]
        return np.array([*np.cos(angles), *np.sin(angles), *(-world.angular_velocity[-1, 1] for world in worlds)])

    def expected(self, y):
        return np.concatenate([np.cos(y[: self.n]), np.sin(y[: self.n]), y[self.n :]])


ARM = Chain([(1.0, 0.5, 0.25, 0.02), (0.7, 0.5, 0.3, 0.015)], 0.6, 0.05)
LONG = Chain(
    [(0.4, 0.3, 0.15, 0.004), (0.3, 0.3, 0.12, 0.003), (0.3, 0.35, 0.2, 0.004), (0.2, 0.35, 0.2, 0.003)], 0.8, 0.04
)
FALLS = np.array([-0.6, -0.2, 0.5, 0.3])
CASES = {
    "lands": (ARM, FALLS, 0.15, 0.5, ["impact", "contact_begins", "sliding_begins"], 1.4e-7),
    "rests": (ARM, ARM.touching([], -1.2), 0.2, 0.3, ["contact_begins", "sliding_begins", "rest_begins"], 3.0e-8),
    "lifts off": (
        LONG, LONG.touching([-1.2, -0.7], 1.5), 0.3, 0.4,
        ["contact_begins", "sliding_begins", "contact_ends", "impact", "contact_begins", "sliding_begins"], 4.1e-5,
    ),
    "sticks": (
        LONG, LONG.touching([-1.2, -0.7], -1.5), 0.3, 0.5,
        ["contact_begins", "sliding_begins", "rolling_begins", "sliding_begins"], 2.7e-5,
    ),
}  # fmt: skip


@pytest.mark.parametrize("held", ["joints", "loops"])
@pytest.mark.parametrize("name", CASES)
def test_the_tip_of_a_chain_on_the_floor_is_of_order_four(name, held):
    """It lands, slides, sticks, rests and lifts off. Largest errors of angles and rates with 10 ms: those of the table
    with joints, at most four times them with loops; with 5 ms a fourteenth to an eighteenth.
    """
    chain, start, mu, duration, causes, error = CASES[name]
    mode = FLIES if chain.gap(start) > 1e-9 else np.sign(chain.slip(start))
    end, times = chain.move(start, mu, duration, mode)
    bodies, loops = (chain.tree(start, mu), []) if held == "joints" else chain.loops(start, mu)
    names = [f"link_{k}" for k in range(chain.n)]
    paths = names if loops else ["/".join(names[: k + 1]) for k in range(chain.n)]
    errors = []
    for step in (0.01, 0.005):
        trajectory = rigidsim.simulate(scene(bodies, duration, step, loops=loops))
        errors.append(np.abs(chain.found(trajectory, paths) - chain.expected(end)).max())
        assert [event.cause for event in trajectory.events] == causes
        found = [event.time for event in trajectory.events if event.time > 0]
        assert {min(abs(t - each) for each in times) < 4 * errors[-1] for t in found} == {True}
        assert abs(trajectory.contact_ledger.error) < 20 * errors[-1]
    assert errors[0] < 1.2 * error * (1 if held == "joints" else 4.2)
    assert errors[0] / errors[1] > 13


def test_the_reactions_of_loops_answer_forces_of_contact():
    """An arm rests on its tip: its last link bears its weight on the floor and on the loop."""
    start = CASES["rests"][1]
    bodies, loops = ARM.loops(start, 0.2)
    trajectory = run(bodies, 0.3, 0.01, loops=[loops[0] | {"name": "elbow"}])
    force = trajectory.contacts[-1].on("link_1")["floor"]
    weight = np.array([0, 0, -0.7 * G])
    found = [quantity(trajectory, f"elbow.loop_force.{axis}").values[-1] for axis in "xyz"]
    np.testing.assert_allclose(found, -(force + weight), atol=1e-11)
    assert abs(force[0]) > 0.1


def test_with_adaptive_steps_the_tip_of_a_chain_has_their_tolerance():
    """Off by 2e-12, with rtol = 1e-9."""
    end, _ = ARM.move(FALLS, 0.15, 0.5, FLIES)
    settings = {"integrator": {"name": "adaptive", "rtol": 1e-9, "atol": 1e-9}}
    trajectory = rigidsim.simulate(scene(ARM.tree(FALLS, 0.15), 0.5, 0.05, **settings))
    error = np.abs(ARM.found(trajectory, ["link_0", "link_0/link_1"]) - ARM.expected(end)).max()
    assert error < 1e-11


# --- other reduced equations


def test_a_brick_with_a_pendulum_tips_on_two_corners_at_order_four():
    """About its edge it is the first link of a chain, on the way from that to its centre. Off by 1.3e-6 with 10 ms."""
    half, end = np.array([0.1, 0.2]), 0.3
    c, inertia = np.hypot(*half), (4 * half @ half) / 12
    chain = Chain([(1.0, c, c, inertia), (0.4, 0.3, 0.1, 0.002)], 0.0, 0.0)
    (q_0, q_1, v_0, v_1) = y = np.array([np.pi / 2 - 0.05, -1.2, -0.5, 2.0])
    expected = chain.phase(0.0, y, 0.0, end, FLIES).y[:, -1]
    turn = float(q_0 - np.arctan2(half[1], -half[0]))
    pendulum = chain.body(0, 0) | {
        "mass": 0.4, "inertia": {"principal": [1e-3, 0.002, 0.002]}, "center_of_mass": [0.1, 0, 0],
        "motion": {"hinge": {"axis": [0, -1, 0], "angle": float(q_1 - turn), "rate": float(v_1 - v_0)}},
    }  # fmt: skip
    brick = {
        "mass": 1.0, "inertia": {"principal": [inertia] * 3}, "material": {"friction": 3.0},
        "shapes": [{"type": "box", "size": [2 * half[0], 0.3, 2 * half[1]]}],
        "position": [float(c * np.cos(q_0)), 0, float(c * np.sin(q_0))],
        "velocity": [float(-c * np.sin(q_0) * v_0), 0, float(c * np.cos(q_0) * v_0)],
        "orientation": {"axis": [0, -1, 0], "angle": turn},
        "angular_velocity": {"relative_to": "world", "value": [0, -float(v_0), 0]},
        "children": {"pendulum": pendulum},
    }  # fmt: skip
    errors = []
    for step in (0.01, 0.005):
        trajectory = rigidsim.simulate(scene({"floor": plane(3.0), "brick": brick}, end, step))
        brick_end, pendulum_end = trajectory["brick"].world, trajectory["brick/pendulum"].world
        place = c * np.array([np.cos(expected[0]), 0, np.sin(expected[0])])
        rates = [-brick_end.angular_velocity[-1, 1], -pendulum_end.angular_velocity[-1, 1]] - expected[2:]
        errors.append(np.abs([*(brick_end.position[-1] - place), *rates]).max())
        assert [event.cause for event in trajectory.events] == ["contact_begins", "sticking_begins"]
    assert errors[0] < 2e-6
    assert errors[0] / errors[1] > 13


def test_a_body_between_two_wheels_falls_over_at_order_four():
    """In x and the lean: M_0 x'' + M c (sin(lean))'' = 0 and (I + M c^2) lean'' + M c x'' cos(lean) = M g c sin(lean),
    where the wheels, of inertia J and radius r, make M_0 = M + 2 (m + J/r^2). Off by 4.5e-6 with 10 ms.
    """
    r, m, J, M, c, I = 0.1, 0.5, 0.004, 2.0, 0.3, 0.05  # noqa: E741

    def rate(_, y):
        s, k = np.sin(y[1]), np.cos(y[1])
        A = [[M + 2 * (m + J / r**2), M * c * k], [M * c * k, I + M * c * c]]
        return [*y[2:], *np.linalg.solve(A, [M * c * s * y[3] ** 2, M * G * c * s])]

    expected = solve_ivp(rate, (0, 0.6), [0, 0.3, 0, 0], **PRECISE).y[:, -1]
    wheels = {
        name: {
            "mass": m, "inertia": {"principal": [J] * 3}, "position": [0, y, 0], "shapes": sphere(r),
            "motion": {"hinge": {"axis": [0, 1, 0]}}, "material": {"friction": 0.9},
        } for name, y in (("left", 0.2), ("right", -0.2))
    }  # fmt: skip
    trunk = {
        "mass": M, "inertia": {"principal": [I] * 3}, "center_of_mass": [0, 0, c], "position": [0, 0, r],
        "orientation": {"axis": [0, 1, 0], "angle": 0.3}, "children": wheels,
    }  # fmt: skip
    errors = []
    for step in (0.01, 0.005):
        found = rigidsim.simulate(scene({"floor": plane(0.9), "trunk": trunk}, 0.6, step))["trunk"].world
        ends = found.position[-1, 0], found.velocity[-1, 0], found.angular_velocity[-1, 1]
        errors.append(np.abs(np.array(ends) - expected[[0, 2, 3]]).max())
        assert np.abs(found.position[-1, 1:] - [0, r]).max() < 1e-13
    assert errors[0] < 7e-6
    assert errors[0] / errors[1] > 13


# --- closed forms


def hinged_rod(angle, friction=0.0, restitution=0.0) -> dict:
    """A thin rod of 2 kg and 1 m with a ball at its end, on a hinge at the height at which it lies on the floor."""
    moment, r = 2.0 / 12, 0.05
    return {
        "mass": 2.0, "inertia": {"principal": [1e-3, moment, moment]}, "center_of_mass": [0.5, 0, 0],
        "position": [0, 0, r], "motion": {"hinge": {"axis": [0, 1, 0], "angle": -angle}},
        "shapes": sphere(r, (1, 0, 0)), "material": {"friction": friction, "restitution": restitution},
    }  # fmt: skip


@pytest.mark.parametrize("friction", [0.0, 0.02, 0.6])
def test_a_hinged_rod_falls_on_the_floor_and_rests(friction):
    """Its impulse is its angular momentum about the hinge over the length, for any friction: at the point of contact
    none is decided, for the hinge lets it not slip. Then floor and hinge bear half of its weight each.
    """
    trajectory = run({"floor": plane(friction), "rod": hinged_rod(0.5, friction)}, 0.5, 1e-3)
    rate = np.sqrt(3 * G * np.sin(0.5))
    assert [event.cause for event in trajectory.events] == ["impact", "contact_begins", "rest_begins"]
    impulse = np.array(trajectory.events[0].impulse)
    assert impulse[2] == pytest.approx(2 / 3 * rate, rel=1e-10) if friction == 0.0 else True
    assert np.cross([1, 0, -0.05], impulse)[1] == pytest.approx(-2 / 3 * rate, rel=1e-10)
    assert trajectory.contact_ledger.restitution == pytest.approx(-G * np.sin(0.5), rel=1e-9)
    np.testing.assert_allclose(trajectory.contacts[-1].on("rod")["floor"], [0, 0, G], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(trajectory["rod"].joint.force[-1], [0, 0, G], rtol=1e-12, atol=1e-12)
    assert np.abs(trajectory["rod"].world.velocity[-1]).max() < 1e-15


def test_a_hinged_rod_bounces_to_rest():
    """Between two impacts it is a pendulum; each flight is that of e times the rate before."""
    e, start, horizon = 0.5, 0.3, 1.0
    trajectory = run({"floor": plane(), "rod": hinged_rod(start, restitution=e)}, horizon, 1e-3)
    found = [event.time for event in trajectory.events if event.cause == "impact"]

    def falls(_, y):
        return [y[1], -1.5 * G * np.cos(y[0])]

    def lands(_, y):
        return y[0]

    lands.terminal, lands.direction = True, -1
    t, y, expected = 0.0, [start, 0.0], []
    for _ in range(8):
        flight = solve_ivp(falls, (t, 2.0), y, events=lands, **PRECISE)
        t, y = flight.t[-1], [0.0, -e * flight.y[1, -1]]
        expected.append(t)
    assert np.abs(found[:8] - np.array(expected)).max() < 1e-11
    assert trajectory["rod"].joint.rates[-1, 0] == 0.0
    (rests,) = [event.time for event in trajectory.events if event.cause == "rest_begins"]
    assert rests == pytest.approx(t + 2 * (y[1] / 1.5 / G) / (1 - e), rel=1e-6)


def test_a_cart_rolls_down_a_slope_as_its_wheels_slow_it():
    """a = g sin(alpha) M/(M + 4 I/r^2) with the mass M of all, and I = 0.4 m r^2: to rounding, with any step."""
    alpha, m, r = 0.3, 0.5, 0.1
    gravity = [G * np.sin(alpha), 0, -G * np.cos(alpha)]
    a = gravity[0] * 6 / (6 + 4 * 0.4 * m)
    wheels = {
        f"wheel_{k}": {
            "mass": m, "inertia": {"principal": [0.4 * m * r * r] * 3}, "position": [x, y, 0], "shapes": sphere(r),
            "motion": {"hinge": {"axis": [0, 1, 0]}}, "material": {"friction": 0.8},
        } for k, (x, y) in enumerate([(0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2)])
    }  # fmt: skip
    cart = {"mass": 4.0, "inertia": {"principal": [0.1, 0.2, 0.2]}, "position": [0, 0, r], "children": wheels}
    bodies = {"floor": plane(0.8), "cart": cart}
    for step, method in ((0.05, "rkmk4"), (0.01, "rkmk4"), (0.05, "adaptive")):
        trajectory = run(bodies, 1.0, step, gravity, integrator=method)
        found = trajectory["cart"].world
        assert np.abs(found.position[-1] - [a / 2, 0, r]).max() < 32 * EPS
        assert np.abs(found.velocity[-1] - [a, 0, 0]).max() < 32 * EPS
        assert trajectory["cart/wheel_0"].joint.rates[-1, 0] == pytest.approx(a / r, rel=32 * EPS)
        assert abs(trajectory.contact_ledger.friction) < 64 * EPS
        friction = (6 * gravity[0] - 6 * a) / 4
        for k in range(4):
            force = trajectory.contacts[-1].on(f"cart/wheel_{k}")["floor"]
            np.testing.assert_allclose(force, [-friction, 0, -6 * gravity[2] / 4], atol=1e-12)


def test_a_bob_rests_on_the_floor_then_is_dragged():
    """A slide of mass M, pulled by k t, drags the bob of a pendulum, of mass m. At rest friction is the pull, and the
    floor bears N with N b_x = m g b_x + (b_z - r) f, moments about the hinge; then (M + m) a = k t - mu N and
    N b_x + (b_z - r) mu N = m (g b_x - a b_z). To rounding: the motion is a cubic in time.
    """
    M, m, L, r, mu, angle, k, end = 2.0, 0.5, 0.8, 0.05, 0.3, 0.6, 4.0, 2.5
    b_x, b_z = -L * np.cos(angle), -L * np.sin(angle)
    bob = {
        "mass": m, "inertia": {"principal": [0.001] * 3}, "center_of_mass": [L, 0, 0], "shapes": sphere(r, (L, 0, 0)),
        "motion": {"hinge": {"axis": [0, -1, 0], "angle": np.pi + angle}}, "material": {"friction": mu},
    }  # fmt: skip
    slide = {
        "mass": M, "inertia": {"principal": [0.1] * 3}, "position": [0, 0, float(r - b_z)],
        "motion": {"slide": {"axis": [1, 0, 0], "motor": {"force": f"= {k}*t"}}}, "children": {"bob": bob},
    }  # fmt: skip
    begins = mu * m * G / (1 + mu * (b_z - r) / b_x) / k
    equations = [[M + m, mu], [m * b_z, b_x + mu * (b_z - r)]]
    (a_0, N_0), (a_1, N_1) = (np.linalg.solve(equations, right) for right in ([0, m * G * b_x], [k, 0]))
    late = end - begins
    way = (a_0 + a_1 * begins) * late**2 / 2 + a_1 * late**3 / 6
    for step in (0.05, 0.01):
        trajectory = run({"floor": plane(mu), "slide": slide}, end, step)
        causes = {event.cause: event.time for event in trajectory.events}
        assert [*causes] == ["contact_begins", "rest_begins", "sliding_begins"]
        assert causes["sliding_begins"] == pytest.approx(begins, abs=16 * EPS)
        assert trajectory["slide"].joint.coordinates[-1, 0] == pytest.approx(way, rel=16 * EPS)
        N = N_0 + N_1 * end
        np.testing.assert_allclose(trajectory.contacts[-1].on("slide/bob")["floor"], [-mu * N, 0, N], atol=1e-13)
        assert abs(trajectory.contact_ledger.error) < 1e-14


# --- invariants, determinism, messages


def test_a_tree_on_a_train_moves_as_in_the_world_and_the_ledger_closes():
    """A train at constant velocity changes nothing; the motor and the train do the work of contact that is driven."""
    rod = hinged_rod(0.4, 0.3, 0.4)
    rod["motion"]["hinge"]["collide"] = True
    free = run({"floor": plane(0.3), "rod": rod}, 1.0, 0.01)
    train = {"motion": {"prescribed": {"velocity": [3, 0, 2]}}, "children": {"floor": plane(0.3), "rod": rod}}
    moving = run({"train": train}, 1.0, 0.01)
    assert moving["train/rod"].joint.coordinates[-1] == pytest.approx(free["rod"].joint.coordinates[-1], abs=1e-12)
    for found, events in ((moving.contact_ledger, moving.events), (free.contact_ledger, free.events)):
        assert found.restitution == pytest.approx(free.contact_ledger.restitution, rel=1e-10)
        assert abs(found.error) < 1e-12
        assert len(events) == len(free.events)
    assert abs(moving.contact_ledger.driven) > 1.0


def tumbling(every=0.25) -> Scene:
    """A trunk, an arm on a hinge, and a hand on a ball joint land on the floor, and a ball strikes them."""
    hand = {
        "mass": 0.4, "inertia": {"principal": [0.002] * 3}, "position": [0.2, 0.1, 0], "shapes": sphere(0.05),
        "motion": {"ball": {"at": [-0.1, 0, 0]}}, "material": {"restitution": 0.3, "friction": 0.4},
    }  # fmt: skip
    arm = {
        "mass": 0.7, "inertia": {"principal": [0.01, 0.02, 0.02]}, "position": [0, 0.3, 0.02], "shapes": sphere(0.08),
        "motion": {"hinge": {"axis": [0, 0.2, 1], "at": [0, -0.2, 0], "rate": 0.7}}, "children": {"hand": hand},
        "material": {"friction": 0.4},
    }  # fmt: skip
    trunk = {
        "mass": 1.5, "inertia": {"principal": [0.02, 0.03, 0.04]}, "position": [0, 0, 0.5], "shapes": sphere(0.1),
        "angular_velocity": [0.3, -0.2, 0.5], "children": {"arm": arm}, "material": {"friction": 0.4},
    }  # fmt: skip
    ball = {
        "mass": 0.5, "inertia": {"principal": [0.002] * 3}, "position": [1, 0.05, 0.4], "velocity": [-2, 0, 1.5],
        "shapes": sphere(0.1), "material": {"restitution": 0.5, "friction": 0.3},
    }  # fmt: skip
    bodies = {"floor": plane(0.4), "trunk": trunk, "ball": ball}
    return scene(bodies, 1.0, 0.01, record_every=every)


def test_energy_of_a_tumbling_tree_changes_by_contact_alone():
    found = rigidsim.simulate(tumbling())
    assert any(event.cause == "impact" for event in found.events)
    assert np.ptp(found.total_energy) < 2e-6
    assert abs(found.contact_ledger.error) < 2e-6


def test_samples_and_slices_do_not_change_the_motion():
    whole, fine = rigidsim.simulate(tumbling()), rigidsim.simulate(tumbling(0.01))
    parts = rigidsim.Simulation(tumbling())
    for _ in range(100):
        parts.step()
    for path in ("trunk/arm/hand", "ball"):
        last = whole[path].world.position[-1]
        assert np.array_equal(last, fine[path].world.position[-1])
        assert np.array_equal(last, parts.state[path].world.position)
    assert [event.time for event in whole.events] == [event.time for event in fine.events]

    resumed = rigidsim.Simulation(tumbling())
    begun = rigidsim.Simulation(tumbling())
    begun.step(53)
    resumed.resume(begun.checkpoint(), begun.events)
    resumed.step(47)
    assert np.array_equal(resumed._run.state, parts._run.state)
    alone, *_ = rigidsim.simulate([tumbling(), tumbling(), tumbling()])
    assert alone.content_hash == whole.content_hash
