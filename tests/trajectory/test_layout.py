"""The file as others read it: names, shapes, dimension scales and units."""

from __future__ import annotations

import hashlib

import h5py
import numpy as np
import pytest

import rigidsim
from rigidsim.trajectory.fields import TERM_FIELDS

T, B = 41, 5
MOTION = {
    "position": ("xyz", "m"),
    "orientation": ("wxyz", "1"),
    "velocity": ("xyz", "m s-1"),
    "angular_velocity": ("xyz", "rad s-1"),
}
ENERGIES = ("kinetic_energy", "potential_energy", "work")
MOMENTA = {"linear_momentum": "N s", "spin_angular_momentum": "N m s", "orbital_angular_momentum": "N m s"}
EXPECTED = {
    "time": ((T,), ("time",), "s"),
    **{
        f"{frame}/{name}": ((T, B, len(axis)), ("time", "body", axis), units)
        for frame in ("local", "world")
        for name, (axis, units) in MOTION.items()
    },
    **{f"diagnostics/{name}": ((T,), ("time",), "J") for name in ENERGIES},
    **{f"diagnostics/{name}": ((T, 3), ("time", "xyz"), units) for name, units in MOMENTA.items()},
    **{f.name: ((T, B, 3), ("time", "body", "xyz"), f.units) for f in TERM_FIELDS},
}


@pytest.fixture
def opened(kept_file):
    with h5py.File(kept_file) as file:
        yield file


@pytest.mark.parametrize("name", EXPECTED)
def test_dataset(opened, name):
    shape, dimensions, units = EXPECTED[name]
    dataset = opened[name]
    assert dataset.shape == shape
    assert dataset.dtype == np.float64
    assert dataset.fletcher32
    assert dataset.attrs["units"] == units
    assert dataset.attrs["long_name"]
    if name != "time":
        assert [dataset.dims[i][0].name for i in range(dataset.ndim)] == [f"/{d}" for d in dimensions]


def test_nothing_else_has_a_time_axis(opened):
    found = []
    opened.visititems(lambda name, item: found.append(name) if getattr(item, "shape", ())[:1] == (T,) else None)
    assert set(found) == EXPECTED.keys()


def test_root(opened, history):
    assert opened.attrs["format"] == "rigidsim-trajectory/2"
    assert opened.attrs["status"] == "complete"
    assert opened.attrs["message"] == ""
    assert opened.attrs["quaternion_order"] == "wxyz"
    assert opened.attrs["content_hash"] == history.content_hash
    assert opened["body"].asstr()[()].tolist() == list(history.paths)
    assert opened["parent"].asstr()[()].tolist() == ["", "deck", "deck/crane", "deck/crane", ""]
    assert opened["xyz"].asstr()[()].tolist() == ["x", "y", "z"]
    assert opened["wxyz"].asstr()[()].tolist() == ["w", "x", "y", "z"]
    assert opened["scale_to_metre"][()].tolist() == [1.0] * B


def test_scene(opened):
    resolved = opened["scene/resolved"].asstr()[()]
    assert opened["scene"].attrs["sha256"] == hashlib.sha256(resolved.encode()).hexdigest()


def test_failure_is_told_in_the_file(tmp_path, history):
    from rigidsim.trajectory.writer import Writer

    with Writer(tmp_path / "b.h5", history.header, 1) as writer:
        writer.append_arrays({name: np.asarray(history.arrays[name]) for name in history.header.dataset_names})
        writer.finish("failed", "too fast")
    with h5py.File(tmp_path / "b.h5") as file:
        assert (file.attrs["status"], file.attrs["message"]) == ("failed", "too fast")


def test_world_is_read_by_plain_h5py(opened, history):
    np.testing.assert_array_equal(opened["world/position"][:, 3], history["deck/crane/load"].world.position)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("group", [None, "local", "world", "diagnostics", "terms"])
def test_xarray_sees_dimensions_and_units(kept_file, history, group):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    with xarray.open_dataset(kept_file, engine="h5netcdf", group=group) as dataset:
        if group is None:
            assert dataset.time.values.tolist() == history.time.tolist()
            assert dataset.time.attrs["units"] == "s"
            assert dataset.parent.dims == ("body",)
            return
        expected = {name.partition("/")[2]: it for name, it in EXPECTED.items() if name.startswith(f"{group}/")}
        assert set(dataset.data_vars) == expected.keys()
        for name, (shape, dimensions, units) in expected.items():
            assert dataset[name].dims == dimensions
            assert dataset[name].shape == shape
            assert dataset[name].attrs["units"] == units
            np.testing.assert_array_equal(dataset[name].values, history.arrays[f"{group}/{name}"])


def test_lengths_in_a_scaled_frame_say_so(tmp_path):
    scene = {
        "format": "rigidsim/1",
        "simulation": {"duration": 1, "step": 0.5},
        "bodies": {"map": {"scale": 1000, "children": {"car": {"position": [2, 0, 0], "scale": 0.5}}}},
    }
    rigidsim.simulate(rigidsim.Scene.from_dict(scene)).save(tmp_path / "b.h5")
    with h5py.File(tmp_path / "b.h5") as file:
        assert file["scale_to_metre"][()].tolist() == [1.0, 1000.0]
        assert file["own_scale_to_metre"][()].tolist() == [1000.0, 500.0]
        assert file["local/position"].attrs["units"] == "1"
        assert file["local/velocity"].attrs["units"] == "1 s-1"
        assert "scale_to_metre" in file["local/position"].attrs["long_name"]
        assert file["local/angular_velocity"].attrs["units"] == "rad s-1"
        assert file["world/position"].attrs["units"] == "m"
        assert file["world/position"][0, 1].tolist() == [2000.0, 0.0, 0.0]
        assert file["local/position"][0, 1].tolist() == [2.0, 0.0, 0.0]
