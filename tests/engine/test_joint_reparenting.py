"""Bodies on joints that are released, and bodies that are hung on joints: momenta, energy, what goes on as it was."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import rigidsim
from jointed_trees import KINDS, body, jointed, random_joint
from rigidsim.errors import SimulationError
from support.scenes import make_scene

STEP = 0.005
HOW = {"duration": 0.2, "step": STEP, "record_every": STEP}
TIME = 0.1
CUBE = {"mass": 1, "inertia": {"principal": [1, 1, 1]}}
BEGINNINGS = ("angle", "angles", "displacement", "displacements", "rate", "rates")


def scene_with(bodies: dict, reparent: list[dict], **how) -> rigidsim.Scene:
    return rigidsim.Scene.from_dict(make_scene(bodies, **HOW | how).resolved() | {"reparent": reparent})


def simulate(bodies: dict, reparent: list[dict], **how) -> rigidsim.Trajectory:
    return rigidsim.simulate(scene_with(bodies, reparent, **how))


def new_joint(random: np.random.Generator, kind: str) -> dict:
    """A joint that is made during a run: neither coordinates nor rates are given."""
    return {kind: {key: value for key, value in random_joint(random, kind).items() if key not in BEGINNINGS}}


def two_trees(seed: int) -> dict:
    """Two free bodies in motion, each with two jointed ones below it, one of which carries a free body; and a free
    body that could hang anywhere.
    """
    random = np.random.default_rng(seed)

    def moving(**more) -> dict:
        rates = {key: random.normal(size=3).tolist() for key in ("velocity", "angular_velocity")}
        return body(random, **rates, **more)

    def tree(first: str, second: str) -> dict:
        inner = jointed(random, first, children={"outer": jointed(random, second), "rider": moving()})
        return moving(children={"inner": inner})

    return {"a": tree("hinge", "ball"), "b": tree("slide", "universal"), "c": moving()}


def of_run(found: rigidsim.Trajectory, name: str) -> np.ndarray:
    return np.asarray(found.arrays[f"diagnostics/{name}"])


def jump(found: rigidsim.Trajectory, undisturbed: rigidsim.Trajectory) -> tuple:
    """What an instant changes: momentum, angular momentum, the kinetic energy, and what of it is booked as work."""
    (event,) = found.events
    k = round(event.time / STEP)
    names = ("linear_momentum", "spin_angular_momentum", "orbital_angular_momentum")
    p, spin, orbital, kinetic, potential, work = (
        of_run(found, name)[k] - of_run(undisturbed, name)[k]
        for name in (*names, "kinetic_energy", "potential_energy", "work")
    )
    assert abs(kinetic + potential - event.energy) < 1e-12 * of_run(undisturbed, "kinetic_energy").max()
    return p, spin + orbital, kinetic, work - potential


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("caught", "to"), [("c", "a/inner/outer"), ("b", "a/inner/outer"), ("a", "b/inner/outer")])
def test_a_body_that_is_caught_by_a_joint_keeps_the_momenta_and_its_energy_is_booked(kind, caught, to):
    """Alone or with an arm of its own, on an arm of a free body, whichever comes first by its name."""
    random = np.random.default_rng(7)
    bodies = two_trees(3)
    event = {"body": caught, "to": to, "time": TIME, "motion": new_joint(random, kind)}
    found, undisturbed = simulate(bodies, [event]), rigidsim.simulate(make_scene(bodies, **HOW))
    p, L, kinetic, work = jump(found, undisturbed)
    size = of_run(undisturbed, "kinetic_energy").max()
    assert np.abs(p).max() < 1e-13 * size
    assert np.abs(L).max() < 1e-12 * size  # about the world's origin, of bodies some metres away
    assert kinetic < 0.0
    assert abs(work - kinetic) < 1e-12 * size
    drift = of_run(found, "kinetic_energy") + of_run(found, "potential_energy") - of_run(found, "work")
    assert np.abs(drift - drift[0]).max() < 1e-5 * size  # order 4; measured 3e-7 at most
    for rider in ("a/inner/rider", "b/inner/rider"):
        ours, theirs = (one[rider].world.velocity[round(TIME / STEP)] for one in (found, undisturbed))
        assert np.abs(ours - theirs).max() < 1e-13 * size


@pytest.mark.parametrize("kind", KINDS)
def test_a_joint_that_is_made_where_it_was_changes_nothing(kind):
    """A body is let go and caught again by the same joint at the same instant: nothing has to jump."""
    random = np.random.default_rng(11)
    bodies = {"a": body(random, angular_velocity=[0.3, -0.2, 0.5], children={"b": jointed(random, kind)})}
    given = bodies["a"]["children"]["b"]
    again = {key: value for key, value in given["motion"][kind].items() if key not in BEGINNINGS}
    pose = {key: given[key] for key in ("position", "orientation")}
    events = [
        {"body": "a/b", "to": "a", "time": TIME},
        {"body": "a/b", "to": "a", "time": TIME, "motion": {kind: again}, **pose},
    ]
    found, undisturbed = simulate(bodies, events), rigidsim.simulate(make_scene(bodies, **HOW))
    for path in found.paths:
        for name in ("position", "velocity", "angular_velocity"):
            ours, theirs = (getattr(one[path].world, name) for one in (found, undisturbed))
            assert np.abs(ours - theirs).max() < 2e-13
    for name in ("joints/coordinate", "joints/rate"):
        if name in found.arrays:
            assert np.abs(np.asarray(found.arrays[name]) - undisturbed.arrays[name]).max() < 1e-12
    assert abs(sum(event.energy for event in found.events)) < 1e-13  # that of a spring goes and comes


def test_a_released_pendulum_flies_on_a_parabola_and_its_angle_ends():
    rod = {"mass": 2, "inertia": {"principal": [0.1, 0.1, 0.1]}, "center_of_mass": [0, 0, -1]}
    swinging = rod | {"motion": {"hinge": {"axis": [0, 1, 0], "angle": 1.0, "rate": -1.0}}}
    how = {"gravity": [0, 0, -9.81]}
    found = simulate({"rod": swinging}, [{"body": "rod", "to": "world", "time": TIME}], **how)
    k = round(TIME / STEP)
    world, t = found["rod"].world, found.time[k:] - TIME
    r = Rotation.from_quat(np.roll(world.orientation, -1, axis=1)).apply([0, 0, -1])
    center = world.position + r
    v = world.velocity[k] + np.cross(world.angular_velocity[k], r[k])
    expected = center[k] + v * t[:, None] + 0.5 * np.array([0, 0, -9.81]) * t[:, None] ** 2
    assert np.abs(center[k:] - expected).max() < 1e-13
    assert np.abs(world.angular_velocity[k:] - world.angular_velocity[k]).max() < 1e-14  # a ball of inertia
    angle, rate, force = (np.asarray(found.arrays[f"joints/{name}"]) for name in ("coordinate", "rate", "force"))
    assert np.isfinite(angle[:k]).all()
    assert np.isnan(angle[k:]).all() and np.isnan(rate[k:]).all() and np.isnan(force[k:]).all()
    assert found.events[0].energy == 0.0
    bound = simulate({"rod": swinging}, [], **how)
    assert (bound["rod"].world.velocity[k] == world.velocity[k]).all()  # nothing jumps, to the last bit


def test_two_bodies_caught_by_a_hinge_lose_the_energy_of_the_closed_form():
    """1/2 u . (J M^-1 J^T)^-1 u with the five rows of the hinge, from the velocities before."""
    random = np.random.default_rng(5)
    rates = [{key: random.normal(size=3).tolist() for key in ("velocity", "angular_velocity")} for _ in range(2)]
    bodies = {name: body(random, **rate) for name, rate in zip("ab", rates, strict=True)}
    hinge = {"axis": [1.0, 2.0, -0.5], "at": [0.3, 0.1, -0.2]}
    event = {"body": "b", "to": "a", "time": 0.0, "motion": {"hinge": hinge}}
    (found,) = simulate(bodies, [event], duration=STEP).events
    rows, inverse, velocity = [], np.zeros((12, 12)), np.zeros(12)
    turns = [Rotation.from_quat(np.roll(bodies[name]["orientation"]["wxyz"], -1)) for name in "ab"]
    point = np.array(bodies["b"]["position"]) + turns[1].apply(hinge["at"])
    arms = []
    for k, (name, R, rate) in enumerate(zip("ab", turns, rates, strict=True)):
        com = R.apply(bodies[name]["center_of_mass"])
        omega = np.array(rate["angular_velocity"])
        velocity[6 * k : 6 * k + 6] = [*(np.array(rate["velocity"]) + np.cross(omega, com)), *omega]
        turned = R.as_matrix() @ np.diag(1 / np.array(bodies[name]["inertia"]["principal"])) @ R.as_matrix().T
        inverse[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = np.eye(3) / bodies[name]["mass"]
        inverse[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = turned
        arms.append(point - np.array(bodies[name]["position"]) - com)
    for e in np.eye(3):
        rows.append([*-e, *-np.cross(arms[0], e), *e, *np.cross(arms[1], e)])
    axis = turns[1].apply(np.array(hinge["axis"]) / np.linalg.norm(hinge["axis"]))
    first = np.cross(axis, [1.0, 0, 0])
    for n in (first, np.cross(axis, first)):
        rows.append([0, 0, 0, *-n, 0, 0, 0, *n])
    J = np.array(rows)
    u = J @ velocity
    assert abs(found.energy + 0.5 * u @ np.linalg.solve(J @ inverse @ J.T, u)) < 1e-13


def below_carrier(bodies: dict, carrier: dict) -> dict:
    """Free bodies of the world, with the same motion there, as children of a prescribed frame."""
    R = Rotation.from_quat(np.roll(carrier["orientation"]["wxyz"], -1))
    found = {}
    for name, node in bodies.items():
        q = R.inv() * Rotation.from_quat(np.roll(node["orientation"]["wxyz"], -1))
        place = R.inv().apply(np.array(node["position"]) - carrier["position"])
        rates = {
            key: {"value": node[key], "frame": "world", "relative_to": "world"}
            for key in ("velocity", "angular_velocity")
        }
        pose = {"position": place.tolist(), "orientation": {"wxyz": np.roll(q.as_quat(), 1).tolist()}}
        found[name] = node | pose | rates
    return found


def test_the_world_motion_is_the_same_whatever_the_trees_hang_on():
    """An arm catches, an arm docks, an arm is released: in the world, and below a frame that flies and turns."""
    bodies, random = two_trees(9), np.random.default_rng(2)

    def events(above: str, world: str) -> list[dict]:
        hinge = new_joint(np.random.default_rng(2), "hinge")
        return [
            {"body": f"{above}c", "to": f"{above}a/inner/outer", "time": 0.05, "motion": hinge},
            {"body": f"{above}b", "to": f"{above}a", "time": TIME, "motion": "fixed"},
            {"body": f"{above}a/inner", "to": world, "time": 0.15},
        ]

    expected = simulate(bodies, events("", "world"))
    flying = {"velocity": random.normal(size=3).tolist(), "angular_velocity": [0.3, 0.5, -0.4]}
    carrier = {"position": [1.0, 0.5, -3], "orientation": {"wxyz": [0.5, 0.5, -0.5, 0.5]}}
    moving = carrier | {"motion": {"prescribed": flying}, "children": below_carrier(bodies, carrier)}
    found = simulate({"carrier": moving}, events("carrier/", "carrier"))
    for path in expected.paths:
        ours, theirs = found[f"carrier/{path}"].world, expected[path].world
        assert np.abs(ours.position - theirs.position).max() < 1e-7  # order 4 in other coordinates; measured 1e-9
        assert np.abs(ours.velocity - theirs.velocity).max() < 1e-7


DOCKINGS = [("b", "a/inner"), ("a/inner/outer", "c"), ("a/inner", "c"), ("c", "a/inner/outer")]


@pytest.mark.parametrize(("body", "to"), DOCKINGS)
def test_a_body_that_is_fixed_to_another_keeps_the_momenta_with_all_that_hangs_on_either(body, to):
    """A root with its arm, a body on a ball joint, one with an arm that leaves its joint, a body alone."""
    bodies = two_trees(4)
    event = {"body": body, "to": to, "time": TIME, "motion": "fixed"}
    found, undisturbed = simulate(bodies, [event]), rigidsim.simulate(make_scene(bodies, **HOW))
    p, L, kinetic, work = jump(found, undisturbed)
    size = of_run(undisturbed, "kinetic_energy").max()
    assert np.abs(p).max() < 1e-13 * size and np.abs(L).max() < 1e-12 * size
    assert kinetic < 0.0 and abs(work - kinetic) < 1e-12 * size
    k = round(TIME / STEP)
    local = found[body].local
    assert np.abs(local.position[k:] - local.position[k]).max() < 1e-14 * max(1, np.abs(local.position[k]).max())
    assert not local.velocity[k:].any()
    assert found.header.tree_at(TIME)[body].kind == "fixed"


@pytest.mark.parametrize("motor", [{"angle": "= 0.4*sin(9*t)"}, {"torque": "= 3 - 2*rate"}])
def test_a_body_that_a_motor_moves_is_released_as_it_moves(motor):
    random = np.random.default_rng(8)
    hand = body(random, motion={"hinge": {"axis": [1, 2, 0], "motor": motor}})
    bodies = {"a": body(random, angular_velocity=[0.3, -0.2, 0.5], children={"hand": hand})}
    found = simulate(bodies, [{"body": "a/hand", "to": "world", "time": TIME}])
    undisturbed, k = rigidsim.simulate(make_scene(bodies, **HOW)), round(TIME / STEP)
    for path in found.paths:
        for name in ("position", "velocity", "angular_velocity"):
            ours, theirs = (getattr(one[path].world, name)[k] for one in (found, undisturbed))
            assert np.abs(ours - theirs).max() < 1e-14
    assert np.isnan(found.arrays["joints/motor"][k:]).all()
    assert np.abs(np.diff(of_run(found, "linear_momentum")[k:], axis=0)).max() < 1e-13


def test_a_body_that_does_not_fit_its_joint_ends_the_run_with_the_gap():
    random = np.random.default_rng(1)
    bodies = {"a": body(random), "b": body(random)}
    event = {"body": "b", "to": "a", "time": TIME, "motion": {"ball": {}}, "position": [1, 2, 3]}
    with pytest.raises(SimulationError, match=r"reparent\[0\]: 'b' is [0-9.]+ m and 0 rad away .* ball joint on 'a'"):
        simulate(bodies, [event])


def test_a_tiny_gap_is_closed():
    a = {"mass": 2, "inertia": {"principal": [1, 1, 1]}}
    b = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "position": [1 + 1e-7, 0, 0]}
    event = {"body": "b", "to": "a", "time": TIME, "motion": {"hinge": {"axis": [0, 0, 1]}}}
    pose = {"position": [1, 0, 0], "orientation": {"axis": [0, 0, 1], "angle": "20 deg"}}
    found = simulate({"a": a, "b": b}, [event | pose])
    k = round(TIME / STEP)
    assert np.abs(found["b"].local.position[k:] - [1, 0, 0]).max() < 1e-15
    assert abs(found.arrays["joints/coordinate"][k, 0] + np.deg2rad(20)) < 1e-15


@pytest.mark.slow
def test_sixteen_lanes_and_one_have_the_same_bits():
    bodies = two_trees(6)
    motion = new_joint(np.random.default_rng(3), "universal")
    events = [
        {"body": "a", "to": "c", "time": 0.03, "motion": "fixed"},
        {"body": "c", "to": "b/inner", "time": 0.05, "motion": motion},
        {"body": "a/inner/outer", "to": "world", "time": TIME},
    ]
    scenes = [scene_with(bodies, events, duration=0.15) for _ in range(3)]
    first, *_, last = rigidsim.simulate(scenes)
    alone = rigidsim.simulate(scenes[0])
    assert first.content_hash == last.content_hash == alone.content_hash


@pytest.mark.parametrize(
    "motion",
    [{"hinge": {"axis": [0, 0, 1], "at": [0.1, 0, 0]}}, {"slide": {"axis": [1, 1, 0]}}, {"weld": {}}],
    ids=lambda motion: next(iter(motion)),
)
@pytest.mark.parametrize("plane", [None, [0, 0, 1]], ids=["space", "plane"])
def test_momenta_stay_in_a_planar_scene_and_with_units_of_length(motion, plane):
    """A body with a unit of 3 m hangs on one of 1 m, which is welded to one of 0.5 m."""

    def one(**more) -> dict:
        inertia = {"principal": [1, 1.5, 0.7]}
        return {"mass": 2, "inertia": inertia, "center_of_mass": [0.1, 0.2, 0.05], "angular_velocity": [0, 0, 1]} | more

    arm = {"mass": 2, "inertia": {"principal": [1, 1.5, 0.7]}, "position": [1, 0, 0.1]}
    arm["motion"] = {"hinge": {"axis": [0, 0, 1], "rate": 2}}
    tip = arm | {"scale": 2.0, "motion": {"weld": {"breaks": {"force": 1e9}}}}
    moving = one(velocity=[1, 0, 0], scale=0.5, children={"arm": arm | {"children": {"tip": tip}}})
    caught = one(position=[2, 1, 0], velocity=[-1, 0.3, 0], scale=3.0)
    how = {"plane": plane} if plane else {}
    event = {"body": "c", "to": "a/arm/tip", "time": TIME, "motion": motion}
    found = simulate({"a": moving, "c": caught}, [event], **how)
    k, size = round(TIME / STEP), of_run(found, "kinetic_energy").max()
    momentum = of_run(found, "linear_momentum")
    spin = of_run(found, "spin_angular_momentum") + of_run(found, "orbital_angular_momentum")
    assert np.abs(momentum[k] - momentum[k - 1]).max() < 1e-10 * size  # a step of the method; measured 5e-12
    assert np.abs(spin[k] - spin[k - 1])[2] < 1e-10 * size
    assert found.events[0].energy < -0.1


def slid(limits: list) -> dict:
    """A body hangs on another from an instant on, where it can slide so far from [1, 0, 0]."""
    motion = {"slide": {"axis": [1, 0, 0], "limits": limits}}
    return {"body": "b", "to": "a", "time": TIME, "motion": motion, "position": [1, 0, 0]}


@pytest.mark.parametrize("x", [0.1 + 5e-8, -0.2 - 5e-8])
def test_a_body_that_is_hung_just_beyond_a_limit_begins_at_the_limit(x):
    bodies = {"a": CUBE, "b": CUBE | {"position": [1 + x, 0, 0]}}
    found = simulate(bodies, [slid([-0.2, 0.1])])
    assert (found.arrays["joints/coordinate"][round(TIME / STEP) :, 0] == round(x, 1)).all()


@pytest.mark.parametrize("x", [0.3, -0.5])
def test_a_body_that_is_hung_far_beyond_a_limit_ends_the_run_with_the_gap(x):
    bodies = {"a": CUBE, "b": CUBE | {"position": [1 + x, 0, 0], "velocity": [0.1, 0, 0]}}
    gap = x + 0.1 * TIME - (0.1 if x > 0 else -0.2)
    with pytest.raises(SimulationError, match=f"'b' is {abs(gap):.3g} m and 0 rad away .* slide joint on 'a' allows"):
        simulate(bodies, [slid([-0.2, 0.1])])
