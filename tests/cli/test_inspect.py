"""`rigidsim inspect` and `rigidsim explain`: what is reported of a finished history."""

from __future__ import annotations

import hashlib
import json

import h5py
import pytest

import rigidsim
from spinning_brick import SAMPLES


@pytest.fixture
def history(made):
    made("terms.h5", "a.h5")
    return "a.h5"


def test_text(call, history):
    code, out, err = call("inspect", history)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == f"a.h5: complete, {SAMPLES} samples every 0.05 s, 0 to 1 s"
    assert lines[1] == "A spinning brick; step 0.01 s, rkmk4"
    brick, mark = (line.split() for line in lines[4:6])
    assert brick[:3] == ["brick", "1", "1"]  # 1 m away after 1 s at 1 m/s
    assert mark[0] == "mark"
    assert lines[5].startswith("  mark")
    assert "energy drift" in out
    assert f"made with rigidsim {rigidsim.__version__}" in out


def test_json_says_the_same_as_the_file(call, history):
    code, out, _ = call("inspect", history, "--json")
    reported = json.loads(out)
    assert code == 0
    assert (reported["status"], reported["samples"], reported["begin"], reported["end"]) == (
        "complete",
        SAMPLES,
        0.0,
        1.0,
    )
    assert [(body["path"], body["parent"]) for body in reported["bodies"]] == [("brick", ""), ("brick/mark", "brick")]
    with rigidsim.load(history) as trajectory:
        assert reported["content_hash"] == trajectory.content_hash
        assert reported["scene"] == json.loads(trajectory.header.scene_resolved)


def test_drift_is_that_which_the_run_reported(call):
    run = json.loads(call("run", "scene.yaml", "-o", "b.h5", "--json").out)
    assert json.loads(call("inspect", "b.h5", "--json").out)["drift"] == run["drift"]


def test_windows_change_nothing(call, history, monkeypatch):
    forms = ([], ["--csv"], ["brick.angles", "energy_drift", "--json"])
    whole = [call("inspect", history, *form).out for form in forms]
    monkeypatch.setattr("rigidsim.trajectory.windows.WINDOW_BYTES", 200.0)
    assert [call("inspect", history, *form).out for form in forms] == whole


def test_foreign_text_cannot_drive_the_terminal(call, history, workplace):
    with h5py.File(workplace / history, "r+") as file:
        del file.attrs["description_sha256"]  # as in a file from before it was kept
        file["scene"].attrs["name"] = "\x1b[31mred"
        del file["scene/resolved"]
        file["scene/resolved"] = "{}"
        file["scene"].attrs["sha256"] = hashlib.sha256(b"{}").hexdigest()
    code, out, _ = call("inspect", history)
    assert code == 0
    assert "\x1b" not in out
    assert "\\x1b[31mred" in out


def test_damage_inside_an_array_is_reported(call, history, workplace):
    with h5py.File(history) as file:
        chunk = file["world/position"].id.get_chunk_info(0)
    content = bytearray((workplace / history).read_bytes())
    content[chunk.byte_offset + chunk.size // 2] ^= 1
    (workplace / history).write_bytes(content)
    code, out, err = call("inspect", history)
    assert (code, out) == (6, "")
    assert err.startswith("error: a.h5 is damaged: world/position: ")


def test_verifying_reads_everything_and_says_so(call, history, workplace):
    """Terms are not shown by `inspect`, so only --verify meets a value changed by HDF5's own means."""
    _, out, _ = call("inspect", history)
    line = out.splitlines()[-1]
    assert line.startswith("content hash ") and line.endswith("(not verified; --verify reads everything)")
    code, out, _ = call("inspect", history, "--verify")
    assert (code, out.splitlines()[-1]) == (0, line.partition(" (")[0] + " (verified)")
    reported = [json.loads(call("inspect", history, "--json", *more).out)["verified"] for more in ([], ["--verify"])]
    assert reported == [False, True]
    with h5py.File(workplace / history, "r+") as file:
        file["terms/euler"][3, 0, 1] += 1e-12
    assert call("inspect", history).code == call("inspect", history, "--at", "0").code == 0
    for more in (["--verify"], ["--csv"], ["--at", "0", "--verify"]):
        code, out, err = call("inspect", history, *more)
        assert (code, out) == (6, "")
        assert err.startswith("error: a.h5 is damaged: terms/euler: ")


def test_explain_names_the_terms(call, history):
    code, out, err = call("explain", history, "brick", "--at", "0.5")
    assert (code, err) == (0, "")
    assert out.startswith("brick at t = 0.5 s, relative to world: speed 1 m/s\n")
    reported = json.loads(call("explain", history, "brick", "--at", "0.5", "--json").out)
    assert reported["terms"].keys() == {"applied", "gravity", "linear", "euler", "centrifugal", "coriolis"}
    assert reported["time"] == 0.5


def test_history_without_terms_says_how_to_record_them(call, made):
    made("run.h5", "b.h5")
    code, _, err = call("explain", "b.h5", "brick", "--at", "0")
    assert code == 2
    assert "rigidsim run --terms" in err
