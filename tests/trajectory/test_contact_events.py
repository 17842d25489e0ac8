"""Events of contact in trajectories: in one order with the others, stored, read back, reported."""

from __future__ import annotations

import gzip
import json
import pickle
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

import rigidsim
from contact_logs import NAMES, OCCURRENCES, SCENE, history_of
from rigidsim.engine.model import layout
from rigidsim.errors import FormatError, UsageError
from rigidsim.report.diff import Diff
from rigidsim.report.explain import BodyReport
from rigidsim.report.inspect import Inspection
from rigidsim.trajectory import Trajectory
from rigidsim.trajectory.events import Events, in_order
from rigidsim.trajectory.fields import CAUSES, EVENT_NAMES, SIDE_NAMES

ORDER = [
    ("impact", 0.1), ("impulse", 0.25), ("contact_begins", 0.25), ("impact", 0.25), ("contact_ends", 0.5),
    ("reparent", 0.7), ("impact", 0.8),
]  # fmt: skip


@pytest.fixture(scope="module")
def history():
    return history_of(contacts=True)


@pytest.fixture
def file(history, tmp_path):
    history.save(tmp_path / "touched.h5")
    return tmp_path / "touched.h5"


def test_all_events_are_in_one_order_of_time(history):
    assert [(event.cause, round(event.time, 12)) for event in history.events] == ORDER
    assert len(history.events) == 7 and len(history.events.contact) == 5 and len(history.events.scheduled) == 2
    assert [history.events[k] for k in range(-7, 0)] == list(history.events) == list(history.events[:])
    assert history.events[5:1:-2] == (history.events[5], history.events[3])
    with pytest.raises(IndexError):
        _ = history.events[7]


def test_two_tables_become_one_in_order_of_time(history):
    twice = in_order([history.events.columns, history.events.columns])
    assert twice["events/time"].tolist() == sorted([event.time for event in history.events] * 2)
    assert [CAUSES[cause] for cause in twice["events/cause"][2:8]] == [
        "impulse", "impulse", "contact_begins", "impact", "contact_begins", "impact",
    ]  # fmt: skip
    events = Events(history.header, twice)
    assert events.scheduled == tuple(event for event in history.events.scheduled for _ in range(2))
    assert in_order([]) == {}


def test_an_impact_names_shapes_bodies_and_who_was_protected(history):
    """The book is protected in the bag that is carried along, the rider until it leaves the car."""
    first, last = history.events[0], history.events[-1]
    assert (first.shapes, first.bodies) == (("ball.shapes[0]", "car/wheel.shapes[0]"), ("ball", "car"))
    assert (first.point, first.normal, first.impulse) == ((1, 2, 3), (0, 0, -1), (0, 0, 1))
    assert (first.energy_before, first.energy_after, first.energy) == (8, 5, -3)
    assert set(first.protected_bodies) == {"car/rider", "car/mast/bird", "car/bag/book"}
    assert set(last.protected_bodies) == {"car/mast/bird", "car/bag/book"}
    assert first.carried_bodies == last.carried_bodies == ("car/bag",)
    begins = history.events[2]
    assert (begins.bodies, begins.protected_bodies, begins.carried_bodies) == (("car", "floor"), (), ())
    for body, concerned in (("car", True), ("car/wheel", True), ("car/bag", True), ("car/rider/hat", False)):
        assert first.concerns(body) == concerned
    assert json.loads(json.dumps(first.as_dict()))["shapes"] == list(first.shapes)


def test_columns_are_arrays(history):
    contact = history.events.contact
    assert contact.time.tolist() == [row[0] for row in OCCURRENCES] and contact.impulse.shape == (5, 3)
    assert [contact.shapes[k] for k in contact.second] == [NAMES[row[3]] for row in OCCURRENCES]
    with pytest.raises(AttributeError, match="no column 'colour'"):
        _ = contact.colour
    none = Events(history.header).contact
    assert len(none) == len(none.time) == 0 and none.point.shape == (0, 3) and none.kind.dtype == np.int8


