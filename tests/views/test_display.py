"""What a picture shows: poses at its times as seen from any body, and what is in it."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from rigidsim.errors import NotRecordedError, UsageError
from rigidsim.physics.quaternion import rotate
from rigidsim.trajectory.motion import QUANTITIES
from rigidsim.views.display import MARKER, SOLID, display_of, display_of_scene, playing_speed
from rigidsim.views.poses import chosen_samples

HEAD = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.01}}
BALL = {"mass": 1, "shapes": [{"type": "sphere", "radius": 0.1}]}


def differences(display, history, frame):
    """The largest differences from what the API says of each quantity, as seen from a body, relative to the largest."""
    seen, metres = display.poses.seen_from(display.row(frame)), history.header.scale_of(frame.replace("world", ""))
    found = {}
    for name in QUANTITIES:
        unit = metres if name in ("position", "velocity") else 1.0
        theirs = np.stack([getattr(history[p].seen_from(frame).at(display.poses.time), name) for p in history], axis=1)
        ours = getattr(seen, name)[:, :-1]  # the last one is the world
        if name == "orientation":  # q and -q are one rotation
            ours = ours * np.sign(np.sum(ours * theirs, axis=-1, keepdims=True))
        found[name] = np.abs(ours - unit * theirs).max() / max(np.abs(unit * theirs).max(), 1e-3)
    return found


@pytest.mark.parametrize("name", ["ball_on_turntable", "three_frames_deep", "payload_release", "vehicle_on_earth"])
def test_bodies_are_where_the_trajectory_says_seen_from_each_of_them(run, name):
    """Also if the parent of a body changes. Composed in another order: a few roundings."""
    history = run(name)
    display = display_of(history)
    assert set(display.poses.time) <= set(history.time)
    for frame in ("world", *history.paths):
        assert max(differences(display, history, frame).values()) < 1e-11


def test_centimetres_are_seen_at_the_distance_of_the_sun(run):
    """At 1.5e11 m a float64 has 3e-5 m; the vehicle's position relative to the ground has all its digits."""
    history = run("vehicle_on_earth")
    display = display_of(history)
    ground, vehicle = (display.row(f"orbit/stars/earth/{name}") for name in ("ground", "ground/vehicle"))
    ours = display.poses.seen_from(ground).position[:, vehicle]
    theirs = history[history.paths[vehicle]].local.at(display.poses.time).position
    assert np.array_equal(ours, theirs)


def test_the_points_and_axes_of_joints_are_where_bodies_hang():
    """At each sample and by whichever body they are given: a universal joint is one point and two axes at right angles,
    of which the first rests in the parent; the point of a slide moves along its axis.
    """
    of = {"mass": 1, "inertia": {"principal": [1, 2, 2.5]}, "scale": 0.5, "position": [1, 0, 0]}
    wrist = {"universal": {"axes": [[1, 0, 0], [0, 1, 0]], "at": [0, 0, 2], "rates": [2, 3]}}
    cart = {
        "orientation": {"axis": [1, 0, 0], "angle": "20 deg"},
        "motion": {"slide": {"axis": [0, 0.6, 0.8], "rate": 3}},
    }
    children = {"wrist": {**of, "motion": wrist}, "cart": {**of, **cart}}
    drum = {
        "mass": 9,
        "inertia": {"principal": [9, 9, 9]},
        "angular_velocity": [1, 0, 1],
        "scale": 2,
        "children": children,
    }
    bodies = {"drum": drum, "top": {**of, "motion": {"ball": {"at": [0, 1, 0]}}}}
    display = display_of(rigidsim.simulate(rigidsim.Scene.from_dict({**HEAD, "bodies": bodies})), fps=10)
    wrist, above, cart, top = display.joints
    assert [display.paths[one.on] for one in display.joints] == ["drum/wrist", "drum", "drum/cart", "top"]
    assert top.axis is None and {one.until for one in display.joints} == {None}
    seen = display.poses.seen_from()

    def turned(row, vector):
        return np.stack(rotate(tuple(seen.orientation[:, row].T), vector), axis=-1)

    first, second = (seen.position[:, one.on] + turned(one.on, one.point) for one in (wrist, above))
    assert np.abs(first - second).max() < 1e-13
    assert np.abs(np.sum(turned(wrist.on, wrist.axis) * turned(above.on, above.axis), axis=1)).max() < 1e-13
    slid = seen.position[:, cart.on] - seen.position[:, 0] - turned(0, (2.0, 0.0, 0.0))
    assert np.linalg.norm(slid[-1]) > 2 and np.abs(np.cross(slid, turned(cart.on, cart.axis))).max() < 1e-12


