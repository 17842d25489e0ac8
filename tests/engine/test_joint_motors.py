"""Motors in joints: what they prescribe, and the torque that this takes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rigidsim
from jointed_trees import body
from support.scenes import run

BOX = {"mass": 2.0, "inertia": {"principal": [0.3, 0.4, 0.5]}}


def joints_of(found, name: str) -> np.ndarray:
    return np.asarray(found.arrays[f"joints/{name}"])


def test_a_motor_turns_an_arm_as_it_says_and_its_torque_is_that_of_the_arm():
    arm = BOX | {"center_of_mass": [0.7, 0, 0]}
    arm["motion"] = {"hinge": {"axis": [0, 0, 1], "motor": {"angle": "= 0.5*sin(3*t) + t"}}}
    found = run({"arm": arm}, duration=1.0, step=0.01, gravity=[0, -9.81, 0], record_every=0.1)
    t = found.time
    x, rate, acceleration = 0.5 * np.sin(3 * t) + t, 1.5 * np.cos(3 * t) + 1, -4.5 * np.sin(3 * t)
    assert abs(joints_of(found, "coordinate")[:, 0] - x).max() < 4e-16
    assert abs(joints_of(found, "rate")[:, 0] - rate).max() < 1e-15
    torque = (0.5 + 2.0 * 0.7**2) * acceleration + 2.0 * 9.81 * 0.7 * np.cos(x)
    assert abs(joints_of(found, "motor")[:, 0] - torque).max() < 1e-13
    assert abs(joints_of(found, "torque")[:, 0, 2] - torque).max() < 1e-13
    assert np.ptp(found.total_energy) < 1e-6  # the work of the motor, at order four


@pytest.mark.parametrize("turns", [{"velocity": ["= 0.4*cos(t)", 0, 0]}, {"position": ["= 0.4*sin(t)", 0, 0]}])
def test_a_motor_leaves_prescribed_motions_as_they_are(turns):
    arm = BOX | {"motion": {"hinge": {"axis": [0, 0, 1], "motor": {"angle": "= 0.7*sin(2*t + 0.3)"}}}}
    found = run({"platform": {"motion": {"prescribed": turns}}, "arm": arm}, duration=1.0, step=0.01)
    # Rates given are integrated, here at order four.
    assert abs(found["platform"].world.position[:, 0] - 0.4 * np.sin(found.time)).max() < 1e-10


def wheels(angle: str) -> dict:
    wheel = {"mass": 0.1, "inertia": {"principal": [0.02, 0.01, 0.01]}, "position": [0.3, 0.1, 0]}
    wheel["motion"] = {"hinge": {"axis": [1, 0, 0], "motor": {"angle": angle}}}
    return {"satellite": BOX | {"children": {"wheel": wheel}}}


def test_a_reaction_wheel_turns_its_satellite_and_momentum_is_kept():
    found = run(wheels("= 10*t^2"), duration=1.0, step=2e-3, record_every=0.1)
    assert abs(found.angular_momentum).max() < 1e-12
    assert abs(found["satellite"].world.angular_velocity[-1]).max() > 0.1
    assert np.ptp(found.total_energy) < 1e-10


def test_a_motor_moves_others_as_the_free_joint_would_under_its_torque():
    """A slide that a motor moves as the free slide has moved: the same motion of all, and no force."""
    spring = {"spring": {"stiffness": 8.0, "rest": 0.0}, "displacement": 0.2}

    def tree(slide: dict) -> dict:
        cart = body(np.random.default_rng(4), motion={"slide": {"axis": [1, 0, 0]} | slide})
        return {"cart": cart | {"mass": 2.0}}

    free = run(tree(spring), duration=1.0, step=1e-3, record_every=0.1)
    n = math.sqrt(8.0 / 2.0)
    driven = run(tree({"motor": {"displacement": f"= 0.2*cos({n!r}*t)"}}), duration=1.0, step=1e-3, record_every=0.1)
    assert abs(free["cart"].world.position - driven["cart"].world.position).max() < 1e-12
    assert abs(joints_of(driven, "motor")[:, 0] + 8.0 * joints_of(free, "coordinate")[:, 0]).max() < 1e-11


@pytest.mark.parametrize("integrator", [pytest.param("taylor", marks=pytest.mark.slow), "adaptive", "euler"])
def test_every_method_follows_a_motor(integrator):
    found = run(wheels("= sin(2*t)"), duration=0.5, step=0.01, integrator=integrator, record_every=0.1)
    assert abs(joints_of(found, "coordinate")[:, 0] - np.sin(2 * found.time)).max() < 1e-15
    assert np.ptp(found.angular_momentum, axis=0).max() < (0.02 if integrator == "euler" else 1e-12)


def test_a_motor_with_a_law_is_a_spring_if_its_law_is_that_of_one():
    """A controller about an angle, and a force along a slide in units of its parent."""

    def robot(hinge: dict, slide: dict) -> dict:
        cart = BOX | {"motion": {"slide": {"axis": [1, 0, 0], "displacement": 0.4, "rate": 0.1} | slide}}
        arm = BOX | {"center_of_mass": [0.3, 0.2, 0], "children": {"cart": cart}, "scale": 2.0}
        return {"arm": arm | {"motion": {"hinge": {"axis": [0, 0, 1], "rate": 0.7} | hinge}}}

    how = {"duration": 1.0, "step": 2e-3, "gravity": [0, -9.81, 0], "record_every": 0.1}
    springs = {"spring": {"stiffness": 30.0, "rest": 0.5}, "damping": 0.4}, {"spring": {"stiffness": 20.0}}
    by_law = (
        {"motor": {"torque": "= 30*(0.5 - angle) - 0.4*rate"}},
        {"motor": {"force": "= -20*2*displacement"}},
    )
    free, driven = (run(robot(*joints), **how) for joints in (springs, by_law))
    for name in ("coordinate", "rate", "force"):
        assert abs(joints_of(free, name) - joints_of(driven, name)).max() < 2e-12
    x, rate = joints_of(driven, "coordinate"), joints_of(driven, "rate")
    law = np.stack([30 * (0.5 - x[:, 0]) - 0.4 * rate[:, 0], -20 * x[:, 1]], 1)
    assert abs(joints_of(driven, "motor") - law).max() < 1e-13
    assert np.ptp(driven.total_energy) < 1e-6


def test_a_motor_without_a_value_ends_the_run_with_its_place():
    bodies = {"arm": BOX | {"motion": {"hinge": {"axis": [0, 0, 1], "motor": {"torque": "= 1/(0.1 - t)"}}}}}
    with pytest.raises(rigidsim.SimulationError, match=r"arm, motion\.hinge\.motor"):
        run(bodies, duration=0.2, step=0.05, record_every=0.05)


READING = """
format: rigidsim/1
parameters: {k: 3}
simulation: {duration: 0.5, step: 1.0e-3, record_every: 0.01}
bodies:
  read:
    mass: 1
    inertia: {principal: [1, 1, 1]}
    motion: {hinge: {axis: [0, 0, 1], angle: 1}}
    forces: [{torque: [0, 0, "= -k*angle - 0.1*rate"]}]
  sprung:
    mass: 1
    inertia: {principal: [1, 1, 1]}
    motion: {hinge: {axis: [0, 0, 1], angle: 1, spring: {stiffness: 3}, damping: 0.1}}
  frame:
    scale: 2
    children:
      drill:
        mass: 1
        inertia: {principal: [1, 1, 1]}
        motion: {cylindrical: {axis: [0, 0, 1], displacement: 0.1, rates: [1, 2]}}
  follower:
    mass: 1
    inertia: {principal: [1, 1, 1]}
    motion: {hinge: {axis: [0, 0, 1], motor: {torque: "= angle('frame/drill') + displacement('frame/drill')"}}}
