"""Impulses and reparentings in trajectories: stored, read back, told."""

from __future__ import annotations

import json

import h5py
import numpy as np
import pytest

import rigidsim
from rigidsim.cli import main
from rigidsim.errors import FormatError, UsageError

SCENE = {
    "format": "rigidsim/1",
    "simulation": {"duration": 1, "step": 0.01, "record_every": 0.05},
    "bodies": {
        "car": {
            "mass": 2,
            "inertia": {"principal": [0.5, 0.5, 0.5]},
            "impulses": [{"time": 0.5, "impulse": [0, 1, 0], "at": [0.3, 0, 0], "name": "bump"}],
            "children": {
                "rider": {"mass": 1, "inertia": {"principal": [0.1, 0.1, 0.1]}, "position": [1, 0, 0]},
                "bag": {"mass": 1, "inertia": "point", "position": [0, 1, 0], "velocity": [0.1, 0, 0]},
            },
        },
        "van": {"motion": {"prescribed": {"angular_velocity": [0, 0, 1]}}},
    },
    "reparent": [{"body": "car/bag", "to": "van", "time": 0.7}],
}


@pytest.fixture(scope="module")
def trajectory():
    return rigidsim.simulate(rigidsim.Scene.from_dict(SCENE))


@pytest.fixture
def command(monkeypatch, capsys):
    """(exit code, stdout) of a command."""

    def call(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["rigidsim", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        return int(left.value.code or 0), capsys.readouterr().out

    return call


@pytest.fixture
def file(trajectory, tmp_path):
    trajectory.save(tmp_path / "crash.h5")
    return tmp_path / "crash.h5"


def test_a_file_gives_back_the_events_and_the_changes_of_the_tree(trajectory, file):
    with rigidsim.load(file) as read:
        assert read.events == trajectory.events and len(read.events) == 2
        assert read.header.changes == trajectory.header.changes
        assert read.content_hash == read.stored_hash == trajectory.content_hash
        assert read["car/bag"].parent_at(0.69) == "car" and read["car/bag"].parent_at(0.7) == "van"


def test_local_motion_is_relative_to_the_parent_of_its_time(trajectory):
    bag = trajectory["car/bag"]
    late = trajectory.time >= 0.7
    for parent, when in (("car", ~late), ("van", late)):
        assert np.allclose(bag.seen_from(parent).position[when], bag.local.position[when], rtol=0, atol=1e-14)
    for other in ("car", "van", "car/rider", "world"):
        seen = bag.seen_from(other)
        assert len(seen.position) == len(trajectory.time)
        back = trajectory["car/rider"].seen_from("car/bag")
        assert np.isfinite(seen.velocity).all() and np.isfinite(back.position).all()
    assert np.allclose(bag.seen_from("world").position, bag.world.position, rtol=0, atol=1e-14)
    now = trajectory.at(0.9)
    assert np.allclose(now["car/bag"].seen_from("van").position, bag.seen_from("van").at(0.9).position, atol=1e-9)


def test_arrays_have_units_and_scales(file):
    with h5py.File(file) as raw:
        assert raw["events/impulse"].attrs["units"] == "N s"
        assert raw["events/protected/velocity"].shape == (2, 3)
        assert [name.decode() for name in raw["events/cause"][()]] == ["impulse", "reparent"]
    xarray = pytest.importorskip("xarray")
    events = xarray.open_dataset(file, engine="h5netcdf", group="events")
    assert events.velocity_after.attrs["units"] == "m s-1"


def test_a_scene_without_events_has_no_group_and_one_whose_group_is_cut_is_damaged(tmp_path, file):
    plain = {key: value for key, value in SCENE.items() if key != "reparent"}
    plain["bodies"] = {"b": {"mass": 1, "inertia": "point"}}
    rigidsim.simulate(rigidsim.Scene.from_dict(plain)).save(tmp_path / "plain.h5")
    with h5py.File(tmp_path / "plain.h5") as raw:
        assert "events" not in raw
    with h5py.File(file, "a") as raw:
        del raw["events/impulse"]
    with pytest.raises(FormatError, match="events/impulse is missing"):
        rigidsim.load(file)


def test_a_changed_event_does_not_agree_with_the_hash(file, command):
    with h5py.File(file, "a") as raw:
        raw["events/energy"][0] = 7.0
    assert command("inspect", file)[0] == 6


def test_explain_answers_why_this_jumped(file, command):
    def told(body: str, time: str, *more: str) -> str:
        code, output = command("explain", file, body, "--at", time, *more)
        assert code == 0, output
        return output

    rider = told("car/rider", "0.5")
    assert "impulse 'bump' on car: [0, 1, 0] N s" in rider
    assert "car/rider keeps its motion in the world" in rider and "velocity [0, -1.1, 0] m/s" in rider
    car = told("car", "0.5")
    assert "[0, 0, 0] -> [0, 0.5, 0] m/s" in car and "protected from it" in car and "car/rider" in car
    assert "another parent, van instead of car" in told("car/bag", "0.7")
    events = json.loads(told("car", "0.5", "--json"))["events"]
    assert events[0]["name"] == "bump" and events[0]["protected"][0]["velocity"] == pytest.approx([0, -1.1, 0])


def test_where_nothing_happened_and_nothing_was_recorded_explain_says_so(trajectory):
    from rigidsim.report.explain import Account

    with pytest.raises(UsageError, match="no terms"):
        Account.of(trajectory, "car", 0.2)


def test_inspect_lists_the_events(file, command):
    _, told = command("inspect", file)
    assert "2 events:" in told and "bump" in told
    found = json.loads(command("inspect", file, "--json")[1])
    assert [event["cause"] for event in found["events"]] == ["impulse", "reparent"]
