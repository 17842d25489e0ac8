"""Impulses and reparentings in trajectories: stored, read back, reported."""

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
                "load": {
                    "mass": 3,
                    "inertia": {"principal": [0.2, 0.2, 0.3]},
                    "center_of_mass": [0.1, 0, 0],
                    "position": [-1, 0, 0],
                    "inherit_impulses": True,
                },
                "mast": {"children": {"flag": {"motion": {"prescribed": {"angular_velocity": [0, 0, 1]}}}}},
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
    assert np.allclose(
        now["car/bag"].seen_from("van").position, bag.seen_from("van").at(0.9).position, rtol=0, atol=1e-9
    )


def test_between_the_samples_before_and_after_a_change_of_parent(trajectory):
    """No sample at 0.62 s: the bag is taken from its motion in the world, relative to the parent of that time."""
    scene = rigidsim.Scene.from_dict(SCENE | {"reparent": [{"body": "car/bag", "to": "van", "time": 0.63}]})
    coarse = rigidsim.simulate(scene)
    bag = coarse["car/bag"]
    for time, parent in ((0.62, "car"), (0.64, "van")):
        state = coarse.at(time)
        assert bag.parent_at(time) == parent
        for other in ("world", "car", "van"):
            # Two cubics, each right to h^4/384 of the fourth derivative; a turn of 1 rad/s at 1 m has 1 m/s4.
            expected = bag.seen_from(other).at(time).position
            assert np.allclose(state["car/bag"].seen_from(other).position, expected, rtol=0, atol=2 * 0.05**4 / 384)
        assert np.allclose(
            state["car/bag"].local.position, state["car/bag"].seen_from(parent).position, rtol=0, atol=1e-14
        )
        with pytest.raises(UsageError, match="relative to different parents"):
            bag.local.at(time)
    assert np.array_equal(bag.local.at(0.65).position, bag.local.position[13])
    assert np.isfinite(bag.local.at([0.3, 0.8]).position).all()


def test_arrays_have_units_and_scales(file):
    with h5py.File(file) as raw:
        assert raw["events/impulse"].attrs["units"] == "N s"
        assert raw["events/protected/velocity"].shape == (2, 3) and raw["events/carried/impulse"].shape == (1, 3)
        assert raw["events/cause"].attrs["flag_meanings"].split()[:2] == ["impulse", "reparent"]
        assert raw["events/cause"][()].tolist() == [0, 1] and raw["events/first"][()].tolist() == [-1, -1]
        assert raw["events/point"][0] == pytest.approx([0.3, 0, 0], abs=1e-15)  # of the impulse
    xarray = pytest.importorskip("xarray")
    received = xarray.open_dataset(file, engine="h5netcdf", group="events/received")
    assert received.velocity_after.attrs["units"] == "m s-1"


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


def test_what_the_plane_took_up_is_stored_sealed_and_shown(tmp_path, command):
    ball = {"mass": 2, "inertia": {"principal": [1, 1, 2]}}
    ball["impulses"] = [{"time": 0.5, "impulse": [1, 0, 5], "at": [0, 1, 3]}]
    planar = {key: SCENE[key] for key in ("format", "simulation")}
    planar |= {"world": {"plane": [0, 0, 1]}, "bodies": {"ball": ball}}
    rigidsim.simulate(rigidsim.Scene.from_dict(planar)).save(tmp_path / "planar.h5")
    with rigidsim.load(tmp_path / "planar.h5") as read:
        (event,) = read.events
        assert event.impulse == (1, 0, 0) and event.constraint_impulse == (0, 0, 5)
    _, reported = command("explain", tmp_path / "planar.h5", "ball", "--at", "0.5")
    acted = "impulse on ball: [1, 0, 0] N s, angular impulse [0, 0, -1] N m s about its centre of mass"
    assert f"{acted}; constraints absorbed [0, 0, 5] N s, angular impulse [5, 3, 0] N m s" in reported
    with h5py.File(tmp_path / "planar.h5", "a") as raw:
        raw["events/received/constraint_impulse"][0, 2] = 4.0
    with pytest.raises(FormatError, match="do not match"):
        rigidsim.load(tmp_path / "planar.h5")


def test_what_rounding_leaves_is_nothing_that_the_plane_took_up(tmp_path, command):
    ball = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "orientation": {"axis": [1, 2, 3], "angle": 0.7}}
    ball["impulses"] = [{"time": 0.5, "frame": "body", "impulse": [3, 0, -1], "at": [-1, -1, 1]}]
    planar = {key: SCENE[key] for key in ("format", "simulation")}
    planar |= {"world": {"plane": [1, 2, 3]}, "bodies": {"ball": ball}}
    history = rigidsim.simulate(rigidsim.Scene.from_dict(planar))
    assert any(history.events[0].constraint_impulse)  # 1e-16 N s
    history.save(tmp_path / "planar.h5")
    _, reported = command("explain", tmp_path / "planar.h5", "ball", "--at", "0.5")
    assert "impulse on ball" in reported and "absorbed" not in reported


