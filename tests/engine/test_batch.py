"""Many scenes at once: the bits of each are those it has alone, whoever its neighbours are."""

from __future__ import annotations

import pytest

import rigidsim
from rigidsim.errors import SimulationError
from scenes import make_scene


def world(i: int, **how) -> rigidsim.Scene:
    """A spinning hub with a pushed child; every number differs from world to world."""
    child = {
        "mass": 1 + 0.1 * i,
        "inertia": {"principal": [1, 2, 2.5 + 0.01 * i]},
        "position": [0.1 * i, 0, 1],
        "center_of_mass": [0.01 * i, 0, 0],
        "angular_velocity": [0.3, 0.1 * i, 1],
        "forces": [{"force": [1, 0, 0.1 * i], "frame": "body", "during": [0.05, 0.2005]}],
    }
    hub = {"motion": {"prescribed": {"angular_velocity": [0, 0, 0.2 + 0.1 * i]}}, "children": {"child": child}}
    free = {"mass": 5, "inertia": "point", "velocity": [i, 0, 0], "children": {"grand": child}}
    how = {"duration": 0.3, "step": 1e-3, "record_every": 0.01, "gravity": [0, 0, -9.81], **how}
    return make_scene({"hub": hub, "free": free}, **how)


@pytest.fixture(scope="module")
def alone() -> list[str]:
    return [rigidsim.simulate(world(i)).content_hash for i in range(19)]


@pytest.mark.parametrize("count", [2, 3, 16, 19])
def test_any_number_of_worlds(count, alone):
    found = rigidsim.simulate([world(i) for i in range(count)])
    assert [trajectory.content_hash for trajectory in found] == alone[:count]


def test_any_order_and_any_neighbours(alone):
    order = [7, 3, 3, 18, 0, 11]
    found = rigidsim.simulate([world(i) for i in order])
    assert [trajectory.content_hash for trajectory in found] == [alone[i] for i in order]


def test_any_number_of_threads(alone):
    found = rigidsim.simulate([world(i) for i in range(19)], threads=2)
    assert [trajectory.content_hash for trajectory in found] == alone


@pytest.mark.parametrize("integrator", ["rkmk4", "magnus", "magnus2", "euler"])
def test_every_integrator_has_the_same_bits_in_lanes(integrator):
    scenes = [world(i, integrator=integrator) for i in range(3)]
    one_by_one = [rigidsim.simulate(scene).content_hash for scene in scenes]
    assert [trajectory.content_hash for trajectory in rigidsim.simulate(scenes)] == one_by_one


def test_terms_too():
    scenes = [world(i) for i in range(3)]
    one_by_one = [rigidsim.simulate(scene, terms=True).content_hash for scene in scenes]
    assert [t.content_hash for t in rigidsim.simulate(scenes, terms=True)] == one_by_one


def test_scenes_of_other_structure_go_into_other_blocks(alone):
    other = world(1, step=5e-4)
    found = rigidsim.simulate([world(0), other, world(2)])
    assert [found[0].content_hash, found[2].content_hash] == [alone[0], alone[2]]
    assert found[1].content_hash == rigidsim.simulate(other).content_hash


def test_one_that_blows_up_disturbs_nobody(alone):
    wild = world(4)
    forces = wild.resolved()
    forces["bodies"]["hub"]["children"]["child"]["forces"][0]["force"] = [1e308, 1e308, 0]
    wild = rigidsim.Scene.from_dict(forces)
    found = rigidsim.simulate([world(0), wild, world(1)])
    assert [found[0].content_hash, found[2].content_hash] == alone[:2]
    assert found[1].status == "failed"
    with pytest.raises(SimulationError) as error:
        rigidsim.simulate(wild)
    assert found[1].content_hash == error.value.trajectory.content_hash


def test_a_watch_stops_all_of_them():
    found = rigidsim.simulate([world(i) for i in range(3)], watch=lambda n: True)
    assert {trajectory.status for trajectory in found} == {"interrupted"}
    assert all(0 < trajectory.time[-1] < 0.3 for trajectory in found)


def test_no_scenes_no_histories():
    assert rigidsim.simulate([]) == []
