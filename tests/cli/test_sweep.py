"""`rigidsim sweep`: what it prints, how it fails, and what it leaves behind."""

from __future__ import annotations

import json
import signal
import time

import numpy as np
import pytest
import xarray

import rigidsim
from rigidsim.sweeps.unfinished import done_of
from spinning_brick import SCENE, remains

MASS = "bodies.brick.mass"
SPRING = """\
    forces:
      - {type: spring, to: world, stiffness: "= stiffness"}
"""
STIFF = SCENE.replace("title:", "parameters: {stiffness: 1}\ntitle:").replace("    children:", f"{SPRING}    children:")


@pytest.fixture(scope="module", autouse=True)
def compiled_lanes():
    """Compile the kernels of blocks."""
    rigidsim.simulate([rigidsim.Scene.from_text(SCENE)] * 2)


def test_sweep_of_a_grid(call, workplace):
    answer = call("sweep", "scene.yaml", "--vary", f"{MASS}=[1, 2, 5]", "--vary", "simulation.duration=[0.5, 1]")
    assert answer.code == 0
    first, second, *_ = answer.err.splitlines()
    assert first == "3 x 2 = 6 runs: bodies.brick.mass 1, 2, 5, simulation.duration 0.5, 1"
    assert second.startswith("6 runs: about ") and second.endswith(" kB")
    assert answer.out.startswith("outputs/scene-sweep.h5: 6 runs\n")
    assert remains(workplace / "outputs") == {"scene-sweep.h5"}
    with rigidsim.load_sweep("outputs/scene-sweep.h5") as sweep:
        assert sweep.runs[MASS].tolist() == [1, 1, 2, 2, 5, 5]
        assert sweep.runs["end_time"].tolist() == [0.5, 1] * 3


def test_dry_run_leaves_nothing(call, workplace):
    answer = call("sweep", "scene.yaml", "--vary", f"{MASS}=1:2:1001", "--dry-run", "--json")
    found = json.loads(answer.out)
    assert answer.code == 0 and found["runs"] == 1001 and found["estimated_seconds"] > 0
    assert remains(workplace) <= {"scene.yaml", "outputs"} and not list((workplace / "outputs").iterdir())


@pytest.mark.parametrize("index", [0, 17])
def test_a_run_is_repeated_in_full(call, index):
    call("sweep", "scene.yaml", "--vary", f"{MASS}=1:2:20", "--set", "bodies.brick.velocity[0]=2", "-o", "s.h5")
    assert call("run", "scene.yaml", "--from", "s.h5", "--index", index, "-o", "r.h5").code == 0
    mass = np.linspace(1, 2, 20)[index]
    call("run", "scene.yaml", "--set", f"{MASS}={mass!r}".replace("np.float64(", "").rstrip(")"),
         "--set", "bodies.brick.velocity[0]=2", "-o", "e.h5")  # fmt: skip
    with rigidsim.load("r.h5") as r, rigidsim.load("e.h5") as e, rigidsim.load_sweep("s.h5") as sweep:
        assert r.content_hash == e.content_hash
        assert len(r.time) == 21
        for name in sweep.datasets:
            assert np.array_equal(sweep.array(name)[index], np.asarray(r.arrays[name])[-1])


def test_a_run_of_a_changed_scene_is_not_repeated(call, workplace):
    call("sweep", "scene.yaml", "--vary", f"{MASS}=1:2:3", "-o", "s.h5")
    (workplace / "scene.yaml").write_text(SCENE.replace("velocity: [1,", "velocity: [3,"))
    answer = call("run", "scene.yaml", "--from", "s.h5", "--index", "1")
    assert answer.code == 2 and "the scene has changed since the sweep" in answer.err
    assert call("run", "scene.yaml", "--from", "s.h5").code == 2
    answer = call("run", "scene.yaml", "--from", "s.h5", "--index", "3")
    assert answer.code == 2 and "there is no run 3; the runs are 0 to 2" in answer.err


@pytest.mark.parametrize("record", ["final", "0.1"])
def test_one_poisoned_variant_among_a_thousand(call, workplace, record):
    (workplace / "scene.yaml").write_text(STIFF)
    values = [str(1 + k) for k in range(1000)]
    values[617] = "1e12"  # a step of 10 ms is far too long for it
    (workplace / "runs.csv").write_text("\n".join(["stiffness", *values]))
    answer = call("sweep", "scene.yaml", "--table", "runs.csv", "-o", "s.h5", "-q", "--record", record)
    assert answer.code == 7
    first, second = answer.err.splitlines()
    assert first == "error: 1 of 1,000 runs failed; s.h5 has the results of the other 999"
    assert second.startswith("  run 617 (stiffness = 1000000000000.0): the ")
    assert "brick" in second and " t = " in second
    with rigidsim.load_sweep("s.h5") as sweep:
        good = sweep.runs["status"] == "complete"
        assert np.flatnonzero(~good).tolist() == [617]
        assert np.isfinite(sweep.array("world/position")[good]).all()
    alone = call("run", "scene.yaml", "--set", "stiffness=1e12", "-q")
    assert alone.code == 4 and second.partition("): ")[2] in alone.err
    assert "run 617" in call("inspect", "s.h5").out
    again = ["sweep", "scene.yaml", "--table", "runs.csv", "-o", "s.h5", "-q", "--record", record]
    assert call(*again, "--retry-failed").code == 7


