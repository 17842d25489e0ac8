"""Samples changed by HDF5's own means, so that the checksums of its chunks are right: found by whatever reads them."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

import rigidsim
from rigidsim.errors import FormatError
from rigidsim.report.explain import BodyReport
from rigidsim.report.inspect import Inspection

DISAGREES = r"is not the one whose checksum is in the file|do not match its content hash"
READERS = {
    "inspect": lambda trajectory, file: Inspection.of(trajectory, file, verify=True),
    "explain": lambda trajectory, _: BodyReport.of(trajectory, "deck", 1.0),
    "load": lambda trajectory, _: trajectory["deck"].world.angular_velocity,
}


def edited(file: Path, name: str, is_older: bool) -> None:
    """Change a value by HDF5's own means, so that all checksums of chunks are right."""
    with h5py.File(file, "r+") as opened:
        if is_older:
            without_digests(opened)
        opened[name][20, ..., 2] += 1e-12


def without_digests(opened: h5py.File) -> None:
    """As the file would have been before digests were kept."""
    del opened.attrs["description_sha256"], opened["checksums"]
    opened.visititems(lambda name, item: item.attrs.pop("sha256", None) if name != "scene" else None)


@pytest.mark.parametrize("is_older", [False, True], ids=["with digests", "older"])
@pytest.mark.parametrize(("name", "readers"), [
    ("world/angular_velocity", ("inspect", "explain", "load")), ("terms/coriolis", ("inspect", "explain")),
    ("diagnostics/linear_momentum", ("inspect",)),
])  # fmt: skip
def test_samples_that_are_not_those_written_are_found_by_whatever_reads_them(file, name, readers, is_older):
    edited(file, name, is_older)
    for reader in readers:
        with rigidsim.load(file) as trajectory, pytest.raises(FormatError, match=DISAGREES):
            READERS[reader](trajectory, file)


def test_older_file_is_read(file, history):
    with h5py.File(file, "r+") as opened:
        without_digests(opened)
    with rigidsim.load(file) as trajectory:
        np.testing.assert_array_equal(trajectory["deck"].local.velocity, history["deck"].local.velocity)
        assert trajectory.content_hash == trajectory.stored_hash == history.content_hash
        assert str(Inspection.of(trajectory, file))


def test_sound_arrays_of_a_damaged_file_can_be_read(file, history):
    edited(file, "local/velocity", False)
    with rigidsim.load(file) as trajectory:
        np.testing.assert_array_equal(trajectory["deck"].world.velocity, history["deck"].world.velocity)
