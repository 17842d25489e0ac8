"""The linear motion of random trees: beside the state, accelerations of the reference differ as A and B say."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import rigidsim
from maximal_coordinates import Equations, nodes_of
from random_scenes import FEATURES, MORE, Drawing, add_free, add_jointed
from unilateral import settle, switches_of

SMOOTH = (
    "fixed part", "scale", "springs of joints", "law of a motor", "prescribed coordinate", "forces", "forces of time",
    "spring", "drag", "moving frame", "frame by expressions", "armature", "servo with stiffness", "dry friction",
    "motor of a rate", "servo",
)  # fmt: skip
KEYS = {"angle": ("angle", "angles"), "displacement": ("displacement", "displacements"), "rate": ("rate", "rates")}
BESIDE = 1e-4
"""rad, m, s^-1: half the difference of two states; the error is of second order."""
CLOSE = 1e-6
"""Of the largest number of A: largest 9.5e-9 of 100 trees, 3200 numbers."""


def drawn(seed: int) -> dict:
    """Two or three bodies with as many features, at rest or moving."""
    scene = Drawing(seed)
    for kind in ("free", "hinge", "slide", "screw", "cylindrical", "planar", "universal", "ball"):
        if scene.rng.random() < 0.3:
            add_free(scene) if kind == "free" else add_jointed(scene, kind)
    features = FEATURES | MORE
    for name in SMOOTH:
        if scene.rng.random() < 0.2:
            features[name](scene)
    if not scene.moving():
        add_jointed(scene, "hinge")
    return scene.data("rkmk4")


def body_of(data: dict, path: str) -> dict:
    first, *rest = path.split("/")
    body = data["bodies"][first]
    for name in rest:
        body = body["children"][name]
    return body


def is_a_key(data: dict, name: str) -> bool:
    """Whether a variable is a number of the scene, and others are relative to nothing that it moves."""
    path, kind, *_ = name.split(".")
    below = (node.data for other, node in nodes_of(data["bodies"]).items() if other.startswith(f"{path}/"))
    turns = any("mass" in body and (body.get("motion", "free") == "free" or "ball" in body["motion"]) for body in below)
    return (
        not turns
        and kind not in ("turn", "angular_velocity")
        and (kind not in ("position", "velocity") or "/" not in path)
    )


def beside(data: dict, name: str, change: float, unit: float) -> dict:
    """The scene with another value of a variable at the start."""
    data = copy.deepcopy(data)
    path, word, *letter = name.split(".")
    body = body_of(data, path)
    if letter:
        body.setdefault(word, [0.0, 0.0, 0.0])["xyz".index(letter[0])] += change
        return data
    ((_, keys),) = body["motion"].items()
    word, _, number = word.partition("_")
    one, many = KEYS[word]
    if many in keys:
        keys[many][int(number or 1) - 1] += change / unit
    else:
        keys[one] = keys.get(one, 0.0) + change / unit
    return data


def accelerations(data: dict) -> dict[str, float]:
    """The rates of rates at the start by the reference, by the names of these."""
    tree = Equations(data, nodes_of(data["bodies"]))
    state, tree.switches = tree.start(), switches_of(tree)
    settle(tree, 0.0, state, [])
    change, _, _, _, single = tree.solved(0.0, state)
    found = {}
    for (path, k), row in single.items():
        several = f"_{k + 1}" if len(tree.bodies[path].units) > 1 else ""
        found[f"{path}.rate{several}"] = row.A[0] @ change - row.b[0]
    for body in tree.moved:
        if body.kind == "free" and body.parent is None:
            i = 6 * body.number
            found |= {f"{body.name}.velocity.{x}": change[i + k] for k, x in enumerate("xyz")}
    return found


def apart(seed: int) -> float:
    """The largest difference of A and B from the reference, in largest numbers of A."""
    data = drawn(seed)
    linear = rigidsim.linearize(rigidsim.Scene.from_dict(data), inputs=["world.gravity[0]"])
    bodies = Equations(data, nodes_of(data["bodies"])).bodies
    rows = [name for name in linear.states if name in accelerations(data)]
    columns = [(linear.A[:, j], name) for j, name in enumerate(linear.states) if is_a_key(data, name)]
    size, worst = max(1.0, np.abs(linear.A).max()), 0.0
    for column, name in [*columns, (linear.B[:, 0], "gravity")]:
        turns = name.partition(".")[2].startswith("angle")
        ends = []
        for sign in (1, -1):
            if name == "gravity":
                other = copy.deepcopy(data)
                other["world"]["gravity"][0] += sign * BESIDE
            else:
                body = bodies[name.split(".")[0]]
                k = int(name[-1]) - 1 if name[-1].isdigit() and "_" in name else 0
                unit = 1.0 if turns or body.kind == "free" else body.units[k]
                other = beside(data, name, sign * BESIDE, unit)
            ends.append(accelerations(other))
        for row in rows:
            expected = (ends[0][row] - ends[1][row]) / (2 * BESIDE)
            worst = max(worst, abs(column[linear.states.index(row)] - expected) / size)
    return float(worst)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 100))])
def test_accelerations_beside_the_state_are_those_of_the_reference(seed):
    assert apart(seed) < CLOSE