def test_a_changed_event_does_not_agree_with_the_hash(file, command):
    with h5py.File(file, "a") as raw:
        raw["events/energy_after"][0] = 7.0
    assert command("inspect", file)[0] == 6


def test_explain_answers_why_this_jumped(file, command):
    def reported(body: str, time: str, *more: str) -> str:
        code, output = command("explain", file, body, "--at", time, *more)
        assert code == 0, output
        return output

    rider = reported("car/rider", "0.5")
    assert "impulse 'bump' on car: [0, 1, 0] N s" in rider
    assert "car/rider keeps its motion in the world" in rider and "velocity [0, -1.1, 0] m/s" in rider
    car = reported("car", "0.5")
    assert (
        "[0, 0, 0] -> [0, 0.5, 0] m/s" in car and "not affected in the world (protected)" in car and "car/rider" in car
    )
    assert "car/bag is reparented from car to van" in reported("car/bag", "700 ms")
    assert command("explain", file, "car", "--at", "5 kg")[0] == 2
    events = json.loads(reported("car", "0.5", "--json"))["events"]
    assert events[0]["name"] == "bump" and events[0]["protected"][0]["velocity"] == pytest.approx(
        [0, -1.1, 0], abs=1e-15
    )


def test_who_inherits_an_impulse_is_listed_with_what_it_gained(trajectory, file, command):
    """Jumps: 0.5 m/s and 0.6 rad/s: 1 m behind its origin by 0.5 - 0.6 m/s, 0.9 m behind by 0.5 - 0.54 m/s."""
    event = trajectory.events[0]
    assert event.id == "car.impulses[0]" and trajectory.events[1].id == "reparent[0]"
    assert [other.body for other in event.protected] == ["car/rider", "car/bag"]
    (load,) = event.carried
    assert load.body == "car/load"
    for found, expected in (
        (load.velocity, [0, -0.1, 0]),
        (load.angular_velocity, [0, 0, 0.6]),
        (load.impulse, [0, 3 * -0.04, 0]),
        (load.angular_impulse, [0, 0, 0.3 * 0.6]),
    ):
        assert found == pytest.approx(expected, abs=1e-15)
    with rigidsim.load(file) as read:
        assert read.events[0].carried == event.carried
    code, reported = command("explain", file, "car/load", "--at", "0.5")
    assert code == 0 and "has inherit_impulses" in reported and "[0, -0.12, 0] N s" in reported
    assert "carried along (inherit_impulses): car/load" in command("explain", file, "car", "--at", "0.5")[1]
    assert "1 body carried along" in command("inspect", file)[1]


@pytest.mark.parametrize("terms", [False, True])
def test_parts_of_a_struck_body_and_its_old_parent_are_reported(tmp_path, command, terms):
    rigidsim.simulate(rigidsim.Scene.from_dict(SCENE), terms=terms).save(tmp_path / "crash.h5")
    for part in ("car/mast", "car/mast/flag"):
        code, reported = command("explain", tmp_path / "crash.h5", part, "--at", "0.5")
        assert code == 0 and "impulse 'bump' on car" in reported and f"{part} moves with car" in reported
    assert "from car to van" in command("explain", tmp_path / "crash.h5", "car", "--at", "0.7")[1]
    assert "from car to van" in command("explain", tmp_path / "crash.h5", "van", "--at", "0.7")[1]


def test_how_a_body_hangs_is_in_the_file(file):
    with rigidsim.load(file) as read:
        assert [read[path].kind for path in ("car", "car/mast", "van")] == ["free", "fixed", "prescribed"]
        assert [read[path].moved_base_at(0.5) for path in ("car/mast", "car/mast/flag", "van")] == ["car", "", ""]
        assert [read[path].free_ancestor_at(0.5) for path in ("car", "car/mast/flag", "van")] == ["car", "car", ""]


def test_a_body_that_is_not_free_says_whom_to_ask():
    from rigidsim.report.explain import BodyReport

    trajectory = rigidsim.simulate(rigidsim.Scene.from_dict(SCENE), terms=True)
    with pytest.raises(UsageError, match=r"'car/mast' is not a free body: it is fixed to car, .* use car"):
        BodyReport.of(trajectory, "car/mast", 0.2)
    with pytest.raises(UsageError, match=r"'van' is not a free body: its motion is prescribed, so there are no terms$"):
        BodyReport.of(trajectory, "van", 0.2)


def test_where_nothing_happened_and_nothing_was_recorded_explain_says_so(trajectory):
    from rigidsim.report.explain import BodyReport

    with pytest.raises(UsageError, match="no acceleration terms"):
        BodyReport.of(trajectory, "car", 0.2)


def test_inspect_lists_the_events(file, command):
    _, reported = command("inspect", file)
    assert "2 events:" in reported and "bump" in reported
    found = json.loads(command("inspect", file, "--json")[1])
    assert [event["cause"] for event in found["events"]] == ["impulse", "reparent"]