def test_what_could_be_taken_for_a_mistake_is_none(call):
    """Not all parts of a plan are equally long; the texts of metrics may vary."""
    assert call("sweep", "scene.yaml", "--vary", f"{MASS}=1:2:3", "--part", "4/5").code == 0
    texts = "metrics.m=[\"= final(x('brick'))\", \"= final(y('brick'))\"]"
    assert call("sweep", "scene.yaml", "--vary", texts, "--dry-run").code == 0


def test_duplicates_are_noted(call):
    answer = call("sweep", "scene.yaml", "--vary", f"{MASS}=[1, 2, 1]", "--dry-run")
    assert "note: 1 of 3 runs have the same values as an earlier one" in answer.out


def test_resuming_where_nothing_was_kept_begins_and_says_so(call):
    plan = ("sweep", "scene.yaml", "--vary", "bodies.brick.mass=1:2:2", "-o", "s.h5", "--resume")
    code, out, err = call(*plan)
    assert (code, err.splitlines()[0]) == (
        0, "s.h5: nothing was kept of an earlier sweep; this one begins from the start",
    )  # fmt: skip
    assert "2 computed" in out
    assert "nothing was kept" not in call(*plan).err


def test_resume_with_a_changed_scene_is_refused(call, workplace):
    plan = ["--vary", f"{MASS}=1:2:3", "-o", "s.h5"]
    assert call("sweep", "scene.yaml", *plan).code == 0
    again = call("sweep", "scene.yaml", *plan, "--resume")
    assert again.code == 0 and again.out == "s.h5: 3 runs\n"
    assert "s.h5 exists already; use --force" in call("sweep", "scene.yaml", *plan).err
    (workplace / "scene.yaml").write_text(SCENE.replace("velocity: [1,", "velocity: [3,"))
    answer = call("sweep", "scene.yaml", *plan, "--resume")
    assert answer.code == 5 and "s.h5 cannot be resumed: the scene has changed since" in answer.err


def test_signal_keeps_what_is_done(spawn, call, workplace):
    plan = ["sweep", "scene.yaml", "--vary", f"{MASS}=1:2:200000", "-o", "s.h5", "--threads", "1", "--step", "1e-3"]
    plan = [word for word in plan if word not in ("--step", "1e-3")] + ["--set", "simulation.step=0.001"]
    process = spawn(*plan)
    while done_of(workplace / "s.h5") == 0:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    last = err.splitlines()[-1]
    assert last.startswith("interrupted by SIGINT after ")
    assert "continue with: rigidsim sweep scene.yaml --vary" in last and last.endswith("--resume")
    assert 0 < done_of(workplace / "s.h5") < 200_000
    answer = call(*plan, "-q")
    assert answer.code == 5 and "--resume continues, --force begins again" in answer.err
    answer = call("inspect", "s.h5")
    assert answer.code == 0 and " complete, " in answer.out and " missing; the last state of each run" in answer.out
    assert answer.out.endswith("the sweep is not complete: --resume continues it\n")
    assert call("run", "scene.yaml", "--from", "s.h5", "--index", "199999", "--set", "simulation.step=0.001").code == 0


def test_the_file_opens_in_xarray(call):
    call("sweep", "scene.yaml", "--vary", f"{MASS}=1:2:3", "--record", "0.5", "-o", "s.h5")
    with xarray.open_dataset("s.h5", group="world", engine="h5netcdf") as opened:
        assert opened.position.dims == ("run", "time", "body", "xyz")
        assert opened.position.sel(body="brick", xyz="x").values.shape == (3, 3)
        assert opened.position.attrs["units"] == "m"
    with rigidsim.load_sweep("s.h5") as sweep:
        labelled = sweep.to_xarray()
        assert labelled.world_position.sel(run=1, body="brick", time=1.0).shape == (3,)
        assert labelled.coords[MASS].values.tolist() == [1, 1.5, 2]
        assert np.array_equal(labelled.world_position.values, sweep.array("world/position"))
        table = sweep.to_pandas()
        assert table.loc[1, MASS] == 1.5 and table.loc[1, "status"] == "complete"


def test_parts_are_joined(call, workplace):
    plan = ["sweep", "scene.yaml", "--vary", f"{MASS}=[1, 2, -5, 3, 4]"]
    parts = [f"outputs/scene-sweep-{k}-of-2.h5" for k in (2, 1)]
    assert [call(*plan, "-q", "--part", f"{k}/2").code for k in (1, 2)] == [0, 7]
    call(*plan, "-q", "-o", "whole.h5")
    answer = call("assemble", *parts, "-o", "joined.h5")
    assert answer.code == 7 and answer.out == "joined.h5: 5 runs, 1 failed\n"
    assert answer.err.startswith("error: 1 of 5 runs failed; joined.h5 has the results of the other 4\n  run 2 (")
    found = json.loads(call("assemble", *parts, "-o", "joined.h5", "--force", "--json").out)
    with rigidsim.load_sweep("whole.h5") as whole:
        assert found["content_hash"] == whole.content_hash
    assert call("assemble", *parts, "-o", "joined.h5").code == 5
    assert "0 computed" not in call(*plan, "-o", "joined.h5", "--resume").out
    answer = call("assemble", parts[0], "-o", "half.h5")
    assert answer.code == 2 and "runs 0 to 1 are in none of the files" in answer.err
    assert remains(workplace) == {"scene.yaml", "outputs", "whole.h5", "joined.h5"}


