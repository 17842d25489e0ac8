"""Sweeps of which the runs differ in length, in steps or in bodies; and of which parts are recorded only."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from rigidsim import Scene, simulate
from rigidsim.blueprints import build_world
from rigidsim.errors import NotRecordedError, UsageError
from rigidsim.scene.read import bodies_and_settings
from rigidsim.sweeps.extents import extent_of, extents_of
from rigidsim.sweeps.plan import make_plan
from tops import METRIC, TOP, contents, swept

SCENES = sorted((Path(__file__).parents[2] / "scenes").glob("*.yaml"))
BEADS = """\
format: rigidsim/1
parameters: {n: 2, T: 0.1}
simulation: {duration: "= T", step: 0.01}
world: {gravity: [0, 0, -10]}
bodies:
  rod: {mass: 1, inertia: point, children: {tip: {motion: fixed, position: [0, 0, 1]}}}
  bead: {mass: 1, inertia: point, repeat: {line: "= n", spacing: [1, 0, 0]}}
metrics: {height: '= final(z("bead_0"))'}
"""


def equal(trajectory, other) -> bool:
    return trajectory.content_hash == other.content_hash


# --- durations and steps


@pytest.mark.parametrize("lanes", [1, 16])
def test_runs_of_other_durations_are_filled_up(tmp_path, lanes):
    vary = {"spin": "0 rpm:60 rpm:9", "simulation.duration": [0.2, 0.4, 0.1]}
    with swept(tmp_path / "a.h5", record="0.1", vary=vary, threads=2, lanes=lanes) as sweep:
        assert set(sweep.runs["status"]) == {"complete"}
        assert np.allclose(sweep.time, [0, 0.1, 0.2, 0.3, 0.4])
        assert sweep.runs["samples"].tolist() == [3, 5, 2] * 9
        filled = np.isnan(sweep.array("world/orientation")).all(axis=(2, 3))
        assert (np.isfinite(sweep.array("world/orientation")).all(axis=(2, 3)) == ~filled).all()
        assert (filled == (np.arange(5) >= sweep.runs["samples"][:, None])).all()
        for index in range(27):
            assert equal(sweep[index], simulate([sweep.scene_at(index)])[0])
        last = sweep.last("world/position")
        assert np.array_equal(last[3, 0], sweep[3]["top"].world.position[-1])
        sweep.verify()
        assert sweep.to_xarray().sizes["time"] == 5


def test_last_states_and_metrics_of_other_durations(tmp_path):
    vary = {"simulation.duration": [0.4, 0.3]}
    with swept(tmp_path / "a.h5", vary=vary) as sweep:
        assert sweep.runs["end_time"].tolist() == [0.4, 0.3]
        assert "samples" not in sweep.runs
    with swept(tmp_path / "b.h5", TOP + METRIC, "metrics", vary) as sweep:
        assert set(sweep.runs["status"]) == {"complete"} and sweep.runs["end_time"].tolist() == [0.4, 0.3]
        assert sweep.metrics["fastest"][0] > sweep.metrics["fastest"][1]


def test_runs_of_other_steps_have_times_of_their_own(tmp_path):
    vary = {"simulation.step": [0.05, 0.01, 0.03, 0.02]}
    text = TOP.replace("duration: 0.4", "duration: 0.7").replace("pull: 1", "pull: 0.1")
    with swept(tmp_path / "a.h5", text, "0.1", vary) as sweep:
        assert sweep.runs["status"].tolist() == ["complete", "complete", "invalid", "complete"]
        times = [simulate([sweep.scene_at(k)])[0] for k in (0, 1, 3)]
        assert len({each.time.tobytes() for each in times}) > 1  # they differ by round-off
        assert all(equal(sweep[k], each) for k, each in zip((0, 1, 3), times, strict=True))


def test_samples_off_the_common_axis_are_refused():
    message = (
        r"run 0 \(simulation.duration = 0.35\) has a sample at 0.35 s, run 1 \(.* = 0.4\) at 0.4 s; take durations"
    )
    with pytest.raises(UsageError, match=message):
        contents(record="0.1", vary={"simulation.duration": [0.35, 0.4]})
    contents(record="0.1", vary={"simulation.duration": [0.3, 0.35]})  # the longest may end anywhere


def test_parts_have_the_axis_of_the_whole(tmp_path):
    vary = {"simulation.duration": [0.1, 0.4]}
    plan = make_plan(vary=vary)
    whole = contents(record="0.1", vary=vary)
    from rigidsim.sweeps.sweeping import contents_of

    part = contents_of(Scene.from_text(TOP), plan, "0.1", plan.part(1, 2))
    assert part.recording.times == whole.recording.times and part.arrays == whole.arrays


# --- bodies


def test_runs_of_other_bodies_have_metrics(tmp_path):
    vary = {"n": [3, 1, 2, 0], "T": [0.1, 0.05]}
    with swept(tmp_path / "a.h5", BEADS, "metrics", vary) as sweep:
        assert sweep.runs["status"].tolist() == ["complete"] * 6 + ["invalid"] * 2
        assert np.allclose(sweep.metrics["height"][:6], [-0.05, -0.0125] * 3)
        for index in range(6):
            assert simulate(sweep.scene_at(index)).metrics["height"] == sweep.metrics["height"][index]
        assert sweep.paths == ()


@pytest.mark.parametrize("record", ["final", "0.01"])
def test_states_of_other_bodies_are_refused(record):
    message = r"run 0 \(n = 2.0\) has rod, rod/tip, bead_0, ... \(4 bodies\), run 1 .* record metrics only"
    with pytest.raises(UsageError, match=message):
        contents(BEADS, record, {"n": [2, 3]})


def test_the_count_of_the_scene_itself_does_not_matter(tmp_path):
    with swept(tmp_path / "a.h5", BEADS, "final", {"n": [0, 3, 3.0], "T": [0.1]}) as sweep:
        assert sweep.runs["status"].tolist() == ["invalid", "complete", "complete"] and len(sweep.paths) == 5


# --- extents


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_extents_are_those_of_the_world(path):
    scene = Scene.from_file(path)
    step = scene.simulation.step
    (extent,) = extents_of(scene, make_plan(vary={"simulation.record_every": [step]}))
    assert extent == extent_of(build_world(scene.with_overrides([f"simulation.record_every={step!r}"])))
    assert tuple(bodies_and_settings(scene.document())[0]) == extent.paths


def test_only_what_can_matter_is_read(monkeypatch):
    reads = []
    monkeypatch.setattr("rigidsim.sweeps.extents.bodies_and_settings", lambda d: reads.append(d) or ({}, None))
    monkeypatch.setattr("rigidsim.sweeps.extents.as_integer", lambda ratio: 1)
    with pytest.raises(AttributeError):
        extents_of(Scene.from_text(TOP), make_plan(vary={"pull": "1:2:100000"}))
    assert len(reads) == 1


# --- simulation.record

CHAIN = """\
format: rigidsim/1
parameters: {v: 1}
simulation: {duration: 0.2, step: 0.01, record_every: 0.1, record: RECORD}
bodies:
  left: {mass: 1, inertia: point, velocity: ["= v", 0, 0]}
  middle: {mass: 1, inertia: point, velocity: [0, "= v", 0], children: {tip: {motion: fixed, position: [0, 0, 1]}}}
  right: {mass: 1, inertia: point, velocity: [0, 0, "= v"]}
