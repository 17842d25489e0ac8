"""Random scenes of one or two bodies on a floor, with `contact: events` and `contact: stepping`: two methods that share
the laws of contact, and neither equations of motion nor the search for events. Both have the same limit.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pytest

import rigidsim
from rigidsim.certify.certifying import certify
from rigidsim.engine.contact import arrays
from ways import WAYS

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


CLOSE = {"edges slide": (True, 1e-6, 0.98, 0.93), "with friction on edges": (False, 1e-5, 0.97, 0.77)}
"""Whether edges have no friction, the median in m, and the parts of 300 scenes that are below 1e-3 and 1e-4 m."""


@pytest.mark.slow
@pytest.mark.parametrize(("edges_slide", "median", "near", "nearer"), CLOSE.values(), ids=CLOSE)
def test_most_scenes_agree_closely(edges_slide, median, near, nearer):
    """Where edges slide, 285 of 300 within 1e-4 m, 297 within 1e-3 m; with friction on edges 244 and 294. With steps of
    0.05 ms for `stepping` these are 294, 299, 273, 299. The others: `stepping` converges slowly where bodies land on
    each other many times; four corners that land at once while they slide share the load as their slips decide to
    round-off, and so their friction (59, 180); a body that slides on another one is struck with it, or after it (33); a
    face of a box is preferred to the edge that touches, with a normal that differs by 0.005 rad (45, edges slide).
    """
    found = np.array([apart(seed, edges_slide) for seed in range(300)])
    print({seed: f"{found[seed]:.1e}" for seed in np.argsort(-found)[:40]}, np.quantile(found, [0.5, 0.9, 0.95]))
    assert np.quantile(found, 0.5) < median
    assert np.quantile(found, near) < 1e-3
    assert np.quantile(found, nearer) < 1e-4


PARTED = {67: (False, 1e-3), 109: (False, 2e-4), 128: (True, 1e-3), 143: (True, 1e-3)}
"""Seeds, whether edges have no friction, and bounds in m. A capsule crosses an edge of a box and lies almost on its
face; steps left to sub-steps; blows that lift the corners of an edge in turn; the end of a capsule passes an edge.
"""


@pytest.mark.parametrize("seed", PARTED)
def test_scenes_with_rare_places(seed):
    edges_slide, bound = PARTED[seed]
    assert apart(seed, edges_slide) < bound


def by_events(seed: int) -> dict[str, Any]:
    """A scene as plain data, with `contact: events`."""
    document = drawn(seed)
    more = {"contact": "events", "step": 1e-3, "duration": 0.4}
    return json.loads(json.dumps({**document, "simulation": document["simulation"] | more}, default=lambda x: x.item()))


@pytest.mark.parametrize("way", ["in lanes", "in a sweep", "in two pieces"])
@pytest.mark.parametrize("seed", [0, 3, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 24))])
def test_a_run_by_events_has_the_bits_of_one_alone(seed, way):
    """Beside others in threads, in a sweep, and extended after a checkpoint at the first sample."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with WAYS["alone"](by_events(seed)) as alone, WAYS[way](by_events(seed)) as other:
            for path in alone.paths:
                for name in ("position", "orientation", "velocity", "angular_velocity"):
                    found = (np.asarray(getattr(one[path].world, name)).tobytes() for one in (alone, other))
                    assert len({*found}) == 1, path
            assert way == "in a sweep" or [event.time for event in alone.events] == [e.time for e in other.events]


@pytest.mark.parametrize("capacity", [20, 37, pytest.param(150, marks=pytest.mark.slow)])
def test_a_log_that_fills_changes_no_bit(capacity, monkeypatch):
    """A step that has no room in the log is put back and taken again, with the poses of its beginning."""
    places = []
    for rows in (arrays.CAPACITY, capacity):
        monkeypatch.setattr(arrays, "CAPACITY", rows)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            simulation = rigidsim.Simulation(rigidsim.Scene.from_dict(by_events(0)))
            simulation.step(400)
        places.append([simulation.state[path].world.position.tobytes() for path in simulation.state])
    assert places[0] == places[1]


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (0, *range(2, 24)))])
def test_no_other_way_to_write_a_scene_refutes_events(seed):
    """Turned, in moving frames, below other bodies, in another order: events are found at the same instants."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = certify(rigidsim.Scene.from_dict(by_events(seed)))
    assert not found.is_refuted, [(way.name, way.verdict) for way in found.ways]
