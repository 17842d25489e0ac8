"""The largest distance, speed and angular speed of each body that a file stores: those of its samples, or damage."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from pathlib import Path

import h5py
import numpy as np
import pytest

import rigidsim
from every_node import SCENE
from rigidsim.errors import FormatError
from rigidsim.report.extremes import extremes
from rigidsim.report.inspect import Inspection
from rigidsim.report.sections import plain
from rigidsim.trajectory.digests import digest_of_summary
from rigidsim.trajectory.extremes import EXTREMES, NAMES, largest_norms
from rigidsim.trajectory.stored_chunks import StoredChunks

NEAR = 4 * np.finfo(float).eps  # of three squares, two sums and a root
RECORDS = {
    "all": None,
    "one frame": ["world"],
    "derived from local": ["local"],
    "positions": ["position"],
    "one body": [{"bodies": ["deck"], "of": ["world"]}],
    "energies": ["diagnostics"],
}


def exact_norm(vector: np.ndarray) -> float:
    """The norm by whole numbers, to round-off of the last conversion."""
    squares = sum(Fraction(float(x)) ** 2 for x in vector)
    scale = 1 << 2400
    return float(Fraction(isqrt(int(squares * scale)), 1 << 1200))


@pytest.fixture(scope="module", params=RECORDS)
def kept(request, tmp_path_factory) -> Path:
    """A file with each selection."""
    record = RECORDS[request.param]
    simulation = SCENE["simulation"] | ({} if record is None else {"record": record})
    path = tmp_path_factory.mktemp("kept") / "a.h5"
    rigidsim.simulate(rigidsim.Scene.from_dict(SCENE | {"simulation": simulation})).save(path)
    return path


def rows_of(path: Path) -> list[dict]:
    with rigidsim.load(path) as trajectory:
        return plain(extremes(trajectory))


def without_extremes(path: Path) -> None:
    with h5py.File(path, "r+") as file:
        if EXTREMES in file:
            del file[EXTREMES]


def test_of_every_recorded_body(kept):
    with rigidsim.load(kept) as trajectory:
        for name, stored in trajectory.extremes.items():
            rows = trajectory.header.recorded_rows(name)
            recorded = np.arange(len(trajectory)) if rows is None else rows
            norms = np.linalg.norm(trajectory.arrays[name][:, recorded], axis=-1)
            assert stored[recorded] == pytest.approx(norms.max(axis=0), rel=NEAR)
            assert np.isnan(np.delete(stored, recorded)).all()
        assert set(trajectory.extremes) == set(NAMES) & set(trajectory.header.dataset_names)


def test_a_file_without_them_shows_the_same(kept, tmp_path):
    copy = tmp_path / "a.h5"
    copy.write_bytes(kept.read_bytes())
    without_extremes(copy)
    assert rows_of(copy) == rows_of(kept)
    with rigidsim.load(kept) as one, rigidsim.load(copy) as other:
        assert str(Inspection.of(one, "a.h5")) == str(Inspection.of(other, "a.h5"))


@pytest.mark.parametrize(
    "row", [(3.0, 4.0, 0.0), (3e200, -4e200, 1e150), (3e-200, 4e-200, 0.0), (5e-324, 0.0, 0.0), (0.0, 0.0, 0.0)]
)
def test_norms_of_any_size(row):
    rows = np.array([[row, (1.0, 0.0, 0.0)], [(0.0, 0.0, 0.0), row]])
    largest = exact_norm(np.array(row))
    assert largest_norms(rows) == pytest.approx([largest, max(largest, 1.0)], rel=NEAR)


def edited(file: h5py.File) -> None:
    file[f"{EXTREMES}/speed"][0] *= 2


def resized(file: h5py.File) -> None:
    del file[f"{EXTREMES}/speed"]
    file[f"{EXTREMES}/speed"] = np.ones(2)


def one_less(file: h5py.File) -> None:
    del file[f"{EXTREMES}/speed"]


def of_another_file(file: h5py.File) -> None:
    """As extremes copied with their digest from the file of other samples."""
    of = {name: file[f"{EXTREMES}/{name}"][()] for name, *_ in NAMES.values()}
    file[EXTREMES].attrs["sha256"] = digest_of_summary(of, "0" * 64)


@pytest.mark.parametrize("change", [edited, resized, one_less, of_another_file])
def test_changed_extremes_are_damage(file, change):
    with h5py.File(file, "r+") as opened:
        change(opened)
    with pytest.raises(FormatError, match=r"is damaged: .*extremes"):
        rigidsim.load(file)


def test_extremes_that_are_not_of_the_samples_are_found_by_verifying(file):
    """As a faulty writer would make them: with a right digest."""
    with h5py.File(file, "r+") as opened:
        edited(opened)
        of = {name: opened[f"{EXTREMES}/{name}"][()] for name, *_ in NAMES.values()}
        opened[EXTREMES].attrs["sha256"] = digest_of_summary(of, opened.attrs["content_hash"])
    with rigidsim.load(file) as trajectory, pytest.raises(FormatError, match="are not those of its samples"):
        Inspection.of(trajectory, file, verify=True)


@pytest.fixture
def decoded(monkeypatch) -> list[tuple[str, tuple]]:
    """The numbers of the chunks of motions that were decoded."""
    found, stored = [], StoredChunks._stored

    def counted(self, number):
        if len(self.shape) == 3:
            found.append((id(self), number))
        return stored(self, number)

    monkeypatch.setattr(StoredChunks, "_stored", counted)
    return found


def test_inspect_reads_the_first_and_the_last_chunks_of_motions(tmp_path, decoded):
    """However long the run: eight datasets, two of four rows of chunks."""
    body = {"mass": 1, "inertia": {"principal": [1, 2, 3]}, "angular_velocity": [0.1, 2, 0.3]}
    scene = {
        "format": "rigidsim/1",
        "simulation": {"duration": 15, "step": 1e-3, "record_every": 1e-3},
        "bodies": {"nut": body},
    }
    rigidsim.simulate(rigidsim.Scene.from_dict(scene)).save(tmp_path / "a.h5")
    with rigidsim.load(tmp_path / "a.h5") as trajectory:
        assert len(trajectory.time) > 3 * 4096
        Inspection.of(trajectory, "a.h5")
    assert {number for _, number in decoded} == {(0, 0, 0), (3, 0, 0)}
    assert len(decoded) == 8 * 2