"""
SELECTIONS = {
    "[world/position]": (("left", "middle", "middle/tip", "right"), {"world/position": 4}),
    "[{bodies: [left, right], of: [world/position, world/velocity]}]": (
        ("left", "right"),
        {"world/position": 2, "world/velocity": 2},
    ),
    "[{bodies: [right], of: [world]}, {bodies: ['middle/*'], of: [world/position]}, diagnostics]": (
        ("middle/tip", "right"),
        {"world/position": 2, "world/velocity": 1},
    ),
}


@pytest.mark.parametrize("record", ["final", "0.1"])
@pytest.mark.parametrize("selection", SELECTIONS)
def test_selected_bodies_are_recorded(tmp_path, selection, record):
    text, (paths, recorded) = CHAIN.replace("RECORD", selection), SELECTIONS[selection]
    with (
        swept(tmp_path / "a.h5", text, record, {"v": [1, 2, 1e50, -1]}) as sweep,
        swept(tmp_path / "b.h5", CHAIN.replace(", record: RECORD", ""), record, {"v": [1, 2, 1e50, -1]}) as whole,
    ):
        assert sweep.paths == paths
        for name, count in recorded.items():
            array, of_all = sweep.array(name), whole.array(name)
            good = [place for place in range(len(paths)) if np.isfinite(array[0, ..., place, 0]).any()]
            assert len(good) == count
            for place in good:
                assert np.array_equal(
                    array[..., place, :], of_all[..., whole.paths.index(paths[place]), :], equal_nan=True
                )
        sweep.verify()
        one = sweep[1]
        assert np.array_equal(one["right"].world.position, whole[1]["right"].world.position)
        if record != "final":
            assert equal(one, simulate(sweep.scene_at(1)))
        with pytest.raises(NotRecordedError):
            _ = one["left"].world.angular_velocity
    with h5py.File(tmp_path / "a.h5") as file:
        assert len(file["world/position"].dims[file["world/position"].ndim - 2][0]) == len(paths)


def test_the_text_of_a_metric_may_vary(tmp_path):
    vary = {"metrics.m": ["= final(y('top'))", "= max(speed('top'))"], "pull": [0.1, 0.2]}
    with swept(tmp_path / "a.h5", TOP, "final", vary) as sweep:
        assert set(sweep.runs["status"]) == {"complete"}
        for index in range(4):
            assert sweep.metrics["m"][index] == simulate(sweep.scene_at(index)).metrics["m"]
