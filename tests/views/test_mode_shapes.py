"""Shapes of modes: poses about a state, and the page that shows one mode after the other."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from rigidsim.errors import UsageError
from rigidsim.physics.quaternion import exp_full, product
from rigidsim.views.modes import FRAMES, LARGEST_ANGLE, display_of_modes

ROD = {"mass": 1, "center_of_mass": [0, -0.5, 0], "inertia": {"principal": [0.1, 0.1, 0.1]}}


def linear_of(bodies: dict, **simulation) -> rigidsim.sensitivities.linear.LinearModel:
    scene = {
        "format": "rigidsim/1",
        "simulation": {"duration": 1, "step": 0.01, **simulation},
        "world": {"gravity": [0, -9.81, 0]},
        "bodies": bodies,
    }
    return rigidsim.linearize(rigidsim.Scene.from_dict(scene))


@pytest.fixture(scope="module")
def pendulum():
    """A double pendulum that hangs at rest, and a body in flight beside it, which has no mode that moves."""
    hinge = {"hinge": {"axis": [0, 0, 1]}}
    lower = {**ROD, "position": [0, -1, 0], "motion": hinge}
    far = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "position": [0, 0, 2]}
    return linear_of({"upper": {**ROD, "motion": hinge, "children": {"lower": lower}}, "far": far})


def test_poses_beside_a_state(pendulum):
    change = {"upper.angle": 0.2, "far.position.x": 0.3, "far.turn.y": 0.4}
    found = pendulum.displaced([0, 2], [{}, change])
    assert found.time.tolist() == [0, 2]
    assert found["upper"].joint.coordinates[:, 0].tolist() == [0, 0.2]
    assert np.abs(found["far"].world.position[1] - found["far"].world.position[0] - [0.3, 0, 0]).max() < 1e-15
    assert found["far"].world.orientation[1] == pytest.approx([np.cos(0.2), 0, np.sin(0.2), 0], abs=1e-15)
    assert np.abs(found["upper/lower"].world.position[1] - [np.sin(0.2), -np.cos(0.2), 0]).max() < 1e-15
    again = pendulum.displaced([0], [{}])
    assert not again["upper"].joint.coordinates.any()


def test_a_mode_swings_in_its_shape(pendulum):
    slow = next(one for one in pendulum.modes if one.frequency > 0)
    found = pendulum.motion(slow, 0.1, 5)
    assert found.time == pytest.approx(np.arange(5) / 4 / slow.frequency)
    angles = [found[name].joint.coordinates[:, 0] for name in ("upper", "upper/lower")]
    shape = np.array([slow.shape["upper.angle"], slow.shape["upper/lower.angle"]])
    phases = np.exp(0.5j * np.pi * np.arange(5))
    assert np.abs(angles - 0.1 * (shape[:, None] * phases).real).max() < 1e-14
    assert not found["upper"].world.angular_velocity.any()


def test_the_state_of_a_turned_body_is_displaced_in_its_axes():
    turned = {"axis": [1, 0, 0], "angle": 0.7}
    body = {"mass": 1, "inertia": {"principal": [1, 1.2, 1.5]}, "orientation": turned, "angular_velocity": [1, 0, 0]}
    linear = linear_of({"brick": body})
    found = linear.displaced([0], [{"brick.turn.z": 0.3}])["brick"].world
    q = product((np.cos(0.35), np.sin(0.35), 0.0, 0.0), exp_full((0.0, 0.0, 0.15)))
    assert found.orientation[0] == pytest.approx(q, abs=1e-15)
    assert not found.angular_velocity.any()
    with pytest.raises(UsageError, match="no mode moves: there is no shape to show"):
        rigidsim.view(linear_of({"brick": {**body, "angular_velocity": [0, 0, 0]}}))


def test_the_display_has_a_chapter_for_each_mode(pendulum):
    display = display_of_modes(pendulum)
    frequencies = [one.frequency for one in pendulum.modes if one.frequency > 0]
    assert [chapter.name for chapter in display.chapters] == [f"{one:.4g} Hz, damping 0" for one in frequencies]
    assert [chapter[1:] for chapter in display.chapters] == [(0, FRAMES - 1), (FRAMES, 2 * FRAMES - 1)]
    turns = 2 * np.arccos(np.clip(display.poses.orientation[..., 0], -1, 1))
    assert turns.max() == pytest.approx(LARGEST_ANGLE, rel=1e-9)


def test_the_page_shows_the_mode_that_is_chosen(opened, pendulum):
    shown = opened(rigidsim.view(pendulum).html).ready()
    options = "() => [...document.getElementById('chapter').options].map((one) => one.textContent)"
    assert len(shown(options)) == 2
    ends = []
    for mode in range(2):
        shown("(mode) => rigidsim.choose(mode)", mode)
        assert shown("() => document.getElementById('chapter').value") == str(mode)
        ends.append(np.array(shown("() => rigidsim.position('upper/lower')")))
        shown("() => rigidsim.setTime(1e9)")  # no farther than the end of this mode, one period later
        assert np.abs(shown("() => rigidsim.position('upper/lower')") - ends[-1]).max() < 1e-12
        half = "() => { const d = rigidsim.page.display; rigidsim.setTime((d.begin + d.end) / 2) }"
        shown(half)
        assert np.abs(shown("() => rigidsim.position('upper/lower')") * np.array([-1, 1, 1]) - ends[-1]).max() < 1e-6
        assert shown("() => { rigidsim.page.write(); return document.getElementById('clock').textContent }") == "180°"
    assert ends[0][0] * ends[1][0] != 0 and abs(ends[0][0] - ends[1][0]) > 0.01


def test_other_pages_have_no_modes(opened, dropped):
    shown = opened(rigidsim.view(dropped).html).ready()
    assert shown("() => document.getElementById('chapter').parentElement.hidden")
