"""The same bits whatever the cutting, the recording, the order of bodies, the threads, compiled or not; and those of a
run without contact where nothing touches.
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
from every_kind import GRAVITY, STEP, every_kind, reordered
from force_scenes import laws
from jointed_trees import every_joint
from rigidsim.engine.integrators import INTEGRATORS
from rigidsim.engine.time import run as engine_run
from support.scenes import make_scene, run

CONTACT, LAWS, JOINTS = "contact", "laws", "joints"
CASES = [*(integrator.name for integrator in INTEGRATORS), LAWS, JOINTS, CONTACT]
"""Every kind of node with each integrator; every law of force, with impulses; all joints; everything that touches."""
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


def scene_of(case: str, duration: float = 0.5, is_reordered: bool = False, **how) -> rigidsim.Scene:
    if case == LAWS:
        return laws(is_reordered=is_reordered, duration=duration, **how)
    bodies = mixed() if case == CONTACT else every_joint() if case == JOINTS else every_kind()
    how |= {"duration": duration, "step": STEP}
    if case == CONTACT:
        return touching(dict(reversed(bodies.items())) if is_reordered else bodies, **how)
    case = "rkmk4" if case == JOINTS else case
    return make_scene(reordered(bodies) if is_reordered else bodies, integrator=case, gravity=GRAVITY, **how)


@pytest.mark.parametrize("case", CASES)
def test_how_a_run_is_sliced_changes_nothing(case, monkeypatch):
    scene = scene_of(case, record_every=STEP)
    whole = rigidsim.simulate(scene)
    for seconds in (0.0, 1e-4, 1e9):  # one step each; a few; four times as many each
        monkeypatch.setattr(engine_run, "SLICE_SECONDS", seconds)
        sliced = rigidsim.simulate(scene)
        assert (sliced.content_hash, sliced.contact_ledger) == (whole.content_hash, whole.contact_ledger)


@pytest.mark.parametrize("case", CASES)
def test_stepping_by_hand_changes_nothing(case):
    scene = scene_of(case)
    end, simulation = rigidsim.simulate(scene), rigidsim.Simulation(scene)
    for n in (*[1] * 13, 7, 30):
        simulation.step(n)
        _ = simulation.state, simulation.contact_ledger  # looking at it changes nothing either
    assert simulation.time == end.time[-1]
    if case == CONTACT:
        assert simulation.contact_ledger.causes == end.contact_ledger.causes
    for path in end:
        assert np.array_equal(simulation.state[path].world.position, end[path].world.position[-1])
        assert np.array_equal(simulation.state[path].local.orientation, end[path].local.orientation[-1])
        assert np.array_equal(simulation.state[path].local.velocity, end[path].local.velocity[-1])


@pytest.mark.parametrize("case", CASES)
def test_recording_less_often_changes_no_sample(case):
    every = rigidsim.simulate(scene_of(case, 0.7, record_every=STEP))
    for stride in (2, 7, 50):
        some, kept = rigidsim.simulate(scene_of(case, 0.7, record_every=stride * STEP)), [*range(0, 70, stride), 70]
        assert np.array_equal(some.time, every.time[kept])
        for name in (*MOTIONS, "diagnostics/work", "diagnostics/kinetic_energy"):
            assert np.array_equal(some.arrays[name], every.arrays[name][kept]), (stride, name)


@pytest.mark.parametrize("case", CASES)
def test_the_order_of_bodies_in_the_file_changes_nothing(case):
    plain, other = (rigidsim.simulate(scene_of(case, is_reordered=each)) for each in (False, True))
    assert plain.paths != other.paths
    assert sorted(plain.paths) == sorted(other.paths)
    for name in MOTIONS:
        frame, quantity = name.split("/")
        for path in plain:
            motions = (getattr(getattr(trajectory[path], frame), quantity) for trajectory in (plain, other))
            assert np.array_equal(*motions), (path, name)
    # Sums over all bodies are taken in the order of paths, impulses of contact in that of the pairs of the file.
    for name in () if case == CONTACT else (name for name in plain.arrays if name.startswith("diagnostics/")):
        assert np.array_equal(plain.arrays[name], other.arrays[name]), name


HASHES = """
from test_bit_equality import hashes
from rigidsim.engine.collision import candidates
from rigidsim.simulation import single
{changes}
for line in hashes({cases}, {duration}):
    print(line)
"""


@cache
def hashes(cases: tuple[str, ...], duration: float) -> list[str]:
    """Of runs: case, content hash, and what contact did with the energy."""
    each = {case: rigidsim.simulate(scene_of(case, duration, record_every=STEP), terms=True) for case in cases}
    return [f"{case} {done.content_hash} {done.contact_ledger}" for case, done in each.items()]


def hashes_elsewhere(cases: tuple[str, ...], duration: float, changes: str, jit: str) -> list[str]:
    """Those of runs in another process, in which something is changed."""
    done = subprocess.run(
        [sys.executable, "-c", HASHES.format(changes=changes, cases=cases, duration=duration)],
        cwd=Path(__file__).parent,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "RIGIDSIM_JIT": jit},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


# A step with contact takes Python a fifth of a second: until all pairs but one have touched, and until what bounced is
# at rest.
SHORT, LONG = 0.08, 0.2
LISTS = "candidates.SKIN, candidates.STEPS"
CHANGES = {
    "all integrators, interpreted": (tuple(CASES[:-1]), 0.13, "", "off"),
    "contact, interpreted": ((CONTACT,), SHORT, "", "off"),
    "contact, one lane, short lists": ((CONTACT,), LONG, f"single.LANES = 1; {LISTS} = 1e-3, 1.0", ""),
    "contact, wide lists": ((CONTACT,), LONG, f"{LISTS} = 2.0, 20.0", ""),
}


@pytest.mark.parametrize(
    "name", [*CHANGES][2:] + [pytest.param(name, marks=pytest.mark.slow) for name in [*CHANGES][:2]]
)
def test_interpreted_in_other_lanes_and_with_other_lists_it_has_the_same_bits(name):
    cases, duration, changes, jit = CHANGES[name]
    compiled = hashes(cases, duration)
    assert len({line.split()[1] for line in compiled}) == len(cases)
    assert hashes_elsewhere(cases, duration, changes, jit) == compiled


def test_something_touches():
    """Else the other tests would show nothing."""
    trajectory = collide(mixed(), duration=0.5, step=STEP)
    for path in ("table/cart/cargo", "table/pearl", "hammer", "runner"):
        fallen = trajectory[path].world.velocity[-1, 2] + 9.81 * 0.5
        assert abs(fallen) > 0.5


def test_several_scenes_on_threads_have_the_bits_of_one():
    scenes = [touching(mixed(), duration=0.3, step=STEP, gravity=[0, 0, -g]) for g in (9.81, 5.0, 1.6, 9.81, 3.7)]
    alone = [rigidsim.simulate(scene).content_hash for scene in scenes]
    for threads in (1, 2):
        assert [each.content_hash for each in rigidsim.simulate(scenes, threads=threads)] == alone


def test_a_body_does_not_feel_its_neighbours():
    """Alone or among others, a free body in the world moves the same to the bit; a window would split its steps."""
    bodies = every_kind()
    del bodies["ship"]["forces"][0]["during"]
    among = run(bodies, duration=0.5, step=STEP, gravity=GRAVITY)["probe"].world
    alone = run({"probe": every_kind()["probe"]}, duration=0.5, step=STEP, gravity=GRAVITY)["probe"].world
    assert np.array_equal(among.position, alone.position)
    assert np.array_equal(among.orientation, alone.orientation)


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
