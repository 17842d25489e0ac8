"""`rigidsim diff` and `rigidsim hash`: whether results are the same, and where they are not."""

from __future__ import annotations

import json

import h5py
import numpy as np
import pytest

import rigidsim
from rigidsim.analysis.differences import Comparison, Difference
from rigidsim.trajectory.trajectory import Trajectory
from spinning_brick import SAMPLES


def altered(source: str, target: str, provenance: dict | None = None, **changes) -> None:
    """A copy of a trajectory in which `changes` were made to the arrays by functions; `/` is `_of_`."""
    from dataclasses import replace

    with rigidsim.load(source) as whole:
        arrays = {name: np.array(array) for name, array in whole.arrays.items()}
        for name, change in changes.items():
            change(arrays[name.replace("_of_", "/")])
        header = replace(whole.header, provenance={**whole.header.provenance, **(provenance or {})})
        Trajectory(header, arrays, whole.status).save(target)


def flip_last_bit(place):
    def change(array):
        array.view(np.int64)[place] ^= 1

    return change


@pytest.fixture
def history(made):
    made("run.h5", "a.h5")
    return "a.h5"


def test_equal_results_say_so(call, history, made):
    made("run.h5", "b.h5")
    code, out, err = call("diff", "a.h5", "b.h5")
    with rigidsim.load("a.h5") as trajectory:
        stored = trajectory.stored_hash
    expected = f"a.h5 and b.h5 have equal results: {SAMPLES} samples, content hash {stored}\n"
    assert (code, out, err) == (0, expected, "")
    assert json.loads(call("diff", "a.h5", "b.h5", "--json").out)["equal"] is True


def test_results_do_not_depend_on_compression_and_are_compared_by_values(call, history):
    with rigidsim.load("a.h5") as whole:
        whole.save("b.h5", compression="none")
    assert call("diff", "a.h5", "b.h5").code == 0


def test_another_number_in_the_scene(call, history):
    assert call("run", "scene.yaml", "-q", "-o", "b.h5", "--set", "bodies.brick.angular_velocity[1]=2.5").code == 0
    code, out, err = call("diff", "a.h5", "b.h5")
    inputs, first, largest = out.splitlines()
    assert (code, err) == (1, "")
    assert inputs == "inputs: bodies.brick.angular_velocity.value[1] is 2.0 and 2.5 (the text of the scene is the same)"
    assert first.startswith("first difference: sample 0, t = 0 s: brick local/angular_velocity.y is 2.0 and 2.5, ")
    assert first.endswith(" ULP apart")
    assert (
        largest.startswith("largest deviation: ") and " m (brick/mark at t = " in largest and " rad (brick" in largest
    )


def test_another_version_alone(call, history):
    altered("a.h5", "b.h5", provenance={"rigidsim": "0.1.0"})
    code, out, _ = call("diff", "a.h5", "b.h5")
    assert code == 0
    assert out.splitlines()[1] == f"inputs: rigidsim is {rigidsim.__version__} and 0.1.0"


def test_one_flipped_bit(call, history):
    altered("a.h5", "b.h5", world_of_position=flip_last_bit((7, 1, 2)))
    code, out, _ = call("diff", "a.h5", "b.h5")
    inputs, first, largest = out.splitlines()
    assert code == 1
    assert inputs == "inputs: no scene, version or machine differs"
    assert first.startswith("first difference: sample 7, t = 0.35 s: brick/mark world/position.z is ")
    assert first.endswith(", 1 ULP apart")
    assert largest.endswith("e-16 m (brick/mark at t = 0.35 s)")
    reported = json.loads(call("diff", "a.h5", "b.h5", "--json").out)
    assert (reported["first_difference"]["row"], reported["first_difference"]["ulps"]) == (7, 1)
    assert [each["body"] for each in reported["deviations"]] == ["brick/mark"]


