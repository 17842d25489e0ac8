"""How many kinds of steppers there are: what a scene has is chosen by type, how much of it is not."""

from __future__ import annotations

import rigidsim
from rigidsim.blueprints import build_world
from rigidsim.engine.time.run import BlockRun
from rigidsim.jit.layouts import lay_out, structure_of

BALL = {"mass": 1.0, "inertia": "point"}
PUSHED = BALL | {"forces": [{"force": ["= -x", "= sin(t)", 0]}]}
SWUNG = {"motion": {"prescribed": {"position": ["= sin(t)", 0, 0]}}, "children": {"ball": BALL}}
RATE_DRIVEN = {"motion": {"prescribed": {"angular_velocity": [0, 0, "= 0.2*t"]}}, "children": {"ball": BALL}}
WITH_EXPRESSIONS = {
    "load": {"a": PUSHED},
    "pose": {"a": SWUNG},
    "rates": {"a": RATE_DRIVEN},
    "all": {"a": PUSHED, "b": RATE_DRIVEN},
}


def structure(run: BlockRun) -> tuple:
    """What a kernel is compiled for."""
    return tuple(structure_of(lay_out(part, [])) for part in (*run._arrays(), run._buffer))


def kinds(bodies: dict, **more) -> list:
    """What kernels are compiled for at the beginning of a run and at its end."""
    simulation = {"duration": 0.2, "step": 0.1}
    scene = rigidsim.Scene.from_dict({"format": "rigidsim/1", "simulation": simulation, "bodies": bodies, **more})
    run = BlockRun([build_world(scene)], 1)
    begin = structure(run)
    run.advance(2)
    return [begin, structure(run)]


def test_scenes_with_expressions_share_their_kernels():
    found = {kind for bodies in WITH_EXPRESSIONS.values() for kind in kinds(bodies)}
    assert len(found) == 1
    plain = {*kinds({"a": BALL}), *kinds({"a": BALL | {"forces": [{"force": [1, 0, 0]}]}})}
    assert len(plain) == 1
    assert not plain & found


def test_a_load_that_goes_to_another_body_leaves_the_kernels_as_they_are():
    """Nothing is compiled in the middle of a run."""
    body = {"mass": 2.0, "inertia": {"principal": [1, 1, 1]}, "position": [3, 0, 0]}
    bodies = {"a": body | {"forces": PUSHED["forces"], "position": [0, 0, 0]}, "b": body}
    begin, end = kinds(bodies, reparent=[{"body": "a", "to": "b", "time": 0.1, "motion": "fixed"}])
    assert begin == end
