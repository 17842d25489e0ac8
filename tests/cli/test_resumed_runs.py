"""A run that was ended goes on with the bits of an undisturbed one, and a complete one beyond its end."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path

import h5py
import pytest

import rigidsim
from kill_runs import JOINTED, LONG, REPARENTED, SCENES, TOUCHING
from spinning_brick import remains


@pytest.mark.parametrize("scene", ["reparented", pytest.param("touching", marks=pytest.mark.slow)])
def test_ended_run_goes_on(tmp_path, scene):
    assert "resumed: " in outcomes_of(tmp_path, scene, 2)


@pytest.mark.slow
@pytest.mark.parametrize("scene", SCENES)
def test_run_ended_at_any_moment_goes_on(tmp_path, scene):
    outcomes_of(tmp_path, scene, 100)


def outcomes_of(folder: Path, scene: str, times: int) -> str:
    folder = folder / "ended"
    folder.mkdir()
    command = [sys.executable, Path(__file__).with_name("kill_runs.py"), folder, scene, str(times)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1800)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def write(workplace):
    """Write a scene: `write(SCENE)`."""
    return lambda scene: Path("s.json").write_text(rigidsim.Scene.from_dict(scene).source)


def content_hash(path: str) -> tuple[str, dict[str, float]]:
    with rigidsim.load(path) as trajectory:
        assert trajectory.content_hash == trajectory.stored_hash
        return trajectory.stored_hash, trajectory.metrics


@pytest.mark.parametrize(
    ("scene", "times"),
    [
        (REPARENTED, ("0.7", "0.3", "1")),
        (TOUCHING, ("0.305", "0.1", "0.195")),
        (JOINTED, ("0.304", "0.1", "0.196")),
    ],
)
def test_extended_run_is_one_run(call, write, scene, times):
    write(scene)
    assert call("run", "s.json", "-o", "whole.h5", "-q").code == 0
    assert call("run", "s.json", "-o", "a.h5", "-q", "--duration", times[0]).code == 0
    for more in times[1:]:
        assert call("run", "s.json", "-o", "a.h5", "-q", "--extend", more).code == 0
    assert content_hash("a.h5") == content_hash("whole.h5")
    with rigidsim.load("a.h5") as trajectory:
        before = json.loads(trajectory.header.provenance["earlier"])
        assert before["until"] == f"{float(times[0]) + float(times[1]):.9g} s"
        assert json.loads(before["earlier"])["until"] == f"{times[0]} s"


def test_a_body_that_gets_a_joint_after_the_end_gets_it_in_an_extended_run(call, write):
    """The file of the short run has the joint, with no sample of it, and can be read."""
    solid = {"mass": 2.0, "inertia": {"principal": [1, 1, 1]}}
    bodies = {
        "free": solid | {"position": [1, 0, 0]},
        "arm": solid | {"motion": {"hinge": {"axis": [0, 0, 1], "rate": 0.4}}},
    }
    change = {"time": 0.15, "body": "free", "to": "arm", "motion": {"hinge": {"axis": [1, 0, 0]}}}
    simulation = {"duration": 0.4, "step": 0.002, "record_every": 0.1}
    write({"format": "rigidsim/1", "simulation": simulation, "bodies": bodies, "reparent": [change]})
    call("run", "s.json", "-o", "whole.h5", "-q")
    call("run", "s.json", "-o", "a.h5", "-q", "--duration", "0.1")
    assert call("inspect", "a.h5").code == 0
    assert call("run", "s.json", "-o", "a.h5", "-q", "--extend", "0.3").code == 0
    assert content_hash("a.h5") == content_hash("whole.h5")


@pytest.mark.parametrize("method", ["adaptive", "taylor"])
def test_what_is_scheduled_after_the_end_happens_in_an_extended_run(call, write, method):
    """These methods choose their steps: the end is an edge of the short run, and no edge of the long one."""
    drop = {"mass": 2.0, "inertia": {"principal": [1, 1, 1]}}
    struck = drop | {"impulses": [{"time": 0.4, "impulse": [2, 0, 0]}, {"time": 0.7, "impulse": [0, 4, 0]}]}
    taken = {"time": 0.6, "body": "left", "to": "struck", "motion": "fixed"}
    simulation = {"duration": 1, "record_every": 0.1, "integrator": method}
    bodies = {"struck": struck, "left": drop | {"position": [3, 0, 0]}}
    write({"format": "rigidsim/1", "simulation": simulation, "bodies": bodies, "reparent": [taken]})
    call("run", "s.json", "-o", "whole.h5", "-q")
    call("run", "s.json", "-o", "a.h5", "-q", "--duration", "0.3")
    for more in ("0.2", "0.5"):
        assert call("run", "s.json", "-o", "a.h5", "-q", "--extend", more).code == 0
    with rigidsim.load("whole.h5") as whole, rigidsim.load("a.h5") as extended:
        times = [[event.time for event in one.events] for one in (whole, extended)]
        assert times[0] == times[1] == pytest.approx([0.4, 0.6, 0.7])
        far = extended["struck"].world.position - whole["struck"].world.position
        assert abs(far).max() < 1e-12  # sums of a few lengths of 1 m


def test_report_is_that_of_the_whole_run(call, write):
    write(TOUCHING)
    whole = json.loads(call("run", "s.json", "-o", "whole.h5", "--json").out)
    call("run", "s.json", "-o", "a.h5", "-q", "--duration", "0.305")
    extended = json.loads(call("run", "s.json", "-o", "a.h5", "--json", "--extend", "0.295").out)
    for name in ("samples", "steps", "last", "contact", "metrics", "content_hash", "drift"):
        assert extended[name] == whole[name]


@pytest.mark.slow
def test_full_disk_leaves_a_run_to_resume(shell, write, workplace):
    from test_storage import limited_to

    write(LONG)
    call = ("run", "s.json", "-q", "-o")
    assert shell(*call, "whole.h5").code == 0
    size = Path("whole.h5").stat().st_size
    assert shell(*call, "a.h5", preexec_fn=limited_to(size * 3 // 4)).code == 5
    with rigidsim.load("a.h5") as trajectory:
        assert trajectory.status == "failed"
    assert shell(*call, "a.h5", "--resume").code == 0
    assert content_hash("a.h5") == content_hash("whole.h5")
    assert remains(workplace) == {"scene.yaml", "s.json", "a.h5", "whole.h5"}


def leave_unfinished(write, scene: dict = REPARENTED, blocks: int = 60, **versions: str) -> None:
    """What a run leaves that is killed after a checkpoint; perhaps of another version."""
    from rigidsim.simulation.single import Simulation
    from rigidsim.trajectory.writer import Writer

    write(scene)
    simulation = Simulation("s.json")
    header = replace(simulation.header, provenance=simulation.header.provenance | versions)
    with Writer("a.h5", header, simulation.n_sample) as writer:
        for block in islice(simulation.blocks(every=0.0), blocks):  # of one sample
            writer.append(block)
        writer.commit(simulation.events, simulation.metrics)


def test_what_a_killed_run_left_is_not_lost_by_mistake(call, write, workplace):
    leave_unfinished(write)
    code, _, err = call("run", "s.json", "-o", "a.h5")
    assert code == 5
    assert err.startswith("error: a.h5: there are samples of a run that was interrupted")
    assert call("run", "s.json", "-o", "a.h5", "-q", "--force").code == 0
    assert remains(workplace) == {"scene.yaml", "s.json", "a.h5"}


HULLS = {
    "format": "rigidsim/1",
    "simulation": {"duration": 1.5, "step": 2e-3, "record_every": 4e-3},
    "world": {"gravity": [0, 0, -9.81]},
    "bodies": {
        "floor": {"shapes": [{"type": "plane"}]},
        "lower": {"mass": 1, "shapes": [{"type": "hull", "file": "part.off"}], "position": [0, 0, 0.12]},
        "upper": {"mass": 1, "shapes": [{"type": "hull", "file": "part.off"}], "position": [0.02, 0.01, 0.45]},
    },
}
PART = "OFF\n5 1 0\n0.2 0 -0.1\n-0.1 0.2 -0.1\n-0.1 -0.2 -0.1\n0.1 0 0.1\n-0.1 0 0.12\n3 0 1 2\n"


@pytest.mark.slow
def test_killed_run_of_hulls_from_a_file_goes_on(call, write, workplace):
    """The checkpoint has the features of the last step."""
    pytest.importorskip("trimesh")
    Path("part.off").write_text(PART)
    leave_unfinished(write, HULLS, 4)
    call("run", "s.json", "-o", "whole.h5", "-q")
    assert call("run", "s.json", "-o", "a.h5", "-q", "--resume").code == 0
    assert content_hash("a.h5") == content_hash("whole.h5")
    with rigidsim.load("a.h5") as trajectory:
        assert any(set(event.bodies) == {"lower", "upper"} for event in trajectory.events)


@pytest.mark.parametrize("scene", [REPARENTED, JOINTED], ids=["reparented", "jointed"])
def test_killed_run_is_recovered_and_goes_on(call, write, workplace, scene):
    leave_unfinished(write, scene)
    code, out, _ = call("recover", "a.h5")
    assert code == 0
    assert out.startswith("a.h5: ") and out.endswith("; `rigidsim run --resume` goes on with it\n")
    with rigidsim.load("a.h5") as trajectory:
        assert (trajectory.status, trajectory.message) == ("interrupted", "the process was killed")
        assert set(trajectory.metrics) == {"top", "kicks"}
    assert call("recover", "a.h5")[::2] == (
        5, "error: a.h5: there is nothing to recover: no run of it was killed after its first checkpoint\n",
    )  # fmt: skip
    assert call("run", "s.json", "-o", "a.h5", "-q", "--resume").code == 0
    call("run", "s.json", "-o", "whole.h5", "-q")
    assert content_hash("a.h5") == content_hash("whole.h5")


def test_what_is_recovered_of_another_version_is_not_said_to_go_on(call, write, workplace):
    leave_unfinished(write, rigidsim="0.9.0")
    of_other = f"was written by rigidsim 0.9.0, this is {rigidsim.__version__}"
    code, out, _ = call("recover", "a.h5")
    assert code == 0 and out.endswith(f" s; it {of_other}, so no run goes on with it\n")
    refused = call("run", "s.json", "-o", "a.h5", "--resume")
    assert refused[::2] == (2, f"error: a.h5 {of_other}; --force begins again\n")


@pytest.mark.parametrize("command", [("recover", "a.h5"), ("run", "s.json", "-o", "a.h5", "--resume")])
def test_what_another_version_left_is_refused_and_kept(call, write, workplace, command):
    """Its events are in other tables, and would be lost."""
    leave_unfinished(write)
    begun = Path(".a.h5.tmp").read_bytes()
    assert begun.count(b"rigidsim-trajectory/5") == 1
    Path(".a.h5.tmp").write_bytes(begun.replace(b"rigidsim-trajectory/5", b"rigidsim-trajectory/4"))
    before = remains(workplace)
    code, _, err = call(*command)
    assert code == 6 and err.count("\n") == 1
    assert err.startswith("error: a.h5 was begun by another version of rigidsim, in rigidsim-trajectory/4;")
    assert remains(workplace) == before


@pytest.mark.parametrize("left", ["nothing", "a file without a checkpoint"])
def test_resuming_where_nothing_was_kept_begins_and_says_so(call, write, left):
    write(REPARENTED)
    if left != "nothing":
        with h5py.File(".a.h5.tmp", "w") as file:  # as of a process that was killed in its first second
            file["time"] = [0.0]
    assert call("run", "s.json", "-o", "whole.h5", "-q").code == 0
    code, out, err = call("run", "s.json", "-o", "a.h5", "--resume")
    assert (code, err) == (0, "a.h5: nothing was kept of an earlier run; this one begins from the start\n")
    assert content_hash("a.h5") == content_hash("whole.h5") and "a.h5" in out
    assert call("run", "s.json", "-o", "b.h5", "--resume", "-q").err == ""
    code, out, err = call("run", "s.json", "-o", "none/a.h5", "--resume", "-q")
    assert (code, err) == (5, "error: the folder none does not exist\n")


def test_first_checkpoint_comes_after_a_second_and_later_ones_every_ten(monkeypatch):
    """Of a run with four blocks a second, whose checkpoints take no time; then of one whose take a second each."""
    from types import SimpleNamespace

    from rigidsim.runner import run

    for seconds, expected in ((0.0, [1.0, 11.0, 21.0]), (1.0, [1.0, 52.0])):
        now, made = [0.0], []
        monkeypatch.setattr(run.time, "monotonic", lambda now=now: now[0])

        def commit(*_, now=now, made=made, seconds=seconds):
            made.append(now[0])
            now[0] += seconds

        writer = SimpleNamespace(commit=commit)
        simulation = SimpleNamespace(events=None, metrics=None, contact_ledger=None, time=2.0)
        checkpoints = run._Checkpoints(writer, simulation)
        while now[0] < (30.0 if seconds == 0 else 90.0):
            now[0] += 0.25
            checkpoints.after(SimpleNamespace(time=[1.0]))
        assert made == expected


REFUSED = {
    "done.h5 is complete; --extend TIME continues it beyond its end": (5, ("-o", "done.h5", "--resume")),
    "done.h5 is of another run: bodies.a.mass is 1.0 in it and 2.0 now; --force begins again": (
        2, ("-o", "done.h5", "--extend", "1", "--set", "bodies.a.mass=2"),
    ),
    "done.h5 is of another run: other quantities are recorded in it; --force begins again": (
        2, ("-o", "done.h5", "--extend", "1", "--terms"),
    ),
    "--extend 0: expected a positive time": (2, ("-o", "done.h5", "--extend", "0")),
    "--force begins again, --resume and --extend continue; use one of them": (2, ("--resume", "--force")),
    "--extend gives the duration, of a complete run; leave out --resume and --duration": (
        2, ("--extend", "1", "--duration", "3"),
    ),
    "saved.h5 has no checkpoint to continue from; --force begins again": (5, ("-o", "saved.h5", "--extend", "1")),
}  # fmt: skip


def test_what_cannot_go_on_is_refused_in_one_sentence(call, write):
    write(REPARENTED)
    call("run", "s.json", "-o", "done.h5", "-q", "--duration", "0.1")
    rigidsim.simulate(rigidsim.Scene.from_file("s.json", ["simulation.duration=0.1"])).save("saved.h5")
    for message, (code, options) in REFUSED.items():
        answer = call("run", "s.json", *options)
        assert (answer.code, answer.err.splitlines()[-1]) == (code, f"error: {message}")


def test_other_scene_or_version_is_refused(call, write, monkeypatch):
    leave_unfinished(write)
    code, _, err = call("run", "s.json", "-o", "a.h5", "--resume", "--step", "2e-3")
    assert (code, err.startswith("error: a.h5 is of another run: simulation.step is 0.001 in it")) == (2, True)
    monkeypatch.setattr("rigidsim.__version__", "9.9.9")
    from rigidsim.trajectory.provenance import provenance

    provenance.cache_clear()
    try:
        code, _, err = call("run", "s.json", "-o", "a.h5", "--resume")
    finally:
        provenance.cache_clear()
    assert code == 2
    assert err.endswith("this is 9.9.9; --force begins again\n")


def test_damaged_checkpoint_is_reported(call, write):
    leave_unfinished(write)
    content = Path(".a.h5.resume").read_bytes()
    Path(".a.h5.resume").write_bytes(content[: len(content) // 2])
    code, _, err = call("run", "s.json", "-o", "a.h5", "--resume")
    assert (code, err.startswith("error: .a.h5.resume is damaged: its checkpoint cannot be read")) == (6, True)


@pytest.mark.parametrize("steps", [1, 2], ids=["other chunks", "no filters"])
@pytest.mark.parametrize("command", [("recover", "a.h5"), ("run", "s.json", "-o", "a.h5", "--resume")])
def test_samples_stored_otherwise_than_the_checkpoint_says_are_reported(call, write, command, steps):
    leave_unfinished(write, blocks=1)
    with h5py.File(".a.h5.tmp", "r+") as file:
        (rows, *rest), shape = file["world/velocity"].chunks, file["world/velocity"].shape
        del file["world/velocity"]
        file.create_dataset(
            "world/velocity", shape, "f8", chunks=(rows * steps // 2, *rest), maxshape=(None, *shape[1:])
        )
    expected = "error: .a.h5.tmp is damaged: world/velocity is not stored in the chunks of its checkpoint\n"
    assert call(*command)[::2] == (6, expected)


def test_changed_checkpoint_in_a_file_is_reported(call, write):
    write(REPARENTED)
    call("run", "s.json", "-o", "a.h5", "-q", "--duration", "0.1")
    with h5py.File("a.h5", "r+") as file:
        file["checkpoint"][10] ^= 1
    code, _, err = call("run", "s.json", "-o", "a.h5", "--extend", "1")
    assert (code, err.splitlines()[-1]) == (6, "error: a.h5 is damaged: its checkpoint does not match its sha256")


@pytest.mark.parametrize("target", ["/checkpoint", "/scene"], ids=["circle", "elsewhere"])
def test_link_in_place_of_a_checkpoint_is_reported(call, write, target):
    write(REPARENTED)
    call("run", "s.json", "-o", "a.h5", "-q", "--duration", "0.1")
    with h5py.File("a.h5", "r+") as file:
        del file["checkpoint"]
        file["checkpoint"] = h5py.SoftLink(target)
    code, _, err = call("run", "s.json", "-o", "a.h5", "--extend", "1")
    assert (code, err.splitlines()[-1]) == (6, "error: a.h5 is damaged: checkpoint is a link to elsewhere")


def test_run_under_way_is_not_disturbed(spawn, call, write, workplace):
    first = spawn("run", "scene.yaml", "-o", "a.h5", "--duration", "1e6", "--record-every", "1e3")
    while not (workplace / ".a.h5.tmp").exists():
        assert first.poll() is None, first.communicate()
        time.sleep(0.01)
    time.sleep(0.3)
    for command in (["run", "scene.yaml", "-o", "a.h5", "--resume"], ["run", "scene.yaml", "-o", "a.h5", "--force"]):
        assert call(*command)[::2] == (5, "error: another process is writing a.h5\n")
    first.send_signal(signal.SIGINT)
    assert first.wait(timeout=60) == 130
