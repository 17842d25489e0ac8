"""What a sweep will take, and the summary of a sweep."""

from __future__ import annotations

from pathlib import Path

from rigidsim.errors import SweepError
from rigidsim.report.sections import Report, Section
from rigidsim.report.wording import counted, size_text, span
from rigidsim.sweeps.contents import Contents
from rigidsim.sweeps.stored import Sweep, load_sweep

SHOWN_FAILURES = 5


def sweep_estimate(contents: Contents, runs: int, threads: int, seconds: float, code: dict[str, object]) -> Report:
    """What so many runs will take: seconds on these threads, with this code of the stepper."""
    plan, size = contents.plan, contents.size
    taken = f"about {span(seconds)} on {counted(threads, 'thread')}, {size_text(size)}"
    lines = [plan.describe(), *(f"note: {note}" for note in plan.notes), f"{counted(runs, 'run')}: {taken}"]
    about = {"plan": plan.describe(), "notes": list(plan.notes), "runs": runs, "threads": threads}
    found = {"estimated_seconds": seconds, "bytes": size, **code}
    return Report(Section(about | found, lines, [f"{code['code']} code: {code['why']}"] if code else ()))


class SweepReport(Report):
    """The summary of a sweep, of which some runs were computed now, in some seconds."""

    def __init__(self, path: Path, computed: int, seconds: float):
        with load_sweep(path) as found:
            if computed:
                found.trust()
            self._path, self._runs, self._failed = path, len(found), len(found.failed)
            self._failures = failures(found, SHOWN_FAILURES)
            content_hash = found.content_hash
        failed = f", {self._failed:,} failed" if self._failed else ""
        lines = [f"{path}: {self._runs:,} {'run' if self._runs == 1 else 'runs'}{failed}"]
        if computed:
            lines.append(f"  {computed:,} computed in {seconds:.3g} s, {computed / max(seconds, 1e-9):.3g} runs/s")
        counts = {"runs": self._runs, "computed": computed, "failed": self._failed, "failures": self._failures}
        super().__init__(
            Section({"path": str(path), **counts, "run_seconds": seconds, "content_hash": content_hash}, lines)
        )

    def require_success(self) -> None:
        """Raise SweepError if runs failed."""
        if self._failed:
            shown = "\n".join(f"  {failure}" for failure in self._failures)
            more = self._failed - len(self._failures)
            rest = f"\n  ... and {more:,} more; `rigidsim inspect {self._path}` counts them" if more else ""
            good = f"{self._path} has the results of the other {self._runs - self._failed:,}"
            raise SweepError(f"{self._failed:,} of {self._runs:,} runs failed; {good}\n{shown}{rest}")


def failures(sweep: Sweep, most: int) -> list[str]:
    """The first runs that failed, with their values and messages."""
    places = sweep.failed[:most].tolist()
    return [f"run {sweep.numbers[k]} ({sweep.values_text(k)}): {sweep.error_at(k)}" for k in places]
