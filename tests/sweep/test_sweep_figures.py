"""Figures of sweeps: what is drawn are the numbers of the runs."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection, PolyCollection, QuadMesh
from matplotlib.colors import LogNorm, to_hex

import rigidsim
from rigidsim.errors import UsageError
from rigidsim.plots.style import styled
from rigidsim.plots.sweep_runs import Runs, SweepAxis
from rigidsim.sweeps.plan import make_plan
from tops import contents, run

SCENE = """\
format: rigidsim/1
parameters: {a: 1, b: 1, c: 0, d: 0}
simulation: {duration: 1, step: 0.25}
bodies:
  ball: {mass: 1, inertia: point, velocity: ["= a", "= b", 0]}
metrics:
  sum: "= final(a + 10*b + 100*c)"
  late: "= first(t >= 0.5 and d < 0.5)"
"""


@pytest.fixture
def figure(tmp_path):
    """The axes of the figure of a sweep, `figure(names, over, plot options, **plan)`."""

    def make(*names: str, over=(), look=None, scene=SCENE, **plan):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.h5"
        with rigidsim.sweep(rigidsim.Scene.from_text(scene), path=path, **plan) as sweep:
            drawn = sweep.plot(*names, over=over, **(look or {}))
            with styled():
                drawn.savefig(tmp_path / "figure.png", dpi=20)
            return [axes for axes in drawn.axes if axes.get_label() != "<colorbar>"], sweep

    return make


def names_of(axes) -> list[str]:
    legend = axes.get_legend() or (axes.figure.legends or [None])[0]
    return [text.get_text() for text in legend.get_texts()] if legend else []


def collections(axes, kind: type) -> list:
    return [one for one in axes.collections if type(one) is kind]


def test_one_number_is_a_curve_for_each_metric(figure):
    (first, second), _ = figure(vary={"a": "0:4:5"})
    (line,) = first.lines
    assert np.array_equal(line.get_xydata(), [[x, x + 10] for x in range(5)])
    assert (first.get_xlabel(), first.get_ylabel(), second.get_ylabel()) == ("a", "sum", "late, s")
    assert first.get_xscale() == "linear" and names_of(first) == []


def test_a_second_number_makes_lines_and_units_are_named(figure):
    scene = SCENE.replace("b: 1,", "b: {value: 1, unit: km/h},")
    (axes,), _ = figure("sum", vary={"a": "1:4:4", "b": ["2 km/h", "3 km/h"]}, scene=scene)
    assert names_of(axes) == ["b = 2 km/h", "b = 3 km/h"]
    for line, b in zip(axes.lines, (2, 3), strict=True):
        assert np.allclose(line.get_ydata(), np.arange(1, 5) + 10 * b / 3.6)
    (axes,), _ = figure("sum", over="b", vary={"a": [1, 2], "b": "2 km/h:9 km/h:8"}, scene=scene)
    assert axes.get_xlabel() == "b, km/h" and names_of(axes) == ["a = 1", "a = 2"]


@pytest.mark.parametrize(
    ("parameter", "values", "label"),
    [
        ("3 m/s", [1, 2], "a, m/s"),
        ("{value: 3, unit: km/h}", [1, 2], "a, km/h"),
        ("{value: 3 km/h}", [1, 2], "a, m/s"),
        ("3 m/s", ["1 km/h", "2 km/h"], "a, km/h"),
        ("3", [1, 2], "a"),
        ("= 3*b", [1, 2], "a"),
    ],
)
def test_axes_have_the_units_of_parameters(figure, parameter, values, label):
    written = parameter if parameter.startswith("{") else f"'{parameter}'" if " " in parameter else parameter
    (axes,), _ = figure("sum", vary={"a": values}, scene=SCENE.replace("a: 1", f"a: {written}"))
    assert axes.get_xlabel() == label


def test_many_values_of_a_second_number_are_coloured_lines_with_a_bar(figure):
    (axes,), _ = figure("sum", over="a", vary={"a": "1:4:4", "b": "log:1:1000:9"})
    assert len(axes.lines) == 9 and len({to_hex(line.get_color()) for line in axes.lines}) == 9
    bar = axes.figure.axes[-1]
    assert bar.get_ylabel() == "b" and bar.get_yscale() == "log"


def test_two_numbers_with_many_values_are_a_map(figure):
    (axes,), _ = figure("sum", vary={"a": "0:3:4", "b": "log:0.01:100:5"})
    (mesh,) = collections(axes, QuadMesh)
    across, up = np.arange(4.0), np.geomspace(0.01, 100, 5)
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_xscale(), axes.get_yscale()) == ("b", "a", "log", "linear")
    assert np.allclose(mesh.get_array(), across[:, None] + 10 * up)
    edges = mesh.get_coordinates()  # (row, column, xy): in the middle between two values
    assert np.allclose(edges[0, :, 0], np.geomspace(10**-2.5, 10**2.5, 6))
    assert np.allclose(edges[:, 0, 1], np.arange(-0.5, 4))
    assert mesh.get_cmap().name == "viridis"


def test_a_map_is_the_mean_over_the_other_numbers(figure):
    (axes,), _ = figure("sum", over=["a", "b"], vary={"a": [1, 2], "b": [1, 2, 3], "c": [0, 1]}, look={"log": True})
    (mesh,) = collections(axes, QuadMesh)
    assert np.allclose(mesh.get_array(), np.arange(1, 3) + 10 * np.arange(1, 4)[:, None] + 50)
    assert isinstance(mesh.norm, LogNorm)
    assert axes.figure.axes[-1].get_ylabel() == "sum, mean over c"


def test_failed_runs_are_crosses_and_hatched_cells(figure):
    plan = {"a": "0:3:4", "bodies.ball.mass": [-1, 1, 2, 3, 4]}
    (axes,), _ = figure("sum", over=["a", "mass"], vary=plan)
    (hatched,) = collections(axes, PolyCollection)
    (mesh,) = collections(axes, QuadMesh)
    assert len(hatched.get_paths()) == 4 == np.ma.count_masked(mesh.get_array())
    assert all(path.vertices[:, 1].max() <= 0.0 + 1e-12 for path in hatched.get_paths())  # around mass = -1
    assert names_of(axes) == ["4 failed runs"]
    (axes,), _ = figure("sum", over="a", vary=plan)
    (crosses,) = [line for line in axes.lines if line.get_marker() == "x"]
    assert crosses.get_xdata().tolist() == [0, 1, 2, 3] and not crosses.get_ydata().any()
    assert names_of(axes)[-1] == "4 failed runs"


def test_cells_without_a_value_are_grey(figure):
    (axes,), _ = figure("late", over=["a", "d"], vary={"a": [0, 1], "d": [0, 1]})
    (mesh,) = collections(axes, QuadMesh)
    assert np.ma.getmaskarray(mesh.get_array()).tolist() == [[False, False], [True, True]]
    assert names_of(axes) == ["no value"]


def sampled(tmp_path, method: str, **over):
    return rigidsim.sweep(rigidsim.Scene.from_text(SCENE), sample=method, over=over, path=tmp_path / "sampled.h5")


def test_points_of_samples(tmp_path):
    with sampled(tmp_path, "sobol:16", a="uniform(0, 1)", b="loguniform(0.001, 10)") as sweep:
        first, second = sweep.plot("sum").axes
        (both, bar) = sweep.plot("sum", over=["a", "b"]).axes
        for axes, name in ((first, "a"), (second, "b")):
            (points,) = collections(axes, PathCollection)
            assert np.array_equal(points.get_offsets(), np.stack([sweep.runs[name], sweep.metrics["sum"]], axis=1))
        assert (first.get_xscale(), second.get_xscale()) == ("linear", "log")
        (points,) = collections(both, PathCollection)
        assert np.array_equal(points.get_array(), sweep.metrics["sum"]) and bar.get_ylabel() == "sum"


def test_sobol_indices_are_bars_with_bounds(tmp_path):
    with sampled(tmp_path, "saltelli:64", a="uniform(0, 30)", b="uniform(0, 1)") as sweep:
        (axes,) = sweep.plot("sum").axes
        indices = sweep.sensitivity()["sum"]
    bars = [container for container in axes.containers if hasattr(container, "patches")]
    for bar, kind in zip(bars, ("first", "total"), strict=True):
        assert np.array_equal([patch.get_width() for patch in bar], getattr(indices, kind))
    (ends,) = axes.containers[1][2]
    segments = np.array(ends.get_segments())[:, :, 0]
    assert np.allclose(segments, np.stack([indices.first_low, indices.first_high], axis=1))
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]


def test_a_part_of_a_sample_has_points_and_a_constant_no_indices(tmp_path):
    scene = rigidsim.Scene.from_text(SCENE)
    plan = {"sample": "saltelli:8", "over": {"a": "uniform(0, 30)", "b": "uniform(0, 1)"}}
    with rigidsim.sweep(scene, **plan, part=(1, 2), path=tmp_path / "part.h5") as sweep:
        assert all(collections(axes, PathCollection) for axes in sweep.plot("sum").axes)
    with rigidsim.sweep(scene, **plan, path=tmp_path / "whole.h5") as sweep:
        (axes,) = sweep.plot("late").axes
    assert "the value is the same in all runs" in axes.get_xlabel()


def test_rows_that_are_left_out_are_reported(tmp_path):
    with sampled(tmp_path, "saltelli:64", a="uniform(0, 1)", d="uniform(0, 0.51)") as sweep:
        (axes,) = sweep.plot("late").axes
        remark = sweep.sensitivity()["late"].remark
    assert remark and remark in axes.get_xlabel().replace("\n", " ")


def test_runs_over_time_are_coloured_by_a_number(figure):
    panels, _ = figure("ball.position.x", "ball.velocity", vary={"a": "1:9:9"}, record="0.25")
    assert [axes.get_ylabel() for axes in panels] == ["ball position x, m", *(f"ball velocity {c}, m/s" for c in "xyz")]
    (lines,) = collections(panels[0], LineCollection)
    time = np.arange(5) * 0.25
    for line, a in zip(lines.get_segments(), range(1, 10), strict=True):
        assert np.allclose(line, np.stack([time, a * time], axis=1))
    assert len({tuple(color) for color in lines.get_colors()}) == 9
    assert panels[0].figure.axes[-1].get_ylabel() == "a"


def test_few_runs_over_time_have_a_legend_and_failed_ones_end_with_a_cross(figure):
    scene = SCENE.replace("inertia: point", "inertia: point, forces: [{force: ['= c*exp(20*x)', 0, 0]}]")
    scene = scene.replace("step: 0.25", "step: 0.01")
    (axes,), _ = figure("ball.position.x", over="c", vary={"c": [0, 1]}, record="0.01", scene=scene)
    assert names_of(axes) == ["c = 0", "c = 1", "failed"]
    (lines,) = collections(axes, LineCollection)
    whole, cut = lines.get_segments()
    assert len(whole) == 101 > len(cut) and np.array_equal(axes.lines[-1].get_xydata()[0], cut[-1])


def test_last_states_are_numbers_of_the_runs(figure):
    (axes,), _ = figure("ball.position.x", vary={"a": [1, 2, 4]}, record="final")
    assert np.allclose(axes.lines[0].get_xydata(), [[1, 1], [2, 2], [4, 4]])
    assert axes.get_ylabel() == "last ball position x, m"
    plain = SCENE[: SCENE.index("metrics")]
    (axes,), _ = figure(vary={"a": [3, 4]}, scene=plain)
    assert np.allclose(axes.lines[0].get_ydata(), np.hypot([3, 4], 1)) and "speed" in axes.get_ylabel()


def test_words_are_names_on_an_axis(figure):
    (axes,), _ = figure("sum", over="integrator", vary={"simulation.integrator": ["euler", "rkmk4"], "a": [1, 2]})
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["euler", "rkmk4"]
    assert names_of(axes) == ["a = 1", "a = 2"] and axes.get_xlabel() == "integrator"


def test_two_panels_share_one_legend(figure):
    panels, _ = figure("sum", "late", over="a", vary={"a": [1, 2, 3], "b": [1, 2]})
    assert all(axes.get_legend() is None for axes in panels)
    assert [text.get_text() for text in panels[0].figure.legends[0].get_texts()] == ["b = 1", "b = 2"]


@pytest.mark.parametrize(
    ("names", "over", "message"),
    [
        (["smu"], [], "the sweep has no metric 'smu'; did you mean 'sum'"),
        (["speed"], [], "the sweep has no metric 'speed'; there are: sum, late"),
        (["sum"], ["e"], "--over e: the sweep did not vary it; it varied .*mass"),
        (["sum"], ["mass", "mass"], "name one varied number or two different ones"),
        (["never"], [], "the sweep has no metric 'never'"),
    ],
)
def test_errors_say_what_there_is(tmp_path, names, over, message):
    vary = {"bodies.ball.velocity[0]": [1, 2], "bodies.ball.mass": [1, 2]}
    with (
        rigidsim.sweep(rigidsim.Scene.from_text(SCENE), vary=vary, path=tmp_path / "s.h5") as sweep,
        pytest.raises(UsageError, match=message),
    ):
        sweep.plot(*names, over=over)


@pytest.mark.parametrize(
    ("plan", "name", "over", "message"),
    [
        ({"vary": {"d": [1, 2]}}, "late", [], "late has a finite value in none of the 2 runs"),
        ({"vary": {"a": [1, 2]}, "record": "final"}, "ball.kinetic_energy", [], "of last states cannot be drawn"),
        ({"vary": {"a": [1, 2]}, "record": "final"}, "ball.sped", [], "there is no quantity 'sped'"),
        ({"vary": {"bodies.ball.mass": [-1, -2]}, "record": "0.5"}, "ball.speed", [], "none of the 2 runs began"),
        ({"vary": {"a": [1, 2], "b": [1, 2]}, "record": "0.5"}, "ball.speed", ["a", "b"], "coloured by one varied"),
    ],
)
def test_what_cannot_be_drawn_is_an_error(tmp_path, plan, name, over, message):
    with (
        rigidsim.sweep(rigidsim.Scene.from_text(SCENE), path=tmp_path / "s.h5", **plan) as sweep,
        pytest.raises(UsageError, match=message),
    ):
        sweep.plot(name, over=over)


@pytest.mark.parametrize(
    ("values", "is_log"),
    [
        ([1, 2, 3, 4], False),
        ([1, 10, 100], True),
        ([0.5, 1, 2, 4], True),
        ([1, 2, 5], False),
        ([1, 3, 250], True),
        ([-1, 10, 100], False),
        ([0, 1, 1000], False),
        ([1, 1000], False),
        ([7], False),
    ],
)
def test_scales_follow_from_the_values(values, is_log):
    number = SweepAxis("x", "", np.array(values, dtype=float))
    assert number.is_log is is_log
    edges = number.edges()
    assert np.all(edges[:-1] < number.levels) and np.all(number.levels < edges[1:])


def test_a_part_of_a_grid_is_a_grid_and_a_table_is_not(tmp_path):
    scene = rigidsim.Scene.from_text(SCENE)
    with rigidsim.sweep(scene, vary={"a": "1:4:4", "b": "1:4:4"}, part=(1, 2), path=tmp_path / "a.h5") as sweep:
        assert Runs(sweep).is_grid
    with rigidsim.sweep(scene, vary={"a": "1:4:4", "b": "1:4:4"}, zip=True, path=tmp_path / "b.h5") as sweep:
        assert not Runs(sweep).is_grid
        first, second = sweep.plot("sum").axes
        assert first.get_xlabel() == "a" and second.get_xlabel() == "b"


def test_an_unfinished_sweep_is_drawn_as_far_as_it_is_done(tmp_path):
    run(tmp_path / "s.h5", contents(SCENE, "", {"a": "1:5000:5000"}), watch=lambda done, _failed: done > 0)
    with rigidsim.load_sweep(tmp_path / "s.h5") as sweep:
        is_done = sweep.runs["status"] == "complete"
        (line,) = sweep.plot("sum").axes[0].lines
    assert is_done.any() and np.array_equal(np.isfinite(line.get_ydata()), is_done)


def test_runs_without_a_value_are_counted(figure):
    """They did not fail; their points are not there."""
    plan = make_plan(sample="random:40", over={"a": "uniform(0, 1)", "d": "uniform(0, 1)"})
    for over in ([], ["a"], ["a", "d"]):
        for_each, _ = figure("late", over=over, plan=plan)
        count = int((plan.values(range(40))["d"] >= 0.5).sum())
        assert 0 < count < 40
        assert all(names_of(axes) == [f"{count} runs without a value"] for axes in for_each)
    (axes,), _ = figure("late", vary={"d": [0.2, 0.7, 0.3]})
    assert names_of(axes) == ["1 run without a value"]
    (axes,), _ = figure("sum", vary={"d": [0.2, 0.7, 0.3]})
    assert names_of(axes) == []
