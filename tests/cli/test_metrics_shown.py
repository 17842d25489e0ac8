"""`--metric` of `run` and `inspect`: what is printed, and what is refused."""

from __future__ import annotations

import json

import numpy as np

import rigidsim
from spinning_brick import SCENE

TOP = "top== max(speed('brick'))"


def test_run_prints_and_stores_metrics(call):
    code, out, err = call("run", "scene.yaml", "--metric", TOP, "--metric", "never= = first(t < -1)")
    assert (code, err) == (0, "")
    table = out[out.index("metric") :].splitlines()
    with rigidsim.load("outputs/scene.h5") as kept:
        assert table[1].split() == ["top", f"{kept.metrics['top']:.9g}", "m/s"]
        assert table[2].split() == ["never", "nan", "s"]
        assert kept.metrics["top"] == kept.metric("= max(speed('brick'))")


def test_inspect_computes_metrics_of_any_trajectory(call):
    assert call("run", "scene.yaml", "-q").code == 0
    assert "metric" not in call("inspect", "outputs/scene.h5").out.replace("geometric", "")
    code, out, _ = call("inspect", "outputs/scene.h5", "--metric", "end== final(t)", "--json")
    assert code == 0 and json.loads(out)["metrics"] == {"end": 1.0}
    lines = call("inspect", "outputs/scene.h5", "--metric", "end== final(t)").out.splitlines()
    assert "end 1 s" in [" ".join(line.split()) for line in lines]


def test_a_value_that_is_not_finite_is_null_in_json(call):
    code, out, _ = call("run", "scene.yaml", "--metric", "never== first(t < -1)", "--json")
    assert code == 0 and json.loads(out)["metrics"] == {"never": None}


def test_a_run_that_fails_has_metrics_of_its_own_but_none_in_a_sweep(call, workplace):
    """Its file covers the samples up to the failure; a table of runs would compare different times."""
    rate = SCENE.replace("[0.1, 2, 0.3]", '[0.1, "= rate", 0.3]').replace("title:", "parameters: {rate: 1}\ntitle:")
    (workplace / "scene.yaml").write_text(rate)
    assert call("sweep", "scene.yaml", "--vary", "rate=[1, 1e49]", "--metric", "n== final(t)", "-o", "s.h5").code == 7
    with rigidsim.load_sweep("s.h5") as sweep:
        assert sweep.metrics["n"][0] == 1.0 and np.isnan(sweep.metrics["n"][1])
    assert (
        call("run", "scene.yaml", "--from", "s.h5", "--index", "1", "--metric", "n== final(t)", "-o", "a.h5").code == 4
    )
    with rigidsim.load("a.h5") as trajectory:
        assert trajectory.metrics["n"] == trajectory.time[-1]