def test_a_bit_flipped_in_the_file_is_damage(call, history, made, workplace):
    """Though both files have the same content hash."""
    content = bytearray(made("run.h5", "b.h5"))
    with h5py.File("b.h5") as file:
        chunk = file["local/velocity"].id.get_chunk_info(0)
    content[chunk.byte_offset + chunk.size // 2] ^= 1
    (workplace / "b.h5").write_bytes(content)
    code, out, err = call("diff", "a.h5", "b.h5")
    assert (code, out) == (6, "")
    assert err.startswith("error: b.h5 is damaged: local/velocity: ")


def test_only_energies_differ(call, history):
    altered("a.h5", "b.h5", diagnostics_of_work=flip_last_bit(3))
    code, out, _ = call("diff", "a.h5", "b.h5")
    assert code == 1
    assert out.splitlines()[1].startswith(
        "first difference: sample 3, t = 0.15 s: diagnostics/work is 0.0 and 5e-324, 1 ULP"
    )
    assert out.splitlines()[2] == "largest deviation: none in the world"


def test_samples_of_either_run_may_be_those_farther_apart(call, history):
    """One run has successive samples at the times that both have, the other has more between them."""
    assert call("run", "scene.yaml", "-q", "-o", "b.h5", "--record-every", "0.1").code == 0
    for pair in (("a.h5", "b.h5"), ("b.h5", "a.h5")):
        code, out, err = call("diff", *pair)
        assert (code, err) == (1, "")
        assert "; 11 of the same time are compared" in out
        assert out.endswith("no number differs in what both have\n")


def test_a_shorter_run_and_other_samples(call, history):
    assert call("run", "scene.yaml", "-q", "-o", "b.h5", "--duration", "0.5", "--record-every", "0.1").code == 0
    code, out, _ = call("diff", "a.h5", "b.h5")
    assert code == 1
    _, samples, last = out.splitlines()
    assert samples == f"samples: {SAMPLES} samples to 1 s and 6 samples to 0.5 s; 6 of the same time are compared"
    assert last == "no number differs in what both have"


def test_bodies_that_only_one_has(call, history, workplace):
    text = (workplace / "scene.yaml").read_text()
    (workplace / "other.yaml").write_text(text.replace("mark:", "sign:"))
    assert call("run", "other.yaml", "-q", "-o", "b.h5").code == 0
    lines = call("diff", "a.h5", "b.h5").out.splitlines()
    assert lines[1:3] == ["only in a.h5: brick/mark", "only in b.h5: brick/sign"]
    assert "the text" not in lines[0]


def test_hashes_are_those_that_run_and_sweep_tell(call, history, made):
    made("sweep.h5", "s.h5")
    reported = [json.loads(call("inspect", name, "--json").out)["content_hash"] for name in ("a.h5", "s.h5")]
    for more in ([], ["--verify"]):
        code, out, err = call("hash", "a.h5", "s.h5", *more)
        assert (code, out, err) == (0, f"{reported[0]}  a.h5\n{reported[1]}  s.h5\n", "")
    files = json.loads(call("hash", "a.h5", "s.h5", "--json").out)["files"]
    assert files == [{"file": name, "content_hash": one} for name, one in zip(("a.h5", "s.h5"), reported, strict=True)]


def test_each_file_is_hashed_whatever_becomes_of_the_others(call, shell, history, made):
    made("run.h5", "b.h5")
    with h5py.File("b.h5", "r+") as file:
        file["world/velocity"][3, 0, 1] += 1e-12
    files = ["none.h5", "scene.yaml", "a.h5", "b.h5"]
    code, out, err = shell("hash", *files)  # h5py must survive the end of the process, too
    assert code == 6
    assert [line.split()[1] for line in out.splitlines()] == ["a.h5", "b.h5"]
    assert [line.partition(" ")[2].split()[0] for line in err.splitlines()] == ["none.h5", "scene.yaml"]
    code, _, err = call("hash", "--verify", "b.h5")
    assert code == 6
    assert err.startswith("error: b.h5 is damaged: world/velocity")
    answers = json.loads(call("hash", *files, "--json").out)["files"]
    assert [one["content_hash"] is None for one in answers] == [True, True, False, False]


def test_windows_change_nothing(history, monkeypatch):
    def change(array):
        array[9:, 0, 1] += 1e-3

    altered("a.h5", "b.h5", world_of_position=change)
    found = []
    for limit in (32e6, 200.0):
        monkeypatch.setattr("rigidsim.trajectory.windows.WINDOW_BYTES", limit)
        with rigidsim.load("a.h5") as first, rigidsim.load("b.h5") as second:
            comparison = Comparison(first, second)
            found.append((comparison.first_difference, comparison.deviations()))
    assert found[0] == found[1]
    assert (found[0][0].row, found[0][0].body, found[0][0].component) == (9, "brick", "y")
    assert found[0][1][0].distance == pytest.approx(1e-3, rel=1e-9) and found[0][1][1].distance == 0


@pytest.mark.parametrize(
    ("values", "ulps"),
    [
        ((1.0, np.nextafter(1.0, 2)), 1),
        ((0.0, -0.0), 0),
        ((-5e-324, 5e-324), 2),
        ((-1.0, -1.0 - 2**-52), 1),
        ((1.0, 2.0), 2**52),
        ((1.0, float("nan")), None),
        ((1, 2), None),
    ],
)
def test_ulps(values, ulps):
    assert Difference("", 0, None, "", "", values).ulps == ulps


def test_contact_and_reparentings_are_compared(call, workplace):
    """Two balls that meet, and one that is attached a little later."""
    text = """\
format: rigidsim/1
simulation: {duration: 0.5, step: 0.01}
bodies:
  ball: {mass: 1, velocity: [1, 0, 0], shapes: [{type: sphere, radius: 0.1}], material: {restitution: 0.5}}
  wall: {position: [0.4, 0, 0], shapes: [{type: sphere, radius: 0.1}]}
  far: {mass: 1, position: [9, 0, 0], inertia: {principal: [1, 1, 1]}}
reparent:
  - {time: 0.3, body: far, to: wall}
"""
    (workplace / "meet.yaml").write_text(text)
    (workplace / "later.yaml").write_text(text.replace("time: 0.3", "time: 0.4"))
    assert call("run", "meet.yaml", "-q", "-o", "a.h5", "--contacts").code == 0
    assert call("run", "meet.yaml", "-q", "-o", "b.h5", "--contacts").code == 0
    assert call("run", "later.yaml", "-q", "-o", "later.h5", "--contacts").code == 0
    assert call("diff", "a.h5", "b.h5").code == 0
    out = call("diff", "a.h5", "later.h5").out
    assert "reparent[0].time is 0.3 and 0.4" in out
    assert "reparent[0] at t = 0.3 s" in out or "far local/" in out

    def change(array):
        array[0, 2] += 1e-3

    altered("a.h5", "c.h5", events_of_impulse=change)
    out = call("diff", "a.h5", "c.h5").out
    assert "first difference: row 0: events/impulse.z is " in out


def test_what_was_recorded_in_both_is_compared_and_the_rest_derived(call, history):
    """The mark is fixed to the brick, so its path follows from that of the brick."""
    less = ["--set", 'simulation.record=[{bodies: ["brick"], of: [world/position, world/orientation]}]']
    assert call("run", "scene.yaml", "-q", "-o", "b.h5", *less).code == 0
    out = call("diff", "a.h5", "b.h5").out
    assert out.splitlines()[1:] == ["no number differs in what both have"]
    turned = ["--set", "bodies.brick.angular_velocity[0]=0.2"]
    assert call("run", "scene.yaml", "-q", "-o", "c.h5", *less, *turned).code == 0
    lines = call("diff", "a.h5", "c.h5").out.splitlines()
    assert lines[1].startswith("first difference: sample 1, t = 0.05 s: brick world/orientation.w is ")
    assert lines[2].startswith("largest deviation: ") and " m (brick/mark at t = " in lines[2]


def test_a_run_that_failed_is_compared_up_to_its_end(call, history):
    call("run", "scene.yaml", "-q", "-o", "b.h5", "--set", "bodies.brick.angular_velocity[0]=1.0e+49")
    code, out, _ = call("diff", "a.h5", "b.h5")
    assert code == 1
    assert "\nstatus: complete and failed\n" in out
