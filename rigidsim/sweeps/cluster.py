"""Running the variants of a scene on the workers of a Dask cluster.

A worker computes a batch, some consecutive portions of the result file, as `Execution` does on one machine, and returns
its portions; this process alone writes the file. dask.distributed is imported only here.
"""

from __future__ import annotations

import logging
import pickle
import re
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rigidsim.errors import SceneError, StorageError, UsageError
from rigidsim.jit.kernels import watch_compilation
from rigidsim.sweeps.contents import COMPLETE, Contents, Portion
from rigidsim.sweeps.execution import MOST_BATCH, Execution, Watch, consecutive, unwatched
from rigidsim.sweeps.layouts import Known
from rigidsim.sweeps.results import SweepWriter
from rigidsim.trajectory.provenance import provenance

if TYPE_CHECKING:
    from distributed import Client, Future

BATCH_BYTES = 16e6
BATCH_SECONDS = 2.0
"""What a batch should take: long against the cost of a task, short against what is lost with a worker."""
BATCHES_PER_THREAD = 2  # one is computed, one waits on the worker
CONNECT_SECONDS, MOST_SILENCE = 10.0, 30.0
WATCH_SECONDS = 0.1
COMPARED = ("rigidsim", "llvmlite")
LOOPBACK = "127.0.0.1"
IGNORE_INTERRUPT = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
"""For workers on this machine, which a terminal interrupts together with this process: it ends them."""

NOT_STARTED = (
    'is it short of memory? a script that asks for them must do so below `if __name__ == "__main__":`, since each of '
    "them imports it; threads need neither"
)


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """The cluster of the scheduler at an address, `tcp://host:8786`, or for `local:4` one of four workers on this
    machine, which ends with the context.

    Raises UsageError for anything else and if dask.distributed is missing, StorageError if the scheduler cannot be
    reached or has no workers, or if those on this machine do not start.
    """
    count = _local_workers(address)
    try:
        from distributed import Client, LocalCluster
        from distributed.utils import silence_logging_cmgr
    except ImportError:
        raise UsageError('--dask needs dask.distributed: pip install "rigidsim[cluster]"') from None
    with silence_logging_cmgr(logging.CRITICAL):
        if count:
            try:
                local = LocalCluster(
                    n_workers=count, threads_per_worker=1, host=LOOPBACK, dashboard_address=f"{LOOPBACK}:0",
                    preload=[IGNORE_INTERRUPT], silence_logs=logging.CRITICAL,
                )  # fmt: skip
            except Exception as error:  # what was raised in a worker is raised here, whatever it was
                failed = f"--dask {address}: the workers on this machine did not start ({_first_cause(error)})"
                raise StorageError(f"{failed}; {NOT_STARTED}") from error
            with local, Client(local, timeout=CONNECT_SECONDS) as client:
                yield Cluster(client, address)
            return
        try:
            client = Client(address, timeout=CONNECT_SECONDS)
        except (OSError, ValueError):
            raise StorageError(f"no Dask scheduler answers at {address} within {CONNECT_SECONDS:.0f} s") from None
        with client:
            yield Cluster(client, address)


def _first_cause(error: BaseException) -> str:
    """In one line, what the errors of Dask, one raised from the other, began with."""
    while error.__cause__ is not None:
        error = error.__cause__
    return " ".join(str(error).split()) or type(error).__name__


def _local_workers(address: str) -> int:
    """The number of workers on this machine; 0 for the address of a scheduler."""
    found = re.fullmatch(r"local:(\d{1,4})|(tcp|tls)://.+:\d+", address)
    if not found or (found[1] and not int(found[1])):
        raise UsageError(f"--dask takes the address of a scheduler (tcp://host:8786) or local:4, got '{address}'")
    return int(found[1] or 0)


class Cluster:
    """A connection to a scheduler."""

    def __init__(self, client: Client, address: str):
        self.client, self.address = client, address
        with suppress(TimeoutError):
            client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        self.threads = self.present_threads()
        if not self.threads:
            raise StorageError(f"the Dask scheduler at {address} has no workers; start some: dask worker {address}")

    def present_threads(self) -> int:
        """The number of threads of all workers now. Raises StorageError if the scheduler does not answer."""
        try:
            return sum(self.client.nthreads().values())
        except (OSError, RuntimeError, TypeError) as error:
            raise StorageError(f"the connection to the Dask scheduler at {self.address} is lost") from error

    def execution(self, contents: Contents, writer: SweepWriter) -> ClusterExecution:
        """The execution of what is missing in a result file, on this cluster."""
        return ClusterExecution(self, contents, writer)