def test_a_file_gives_back_the_events(history, file):
    with rigidsim.load(file) as read:
        assert read.events == history.events and read.header.shapes == history.header.shapes == NAMES
        assert read.content_hash == read.stored_hash == history.content_hash
        for twin in (pickle.loads(pickle.dumps(read)), pickle.loads(pickle.dumps(history))):
            assert twin.events == history.events and twin.content_hash == history.content_hash
    with h5py.File(file) as raw:
        assert raw.attrs["format"] == "rigidsim-trajectory/5"
        cause = raw["events/cause"]
        assert cause.attrs["flag_meanings"].split() == list(CAUSES)
        assert cause.attrs["flag_values"].tolist() == list(range(len(CAUSES)))
        assert CAUSES[layout.CAUSE_BEGAN] == "contact_begins" and CAUSES[layout.CAUSE_IMPACT] == "impact"


def test_events_that_differ_are_not_equal(history):
    events = history.events
    assert events == list(events) and events != tuple(events)[1:] and events != events.between(0.0, 0.7)
    other = Events(history.header, events.columns | {"events/point": -events.columns["events/point"]})
    assert other != events and Events(replace(history.header, shapes=NAMES[::-1]), events.columns) != events


def test_each_column_counts_in_the_hash(history):
    for name in (*EVENT_NAMES, "events/received/event", "events/protected/velocity", "events/carried/body"):
        changed = np.array(history.arrays[name])
        changed.reshape(-1)[0] = "x" if changed.dtype.kind == "U" else changed.reshape(-1)[0] + 1
        other = Trajectory(history.header, {**history.arrays, name: changed})
        assert other.content_hash != history.content_hash, name


def test_where_nothing_touches_the_content_is_as_without_contact(tmp_path):
    hashes = []
    for mode, names in (("stepping", NAMES), ("off", ())):
        scene = SCENE | {"simulation": SCENE["simulation"] | {"contact": mode}}
        trajectory = rigidsim.simulate(rigidsim.Scene.from_dict(scene))
        trajectory.save(tmp_path / f"{mode}.h5")
        with rigidsim.load(tmp_path / f"{mode}.h5") as read, h5py.File(tmp_path / f"{mode}.h5") as raw:
            hashes += [trajectory.content_hash, read.content_hash]
            assert ("shape" in raw) == bool(names)
            assert read.header.shapes == trajectory.header.shapes == names
            assert len(raw["events/time"]) == len(read.events) == 2
    assert len(set(hashes)) == 1


def test_a_value_changed_by_other_means_is_found_when_it_is_read(file):
    with h5py.File(file, "a") as raw:
        raw["events/impulse"][3, 2] += 1e-12
    with rigidsim.load(file) as read:
        assert read.events.contact.time[3] == 0.5
        with pytest.raises(FormatError, match="events/impulse does not match its sha256"):
            _ = read.events[0]


def vast(raw):
    del raw["events/event"], raw["events/time"]
    for name in ("event", "time"):
        raw.create_dataset(f"events/{name}", (2**62,), "i8", chunks=(1,), maxshape=(None,))


DAMAGES = {
    "a column less": (lambda raw: raw.__delitem__("events/cause"), "events/cause is missing"),
    "no axis": (lambda raw: raw.__delitem__("events/event"), "events/event is missing"),
    "a row less": (lambda raw: raw["events/cause"].resize(4, axis=0), r"expected int8 of \(7,\)"),
    "all columns": (lambda raw: raw.__delitem__("events"), "do not match its content hash"),
    "no shapes": (lambda raw: raw.__delitem__("shape"), "does not match description_sha256"),
    "older format": (
        lambda raw: raw.attrs.__setitem__("format", "rigidsim-trajectory/2"),
        "in which an array 'shape' is not expected",
    ),
    "a shape of nothing": (
        lambda raw: raw["shape"].__setitem__(0, "bat.shapes[0]"),
        "'bat.shapes.0.' is not on one of",
    ),
    "another shape": (lambda raw: raw["shape"].__setitem__(0, "car.shapes[0]"), "does not match description_sha256"),
    "vast": (vast, "events/event has fewer values than its shape"),
    "a side table less": (lambda raw: raw.__delitem__("events/carried"), "events/carried/event is missing"),
    "an event that is not there": (
        lambda raw: raw["events/protected/event"].__setitem__(0, 7),
        "events/protected refers to event 7 of 7",
    ),
}


