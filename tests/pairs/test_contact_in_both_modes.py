"""Random scenes of one or two bodies on a floor, with `contact: events` and `contact: stepping`: two methods that share
the laws of contact, and neither equations of motion nor the search for events. Both have the same limit.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import rigidsim

GROUNDS: list[dict[str, Any]] = [
    {}, {},
    {"motion": {"prescribed": {"angular_velocity": [0, 0, 1.3]}}},
    {"motion": {"prescribed": {"velocity": [0.6, 0, 0], "acceleration": [-0.8, 0, 0]}}},
]  # fmt: skip


def shape(random: np.random.Generator) -> tuple[dict[str, Any], float]:
    """A shape, and its largest distance from its centre."""
    kind = random.choice(["sphere", "capsule", "box", "ellipsoid"])
    if kind == "sphere":
        radius = random.uniform(0.05, 0.15)
        return {"type": "sphere", "radius": radius}, radius
    if kind == "capsule":
        radius, length = random.uniform(0.03, 0.06), random.uniform(0.1, 0.3)
        return {"type": "capsule", "radius": radius, "length": length}, radius + 0.5 * length
    if kind == "box":
        size = random.uniform(0.08, 0.3, 3)
        return {"type": "box", "size": size.tolist()}, 0.5 * float(np.linalg.norm(size))
    radii = random.uniform(0.05, 0.15, 3)
    return {"type": "ellipsoid", "radii": radii.tolist()}, float(radii.max())


def drawn(seed: int, edges_slide: bool = False) -> dict[str, Any]:
    """One body or two that are dropped, spin, and may meet; an ellipsoid is alone."""
    random = np.random.default_rng(seed)
    shapes = [shape(random) for _ in range(random.choice([1, 1, 2]))]
    if any(one["type"] == "ellipsoid" for one, _ in shapes):
        shapes = shapes[:1]
    is_smooth = edges_slide and any(one["type"] in ("capsule", "box") for one, _ in shapes)
    material = {
        "restitution": random.choice([0.0, random.uniform(0.2, 0.9)]),
        "friction": 0.0 if is_smooth else random.uniform(0.0, 0.8),
    }
    ground = GROUNDS[random.integers(len(GROUNDS))]
    bodies: dict[str, Any] = {"floor": {"shapes": [{"type": "plane"}], "material": material, **ground}}
    for k, (one, size) in enumerate(shapes):
        q = random.normal(size=4)
        bodies[f"body_{k}"] = {
            "mass": random.uniform(0.5, 2), "shapes": [one], "material": material,
            "position": [0.35 * k, random.uniform(-0.02, 0.02), size + random.uniform(0.001, 0.05)],
            "orientation": {"wxyz": (q / np.linalg.norm(q)).tolist()},
            "velocity": [random.uniform(-0.5, 0.5) - k, *random.uniform(-0.3, 0.3, 2)],
            "angular_velocity": random.uniform(-3, 3, 3).tolist(),
        }  # fmt: skip
    return {
        "format": "rigidsim/1", "simulation": {"duration": 0.6, "record_every": 0.02},
        "world": {"gravity": [0, 0, -9.81]}, "bodies": bodies,
    }  # fmt: skip


def places(document: dict[str, Any], contact: str, step: float) -> np.ndarray:
    """The positions of all bodies at all samples."""
    simulation = {**document["simulation"], "contact": contact, "step": step}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # faces are left to sub-steps
        found = rigidsim.simulate(rigidsim.Scene.from_dict({**document, "simulation": simulation}))
    return np.concatenate([found[path].world.position for path in found.paths if path != "floor"], axis=1)


def apart(seed: int, edges_slide: bool = False) -> float:
    """The largest distance between both modes, m, at 0.25 ms."""
    document = drawn(seed, edges_slide)
    return float(np.abs(places(document, "events", 1e-3) - places(document, "stepping", 2.5e-4)).max())


@pytest.mark.parametrize("seed", [1, 6, pytest.param(4, marks=pytest.mark.slow)])
def test_both_modes_agree(seed):
    assert apart(seed) < 1e-3


CLOSE = {"edges slide": (True, 300, 1e-6, 0.95), "with friction on edges": (False, 70, 2e-5, 0.9)}
"""Whether edges have no friction, how many scenes are drawn, the median in m, and the part that is below 1e-3 m."""


@pytest.mark.slow
@pytest.mark.parametrize(("edges_slide", "count", "median", "part"), CLOSE.values(), ids=CLOSE)
def test_most_scenes_agree_closely(edges_slide, count, median, part):
    """Where edges slide, 284 of 300 within 1e-4 m, 296 within 1e-3 m. Of the others, two converge at first order, in
    one impacts let small differences grow, and in one a face of a box is preferred to the edge that touches. With
    friction on edges 55 of 70 within 1e-4 m, 67 within 1e-3 m; causes of the other three are not known.
    """
    found = np.array([apart(seed, edges_slide) for seed in range(count)])
    print({seed: f"{found[seed]:.1e}" for seed in np.argsort(-found)[:40]}, np.quantile(found, [0.5, 0.9, 0.95]))
    assert np.quantile(found, 0.5) < median
    assert np.quantile(found, part) < 1e-3
