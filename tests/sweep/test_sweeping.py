"""`rigidsim.sweep`: its arguments, and where the results are."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import rigidsim
from rigidsim import Scene
from rigidsim.errors import StorageError, UsageError
from rigidsim.sweeps.plan import make_plan
from tops import TOP

SCENE = Scene.from_text(TOP)
PLANNED = Scene.from_text(TOP + "sweep: {sample: 'random:3', over: {spin: 'uniform(1, 2)'}, seed: 4}\n")
VARY = {"spin": [1, 2, 3]}


def test_the_seed_alone_replaces_that_of_the_scene():
    def values(**given):
        with rigidsim.sweep(PLANNED, **given) as sweep:
            return sweep.runs["spin"].tolist(), sweep.runs["seed"].tolist()

    assert values() == values(seed=4) != values(seed=5)


def test_the_time_between_samples_is_a_number_or_text():
    hashes = set()
    for record in (0.1, "0.1", "100 ms"):
        with rigidsim.sweep(SCENE, vary=VARY, record=record) as sweep:
            assert sweep.array("world/position").shape == (3, 5, 1, 3)
            hashes.add(sweep.content_hash)
    assert len(hashes) == 1
    with pytest.raises(rigidsim.SceneError, match="record_every"):
        rigidsim.sweep(SCENE, vary=VARY, record=0)


def test_a_temporary_file_lasts_as_long_as_the_sweep():
    sweep = rigidsim.sweep(SCENE, plan=make_plan(vary=VARY))
    assert sweep.path.exists()
    sweep.close()
    assert not sweep.path.parent.exists()


def test_resume_of_what_is_complete_runs_nothing(tmp_path):
    for resume in (False, True):
        rigidsim.sweep(SCENE, vary=VARY, path=tmp_path / "a.h5", resume=resume).close()
    with pytest.raises(StorageError, match="force=True"):
        rigidsim.sweep(SCENE, vary=VARY, path=tmp_path / "a.h5")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "no number varies"),
        ({"vary": VARY, "plan": make_plan(vary=VARY)}, "give a plan, or the arguments of make_plan"),
        ({"seed": 1, "plan": make_plan(vary=VARY)}, "give a plan, or the arguments of make_plan"),
        ({"vary": VARY, "dask": "local:2", "threads": 2}, "the workers of dask have threads of their own"),
        ({"vary": VARY, "dask": "here"}, "takes the address of a scheduler"),
        ({"vary": VARY, "threads": 0}, "threads"),
        ({"vary": VARY, "part": (4, 3)}, "part 4 of 3 does not exist"),
        ({"vary": VARY, "record": "metrics"}, "the scene has no metrics"),
        ({"sample": "sobol:4"}, "needs distributions"),
    ],
)
def test_arguments_that_do_not_go_together_are_one_error(given, message):
    with pytest.raises(UsageError, match=message):
        rigidsim.sweep(SCENE, **given)


def test_names_of_columns_are_those_of_the_table():
    scene = Scene.from_text(TOP.replace("spin: 30 rpm", "spin: 30 rpm, seed: 3"))
    with pytest.raises(UsageError, match=r"'seed' is a column of the table of runs; vary it as 'parameters.seed'"):
        rigidsim.sweep(scene, vary={"seed": [1, 2]})
    metrics = {"spin": "= max(speed('top'))", "status": "= final(y('top'))", "xyz": "= final(t)", "run": "= final(t)"}
    with rigidsim.sweep(
        scene, vary={"spin": [1, 2], "parameters.seed": [5, 6]}, metrics=metrics, record="final"
    ) as sweep:
        assert sweep.runs["spin"].tolist() == [1, 1, 2, 2]
        assert sweep.runs["parameters.seed"].tolist() == [5, 6, 5, 6] != sweep.runs["seed"].tolist()
        labelled, whole = sweep.to_pandas(), sweep.to_xarray()
        for found in (labelled, whole):
            assert set(np.asarray(found["status"])) == {"complete"} and found["spin"].values.tolist() == [1, 1, 2, 2]
            assert np.array_equal(found["metrics_status"], sweep.metrics["status"])
        assert "xyz" in labelled and "metrics_xyz" in whole and "metrics_run" in whole
        assert list(sweep.metrics) == [*metrics]
        sweep.verify()


@pytest.mark.slow
def test_dask_gives_the_same_bits(tmp_path):
    pytest.importorskip("distributed")
    with rigidsim.sweep(SCENE, vary=VARY, dask="local:2") as one, rigidsim.sweep(SCENE, vary=VARY) as other:
        assert one.content_hash == other.content_hash


def test_a_run_is_named_by_its_number():
    with rigidsim.sweep(SCENE, vary=VARY) as sweep:
        with pytest.raises(UsageError, match=r"expected the number of a run, got 'a'; sweep\.runs\['a'\] is a column"):
            sweep["a"]
        for wrong in (1.5, None, slice(2)):
            with pytest.raises(UsageError, match="expected the number of a run"):
                sweep[wrong]
            with pytest.raises(UsageError, match="expected the number of a run"):
                sweep.scene_at(wrong)


@pytest.mark.parametrize("name", ["kept.h5", None])
def test_results_can_be_pickled(tmp_path, name):
    """Those in a temporary file, too: the copy has a file of its own."""
    with rigidsim.sweep(SCENE, vary=VARY, path=name and tmp_path / name) as sweep:
        content_hash, written = sweep.content_hash, pickle.dumps(sweep)
    with pickle.loads(written) as other:
        assert other.content_hash == content_hash
        other.verify()


def test_temporary_results_are_pickled_while_they_are_open():
    with rigidsim.sweep(SCENE, vary=VARY) as sweep:
        pass
    with pytest.raises(UsageError, match="was closed, and its temporary file is gone"):
        pickle.dumps(sweep)
