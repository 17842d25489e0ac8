"""Loops: two bodies held together beside the joints of the tree, against joints, closed forms and published numbers."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import yaml
from scipy.special import ellipj, ellipk

import rigidsim
from jointed_trees import body
from rigidsim.hindsight.quantities import quantity
from rigidsim.physics.quaternion import rotate
from scenes import run

ROD, BAR = ({"principal": moments} for moments in ([1 / 12, 1e-3, 1 / 12], [1e-3, 1 / 12, 1 / 12]))
Z = [0, 0, 1]
GRAVITY = [0, -9.81, 0]


def four_bars(n: int, copies: int = 1, type: str = "point") -> tuple[dict, list]:
    """IFToMM A02: n + 1 cranks of 1 m and 1 kg, n bars on their tips, at 1 m/s; each loop several times."""
    bodies, loops = {}, []
    for i in range(n + 1):
        crank = {"mass": 1, "inertia": ROD, "center_of_mass": [0, 0.5, 0], "position": [i, 0, 0]}
        bodies[f"crank{i}"] = crank | {"motion": {"hinge": {"axis": Z, "rate": -1}}}
        if i < n:
            bar = {"mass": 1, "inertia": BAR, "center_of_mass": [0.5, 0, 0], "position": [0, 1, 0]}
            bodies[f"crank{i}"]["children"] = {"bar": bar | {"motion": {"hinge": {"axis": Z, "rate": 1}}}}
            loop = {"type": type, "between": [f"crank{i}/bar", f"crank{i + 1}"], "at": [1, 0, 0], "to_at": [0, 1, 0]}
            loops += [loop | ({"axis": Z} if type == "hinge" else {})] * copies
    return bodies, loops


def swung(t, n: int = 2):
    """The angle of the cranks from the vertical: one pendulum of the inertia (n + 1)/3 + n, kg m^2."""
    softness = 9.81 * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    fastest = math.sqrt(1 + 4 * softness)
    m = 4 * softness / fastest**2
    return 2 * ellipj(ellipk(m) + fastest * t / 2, m)[3] - math.pi


def turned(trajectory, path: str) -> np.ndarray:
    """The angle of a hinge."""
    return quantity(trajectory, f"{path}.angle").values


def point(motion, x) -> np.ndarray:
    """A point of a body at all samples."""
    q = tuple(np.moveaxis(motion.orientation, -1, 0))
    return motion.position + np.stack(np.broadcast_arrays(*rotate(q, tuple(x))), -1)


def test_four_bars_pass_their_singular_position_as_elliptic_functions_say():
    """Measured at 5, 2 and 1 ms: 5.1e-8, 8.5e-10, 5e-11 rad in ten seconds, and 6e-11 of 35.8 J."""
    bodies, loops = four_bars(2)
    errors = []
    for step in (4e-3, 2e-3):
        trajectory = run(bodies, loops=loops, gravity=GRAVITY, duration=4, step=step, record_every=0.1)
        found = np.array([turned(trajectory, f"crank{i}") for i in range(3)])
        errors.append(np.abs(found + swung(trajectory.time)).max())
        assert np.abs(found - found[0]).max() < 1e-11
    assert errors[1] < 1e-9
    assert np.log2(errors[0] / errors[1]) > 3.8


ANDREWS = {
    "crank": 15.81077119629904, "crank/bar": -15.75637105984298, "middle": 0.04082224013073101,
    "left/arm": -0.5347301163226948, "left": 0.5244099658805304, "right/arm": 0.5347301163226948,
    "right": 1.048080741042263,
}  # fmt: skip
"""Mazzia, Magherini, Test set for initial value problems, problem Andrews' squeezer: the angles at 0.03 s, rad."""


def test_andrews_squeezer_ends_as_published():
    """The converged angles differ by 1.43e-9 from the published ones, at 10 us by 1.4e-10 from themselves."""
    written = yaml.safe_load(Path("scenes/andrews_squeezer.yaml").read_text())
    written["simulation"] |= {"step": 1e-5, "record_every": 0.03}
    trajectory = rigidsim.simulate(rigidsim.Scene.from_dict(written))
    for path, angle in ANDREWS.items():
        assert turned(trajectory, path)[-1] == pytest.approx(angle, abs=2e-9)


