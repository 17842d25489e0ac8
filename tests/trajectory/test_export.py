"""Exports: what is read back has the numbers of the trajectory, bit for bit, and their units."""

from __future__ import annotations

import csv
import io
import json
import sys

import numpy as np
import pytest
import xarray

import rigidsim
from contact_logs import NAMES, history_of
from every_node import SCENE
from rigidsim.analysis.quantities import named, names
from rigidsim.errors import FormatError, StorageError, UsageError
from rigidsim.exports.labelled import Labelled, LabelledVariable, plain_unit
from rigidsim.quantities.units import udunits
from rigidsim.trajectory.fields import CAUSES
from rigidsim.trajectory.spool import Spool


def table(path) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a CSV file."""
    with path.open(newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


def opened(path) -> xarray.Dataset:
    with xarray.open_dataset(path, engine="h5netcdf") as dataset:
        return dataset.load()


def remains(folder) -> set[str]:
    return {file.name for file in folder.iterdir()}


@pytest.fixture(scope="module")
def touched():
    """With contact points, events of both kinds, a reparenting, and metrics."""
    return history_of(contacts=True)


@pytest.mark.parametrize("name", ["history", "touched"])
def test_netcdf_has_everything_recorded(name, request, tmp_path):
    """Each array of the trajectory, with its bits, its units and its dimensions."""
    trajectory = request.getfixturevalue(name)
    found = opened(trajectory.export(tmp_path / "a.nc"))
    for field in trajectory.header.fields:
        variable = found[field.name.replace("/", "_")]
        assert variable.dims == field.dimensions
        assert np.asarray(variable).tobytes() == np.ascontiguousarray(trajectory.arrays[field.name]).tobytes()
        assert (variable.units, variable.long_name) == (field.units, field.long_name)
    assert found.time.values.tobytes() == trajectory.time.tobytes()
    assert (found.time.units, list(found.body.values)) == ("s", list(trajectory.paths))
    assert list(found.parent.values) == list(trajectory.header.parents)
    assert found.attrs["content_hash"] == trajectory.content_hash
    assert json.loads(found.attrs["provenance"])["rigidsim"] == rigidsim.__version__
    assert found.identical(trajectory.to_xarray())
    one = found.world_position.sel(body=trajectory.paths[0], xyz="x").sel(time=0.1, method="nearest")
    assert float(one) == trajectory[trajectory.paths[0]].world.position[np.searchsorted(trajectory.time, 0.099), 0]


def test_a_file_is_exported_as_its_trajectory(kept_file, history, tmp_path):
    with rigidsim.load(kept_file) as trajectory:
        trajectory.export(tmp_path / "a.nc")
    assert opened(tmp_path / "a.nc").drop_attrs(deep=False).identical(history.to_xarray().drop_attrs(deep=False))


def test_events_are_in_netcdf(touched):
    found, events = touched.to_xarray(), touched.events
    assert list(found.events_received_id.values) == [event.id for event in events.scheduled]
    after = found.events_received_velocity_after
    assert after.values.tolist() == [list(event.velocity_after) for event in events.scheduled]
    assert found.events_energy_after.units == "J"
    carried = [other.body for event in events.scheduled for other in event.carried]
    assert list(found.events_carried_body.values) == carried
    assert found.events_impulse.dims == ("event", "xyz") and len(found.events_time) == len(events)
    contact = found.isel(event=found.events_first.values >= 0)
    assert np.array_equal(contact.events_time, events.contact.time)
    assert list(found["shape"].values[contact.events_first]) == [e.shapes[0] for e in events if hasattr(e, "shapes")]
    assert found.events_cause.flag_meanings.split() == list(CAUSES)
    assert list(found["shape"].values) == list(NAMES)
    assert np.array_equal(found.contacts_count, touched.contacts.count)
    assert np.array_equal(found.contacts_force, touched.arrays["contacts/force"])


def test_events_with_quantities(touched):
    assert "events_time" not in touched.to_xarray("ball.speed")
    found = touched.to_xarray("ball.speed", events=True)
    assert {"ball.speed", "events_time", "events_received_id"} <= set(found)
    assert "world_position" not in found


WANTED = ("load.position@hook", "load.speed", "kinetic_energy", "deck.orientation", "= 2*speed('deck')", "load.angles",
          "hook.velocity.y@parent")  # fmt: skip
WANTED = tuple(name.replace("'", '"') for name in WANTED)


def test_quantities_in_netcdf(history, tmp_path):
    """Named as asked for, with "_" for "/"; roll, pitch and yaw are three variables."""
    found = opened(history.export(tmp_path / "a.nc", *WANTED))
    assert set(found.data_vars) == {
        "deck_crane_load.position@deck_crane_hook", "deck_crane_load.speed", "kinetic_energy", "deck.orientation",
        "expression_1", *(f"deck_crane_load.angles.{angle}" for angle in ("roll", "pitch", "yaw")),
        "deck_crane_hook.velocity.y@parent",
    }  # fmt: skip
    for variable in found.data_vars.values():
        exact = named(history, variable.quantity).of()
        values = exact if variable.ndim == exact.ndim else exact[:, 0]
        if not variable.name.endswith(("pitch", "yaw")):
            assert variable.values.tobytes() == np.ascontiguousarray(values).tobytes()
    assert found["deck_crane_load.position@deck_crane_hook"].units == "m"
    assert found["deck_crane_load.speed"].units == "m s-1"
    assert found["expression_1"].long_name == '2*speed("deck")'
    assert found["expression_1"].units == "m s-1"


def test_quantities_in_csv(history, tmp_path):
    """A column for each component, with the unit in brackets; every digit."""
    header, rows = table(history.export(tmp_path / "a.csv", *WANTED))
    assert header[:5] == ["time (s)", *(f"deck/crane/load.position.{axis}@deck/crane/hook (m)" for axis in "xyz"),
                          "deck/crane/load.speed (m/s)"]  # fmt: skip
    assert header[5:11] == [
        "kinetic_energy (J)",
        *(f"deck.orientation.{axis}" for axis in "wxyz"),
        f"{WANTED[4]} (m/s)",
    ]
    exact = [named(history, name).of().reshape(len(history.time), -1) for name in WANTED]
    expected = np.column_stack([history.time, *exact])
    assert np.array(rows, dtype=float).tobytes() == expected.tobytes()


def test_csv_is_read_in_windows(history, tmp_path, monkeypatch):
    """The same text whatever the size of the windows."""
    whole = history.export(tmp_path / "a.csv", *WANTED).read_bytes()
    monkeypatch.setattr("rigidsim.trajectory.windows.WINDOW_BYTES", 1000)
    monkeypatch.setattr("rigidsim.exports.labelled.WINDOW_BYTES", 100)
    assert history.export(tmp_path / "b.csv", *WANTED).read_bytes() == whole
    assert opened(history.export(tmp_path / "b.nc")).identical(history.to_xarray())


def test_csv_without_quantities_has_all_bodies(history, tmp_path):
    """A line for each body and sample, in the world or seen from a body."""
    header, rows = table(history.export(tmp_path / "a.csv"))
    assert header[:5] == ["time (s)", "body", "x (m)", "y (m)", "z (m)"]
    assert [row[1] for row in rows[: len(history)]] == list(history.paths)
    positions = np.array([row[2:5] for row in rows], dtype=float).reshape(len(history.time), len(history), 3)
    assert np.array_equal(positions, history.arrays["world/position"])
    _, seen = table(history.export(tmp_path / "b.csv", frame="hook"))
    first = np.array([row[2:5] for row in seen[: len(history)]], dtype=float)
    assert np.array_equal(first[0], history["deck"].seen_from("deck/crane/hook").position[0])


def test_csv_of_events(touched, tmp_path):
    """All events in order, one row each; what does not apply is empty."""
    header, rows = table(touched.export(tmp_path / "a.csv", events=True))
    found = [dict(zip(header, row, strict=True)) for row in rows]
    assert len(found) == len(touched.events)
    for row, event in zip(found, touched.events, strict=True):
        assert (float(row["time (s)"]), row["cause"]) == (event.time, event.cause)
        assert float(row["energy (J)"]) == event.energy
        assert float(row["impulse.x (N s)"]) == event.impulse[0]
        is_contact = hasattr(event, "shapes")
        assert (row["first"], row["second"]) == (event.shapes if is_contact else ("", ""))
        assert (row["point.x (m)"] == "") != is_contact
        assert (row["velocity_after.x (m/s)"] == "") == is_contact


def test_pandas_has_the_table_of_the_csv_file(history, tmp_path):
    frame = history.to_pandas(*WANTED)
    header, rows = table(history.export(tmp_path / "a.csv", *WANTED))
    assert [frame.index.name, *frame.columns] == header
    assert frame.reset_index().to_numpy().tobytes() == np.array(rows, dtype=float).tobytes()
    bodies = history.to_pandas()
    assert bodies.index.names == ["time (s)", "body"]
    assert bodies.loc[(0.05, "deck"), "x (m)"] == history["deck"].world.position[1, 0]


def test_every_quantity_can_be_exported(touched):
    """What `plot --list` shows."""
    found = touched.to_xarray(*names(touched))
    assert len(found.data_vars) >= len(names(touched)) - 1  # the time is a coordinate, angles are three


def test_scaled_lengths_keep_their_units(tmp_path):
    """Of a body of scale 0.001 lengths are in units of 0.001 m; local motion refers to scale_to_metre."""
    scene = SCENE | {
        "bodies": {**SCENE["bodies"], "model": {"scale": 0.001, "children": {"part": {"position": [3, 0, 0]}}}}
    }
    trajectory = rigidsim.simulate(rigidsim.Scene.from_dict(scene))
    header, _ = table(trajectory.export(tmp_path / "a.csv", "part.position@model"))
    assert header[1] == "model/part.position.x@model (0.001 m)"
    found = trajectory.to_xarray()
    assert found.local_position.units == "1"
    assert "scale_to_metre" in found.local_position.long_name
    assert float(found.scale_to_metre.sel(body="model/part")) == 0.001
    assert trajectory.to_xarray("part.position@model")["model_part.position@model"].units == "0.001 m"


@pytest.mark.parametrize(("plain", "nc"), [("m/s", "m s-1"), ("rad/s²", "rad s-2"), ("N m s", "N m s"), ("", "1")])
def test_units_are_written_in_two_ways(plain, nc):
    assert (udunits(plain), plain_unit(nc)) == (nc, plain)


def test_bad_names_are_refused(history, tmp_path):
    with pytest.raises(UsageError, match=r"a\.txt: the name must end with one of \.csv, \.nc, \.nc4"):
        history.export(tmp_path / "a.txt")
    with pytest.raises(UsageError, match=r"for NetCDF write it with each quantity"):
        history.export(tmp_path / "a.nc", frame="deck")
    with pytest.raises(UsageError, match=r"two variables would have the name 'deck\.speed'"):
        history.export(tmp_path / "a.nc", "deck.speed", "deck.speed@world")
    history.export(tmp_path / "a.csv")
    with pytest.raises(StorageError, match="exists already; use force=True"):
        history.export(tmp_path / "a.csv")
    history.export(tmp_path / "a.csv", force=True)
    (tmp_path / "a.nc").write_text("my notes")
    with pytest.raises(
        StorageError, match="is not a NetCDF file, or it is damaged; force=True overwrites NetCDF files"
    ):
        history.export(tmp_path / "a.nc", force=True)


@pytest.mark.parametrize("name", ["a.csv", "a.nc"])
def test_a_full_disk_leaves_nothing(history, tmp_path, monkeypatch, name):
    def full(self, begin, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Spool, "_write_all", full)
    with pytest.raises(StorageError, match=f"cannot write .*{name}: No space left on device"):
        history.export(tmp_path / name)
    assert remains(tmp_path) == set()


def test_damage_is_found_while_it_is_exported(file, tmp_path):
    """Nothing is left of the export."""
    content = bytearray(file.read_bytes())
    with rigidsim.load(file) as trajectory:
        place = trajectory.arrays["world/position"]._dataset.id.get_chunk_info(0).byte_offset
    content[place + 40] ^= 1
    file.write_bytes(content)
    with rigidsim.load(file) as trajectory, pytest.raises(FormatError):
        trajectory.export(tmp_path / "b.nc")
    assert remains(tmp_path) == {"a.h5"}


@pytest.mark.parametrize(
    ("package", "call", "what"),
    [
        ("h5netcdf", lambda history, path: history.export(path / "a.nc"), "NetCDF files need h5netcdf"),
        ("xarray", lambda history, path: history.to_xarray(), "xarray datasets need xarray"),
        ("pandas", lambda history, path: history.to_pandas(), "pandas tables need pandas"),
    ],
)
def test_a_missing_package_is_named(history, tmp_path, monkeypatch, package, call, what):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UsageError) as refused:
        call(history, tmp_path)
    assert str(refused.value) == f'{what}; install it with: pip install "rigidsim[netcdf]"'


def test_texts_and_numbers_without_dimensions_are_written(tmp_path):
    """As they are in memory."""
    from rigidsim.exports.netcdf import write_netcdf

    variables = (
        LabelledVariable.of("word", (), "ja"),
        LabelledVariable.of("none", ("empty",), np.zeros(0)),
        LabelledVariable.of("one", (), 1.5),
    )
    labelled, file = Labelled(variables, frozenset(), {"title": "t"}), Spool(tmp_path / "a.nc")
    write_netcdf(file, labelled)
    file.publish(False)
    assert opened(tmp_path / "a.nc").identical(labelled.to_xarray())


def test_csv_text_quotes_what_has_commas(history, tmp_path):
    text = history.export(tmp_path / "a.csv", '= max(speed("deck"), 1)').read_text()
    assert next(csv.reader(io.StringIO(text))) == ["time (s)", '= max(speed("deck"), 1) (m/s)']


def test_readings_are_exported_at_their_own_times():
    scene = rigidsim.Scene.from_text("""
format: rigidsim/1
simulation: {duration: 1, step: 0.1, record_every: 0.5}
bodies:
  top:
    motion: {prescribed: {angular_velocity: [0, 0, 2]}}
    sensors: {imu: {type: imu, every: 0.2}, turned: {type: value, every: 0.5, value: "= 2*t"}}
""")
    found = rigidsim.simulate(scene)
    table = found.to_pandas("top.imu")
    assert table.index.tolist() == [0.1 * k for k in (0, 2, 4, 6, 8, 10)]
    assert list(table)[-1] == "angular_velocity.z (rad/s)"
    assert table["angular_velocity.z (rad/s)"].tolist() == found.readings["top.imu"]["angular_velocity"][:, 2].tolist()
    assert found.to_pandas("top.turned")["value (s)"].tolist() == [0.0, 1.0, 2.0]
    data = found.to_xarray()
    assert data["sensors_top_imu_acceleration"].dims == ("sensors_top_imu_time", "xyz")
    assert data["sensors_top_turned_value"].sel(sensors_top_turned_time=0.5) == 1.0
    with pytest.raises(UsageError, match="has times of its own"):
        found.to_pandas("top.imu", "kinetic_energy")
