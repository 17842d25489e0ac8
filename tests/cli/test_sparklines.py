"""`inspect FILE QUANTITY`: first, least, greatest and last value, and a line of blocks; `inspect SWEEP METRIC`."""

from __future__ import annotations

import json
import shutil

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rigidsim
from rigidsim.cli import cli
from rigidsim.errors import UsageError
from rigidsim.report.sections import plain
from rigidsim.report.sparklines import LEVELS, MOST_BINS, Sparkline, sparkline_lines, sparklines, values_at
from spinning_brick import SCENE

LONG = SCENE.replace("record_every: 0.05", "record_every: 0.01").replace("duration: 1", "duration: 30")


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A file with more samples than a course has groups."""
    path = tmp_path_factory.mktemp("kept") / "a.h5"
    rigidsim.simulate(rigidsim.Scene.from_text(LONG)).save(path)
    return path


def course(values, size: int = 1) -> Sparkline:
    """Of groups of that many values."""
    groups = np.asarray(values, dtype=float).reshape(-1, size)
    low, high = np.fmin.reduce(groups, axis=1), np.fmax.reduce(groups, axis=1)
    finite = groups[np.isfinite(groups)]
    mean = float(finite.mean()) if len(finite) else 0.0
    return Sparkline("x", "", groups[0, 0], groups[-1, -1], mean, np.arange(len(low)), low, high)


def test_numbers_are_those_of_the_samples(kept):
    with rigidsim.load(kept) as trajectory:
        assert len(trajectory.time) > 2 * MOST_BINS
        found = sparklines(trajectory, ["brick.velocity", "kinetic_energy", "mark.distance@brick"])
        of = [*trajectory["brick"].world.velocity.T, trajectory.diagnostic("kinetic_energy")]
        of.append(np.linalg.norm(trajectory["brick/mark"].seen_from("brick").position, axis=1))
        names = [f"brick.velocity.{letter}" for letter in "xyz"]
        assert [one.name for one in found] == [*names, "kinetic_energy", "brick/mark.distance@brick"]
        assert [one.unit for one in found] == ["m/s"] * 3 + ["J", "m"]
        for one, values in zip(found, of, strict=True):
            assert (one.first, one.last) == (values[0], values[-1])
            assert (one.least, one.greatest) == (values.min(), values.max())
            assert one.mean == pytest.approx(values.mean(), rel=1e-12)
            size = -(-len(values) // MOST_BINS)
            groups = [values[begin : begin + size] for begin in range(0, len(values), size)]
            np.testing.assert_array_equal(one.low, [group.min() for group in groups])
            np.testing.assert_array_equal(one.high, [group.max() for group in groups])
            np.testing.assert_array_equal(one.begins, trajectory.time[::size])


def test_values_at_a_time_are_samples_or_lie_on_the_line_between_them(kept, capsys):
    """As `at` in metrics, of which the reduction is another implementation; the fraction rounds once in each."""
    names = ["brick.velocity", "kinetic_energy", "= speed('brick')*2 s"]
    with rigidsim.load(kept) as trajectory:
        at_sample = values_at(trajectory, names, float(trajectory.time[7]))
        velocity = trajectory["brick"].world.velocity[7]
        assert [one.value for one in at_sample[:3]] == [*velocity]
        assert [one.unit for one in at_sample] == ["m/s", "m/s", "m/s", "J", "m"]
        assert at_sample[4].value == 2 * np.linalg.norm(velocity)
        for time in (0.0, 0.0734, 29.999, float(trajectory.time[-1])):
            (found,) = values_at(trajectory, ["brick.velocity.x"], time)
            assert found.value == pytest.approx(trajectory.metric(f"= at({time!r}, v_x('brick'))"), rel=1e-12)
        with pytest.raises(UsageError, match="the time 31 s is outside the trajectory, 0 to 30 s"):
            values_at(trajectory, names, 31.0)
    asked = ["inspect", str(kept), "brick.speed", "--at", "70 ms", "--json"]
    assert cli.main(asked, prog_name="rigidsim", standalone_mode=False, obj={"debug": True}) in (None, 0)
    (shown,) = json.loads(capsys.readouterr().out)["quantities"]
    assert shown == {"name": "brick.speed", "unit": "m/s", "value": float(np.linalg.norm(velocity))}


def test_a_ramp_takes_all_levels():
    assert course(np.arange(8.0)).sparkline(8) == LEVELS
    assert course(np.arange(8.0, 0, -1)).sparkline(99) == LEVELS[::-1]


def test_a_short_peak_is_seen():
    values = np.zeros(1000)
    values[777] = 1.0
    for one, peak in ((course(values, 10), LEVELS[7]), (course(-values, 10), LEVELS[0])):
        line = one.sparkline(20)
        assert line.count(peak) == 1 and line.index(peak) == 15  # of 20 columns that with sample 777 of 1000
    assert set(course(-values, 10).sparkline(20)) == {LEVELS[0], LEVELS[7]}


def test_rounding_is_flat_and_what_is_not_finite_is_blank():
    assert course([1.0, 1.0 + 1e-11, 1.0]).sparkline(3) == LEVELS[0] * 3
    assert course([1.0, 1.0 + 1e-11, 1.0]).digits == 5
    assert course([1.0, 1.0 + 1e-8, 1.0]).sparkline(3) == LEVELS[0] + LEVELS[7] + LEVELS[0]
    assert course([1.0, 1.00001]).digits == 7 and course([1.0, 1.0 + 2e-8]).digits == 9
    assert course([0.0, np.nan, 7.0]).sparkline(3) == f"{LEVELS[0]} {LEVELS[7]}"
    assert sparkline_lines([course([np.nan, 2.0, 3.0])], np.arange(3.0))[1].split()[1:5] == ["-", "2", "3", "3"]
    one = course([np.nan, np.nan])
    assert one.sparkline(2) == "  "
    assert plain(one)["min"] is None


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=200), st.integers(1, 50))
def test_any_values_at_any_width(values, width):
    one = course(values)
    line = one.sparkline(width)
    assert len(line) == min(width, len(values))
    assert set(line) <= set(LEVELS)
    begins, low, high = one.columns(width)
    assert (low.min(), high.max()) == (min(values), max(values))
    assert len(begins) == len(line)


def test_text_and_json_say_the_same(call, kept, monkeypatch):
    monkeypatch.setenv("COLUMNS", "110")
    code, out, err = call("inspect", kept, "brick.speed", "brick.position.x", "energy_drift", '= speed("brick") / 2')
    assert (code, err) == (0, "")
    head, columns, *lines = out.splitlines()
    assert head.endswith("a.h5: complete, 3001 samples")
    assert columns.split() == ["quantity", "first", "min", "max", "last", "0", "to", "30", "s"]
    assert [line.split(",")[0] for line in lines[:3]] == ["brick.speed", "brick.position.x", "energy_drift"]
    assert {len(line) for line in lines} == {110}
    assert lines[1].endswith(LEVELS[7]) and lines[1].split()[2:6] == ["0", "0", "30", "30"]  # 1 m/s for 30 s
    reported = json.loads(call("inspect", kept, "brick.position.x", "--json").out)
    (x,) = reported["quantities"]
    assert (reported["begin"], reported["end"], x["name"], x["unit"]) == (0.0, 30.0, "brick.position.x", "m")
    assert (x["first"], x["min"], x["max"]) == (0.0, 0.0, pytest.approx(30.0))
    assert len(x["course"]["time"]) == len(x["course"]["min"]) == len(x["course"]["max"]) == 64
    np.testing.assert_allclose(x["course"]["min"], x["course"]["time"], atol=1e-9)


def test_energies_are_a_part_of_the_inspection(call, kept):
    out = call("inspect", kept).out
    assert sum(line.startswith(("kinetic_energy, J", "energy_drift, J")) for line in out.splitlines()) == 2
    call("run", "scene.yaml", "-o", "few.h5", "--duration", "0.1")
    assert "kinetic_energy, J" not in call("inspect", "few.h5").out


def test_an_encoding_without_blocks_gets_plain_characters(shell, kept):
    environment = {"PYTHONIOENCODING": "latin-1"}
    answer = shell("inspect", kept, "brick.position.x", environment=environment, encoding="latin-1")
    assert answer.code == 0
    assert answer.out.rstrip().endswith("#") and "_" in answer.out
    assert "\\u" not in answer.out


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    metrics = {"top": '= max(speed("brick"))', "turn": '= max(omega_x("brick"))'}
    values, path = {"bodies.brick.velocity[0]": [1, 2, 4]}, tmp_path_factory.mktemp("swept") / "s.h5"
    rigidsim.sweep(rigidsim.Scene.from_text(SCENE), vary=values, metrics=metrics, path=path).close()
    return path


@pytest.fixture
def sweep(swept, workplace):
    shutil.copyfile(swept, workplace / "s.h5")
    return "s.h5"


def test_metrics_of_a_sweep(call, sweep):
    code, out, err = call("inspect", sweep, "top")
    assert (code, err) == (0, "")
    assert "top over bodies.brick.velocity[0]" in out and "turn" not in out
    row = next(line.split() for line in out.splitlines() if line.startswith("top "))
    assert row == ["top", "(m/s)", "1", "2.33333", "4", "0", "2"]
    reported = json.loads(call("inspect", sweep, "turn", "top", "--json").out)["metrics"]
    assert list(reported) == ["turn", "top"]
    assert reported["top"]["values"] == {"0": pytest.approx(1), "1": pytest.approx(2), "2": pytest.approx(4)}
    assert reported["top"]["statistics"]["most_run"] == 2


def test_verified_before_it_is_shown(call, kept, workplace):
    assert call("inspect", kept, "brick.speed", "--verify").code == 0
    shutil.copyfile(kept, "b.h5")
    with h5py.File("b.h5", "r+") as file:
        file["local/velocity"][3, 0, 1] += 1e-12
    assert call("inspect", "b.h5", "brick.speed").code == 0  # which reads the motion in the world
    code, out, err = call("inspect", "b.h5", "brick.speed", "--verify")
    assert (code, out) == (6, "")
    assert err.startswith("error: b.h5 is damaged: local/velocity: ")
    assert call("inspect", "b.h5", "brick.velocity@parent").code == 6
