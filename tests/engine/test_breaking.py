"""Welds, and joints that break: the motion of a fixed part, the time of breaking, what goes on as it was."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import rigidsim
from jointed_trees import body, jointed
from support.scenes import make_scene

G, MASS, LENGTH, MOMENT = 9.81, 2.0, 1.5, 0.02
ROD = 0.1
LOAD = MASS * LENGTH / (MASS * LENGTH**2 + MOMENT + ROD)
"""1/m: the angular acceleration of the pendulum is -g sin(angle) times this."""


def pendulum(strength: dict | None, **joint) -> dict:
    """A weight that a weld holds at the end of a rod with its centre of mass in the pivot, from the horizontal."""
    weight = {
        "mass": MASS,
        "inertia": {"principal": [0.01, MOMENT, 0.015]},
        "position": [0, 0, -LENGTH],
        "motion": {"weld": {"breaks": strength} if strength else {}},
    }
    hinge = {"axis": [0, 1, 0], "angle": float(np.pi / 2)} | joint
    rod = {"mass": 0.5, "inertia": {"principal": [ROD, ROD, ROD]}, "motion": {"hinge": hinge}}
    return {"rod": rod | {"children": {"weight": weight}}}


HOW = {"duration": 1.0, "step": 0.002, "record_every": 0.01, "gravity": [0, 0, -G]}


def force_at(angle: float) -> float:
    """What the weld bears, N: along the rod, where the rate squared is 2 g (m L/I) cos(angle), and across it."""
    along = MASS * (G * np.cos(angle) + 2 * G * LOAD * np.cos(angle) * LENGTH)
    return np.hypot(along, MASS * (G * np.sin(angle) - G * LOAD * np.sin(angle) * LENGTH))


def time_at(angle: float) -> float:
    """s from rest at the horizontal; the square root there is taken out of the integral, cos = sin(s^2)."""
    top = np.sqrt(np.pi / 2 - angle)
    return quad(lambda s: 2 * s / np.sqrt(2 * G * LOAD * np.sin(s * s)) if s else 2 / np.sqrt(2 * G * LOAD), 0, top)[0]


@pytest.mark.parametrize("method", ["rkmk4", "adaptive", pytest.param("taylor", marks=pytest.mark.slow)])
def test_a_weld_breaks_in_the_step_in_which_it_bears_too_much_and_the_weight_flies_on_a_parabola(method):
    strength = 40.0
    angle = brentq(lambda x: force_at(x) - strength, 0.0, 1.5, xtol=1e-14)
    found = rigidsim.simulate(make_scene(pendulum({"force": strength}), integrator=method, **HOW))
    (event,) = found.events
    assert 0.0 <= event.time - time_at(angle) < HOW["step"] + 1e-9
    bore = float(np.linalg.norm(event.force))
    assert strength < bore < strength + 0.5  # it grows by some 100 N/s
    assert (event.id, event.body, event.motion) == ("rod/weight.motion.weld.breaks", "rod/weight", "free")
    assert abs(event.energy) < 1e-13
    world, after = found["rod/weight"].world, np.flatnonzero(found.time >= event.time)
    t = found.time[after] - found.time[after[0]]
    start, v = world.position[after[0]], world.velocity[after[0]]
    expected = start + v * t[:, None] + 0.5 * np.array([0, 0, -G]) * t[:, None] ** 2
    assert np.abs(world.position[after] - expected).max() < 1e-13
    assert np.abs(world.angular_velocity[after] - world.angular_velocity[after[0]]).max() < 1e-13
    assert np.isnan(found.arrays["joints/force"][after, 1]).all()
    assert found.header.tree_at(event.time)["rod/weight"].kind == "free"


def test_what_a_weld_bears_is_that_of_the_closed_form():
    found = rigidsim.simulate(make_scene(pendulum(None), **HOW))
    angles = np.asarray(found.arrays["joints/coordinate"])[:, 0]
    bore = np.linalg.norm(np.asarray(found.arrays["joints/force"])[:, 1], axis=1)
    assert np.abs(bore - force_at(angles)).max() < 1e-9  # the energy is right to 1e-11 of 29 J
    torque = np.linalg.norm(np.asarray(found.arrays["joints/torque"])[:, 1], axis=1)
    assert np.abs(torque - MOMENT * G * LOAD * np.abs(np.sin(angles))).max() < 1e-11


@pytest.mark.parametrize("seed", range(3))
def test_a_weld_moves_its_body_as_a_fixed_part_moves(seed):
    """On a free body and on joints, with a motor in the tree, struck by an impulse, which passes through it."""

    def scene(motion) -> rigidsim.Scene:
        random = np.random.default_rng(seed)
        rates = {key: random.normal(size=3).tolist() for key in ("velocity", "angular_velocity")}
        driven = {"hinge": {"axis": [1, 0, 0], "motor": {"angle": "= 0.3*sin(5*t)"}}}
        hand = body(random, motion=driven)
        arm = jointed(random, "hinge", children={"hand": hand})
        tip = body(random, motion=motion, children={"arm": arm})
        tip["impulses"] = [{"time": 0.05, "impulse": [1.0, -0.5, 0.3], "frame": "world"}]
        root = body(random, **rates, children={"limb": jointed(random, "ball", children={"tip": tip})})
        return make_scene({"root": root}, duration=0.2, step=0.005, record_every=0.01, gravity=[0, 0, -2])

    welded, fixed = (rigidsim.simulate(scene(motion)) for motion in ({"weld": {}}, "fixed"))
    for path in fixed.paths:
        ours, theirs = welded[path].world, fixed[path].world
        assert np.abs(ours.position - theirs.position).max() < 1e-12
        assert np.abs(ours.angular_velocity - theirs.angular_velocity).max() < 1e-11


def test_nothing_jumps_where_a_hinge_breaks_and_what_hangs_on_the_body_stays():
    """A chain of three parts in the middle: the links are as before, and momenta and energy go on."""

    def chain(breaks: dict | None) -> dict:
        rod = {"mass": 1.0, "inertia": {"principal": [0.1, 0.1, 0.02]}, "center_of_mass": [0, 0, -0.5]}
        links = [{"axis": [0, 1, 0], "angle": 0.8, "rate": 0.3 * k} for k in range(3)]
        nodes = [rod | {"motion": {"hinge": one}, "position": [0, 0, -1.0 * (k > 0)]} for k, one in enumerate(links)]
        nodes[1]["motion"] = {"hinge": links[1] | ({"breaks": breaks} if breaks else {})}
        nodes[0]["children"] = {"b": nodes[1] | {"children": {"c": nodes[2]}}}
        return {"a": nodes[0]}

    how = HOW | {"duration": 0.6, "record_every": 0.002}
    whole = rigidsim.simulate(make_scene(chain(None), **how))
    found = rigidsim.simulate(make_scene(chain({"force": 22.0, "torque": 1e3}), **how))
    (event,) = found.events
    k = round(event.time / how["step"])
    assert 10 < k < 290
    for path in found.paths:
        ours, theirs = found[path].world, whole[path].world
        for name in ("position", "velocity", "orientation", "angular_velocity"):
            one, other = getattr(ours, name), getattr(theirs, name)
            assert (one[:k] == other[:k]).all()
            assert np.abs(one[k] - other[k]).max() < 1e-14
    x = np.asarray(found.arrays["joints/coordinate"])
    assert np.isnan(x[k:, 1]).all() and np.isfinite(x[:, [0, 2]]).all()
    assert (x[:k] == whole.arrays["joints/coordinate"][:k]).all()
    energy = sum(np.asarray(found.arrays[f"diagnostics/{name}_energy"]) for name in ("kinetic", "potential"))
    drift = energy - np.asarray(found.arrays["diagnostics/work"])
    assert np.abs(drift - drift[0]).max() < 1e-8


def test_the_joint_that_bears_most_for_what_it_can_breaks_first():
    """Two weights of one mass on welds of one strength: the outer weld bears one, the inner one both."""
    weight = {"mass": 1.0, "inertia": {"principal": [1, 1, 1]}, "position": [0, 0, -1]}
    outer = weight | {"motion": {"weld": {"breaks": {"force": 9.0}}}}
    inner = weight | {"motion": {"weld": {"breaks": {"force": 9.0}}}, "children": {"outer": outer}}
    found = rigidsim.simulate(make_scene({"inner": inner}, **HOW | {"duration": 0.1}))
    (event,) = found.events  # then both fall, and the outer weld bears nothing
    assert (event.body, event.time) == ("inner", HOW["step"])
    assert np.abs(event.force - np.array([0, 0, 2 * G])).max() < 1e-12
    assert np.abs(found.arrays["joints/force"][-1, 1]).max() < 1e-12


def test_a_torque_breaks_a_weld_too():
    lever = {"mass": 1.0, "inertia": {"principal": [1, 1, 1]}, "center_of_mass": [2.0, 0, 0]}
    held, torn = (
        rigidsim.simulate(make_scene({"a": lever | {"motion": {"weld": {"breaks": {"torque": most}}}}}, **HOW))
        for most in (2.01 * G, 1.99 * G)
    )
    assert len(held.events) == 0 and len(torn.events) == 1
    assert np.abs(np.array(torn.events[0].torque) - [0, -2 * G, 0]).max() < 1e-12


def strengths() -> list[rigidsim.Scene]:
    return [make_scene(pendulum({"force": strength}), **HOW) for strength in (30.0, 45.0, 1e6)]


def test_many_worlds_and_one_and_single_steps_have_the_same_bits():
    many = rigidsim.simulate(strengths())
    assert [len(found.events) for found in many] == [1, 1, 0]
    for scene, found in zip(strengths(), many, strict=True):
        assert found.content_hash == rigidsim.simulate(scene).content_hash
    simulation = rigidsim.Simulation(strengths()[0])
    for _ in range(simulation.n_step):
        simulation.step()
    place = many[0]["rod/weight"].world.position[-1]
    assert (simulation.state["rod/weight"].world.position == place).all()
    assert simulation.state.header.changes == many[0].header.changes


def test_a_run_goes_on_after_a_break_with_the_same_bits(tmp_path):
    scene = strengths()[0]
    whole = rigidsim.Simulation(scene)
    blocks = [block.copied() for block in whole.blocks(every=0.0)]
    broken = [block for block in blocks if block.checkpoint and len(block.checkpoint["changed"])]
    assert len(broken) > 1
    events = whole.events.between(0.0, float(broken[0].time[-1]))
    assert len(events) == 1
    again = rigidsim.Simulation(scene)
    again.resume(broken[0].checkpoint, events)
    last = [block.copied() for block in again.blocks()][-1]
    assert (last.world.position == blocks[-1].world.position).all()
    assert again.events == whole.events and again.header.changes == whole.header.changes


def test_a_file_has_what_broke(tmp_path):
    found = rigidsim.simulate(strengths()[0])
    found.save(tmp_path / "o.h5")
    with rigidsim.load(tmp_path / "o.h5") as read:
        assert read.content_hash == found.content_hash
        assert read.events == found.events and read.header.changes == found.header.changes
        assert read.events[0].force == found.events[0].force
        place = Rotation.from_quat(np.roll(read["rod"].world.orientation[-1], -1))
        local = np.array(read["rod/weight"].local.position[-1])
        assert np.abs(place.apply(local) - read["rod/weight"].world.position[-1]).max() < 1e-14


@pytest.mark.slow
def test_a_blow_of_contact_breaks_a_weld_and_what_was_held_apart_meets():
    """A stack of two boxes falls from a broken weld; the landing breaks the weld between them, and one rests on the
    other.
    """
    box = {"shapes": [{"type": "box", "size": [0.3, 0.3, 0.3]}]}
    hat = box | {"mass": 1, "position": [0, 0, 0.35], "motion": {"weld": {"breaks": {"force": 500}}}}
    held = box | {"mass": 10, "motion": {"weld": {"breaks": {"force": 50}}}, "children": {"hat": hat}}
    ground = {"motion": "fixed", "position": [0, 0, -1], "shapes": [{"type": "plane", "normal": [0, 0, 1]}]}
    scene = make_scene({"ground": ground, "box": held}, duration=1.0, step=0.002, record_every=0.1, gravity=[0, 0, -G])
    found = rigidsim.simulate(scene)
    first, second = found.events.scheduled
    assert (first.body, first.time, second.body) == ("box", 0.002, "box/hat")
    assert abs(second.time - np.sqrt(2 * 0.85 / G)) < 0.005
    assert np.abs(found["box/hat"].world.position[-1, 2] - found["box"].world.position[-1, 2] - 0.3) < 1e-3
    assert np.abs(found["box/hat"].world.velocity[-1]).max() < 1e-6


def test_far_away_and_at_speed_the_weld_breaks_in_the_same_step_under_the_same_load():
    """On a frame 1.5e11 m away that moves at 3e4 m/s: coordinates, reaction and time of breaking have the same bits."""
    here = rigidsim.simulate(strengths()[0])
    frame = {"position": [1.5e11, 0, 0], "motion": {"prescribed": {"velocity": [0, 3e4, 0]}}}
    there = rigidsim.simulate(make_scene({"frame": frame | {"children": pendulum({"force": 30.0})}}, **HOW))
    (one,), (other,) = here.events, there.events
    assert (one.time, one.force, one.torque) == (other.time, other.force, other.torque)
    for name in ("joints/coordinate", "joints/rate", "joints/force"):
        assert np.array_equal(here.arrays[name], there.arrays[name], equal_nan=True)


def test_the_torque_of_a_slide_is_that_about_its_point_on_the_body():
    """A load that hangs 5 m out, at the point where its slide holds it, bears its weight and no torque."""
    load = {"mass": 1.0, "inertia": {"principal": [0.1] * 3}}
    load["motion"] = {"slide": {"axis": [1, 0, 0], "displacement": 5, "breaks": {"torque": 20}}}
    found = rigidsim.simulate(make_scene({"load": load}, **HOW))
    assert len(found.events) == 0
    force, torque = (np.asarray(found.arrays[f"joints/{name}"])[:, 0] for name in ("force", "torque"))
    assert abs(force - [0, 0, G]).max() < 1e-14 and abs(torque).max() < 1e-13
