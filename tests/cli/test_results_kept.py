"""The results of a run, and those of a sweep, are never replaced by a file of another kind, whatever the options."""

from __future__ import annotations

from pathlib import Path

import pytest

import rigidsim
from rigidsim.errors import StorageError
from rigidsim.exports.exporting import CSV
from rigidsim.trajectory.destination import TRAJECTORY, temporary_path
from rigidsim.trajectory.spool import published
from spinning_brick import SCENE, remains

PLAN = ("--vary", "bodies.brick.mass=1:2:3", "-q")
RUN, SWEEP = "run.h5", "sweep.h5"
OTHER = {RUN: "is a trajectory", SWEEP: "is the result file of a sweep"}


WRITERS = {
    "run": (SWEEP, "a.h5", ("run", "scene.yaml", "-q", "--force", "-o", "a.h5")),
    "run without force": (SWEEP, "a.h5", ("run", "scene.yaml", "-q", "-o", "a.h5")),
    "sweep": (RUN, "a.h5", ("sweep", "scene.yaml", *PLAN, "--force", "-o", "a.h5")),
    "assemble": (RUN, "a.h5", ("assemble", "of.h5", "--force", "-o", "a.h5")),
    **{
        f"export over {kind} {name}": (kind, name, ("export", "of.h5", "-q", "--force", "-o", name))
        for name in ("a.csv", "a.nc")
        for kind in (RUN, SWEEP)
    },
    "plot": (SWEEP, "a.png", ("plot", "run.h5", "--force", "-o", "a.png")),
    "picture of a run": (SWEEP, "a.svg", ("run", "scene.yaml", "-q", "--force", "-o", "b.h5", "--plot=a.svg")),
    "view": (SWEEP, "a.html", ("view", "run.h5", "--force", "-o", "a.html")),
    "video": (SWEEP, "a.png", ("video", "run.h5", "-q", "--at", "0", "--force", "-o", "a.png")),
    "examples": (SWEEP, "flipping_axis.yaml", ("examples", "copy", "flipping_axis", "--force")),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "name", "command"), WRITERS.values(), ids=WRITERS)
def test_results_of_another_kind_are_kept(call, made, workplace, kind, name, command):
    made(SWEEP, "of.h5")
    made(RUN, "run.h5")
    content, before = made(kind, name), remains(workplace)
    answer = call(*command)
    assert (answer.code, answer.out) == (5, "")
    assert f"error: {name} {OTHER[kind]}; " in answer.err and len(answer.err.splitlines()) == 1
    assert Path(name).read_bytes() == content and remains(workplace) == before


def test_saving_keeps_the_results_of_a_sweep(made):
    content = made(SWEEP, "a.h5")
    trajectory = rigidsim.simulate(rigidsim.Scene.from_text(SCENE))
    with pytest.raises(StorageError, match=r"a\.h5 is the result file of a sweep; force=True overwrites trajectories"):
        trajectory.save("a.h5", force=True)
    with pytest.raises(StorageError, match=r"a\.h5 is the result file of a sweep"):
        trajectory.save("a.h5")
    assert Path("a.h5").read_bytes() == content
    made(RUN, "t.h5")
    with pytest.raises(StorageError, match=r"t\.h5 is a trajectory; force=True overwrites result files of sweeps only"):
        rigidsim.sweep(rigidsim.Scene.from_text(SCENE), vary={"bodies.brick.mass": [1, 2]}, path="t.h5", force=True)


@pytest.mark.parametrize("kind", [CSV, TRAJECTORY], ids=lambda kind: kind.name)
def test_results_that_appear_meanwhile_are_kept(made, kind):
    """`force` was given for what was there before."""
    content = made(SWEEP, "b.h5")
    with pytest.raises(StorageError, match=r"saved as a-2\.h5"), published("a.h5", kind, force=True) as file:
        file.write(b"new")
        Path("b.h5").rename("a.h5")
    assert Path("a.h5").read_bytes() == content and Path("a-2.h5").read_bytes() == b"new"


@pytest.mark.parametrize("command", [("run", "scene.yaml", "-q"), ("export", "run.h5", "-q")], ids=lambda c: c[0])
@pytest.mark.parametrize("force", [(), ("--force",)])
def test_what_is_done_of_an_interrupted_sweep_is_kept(call, made, workplace, command, force):
    made(RUN, "run.h5")
    content, name = made(SWEEP, "sweep.h5"), "a.csv" if command[0] == "export" else "a.h5"
    temporary = temporary_path(workplace / name)
    Path("sweep.h5").rename(temporary)
    answer = call(*command, *force, "-o", name)
    assert (answer.code, answer.out) == (5, "")
    assert "has the runs of a sweep that was interrupted, which --resume continues" in answer.err
    assert temporary.read_bytes() == content
