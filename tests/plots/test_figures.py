"""Figures show the numbers of the trajectory, named and with units; their user's settings stay as they are."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from matplotlib.font_manager import findfont, get_font

import rigidsim
from drawn_scenes import BOUNCING, made
from rigidsim.analysis.colours import colours
from rigidsim.analysis.quantities import named, quantity
from rigidsim.errors import UsageError
from rigidsim.plots import letters
from rigidsim.plots.figures import Look, figure_of
from rigidsim.plots.letters import fitted
from rigidsim.plots.paths import FILLED, fit_in_space, shown_part
from rigidsim.plots.series import LINES
from rigidsim.plots.style import Picture, styled


def axes_of(figure) -> list:
    """All axes of a figure from above to below, also those in its parts."""
    return figure.get_axes()


def curves_of(axes) -> list:
    """The lines that are curves, not markers."""
    return [line for line in axes.lines if line.get_linestyle() != "None" and len(line.get_xdata()) > 2]


def texts_of(axes) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()] if axes.get_legend() else []


def test_curves_are_the_quantities_and_those_of_one_unit_share_a_panel(table):
    figure = table.plot("let_go.position.x@table", "left_behind.distance", "let_go.speed", begin=0.5, end=2)
    lengths, speed = axes_of(figure)
    shown = (table.time >= 0.5 - 1e-9) & (table.time <= 2 + 1e-9)
    for axes, names in ((lengths, ("let_go.position.x@table", "left_behind.distance")), (speed, ("let_go.speed",))):
        for line, name in zip(curves_of(axes), names, strict=True):
            np.testing.assert_array_equal(line.get_xdata(), table.time[shown])
            np.testing.assert_array_equal(line.get_ydata(), named(table, name).of()[shown])
    assert (lengths.get_ylabel(), speed.get_ylabel(), speed.get_xlabel()) == ("m", "let_go speed, m/s", "time, s")
    assert texts_of(lengths)[:2] == ["let_go position x,\nseen from table", "left_behind distance"]
    assert speed.get_shared_x_axes().joined(speed, lengths)
    assert len(axes_of(table.plot("let_go.speed", "left_behind.speed", separate=True))) == 2


def test_bodies_have_their_colours_and_curves_differ_in_grey(table):
    (axes,) = axes_of(table.plot("*.speed", frame="table"))
    own = colours(table.paths)
    assert [line.get_color() for line in curves_of(axes)] == list(own.values())
    (axes,) = axes_of(table.plot("let_go.velocity"))
    assert len({line.get_color() for line in curves_of(axes)}) == 3
    assert len({str(line._dash_pattern) for line in curves_of(axes)}) == 3 <= len(LINES)
    assert texts_of(axes)[:3] == ["x", "y", "z"] and axes.get_ylabel() == "let_go velocity, m/s"


def test_one_quantity_over_another(table):
    (axes,) = axes_of(table.plot("let_go.position.x@table:let_go.position.y@table"))
    (curve,) = curves_of(axes)
    position = named(table, "let_go.position@table").of()
    np.testing.assert_array_equal(np.transpose(curve.get_data()), position[:, :2])
    labels = axes.get_xlabel(), axes.get_ylabel()
    assert labels == tuple(f"let_go position {c}, seen from table, m" for c in "xy") and axes.get_aspect() == 1.0
    with pytest.raises(
        UsageError, match=r"has the components x, y, z; name one of them, such as table/let_go\.velocity\.x"
    ):
        table.plot("let_go.velocity:let_go.speed")
    with pytest.raises(UsageError, match="no quantity 'sped'"):
        table.plot("let_go.speed:let_go.sped")


def test_paths_in_several_frames_are_side_by_side_to_scale(table):
    figure = table.plot("*.path", frame=("world", "table"))
    world, seen = axes_of(figure)
    assert (world.get_title(), seen.get_title()) == ("in the world", "seen from table")
    for axes, frame in ((world, "world"), (seen, "parent")):
        curve = curves_of(axes)[1]  # the table itself is the first
        np.testing.assert_array_equal(
            np.transpose(curve.get_data()), named(table, f"let_go.position@{frame}").of()[:, :2]
        )
        unit = axes.transData.transform([(0, 0), (1, 0), (0, 1)])
        assert unit[1, 0] - unit[0, 0] == pytest.approx(unit[2, 1] - unit[0, 1], rel=1e-9)
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("x, m", "y, m")
    assert world.get_tightbbox().x1 < seen.get_tightbbox().x0
    begin, end = (line for line in seen.lines if len(line.get_xdata()) == 1 and line.get_color() == curve.get_color())
    np.testing.assert_array_equal(np.ravel(begin.get_data()), np.transpose(curve.get_data())[0])
    np.testing.assert_array_equal(np.ravel(end.get_data()), np.transpose(curve.get_data())[-1])
    assert begin.get_markersize() < end.get_markersize()


def test_a_path_is_drawn_in_its_plane_or_in_space(tumbling):
    body = {"mass": 1, "inertia": {"principal": [1, 1, 1]}}
    bodies = {
        "flat": body | {"velocity": [1, 0, 2], "position": [0, 3, 0]},
        "helix": body | {"position": [1, 0, 0], "velocity": [0, 1, 0.5]},
    }
    bodies["helix"]["forces"] = [{"force": ["= -x", "= -y", 0], "frame": "world"}]
    trajectory = made({"format": "rigidsim/1", "simulation": {"duration": 3, "step": 0.01}, "bodies": bodies})
    (flat,) = axes_of(trajectory.plot(path="flat"))
    assert (flat.get_xlabel(), flat.get_ylabel(), flat.name) == ("x, m", "z, m", "rectilinear")
    (space,) = axes_of(trajectory.plot("helix.path"))
    assert space.name == "3d" and space.get_zlabel() == "z, m"
    np.testing.assert_array_equal(space.lines[0].get_data_3d()[2], trajectory["helix"].world.position[:, 2])
    (top,) = axes_of(trajectory.plot("helix.path", plane="yx"))
    assert (top.get_xlabel(), top.get_ylabel()) == ("y, m", "x, m")
    with pytest.raises(UsageError, match="the plane must be one of xy, yx"):
        trajectory.plot("helix.path", plane="xx")
    (long,) = axes_of(tumbling.plot("top.path", plane="xy"))
    assert long.get_title() == "top in the world" and long.get_aspect() == 1.0


def test_paths_much_longer_than_wide_say_that_they_are_not_to_scale():
    body = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "velocity": [100, 0, 0]}
    scene = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.01}, "bodies": {"shot": body}}
    (axes,) = axes_of(made(scene | {"world": {"gravity": [0, 0, -9.81]}}).plot("shot.path"))
    assert axes.get_title() == "shot in the world, not to scale" and axes.get_aspect() == "auto"


def test_a_path_that_is_straight_but_for_rounding_is_drawn_straight(table):
    (axes,) = axes_of(table.plot("let_go.path"))
    (path,) = curves_of(axes)
    assert 0.0 < np.ptp(path.get_xdata()) < 1e-12 * np.ptp(path.get_ydata())
    assert axes.get_title() == "let_go in the world" and axes.get_aspect() == 1.0


def test_energies_and_the_drift_of_their_balance(table):
    energies, drift = axes_of(table.plot("energy"))
    kinetic, potential, work = (line.get_ydata() for line in curves_of(energies))
    np.testing.assert_array_equal(kinetic + potential - work, table.total_energy)
    np.testing.assert_array_equal(curves_of(drift)[0].get_ydata(), table.total_energy - table.total_energy[0])
    assert texts_of(energies) == ["kinetic energy", "potential energy", "work"]
    assert (energies.get_ylabel(), drift.get_ylabel()) == ("energy, J", "energy drift, J")


def test_logarithmic_axes_show_sizes(table):
    (axes,) = axes_of(table.plot("let_go.velocity.y@table", log=True))
    assert axes.get_yscale() == "log" and axes.get_ylabel().replace("\n", " ").startswith("absolute value of let_go")
    np.testing.assert_array_equal(curves_of(axes)[0].get_ydata(), np.abs(named(table, "let_go.velocity.y@table").of()))
    with pytest.raises(UsageError, match="zero everywhere, which a logarithmic axis cannot show"):
        table.plot("potential_energy", log=True)


def test_several_trajectories_over_each_other(table, tumbling):
    figure = figure_of([("one", table), ("two", table)], ["let_go.speed", "left_behind.path", "let_go.path"])
    paths, speed = axes_of(figure)
    assert texts_of(speed)[:2] == ["one", "two"]
    one, two = curves_of(speed)
    assert one.get_color() == two.get_color() and one.get_linestyle() != two.get_linestyle()
    assert texts_of(paths)[:4] == ["one: left_behind", "one: let_go", "two: left_behind", "two: let_go"]
    with pytest.raises(UsageError, match="there is no body 'let_go'"):
        figure_of([("one", table), ("two", tumbling)], ["let_go.speed"])


def test_paths_of_several_trajectories_have_the_colours_of_their_own_bodies(tumbling, bouncing):
    """Also of bodies that the first trajectory does not have."""
    drawn = figure_of([("a", tumbling), ("b", bouncing)], ["*.path"], look=Look(plane="xz"))
    (axes,) = axes_of(drawn)
    own = [*colours(tumbling.paths).values(), *colours(bouncing.paths).values()]
    assert [line.get_color() for line in axes.get_legend().get_lines()] == own


def test_an_overview_has_paths_speeds_and_energies(table):
    figure = table.plot()
    assert [axes.get_title() for axes in axes_of(figure)][:2] == ["in the world", "seen from table"]
    assert [axes.get_ylabel() for axes in axes_of(figure)][2:] == ["speed, m/s", "energy, J", "energy drift, J"]
    assert figure.get_suptitle() == "ball_on_turntable"
    crowd = {f"b{k}": {"mass": 1, "inertia": {"principal": [1, 1, 1]}} for k in range(9)}
    scene = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.1}, "bodies": crowd}
    assert made(scene).plot().get_suptitle().endswith(", 7 of 9 bodies")
    scene["simulation"]["record"] = []
    with pytest.raises(UsageError, match="nothing was recorded that an overview shows"):
        made(scene).plot()


def test_names_are_written_as_they_are(bouncing):
    """No formula begins at a dollar sign, and a name with an underscore in front is in the legend."""
    figure = bouncing.plot("$kg_{1}$.speed", "_hidden.speed", "$kg_{1}$.path", "_hidden.path", title="$x_1 {")
    assert len(figure._repr_png_()) > 1000
    paths, speed = axes_of(figure)
    assert texts_of(speed) == texts_of(paths) == ["$kg_{1}$", "_hidden"]
    assert not any(text.get_parse_math() for text in speed.get_legend().get_texts())
    assert [text.get_text() for text in speed.texts] == ["a_$kick"] and not speed.texts[0].get_parse_math()


def test_long_names_are_shortened_and_many_are_counted():
    names = [f"{'a very long name of a body' * 3} {k}" for k in range(20)]
    bodies = {name: {"mass": 1, "inertia": {"principal": [1, 1, 1]}} for name in names} | {
        "球": {"mass": 1, "inertia": "point"}
    }
    scene = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.1}, "bodies": bodies}
    figure = made(scene).plot("*.speed")
    (axes,) = axes_of(figure)
    assert len(texts_of(axes)) == 16 and texts_of(axes)[-1] == "… and 6 more"
    assert max(map(len, texts_of(axes))) <= 30
    assert made(scene).plot("球.speed", "球.position.x")._repr_png_()  # the font has no such letter


def test_the_users_settings_neither_count_nor_change(table):
    with matplotlib.rc_context({"text.usetex": True, "axes.grid": False, "lines.linewidth": 9}):
        before = dict(matplotlib.rcParams)
        figure = table.plot("let_go.speed")
        figure._repr_png_()
        assert dict(matplotlib.rcParams) == before
    assert curves_of(axes_of(figure)[0])[0].get_linewidth() == 1.5


def test_events_are_marked(bouncing):
    (axes,) = axes_of(bouncing.plot("ball_0.speed"))
    (ticks,) = (line for line in axes.lines if line.get_marker() == "|")
    strikes = [e.time for e in bouncing.events if e.cause == "impact" and e.concerns("ball_0")]
    assert ticks.get_xdata().tolist() == strikes and len(strikes) > 0
    (axes,) = axes_of(bouncing.plot("$kg_{1}$.speed"))
    assert [line.get_xdata()[0] for line in axes.lines if line.get_linestyle() == "--"] == [0.5]
    assert not any(line.get_marker() == "|" for line in axes.lines)


def test_impacts_at_stops_are_ticks():
    body = "{mass: 1, inertia: point, motion: {slide: {axis: [1, 0, 0], rate: 1, limits: [0, 0.4], restitution: 1}}}"
    head = "format: rigidsim/1\nsimulation: {duration: 1.1, step: 0.1}\nbodies:\n"
    found = rigidsim.simulate(rigidsim.Scene.from_text(f"{head}  one: {body}\n  two: {body}"))
    (axes,) = axes_of(found.plot("one.displacement"))
    (ticks,) = (line for line in axes.lines if line.get_marker() == "|")
    assert ticks.get_xdata() == pytest.approx([0.4, 0.8], abs=1e-14)
    assert not any(line.get_linestyle() == "--" for line in axes.lines)


def test_modes_of_contact_are_ticks():
    """One ball slides and then rolls; the other one rests from the start."""
    shape, material = [{"type": "sphere", "radius": 0.1}], {"friction": 0.3}
    bodies = {
        "floor": {"shapes": [{"type": "plane"}], "material": material},
        "pushed": {"mass": 1, "shapes": shape, "position": [0, 0, 0.1], "velocity": [1, 0, 0], "material": material},
        "still": {"mass": 1, "shapes": shape, "position": [0, 1, 0.1], "material": material},
    }
    scene = {
        "format": "rigidsim/1", "simulation": {"duration": 0.3, "step": 0.01, "contact": "events"},
        "world": {"gravity": [0, 0, -9.81]}, "bodies": bodies,
    }  # fmt: skip
    (axes,) = axes_of(rigidsim.simulate(rigidsim.Scene.from_dict(scene)).plot("pushed.speed"))
    assert texts_of(axes) == ["slides", "rolls"]
    marks = {line.get_marker(): line.get_xdata() for line in axes.lines if line.get_linestyle() == "None"}
    assert marks[5].tolist() == [0.0]
    assert marks["o"] == pytest.approx([1 / (3.5 * 0.3 * 9.81)])


def names_in_legend(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_ticks_of_events_are_in_the_legend(bouncing):
    (axes,) = axes_of(bouncing.plot("ball_0.speed"))
    assert names_in_legend(axes) == ["impacts"]
    assert axes.get_legend().legend_handles[0].get_marker() == "|"
    (axes,) = axes_of(bouncing.plot("ball_0.speed", "ball_1.speed"))
    assert names_in_legend(axes) == ["ball_0", "ball_1", "impacts"]


def test_angles_are_in_degrees_on_demand(run):
    """All of them, or one by its unit; with the closed form, whose error is that in radians."""
    found = run("door_with_a_stop")
    angle, rate = axes_of(found.plot("door.angle", "door.rate", degrees=True))
    (alone,) = axes_of(found.plot("door.angle[deg]"))
    (radians,) = axes_of(found.plot("door.angle"))
    expected = np.degrees(quantity(found, "door.angle").values)
    assert angle.get_ylabel().endswith("deg") and rate.get_ylabel().endswith("deg/s")
    for axes in (angle, alone):
        curve, circles = axes.lines[0], next(line for line in axes.lines if line.get_marker() == "o")
        assert curve.get_ydata() == pytest.approx(expected, abs=1e-12)
        at = np.searchsorted(curve.get_xdata(), circles.get_xdata())
        assert np.nanmax(np.abs(circles.get_ydata() - curve.get_ydata()[at])) < 1e-8
    error = [float(names_in_legend(axes)[0].split()[4]) for axes in (angle, radians)]
    assert error[0] == pytest.approx(np.degrees(error[1]), rel=0.05)
    (axes,) = axes_of(found.plot("door.speed[km/h]", frame="world"))
    assert axes.lines[0].get_ydata().max() == pytest.approx(3.6 * quantity(found, "door.speed").values.max(), rel=1e-12)


def test_a_joint_that_breaks_is_marked_at_its_instant():
    pulled = "forces: [{force: ['= 10*t', 0, 0]}]"
    lamp = f"lamp: {{mass: 1, inertia: point, motion: {{weld: {{breaks: {{force: 4.5}}}}}}, {pulled}}}"
    text = f"format: rigidsim/1\nsimulation: {{duration: 1, step: 0.1}}\nbodies:\n  {lamp}"
    (axes,) = axes_of(rigidsim.simulate(rigidsim.Scene.from_text(text)).plot("lamp.position.x"))
    (line,) = (line for line in axes.lines if line.get_linestyle() == "--")
    assert line.get_xdata()[0] == pytest.approx(0.5)
    assert [text.get_text() for text in axes.texts] == ["lamp breaks off"]


def test_impulses_of_impacts(bouncing):
    (axes,) = axes_of(bouncing.plot("impacts"))
    strikes = [event for event in bouncing.events if event.cause == "impact"]
    drawn = sorted(point for line in axes.lines for point in np.transpose(line.get_data()).tolist())
    expected = sorted([event.time, float(np.linalg.norm(event.impulse))] for event in strikes)
    np.testing.assert_allclose(drawn, expected, rtol=1e-15)
    assert sorted(texts_of(axes)) == ["ball_0 – floor", "ball_1 – floor"] and axes.get_ylabel() == "impulse, N s"
    forces, impulses = axes_of(bouncing.plot("ball_0.contact"))
    assert forces.get_ylabel() == "ball_0, N" and impulses.get_ylabel().startswith("impulse ball_0")
    with pytest.raises(UsageError, match=r"there are no impacts of _hidden from 0 to 1.5 s"):
        bouncing.plot("_hidden.impacts")


def test_closed_forms_of_the_scene_are_drawn_over(table):
    """`let_go` on the table: x = cos t + t sin t; the largest error is that of the whole history."""
    (axes,) = axes_of(table.plot("let_go.position.x@table"))
    (circles,) = (line for line in axes.lines if line.get_marker() == "o")
    t = circles.get_xdata()
    np.testing.assert_allclose(circles.get_ydata(), np.cos(t) + t * np.sin(t), rtol=0, atol=1e-14)
    assert texts_of(axes)[0].startswith("closed form,\nlargest error") and texts_of(axes)[0].endswith(" m")
    wrong = BOUNCING | {"oracle": {"_hidden.position": [6, "= t + 0.25", 0]}}
    (axes,) = axes_of(made(wrong).plot("_hidden.position"))
    assert texts_of(axes)[-1] == "closed form,\nlargest error 2.5e-01 m"
    (axes,) = axes_of(made(wrong).plot("_hidden.path"))
    assert texts_of(axes)[-1] == "closed form,\nlargest error 2.5e-01 m"
    (axes,) = axes_of(made(wrong).plot("_hidden.position.x:_hidden.position.y"))
    assert texts_of(axes) == ["closed form,\nlargest error 2.5e-01 m"]


def test_a_closed_form_of_one_component_is_not_in_the_legend_of_a_path():
    """Nothing of it is in the picture."""
    partly = made(BOUNCING | {"oracle": {"_hidden.position.y": "= t + 0.25"}})
    assert not texts_of(*axes_of(partly.plot("_hidden.path")))
    assert texts_of(*axes_of(partly.plot("_hidden.position.y"))) == ["closed form,\nlargest error 2.5e-01 m"]


def test_curves_of_the_world_and_of_all_bodies_have_names(table):
    (axes,) = axes_of(table.plot("let_go.distance", "let_go.distance@table"))
    assert texts_of(axes)[:2] == ["in the world", "seen from table"]
    (axes,) = axes_of(table.plot("kinetic_energy", "let_go.kinetic_energy"))
    assert texts_of(axes) == ["all bodies", "let_go"]


@pytest.mark.parametrize("size", [(1000, 1000), (0, 3), (8,), 8, (8, "5"), (8, float("nan"))])
def test_a_size_that_cannot_be_drawn_is_refused(tumbling, size):
    """Before anything is drawn: a picture of that size may be larger than the memory."""
    with pytest.raises(UsageError, match=r"the size must be"):
        tumbling.plot("top.path", size=size)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("top.sped", "did you mean 'speed'"),
        ("tip.path", "there is no body 'tip'; did you mean 'top'"),
        ("x*.speed", "no body fits; bodies: top"),
        ("top.path@tip", "there is no body 'tip'"),
        ("top.terms", "no terms were recorded; `rigidsim run .* --terms` records them"),
        ("top.polhod", "did you mean 'polhode'"),
        ("top.contact", "nothing touches in this scene"),
        ("impacts", "there are no impacts from 0 to 10 s"),
        (7, "a quantity must be a string"),
    ],
)
def test_what_cannot_be_drawn_is_explained(tumbling, asked, message):
    with pytest.raises(UsageError, match=message):
        tumbling.plot(asked)


def test_a_name_with_a_colon_is_a_name():
    body = {"mass": 1, "inertia": {"principal": [1, 1, 1]}}
    scene = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.1}, "bodies": {"a:b": body}}
    trajectory = made(scene)
    (axes,) = axes_of(trajectory.plot("a:b.speed"))
    assert axes.get_ylabel() == "a:b speed, m/s"
    (axes,) = axes_of(trajectory.plot("time:a:b.speed"))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("time, s", "a:b speed, m/s")


def test_an_expression_is_drawn(tumbling):
    (axes,) = axes_of(tumbling.plot("= 2 * x('top')"))
    np.testing.assert_array_equal(curves_of(axes)[0].get_ydata(), 2 * tumbling["top"].world.position[:, 0])
    assert axes.get_ylabel() == "2 * x('top'), m"
    assert rigidsim.Trajectory.plot.__doc__


def test_names_beside_the_axes_take_at_most_a_fifth_of_the_width(table):
    """Broken after the comma, then cut in the middle."""
    figure = table.plot("let_go.position.x@table", "left_behind.distance@let_go", "let_go.distance")
    figure.draw_without_rendering()
    (axes,) = axes_of(figure)
    for text in axes.get_legend().get_texts():
        assert text.get_window_extent().width <= 0.2 * figure.bbox.width * (1 + ROUGHLY)
    assert fitted(["a" * 50], 9, 1.0)[0].count("a") < 20
    assert fitted(["a" * 50], 9, 1.0)[0].strip("a") == "…"
    assert fitted(["short", "a sentence of\ntwo lines"], 9, 0.4) == ["short", "a sentence of\ntwo lines"]


ROUGHLY = 0.02
"""Letters are placed at whole pixels."""


def test_grid_lines_are_below_points(table):
    for axes in axes_of(table.plot("let_go.speed", path="let_go")):
        assert axes.get_axisbelow() is True


def test_a_panel_in_space_fills_its_place():
    """Whatever the shape of the path is."""
    for size in ([1.0, 1.0, 1.0], [1.0, 1.0, 4.0], [5.0, 1.0, 1.0]):
        with styled():
            figure = Picture(figsize=(4, 4))
            axes = figure.add_subplot(projection="3d")
            axes.plot(*np.array([np.zeros(3), size]).T)
            fit_in_space(axes, [np.array([np.zeros(3), size])])
        assert shown_part(axes) == pytest.approx(FILLED, rel=0.01)


def test_letters_come_from_another_font_or_are_reported(monkeypatch):
    """Of fonts that are installed, those that have the letters which the usual one lacks."""
    usual, other = findfont("DejaVu Sans"), findfont("STIXGeneral")
    letter = next(chr(c) for c in get_font(other).get_charmap() if c > 127 and not get_font(usual).get_char_index(c))
    for installed, note in (([("STIXGeneral", other)], ""), ([], f"no installed font has the letters {letter}, ")):
        letters._fonts_with.cache_clear()
        monkeypatch.setattr(letters, "_installed", lambda installed=installed: iter(installed))
        figure = Picture()
        text = figure.text(0, 0, f"a {letter}")
        assert letters.set_fonts(figure).startswith(note)
        assert ("STIXGeneral" in text.get_fontfamily()) == bool(installed)
    letters._fonts_with.cache_clear()
