"""The terms of an acceleration: what is drawn adds up, and on the turntable is known in closed form."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from drawn_scenes import made
from rigidsim.analysis.path_directions import directions
from rigidsim.cli.examples import shipped_scenes


def drawn(axes) -> dict[str, np.ndarray]:
    """The curves of terms by their names; the axis itself is a line with two points."""
    lines = [line for line in axes.lines if len(line.get_xdata()) > 2]
    return {text.get_text(): line.get_ydata() for text, line in zip(axes.get_legend().get_texts(), lines, strict=True)}


def test_the_terms_that_bend_an_involute(table):
    """`let_go` moves at the speed t on an involute whose radius of curvature is t: across its path the Coriolis term is
    2 t, the centrifugal one -t, and along it 0 and 1 (m/s2).
    """
    across, along = table.plot("let_go.terms").get_axes()
    t = table.time
    assert across.get_title() == "what bends the path of let_go, seen from table"
    assert (across.get_ylabel(), along.get_ylabel()) == ("across the path, m/s²", "along the path, m/s²")
    for axes, coriolis, centrifugal in ((across, 2 * t, -t), (along, 0 * t, 1 + 0 * t)):
        curves = drawn(axes)
        assert list(curves) == ["sum", "centrifugal", "Coriolis"]
        begun = t > 0.01  # at rest before
        np.testing.assert_allclose(curves["Coriolis"][begun], coriolis[begun], rtol=0, atol=1e-9)
        np.testing.assert_allclose(curves["centrifugal"][begun], centrifugal[begun], rtol=0, atol=1e-9)
        np.testing.assert_allclose(curves["sum"], curves["Coriolis"] + curves["centrifugal"], rtol=0, atol=1e-12)


def test_terms_add_up_to_the_sum():
    """Of a load on a slewing crane on a tumbling deck, linear and angular."""
    from every_term import SCENE

    figure = made(SCENE, terms=True).plot("load.terms")
    titles = [axes.get_title() for axes in figure.get_axes()]
    bends, turns = "what bends the path of load, seen from crane", "what turns load, about the axes of crane"
    assert titles == [bends, "", turns, "", ""]
    for axes in figure.get_axes():
        curves = drawn(axes)
        total = sum(values for name, values in curves.items() if name != "sum")
        assert len(curves) > 3
        np.testing.assert_allclose(total, curves["sum"], rtol=0, atol=1e-12 * np.abs(total).max())


def test_linear_and_angular_terms_alone():
    from every_term import SCENE

    load = made(SCENE, terms=True)
    titles = [axes.get_title() for axes in load.plot("load.terms").get_axes()]
    assert [axes.get_title() for axes in load.plot("load.linear_terms").get_axes()] == titles[:2]
    assert [axes.get_title() for axes in load.plot("load.angular_terms").get_axes()] == titles[2:]


def test_terms_that_cancel_are_shown_along_the_largest():
    """Gravity and the fall of the lift; in the world gravity alone."""
    lift = rigidsim.simulate(rigidsim.Scene.from_file(shipped_scenes()["box_in_falling_lift"]), terms=True)
    first, *turning = lift.plot("box.terms").get_axes()
    assert first.get_title() == "what acts on box cancels, seen from lift" and len(turning) == 3
    assert first.get_ylabel() in ("along gravity, m/s²", "along linear (frame accelerates), m/s²")
    curves = drawn(first)
    sizes = {name: set(np.round(np.abs(values), 9)) for name, values in curves.items()}
    assert sizes == {"sum": {0.0}, "gravity": {9.81}, "linear (frame accelerates)": {9.81}}


def test_at_rest_there_is_no_path():
    """A body that is held for a second has a gap, and then falls."""
    falling = {"mass": 1, "inertia": "point", "forces": [{"force": [0, 0, "= 9.81*(1 - step(t - 1))"]}]}
    scene = {"format": "rigidsim/1", "simulation": {"duration": 2, "step": 0.01}, "bodies": {"drop": falling}}
    trajectory = made(scene | {"world": {"gravity": [0, 0, -9.81]}}, terms=True)
    _, along = trajectory.plot("drop.terms").get_axes()
    curves, held = drawn(along), trajectory.time < 0.99
    assert np.isnan(curves["sum"][held]).all() and np.isnan(curves["gravity"][held]).all()
    np.testing.assert_allclose(curves["sum"][trajectory.time > 1.02], 9.81, rtol=1e-12)


def test_directions_are_those_of_the_curve():
    """On a helix the normal leads to the axis; at rest the tangent is along the acceleration; else there is none."""
    t = np.linspace(0, 5, 20)
    zero, radius = 0 * t, 2.0
    velocity = np.stack([-radius * np.sin(t), radius * np.cos(t), 1 + zero], axis=1)
    acceleration = np.stack([-radius * np.cos(t), -radius * np.sin(t), zero], axis=1)
    tangent, normal = directions(velocity, acceleration)
    np.testing.assert_allclose(tangent, velocity / np.sqrt(5), rtol=0, atol=1e-15)
    np.testing.assert_allclose(normal, acceleration / 2, rtol=0, atol=1e-15)
    tangent, normal = directions(np.zeros(3), np.array([0.0, 3, 0]))
    assert tangent.tolist() == [0, 1, 0] and normal.tolist() == [0, 0, 0]
    assert not np.any(directions(np.zeros((2, 3)), np.zeros((2, 3))))


def test_a_body_without_terms_is_refused():
    body = {"mass": 1, "inertia": "point", "velocity": [1, 0, 0]}
    scene = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.1}, "bodies": {"free": body}}
    with pytest.raises(rigidsim.RigidsimError, match=r"free\.terms: all terms of its acceleration are zero"):
        made(scene, terms=True).plot("free.terms")
