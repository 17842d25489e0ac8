"""Sweeps on a Dask cluster: a real scheduler and workers, as processes on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from importlib.metadata import version
from types import ModuleType

import pytest

import tops
from rigidsim.errors import StorageError, UsageError
from rigidsim.sweeps.cluster import compute, connected, packed
from rigidsim.sweeps.execution import Execution
from rigidsim.sweeps.unfinished import done_of
from tops import run

pytest.importorskip("distributed")
TOP = tops.TOP.replace("0.01, record_every: 0.1", "0.05") + tops.METRIC
RUNS = 512
INTERPRETED = os.environ | {"RIGIDSIM_JIT": "off"}  # so slow that a batch can be lost half way


def contents(**vary):
    over = {"spin": "normal(30 rpm, 5 rpm)", "pull": "uniform(0.1, 0.4)"}
    plan = {"vary": vary} if vary else {"sample": f"random:{RUNS}", "over": over}
    return tops.contents(TOP, "0.1", **plan)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return run(tmp_path_factory.mktemp("undisturbed") / "a.h5", contents())


class Processes:
    """A scheduler and its workers."""

    def __init__(self, folder):
        self._folder, self.workers = folder, []
        self.scheduler = self._start("scheduler", "--port", "0")
        while not (written := self._written()):
            assert self.scheduler.poll() is None
            time.sleep(0.02)
        self.address = json.loads(written)["address"]

    def _written(self) -> str:
        """What the scheduler wrote into its file, when it is complete."""
        file = self._folder / "scheduler.json"
        text = file.read_text() if file.exists() else ""
        return text if text.rstrip().endswith("}") else ""

    def add_worker(self) -> None:
        self.workers.append(self._start("worker", "--no-nanny", "--nthreads", "1"))

    def have_workers(self, count: int) -> None:
        """So many, of those that are there and new ones."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        while len(self.workers) > count:
            self.kill_worker()
        while len(self.workers) < count:
            self.add_worker()

    def kill_worker(self) -> None:
        worker = self.workers.pop(0)
        worker.kill()
        worker.wait()

    def _start(self, kind: str, *options: str) -> subprocess.Popen:
        command = [sys.executable, "-m", "dask", kind, *options, "--host", "127.0.0.1"]
        command += ["--dashboard-address", "127.0.0.1:0", "--scheduler-file", str(self._folder / "scheduler.json")]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(command, cwd=self._folder, env=INTERPRETED, **quiet)

    def end(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def running():
    """The processes of all tests, as a list of none or one."""
    found = []
    yield found
    for one in found:
        one.end()


@pytest.fixture
def processes(running, tmp_path_factory):
    """A scheduler that runs, with the workers that the tests before left."""
    if running and running[0].scheduler.poll() is not None:
        running.pop().end()
    if not running:
        running.append(Processes(tmp_path_factory.mktemp("cluster")))
    return running[0]


def test_scheduler_without_workers(monkeypatch, processes):
    processes.have_workers(0)
    monkeypatch.setattr("rigidsim.sweeps.cluster.CONNECT_SECONDS", 1.0)
    with pytest.raises(StorageError, match="has no workers; start some: dask worker tcp://"):  # noqa: SIM117
        with connected(processes.address):
            pass


@pytest.mark.slow
@pytest.mark.parametrize("count", [pytest.param(1, marks=pytest.mark.slow), 2, pytest.param(3, marks=pytest.mark.slow)])
def test_bits_depend_neither_on_workers_nor_on_their_end(tmp_path, processes, undisturbed, count):
    processes.have_workers(count)

    def kill_one(done: int, _failed: int) -> bool:
        if RUNS / 4 < done < RUNS and not killed:
            processes.kill_worker()
            killed.append(done)
            if count == 1:
                processes.add_worker()
        return False

    killed = []
    with connected(processes.address) as cluster:
        assert run(tmp_path / "a.h5", contents(), cluster.execution, kill_one) == undisturbed
    assert len(killed) == 1


def test_watch_ends_the_sweep_and_few_batches_are_under_way(tmp_path, processes):
    processes.have_workers(1)
    path = tmp_path / "a.h5"
    with connected(processes.address) as cluster:
        most = []

        def execution_of(what, writer):
            execution = cluster.execution(what, writer)
            most.append(lambda: len(execution._under_way))
            return execution

        def watch(done: int, _failed: int) -> bool:
            assert most[0]() <= 2
            return done > 0

        assert run(path, contents(), execution_of, watch) == ""
    assert 0 < done_of(path) < RUNS


def test_what_is_done_is_kept_when_the_scheduler_ends(tmp_path, processes, undisturbed):
    processes.have_workers(1)
    path, what = tmp_path / "a.h5", contents()

    def end_scheduler(done: int, _failed: int) -> bool:
        if done:
            processes.scheduler.kill()
        return False

    with pytest.raises(StorageError, match=r"the connection to the Dask scheduler at tcp.* is lost"):  # noqa: SIM117
        with connected(processes.address) as cluster:
            run(path, what, cluster.execution, end_scheduler)
    assert 0 < done_of(path) < RUNS
    assert run(path, what) == undisturbed


def batch(what):
    """The portions of all runs, computed as by a worker in this process."""
    versions = {"rigidsim": what.identity["version"], "llvmlite": version("llvmlite")}
    return compute(versions, packed(what, [*range(what.portions)]))


def test_failed_and_invalid_runs_have_the_same_messages(tmp_path):
    what = contents(**{"bodies.top.mass": [1, -1, 2], "pull": [1, 80]})
    run(tmp_path / "a.h5", what, collecting := Collecting())
    (portion,) = batch(what).portions
    assert portion.status.tolist() == collecting.portions[0].status.tolist() == [1, 2, 3, 3, 1, 2]
    assert dict(portion.errors) == dict(collecting.portions[0].errors) and len(portion.errors) == 4


class Collecting:
    """Keeps the portions that an execution on this machine commits."""

    def __call__(self, what, writer):
        commit, self.portions = writer.commit, []
        writer.commit = lambda portion: (self.portions.append(portion), commit(portion))
        return Execution(what, writer, 1)


def test_other_versions_are_one_error():
    versions = {"rigidsim": contents().identity["version"], "llvmlite": "0.1"}
    with pytest.raises(StorageError, match=r"has llvmlite .*, but the sweep was started with llvmlite 0\.1"):
        compute(versions, b"not even read")


@pytest.mark.parametrize("address", ["", "local:0", "local:x", "localhost", "http://a:1", "tcp://a"])
def test_other_addresses_are_refused(address):
    with pytest.raises(UsageError, match="takes the address of a scheduler"), connected(address):
        pass


def test_missing_package_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r'pip install "rigidsim\[cluster\]"'), connected("local:1"):
        pass


