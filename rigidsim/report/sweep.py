"""`rigidsim sweep`: run a plan into a file, report."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rigidsim.errors import Interrupted, StorageError, SweepError
from rigidsim.report.compiling import compiling, compiling_beside
from rigidsim.report.progress import ProgressLine, clock
from rigidsim.report.signals import StopRequest
from rigidsim.report.wording import counted
from rigidsim.sweeps.assembly import assemble_sweep
from rigidsim.sweeps.cluster import Cluster, ClusterExecution
from rigidsim.sweeps.contents import COMPLETE, Contents
from rigidsim.sweeps.estimate import estimated_seconds
from rigidsim.sweeps.execution import Execution
from rigidsim.sweeps.results import SweepWriter, finished, reopen
from rigidsim.sweeps.stored import load_sweep
from rigidsim.sweeps.unfinished import done_of, require_idle
from rigidsim.trajectory.destination import IN_SHELL, check_output, check_room
from rigidsim.trajectory.file_kinds import SWEEP

SHOWN_FAILURES = 5


@dataclass(frozen=True)
class SweepEstimate:
    """What a sweep will take."""

    text: str  # the plan
    notes: tuple[str, ...]
    runs: int
    threads: int
    seconds: float
    size: int  # bytes
    gear: dict[str, object]  # of the stepper, and why

    @classmethod
    def of(cls, contents: Contents, runs: int, threads: int, quiet: bool = False) -> SweepEstimate:
        """Measured on the first runs."""
        plan = contents.plan
        with compiling(quiet):
            seconds, gear = estimated_seconds(contents, runs, threads)
        return cls(plan.describe(), plan.notes, runs, threads, seconds, contents.size, gear)

    def __str__(self) -> str:
        on = counted(self.threads, "thread")
        lines = [self.text, *(f"note: {note}" for note in self.notes)]
        return "\n".join(
            [*lines, f"{counted(self.runs, 'run')}: about {span(self.seconds)} on {on}, {megabytes(self.size)}"]
        )

    def in_full(self) -> str:
        """The same with the gear of the stepper."""
        return f"{self}\ngear {self.gear['gear']}: {self.gear['why']}" if self.gear else str(self)

    def as_dict(self) -> dict[str, object]:
        """Plain data, for `--json`."""
        return {
            "schema_version": 1,
            "plan": self.text,
            "notes": list(self.notes),
            "runs": self.runs,
            "threads": self.threads,
            "estimated_seconds": self.seconds,
            "bytes": self.size,
            **self.gear,
        }


@dataclass(frozen=True)
class SweepReport:
    """The summary of a sweep."""

    path: Path
    runs: int
    computed: int  # now, not before
    seconds: float
    failures: tuple[str, ...]  # the first ones
    failed: int
    content_hash: str

    def __str__(self) -> str:
        failed = f", {self.failed:,} failed" if self.failed else ""
        title = f"{self.path}: {self.runs:,} {'run' if self.runs == 1 else 'runs'}{failed}"
        if not self.computed:
            return title
        rate = self.computed / max(self.seconds, 1e-9)
        return f"{title}\n  {self.computed:,} computed in {self.seconds:.3g} s, {rate:.3g} runs/s"

    def as_dict(self) -> dict[str, object]:
        """Plain data, for `--json`."""
        return {
            "schema_version": 1,
            "path": str(self.path),
            "runs": self.runs,
            "computed": self.computed,
            "failed": self.failed,
            "failures": list(self.failures),
            "run_seconds": self.seconds,
            "content_hash": self.content_hash,
        }

    def require_success(self) -> None:
        """Raise SweepError if runs failed."""
        if self.failed:
            shown = "\n".join(f"  {failure}" for failure in self.failures)
            more = self.failed - len(self.failures)
            rest = f"\n  ... and {more:,} more; `rigidsim inspect {self.path}` counts them" if more else ""
            good = self.runs - self.failed
            message = f"{self.failed:,} of {self.runs:,} runs failed; {self.path} has the results of the other {good:,}"
            raise SweepError(f"{message}\n{shown}{rest}")


def check_sweep_output(path: Path, contents: Contents, force: bool, resume: bool) -> int:
    """The number of runs that are done already. Raises StorageError if the sweep cannot be written to this path."""
    require_idle(path, IN_SHELL)
    done = 0 if force else done_of(path)
    if resume and not done and finished(path, contents):
        return len(contents.runs)
    if not (resume and done):
        check_output(path, SWEEP, force, IN_SHELL)
        check_room(path, contents.size)
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
        return _report(path, 0, 0.0)
    begin = time.perf_counter()
    with SweepWriter(path, contents, force=force, resume=resume, hints=IN_SHELL) as writer:
        if retry:
            writer.forget(np.flatnonzero(writer.status > COMPLETE))
        before = int(np.count_nonzero(writer.status))
        execution = cluster.execution(contents, writer) if cluster else Execution(contents, writer, threads)
        computed = _execute(execution, contents, writer, before, quiet, command)
        writer.finish()
    return _report(path, computed, time.perf_counter() - begin)


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


def _report(path: Path, computed: int, seconds: float) -> SweepReport:
    with load_sweep(path) as found:
        if computed:
            found.trust()
        failed, failures = found.failed, []
        for place in failed[:SHOWN_FAILURES].tolist():
            failures.append(f"run {found.numbers[place]} ({found.values_text(place)}): {found.error_at(place)}")
        return SweepReport(path, len(found), computed, seconds, tuple(failures), len(failed), found.content_hash)


def assemble_to_file(parts: Sequence[str], path: str, force: bool) -> SweepReport:
    """Join the parts of a sweep. Raises what `assemble_sweep` does."""
    begin = time.perf_counter()
    assemble_sweep(parts, path, force=force, hints=IN_SHELL).close()
    return _report(Path(path), 0, time.perf_counter() - begin)


def span(seconds: float) -> str:
    """A length of time: seconds, or hours, minutes and seconds."""
    return f"{seconds:.2g} s" if seconds < 60 else clock(seconds)


def megabytes(size: float) -> str:
    """A size in bytes."""
    return f"{size / 1e6:.3g} MB" if size < 1e9 else f"{size / 1e9:.3g} GB"
