"""Metrics of trajectories: in memory, in a file, and in a file that was altered."""

from __future__ import annotations

import math
import pickle

import h5py
import pytest

import rigidsim
from rigidsim.errors import FormatError, NotRecordedError

METRICS = {"top": "= max(speed('ball'))", "never": "= first(z('ball') > 9)", "ratio": "= final(z('ball'))/height"}


def scene(metrics: dict[str, str], **simulation) -> rigidsim.Scene:
    return rigidsim.Scene.from_dict(
        {
            "format": "rigidsim/1",
            "parameters": {"height": 2},
            "simulation": {"duration": 0.2, "step": 0.01} | simulation,
            "world": {"gravity": [0, 0, -9.81]},
            "bodies": {"ball": {"mass": 1, "inertia": "point", "position": [0, 0, "= height"]}},
            "metrics": metrics,
        }
    )


def test_a_file_keeps_values_and_expressions(tmp_path):
    made = rigidsim.simulate(scene(METRICS))
    made.save(tmp_path / "a.h5")
    with rigidsim.load(tmp_path / "a.h5") as kept:
        assert list(kept.metrics) == list(METRICS)
        assert math.isnan(kept.metrics.pop("never"))
        assert {name: kept.metrics[name] for name in ("top", "ratio")} == {
            name: kept.metric(METRICS[name]) for name in ("top", "ratio")
        }
        assert kept.header.metrics["top"] == '= max(speed("ball", "world"))'
        assert pickle.loads(pickle.dumps(kept)).metrics["top"] == made.metrics["top"]
    with h5py.File(tmp_path / "a.h5") as file:
        assert file["metrics/ratio"].attrs["expression"] == '= final(z("ball", "world")) / 2.0'


def test_without_metrics_a_file_is_as_it_was(tmp_path):
    rigidsim.simulate(scene({})).save(tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5") as file:
        assert "metrics" not in file
    with rigidsim.load(tmp_path / "a.h5") as kept:
        assert kept.metrics == {} and kept.content_hash == rigidsim.simulate(scene(METRICS)).content_hash


@pytest.mark.parametrize("change", ["value", "expression", "missing", "more"])
def test_an_altered_metric_is_noticed(tmp_path, change):
    rigidsim.simulate(scene(METRICS)).save(tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        if change == "value":
            file["metrics/top"][()] = 3.0
        elif change == "expression":
            file["metrics/top"].attrs["expression"] = "= min(t)"
        elif change == "missing":
            del file["metrics/top"]
        else:
            file["metrics/other"] = 1.0
            file["metrics/other"].attrs["expression"] = "= drift"
    with pytest.raises(FormatError, match="damaged"):
        rigidsim.load(tmp_path / "a.h5")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("= max(sped('ball'))", "unknown function 'sped', at column 7; did you mean 'speed'"),
        ("= max(speed('bal'))", "there is no body 'bal'; did you mean 'ball'"),
        ("max(t)", "an expression begins with '=', at column 1"),
        (3, "a metric must be a string"),
    ],
)
def test_errors_of_a_metric(text, message):
    with pytest.raises(rigidsim.errors.UsageError, match=message):
        rigidsim.simulate(scene({})).metric(text)


def test_what_was_not_recorded_is_in_the_metrics_of_the_run():
    metrics = {"drift": "= drift", "top": "= max(speed('ball'))"}
    partly = rigidsim.simulate(scene(metrics, record=["world/position"]))
    assert partly.metrics == rigidsim.simulate(scene(metrics)).metrics
    with pytest.raises(NotRecordedError, match="energies and momenta were not recorded"):
        partly.metric("= drift")