def test_runs_of_other_bodies_have_no_states(call, workplace):
    (workplace / "scene.yaml").write_text(
        SCENE.replace("    children:", "    repeat: {line: 2, spacing: [9, 0, 0]}\n    children:")
    )
    plan = ["sweep", "scene.yaml", "--vary", "bodies.brick.repeat.line=1:3:3"]
    answer = call(*plan)
    assert answer.code == 2 and "record metrics only: --metric NAME='= ...' --record metrics" in answer.err
    answer = call(*plan, "--metric", "end== final(x('brick_0'))", "--record", "metrics")
    assert answer.code == 0 and answer.out.startswith("outputs/scene-sweep.h5: 3 runs\n")


@pytest.fixture
def under_way(spawn, workplace):
    """A long sweep that runs in another process, and has results."""
    plan = ["sweep", "scene.yaml", "--vary", f"{MASS}=1:2:200000", "-o", "s.h5", "--threads", "1", "-q"]
    process = spawn(*plan, "--set", "simulation.step=0.001")
    while done_of(workplace / "s.h5") == 0:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    return process


def test_a_sweep_that_is_running_is_not_said_to_be_interrupted(call, workplace, under_way):
    for options in ([], ["--resume"], ["--force"], ["--retry-failed"]):
        answer = call("sweep", "scene.yaml", "--vary", f"{MASS}=1:2:200000", "-o", "s.h5", *options)
        assert answer.code == 5 and answer.err.startswith("error: another process is writing s.h5: ")
        assert " runs of a sweep are done; wait for its end, or use -o to write to another path\n" in answer.err
        assert under_way.poll() is None
    with pytest.raises(rigidsim.RigidsimError, match="another process is writing"):
        rigidsim.sweep("scene.yaml", vary={MASS: [1, 2]}, path="s.h5", force=True)
    assert call("inspect", "s.h5").out.endswith("the sweep is not complete: a process is running it\n")
    assert "another process is writing a" in call("run", "scene.yaml", "-o", "s.h5").err.replace("s.h5", "a")
    assert under_way.poll() is None


def test_a_sweep_whose_file_is_removed_ends_at_once(workplace, under_way):
    (workplace / ".s.h5.tmp").unlink()
    _, err = under_way.communicate(timeout=60)
    assert under_way.returncode == 5
    assert err.endswith("error: .s.h5.tmp was removed or replaced during the sweep; its results are lost\n")
    assert remains(workplace) == {"scene.yaml"}


def test_the_result_of_a_sweep_is_no_trajectory(call):
    call("sweep", "scene.yaml", "--vary", f"{MASS}=1:2:3", "-o", "s.h5")
    for command in (["explain", "s.h5", "brick", "--at", "0"], ["view", "s.h5"], ["video", "s.h5"]):
        answer = call(*command)
        assert answer.code == 2
        assert answer.err.startswith(
            "error: s.h5 is the result file of a sweep, not a trajectory; rigidsim run SCENE --from"
        )
    with pytest.raises(rigidsim.RigidsimError) as caught:
        rigidsim.load("s.h5")
    assert str(caught.value) == "s.h5 is the result file of a sweep, not a trajectory; rigidsim.load_sweep opens it"
    call("run", "scene.yaml", "-o", "r.h5")
    with pytest.raises(rigidsim.RigidsimError) as caught:
        rigidsim.load_sweep("r.h5")
    assert str(caught.value) == "r.h5 is a trajectory, not the result file of a sweep; rigidsim.load opens it"


def test_duration_step_and_integrator_are_those_of_run(call):
    options = ["--duration", "200 ms", "--step", "0.002", "--integrator", "magnus2"]
    assert call("sweep", "scene.yaml", "--vary", f"{MASS}=[1, 2]", *options, "-q", "-o", "s.h5").code == 0
    assert call("run", "scene.yaml", *options, "--set", f"{MASS}=2", "-q", "-o", "r.h5").code == 0
    with rigidsim.load_sweep("s.h5") as sweep, rigidsim.load("r.h5") as trajectory:
        assert np.array_equal(sweep.array("world/position")[1, 0], trajectory["brick"].world.position[-1])
        assert sweep.scene.simulation.duration == trajectory.time[-1] == 0.2
        assert sweep.scene.simulation.integrator.name == "magnus2"
    assert call("sweep", "scene.yaml", "--vary", f"{MASS}=[1, 2]", "--step", "no", "-q", "-o", "t.h5").code == 3
