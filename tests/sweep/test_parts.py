"""The parts of a plan, run on their own, are those of the whole, and are joined to it again."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

import rigidsim
from rigidsim import Scene
from rigidsim.errors import FormatError, StorageError, UsageError
from rigidsim.sweeps.assembly import assemble_sweep
from tops import METRIC, TOP, contents, on_threads, run

VARIED = {
    "numbers": {
        "vary": {"spin": "0 rpm:60 rpm:40", "pull": [0.1, 80, 0.3, 0.2, 0.15]}
    },  # more than three portions; 40 fail
    "words": {"vary": {"simulation.integrator": ["rkmk4", "magnus", "rkmk4"], "bodies.top.mass": [1, -2, 3]}},
    "lengths": {"vary": {"simulation.duration": [0.1, 0.2, 0.4, 0.15], "pull": [0.1, 0.2]}},
    "a sample": {"sample": "saltelli:8", "over": {"spin": "normal(30 rpm, 5 rpm)", "pull": "uniform(0.1, 0.2)"}},
}


def part(folder, number, parts, text=TOP, **given):
    path = folder / f"{number}.h5"
    rigidsim.sweep(Scene.from_text(text, "top.yaml"), path=path, part=(number, parts), force=True, **given).close()
    return path


@pytest.mark.parametrize("record", ["metrics", pytest.param("final", marks=pytest.mark.slow), "0.1"])
@pytest.mark.parametrize("plan", VARIED)
def test_parts_make_the_whole(tmp_path, plan, record):
    given = {"record": record} | VARIED[plan]
    if (plan, record) == ("lengths", "0.1"):
        given["vary"] = given["vary"] | {"simulation.duration": [0.1, 0.2, 0.4, -1]}
    text = TOP + METRIC
    with rigidsim.sweep(Scene.from_text(text, "top.yaml"), **given) as whole:
        for parts in (1, 3):
            paths = [part(tmp_path, number, parts, text, **given) for number in range(parts, 0, -1)]
            with assemble_sweep(paths, tmp_path / f"whole_of_{parts}.h5") as joined:
                joined.verify()
                assert joined.content_hash == whole.content_hash
                for one, other in ((joined.runs, whole.runs), (joined.metrics, whole.metrics)):
                    assert listed(one) == listed(other)
                assert joined.identity == whole.identity and joined.description == whole.description
                assert joined.overrides(1) == whole.overrides(1)
                if joined.method and record == "metrics":
                    assert joined.sensitivity().keys() == {"fastest"}


def listed(columns) -> str:
    """NaN is like NaN."""
    return repr({name: values.tolist() for name, values in columns.items()})


def test_the_whole_can_be_resumed(tmp_path):
    vary = {"pull": [0.1, 80, 0.3]}
    paths = [part(tmp_path, number, 2, record="final", vary=vary) for number in (1, 2)]
    with assemble_sweep(paths, tmp_path / "whole.h5") as joined:
        assert joined.runs["status"].tolist() == ["complete", "failed", "complete"]
    scene = Scene.from_text(TOP, "top.yaml")
    with rigidsim.sweep(scene, path=tmp_path / "whole.h5", record="final", vary=vary, resume=True) as again:
        assert again.content_hash == joined.content_hash


def test_overrides_may_be_arrays(tmp_path):
    scene = Scene.from_text(TOP, "top.yaml", [("bodies.top.position", np.arange(3.0)), ("spin", np.float64(2))])
    paths = [tmp_path / "1.h5", tmp_path / "2.h5"]
    for number, path in enumerate(paths, 1):
        rigidsim.sweep(scene, vary={"pull": [0.1, 0.2]}, path=path, part=(number, 2)).close()
    with assemble_sweep(paths, tmp_path / "a.h5") as sweep, rigidsim.sweep(scene, vary={"pull": [0.1, 0.2]}) as whole:
        assert sweep.content_hash == whole.content_hash
        assert sweep.overrides(1) == [("bodies.top.position", [0.0, 1.0, 2.0]), ("spin", 2.0), ("pull", 0.2)]


def test_wrong_parts_are_one_error(tmp_path):
    vary = {"spin": "0 rpm:60 rpm:9"}
    one, two, three = (part(tmp_path, number, 3, vary=vary) for number in (1, 2, 3))
    whole = tmp_path / "whole.h5"
    other = tmp_path / "other"
    other.mkdir()

    def fails(paths, message, error=UsageError):
        with pytest.raises(error, match=message):
            assemble_sweep(paths, whole)
        assert not whole.exists() and not list(tmp_path.glob(".*"))

    fails([], "name the result files of all parts")
    fails([one, three], "runs 3 to 5 are in none of the files")
    fails(two, "runs 0 to 2 are in none of the files")
    fails([one, two], "runs 6 to 8 are in none of the files")
    fails([one, two, two, three], "runs 3 to 5 are in both .*2.h5 and .*2.h5")
    fails([one, two, part(other, 3, 3, vary={"spin": "0 rpm:61 rpm:9"})], "the plan differs")
    fails([one, two, part(other, 3, 3, TOP.replace("mass: 2", "mass: 3"), vary=vary)], "the scene differs")
    fails([one, two, part(other, 3, 3, vary=vary, record="0.1")], "what was recorded .* differs")
    fails([one, two, tmp_path / "none.h5"], "none.h5 cannot be read", StorageError)
    with h5py.File(three, "r+") as file:
        file["world/position"][0, 0, 0] = 7
    fails([one, two, three], "3.h5 is damaged: runs 6 to 8 do not match", FormatError)


def test_an_unfinished_part_and_an_existing_file_are_one_error(tmp_path):
    what = contents(vary={"spin": "0 rpm:60 rpm:9000"})
    assert run(tmp_path / "a.h5", what, on_threads(1), lambda done, failed: done > 0) == ""
    with pytest.raises(UsageError, match=r"a.h5.tmp is not complete; --resume continues it"):
        assemble_sweep([tmp_path / "a.h5"], tmp_path / "whole.h5")
    done = part(tmp_path, 1, 1, vary={"spin": [1, 2]})
    with pytest.raises(StorageError, match="force=True"):
        assemble_sweep([done], done)
