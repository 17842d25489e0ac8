"""Bodies that attract each other, wherever they hang in the tree: the formula, its digits, its memory."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rigidsim
from rigidsim.blueprints import build_world
from rigidsim.physics.quaternion import rotate
from support.scenes import EPS, axis_angle

OFFSET = {"mass": 2.0, "inertia": {"principal": [0.5, 0.8, 1.1]}, "center_of_mass": [0.2, -0.1, 0.3]}
CENTRE = np.array(OFFSET["center_of_mass"])
SOFT, CONSTANT = 0.3, 1.7


def scene_of(bodies: dict, duration: float, step: float, mutual: dict, **more) -> rigidsim.Scene:
    simulation = {"duration": duration, "step": step, "record_every": step}
    head = {"format": "rigidsim/1", "simulation": simulation, "world": {"mutual_gravity": mutual}}
    return rigidsim.Scene.from_dict({**head, "bodies": bodies, **more})


def many(count: int) -> rigidsim.Scene:
    body = {"mass": 1, "inertia": "point", "repeat": {"random": count, "seed": 1, "size": [9, 9, 9]}}
    return scene_of({"b": body}, 1, 0.1, {"softening": 0.1})


def family() -> dict:
    """Siblings, cousins, a body that carries another, one deep inside; scaled, turned, moving frames."""
    moon = {**OFFSET, "mass": 0.5, "position": [0, 3, 1], "velocity": [0.4, 0, 0]}
    planet = {**OFFSET, "position": [6, 0, 0], "velocity": [0, 1, 0], "angular_velocity": [0.3, 0.2, 1]}
    planet["children"] = {"moon": moon, "arm": {"motion": "fixed", "position": [0, 0, 5], "scale": 2, "children": {
        "drone": {**OFFSET, "mass": 0.1, "position": [1, 1, 1]}}}}  # fmt: skip
    frame = {"motion": {"prescribed": {"velocity": [1, 0, 0], "angular_velocity": [0, 0.2, 0.4]}},
             "position": [0, -8, 2], "orientation": axis_angle((1, 2, 3), 0.8), "scale": 0.5,
             "children": {"a": {**OFFSET, "position": [3, 0, 0]}, "b": {**OFFSET, "position": [0, 5, 0]}}}  # fmt: skip
    return {"sun": {**OFFSET, "mass": 9.0}, "planet": planet, "frame": frame}


def centres(history: rigidsim.Trajectory, paths) -> dict[str, np.ndarray]:
    """Of mass, in the world."""
    places = {}
    for path in paths:
        world = history[path].world
        q = tuple(world.orientation.T)
        places[path] = world.position + np.stack(rotate(q, tuple(CENTRE * scale_of(path))), axis=-1)
    return places


def scale_of(path: str) -> float:
    return 2.0 if "drone" in path else 0.5 if "frame" in path else 1.0


MASSES = {"frame/a": 2.0, "frame/b": 2.0, "planet": 2.0, "planet/arm/drone": 0.1, "planet/moon": 0.5, "sun": 9.0}


@pytest.mark.parametrize(
    "bodies", [None, ["sun", "planet/moon", "planet/arm/drone", "frame/b"], ["planet", "planet/moon"]]
)
def test_the_potential_energy_is_that_of_all_pairs(bodies):
    mutual = {"constant": CONSTANT, "softening": SOFT, **({"bodies": bodies} if bodies else {})}
    history = rigidsim.simulate(scene_of(family(), 1.0, 0.05, mutual))
    places = centres(history, bodies or MASSES)
    expected = sum(
        -CONSTANT * MASSES[i] * MASSES[j] / np.sqrt(((places[i] - places[j]) ** 2).sum(axis=1) + SOFT * SOFT)
        for i, j in combinations(places, 2)
    )
    assert history.diagnostic("potential_energy") == pytest.approx(expected, rel=64 * EPS)  # measured 4 eps


def test_forces_are_the_slope_of_that_energy():
    """Energy and both momenta are kept to the order of the method wherever the bodies hang; the fourth."""
    lost = []
    for step in (0.04, 0.02, 0.01):
        history = rigidsim.simulate(scene_of(family(), 0.8, step, {"constant": CONSTANT, "softening": SOFT}))
        parts = (history.total_energy[:, None], history.diagnostic("linear_momentum"), history.angular_momentum)
        lost.append([np.linalg.norm(part - part[0], axis=1).max() for part in parts])
    assert lost[-1][0] <= 1e-6 and max(lost[-1]) <= 1e-5, lost
    assert np.all(np.log2(np.array(lost[0]) / lost[-1]) / 2 >= 3.5), lost


def test_two_moons_far_from_everything_keep_their_digits():
    """At 1.5e11 m world coordinates tell apart 3e-5 m; the moons are 2 m apart, and the sun is in the group."""

    def apart(far: float) -> np.ndarray:
        moons = {name: {"mass": 1.0, "inertia": "point", "position": [x, 0, 0], "velocity": [0, x / 2, 0]}
                 for name, x in (("a", 1.0), ("b", -1.0))}  # fmt: skip
        planet = {"motion": {"prescribed": {}}, "position": [far, 0, 0], "children": moons}
        sun = {"mass": 1.0, "inertia": "point", "position": [0, -far - 1e9, 0]}
        scene = scene_of({"planet": planet, "sun": sun}, 2.0, 0.01, {"constant": 1})
        history = rigidsim.simulate(scene)
        return history["planet/a"].local.position - history["planet/b"].local.position

    near, far = apart(0.0), apart(1.5e11)
    # The sun pulls both equally to 2 m in 1e9 m; what is left of it is 1e-18 * 4 / 1e9 m/s2.
    assert np.abs(near - far).max() <= 64 * EPS  # measured: 0


def test_a_body_that_changes_its_parent_is_attracted_as_before():
    bodies = family()
    event = {"body": "planet/moon", "to": "frame", "time": 0.4}
    mutual = {"constant": CONSTANT, "softening": SOFT}
    stays = rigidsim.simulate(scene_of(bodies, 0.8, 0.005, mutual))
    moves = rigidsim.simulate(scene_of(bodies, 0.8, 0.005, mutual, reparent=[event]))
    for path in MASSES:
        off = np.abs(stays[path].world.position - moves[path].world.position).max()
        assert off <= 1e-7, (path, off)  # the methods' errors in two frames
    assert np.ptp(moves.total_energy) <= 1e-6


def test_memory_is_linear_in_the_number_of_bodies():
    """Pairs are made in the kernel: nothing in the model grows with their number."""

    def size(part) -> int:
        if isinstance(part, tuple):
            return sum(map(size, part))
        return part.nbytes if isinstance(part, np.ndarray) else 0

    sizes = [size(build_world(many(count)).model) for count in (50, 100, 200)]
    assert sizes[2] - sizes[1] == pytest.approx(2 * (sizes[1] - sizes[0]), rel=1e-9)


@pytest.mark.parametrize("named", [False, True])
def test_a_body_on_a_hinge_attracts_and_is_attracted(named):
    """A rod with its centre of mass c from a hinge at the world's origin, and a free body p: of the angle, I x'' =
    z . (c u x F), F = G m M r/|r|^3 with r = p - c u, and -F acts on p, so M p'' = -F.
    """
    heavy, light, c, moment, constant = 3.0, 2.0, 0.6, 0.4, 5.0
    rod = {"mass": light, "inertia": {"principal": [moment] * 3}, "center_of_mass": [c, 0, 0]}
    rod["motion"] = {"hinge": {"axis": [0, 0, 1]}}
    star = {"mass": heavy, "inertia": "point", "position": [2, 1.5, 0], "velocity": [0, -0.5, 0]}
    mutual = {"constant": constant} | ({"bodies": ["rod", "star"]} if named else {})
    found = rigidsim.simulate(scene_of({"rod": rod, "star": star}, 0.4, 1e-3, mutual))

    def law(_t, y):
        u = np.array([np.cos(y[0]), np.sin(y[0])])
        r = y[2:4] - c * u
        force = constant * heavy * light * r / np.linalg.norm(r) ** 3
        torque = c * (u[0] * force[1] - u[1] * force[0])
        return [y[1], torque / (moment + light * c * c), *y[4:], *(-force / heavy)]

    begin = [0.0, 0.0, 2.0, 1.5, 0.0, -0.5]
    end = solve_ivp(law, (0, 0.4), begin, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    angle = np.asarray(found.arrays["joints/coordinate"])[-1, 0]
    # The error of `rkmk4` is below (h w)^4 t with w some 3 rad/s.
    assert abs(angle - end[0]) < 1e-10 and abs(found["star"].world.position[-1, :2] - end[2:4]).max() < 1e-10
    assert abs(end[0]) > 0.1