def test_joints_are_there_from_when_they_are_made_to_when_they_end(run):
    """A module is caught and let go; a weld breaks at a time that no scene gives."""
    display = display_of(run("docking_arm"), fps=2)
    module = display.paths.index("module")
    (caught,) = (one for one in display.joints if one.body == module)
    assert caught == (module, module, (-0.5, 0.0, 0.0), (0.0, 1.0, 0.0), 4.0, 20.0)
    assert {(one.begin, one.until) for one in display.joints if one is not caught} == {(0.0, None)}
    wheel, weld = display_of(run("breaking_weld"), fps=2).joints
    assert (wheel.axis, wheel.until) == ((0.0, -1.0, 0.0), None)
    assert (weld.axis, weld.begin, weld.until) == (None, 0.0, pytest.approx(0.751, abs=1e-12))


def test_between_few_samples_there_are_poses_between_them(run):
    history = rigidsim.simulate(rigidsim.Scene.from_dict({
        **HEAD, "simulation": {"duration": 5, "step": 0.01, "record_every": 1},
        "bodies": {"ball": {**BALL, "velocity": [1, 2, 3], "angular_velocity": [0, 0, 1]}},
    }))  # fmt: skip
    display = display_of(history, fps=30)
    assert len(history.time) == 6 and len(display.poses.time) == 5 * 25 + 1
    position = display.poses.seen_from().position[:, 0]
    assert position == pytest.approx(display.poses.time[:, None] * [1, 2, 3], abs=1e-12)
    assert set(history.time) <= set(display.poses.time)


def test_no_pose_is_made_up_between_two_parents(run):
    """The samples around a reparenting are shown, and nothing between them."""
    history = run("payload_release")
    thin = history.part(np.arange(0, len(history.time), 7))
    display = display_of(thin)
    after = np.searchsorted(thin.time, 3.0)
    inside = (display.poses.time > thin.time[after - 1]) & (display.poses.time < thin.time[after])
    assert not inside.any() and len(display.poses.time) > 2 * len(thin.time)
    assert max(differences(display, thin, "world").values()) < 1e-3  # the cubics of both ways differ, by h^4


def test_samples_are_chosen_evenly_in_time():
    time = np.concatenate([np.linspace(0, 1, 1001), np.linspace(1, 10, 91)[1:]])
    chosen = chosen_samples(time, 11)
    assert time[chosen] == pytest.approx(np.arange(11), abs=1e-12)
    assert chosen_samples(time, len(time)).tolist() == list(range(len(time)))


@pytest.mark.parametrize(("duration", "speed"), [(10, 1), (0, 1), (0.15, 0.02), (3e7, 2e6), (600, 50), (1.0, 0.1)])
def test_usual_durations_are_played_in_real_time_and_others_in_about_ten_seconds(duration, speed):
    assert playing_speed(duration) == pytest.approx(speed)


def test_a_time_span_is_shown(run):
    history = run("ball_on_turntable")
    display = display_of(history, 1.0, 2.0, fps=10)
    assert (display.poses.time[0], display.poses.time[-1]) == (1.0, 2.0)
    for wrong in ((2.0, 1.0), (7.0, None), (1.001, 1.002), ("a", None)):
        with pytest.raises(UsageError):
            display_of(history, *wrong)
    for fps in (0, -1, float("nan"), float("inf"), "fast"):
        with pytest.raises(UsageError, match="fps must be"):
            display_of(history, fps=fps)


def test_the_framing_contains_the_free_bodies_at_all_times(run):
    display = display_of(run("ball_on_turntable"))
    for row in (-1, 0):
        seen = display.poses.seen_from(row)
        ball = display.framing(seen)
        away = np.linalg.norm(seen.position[:, 1:] - ball.centre, axis=-1)
        assert ball.radius * (1 + 1e-12) >= away.max() > 0.5 * ball.radius


def test_the_framing_has_walls_that_are_near_and_not_what_is_far():
    far = {"motion": "fixed", "position": [1e6, 0, 0], "shapes": [{"type": "sphere", "radius": 1}]}
    near = {"motion": "fixed", "position": [0.5, 0, 0], "shapes": [{"type": "box", "size": [0.1, 0.1, 0.1]}]}
    display = display_of_scene(rigidsim.Scene.from_dict({**HEAD, "bodies": {"ball": BALL, "far": far, "near": near}}))
    assert list(display.interesting(display.poses.seen_from())) == [0, 2]
    assert 0.3 < display.framing(display.poses.seen_from()).radius < 1


def test_a_body_that_becomes_free_is_one(run):
    display = display_of(run("payload_release"))
    assert display.kinds == ("free", "free") and run("payload_release").header.kinds == ("free", "fixed")


