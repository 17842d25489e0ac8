"""Boxes that sleep on a floor beside two or three other features, which wake some of them: servos, prescribed frames,
shots, blows, changes of numbers and of the tree, sensors, a controller, loops.

Up to the first sleep a run has the bits of one without it; up to its first waking a body is where it would be without
sleep, within the creep that the threshold allows; and in lanes, in a sweep and in two pieces a run has the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rigidsim
from test_sleep_in_random_scenes import CALM, GRAVITY, REST_TIME, STEP, sleeps
from ways import WAYS

Scene = dict[str, Any]
LATER = "if(t < 1.5, 0, (t - 1.5)^3)"
"""What begins to move smoothly when all sleep."""
N_BOXES, APART = 4, 0.6
POINT = {"principal": [0.1, 0.1, 0.1]}


def box(*size: float, **more: Any) -> Scene:
    return {"shapes": [{"type": "box", "size": list(size)}], "material": {"friction": 0.6}} | more


def add_servo(scene: Scene, random: np.random.Generator) -> None:
    """An arm that sweeps a box away."""
    motor: Scene = {"angle": f"= 1.2*{LATER}"} | random.choice([{}, {"max_torque": 40}])
    rod = {"type": "capsule", "radius": 0.03, "length": 0.5, "position": [-0.3, 0, 0]}
    rod["orientation"] = {"axis": [0, 1, 0], "angle": np.pi / 2}
    scene["bodies"]["arm"] = {
        "mass": 2, "inertia": POINT, "center_of_mass": [-0.2, 0, 0], "shapes": [rod],
        "position": [APART * int(random.integers(N_BOXES)), -0.6, 0.1],
        "motion": {"hinge": {"axis": [0, 0, -1], "motor": motor}},
    }  # fmt: skip


def add_shot(scene: Scene, random: np.random.Generator) -> None:
    up, at = [0, 0, 0.8 * GRAVITY], [APART * int(random.integers(N_BOXES)), 0.02, 0.6]
    scene["bodies"]["shot"] = {
        "mass": 0.4,
        "shapes": [{"type": "sphere", "radius": 0.05}],
        "position": at,
        "velocity": up,
    }


def add_blow(scene: Scene, random: np.random.Generator) -> None:
    blow = {"impulse": [0.3, 0.5, 0], "at": [0, 0, 0.02]} | random.choice([{"when": "= t > 1.4"}, {"time": 1.3}])
    scene["bodies"][f"b{random.integers(N_BOXES)}"]["impulses"] = [blow]


def add_change(scene: Scene, random: np.random.Generator) -> None:
    less = {"when": "= t > 1.5", "set": {"bodies.floor.material.friction": 0.1}}
    scene["changes"] = [less, {"time": 1.6, "set": {"world.gravity[0]": 2.0}}][random.integers(2) :]


def add_train(scene: Scene, random: np.random.Generator) -> None:
    """A crate on a floor that rises, or that moves on, as its child."""
    crate = box(0.2, 0.2, 0.2, mass=1.0, position=[3.0, 0, 0.152])
    if random.random() < 0.5:
        path, frame = [3.0, 0, f"= 0.4*{LATER}"], {}
        scene["bodies"]["crate"] = crate
    else:
        path, frame = [f"= 0.5*t + 0.5*{LATER}", 3.0, 0], {"children": {"crate": crate | {"position": [0, 0, 0.152]}}}
    scene["bodies"]["train"] = box(0.6, 0.6, 0.1, motion={"prescribed": {"position": path}}) | frame


def add_hook(scene: Scene, random: np.random.Generator) -> None:
    """It catches a box, lifts it, and lets it go."""
    motor = {"displacement": "= if(t < 1.6, 0, 0.1*(t - 1.6)^2)", "max_force": 200}
    hook = {"mass": 3, "inertia": POINT, "position": [APART, 0, 1.0]}
    scene["bodies"]["hook"] = hook | {"motion": {"slide": {"axis": [0, 0, 1], "motor": motor}}}
    motion = random.choice(["weld", "fixed", {"hinge": {"axis": [1, 0, 0]}}])
    catch = {"body": "b1", "to": "hook", "time": 1.5, "motion": motion}
    scene["reparent"] = [catch, {"body": "b1", "to": "world", "time": 2.2}]


def add_sensors(scene: Scene, random: np.random.Generator) -> None:
    for k in range(N_BOXES):
        sensors = {name: {"type": type, "every": 0.05} for name, type in (("touch", "contact"), ("felt", "imu"))}
        scene["bodies"][f"b{k}"]["sensors"] = sensors


def add_loop(scene: Scene, random: np.random.Generator) -> None:
    link = {"mass": 1, "inertia": POINT, "motion": {"hinge": {"axis": [1, 0, 0], "at": [0, 0, 0.5]}}}
    swing = link | {"position": [0, 4, 2], "children": {"tip": link | {"position": [0, 0, -0.5]}}}
    scene["bodies"]["swing"] = swing
    rope = {"type": "distance", "between": ["swing/tip", "world"], "to_at": [0, 4.5, -1.0], "max_length": 3.0}
    scene["world"]["loops"] = [rope]


def add_controller(scene: Scene, random: np.random.Generator) -> None:
    """A ram that is held, then pushed against a box."""
    ram = {"position": [0, 0.3, -0.4], "shapes": [{"type": "sphere", "radius": 0.05}]}
    scene["bodies"]["cart"] = {
        "mass": 1, "inertia": "point", "position": [0, -2, 0.5], "children": {"ram": ram},
        "motion": {"slide": {"axis": [0, 1, 0], "motor": {"force": "= push"}}},
        "sensors": {"place": {"type": "encoder", "every": 0.05}},
    }  # fmt: skip
    push = {"type": "hold", "every": 0.05, "input": "= if(t < 1.2, -5*place_coordinate('cart'), 3)"}
    scene["controllers"] = {"push": push}


FEATURES: tuple[Callable[[Scene, np.random.Generator], None], ...] = (
    add_servo, add_shot, add_blow, add_change, add_train, add_hook, add_sensors, add_loop, add_controller,
)  # fmt: skip


def drawn(seed: int, sleep: bool = True) -> Scene:
    """Boxes on a floor, one on another, with features."""
    random = np.random.default_rng(seed)
    bodies: Scene = {"floor": {"shapes": [{"type": "plane"}], "material": {"friction": 0.6}}}
    for k in range(N_BOXES):
        size = random.uniform(0.1, 0.25, 3).tolist()
        bodies[f"b{k}"] = box(*size, mass=1.0, position=[APART * k, 0, 0.5 * size[2] + 0.002])
    bodies["top"] = box(0.08, 0.08, 0.08, mass=0.5, position=[0, 0, 2 * bodies["b0"]["position"][2] + 0.042])
    contact = {"mode": "stepping", "sleep": sleep}
    simulation = {"duration": 2.6, "step": STEP, "record_every": 10 * STEP, "contact": contact}
    scene = {"format": "rigidsim/1", "simulation": simulation, "world": {"gravity": [0, 0, -GRAVITY]}, "bodies": bodies}
    for k in sorted(random.choice(len(FEATURES), 2 + random.integers(2), replace=False)):
        FEATURES[k](scene, random)
    return scene


def bits(trajectory: rigidsim.Trajectory) -> list[bytes]:
    """Of the last positions and velocities."""
    worlds = [trajectory[path].world for path in trajectory.paths]
    return [one.position[-1].tobytes() + one.velocity[-1].tobytes() for one in worlds]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_sleep_beside_other_features(seed):
    one, other = (WAYS["alone"](drawn(seed, sleep)) for sleep in (True, False))
    slept = sleeps(one)
    assert all(f"b{k}" in slept for k in range(N_BOXES))
    apart = np.abs(one.arrays["world/position"] - other.arrays["world/position"]).max(axis=2)
    first = min(begin for spans in slept.values() for begin, _ in spans)
    assert not apart[one.time < first].any()
    for body, spans in slept.items():
        rows = (one.time >= spans[0][0]) & (one.time < spans[0][1])
        allowed = CALM * (REST_TIME + one.time[rows] - spans[0][0])
        assert (apart[rows, one.paths.index(body)] <= allowed).all(), body
    for way in ("in lanes", "in a sweep", "in two pieces"):
        with WAYS[way](drawn(seed)) as again:
            assert bits(again) == bits(one), way
