"""Running a sweep into a result file; what is done is kept however it ends."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rigidsim.errors import Interrupted, StorageError
from rigidsim.report.sections import Report
from rigidsim.report.sweep import SweepReport, sweep_estimate
from rigidsim.runner.compiling import compiling, compiling_beside
from rigidsim.runner.progress import ProgressLine
from rigidsim.runner.signals import StopRequest
from rigidsim.sweeps.assembly import assemble_sweep
from rigidsim.sweeps.cluster import Cluster, ClusterExecution
from rigidsim.sweeps.contents import COMPLETE, Contents
from rigidsim.sweeps.estimate import estimated_seconds
from rigidsim.sweeps.execution import Execution
from rigidsim.sweeps.results import SweepWriter, finished, reopen
from rigidsim.sweeps.unfinished import done_of, require_idle
from rigidsim.trajectory.destination import IN_SHELL, SWEEP, check_output, check_space


def estimated(contents: Contents, runs: int, threads: int, quiet: bool = False) -> Report:
    """What so many runs of a sweep will take, measured on the first ones."""
    with compiling(quiet):
        seconds, code = estimated_seconds(contents, runs, threads)
    return sweep_estimate(contents, runs, threads, seconds, code)


def check_sweep_output(path: Path, contents: Contents, force: bool, resume: bool) -> int:
    """The number of runs that are done already. Raises StorageError if the sweep cannot be written to this path."""
    require_idle(path, IN_SHELL)
    done = 0 if force else done_of(path)
    if resume and not done and finished(path, contents):
        return len(contents.runs)
    if not (resume and done):
        check_output(path, SWEEP, force, IN_SHELL, keeps_unfinished=False)
        check_space(path, f"{path} needs", contents.size, "record less, or run it in parts")
    return done


def sweep_to_file(
    contents: Contents,
    path: Path,
    *,
    threads: int,
    cluster: Cluster | None,
    force: bool,
    resume: bool,
    retry: bool,
    quiet: bool,
    command: str,
) -> SweepReport:
    """Run what is missing of a sweep into a file, on a cluster or on threads; `command` is the one that continues it.

    Raises StorageError if the file cannot be written, Interrupted if a signal stopped the sweep; what is done is kept.
    """
    if resume and not done_of(path) and finished(path, contents) and not (retry and reopen(path)):
        return SweepReport(path, 0, 0.0)
    begin = time.perf_counter()
    with SweepWriter(path, contents, force=force, resume=resume, hints=IN_SHELL) as writer:
        if retry:
            writer.forget(np.flatnonzero(writer.status > COMPLETE))
        before = int(np.count_nonzero(writer.status))
        execution = cluster.execution(contents, writer) if cluster else Execution(contents, writer, threads)
        computed = _execute(execution, contents, writer, before, quiet, command)
        writer.finish()
    return SweepReport(path, computed, time.perf_counter() - begin)


def _execute(
    execution: Execution | ClusterExecution,
    contents: Contents,
    writer: SweepWriter,
    before: int,
    quiet: bool,
    command: str,
) -> int:
    total = len(contents.runs)
    progress = ProgressLine(max(1, total - before), quiet)

    def described(done: int, failed: int, spent: float) -> str:
        rate = f"{before + done:,} of {total:,} runs  {done / spent:.3g} runs/s"
        return f"{rate}  {failed:,} failed" if failed else rate

    with StopRequest() as stop, compiling_beside(progress):

        def watch(done: int, failed: int) -> bool:
            progress.report(done, lambda spent: described(done, failed, spent))
            return bool(stop.received)

        try:
            is_complete = execution.run(watch)
        except StorageError as error:
            kept = writer.kept
            if not kept:
                raise
            raise StorageError(f"{error}; {kept:,} of {total:,} runs are kept, continue with: {command}") from error
        finally:
            progress.clear()
    if not is_complete:
        kept = writer.kept
        reached = f"interrupted by {stop.name} after {kept:,} of {total:,} runs"
        raise Interrupted(
            f"{reached}; continue with: {command}" if kept else f"{reached}; nothing is kept", stop.received
        )
    return execution.done


def assemble_to_file(parts: Sequence[str], path: str, force: bool) -> SweepReport:
    """Join the parts of a sweep. Raises what `assemble_sweep` does."""
    begin = time.perf_counter()
    assemble_sweep(parts, path, force=force, hints=IN_SHELL).close()
    return SweepReport(Path(path), 0, time.perf_counter() - begin)
