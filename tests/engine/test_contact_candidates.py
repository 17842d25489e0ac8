"""The broad phase against all pairs, by NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import rigidsim
from engine.contact_shapes import box, contacts_of, plane, poses_of, sphere
from rigidsim.engine.collision.bodies import write_travels
from rigidsim.engine.collision.candidates import forget_candidates, make_candidates, renew_candidates
from rigidsim.engine.contact.arrays import Motions
from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model.arrays import made
from rigidsim.jit.rows import with_rows
from rigidsim.physics.contact import IGNORED
from rigidsim.physics.distances import BOX

MARGIN = 1e-3


def scatter(n: int, seed: int, extent: float = 1.0, moved: int | None = None):
    """Random spheres and boxes of sizes that differ by a thousand, and two planes at random."""
    rng = np.random.default_rng(seed)
    shapes = []
    for k in range(n):
        size = 0.05 * rng.uniform(0.5, 1.5) * (30.0 if k % 40 == 39 else 1.0)
        shape = sphere(size) if k % 2 else box(size, 0.5 * size, 0.1 * size)
        shapes.append(shape.moved(rng.uniform(-extent, extent, 3), Rotation.random(random_state=rng)))
    for k in (n // 3, n):
        shapes.insert(k, plane().moved(rng.uniform(-extent, extent, 3), Rotation.random(random_state=rng)))
    classes = rng.integers(0, 3, n + 2)
    action = [[1, 1, 0], [1, 2, 1], [0, 1, 1]]
    return contacts_of(shapes, moved if moved is not None else n // 2, classes, action), poses_of(shapes)


def pairs_within(contacts, pose, reach, rests=False) -> set[tuple[int, int]]:
    """All admissible pairs whose bounding spheres, or sphere and plane, are nearer than the sum of their reaches; of a
    box that rests the box itself counts.
    """
    i, j = np.triu_indices(len(pose), 1)
    bound, centre = contacts.shape_value[:, at.SOLID.bound], pose[:, :3]
    normal = Rotation.from_quat(pose[:, 3:], scalar_first=True).as_matrix()[:, :, 2]
    flat, d = np.isinf(bound), centre[j] - centre[i]
    exact = rests & (contacts.shape[:, at.SHAPE.kind] == BOX)
    gap = np.linalg.norm(d, axis=1) - np.where(flat[i] | flat[j], 0.0, bound[i] + bound[j])
    for a, b in ((i, j), (j, i)):
        gap = np.where(
            exact[a] & ~flat[b], np.maximum(gap, distance_of_box(contacts, pose, a, centre[b]) - bound[b]), gap
        )
    gap = np.where(flat[i], np.sum(normal[i] * d, axis=1) - bound[j], gap)
    gap = np.where(flat[j], np.sum(normal[j] * -d, axis=1) - bound[i], gap)
    body, kind = contacts.shape[:, at.SHAPE.body], contacts.shape[:, at.SHAPE.surfaces]
    meets = (body[i] != body[j]) & (np.minimum(body[i], body[j]) < contacts.n_moved)
    meets &= (contacts.action[kind[i], kind[j]] != IGNORED) & ~(flat[i] & flat[j])
    meets &= gap < reach[i] + reach[j]
    return set(zip(i[meets].tolist(), j[meets].tolist(), strict=True))


def distance_of_box(contacts, pose, number, point) -> np.ndarray:
    """Of points from boxes."""
    turn, half = (
        Rotation.from_quat(pose[number, 3:], scalar_first=True),
        contacts.shape_value[number, at.SOLID.place("half") :][:, :3],
    )
    local = turn.inv().apply(point - pose[number, :3])
    return np.linalg.norm(local - np.clip(local, -half, half), axis=1)


def listed(candidates) -> list[tuple[int, int]]:
    return [tuple(pair) for pair in candidates.pair[: candidates.count[0]].tolist()]


def moving(contacts, rng, speed: float) -> np.ndarray:
    """How far each shape moves in a step; planes and every third of the others rest."""
    rest = np.isinf(contacts.shape_value[:, at.SOLID.bound]) | (np.arange(len(contacts.shape)) % 3 == 0)
    return np.where(rest, 0.0, rng.uniform(0, speed, len(contacts.shape)))


@pytest.mark.parametrize("seed", range(4))
def test_the_list_has_every_pair_that_may_meet_in_order_while_shapes_move(seed):
    contacts, pose = scatter(120, seed)
    candidates, rng, lists = make_candidates(contacts, 10_000), np.random.default_rng(seed), 0
    for _ in range(12):
        travel = moving(contacts, rng, 0.002)
        before = candidates.allowance.copy()
        assert renew_candidates(contacts, pose, travel, MARGIN, candidates)
        lists += not np.array_equal(before, candidates.allowance)
        found = listed(candidates)
        assert found == sorted(set(found))
        assert pairs_within(contacts, pose, 0.5 * MARGIN + travel, travel == 0.0) <= set(found)
        reach = candidates.allowance + 0.5 * MARGIN
        assert set(found) == pairs_within(contacts, candidates.listed, reach, candidates.allowance == 0.0)
        step = rng.normal(size=(len(pose), 3))
        pose[:, :3] += travel[:, None] * step / np.linalg.norm(step, axis=1)[:, None]
    assert 1 < lists < 12


def test_shapes_of_one_body_and_two_planes_are_no_candidates():
    shapes = [sphere(1.0), sphere(1.0), plane(), plane()]
    contacts = contacts_of(shapes)
    contacts.shape[1, [at.SHAPE.body, at.SHAPE.leader]] = 0
    candidates = make_candidates(contacts, 20)
    assert renew_candidates(contacts, poses_of(shapes), np.zeros(4), MARGIN, candidates)
    assert listed(candidates) == [(0, 2), (0, 3), (1, 2), (1, 3)]


def test_a_list_without_room_says_how_much_it_needs():
    shapes = [sphere(1.0)] * 5
    contacts = contacts_of(shapes)
    for room, enough in ((9, False), (10, True)):
        candidates = make_candidates(contacts, room)
        for _ in range(2):  # it stays stale
            assert renew_candidates(contacts, poses_of(shapes), np.zeros(5), MARGIN, candidates) is enough
            assert candidates.count[0] == 10


@pytest.mark.parametrize("change", [(0, 1e-9), (5, 1e-9)])
def test_a_plane_that_has_moved_makes_the_list_stale_and_one_that_moves_meets_all(change):
    shapes = [sphere(0.1).moved([0.0, 0.0, 5.0]), plane()]
    contacts, pose, travel = contacts_of(shapes), poses_of(shapes), np.zeros(2)
    candidates = make_candidates(contacts, 4)
    renew_candidates(contacts, pose, travel, MARGIN, candidates)
    assert listed(candidates) == []
    pose[1, change[0]] += change[1]
    travel[1] = 1e-9
    renew_candidates(contacts, pose, travel, MARGIN, candidates)
    assert listed(candidates) == [(0, 1)]
    pose[1, 2] += 1.0
    before = candidates.listed.copy()
    renew_candidates(contacts, pose, travel, MARGIN, candidates)
    assert np.array_equal(before, candidates.listed)  # still good


@pytest.mark.parametrize("column", range(at.POSE.width))
def test_a_box_that_rested_and_now_moves_makes_the_list_stale(column):
    """Only what is near the box itself was listed."""
    shapes = [box(5.0, 0.1, 5.0), sphere(0.1).moved([0.0, 3.0, 0.0])]
    contacts, pose, travel = contacts_of(shapes), poses_of(shapes), np.array([0.0, 1e-3])
    candidates = make_candidates(contacts, 4)
    renew_candidates(contacts, pose, travel, MARGIN, candidates)
    assert listed(candidates) == []
    pose[0, column] += 1e-12
    travel[0] = 1e-12
    renew_candidates(contacts, pose, travel, MARGIN, candidates)
    assert listed(candidates) == [(0, 1)]


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.tuples(*[st.sampled_from([0.0, 1.0, -1e3, 1e-3])] * 3), min_size=1, max_size=12),
    st.sampled_from([0.0, 1e-6, 1.0, 1e3]),
    st.sampled_from([0.0, 1e6]),
)
def test_degenerate_sets(centres, size, speed):
    shapes = [sphere(size).moved(np.array(p)) for p in centres]
    contacts, pose, travel = contacts_of(shapes), poses_of(shapes), np.full(len(centres), speed)
    candidates = make_candidates(contacts, 100)
    assert renew_candidates(contacts, pose, travel, MARGIN, candidates)
    assert listed(candidates) == sorted(pairs_within(contacts, pose, candidates.allowance + 0.5 * MARGIN))


def test_what_rests_and_is_not_moved_by_forces_has_no_margin():
    """So that a floor is known to rest; a ball at rest keeps it, because another may push it within the step."""
    shapes = [sphere(1.0), box(1.0, 1.0, 1.0), sphere(1.0), box(1.0, 1.0, 1.0), plane()]
    contacts = contacts_of(shapes, n_moved=1)
    motions = made(Motions, {"ways": 0, "bodies": 5, "shapes": 5})
    for start in (motions.start, motions.finish):
        start[2, at.CENTRE.place("omega")], start[3, at.CENTRE.place("v")] = 1.0, 1.0
    write_travels(0.1, with_rows(contacts), None, with_rows(motions))
    travel = motions.travel
    assert travel[0] > 0.0 and travel[1] == 0.0 and travel[2] > 0.0 and travel[3] >= 0.1 and travel[4] == 0.0


def test_when_the_list_is_made_changes_no_bit():
    """Spheres that fall into a box: pairs that are on an older list alone must not widen the margins of others."""
    scene = rigidsim.Scene.from_file(Path(__file__).parents[2] / "scenes" / "spheres_in_a_box.yaml")
    kept, anew = (rigidsim.Simulation(scene) for _ in range(2))
    for n in (6,) * 10:
        kept.step(n)
        anew.step(n)
        forget_candidates(anew._run.contacts.arrays.candidates)
        assert np.array_equal(kept._run.state, anew._run.state)