def test_a_box_of_walls_is_hollow_with_something_in_it():
    walls = [{"type": "box", "size": [0.1, 2, 2], "position": [x, 0, 0]} for x in (-1, 1)]
    box = {"motion": "fixed", "shapes": walls}
    for position, hollow in (([0.5, 0.5, 0.9], (0,)), ([0, 0, 1.1], ())):
        scene = rigidsim.Scene.from_dict({**HEAD, "bodies": {"box": box, "ball": {**BALL, "position": position}}})
        assert display_of_scene(scene).hollow == hollow


def test_bodies_without_shapes_have_markers_and_scaled_ones_their_size():
    frame = {"motion": "fixed", "scale": 0.01, "children": {"ball": {**BALL, "position": [100, 0, 0]}}}
    display = display_of_scene(rigidsim.Scene.from_dict({**HEAD, "bodies": {"frame": frame}}))
    assert [(part.body, part.kind) for part in display.parts] == [(0, MARKER), (1, SOLID)]
    assert display.poses.position[0, 1] == pytest.approx([1, 0, 0])
    assert display.reach == pytest.approx([0, 0.001])
    marker, ball = (part.corners(display.surfaces[part.surface]) for part in display.parts)
    assert np.linalg.norm(ball, axis=-1) == pytest.approx(0.001)
    assert np.linalg.norm(marker, axis=-1) == pytest.approx(1)


RECORDED = {**HEAD["simulation"], "record_every": 0.1}


def recorded(*entries):
    bodies = {"a": {**BALL, "velocity": [1, 0, 0], "children": {"b": {**BALL, "position": [1, 0, 0]}}}, "c": BALL}
    return rigidsim.simulate(
        rigidsim.Scene.from_dict({**HEAD, "simulation": {**RECORDED, "record": list(entries)}, "bodies": bodies})
    )


def test_poses_in_the_world_will_do_if_those_relative_to_the_parent_were_not_recorded():
    world = [f"world/{name}" for name in QUANTITIES]
    history = recorded({"bodies": ["a/b"], "of": world})
    display = display_of(history)
    assert display.known == (1,) and len(display.parts) == 1
    assert display.notes == ("2 bodies are not shown because their poses were not recorded: a, c",)
    assert display.poses.seen_from().position[-1, 1] == pytest.approx(history["a/b"].world.position[-1])
    with pytest.raises(UsageError, match="no body 'a' to look from or at; bodies: a/b"):
        display.row("a")


def test_a_trajectory_without_poses_is_not_shown():
    with pytest.raises(NotRecordedError, match=r"no poses were recorded \(simulation.record: \[diagnostics\]\)"):
        display_of(recorded("diagnostics"))


def test_a_scene_is_shown_as_it_starts(run):
    for name in ("ball_on_turntable", "three_frames_deep"):
        history = run(name)
        display = display_of_scene(rigidsim.Scene.from_text(history.header.scene_text))
        assert display.poses.seen_from().position[0] == pytest.approx(display_of(history).poses.seen_from().position[0])


def test_forces_of_contact_are_at_the_points_where_they_act(dropped):
    display = display_of(dropped, fps=20)
    loads, contacts, seen = display.loads, display.loads.contacts, display.poses.seen_from()
    sample = np.searchsorted(dropped.time, display.poses.time, side="right") - 1
    count = 0
    for frame, k in enumerate(sample):
        points = dropped.contacts[k]
        begin, end = contacts.begins[loads.sample[frame] :][:2]
        assert end - begin == len(points)
        for row, point, force in zip(range(begin, end), points.point, points.force, strict=True):
            body = contacts.body[row]
            turn, place = seen.orientation[frame, body], seen.position[frame, body]
            if display.poses.time[frame] == dropped.time[k]:
                assert place + rotate(tuple(turn), contacts.point[row]) == pytest.approx(point, abs=1e-12)
                assert np.array(rotate(tuple(turn), contacts.force[row])) == pytest.approx(force, abs=1e-9)
            count += 1
    assert count > 50


def test_forces_on_bodies_are_the_sums_of_the_recorded_terms(dropped):
    display, ball = display_of(dropped), dropped["ball"]
    expected = ball.term("applied") + ball.term("gravity") + ball.term("contact")
    sample = np.searchsorted(dropped.time, display.poses.time, side="right") - 1
    assert display.loads.force[display.loads.sample, 1] == pytest.approx(expected[sample])
    assert not display.loads.inertial.any()


def test_too_many_contact_points_are_left_out_with_a_note(dropped, monkeypatch):
    monkeypatch.setattr("rigidsim.views.loads.MOST_POINTS", 10)
    display = display_of(dropped)
    assert display.loads.contacts is None
    assert display.notes[-1].endswith("contact points, more than 10, are left out; show a shorter time")


def test_without_recorded_forces_there_are_none(run):
    loads = display_of(run("ball_on_turntable")).loads
    assert (loads.contacts, loads.force, loads.inertial) == (None, None, None)
