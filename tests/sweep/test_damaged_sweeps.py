"""Damaged result files of sweeps: nothing is read that was not verified, and one exception tells what it is."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

import rigidsim
import tops
from rigidsim.errors import FormatError
from rigidsim.sweeps.unfinished import done_of, errors_path
from rigidsim.trajectory.destination import temporary_path

PROGRAM = Path(__file__).with_name("damage_sweeps.py")
READINGS = ("columns", "one_metric", "inspected", "one_run", "exported")
TOP = tops.TOP.replace("0.01, record_every: 0.1", "0.02, record_every: 0.1")
METRICS = """metrics: {fastest: '= max(speed("top"))', last: '= final(x("top"))'}\n"""
VARY = {"spin": "0 rpm:60 rpm:50", "pull": [0.1, 0.2, 80], "simulation.integrator": ["rkmk4", "magnus"]}  # 100 fail


def swept(path: Path, record: str = "final", vary: dict = VARY) -> Path:
    """The result file of a sweep with numbers, words, metrics, states and failures."""
    rigidsim.sweep(rigidsim.Scene.from_text(TOP + METRICS), vary=vary, record=record, path=path).close()
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """One such file."""
    return swept(tmp_path_factory.mktemp("whole") / "a.h5")


@pytest.fixture
def path(whole, tmp_path) -> Path:
    """A copy of it."""
    return shutil.copy(whole, tmp_path / "a.h5")


def check(file: Path, folder: Path, flips: int, structures: int, seed: int) -> None:
    """All damage is refused or harmless; the process may crash."""
    command = [sys.executable, str(PROGRAM), *map(str, (file, folder, flips, structures, seed))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, f"{done.stdout[-2000:]}{done.stderr[-2000:]}"
    counts = ast.literal_eval(done.stdout.splitlines()[-1])
    assert {name.rpartition(", ")[2] for name in counts} <= {"whole", "refused"}, done.stdout[-5000:]
    for reading in READINGS:
        assert counts[f"flip, {reading}, refused"] > 0.8 * flips
        assert counts[f"structure, {reading}, refused"] > 0.6 * structures


@pytest.mark.slow
def test_damage_is_refused_or_harmless(whole, tmp_path):
    check(whole, tmp_path, 12, 25, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize(("record", "seed"), [("final", 2), ("0.1", 3)])
def test_more_damage(tmp_path, record, seed):
    check(swept(tmp_path / "whole.h5", record), tmp_path, 200, 200, seed)


def test_what_is_read_is_what_is_verified(path):
    """One number of one run is changed through HDF5 itself: other units can be read, and other columns of the plan."""
    with h5py.File(path, "r+") as file:
        file["metrics/fastest"][72] *= 2
        file["runs/varied/spin"][30] *= 2
    with rigidsim.load_sweep(path) as sweep:
        assert sweep.array("world/position", slice(0, 64)).shape == (64, 1, 3)
        assert sweep.array("world/position", slice(128, 300)).shape == (172, 1, 3)
        assert len(sweep.runs["pull"]) == 300
        for read in (
            lambda: sweep.array("world/position", slice(120, 130)),
            lambda: sweep[72],
            lambda: sweep.metrics["fastest"],
            lambda: sweep.metrics["last"],
            lambda: sweep.runs["status"],
            lambda: sweep.failed,
            lambda: sweep.rows(slice(64, 65)),
        ):
            with pytest.raises(FormatError, match="damaged: runs 64 to 127 do not match their digest"):
                read()
        for read in (lambda: sweep.runs["spin"], lambda: sweep.overrides(0), sweep.verify):
            with pytest.raises(FormatError, match=r"runs/varied/spin does not match its sha256"):
                read()


@pytest.mark.parametrize(
    ("place", "attribute", "value", "words"),
    [
        ("/", "unit", 32, "runs/digest is uint8 of shape"),
        ("/", "unit", 0, "its unit is 0"),
        ("/", "identity", "{}", "its identity does not say which runs it has"),
        ("/", "identity", '{"runs": "0 to 10000000000"}', "run is int64 of shape"),
        ("/", "status", "running", "its status is 'running', with a content hash"),
        ("/", "content_hash", "0" * 64, "its digests do not match its content hash"),
        ("/", "format", "rigidsim-sweep/9", "is from another version of rigidsim"),
        ("/", "format", "h5md/1", "is not the result file of a sweep: its format is 'h5md/1'"),
        ("scene", "overrides", '["bodies.top.mass=3"]', "its description does not match"),
        ("plan", "digest", "0" * 64, "its description does not match"),
        ("runs/varied/spin", "units", "rad/s", "its description does not match"),
        ("world/velocity", "units", "km/s", "its description does not match"),
    ],
)
def test_a_description_that_was_changed_is_refused(path, place, attribute, value, words):
    with h5py.File(path, "r+") as file:
        file[place].attrs[attribute] = value
    with pytest.raises(FormatError, match=words):
        rigidsim.load_sweep(path)


def test_files_of_older_versions_are_read(path):
    """They have digests of results, and none of anything else."""
    with h5py.File(path, "r+") as file:
        file.attrs["format"] = "rigidsim-sweep/1"
        del file.attrs["description_sha256"]
        for name in ("runs/seed", *(f"runs/varied/{name}" for name in VARY)):
            del file[name].attrs["sha256"]
    with rigidsim.load_sweep(path) as sweep:
        sweep.verify()
        assert len(sweep.failed) == 100 and sweep.runs["spin"][-1] == 60
    with h5py.File(path, "r+") as file:
        file["metrics/fastest"][72] *= 2
    with rigidsim.load_sweep(path) as sweep, pytest.raises(FormatError, match="runs 64 to 127"):
        _ = sweep.metrics["last"]


def interrupted(path: Path) -> Path:
    """The temporary file of a sweep of which a part is done."""
    tops.run(path, tops.contents(vary={"spin": "0 rpm:60 rpm:5000"}), watch=lambda done, _: done > 0, resume=False)
    assert 0 < done_of(path) < 5000
    return temporary_path(path)


def resumed(path: Path) -> str:
    """The content hash of the complete sweep."""
    return tops.run(path, tops.contents(vary={"spin": "0 rpm:60 rpm:5000"}))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda file: file["runs/varied/spin"].__setitem__(7, 1.0), "runs/varied/spin does not match its sha256"),
        (lambda file: file["scene"].attrs.__setitem__("overrides", "[]x"), "damaged"),
        (lambda file: file.__delitem__("world/position"), "world/position"),
        (lambda file: file.__delitem__("runs/status"), "runs/status is missing"),
    ],
)
def test_a_damaged_sweep_is_not_continued(tmp_path, change, words):
    """It would have other values than the runs that are done; nor is what is left of it overwritten unasked."""
    path = tmp_path / "a.h5"
    temporary = interrupted(path)
    with h5py.File(temporary, "r+") as file:
        change(file)
    content = temporary.read_bytes()
    with pytest.raises(FormatError, match=words):
        resumed(path)
    assert temporary.read_bytes() == content
    with pytest.raises((FormatError, rigidsim.errors.StorageError)):
        tops.run(path, tops.contents(vary={"spin": "0 rpm:60 rpm:5000"}), resume=False)
    assert temporary.read_bytes() == content


def test_what_an_older_version_began_is_refused_and_kept(tmp_path):
    """The runs that are missing would have the bits of another version; those that are done can be read."""
    path = tmp_path / "a.h5"
    temporary = interrupted(path)
    with h5py.File(temporary, "r+") as file:
        file.attrs["format"] = "rigidsim-sweep/1"
        del file.attrs["description_sha256"]
    content = temporary.read_bytes()
    with pytest.raises(rigidsim.errors.StorageError, match="the version of rigidsim has changed since; --force begins"):
        resumed(path)
    assert temporary.read_bytes() == content
    with rigidsim.load_sweep(path) as sweep:
        read = np.isfinite(sweep.array("world/position")).reshape(5000, -1)
        assert np.count_nonzero(read.all(axis=1)) == np.count_nonzero(read.any(axis=1)) == done_of(path)


def test_digests_and_statuses_that_are_damaged_are_computed_again(tmp_path):
    path = tmp_path / "a.h5"
    with h5py.File(interrupted(path), "r+") as file:
        file["runs/digest"][0] = 0
        file["runs/status"][64] = 0
        file["runs/end_time"][128] = 7.0
    with rigidsim.load_sweep(path) as sweep:
        assert np.isnan(sweep.array("world/position", slice(64, 128))).all()
        with pytest.raises(FormatError, match="runs 0 to 63"):
            _ = sweep.runs["status"]
    expected = resumed(tmp_path / "b.h5")
    assert resumed(path) == expected


def test_messages_that_are_damaged_are_left_out(tmp_path):
    path, vary = tmp_path / "a.h5", {"spin": "0 rpm:60 rpm:40", "pull": [0.1] * 19 + [80]}
    tops.run(path, tops.contents(vary=vary), watch=lambda done, _: done > 0, resume=False)
    assert 0 < done_of(path) < 800
    with errors_path(path).open("a") as file:
        file.write("\n".join(['[[1], "list"]', "[1, 2]", '[1e400, ""]', '[99999999, "far"]', "[" * 100_000, ""]))
    tops.run(path, tops.contents(vary=vary))
    with rigidsim.load_sweep(path) as sweep:
        sweep.verify()
        assert len(sweep.failed) == 40 and all(sweep.runs["error"][sweep.failed])


def test_a_file_that_was_closed_is_not_damaged(path):
    sweep = rigidsim.load_sweep(path)
    sweep.close()
    for read in (lambda: sweep.array("world/position"), lambda: sweep.runs["spin"], lambda: sweep[3]):
        with pytest.raises(rigidsim.errors.UsageError, match="was closed before"):
            read()
