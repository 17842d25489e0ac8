"""The same bits whatever the cutting, the recording, the order of bodies, compiled or not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rigidsim
from every_kind import GRAVITY, STEP, every_kind, reordered
from rigidsim.engine import run as engine_run
from rigidsim.engine.integrators import INTEGRATORS
from scenes import make_scene, run

NAMES = [integrator.name for integrator in INTEGRATORS]
HOW = {"step": STEP, "gravity": GRAVITY}
MOTIONS = [f"{frame}/{name}" for frame in ("local", "world")
           for name in ("position", "orientation", "velocity", "angular_velocity")]  # fmt: skip

HASHES = """
from every_kind import GRAVITY, STEP, every_kind
from scenes import make_scene
import rigidsim
from rigidsim.engine.integrators import INTEGRATORS
for integrator in INTEGRATORS:
    scene = make_scene(every_kind(), duration=0.13, step=STEP, gravity=GRAVITY, integrator=integrator.name,
                       record_every=STEP)
    print(integrator.name, rigidsim.simulate(scene, terms=True).content_hash)
"""


def hashes(**environment) -> str:
    """Content hashes of a run with each integrator, in another process."""
    done = subprocess.run(
        [sys.executable, "-c", HASHES],
        cwd=Path(__file__).parent,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_compiled_and_interpreted_have_the_same_bits():
    compiled = hashes()
    assert len(compiled.splitlines()) == len(INTEGRATORS)
    assert len({line.split()[1] for line in compiled.splitlines()}) == len(INTEGRATORS)
    assert hashes(RIGIDSIM_JIT="off") == compiled


@pytest.mark.parametrize("integrator", NAMES)
def test_two_runs_have_the_same_bits(integrator):
    first, second = (run(every_kind(), duration=0.5, integrator=integrator, **HOW) for _ in range(2))
    assert first.content_hash == second.content_hash


@pytest.mark.parametrize("integrator", NAMES)
def test_how_a_run_is_sliced_changes_nothing(integrator, monkeypatch):
    scene = make_scene(every_kind(), duration=0.5, integrator=integrator, record_every=STEP, **HOW)
    whole = rigidsim.simulate(scene).content_hash
    for seconds in (0.0, 1e-4, 1e9):  # one step each; a few; four times as many each
        monkeypatch.setattr(engine_run, "SLICE_SECONDS", seconds)
        assert rigidsim.simulate(scene).content_hash == whole


@pytest.mark.parametrize("integrator", NAMES)
@pytest.mark.parametrize("lengths", [[1] * 50, [50], [7, 1, 12, 30]])
def test_stepping_by_hand_changes_nothing(integrator, lengths):
    scene = make_scene(every_kind(), duration=0.5, integrator=integrator, **HOW)
    end, simulation = rigidsim.simulate(scene), rigidsim.Simulation(scene)
    for n in lengths:
        simulation.step(n)
        _ = simulation.state  # looking at it changes nothing either
    assert simulation.time == end.time[-1]
    for path in end:
        assert np.array_equal(simulation.state[path].world.position, end[path].world.position[-1])
        assert np.array_equal(simulation.state[path].local.orientation, end[path].local.orientation[-1])
        assert np.array_equal(simulation.state[path].local.velocity, end[path].local.velocity[-1])


@pytest.mark.parametrize("integrator", NAMES)
@pytest.mark.parametrize("stride", [2, 5, 7, 50])
def test_recording_less_often_changes_no_sample(integrator, stride):
    all_samples = run(every_kind(), duration=0.7, integrator=integrator, record_every=STEP, **HOW)
    some = run(every_kind(), duration=0.7, integrator=integrator, record_every=stride * STEP, **HOW)
    kept = [*range(0, 70, stride), 70]
    assert np.array_equal(some.time, all_samples.time[kept])
    for name in (*MOTIONS, "diagnostics/work", "diagnostics/kinetic_energy"):
        assert np.array_equal(some.arrays[name], all_samples.arrays[name][kept]), name


@pytest.mark.parametrize("integrator", NAMES)
def test_the_order_of_bodies_in_the_file_changes_nothing(integrator):
    plain = run(every_kind(), duration=0.5, integrator=integrator, **HOW)
    other = run(reordered(every_kind()), duration=0.5, integrator=integrator, **HOW)
    assert plain.paths != other.paths
    assert sorted(plain.paths) == sorted(other.paths)
    for name in MOTIONS:
        frame, quantity = name.split("/")
        for path in plain:
            motions = (getattr(getattr(trajectory[path], frame), quantity) for trajectory in (plain, other))
            assert np.array_equal(*motions), (path, name)
    for name in plain.arrays:
        if name.startswith("diagnostics/"):
            assert np.array_equal(plain.arrays[name], other.arrays[name]), name


def test_a_body_does_not_feel_its_neighbours():
    """Alone or among others, a free body in the world moves the same to the bit; a window would split its steps."""
    bodies = every_kind()
    del bodies["ship"]["forces"][0]["during"]
    among = run(bodies, duration=0.5, **HOW)["probe"].world
    alone = run({"probe": every_kind()["probe"]}, duration=0.5, **HOW)["probe"].world
    assert np.array_equal(among.position, alone.position)
    assert np.array_equal(among.orientation, alone.orientation)
