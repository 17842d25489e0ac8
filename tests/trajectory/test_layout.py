"""The file as others read it: names, shapes, dimension scales and units."""

from __future__ import annotations

import hashlib
import json

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
        for i, dimension in enumerate(dimensions):
            assert dataset.dims[i][0] == opened[dimension] == dataset.parent[dimension]


def test_nothing_else_has_a_time_axis(opened):
    found = []
    opened.visititems(lambda _, item: found.append(item) if getattr(item, "shape", ())[:1] == (T,) else None)
    assert set(found) == {opened[name] for name in EXPECTED}


def test_root(opened, history):
    assert opened.attrs["format"] == "rigidsim-trajectory/5"
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


def test_failure_is_reported_in_the_file(tmp_path, history):
    from rigidsim.trajectory.writer import Writer

    with Writer(tmp_path / "b.h5", history.header, 1) as writer:
        writer.append_arrays({name: np.asarray(history.arrays[name]) for name in history.header.dataset_names})
        writer.finish("failed", "too fast")
    with h5py.File(tmp_path / "b.h5") as file:
        assert (file.attrs["status"], file.attrs["message"]) == ("failed", "too fast")


def test_world_is_read_by_plain_h5py(opened, history):
    np.testing.assert_array_equal(opened["world/position"][:, 3], history["deck/crane/load"].world.position)


def test_each_array_has_the_digest_of_its_bytes(opened):
    for name in EXPECTED:
        assert opened[name].attrs["sha256"] == hashlib.sha256(opened[name][()].tobytes()).hexdigest(), name


def checksums(file) -> dict[str, np.ndarray]:
    """Those of each dataset that has a digest."""
    names = ["time"]
    for group in ("local", "world", "diagnostics", "terms"):
        names += [f"{group}/{name}" for name, dataset in file.get(group, {}).items() if "sha256" in dataset.attrs]
    links = {f"{group}/time" for group in ("local", "world", "diagnostics", "terms")}
    return {name: file[f"checksums/{name}"][()] for name in names if name not in links}


def test_digest_of_the_description(opened):
    """As docs/trajectory-format.md defines it."""
    scene = opened["scene"]
    reported = {
        **{name: opened.attrs[name] for name in ("status", "message", "content_hash")},
        "isolated": bool(opened.attrs["isolated"]),
        **{name: opened[name].asstr()[()].tolist() for name in ("body", "parent", "kind")},
        **{name: opened[name][()].tolist() for name in ("scale_to_metre", "own_scale_to_metre")},
        "scene": [scene.attrs["name"], *(scene[name].asstr()[()] for name in ("text", "resolved"))],
        "provenance": json.loads(scene.attrs["provenance"]),
        "checksums": {name: hashlib.sha256(sums.tobytes()).hexdigest() for name, sums in checksums(opened).items()},
    }
    digest = hashlib.sha256(json.dumps(reported, sort_keys=True).encode()).hexdigest()
    assert opened.attrs["description_sha256"] == digest


XARRAY = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
GROUPS = {
    "local": ("time", "body", "xyz", "wxyz"),
    "world": ("time", "body", "xyz", "wxyz"),
    "diagnostics": ("time", "xyz"),
    "terms": ("time", "body", "xyz"),
}


@XARRAY
@pytest.mark.parametrize("group", GROUPS)
def test_xarray_selects_by_coordinates_in_each_group(kept_file, history, group):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    with xarray.open_dataset(kept_file, engine="h5netcdf", group=group) as dataset:
        assert set(dataset.coords) == set(GROUPS[group])
        name = "linear_momentum" if group == "diagnostics" else "velocity"
        found = dataset[name].sel(time=history.time[20], xyz=["z", "x"])
        if "body" in GROUPS[group]:
            np.testing.assert_array_equal(
                found.sel(body="deck/crane/load"), history.arrays[f"{group}/{name}"][20, 3][[2, 0]]
            )
        else:
            np.testing.assert_array_equal(found, history.arrays[f"{group}/{name}"][20][[2, 0]])


@XARRAY
def test_xarray_opens_all_groups_at_once(tmp_path):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    ball = {"mass": 1, "inertia": "point", "impulses": [{"impulse": [1, 0, 0], "time": time} for time in (0.25, 0.5)]}
    bodies = {"ball": {**ball, "children": {"bell": {"mass": 1, "inertia": "point", "position": [0, 0, 1]}}}}
    scene = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.25}, "bodies": bodies}
    trajectory = rigidsim.simulate(rigidsim.Scene.from_dict(scene))
    trajectory.save(tmp_path / "b.h5")
    with xarray.open_datatree(tmp_path / "b.h5", engine="h5netcdf") as tree:
        found = tree["world/velocity"].sel(body="ball", time=0.5)
        np.testing.assert_array_equal(found, trajectory["ball"].world.velocity[2])
        events = tree["events"].to_dataset(inherit=False)  # it has a time and bodies of its own
        assert events.time.dims == ("event",)
        received = tree["events/received"].to_dataset(inherit=False)
        assert events.time[received.event[received.body.values == "ball"]].values.tolist() == [0.25, 0.5]
        assert events.impulse.sel(event=1)[0] == 1.0
        protected = tree["events/protected"].to_dataset(inherit=False)
        assert protected.velocity.dims == ("row", "xyz")
        assert protected.body.values.tolist() == ["ball/bell"] * 2
    with xarray.open_dataset(tmp_path / "b.h5", engine="h5netcdf", group="events/carried") as none:
        assert none.sizes["row"] == 0


@XARRAY
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
