"""Random scenes with two or three features each: their motion is that of maximal coordinates with multipliers, their
ledger closes, and how they are written does not matter.
"""

from __future__ import annotations

from typing import Any

import pytest

import rigidsim
from drawn_scenes import FEATURES, drawn
from rigidsim.certify.certifying import certify
from rigidsim.scene import Scene
from survey import BOUND, LEDGER, apart, ends, expected, imbalance, simulated

FEW, MANY = range(10), range(10, 1000)
SEEDS = [*FEW, *(pytest.param(seed, marks=pytest.mark.slow) for seed in MANY)]


def test_every_pair_of_features_is_drawn():
    drawn_pairs = set()
    for seed in range(4000):
        features = drawn(seed)[0]
        drawn_pairs |= {(a, b) for a in features for b in features if a < b}
    names = sorted(FEATURES)
    # A rod is drawn where all can begin at rest.
    never = {"moving frame", "frame by expressions", "law of a motor", "prescribed coordinate"}
    wanted = {(a, b) for a in names for b in names if a < b and not ("rod" in (a, b) and never & {a, b})}
    assert wanted <= drawn_pairs


@pytest.mark.parametrize("seed", SEEDS)
def test_a_scene_moves_as_the_reference_and_its_ledger_closes(seed):
    features, method, data = drawn(seed)
    trajectory = simulated(data)
    assert apart(ends(trajectory), expected(data)) <= BOUND, (features, method)
    assert imbalance(trajectory) <= LEDGER, (features, method)


def renamed(value: Any, key: str = "") -> Any:
    """The scene with other names of bodies, and siblings in the opposite order."""
    if key in ("bodies", "children"):
        return {f"z{name}": renamed(body) for name, body in reversed(value.items())}
    if isinstance(value, dict):
        return {name: renamed(one, name) for name, one in value.items()}
    if key in ("to", "between") and value != "world" and isinstance(value, str):
        return "/".join(f"z{name}" for name in value.split("/"))
    return [renamed(one, key) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("seed", [3, *(pytest.param(seed, marks=pytest.mark.slow) for seed in MANY[:300])])
def test_names_and_order_of_bodies_do_not_matter(seed):
    """But for the rounding of sums, which motion may let grow: measured up to 3e-12."""
    _, _, data = drawn(seed)
    one = ends(simulated(data))
    other = {path.replace("z", ""): values for path, values in ends(simulated(renamed(data))).items()}
    assert apart(one, other) <= 1e-10


@pytest.mark.parametrize("seed", [5, *(pytest.param(seed, marks=pytest.mark.slow) for seed in MANY[:300])])
def test_scenes_side_by_side_have_the_bits_of_each(seed):
    _, _, data = drawn(seed)
    scenes = []
    for k in range(3):
        scenes.append(Scene.from_dict(data | {"world": data["world"] | {"gravity": [0.1 * k, -1, -5]}}))
    for together, scene in zip(rigidsim.simulate(scenes), scenes, strict=True):
        assert together.content_hash == rigidsim.simulate(scene).content_hash


@pytest.mark.parametrize("seed", [8, *(pytest.param(seed, marks=pytest.mark.slow) for seed in MANY[:100])])
def test_no_other_way_to_write_a_scene_refutes_it(seed):
    """Turned, in moving frames, below other bodies, in another order, by another integrator."""
    found = certify(Scene.from_dict(drawn(seed)[2]))
    assert not found.is_refuted, [(way.name, way.verdict) for way in found.ways]
