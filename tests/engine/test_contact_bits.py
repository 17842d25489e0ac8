"""The same bits with contact: whatever the cutting, the recording, the order of bodies, the threads; compiled or not;
and those of a run without contact where nothing touches.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import rigidsim
from contact_scenes import DOWN, ball, block, collide, floor, rod, touching
from rigidsim.engine import run as engine_run

STEP = 0.01
MOTIONS = [f"{frame}/{name}" for frame in ("local", "world")
           for name in ("position", "orientation", "velocity", "angular_velocity")]  # fmt: skip


def mixed() -> dict:
    """All shapes, materials, a child on its parent, a turning floor: everything that touches within half a second."""
    table = floor(friction=0.8) | {"motion": {"prescribed": {"angular_velocity": [0, 0, 1.5]}}}
    cart = block((1, 0.6, 0.1), 4, at=(0, 0, 0.06), friction=0.8)
    cart["children"] = {
        "cargo": block((0.3, 0.3, 0.3), at=(0.1, 0, 0.21), orientation={"axis": [0, 0, 1], "angle": 0.2}),
        "rod": rod(0.05, 0.3, 0.5, at=(-0.3, 0, 0.2), angular_velocity=[1, 2, 0.5]),
    }
    table["children"] = {"cart": cart, "pearl": ball(0.1, at=(1, 0.5, 0.12), restitution=0.6)}
    return {
        "table": table,
        "hammer": block((0.2, 0.2, 0.4), 2, at=(0.1, 0.02, 0.8), velocity=[0, 0, -3], restitution=0.4),
        "runner": ball(0.15, 2, at=(-1.5, 0, 0.151), velocity=[4, 0, 0], friction=0.3),
    }


HASH = """
import rigidsim
from contact_scenes import touching
from rigidsim.engine.contact import candidates
from rigidsim.simulation import single
from test_contact_bits import STEP, mixed
{changes}
scene = touching(mixed(), duration={duration}, step=STEP, record_every=STEP)
done = rigidsim.simulate(scene, terms=True)
print(done.content_hash, done.contact_ledger)
"""


def hash_of(changes: str, duration: float, **environment) -> str:
    """The content hash of a run in another process, and what contact did with its energy."""
    done = subprocess.run(
        [sys.executable, "-c", HASH.format(changes=changes, duration=duration)],
        cwd=Path(__file__).parent,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@cache
def compiled(duration: float) -> str:
    """The hash of what users run."""
    return hash_of("", duration)


# A step takes Python a fifth of a second: until what bounced is at rest, and until all pairs but one have touched.
LONG, SHORT = 0.2, 0.08
CHANGES = {
    "interpreted": ("", LONG),
    "one lane": ("single.LANES = 1", SHORT),
    "wide lists": ("candidates.SKIN, candidates.STEPS = 2.0, 20.0", SHORT),
    "short lists": ("candidates.SKIN, candidates.STEPS = 1e-3, 1.0", SHORT),
}


@pytest.mark.parametrize(("changes", "duration"), CHANGES.values(), ids=CHANGES)
def test_interpreted_in_other_lanes_and_with_other_lists_it_has_the_same_bits(changes, duration):
    assert len(compiled(duration)) > 60
    assert hash_of(changes, duration, RIGIDSIM_JIT="off") == compiled(duration)


def test_something_touches():
    """Else the other tests would show nothing."""
    trajectory = collide(mixed(), duration=0.5, step=STEP)
    for path in ("table/cart/cargo", "table/pearl", "hammer", "runner"):
        fallen = trajectory[path].world.velocity[-1, 2] + 9.81 * 0.5
        assert abs(fallen) > 0.5


@pytest.mark.parametrize("seconds", [0.0, 1e-4, 1e9])
def test_how_a_run_is_sliced_changes_nothing(seconds, monkeypatch):
    scene = touching(mixed(), duration=0.5, step=STEP, record_every=STEP)
    whole = rigidsim.simulate(scene)
    monkeypatch.setattr(engine_run, "SLICE_SECONDS", seconds)
    sliced = rigidsim.simulate(scene)
    assert (sliced.content_hash, sliced.contact_ledger) == (whole.content_hash, whole.contact_ledger)


def test_stepping_by_hand_changes_nothing():
    scene = touching(mixed(), duration=0.5, step=STEP)
    end, simulation = rigidsim.simulate(scene), rigidsim.Simulation(scene)
    for n in (7, 1, 12, 30):
        simulation.step(n)
        _ = simulation.state, simulation.contact_ledger  # looking at it changes nothing either
    assert simulation.contact_ledger.causes == end.contact_ledger.causes
    for path in end:
        assert np.array_equal(simulation.state[path].world.position, end[path].world.position[-1])
        assert np.array_equal(simulation.state[path].local.orientation, end[path].local.orientation[-1])
        assert np.array_equal(simulation.state[path].local.velocity, end[path].local.velocity[-1])


@pytest.mark.parametrize("stride", [2, 5, 7, 50])
def test_recording_less_often_changes_no_sample(stride):
    how = {"duration": 0.7, "step": STEP}
    all_samples = collide(mixed(), record_every=STEP, **how)
    some = collide(mixed(), record_every=stride * STEP, **how)
    kept = [*range(0, 70, stride), 70]
    for name in (*MOTIONS, "diagnostics/work", "diagnostics/kinetic_energy"):
        assert np.array_equal(some.arrays[name], all_samples.arrays[name][kept]), name


def test_the_order_of_bodies_in_the_file_changes_nothing():
    plain = collide(mixed(), duration=0.5, step=STEP)
    other = collide(dict(reversed(mixed().items())), duration=0.5, step=STEP)
    for path in plain:
        for quantity in ("position", "orientation", "velocity", "angular_velocity"):
            both = (getattr(trajectory[path].world, quantity) for trajectory in (plain, other))
            assert np.array_equal(*both), (path, quantity)


def test_several_scenes_on_threads_have_the_bits_of_one():
    scenes = [touching(mixed(), duration=0.3, step=STEP, gravity=[0, 0, -g]) for g in (9.81, 5.0, 1.6, 9.81, 3.7)]
    alone = [rigidsim.simulate(scene).content_hash for scene in scenes]
    for threads in (1, 2):
        assert [each.content_hash for each in rigidsim.simulate(scenes, threads=threads)] == alone


def near_misses() -> dict:
    """Bodies that pass each other, tumble and hover by a hair, and touch nothing; the tree has every kind of node."""
    ship = block((1, 0.5, 0.2), 3, at=(0, 0, 5), angular_velocity=[0.3, 1, 2], velocity=[1, 0, 0])
    ship["children"] = {
        "drone": rod(0.05, 0.2, at=(0, 0, 1.5), angular_velocity=[1, 0, 1]),
        "arm": {
            "motion": {"prescribed": {"angular_velocity": [0, 1, 0]}},
            "position": [0, 0, -1.2],
            "children": {"probe": ball(0.05, 0.3, at=(0.4, 0, 0))},
        },
    }
    return {
        "floor": floor(),
        "ship": ship,
        "arrow": rod(0.02, 0.5, at=(-3, 1.2, 5), velocity=[10, 0, 0]),
        "still": ball(0.1, at=(0, 0, 0.1 + 1e-4), gravity=False),
        "grazing": ball(0.1, at=(-2, 0.2 + 1e-6, 0.1 + 1e-4), gravity=False, velocity=[10, 0, 0]),
    }


@pytest.mark.parametrize("gravity", [[0, 0, 0], [0, 0, -1]])
def test_where_nothing_touches_contact_changes_no_bit(gravity):
    on, off = (
        rigidsim.simulate(
            touching(near_misses(), duration=0.5, step=5e-3, record_every=5e-3, gravity=gravity, contact=contact)
        )
        for contact in ("stepping", "off")
    )
    for name in on.arrays:
        assert np.array_equal(on.arrays[name], off.arrays[name]), name
    assert on.content_hash == off.content_hash


def test_bodies_beside_an_impact_keep_their_bits():
    """Only who was pushed, and who hangs on it, differs from a run without contact."""
    bodies = mixed() | {"probe": rod(0.1, 0.3, at=(0, 8, 3), angular_velocity=[1, 2, 3], velocity=[0, 0, 5])}
    on, off = (
        rigidsim.simulate(touching(bodies, duration=0.3, step=STEP, record_every=STEP, gravity=DOWN, contact=contact))
        for contact in ("stepping", "off")
    )
    for quantity in ("position", "orientation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(on["probe"].world, quantity), getattr(off["probe"].world, quantity))
    assert not np.array_equal(on["hammer"].world.position, off["hammer"].world.position)


def test_off_and_false_are_the_same():
    off, false = (rigidsim.simulate(touching(mixed(), duration=0.1, step=STEP, contact=how)) for how in ("off", False))
    assert off.content_hash == false.content_hash
