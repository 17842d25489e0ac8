"""Events of contact in trajectories: in one order with the others, stored, read back, told."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import h5py
import numpy as np
import pytest

import rigidsim
from contact_logs import NAMES, OCCURRENCES, SCENE, history_of
from rigidsim.engine.contact import columns as at
from rigidsim.errors import FormatError, UsageError
from rigidsim.report.explain import BodyReport
from rigidsim.report.inspect import Inspection
from rigidsim.simulation.contacts import event_columns
from rigidsim.trajectory import Trajectory
from rigidsim.trajectory.contact_fields import EVENT_NAMES
from rigidsim.trajectory.timeline import Events

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


def test_what_happens_within_a_step_is_sorted_by_time():
    rows, values = np.zeros((4, at.LOG_COLUMNS), int), np.zeros((4, at.LOG_ROWS))
    rows[:, at.LOG_FIRST], values[:, at.G_TIME] = range(4), [0.2, 0.1, 0.2, 0.1]
    columns = event_columns([(rows[:3], values[:3]), (rows[3:], values[3:])])
    assert columns["events/contact/first"].tolist() == [1, 3, 0, 2]
    assert event_columns([]) == {}


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
        assert raw.attrs["format"] == "rigidsim-trajectory/4"
        kind = raw["events/contact/kind"]
        assert kind.attrs["flag_meanings"].split() == ["contact_begins", "contact_ends", "impact"]
        assert kind.attrs["flag_values"].tolist() == [at.BEGAN, at.ENDED, at.IMPACT]


def test_events_that_differ_are_not_equal(history):
    events = history.events
    assert events == list(events) and events != tuple(events)[1:] and events != events.between(0.0, 0.7)
    other = Events(history.header, events.scheduled, events.columns | {EVENT_NAMES[1]: events.contact.kind[::-1]})
    assert other != events and Events(replace(history.header, shapes=NAMES[::-1]), events[:0], events.columns) != events


def test_each_column_counts_in_the_hash(history):
    for name in EVENT_NAMES:
        changed = np.array(history.arrays[name])
        changed.reshape(-1)[0] += 1
        other = Trajectory(history.header, {**history.arrays, name: changed}, scheduled=history.events.scheduled)
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
            assert "contact" not in raw["events"] and len(read.events) == 2
    assert len(set(hashes)) == 1


def test_a_value_changed_by_other_means_is_found_when_it_is_read(file):
    with h5py.File(file, "a") as raw:
        raw["events/contact/impulse"][3, 2] += 1e-12
    with rigidsim.load(file) as read:
        assert read.events.contact.time[3] == 0.5
        with pytest.raises(FormatError, match="events/contact/impulse does not match its sha256"):
            _ = read.events[0]


def vast(raw):
    del raw["events/contact/row"], raw["events/contact/time"]
    for name in ("row", "time"):
        raw.create_dataset(f"events/contact/{name}", (2**62,), "i8", chunks=(1,), maxshape=(None,))


DAMAGES = {
    "a column less": (lambda raw: raw.__delitem__("events/contact/kind"), "events/contact/kind is missing"),
    "no axis": (lambda raw: raw.__delitem__("events/contact/row"), "events/contact/row is missing"),
    "a row less": (lambda raw: raw["events/contact/kind"].resize(4, axis=0), r"expected int8 of \(5,\)"),
    "all columns": (lambda raw: raw.__delitem__("events/contact"), "do not match its content hash"),
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
    "vast": (vast, "events/contact/row has fewer values than its shape"),
}


@pytest.mark.parametrize(("damage", "words"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_table_is_refused(file, damage, words):
    with h5py.File(file, "a") as raw:
        damage(raw)
    with pytest.raises(FormatError, match=words):
        rigidsim.load(file)


@pytest.mark.parametrize(("name", "value"), [("kind", 3), ("kind", -1), ("first", 3), ("second", -1)])
def test_rows_that_refer_to_nothing_are_refused(history, tmp_path, name, value):
    columns = {f"events/contact/{name}": np.full(5, value, dtype=history.arrays[f"events/contact/{name}"].dtype)}
    Trajectory(history.header, {**history.arrays, **columns}).save(tmp_path / "a.h5")
    with (
        rigidsim.load(tmp_path / "a.h5") as read,
        pytest.raises(FormatError, match=f"contact/{name} is not in the range"),
    ):
        _ = read.events[0]


def test_thousands_of_impacts_stay_small(history, tmp_path):
    """In memory 121 bytes each: a time, 11 values, a kind and two numbers."""
    many = 50_000
    columns = {name: np.resize(a, (many, *a.shape[1:])) for name, a in history.events.columns.items()}
    columns["events/contact/time"] = np.linspace(0.0, 1.0, many)
    assert sum(column.nbytes for column in columns.values()) == many * (8 * 12 + 1 + 2 * 4)
    trajectory = Trajectory(history.header, {**history.arrays, **columns}, scheduled=history.events.scheduled)
    history.save(tmp_path / "few.h5")
    trajectory.save(tmp_path / "many.h5")
    assert (tmp_path / "many.h5").stat().st_size - (tmp_path / "few.h5").stat().st_size < 105 * many
    with rigidsim.load(tmp_path / "many.h5") as read:
        assert read.events == trajectory.events and len(read.events) == many + 2


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_xarray_opens_the_tables(file):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    with xarray.open_datatree(file, engine="h5netcdf") as tree:
        contact = tree["events/contact"].to_dataset(inherit=False)
        assert contact.impulse.dims == ("row", "xyz") and contact.impulse.attrs["units"] == "N s"
        names = tree["shape"].values[contact.second.values].tolist()
        assert names == [NAMES[row[3]] for row in OCCURRENCES]
    with xarray.open_dataset(file, engine="h5netcdf", group="contacts") as points:
        assert points.force.dims == ("row", "xyz") and points["count"].dims == ("time",)
        assert points["count"].sel(time=0.2, method="nearest") == 2


def test_explain_tells_who_struck_whom(file):
    def told(body: str, time: float) -> str:
        return str(BodyReport.of(read, body, time))

    with rigidsim.load(file) as read:
        assert told("ball", 0.1).startswith(
            "at t = 0.1 s: ball is struck by car\n  ball receives [0, 0, -1] N s at [1, 2, 3] m"
        )
        wheel = told("car/wheel", 0.1)
        assert "car is struck by ball\n  car receives [0, 0, 1] N s" in wheel and "changes by -3 J" in wheel
        assert "car/rider keeps its motion in the world" in told("car/rider", 0.1)
        assert "car/bag has inherit_impulses" in told("car/bag", 0.1)
        car = told("car", 0.3)
        assert "car begins to touch floor" in car and "impulse on car" in car
        assert "floor is struck by ball" in told("floor", 0.3) and "impulse" not in told("floor", 0.3)
        events = BodyReport.of(read, "car", 0.3).as_dict()["events"]
        assert [event["cause"] for event in events] == ["impulse", "contact_begins"]
        with pytest.raises(UsageError, match="no acceleration terms"):
            BodyReport.of(read, "car/rider/hat", 0.1)


def test_explain_shortens_a_rattle(history):
    columns = {name: np.resize(a[:1], (40, *a.shape[1:])) for name, a in history.events.columns.items()}
    rattle = Trajectory(history.header, {**history.arrays, **columns})
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