def test_scheduler_out_of_reach(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("rigidsim.sweeps.cluster.CONNECT_SECONDS", 0.2)
    with pytest.raises(StorageError, match="no Dask scheduler answers at"), connected("tcp://127.0.0.1:9"):
        pass


@pytest.mark.slow
def test_workers_on_this_machine_are_reachable_from_it_only(tmp_path, undisturbed):
    pytest.importorskip("distributed")
    from psutil import Process

    def addresses() -> set[str]:
        processes = [Process(), *Process().children(recursive=True)]
        ports = [port for process in processes for port in process.net_connections() if port.status == "LISTEN"]
        return {port.laddr.ip for port in ports}

    with connected("local:2") as cluster:
        assert addresses() == {"127.0.0.1"}
        assert run(tmp_path / "a.h5", contents(), cluster.execution) == undisturbed


@pytest.mark.parametrize(
    ("at_start", "cause"),
    [
        ("raise OSError(12, 'Cannot allocate memory')", r"\[Errno 12\] Cannot allocate memory"),
        ("import os; os._exit(1)", "Nanny failed to start worker process"),
    ],
)
def test_workers_on_this_machine_that_do_not_start_are_one_error(monkeypatch, at_start, cause):
    """They raise, or end without a word."""
    monkeypatch.setattr("rigidsim.sweeps.cluster.IGNORE_INTERRUPT", at_start)
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))  # workers would import the script of the tests
    expected = rf"--dask local:1: the workers on this machine did not start \({cause}\); is it short of memory\?"
    with pytest.raises(StorageError, match=expected), connected("local:1"):
        pass
