"""What contact did with the energy, in a file: as in the run, or damage."""

from __future__ import annotations

import pickle
from pathlib import Path

import h5py
import pytest

import rigidsim
from rigidsim.errors import FormatError
from rigidsim.report.inspect import Inspection
from rigidsim.trajectory.contact_ledger import CAUSES, LEDGER, OTHERS

BALL = {"mass": 1, "shapes": [{"type": "sphere", "radius": 0.1}], "position": [0, 0, 0.5]}
SCENE = {
    "format": "rigidsim/1",
    "simulation": {"duration": 0.5, "step": 1e-3, "record_every": 0.1},
    "world": {"gravity": [0, 0, -9.81]},
    "bodies": {"floor": {"shapes": [{"type": "plane"}], "material": {"restitution": 0.5}}, "ball": BALL},
}


@pytest.fixture(scope="module")
def trajectory() -> rigidsim.Trajectory:
    return rigidsim.simulate(rigidsim.Scene.from_dict(SCENE))


@pytest.fixture
def kept(trajectory, tmp_path) -> Path:
    path = tmp_path / "a.h5"
    trajectory.save(path)
    return path


def test_a_file_has_the_ledger_of_the_run(trajectory, kept):
    assert trajectory.contact_ledger.restitution < -1
    with rigidsim.load(kept) as read:
        assert read.contact_ledger == trajectory.contact_ledger
        assert "impacts, restitution" in str(Inspection.of(read, kept))
    assert pickle.loads(pickle.dumps(trajectory)).contact_ledger == trajectory.contact_ledger
    with h5py.File(kept) as file:
        assert list(file[LEDGER]) == [*CAUSES, *OTHERS]
        assert all(file[LEDGER][name].attrs["units"] in ("J", "1") for name in file[LEDGER])


def test_where_nothing_can_touch_there_is_none(tmp_path):
    alone = rigidsim.simulate(rigidsim.Scene.from_dict(SCENE | {"bodies": {"ball": BALL}}))
    alone.save(tmp_path / "a.h5")
    with rigidsim.load(tmp_path / "a.h5") as read, h5py.File(tmp_path / "a.h5") as file:
        assert alone.contact_ledger is None and read.contact_ledger is None and LEDGER not in file


def test_a_file_of_an_older_version_has_none(kept):
    with h5py.File(kept, "r+") as file:
        del file[LEDGER]
    with rigidsim.load(kept) as read:
        assert read.contact_ledger is None
        assert "energy changed by" in str(Inspection.of(read, kept))


@pytest.mark.parametrize("name", [*CAUSES, *OTHERS])
def test_a_changed_value_is_damage(kept, name):
    with h5py.File(kept, "r+") as file:
        file[LEDGER][name][()] += 1.0
    with pytest.raises(FormatError, match="contact_ledger does not match its sha256"):
        rigidsim.load(kept)


def test_a_missing_value_is_damage(kept):
    with h5py.File(kept, "r+") as file:
        del file[LEDGER]["error"]
    with pytest.raises(FormatError, match="contact_ledger/error"):
        rigidsim.load(kept)