metrics: {last: "= final(angle('read')*rate_2('frame/drill'))"}
"""


def test_expressions_read_coordinates_of_joints_by_their_names():
    scene = rigidsim.Scene.from_text(READING)
    assert rigidsim.Scene.from_dict(scene.resolved()) == scene
    found = rigidsim.simulate(scene)
    read, sprung, follower = (found[path].joint for path in ("read", "sprung", "follower"))
    assert np.array_equal(read.coordinates, sprung.coordinates)
    # The drill moves freely: its angle is 2 t, its displacement 0.1 + t in units of the frame.
    assert np.allclose(follower.motor[:, 0], 0.1 + 3 * found.time, atol=1e-14)
    assert np.allclose(follower.coordinates[:, 0], 0.05 * found.time**2 + found.time**3 / 2, atol=1e-14)
    assert found.metrics["last"] == read.coordinates[-1, 0] * 2.0


CHAINS = {
    "universal": (
        {"axes": [[0, 0, 1], [0, 1, 0]]},
        [("hinge", [0, 0, 1]), ("hinge", [0, 1, 0])],
        [{"angle": "= 0.4*sin(3*t)"}, {"torque": "= -2*angle_2 - 0.1*rate + t"}],
        [{"angle": "= 0.4*sin(3*t)"}, {"torque": "= -2*angle - 0.1*rate('link') + t"}],
    ),
    "cylindrical": (
        {"axis": [0, 1, 0]},
        [("slide", [0, 1, 0]), ("hinge", [0, 1, 0])],
        [{"force": "= 3 - 2*displacement + rate_2"}, {"angle": "= t^2"}],
        [{"force": "= 3 - 2*displacement + rate('link/arm')"}, {"angle": "= t^2"}],
    ),
    "planar": (
        {"normal": [0, 0, 1], "along": [1, 0, 0]},
        [("slide", [1, 0, 0]), ("slide", [0, 1, 0]), ("hinge", [0, 0, 1])],
        [{"displacement": "= 0.1*t^2"}, None, {"torque": "= 0.3*displacement_2 - rate_3"}],
        [{"displacement": "= 0.1*t^2"}, None, {"torque": "= 0.3*displacement('link/link_2') - rate"}],
    ),
}
"""Of each joint with several coordinates: its axes, the chain of plain joints that it is, motors of its coordinates,
and the same in the chain.
"""


@pytest.mark.parametrize("type", CHAINS)
def test_each_coordinate_of_a_joint_has_a_motor_as_in_a_chain_of_plain_joints(type):
    """Some are prescribed, some have a law: bit by bit what the chain of hinges and slides with massless links does."""
    keys, kinds, motors, motors_in_chain = CHAINS[type]
    box = BOX | {"center_of_mass": [0.3, 0.2, 0.1]}
    how = {"duration": 0.5, "step": 2e-3, "gravity": [0, -9.81, 0], "record_every": 0.05}
    whole = run({"arm": box | {"motion": {type: keys | {"motors": motors}}}}, **how)
    chain, names = box, ["link", *(f"link_{n}" for n in range(2, len(kinds))), "arm"]
    for name, (kind, axis), motor in list(zip(names, kinds, motors_in_chain, strict=True))[::-1]:
        chain = {name: chain | {"motion": {kind: {"axis": axis} | ({"motor": motor} if motor else {})}}}
        chain = chain if name == "link" else {"children": chain}
    apart = run(chain, **how)
    for part in ("position", "orientation"):
        one, other = (
            np.asarray(getattr(found[path].world, part)) for found, path in ((whole, "arm"), (apart, "/".join(names)))
        )
        assert np.array_equal(one, other)
    x, rates, moved = (joints_of(whole, name) for name in ("coordinate", "rate", "motor"))
    assert np.array_equal(x, joints_of(apart, "coordinate")) and np.array_equal(rates, joints_of(apart, "rate"))
    assert np.abs(moved - joints_of(apart, "motor")).max() == 0.0 and np.abs(moved).max() > 0.1


def test_a_motor_of_several_is_named_by_its_place():
    keys = {"axis": [0, 0, 1], "motors": [None, {"torque": "= 1/(0.1 - t)"}]}
    with pytest.raises(rigidsim.SimulationError, match=r"arm, motion\.cylindrical\.motors\[1\]"):
        run({"arm": BOX | {"motion": {"cylindrical": keys}}}, duration=0.2, step=0.05, record_every=0.05)