class ClusterExecution:
    """The runs of a sweep that are missing in a result file, as `Execution`, computed by workers."""

    def __init__(self, cluster: Cluster, contents: Contents, writer: SweepWriter):
        self._cluster, self._contents, self._writer = cluster, contents, writer
        self._missing = writer.missing
        self._begin = 0  # of those that no batch has yet
        self._most = contents.most_portions(MOST_BATCH, BATCH_BYTES)
        self._count = 1  # portions of the next batch
        self._under_way: dict[Future, list[int]] = {}
        self._threads, self._last_seen = cluster.threads, time.monotonic()
        self.done = self.failed = 0

    def run(self, watch: Watch = unwatched) -> bool:
        """Compute and commit all portions that are missing; false if `watch` ended it before.

        Raises StorageError if the cluster is lost or a worker cannot do the work.
        """
        try:
            while self._begin < len(self._missing) or self._under_way:
                self._submit()
                for future in self._finished():
                    self._commit(future)
                if watch(self.done, self.failed):
                    break
                self._look_after_workers()
        finally:
            with suppress(Exception):  # the connection may be lost
                self._cluster.client.cancel([*self._under_way])
        return not self._writer.missing

    def _submit(self) -> None:
        """Have a few batches under way for each thread, however many there are."""
        while len(self._under_way) < BATCHES_PER_THREAD * self._threads and self._begin < len(self._missing):
            portions = self._next_portions()
            ahead = len(self._missing) * self._contents.portion // self._threads
            batch = packed(self._contents, portions)
            task = self._cluster.client.submit(compute, _compared(), batch, ahead, pure=False)
            self._under_way[task] = portions

    def _next_portions(self) -> list[int]:
        """Consecutive portions, fewer towards the end, so that all workers end at about the same time."""
        left = len(self._missing) - self._begin
        share = -(-left // (BATCHES_PER_THREAD * max(1, self._threads)))
        portions = consecutive(self._missing, self._begin, min(self._count, share))
        self._begin += len(portions)
        return portions

    def _finished(self) -> list[Future]:
        """The batches that are done, after waiting for some."""
        from distributed import CancelledError, wait

        if not self._under_way:
            time.sleep(WATCH_SECONDS)
            return []
        try:
            return list(wait([*self._under_way], WATCH_SECONDS, "FIRST_COMPLETED").done)
        except TimeoutError:
            return []
        except CancelledError:  # all of them, with the connection
            raise self._lost() from None

    def _commit(self, future: Future) -> None:
        """Write the portions of a batch."""
        from distributed import CancelledError, KilledWorker

        portions = self._under_way.pop(future)
        try:
            result = future.result()
        except KilledWorker:
            runs = self._contents.portion_runs(portions[0], portions[-1])
            lost = f"runs {runs.start} to {runs.stop - 1} were lost with several workers in turn"
            raise StorageError(f"{lost}; is there too little memory?") from None
        except ImportError as error:
            raise StorageError(f"a worker of the cluster at {self._cluster.address} cannot run it: {error}") from None
        except CancelledError:
            raise self._lost() from None
        for portion in result.portions:
            self._writer.commit(portion)
            self.done += len(portion.status)
            self.failed += int(np.count_nonzero(portion.status != COMPLETE))
        wished = int(len(portions) * BATCH_SECONDS / max(result.seconds, 1e-3))
        self._count = max(1, min(wished, 2 * self._count, self._most))

    def _look_after_workers(self) -> None:
        """Workers may come and go. Raises StorageError if there have been none for some time."""
        self._threads = self._cluster.present_threads()
        if self._threads:
            self._last_seen = time.monotonic()
        elif time.monotonic() - self._last_seen > MOST_SILENCE:
            raise StorageError(f"the Dask scheduler at {self._cluster.address} has lost all its workers")

    def _lost(self) -> StorageError:
        return StorageError(f"the connection to the Dask scheduler at {self._cluster.address} is lost")


# --- on a worker


class Result(NamedTuple):
    """The portions of a batch, and the time that it took."""

    portions: list[Portion]
    seconds: float


class _Collected:
    """What `Execution` needs of a writer: the portions of a batch that are missing, and a place for their results."""

    keeps_portions = True

    def __init__(self, missing: list[int]):
        self.missing = missing
        self.portions: list[Any] = []
        self.commit = self.portions.append


def packed(contents: Contents, portions: list[int]) -> bytes:
    """All that a worker needs to compute consecutive portions."""
    plan, runs = contents.plan, contents.runs[contents.portion_runs(portions[0], portions[-1])]
    known = Known(plan.units, plan.values(runs), runs, plan.seed, plan.digest, plan.sample, plan.describe())
    return pickle.dumps((replace(contents, plan=known), portions, contents.identity["scene"]))


def compute(versions: Mapping[str, str], batch: bytes, ahead: int = 0) -> Result:
    """Compute a batch, in the process of a worker, which will compute about `ahead` runs of the sweep.

    Raises StorageError if this worker has other versions than the sender, or reads other files.
    """
    for name, version in _compared().items():
        if version != versions[name]:
            have = f"{name} {version}, but the sweep was started with {name} {versions[name]}"
            raise StorageError(f"the worker on {socket.gethostname()} has {have}; install the same version")
    contents, portions = _unpacked(batch)
    begin, collected = time.perf_counter(), _Collected(portions)
    with watch_compilation(lambda _: None):  # the command announces it
        Execution(contents, collected, 1, ahead=ahead).run()
    return Result(collected.portions, time.perf_counter() - begin)


def _compared() -> dict[str, str]:
    return {name: provenance()[name] for name in COMPARED}


def _unpacked(batch: bytes) -> tuple[Contents, list[int]]:
    """A scene may name files, which are read again here."""
    try:
        contents, portions, sent = pickle.loads(batch)
        reason = "" if contents.identity["scene"] == sent else "their content differs"
    except SceneError as error:
        reason = error.problems[0].message
    if reason:
        where = f"the worker on {socket.gethostname()} does not read the files that the scene names"
        raise StorageError(f"{where}: {reason}; start workers in the same folder, with the same files")
    return contents, portions
