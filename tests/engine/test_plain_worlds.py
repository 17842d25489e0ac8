"""A world is plain data: pickled and read by a process that has no scene, it takes the same steps, reparentings too."""

from __future__ import annotations

import hashlib
import pickle
import subprocess
import sys

import numpy as np

import rigidsim
from every_kind import STEP, every_kind
from rigidsim.blueprints import build_world
from rigidsim.engine.model import layout
from rigidsim.engine.time.run import BlockRun

STEPPED = """
import hashlib, pickle, sys
for name in ("pydantic", "pydantic_core", "yaml", "h5py", "click"):
    sys.modules[name] = None  # whoever imports it fails
from rigidsim.engine.time.run import BlockRun
run = BlockRun([pickle.load(sys.stdin.buffer)], 1)
run.prepare()
run.advance(25)
local, world, *rest = run.observed(with_terms=True)
sample = b"".join(array.tobytes() for array in (*local, *world, *filter(lambda x: x is not None, rest)))
print(hashlib.sha256(run.state.tobytes() + sample).hexdigest())
print([run.worlds[0].tree.nodes[i].path for i in run.worlds[0].tree.order.handles()])
print(sorted(name for name in sys.modules if name.startswith(("rigidsim.scene", "rigidsim.blueprints"))))
"""


def eventful() -> rigidsim.Scene:
    """Every kind of node and event, most loads: a tank is released, a probe attached, a gun moved to another parent."""
    bodies = every_kind()
    bodies["swing"] = {
        "motion": {
            "prescribed": {"position": ["= 3 + sin(t)", 0, 0], "orientation": {"axis": [0, 0, 1], "angle": "= 0.3*t"}}
        },
        "children": {"seat": {"mass": 2, "inertia": {"principal": [1, 1, 1.5]}, "position": [0, 1, 0]}},
    }
    bodies["pacer"] = {"motion": {"prescribed": {"angular_velocity": [0, "= 0.2*t", 0.1]}}, "scale": 2.0}
    probe, tank, seat = bodies["probe"], bodies["ship"]["children"]["tank"], bodies["swing"]["children"]["seat"]
    probe["forces"] += [
        {"type": "spring", "to": "ship/tank", "stiffness": 3, "damping": 0.1},
        {"type": "torsion_spring", "to": "pacer", "stiffness": 0.4, "axis": [0, 0, 1]},
        {"type": "drag", "linear": 0.1, "medium": "ship"},
    ]
    tank["forces"] += [
        {"force": ['= 0.1*v_x("probe", "world")', "= sin(3*t) - x", 0], "frame": "parent"},
        {"type": "gravity", "acceleration": [0, "= 0.1*t", 0], "frame": "parent"},
    ]
    seat["forces"] = [{"type": "point_gravity", "center": "ship", "gm": 2.0}]
    tank["impulses"] = [{"time": 0.1, "impulse": [0, 1, 0.5], "angular_impulse": [0, 0, 0.1]}]
    return rigidsim.Scene.from_dict(
        {
            "format": "rigidsim/1",
            "simulation": {"duration": 0.25, "step": STEP, "integrator": "rkmk4"},
            "world": {"gravity": [0, 0, -1.5]},
            "bodies": bodies,
            "reparent": [
                {"time": 0.053, "body": "ship/tank", "to": "world"},
                {"time": 0.1, "body": "probe", "to": "ship", "motion": "fixed"},
                {"time": 0.2, "body": "ship/turret/gun", "to": "swing/seat", "motion": "fixed"},
            ],
        }
    )


def test_a_fresh_process_takes_the_same_steps_without_a_scene():
    world = build_world(eventful())
    done = subprocess.run([sys.executable, "-c", STEPPED], input=pickle.dumps(world), capture_output=True, check=True)
    digest, order, sceneful = done.stdout.decode().splitlines()
    run = BlockRun([world], 1)
    run.prepare()
    run.advance(25)
    local, world, *rest = run.observed(with_terms=True)
    sample = b"".join(array.tobytes() for array in (*local, *world, *filter(lambda x: x is not None, rest)))
    assert digest == hashlib.sha256(run.state.tobytes() + sample).hexdigest()
    tree = run.worlds[0].tree
    assert order == str([tree.nodes[i].path for i in tree.order.handles()])
    assert tree.moved_base(tree.by_path["probe"]).path == "ship"
    assert sceneful == "[]"


def test_a_world_can_be_pickled_after_a_reparenting():
    run = BlockRun([build_world(eventful())], 1)
    run.advance(15)
    kept = pickle.loads(pickle.dumps(run.worlds[0]._replace(state=run.state)))
    assert kept.state.tobytes() == run.state.tobytes()
    assert kept.state_labels == run.worlds[0].state_labels
    assert list(kept.tree.order.handles()) == list(run.worlds[0].tree.order.handles())


def test_the_carrier_of_a_node_is_a_column():
    world = build_world(eventful())
    node, rows = world.model.node, {path: i for i, path in enumerate(world.paths)}
    carrier = {path: node[i, layout.NODE.moved_base] for path, i in rows.items()}
    for path in ("ship", "probe", "dust", "ship/turret/shell", "swing/seat"):
        assert carrier[path] == node[rows[path], layout.NODE.row]
    assert carrier["ship/tank"] == carrier["ship"]
    assert {carrier[path] for path in ("ship/turret", "ship/turret/gun", "swing", "pacer")} == {layout.NO_ROW}
    assert np.array_equal(node[world.model.moved_node, layout.NODE.moved_base], np.arange(len(world.model.moved_node)))
