"""Sixteen different worlds side by side have the bits of each alone."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import rigidsim
from every_kind import GRAVITY, STEP, every_kind
from force_scenes import laws
from rigidsim.blueprints import build_world
from rigidsim.engine.assembly.lanes import LANES, block_of, side_by_side, structure
from rigidsim.engine.integrators import INTEGRATORS
from support.scenes import make_scene

NAMES = [*(integrator.name for integrator in INTEGRATORS), "laws"]


def worlds(count: int, integrator: str = "rkmk4", **more) -> list[rigidsim.Scene]:
    how = {"duration": 0.3, "step": STEP, "record_every": 5 * STEP} | more
    if integrator == "laws":
        return [laws(k, **how) for k in range(count)]
    how["gravity"] = GRAVITY
    return [make_scene(every_kind(0.1 * k), integrator=integrator, **how) for k in range(count)]


@cache
def alone(integrator: str) -> tuple[str, ...]:
    """The content hash of each world by itself."""
    return tuple(rigidsim.simulate(scene).content_hash for scene in worlds(LANES + 2, integrator))


@pytest.mark.parametrize("integrator", NAMES)
@pytest.mark.parametrize("count", [LANES, 3, LANES + 2])
def test_side_by_side_is_as_alone(integrator, count):
    """A full block, spare lanes, and a block with two over."""
    together = tuple(trajectory.content_hash for trajectory in rigidsim.simulate(worlds(count, integrator)))
    assert len(set(together)) == count
    assert together == alone(integrator)[:count]


def test_terms_are_the_same_too():
    scenes = worlds(4)
    together = rigidsim.simulate(scenes, terms=True)
    assert [t.content_hash for t in together] == [rigidsim.simulate(s, terms=True).content_hash for s in scenes]


def test_neighbours_do_not_matter():
    """The same world in another lane, among others."""
    scenes = worlds(LANES)
    forwards, backwards = rigidsim.simulate(scenes), rigidsim.simulate(scenes[::-1])
    assert [t.content_hash for t in forwards] == [t.content_hash for t in backwards[::-1]]


def test_threads_do_not_matter():
    scenes = worlds(3 * LANES)
    one, two = (rigidsim.simulate(scenes, threads=threads) for threads in (1, 2))
    assert [t.content_hash for t in one] == [t.content_hash for t in two]


def test_worlds_of_another_structure_go_into_another_block():
    """Windows, steps and trees are shared by a block's lanes; mixed lists come back in order."""
    plain, longer, other_method = worlds(2), worlds(2, duration=0.4), worlds(2, "magnus")
    mixed = [scene for trio in zip(plain, longer, other_method, strict=True) for scene in trio]
    assert len({structure(build_world(scene)) for scene in mixed}) == 3
    found = [trajectory.content_hash for trajectory in rigidsim.simulate(mixed)]
    assert found == [rigidsim.simulate(scene).content_hash for scene in mixed]


@pytest.mark.parametrize("names", [[("parent", "ship"), ("ship", "ship")], [("ship", "ship"), ("ship", "ship/ball")]])
def test_worlds_that_a_reparenting_distinguishes_do_not_share_a_block(names):
    """At the start the frame of the parent is that of the ship, and a point of the ball is one of the ship."""
    part = {"mass": 1, "inertia": {"principal": [1, 1, 1]}}

    def scene(frame: str, to: str) -> rigidsim.Scene:
        spring = {"type": "spring", "to": to, "to_at": [2, 0, 0] if to == "ship" else [0, 0, 0], "stiffness": 1}
        pod = part | {"position": [0, 2, 0], "forces": [{"force": [1, 0, 0], "frame": frame}, spring]}
        ship = part | {"angular_velocity": [0, 0, 1], "children": {"ball": part | {"motion": "fixed"}, "pod": pod}}
        ship["children"]["ball"] |= {"position": [2, 0, 0]}
        made = make_scene({"ship": ship}, duration=0.05, step=STEP).resolved()
        events = [{"time": 0.02, "body": path, "to": "world"} for path in ("ship/pod", "ship/ball")]
        return rigidsim.Scene.from_dict(made | {"reparent": events})

    assert len({structure(build_world(scene(*each))) for each in names}) == 2


def test_one_failing_world_leaves_the_others_alone():
    scenes = worlds(4)
    broken = every_kind(0.1)
    broken["probe"]["angular_velocity"] = [3e49, 6e49, 9e49]
    scenes[1] = make_scene(broken, duration=0.3, step=STEP, gravity=GRAVITY, record_every=5 * STEP)
    with np.errstate(all="ignore"):
        found = rigidsim.simulate(scenes)
    assert [trajectory.status for trajectory in found] == ["complete", "failed", "complete", "complete"]
    for k in (0, 2, 3):
        assert found[k].content_hash == rigidsim.simulate(scenes[k]).content_hash
    assert np.isfinite(found[1]["probe"].world.position).all()


def test_a_watch_stops_all_of_them():
    found = rigidsim.simulate(worlds(3), watch=lambda n: True)
    assert {trajectory.status for trajectory in found} == {"interrupted"}
    assert all(0 < trajectory.time[-1] < 0.3 for trajectory in found)


def test_no_scenes_no_histories():
    assert rigidsim.simulate([]) == []


def test_rows_interleave_with_the_lane_innermost():
    arrays = [np.arange(6.0).reshape(2, 3) + 100 * k for k in range(4)]
    joined = side_by_side(arrays)
    assert joined.shape == (2, 12)
    for lane in range(4):
        assert np.array_equal(joined[:, lane::4], arrays[lane])


def test_a_block_holds_each_world_in_its_lane():
    compiled = [build_world(scene) for scene in worlds(3)]
    model, state = block_of([*compiled, *[compiled[-1]] * (LANES - 3)])
    for lane in range(LANES):
        one = compiled[min(lane, 2)]
        assert np.array_equal(state[:, lane::LANES], one.state)
        assert np.array_equal(model.body[:, lane::LANES], one.model.body)
        assert np.array_equal(model.motion[:, lane::LANES], one.model.motion)
        assert np.array_equal(model.single.constants.value[:, lane::LANES], one.model.single.constants.value)
