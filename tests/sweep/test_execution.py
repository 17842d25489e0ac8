"""The runs of a sweep: equal to runs alone, whatever the lanes, threads and failures of others."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from rigidsim import Scene, simulate
from rigidsim.engine.time.run import BlockRun
from rigidsim.errors import StorageError
from rigidsim.simulation import blocks
from tops import TOP, contents, run, swept


def alone(sweep, index):
    """The trajectory of one run, simulated alone."""
    return simulate([sweep.scene_at(index)])[0]


@pytest.mark.parametrize(("threads", "lanes"), [(1, 16), (2, 16), (1, 2), (2, 3)])
def test_each_run_equals_the_run_alone(tmp_path, threads, lanes):
    with (
        swept(tmp_path / "a.h5", record="0.1", threads=threads, lanes=lanes) as sweep,
        swept(tmp_path / "b.h5") as reference,
    ):
        assert set(sweep.runs["status"]) == {"complete"}
        for index in (0, 1, 17, 35):
            expected = alone(sweep, index)
            assert sweep[index].content_hash == expected.content_hash
            last = reference[index]
            assert np.array_equal(last["top"].world.orientation, expected["top"].world.orientation[-1])
            assert last.time == expected.time[-1]


def test_content_hash_depends_neither_on_lanes_nor_on_threads(tmp_path):
    hashes = set()
    for number, (threads, lanes) in enumerate([(1, 16), (2, 16), (3, 5), (1, 1)]):
        with swept(tmp_path / f"{number}.h5", threads=threads, lanes=lanes) as sweep:
            hashes.add(sweep.content_hash)
    assert len(hashes) == 1


def test_a_runner_goes_on_from_batch_to_batch_with_the_bits_of_runs_alone(tmp_path, monkeypatch):
    """In the first batch, of 64 runs, the pull does not vary; in the second it is another one, and does."""
    made = []
    monkeypatch.setattr(
        blocks, "BlockRun", lambda *given, **options: made.append(BlockRun(*given, **options)) or made[-1]
    )
    vary = {"pull": [0.1, 0.2, 0.3], "spin": np.linspace(0, 1, 64)}
    with swept(tmp_path / "a.h5", vary=vary, threads=1) as sweep:
        assert len(made) == 1
        for index in (0, 63, 64, 127, 128, 191):
            expected = alone(sweep, index)["top"].world
            assert np.array_equal(sweep[index]["top"].world.orientation, expected.orientation[-1])
            assert np.array_equal(sweep[index]["top"].world.velocity, expected.velocity[-1])


def test_values_with_units_are_those_of_set(tmp_path):
    with swept(tmp_path / "a.h5") as sweep:
        assert sweep.units == {"spin": "rpm", "pull": ""}
        by_set = Scene.from_text(TOP, overrides=["spin=7.5 rpm", "pull=0.2"])
        assert sweep.runs["spin"][5] == 7.5 and sweep.runs["pull"][5] == 0.2
        expected = simulate([by_set])[0]["top"].world.angular_velocity[-1]
        assert np.array_equal(sweep[5]["top"].world.angular_velocity, expected)


def test_a_run_that_fails_fails_alone(tmp_path):
    vary = {"spin": np.linspace(0, 1, 37), "pull": [0.1, 80.0, -1.0]}
    good = {"spin": vary["spin"], "pull": [0.1, -1.0]}
    with (
        swept(tmp_path / "a.h5", record="0.1", vary=vary) as sweep,
        swept(tmp_path / "b.h5", record="0.1", vary=good) as others,
    ):
        status = sweep.runs["status"].reshape(37, 3)
        assert (status == ["complete", "failed", "complete"]).all()
        with pytest.raises(rigidsim.SimulationError) as error, np.errstate(all="ignore"):
            simulate(sweep.scene_at(1))
        assert sweep.runs["error"][1] == str(error.value)
        assert "after t =" in sweep.runs["error"][1] or "at t =" in sweep.runs["error"][1]
        for name in sweep.datasets:
            shape = (37, 3, *sweep.array(name).shape[1:])
            assert np.array_equal(sweep.array(name).reshape(shape)[:, ::2].reshape(74, *shape[2:]), others.array(name))
        failed = sweep[1]
        assert failed.status == "failed" and 0 < len(failed.time) < len(sweep.time)
        assert np.isfinite(failed["top"].world.position).all()
        assert np.isnan(sweep.array("world/position")[1, len(failed.time) :]).all()


def test_a_run_that_is_invalid_has_the_message_of_set(tmp_path):
    with swept(tmp_path / "a.h5", vary={"bodies.top.mass": [1.0, -1.0, 2.0]}) as sweep:
        assert sweep.runs["status"].tolist() == ["complete", "invalid", "complete"]
        with pytest.raises(rigidsim.SceneError) as error:
            Scene.from_text(TOP, overrides=["bodies.top.mass=-1.0"])
        assert sweep.runs["error"][1] == str(error.value)


def test_structures_are_mixed_in_one_sweep(tmp_path):
    vary = {"spin": np.linspace(0, 1, 5), "simulation.integrator": ["rkmk4", "magnus"]}
    with swept(tmp_path / "a.h5", vary=vary) as sweep:
        for index in range(10):
            assert np.array_equal(
                sweep[index]["top"].world.orientation, alone(sweep, index)["top"].world.orientation[-1]
            )


def test_a_file_of_another_kind_is_never_replaced(tmp_path):
    path = tmp_path / "a.h5"
    path.write_text("precious")
    with pytest.raises(StorageError, match="not the result file of a sweep"):
        run(path, contents())
    assert path.read_text() == "precious"


METRICS = (
    TOP
    + """\
metrics: {fastest: '= max(speed("top"))', height: '= final(y("top"))'}
"""
)


def test_metrics_are_those_of_the_run_alone(tmp_path):
    expected = None
    for number, record in enumerate(("", "final", "0.1")):
        with swept(
            tmp_path / f"{number}.h5", METRICS, record, {"spin": [1, 2, 3], "pull": [0.1, 80]}, threads=2
        ) as sweep:
            assert list(sweep.metrics) == ["fastest", "height"]
            assert bool(sweep.datasets) == bool(record)
            for name in sweep.metrics:
                alone = [simulate([sweep.scene_at(index)])[0].metrics[name] for index in (0, 2, 4)]
                assert sweep.metrics[name][::2].tolist() == alone
                assert np.isnan(sweep.metrics[name][1::2]).all()
            sweep.verify()
            found = {name: sweep.metrics[name].tobytes() for name in sweep.metrics}
            expected = expected or found
            assert found == expected


def test_metrics_keep_the_order_of_the_scene(tmp_path):
    """Also in the digests, where their names are in another order."""
    text = METRICS.replace("fastest:", "zenith:")
    with swept(tmp_path / "a.h5", text, vary={"spin": [1, 2]}) as sweep:
        assert list(sweep.metrics) == ["zenith", "height"]
        sweep.verify()
