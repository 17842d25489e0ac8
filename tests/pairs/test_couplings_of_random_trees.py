"""Couplings and armatures in random trees, against maximal coordinates."""

from __future__ import annotations

import pytest

from random_scenes import METHODS, Drawing, Drawn, add_jointed
from survey import apart, expected, run

KINDS = ("hinge", "slide", "screw")


def coupled(seed: int, method: str) -> Drawn:
    """Two or three coupled joints among others, with springs and rotors, in one tree or in several. A free body may be
    at the root. Rates agree with the ratios.
    """
    scene = Drawing(seed)
    for kind in ("free body", "ball", "universal")[: scene.rng.integers(3)]:
        if kind == "free body":
            scene.hang(scene.weights() | scene.pose() | {"angular_velocity": scene.vector(1.0)})
        else:
            add_jointed(scene, kind)
    found = []
    for _ in range(2 + scene.rng.integers(2)):
        kind = scene.one_of(KINDS)
        body = add_jointed(scene, kind)
        keys = body["motion"][kind]
        keys["armature"] = scene.number(0.1, 1)
        keys["spring"] = {"stiffness": scene.number(1, 10)}
        path = next(path for path, one in scene.paths.items() if one is body)
        if found:
            first, rate = found[-1]
            ratio = scene.one_of((-1, 1)) * scene.number(0.3, 2)
            keys["rate"] = ratio * rate
            scene.loops.append({"type": "coupling", "between": [first, path], "ratio": ratio})
        found.append((path, keys["rate"]))
    return Drawn(("coupling", "armature"), method, "alone", scene.data(method))


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 60))])
def test_coupled_coordinates_with_rotors_move_as_the_reference(seed):
    """The largest difference of thirty seeds was 5.4e-12, the largest drift 2.2e-12."""
    method = [*METHODS][seed % len(METHODS)]
    drawing = coupled(seed, method)
    found = run(drawing)
    assert apart(found.motions, expected(drawing.data)) <= 1e-10
    assert found.drift <= 1e-10
