"""A sweep that is interrupted, killed or damaged half way continues, and the result is that of an undisturbed one."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import rigidsim
import tops
from rigidsim.errors import FormatError, StorageError, UsageError
from rigidsim.simulation.single import Simulation
from rigidsim.sweeps.execution import Execution
from rigidsim.sweeps.results import SweepWriter
from rigidsim.sweeps.stored import load_sweep
from rigidsim.sweeps.unfinished import done_of, errors_path
from rigidsim.trajectory.destination import temporary_path
from rigidsim.trajectory.spool import Spool
from rigidsim.trajectory.writer import Writer
from tops import swept

RUNS = 2000  # batches have 64, 512, 4096, ... runs, and a sweep that is stopped in one of them finishes the next
TOP = tops.TOP.replace("0.01, record_every: 0.1", "0.02")
WXYZ_BYTES = 4 * 8  # of the one body of a run, of which the last sample is recorded
VARY = {"spin": "0 rpm:60 rpm:75", "pull": [0.5, 80, *[0.2] * 8]}  # a tenth of them fails


def contents(**given):
    return tops.contents(**({"text": TOP, "vary": {"spin": f"0 rpm:60 rpm:{RUNS}"}} | given))


def run(path, what, most: int | None = None, resume: bool = True) -> str:
    """Run what is missing, up to about `most` runs."""
    return tops.run(path, what, watch=lambda done, _: most is not None and done >= most, resume=resume)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    path = tmp_path_factory.mktemp("undisturbed") / "a.h5"
    return run(path, contents())


def test_stopped_sweep_continues(tmp_path, undisturbed):
    path, what = tmp_path / "a.h5", contents()
    assert run(path, what, most=1) == ""
    assert not path.exists() and 0 < done_of(path) < RUNS
    done = done_of(path)
    with SweepWriter(path, what, force=False, resume=True) as writer:
        again = Execution(what, writer, 1)
        again.run()
        assert again.done == RUNS - done
        assert writer.finish() == undisturbed
    assert {file.name for file in tmp_path.iterdir()} == {"a.h5"}


def test_damaged_and_torn_portions_are_computed_again(tmp_path, undisturbed):
    path, what = tmp_path / "a.h5", contents()
    run(path, what, most=1)
    with SweepWriter(path, what, force=False, resume=True) as writer:
        place, portion = writer._places["world/orientation"], what.portion
        first = int(np.flatnonzero(writer.status)[0])  # which portion is done first depends on the threads
    with temporary_path(path).open("r+b") as file:
        file.seek(place + first * WXYZ_BYTES + 8)
        file.write(b"torn")
    before = done_of(path)
    with SweepWriter(path, what, force=False, resume=True) as writer:
        assert np.count_nonzero(writer.status) == before - portion
        assert first // portion in writer.missing
    assert run(path, what) == undisturbed


def test_errors_survive_an_interruption(tmp_path):
    what = contents(vary=VARY)
    expected = run(tmp_path / "a.h5", what)
    assert run(tmp_path / "b.h5", what, most=1) == ""
    with errors_path(tmp_path / "b.h5").open("a") as file:
        file.write('[3, "half a li')
    assert run(tmp_path / "b.h5", what) == expected
    with load_sweep(tmp_path / "a.h5") as a, load_sweep(tmp_path / "b.h5") as b:
        assert a.runs["error"].tolist() == b.runs["error"].tolist()
        status = a.runs["status"].reshape(75, 10)
        assert set(status[:, 1]) == {"failed"} and set(np.delete(status, 1, axis=1).ravel()) == {"complete"}
        b.verify()


@pytest.mark.parametrize("record", ["final", "metrics", "0.1"])
def test_what_is_done_can_be_read(tmp_path, record):
    path, text = tmp_path / "a.h5", TOP + tops.METRIC
    vary = {"spin": "0 rpm:60 rpm:50", "pull": [0.1, 80, *[0.2] * 28]}
    run(path, contents(text=text, vary=vary, record=record), most=1)
    with swept(tmp_path / "b.h5", text, record, vary) as whole:
        for found in (path, temporary_path(path)):
            with load_sweep(found) as sweep:
                done = sweep.runs["status"] != "missing"
                assert 0 < np.count_nonzero(done) < len(sweep) == 1500
                for name in ("status", "error", "end_time"):
                    assert np.array_equal(sweep.runs[name][done], whole.runs[name][done])
                assert np.isnan(sweep.runs["end_time"][~done]).all() and set(sweep.runs["error"][~done]) == {""}
                for name in sweep.datasets:
                    assert np.array_equal(sweep.array(name)[done], whole.array(name)[done], equal_nan=True)
                    assert np.isnan(sweep.array(name)[~done]).all() and np.isnan(sweep.last(name)[~done]).all()
                assert np.isnan(sweep.metrics["fastest"][~done]).all()
                assert np.array_equal(sweep.metrics["fastest"][done], whole.metrics["fastest"][done], equal_nan=True)
                sweep.verify()
                assert sweep.content_hash == "" and len(sweep.failed) == np.count_nonzero(
                    done & (sweep.runs["pull"] == 80)
                )
                if record != "metrics":
                    with pytest.raises(UsageError, match="run 1499 is not done yet; resume=True or --resume"):
                        sweep[1499]


def test_a_sweep_under_way_can_be_read(tmp_path):
    path, what, seen = tmp_path / "a.h5", contents(), []

    def watch(done, failed):
        if 0 < done < RUNS:
            with load_sweep(path) as sweep:
                sweep.verify()
                seen.append((done, np.count_nonzero(sweep.runs["status"] == "complete")))
        return False

    tops.run(path, what, watch=watch)
    assert seen[0][1] < RUNS
    assert all(done <= count for done, count in seen)  # threads go on while it is read, perhaps to the end


class Killed(BaseException):
    """In place of the end of the process."""


def ended_at(number: int, monkeypatch) -> None:
    """From now on, the process ends in the middle of that write, or before that renaming or removing of a file."""
    acts = []

    def counted(act, half=lambda *given: given):
        def acting(*given, **options):
            acts.append(act)
            if len(acts) == number:
                if half(*given) != given:
                    act(*half(*given))
                raise Killed
            return act(*given, **options) if len(acts) < number else None

        return acting

    write = counted(Spool._write_all, lambda spool, begin, content: (spool, begin, content[: len(content) // 2]))
    monkeypatch.setattr(Spool, "_write_all", write)
    for module, name in ((os, "replace"), (os, "link"), (Path, "unlink")):
        monkeypatch.setattr(module, name, counted(getattr(module, name)))


@pytest.mark.parametrize("number", [*range(1, 20, 3), 100])
def test_a_kill_while_the_file_is_completed_loses_nothing(tmp_path, monkeypatch, number):
    path, what = tmp_path / "a.h5", contents(vary={"pull": [0.1, 80, 0.2, 0.3]})
    expected, was_killed = run(tmp_path / "b.h5", what), False
    try:
        with SweepWriter(path, what, force=False, resume=False) as writer:
            Execution(what, writer, 1).run()
            with monkeypatch.context() as patched:
                ended_at(number, patched)
                writer.finish()
    except Killed:
        was_killed = True
    assert was_killed == (number < 100)
    sweep = rigidsim.sweep(what.scene, vary={"pull": [0.1, 80, 0.2, 0.3]}, record="final", path=path, resume=True)
    with sweep:
        assert sweep.content_hash == expected
        sweep.verify()
        assert sweep.runs["error"][1] and sweep.runs["status"][1] == "failed"
    assert {file.name for file in tmp_path.iterdir()} == {"a.h5", "b.h5"}


def test_a_killed_run_is_not_lost_to_a_sweep_by_mistake(tmp_path):
    path, simulation = tmp_path / "a.h5", Simulation(rigidsim.Scene.from_text(TOP))
    with Writer(path, simulation.header, simulation.n_sample) as writer:
        writer.append(next(simulation.blocks(every=0.0)))
        writer.commit(simulation.events)
    left = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    for resume in (False, True):
        with pytest.raises(StorageError, match="there are samples of a run that was interrupted"):
            run(path, contents(), resume=resume)
    assert left == {file.name: file.read_bytes() for file in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"text": TOP.replace("mass: 2", "mass: 3")}, "the scene has changed"),
        ({"vary": {"spin": f"0 rpm:61 rpm:{RUNS}"}}, "the plan has changed"),
        ({"record": "0.1"}, "what was recorded .* has changed"),
    ],
)
def test_another_sweep_does_not_continue(tmp_path, other, message):
    path = tmp_path / "a.h5"
    run(path, contents(), most=1)
    done = done_of(path)
    with pytest.raises(StorageError, match=message):
        run(path, contents(**other))
    with pytest.raises(StorageError, match=r"was interrupted after .* of 2,000 runs; resume=True continues"):
        run(path, contents(), resume=False)
    assert done_of(path) == done


def test_damage_of_a_complete_file_is_found(tmp_path):
    path, what = tmp_path / "a.h5", contents()
    run(path, what)
    with load_sweep(path) as sweep:
        sweep.verify()
        place = sweep._file["world/position"].id.get_offset()
    with path.open("r+b") as file:
        file.seek(place + 24 * 100)
        file.write(b"!")
    with load_sweep(path) as sweep:
        sweep[0]
        with pytest.raises(FormatError, match="runs 64 to 127 do not match their digest"):
            sweep[100]
        with pytest.raises(FormatError, match="damaged"):
            sweep.verify()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL")
@pytest.mark.parametrize("kills", [2, pytest.param(8, marks=pytest.mark.slow)])
def test_killed_sweep_continues(tmp_path, undisturbed, kills):
    (tmp_path / "scene.yaml").write_text(TOP)
    path = tmp_path / "a.h5"
    command = [sys.executable, "-m", "rigidsim", "sweep", "scene.yaml", "-o", "a.h5", "-q", "--threads", "2"]
    command += ["--vary", f"spin=0 rpm:60 rpm:{RUNS}"]
    environment = os.environ | {"RIGIDSIM_JIT": "off"}  # slow enough to be killed half way
    chosen = random.Random(7)
    for kill in range(kills):
        done = done_of(path)
        more = ["--resume"] if kill else []
        process = subprocess.Popen([*command, *more], cwd=tmp_path, env=environment, stderr=subprocess.PIPE)
        while process.poll() is None and done_of(path) <= done:
            time.sleep(0.02)
        time.sleep(chosen.uniform(0, 0.3))
        process.kill()
        process.communicate()
    if not path.exists():
        run(path, contents())
    with load_sweep(path) as sweep:
        assert sweep.content_hash == undisturbed