@pytest.mark.parametrize(("damage", "words"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_table_is_refused(file, damage, words):
    with h5py.File(file, "a") as raw:
        damage(raw)
    with pytest.raises(FormatError, match=words):
        rigidsim.load(file)


@pytest.mark.parametrize(("name", "value"), [("cause", 5), ("cause", 1), ("first", 3), ("second", -1)])
def test_rows_that_refer_to_nothing_are_refused(history, tmp_path, name, value):
    columns = {f"events/{name}": np.full(7, value, dtype=history.arrays[f"events/{name}"].dtype)}
    Trajectory(history.header, {**history.arrays, **columns}).save(tmp_path / "a.h5")
    with (
        rigidsim.load(tmp_path / "a.h5") as read,
        pytest.raises(FormatError, match=f"events/{name} has a number of nothing"),
    ):
        _ = read.events[0]


def rattle_of(history, many: int) -> dict[str, np.ndarray]:
    """The columns of so many events of contact, all like the first one."""
    found = {name: np.resize(history.arrays[name][:1], (many, *history.arrays[name].shape[1:])) for name in EVENT_NAMES}
    return found | {name: history.arrays[name][:0] for name in SIDE_NAMES}


def test_thousands_of_impacts_stay_small(history, tmp_path):
    """In memory 121 bytes each: a time, 11 values, a cause and two numbers."""
    many = 50_000
    columns = rattle_of(history, many)
    columns["events/time"] = np.linspace(0.0, 1.0, many)
    assert sum(column.nbytes for column in columns.values()) == many * (8 * 12 + 1 + 2 * 4)
    trajectory = Trajectory(history.header, {**history.arrays, **columns})
    history.save(tmp_path / "few.h5")
    trajectory.save(tmp_path / "many.h5")
    assert (tmp_path / "many.h5").stat().st_size - (tmp_path / "few.h5").stat().st_size < 105 * many
    with rigidsim.load(tmp_path / "many.h5") as read:
        assert read.events == trajectory.events and len(read.events) == many


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_xarray_opens_the_tables(file):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    with xarray.open_datatree(file, engine="h5netcdf") as tree:
        events = tree["events"].to_dataset(inherit=False)
        assert events.impulse.dims == ("event", "xyz") and events.impulse.attrs["units"] == "N s"
        assert tree["events/received"].to_dataset(inherit=False).body.values.tolist() == ["car", "car/rider"]
        contact = events.isel(event=events.first.values >= 0)
        names = tree["shape"].values[contact.second.values].tolist()
        assert names == [NAMES[row[3]] for row in OCCURRENCES]
    with xarray.open_dataset(file, engine="h5netcdf", group="contacts") as points:
        assert points.force.dims == ("row", "xyz") and points["count"].dims == ("time",)
        assert points["count"].sel(time=0.2, method="nearest") == 2


def test_explain_tells_who_struck_whom(file):
    def reported(body: str, time: float) -> str:
        return str(BodyReport.of(read, body, time))

    with rigidsim.load(file) as read:
        assert reported("ball", 0.1).startswith(
            "at t = 0.1 s: ball is struck by car\n  ball receives [0, 0, -1] N s at [1, 2, 3] m"
        )
        wheel = reported("car/wheel", 0.1)
        assert "car is struck by ball\n  car receives [0, 0, 1] N s" in wheel and "changes by -3 J" in wheel
        assert "car/rider keeps its motion in the world" in reported("car/rider", 0.1)
        assert "car/bag has inherit_impulses" in reported("car/bag", 0.1)
        car = reported("car", 0.3)
        assert "car begins to touch floor" in car and "impulse on car" in car
        assert "floor is struck by ball" in reported("floor", 0.3) and "impulse" not in reported("floor", 0.3)
        events = BodyReport.of(read, "car", 0.3).as_dict()["events"]
        assert [event["cause"] for event in events] == ["impulse", "contact_begins"]
        with pytest.raises(UsageError, match="no acceleration terms"):
            BodyReport.of(read, "car/rider/hat", 0.1)


def test_explain_shortens_a_rattle(history):
    rattle = Trajectory(history.header, {**history.arrays, **rattle_of(history, 40)})
    assert "... and 20 more events" in str(BodyReport.of(rattle, "ball", 0.1))


def test_inspect_counts_what_struck_what(file):
    with rigidsim.load(file) as read:
        inspection = Inspection.of(read, file)
    lines = str(inspection).splitlines()
    at_line = next(k for k, line in enumerate(lines) if "impacts, " in line)
    assert lines[at_line].startswith("3 impacts, 1 touch began, 1 ended; energy changed by -5 J in impacts")
    assert [line.split() for line in lines[at_line + 2 : at_line + 4]] == [
        ["ball", "and", "car/wheel", "2", "5", "-4"],
        ["ball", "and", "floor", "1", "3", "-1"],
    ]
    found = json.loads(json.dumps(inspection.as_dict()))
    assert found["contact"]["pairs"][0]["bodies"] == ["ball", "car/wheel"] and found["contact"]["impacts"] == 3
    assert [event["cause"] for event in found["events"]] == ["impulse", "reparent"]


def test_a_run_that_goes_back_forgets_what_it_recorded():
    simulation = rigidsim.Simulation(rigidsim.Scene.from_dict(SCENE))
    simulation.step()
    place, pieces = simulation._run.place(), [(np.zeros((1, n), int), np.zeros((1, m))) for n, m in ((3, 12), (4, 9))]
    simulation._run.contact.add(*pieces)
    assert len(simulation.events.contact) == 1
    simulation._run.go_back(place)
    assert len(simulation.events.contact) == 0 and simulation._run.contact.take_sampled() == []


def test_a_file_of_an_older_version_gives_back_its_events(history, tmp_path):
    """`touched_4.h5.gz` is the file that version 0.9 wrote of this history, in `rigidsim-trajectory/4`."""
    older = tmp_path / "older.h5"
    older.write_bytes(gzip.decompress(Path(__file__).with_name("touched_4.h5.gz").read_bytes()))
    with rigidsim.load(older) as read:
        assert list(read.events) == list(history.events) and read.header.changes == history.header.changes
        assert read.content_hash == read.stored_hash != history.content_hash
        twin = pickle.loads(pickle.dumps(read))
        assert twin.events == read.events and twin.content_hash == read.content_hash
        read.save(tmp_path / "now.h5")
    with rigidsim.load(tmp_path / "now.h5") as now:
        assert list(now.events) == list(history.events) and now.content_hash == now.stored_hash
        with rigidsim.load(older) as read:
            assert Diff(read, now, ("older.h5", "now.h5")).are_equal


@pytest.mark.parametrize("name", ["events/contact/impulse", "events/energy", "events/carried/impulse"])
def test_a_changed_event_in_a_file_of_an_older_version_is_found(tmp_path, name):
    older = tmp_path / "older.h5"
    older.write_bytes(gzip.decompress(Path(__file__).with_name("touched_4.h5.gz").read_bytes()))
    with h5py.File(older, "a") as raw:
        raw[name][...] = raw[name][()] + 1.0
    with pytest.raises(FormatError, match=r"does not match its sha256|do not match its content hash"):
        rigidsim.load(older)