def held(kind: str, on_body: bool) -> tuple[dict, dict, list]:
    """Bodies of which one is on a joint, and the same with a free body and a loop in place of the joint, at rest or in
    motion as the joint lets it.
    """
    random = np.random.default_rng(7)
    axis, at = random.normal(size=3).tolist(), random.normal(size=3).tolist()
    keys = {"at": at} | ({"axis": axis, "angle": 0.4, "rate": 1.3} if kind == "hinge" else {})
    rates = {"angular_velocity": [0.4, -0.9, 1.1]} if kind == "ball" else {}
    child = body(random, motion={kind: keys}, **rates)
    carrier = body(random, velocity=[0.1, 0.2, -0.3], angular_velocity=[0.5, -0.7, 0.6])
    whole = {"base": carrier | {"children": {"held": child}}} if on_body else {"held": child}
    path, parent = ("base/held", "base") if on_body else ("held", "world")
    now = run(whole, duration=1e-3, step=1e-3)[path].local
    start = {key: getattr(now, key)[0].tolist() for key in ("position", "velocity", "angular_velocity")}
    free = {key: value for key, value in child.items() if key != "motion"} | start
    free["orientation"] = {"wxyz": now.orientation[0].tolist()}
    loop = {"type": "point" if kind == "ball" else kind, "between": [path, parent], "at": at}
    loop["to_at"] = point(now, at)[0].tolist()
    loop |= {"axis": axis} if kind == "hinge" else {}
    return whole, {"base": carrier | {"children": {"held": free}}} if on_body else {"held": free}, [loop]


@pytest.mark.parametrize("on_body", [True, False])
@pytest.mark.parametrize("kind", ["hinge", "ball"])
def test_a_loop_moves_a_free_body_as_a_joint_does(kind, on_body):
    """Both are of order 4, so they approach each other at that order; measured at 1 ms: 1e-11."""
    jointed, free, loops = held(kind, on_body)
    how, path, apart = {"duration": 0.4, "gravity": [0.3, -9.8, 0.2]}, "base/held" if on_body else "held", []
    for step in (4e-3, 2e-3):
        one, other = run(jointed, step=step, **how), run(free, step=step, loops=loops, **how)
        worlds = one[path].world, other[path].world
        apart.append(max(np.abs(worlds[0].position[-1] - worlds[1].position[-1]).max(),
                         np.abs(worlds[0].velocity[-1] - worlds[1].velocity[-1]).max()))  # fmt: skip
    assert apart[1] < 2e-9
    assert np.log2(apart[0] / apart[1]) > 3.5


def test_two_bodies_at_a_distance_keep_momenta_and_energy():
    random = np.random.default_rng(3)
    one, other = (body(random, angular_velocity=random.normal(size=3).tolist()) for _ in range(2))
    loops = [{"type": "distance", "between": ["one", "other"], "at": [0.1, 0.2, 0.3], "to_at": [-0.4, 0.1, 0]}]
    still = {"one": one | {"angular_velocity": [0, 0, 0]}, "other": other | {"angular_velocity": [0, 0, 0]}}
    push = [{"impulse": [0.5, -1.0, 0.7], "at": [0.2, 0, 0.1], "time": 0.1}]
    still["one"] = still["one"] | {"impulses": push}
    found = run(still, loops=loops, duration=2, step=2e-3, record_every=0.02)
    ledger = found.diagnostic("linear_momentum")[10:], found.angular_momentum[10:]
    assert max(np.ptp(part, axis=0).max() for part in ledger) < 1e-11
    assert np.ptp(found.total_energy) < 1e-9
    points = point(found["one"].world, [0.1, 0.2, 0.3]) - point(found["other"].world, [-0.4, 0.1, 0])
    assert np.ptp(np.linalg.norm(points, axis=1)) < 1e-14
