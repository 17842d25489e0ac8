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


def apart(seed: int, edges_slide: bool = False, step: float = 2.5e-4) -> float:
    """The largest distance between both modes, m, with this step of `stepping`, s."""
    document = drawn(seed, edges_slide)
    return float(np.abs(places(document, "events", 1e-3) - places(document, "stepping", step)).max())


@pytest.mark.parametrize("seed", [1, 6, pytest.param(4, marks=pytest.mark.slow)])
def test_both_modes_agree(seed):
    assert apart(seed) < 1e-3


CLOSE = {"edges slide": (True, 1e-6, 0.98, 0.93), "with friction on edges": (False, 1e-5, 0.97, 0.77)}
"""Whether edges have no friction, the median in m, and the parts of 300 scenes that are below 1e-3 and 1e-4 m."""
FINER = (5e-5, 1e-5)
"""Steps of `stepping`, s, for scenes whose modes differ by more than 1e-3 m."""


def impacts(document: dict[str, Any], contact: str, step: float, end: float) -> tuple[list[Any], Any]:
    """The impacts of a run up to a time, and its motions then."""
    simulation = {**document["simulation"], "contact": contact, "step": step, "duration": end, "record_every": end}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = rigidsim.simulate(rigidsim.Scene.from_dict({**document, "simulation": simulation}))
    return [event for event in found.events if event.cause == "impact"], found


def is_struck_by_a_face(document: dict[str, Any]) -> bool:
    """Whether the modes part where edges of two boxes meet, and `stepping` takes the normal of a face of one: it
    prefers faces that cost it little, so that boxes at rest keep their places. Until then they agree.
    """
    end = document["simulation"]["duration"]
    for one, other in zip(*(impacts(document, how, 1e-5, end)[0] for how in ("events", "stepping")), strict=False):
        assert one.bodies == other.bodies
        np.testing.assert_allclose(other.point, one.point, atol=1e-6)
        if np.linalg.norm(np.subtract(one.normal, other.normal)) > 1e-6:
            _, found = impacts(document, "events", one.time, one.time)
            axes = [matrix_of(found[path].world.orientation[-1]) for path in one.bodies]
            on_edges = [np.abs(R.T @ one.normal).min() < 1e-6 for R in axes]
            on_face = [np.abs(R.T @ other.normal).max() > 1.0 - 1e-9 for R in axes]
            return all(on_edges) and any(on_face)
    return False


def matrix_of(q: np.ndarray) -> np.ndarray:
    """The rotation matrix of a quaternion."""
    w, v = q[0], q[1:]
    return (w * w - v @ v) * np.eye(3) + 2.0 * np.outer(v, v) + 2.0 * w * np.cross(np.eye(3), v)


@pytest.mark.slow
@pytest.mark.parametrize(("edges_slide", "median", "near", "nearer"), CLOSE.values(), ids=CLOSE)
def test_all_scenes_agree_or_the_difference_is_explained(edges_slide, median, near, nearer):
    """Where edges slide, 285 of 300 within 1e-4 m, 297 within 1e-3 m; with friction on edges 244 and 294. Others agree
    at smaller steps of `stepping`: it converges slowly where bodies land on each other many times, and finds a touch of
    two bodies at the end of a step. One scene is left, whose normals differ.
    """
    found = np.array([apart(seed, edges_slide) for seed in range(300)])
    print({seed: f"{found[seed]:.1e}" for seed in np.argsort(-found)[:40]}, np.quantile(found, [0.5, 0.9, 0.95]))
    assert np.quantile(found, 0.5) < median
    assert np.quantile(found, near) < 1e-3
    assert np.quantile(found, nearer) < 1e-4
    for seed in np.flatnonzero(found >= 1e-3):
        finer = [apart(seed, edges_slide, step) for step in FINER]
        assert min(finer) < 1e-3 or is_struck_by_a_face(drawn(seed, edges_slide)), (seed, finer)


@pytest.mark.parametrize("seed", [pytest.param(169, marks=pytest.mark.slow), 272])
def test_a_difference_vanishes_at_a_smaller_step(seed):
    """A capsule whose ends bounce in turn: at 0.25 ms `stepping` is 1 mm and 11 mm off, at 0.05 ms below 1e-6 m."""
    assert apart(seed, step=5e-5) < 1e-6


def test_edges_that_meet_have_another_normal_than_a_face():
    assert is_struck_by_a_face(drawn(45, edges_slide=True))


PARTED = {67: (False, 1e-3), 109: (False, 2e-4), 128: (True, 1e-3), 143: (True, 1e-3), 204: (False, 1e-3)}
"""Seeds, whether edges have no friction, and bounds in m. A capsule crosses an edge of a box and lies almost on its
face; steps left to sub-steps; blows that lift the corners of an edge in turn; the end of a capsule passes an edge; a
corner whose slip passes zero where ending it would stop both bodies.
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
