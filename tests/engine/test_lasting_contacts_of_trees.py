"""`contact: events` of bodies of trees of joints, and of loops: closed forms, and reduced equations of plane motion.

The references have as few coordinates as the motion: absolute angles of a chain of links, of which the tip may touch
the floor. Tolerances are multiples of the errors that were measured, or of the rounding of the largest terms.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

import rigidsim
from rigidsim import Scene

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
            found = solve_ivp(
                lambda _, y: np.concatenate([y[self.n :], self.forces(y, mu, mode)[2]]), (t, duration), y,
                events=[self.event(k, mu, mode) for k in range(2)], **PRECISE,
            )  # fmt: skip
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
        ["contact_begins", "sliding_begins", "contact_ends", "impact", "contact_begins", "sliding_begins"], 3e-5,
    ),
    "sticks": (
        LONG, LONG.touching([-1.2, -0.7], -1.5), 0.3, 0.5,
        ["contact_begins", "sliding_begins", "rolling_begins", "sliding_begins"], 2.7e-5,
    ),
}  # fmt: skip
