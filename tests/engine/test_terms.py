"""The terms of the accelerations: each against its closed form, their sum against what the stepper integrates."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from jointed_trees import every_joint
from rigidsim.analysis.loads import joint_reactions
from rigidsim.cli.examples import shipped_scenes
from rigidsim.physics.inertia import apply
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.report.explain import Explanation
from rigidsim.trajectory.fields import ANGULAR_TERMS, LINEAR_TERMS, angular_terms, linear_terms
from rigidsim.trajectory.motion import columns, rows
from support.scenes import EPS, make_scene

SCENES = shipped_scenes()


def with_terms(name: str) -> rigidsim.Trajectory:
    return rigidsim.simulate(rigidsim.Scene.from_file(SCENES[name]), terms=True)


@pytest.mark.parametrize("name", ["shell_leaves_turret", "three_frames_deep", "vehicle_on_earth", "off_centre_thrust"])
def test_terms_add_up_to_the_acceleration(name):
    trajectory = with_terms(name)
    for total, terms in (("acceleration", LINEAR_TERMS), ("angular_acceleration", ANGULAR_TERMS)):
        parts = np.array([trajectory.arrays[term.name] for term in terms])
        size = np.nanmax(np.abs(parts))
        difference = parts.sum(axis=0) - trajectory.arrays[f"terms/{total}"]
        assert np.nanmax(np.abs(difference)) <= 8 * EPS * size


def test_turntable_ball_feels_centrifugal_and_coriolis_as_the_closed_form_says():
    """Let go at r = 1, Omega = 1: p the involute, v its derivative; centrifugal p, Coriolis -2 z x v, nothing else."""
    trajectory = with_terms("ball_on_turntable")
    t, ball = trajectory.time, trajectory.paths.index("table/let_go")
    p = np.stack([np.cos(t) + t * np.sin(t), -np.sin(t) + t * np.cos(t), 0 * t], axis=-1)
    v = np.stack([t * np.cos(t), -t * np.sin(t), 0 * t], axis=-1)
    terms = {term.name: trajectory.arrays[term.name][:, ball] for term in LINEAR_TERMS}
    bound = 1e-12  # the path's own error: measured 3e-13 m
    assert np.abs(terms["terms/centrifugal"] - p).max() <= bound
    assert np.abs(terms["terms/coriolis"] - 2 * np.stack([v[:, 1], -v[:, 0], 0 * t], axis=-1)).max() <= 2 * bound
    for name in ("applied", "gravity", "linear", "euler"):
        assert np.abs(terms[f"terms/{name}"]).max() == 0.0


def test_each_term_belongs_to_its_cause():
    """One prescribed parent with one cause at a time."""
    causes = {
        "linear": {"acceleration": [1.0, 2.0, 3.0]},
        "euler": {"angular_acceleration": [0.0, 0.0, 0.5]},
        "centrifugal": {"angular_velocity": [0.0, 0.0, 2.0]},
    }
    expected = {"linear": [-1.0, -2.0, -3.0], "euler": [0.0, -0.5, 0.0], "centrifugal": [4.0, 0.0, 0.0]}
    for name, prescribed in causes.items():
        body = {"mass": 1, "inertia": "point", "position": [1, 0, 0]}
        scene = make_scene({"p": {"motion": {"prescribed": prescribed}, "children": {"b": body}}}, duration=1, step=1)
        trajectory = rigidsim.simulate(scene, terms=True)
        for term in LINEAR_TERMS:
            found = trajectory.arrays[term.name][0, 1]
            wanted = expected[name] if term.name == f"terms/{name}" else [0.0, 0.0, 0.0]
            assert found.tolist() == wanted, term.name


def test_loads_of_a_window_count_from_its_first_instant_to_its_last():
    body = {"mass": 2, "inertia": "point", "forces": [{"force": [4, 0, 0], "during": [0.2, 0.6]}]}
    trajectory = rigidsim.simulate(make_scene({"b": body}, duration=1, step=0.1, record_every=0.1), terms=True)
    applied = trajectory.arrays["terms/applied"][:, 0, 0]
    assert applied.tolist() == [0, 0, 2, 2, 2, 2, 0, 0, 0, 0, 0]


def test_terms_are_in_metres_whatever_the_scale():
    body = {"mass": 1, "inertia": "point", "position": [1, 0, 0], "forces": [{"force": [3, 0, 0]}]}
    spinning = {"scale": 0.5, "motion": {"prescribed": {"angular_velocity": [0, 0, 2]}}, "children": {"b": body}}
    trajectory = rigidsim.simulate(make_scene({"p": spinning}, duration=1, step=1), terms=True)
    assert trajectory.arrays["terms/applied"][0, 1].tolist() == [3.0, 0.0, 0.0]
    assert trajectory.arrays["terms/centrifugal"][0, 1].tolist() == [2.0, 0.0, 0.0]
    assert trajectory.arrays["terms/acceleration"][0, 1].tolist() == [5.0, 0.0, 0.0]


def test_bodies_that_are_not_free_have_no_terms():
    trajectory = with_terms("ball_on_turntable")
    assert np.isnan(trajectory.arrays["terms/acceleration"][:, 0]).all()
    assert not np.isnan(trajectory.arrays["terms/acceleration"][:, 1:]).any()


@pytest.fixture(scope="module")
def jointed() -> rigidsim.Trajectory:
    gravity = [0.3, -0.2, -9.81]
    return rigidsim.simulate(make_scene(every_joint(), duration=0.1, step=5e-3, gravity=gravity), terms=True)


def test_terms_of_bodies_on_joints_and_of_roots_add_up(jointed):
    moved = [path for path in jointed.paths if jointed[path].kind in ("free", "jointed")]
    for total, terms in (("acceleration", linear_terms), ("angular_acceleration", angular_terms)):
        parts = np.array([[jointed[path].term(f.name[6:]) for path in moved] for f in terms(False, True)])
        sums = np.array([jointed[path].term(total) for path in moved])
        assert np.isfinite(parts).all()
        assert np.abs(parts.sum(axis=0) - sums).max() <= 8 * EPS * np.abs(parts).max()
        assert not jointed["drum/ball/bird"].term({"acceleration": "joint"}.get(total, "angular_joint")).any()
    assert np.isnan(jointed["drum"].term("joint")).all()


def test_joint_terms_are_what_the_recorded_reactions_do_to_a_body(jointed):
    """Newton and Euler about the centre of mass: m a and I alpha are what its own joint exerts on it, less what it
    exerts on those that it carries; torques where no joint slides, whose place is on the body.
    """
    tree, still, turned = jointed.header.scene.hierarchy, np.tile([1.0, 0, 0, 0], (2, 1)), 0
    joints = {path: tree[path] for path in jointed.header.joints}

    def in_world(path: str, vectors: np.ndarray) -> np.ndarray:
        parent = jointed[path].parent
        return rows(rotate(columns(jointed[parent].world.orientation if parent else still), columns(vectors)))

    def place(path: str, point: tuple) -> np.ndarray:
        world = jointed[path].world
        return world.position + rows(rotate(columns(world.orientation), point))

    for path in ("free", *joints):
        node, lump = tree[path], tree.lump(tree[path])
        center, q = place(path, lump.center), columns(jointed[path].world.orientation)
        force, torque, types = np.zeros((2, 3)), np.zeros((2, 3)), set()
        for other, held in joints.items():
            above = tree.parent(held)
            sign = float(held is node) - float(above is not None and tree.moved_base(above) is node)
            if sign:
                joint, types = jointed[other].joint, types | {held.joint.type}
                f = sign * in_world(other, joint.force)
                force += f
                arm = place(other, tuple(held.metres * x for x in held.joint.at)) - center
                torque += sign * in_world(other, joint.torque) + np.cross(arm, f)
        a, alpha = (in_world(path, jointed[path].term(name)) for name in ("joint", "angular_joint"))
        assert np.abs(lump.mass * a - force).max() <= 1e-13 * np.abs(force).max()
        if not types & {"slide", "screw", "cylindrical", "planar"}:
            turned += 1
            found = rows(rotate(q, apply(lump.inertia, rotate_back(q, columns(alpha)))))
            assert np.abs(found - torque).max() <= 1e-13 * np.abs(torque).max()
    assert turned == 5


def test_reactions_of_all_joints_on_a_body_sum_to_its_joint_terms(jointed):
    """Also where a joint slides; the body's own joint comes first."""
    bodies = [path for path in jointed.paths if jointed[path].kind in ("free", "jointed")]
    for sample in range(len(jointed.time)):
        for path in bodies:
            found = joint_reactions(jointed, sample, path)
            assert [one.is_own for one in found].count(True) == (jointed[path].kind == "jointed")
            for name, fields in (("joint", linear_terms(False, True)), ("angular_joint", angular_terms(False, True))):
                terms = {field.name[6:]: jointed[path].term(field.name[6:])[sample] for field in fields}
                total = np.sum([one.terms[name] for one in found], axis=0)
                # What the others leave of the acceleration; the smallest moment is small beside force times arm: 2e-13.
                assert np.abs(total - terms[name]).max() <= 1e-12 * max(map(np.linalg.norm, terms.values()))


def test_explanation_names_the_term_that_bends_the_path():
    trajectory = with_terms("ball_on_turntable")
    found = Explanation(trajectory, "table/let_go", 1.0)
    # At t = 1 on the involute: v = 1 m/s, curvature 1/t, Coriolis 2 v across the path, centrifugal 1 against it.
    assert found.bend == pytest.approx(1.0, abs=1e-12)
    across = {term.name: term.across for term in found.linear}
    assert across["coriolis"] == pytest.approx(2.0, abs=1e-12)
    assert across["centrifugal"] == pytest.approx(-1.0, abs=1e-12)
    assert (
        "the path has a radius of curvature of 1 m: the acceleration towards its centre is 1 m/s2.\n"
        "The largest part is the coriolis term, 2 m/s2"
    ) in str(found)
    assert "; all other terms together contribute -1 m/s2" in str(found)
    at_rest = str(Explanation(trajectory, "table/let_go", 0.0))
    assert "at rest and accelerates by 1 m/s2, mainly due to the centrifugal term" in at_rest
