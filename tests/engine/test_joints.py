"""Joints: closed forms, another formulation, order, invariants, symmetries."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import rigidsim
from jointed_trees import dense_accelerations, evaluated, found_accelerations, random_tree
from rigidsim.engine.model.layout import LEDGER
from support.scenes import angle_between, make_scene, run, slopes

G = [0.3, -0.2, -9.81]


def ends(trajectory) -> np.ndarray:
    """The last positions and orientations of all bodies."""
    worlds = [trajectory[path].world for path in trajectory.paths]
    return np.concatenate([np.r_[world.position[-1], world.orientation[-1]] for world in worlds])


def pendulum(**more) -> dict:
    hinge = {"hinge": {"axis": [1, 0, 0], "angle": math.pi / 2}}
    return {
        "rod": {"mass": 1, "inertia": {"principal": [0.1] * 3}, "center_of_mass": [0, 0, -1], "motion": hinge} | more
    }


def test_a_pendulum_swings_as_elliptic_functions_say():
    k, rate = math.sin(math.pi / 4), math.sqrt(9.81 / 1.1)
    exact = 2 * math.asin(k * ellipj(ellipk(k * k) + 10 * rate, k * k)[0])
    w, x = run(pendulum(), duration=10.0, step=1e-3, gravity=[0, 0, -9.81])["rod"].world.orientation[-1][:2]
    assert abs(2 * math.atan2(x, w) - exact) < 2e-12  # 1.75e-12, the error of the method


def test_a_top_without_torque_in_a_ball_joint_has_the_error_of_the_free_one():
    """Moments 1, 2 and 3, ten seconds at 10 ms; held at its centre of mass, so that the joint turns it nowhere."""
    top = {"mass": 1, "inertia": {"principal": [1, 2, 3]}, "angular_velocity": {"frame": "body", "value": [1, 1, 1]}}
    held = top | {"motion": {"ball": {}}}
    found = run({"free": top, "held": held}, duration=10, step=0.01, record_every=10)
    exact = run({"top": top}, duration=10, step=1e-3, record_every=10)["top"].world.orientation[-1]
    free, inside = (angle_between(found[name].world.orientation[-1], exact) for name in ("free", "held"))
    assert 1e-10 < free < 1e-8  # 1.425e-9 measured, of both
    assert inside == pytest.approx(free, rel=1e-4)


@pytest.mark.parametrize("root", ["free", "hinge", "universal"])
@pytest.mark.parametrize("seed", range(3))
def test_accelerations_are_those_of_the_mass_matrix_of_all_coordinates(seed, root):
    model, state, scratch = evaluated(random_tree(seed, root=root), gravity=G)
    expected, found = dense_accelerations(model, state, G), found_accelerations(model, scratch)
    assert abs(found - expected).max() < 1e-12 * abs(expected).max()


def test_a_floating_tree_keeps_momenta_and_energy_at_order_four():
    steps, drifts, last = (8e-3, 4e-3), [], []
    for step in (*steps, 1e-3):
        found = run(random_tree(1), duration=0.4, step=step, record_every=0.04)
        ledger = np.asarray(found.ledger)
        parts = (found.total_energy[:, None], ledger[:, LEDGER.momentum], found.angular_momentum)
        drifts.append([np.ptp(part, axis=0).max() for part in parts])
        last.append(ends(found))
    assert (np.array(drifts[2]) < 1e-8).all()
    assert (slopes(steps, np.array(drifts[:2])) > 3.6).all()
    errors = [abs(end - last[2]).max() for end in last[:2]]
    assert slopes(steps, errors) == pytest.approx(4.0, abs=0.3)


def test_uniform_gravity_turns_no_joint_of_a_falling_tree():
    trees = [run(random_tree(2), duration=0.2, step=2e-3, gravity=g) for g in ([0, 0, 0], G)]
    for path in trees[0].paths:
        if path != "n0":
            assert (trees[0][path].local.orientation == trees[1][path].local.orientation).all()


def spinning(child: dict, **more) -> dict:
    """A node that is prescribed to spin, with a child."""
    rates = {"angular_velocity": [0.4, 1.2, -0.7], "velocity": [1.0, 0.2, 0.0], "acceleration": [0.3, -0.1, 0.2]}
    return {"motion": {"prescribed": rates}, "children": child} | more


def in_the_world(value) -> dict:
    return {"value": value, "frame": "world", "relative_to": "world"}


def test_a_tree_of_joints_moves_in_the_world_however_its_parent_spins():
    trees = [random_tree(3), random_tree(3)]
    for tree in trees:
        for key in ("velocity", "angular_velocity"):
            tree["n0"][key] = in_the_world(tree["n0"][key])
    how = {"duration": 0.3, "step": 1e-3, "gravity": G}
    alone, carried = run(trees[0], **how), run({"drum": spinning(trees[1])}, **how)
    for path in alone.paths:
        here, there = alone[path].world, carried[f"drum/{path}"].world
        assert abs(here.position[-1] - there.position[-1]).max() < 2e-12
        assert abs(here.orientation[-1] - there.orientation[-1]).max() < 2e-12


def sprung(nodes: dict) -> dict:
    """The nodes with springs and dampers in their ball joints."""
    for node in nodes.values():
        if "ball" in node.get("motion", {}):
            node["motion"]["ball"] |= {"spring": {"stiffness": 1.5}, "damping": 0.2}
        sprung(node.get("children", {}))
    return nodes


@pytest.mark.parametrize("root", ["hinge", "slide", "ball", "universal"])
def test_energy_is_what_a_prescribed_frame_gives_through_joints(root):
    drum = spinning(sprung(random_tree(4, n=5, root=root)) | {"other": pendulum()["rod"]}, scale=2.0)
    drifts = []
    for step in (4e-3, 2e-3):
        found = run({"drum": drum}, duration=0.4, step=step, gravity=G, record_every=0.04)
        drifts.append(np.ptp(found.total_energy))
    assert np.ptp(np.asarray(found.ledger)[:, LEDGER.work]) > 0.1
    assert drifts[1] < 1e-7 and slopes((4e-3, 2e-3), drifts) > 3.5


def test_joints_keep_their_bits_far_from_the_origin():
    tree, far = random_tree(5), random_tree(5)
    far["n0"] |= {"position": [1.5e11, 2e10, 0.0], "velocity": [3e4, 0.0, 0.0]}
    tree["n0"]["velocity"] = [0.0, 0.0, 0.0]
    near, away = (run(bodies, duration=0.2, step=2e-3) for bodies in (tree, far))
    for path in near.paths[2:]:
        assert (near[path].local.orientation == away[path].local.orientation).all()
        assert (near[path].local.position == away[path].local.position).all()


def test_lanes_have_the_bits_of_one():
    how = {"duration": 0.05, "step": 1e-3, "gravity": G}
    trees = [random_tree(6) for _ in range(3)]
    for k, tree in enumerate(trees):
        tree["n0"]["mass"] += 0.1 * k
    scenes = [make_scene(tree, **how) for tree in trees]
    for scene, found in zip(scenes, rigidsim.simulate(scenes), strict=True):
        assert (ends(found) == ends(rigidsim.simulate(scene))).all()


def flat_tree(**plane) -> dict:
    """A tree whose joints turn about z and slide across it, with heights."""
    low = {"mass": 1.0, "inertia": {"principal": [0.2, 0.3, 0.4]}}

    def link(x: float, motion: dict, **children) -> dict:
        return low | {"position": [x, 0.1, 0.5 * x], "center_of_mass": [0.3, 0.1, -0.4], "motion": motion,
                      "children": children}  # fmt: skip

    tip = link(0.6, {"hinge": {"axis": [0, 0, -2], "at": [-0.2, 0.1, 0.3], "rate": 2.0}})
    slide = link(0.4, {"slide": {"axis": [1, 2, 0], "rate": 0.3}}, tip=tip)
    hinge = link(0.5, {"hinge": {"axis": [0, 0, 1], "at": [0, -0.2, 0.1], "rate": 1.0}}, slide=slide)
    sheet = link(0.2, {"planar": {"normal": [0, 0, 1], "rates": [0.2, 0.1, -1.5]}})
    return {"base": low | {"velocity": [0.1, 0, 0], "children": {"hinge": hinge, "sheet": sheet}}}


def test_a_planar_scene_has_the_motion_of_the_same_scene_with_symmetric_bodies():
    how = {"duration": 0.5, "step": 1e-3, "gravity": [0.5, -9.0, 0.0]}
    planar, flat = run(flat_tree(), plane=[0, 0, 1], **how), flat_tree()

    def level(nodes: dict) -> None:
        for node in nodes.values():
            node["center_of_mass"] = [*node.get("center_of_mass", [0, 0, 0])[:2], 0.0]
            node["position"] = [*node.get("position", [0, 0, 0])[:2], 0.0]
            for joint in node["motion"].values() if "motion" in node else ():
                joint["at"] = [*joint["at"][:2], 0.0] if "at" in joint else [0, 0, 0]
            level(node.get("children", {}))

    level(flat)
    free = run(flat, **how)
    for path in planar.paths:
        here, there = planar[path].world, free[path].world
        assert abs(here.position[-1, :2] - there.position[-1, :2]).max() < 1e-13
        assert abs(here.orientation[-1] - there.orientation[-1]).max() < 1e-13
        assert (here.position[-1, 2] == here.position[0, 2]).all()


@pytest.mark.parametrize("integrator", ["adaptive", pytest.param("taylor", marks=pytest.mark.slow)])
def test_methods_that_choose_their_steps_agree_with_the_one_that_does_not(integrator):
    how = {"duration": 0.25, "gravity": G, "record_every": 0.05}
    bodies = {"drum": spinning(random_tree(7, n=8) | {"other": pendulum()["rod"]})}
    name, tolerances = "tolerance" if integrator == "taylor" else "rtol", {"atol": 1e-12}
    options = {"name": integrator, name: 1e-11} | (tolerances if integrator == "adaptive" else {})
    found, fixed = run(bodies, step=0.05, integrator=options, **how), run(bodies, step=5e-4, **how)
    for path in found.paths:
        here, there = found[path].world, fixed[path].world
        assert abs(here.position - there.position).max() < 3e-9
        assert abs(here.orientation - there.orientation).max() < 3e-9
    assert np.ptp(found.total_energy) < 1e-8


@pytest.mark.parametrize(("integrator", "order"), [("euler", 1), ("magnus", 1)])
def test_simple_methods_step_joints_at_their_order(integrator, order):
    how = {"duration": 0.2, "gravity": G}
    steps = (2e-3, 1e-3, 5e-4)
    exact = ends(run(random_tree(1), step=1e-3, **how))
    errors = [abs(ends(run(random_tree(1), step=step, integrator=integrator, **how)) - exact).max() for step in steps]
    assert slopes(steps, errors) == pytest.approx(order, abs=0.15)


def test_the_reaction_of_a_pendulum_is_that_of_its_circle():
    k, found = 1.1, run(pendulum(), duration=1.0, step=1e-3, gravity=[0, 0, -9.81], record_every=0.1)
    parts = (np.asarray(found.arrays[f"joints/{name}"]) for name in ("coordinate", "rate", "force", "torque"))
    for (x,), (rate,), force, torque in zip(*parts, strict=True):
        radial = rate**2 + 9.81 * math.cos(x)
        across = -9.81 * math.sin(x) * (1.0 - 1.0 / k)
        up, out = np.array([0, -math.sin(x), math.cos(x)]), np.array([0, math.cos(x), math.sin(x)])
        assert abs(force[0] - radial * up + across * out).max() < 1e-13
        assert abs(torque[0]).max() < 1e-14


def test_a_spring_in_a_ball_joint_swings_as_a_spring_about_an_axis():
    """Along a principal axis through the joint it is a torsional oscillator, of any amplitude."""
    ball = {"ball": {"spring": {"stiffness": 3.0}}}
    arm = {"mass": 1.0, "inertia": {"principal": [0.2, 0.3, 0.4]}, "angular_velocity": [0, 0, 5.0], "motion": ball}
    found = run({"arm": arm}, duration=2.0, step=2e-3, record_every=0.1)
    torque = np.asarray(found.arrays["joints/torque"])
    n = math.sqrt(3.0 / 0.4)
    theta = 5.0 / n * np.sin(n * found.time)
    assert abs(torque[:, 0, 2] + 3.0 * theta).max() < 1e-8
    assert np.ptp(found.total_energy) < 1e-9


def test_trees_that_attract_each_other_keep_their_momentum_and_energy():
    far = random_tree(2, n=4)
    far["n0"] |= {"position": [9.0, 1.0, -2.0]}
    scene = make_scene(
        {"near": random_tree(1, n=5)["n0"], "far": far["n0"]}, duration=0.4, step=2e-3, record_every=0.04
    )
    world = {"mutual_gravity": {"constant": 30.0, "softening": 1.0}}
    found = rigidsim.simulate(scene.with_overrides([("world", world)]))
    ledger = np.asarray(found.ledger)
    assert np.ptp(ledger[:, LEDGER.potential]) > 1.0
    assert np.ptp(ledger[:, LEDGER.momentum], axis=0).max() < 1e-7
    assert np.ptp(found.total_energy) < 1e-6


def test_a_free_body_below_one_that_swings_flies_straight_to_fourth_order():
    box = {"mass": 1, "inertia": {"principal": [0.1, 0.2, 0.25]}}
    flying = box | {"position": [1, 0, 0], "velocity": {"frame": "world", "relative_to": "world", "value": [1, 2, 3]}}
    swing = {"hinge": {"axis": [0, 1, 0], "at": [0, 0, 0.5], "angle": 1}}
    errors = []
    for step in (4e-3, 2e-3):
        bodies = {"hung": box | {"motion": swing, "children": {"free": flying | {"gravity": False}}}}
        found = run(bodies, duration=0.5, step=step, gravity=[0, 0, -9.81])
        path = found["hung/free"].world.position
        errors.append(np.abs(path - path[0] - np.outer(found.time, [1, 2, 3])).max())
    assert errors[0] < 2e-10
    assert errors[0] / errors[1] > 14
