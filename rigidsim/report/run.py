"""The summary of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from rigidsim.report.contact import ContactSummary, chosen_contact, contact_lines
from rigidsim.report.drift import Drift
from rigidsim.report.growth import growth_section
from rigidsim.report.metrics import metric_sigmas, outcome
from rigidsim.report.sections import Report, Section
from rigidsim.report.states import StateTable
from rigidsim.report.wording import counted
from rigidsim.simulation.single import Simulation
from rigidsim.trajectory.derivatives import Derivative

if TYPE_CHECKING:
    from rigidsim.analysis.oracles import OracleError


def _predictability(derivatives: Mapping[str, Derivative]) -> Section:
    if not derivatives:
        return Section()
    from rigidsim.sensitivities.spread import predictability  # most runs have no derivatives

    return growth_section(predictability(derivatives.values()))


class RunReport(Report):
    """The summary of a run whose trajectory file is complete."""

    def __init__(
        self,
        simulation: Simulation,
        path: Path,
        content_hash: str,
        *,
        samples: int,
        drift: Sequence[Drift],
        oracle: Sequence[OracleError],
        warnings: Sequence[str],
        compile_seconds: float,
        run_seconds: float,
        most: int | None,
        derivatives: Mapping[str, Derivative] = MappingProxyType({}),
    ):
        """`run_seconds` (s) are those until the file was complete, without compiling, `warnings` about the result; of
        at most `most` bodies the last state is shown.
        """
        self.path, self.samples, self.warnings = path, samples, tuple(warnings)
        self.compile_seconds, self.run_seconds = compile_seconds, run_seconds
        sigmas = metric_sigmas(derivatives)
        settings, last = simulation.header.contact_settings, StateTable(simulation.state, most=most)
        contact = ContactSummary(simulation.events.contact, ledger=simulation.contact_ledger)
        before = (*simulation.scene.warnings, *simulation.overlaps)
        data = {
            **simulation.code,
            "contact_settings": dict(settings),
            "drift": {one.name: one for one in drift},
            "last": last,
            "warnings": [*before, *self.warnings],
            "content_hash": content_hash,
        }
        modes, pairs = chosen_contact(settings), contact_lines(settings)
        super().__init__(
            self._title(simulation),
            Section(data, [f"  {line}" for line in modes], [f"  {line}" for line in pairs[len(modes) :]], joins=True),
            Section(lines=[f"  {one}" for one in drift], joins=True),
            _predictability(derivatives),
            Section(lines=last.lines()),
            *outcome(contact, simulation.metrics, simulation.header.metric_units, oracle, sigmas=sigmas),
        )

    def _title(self, simulation: Simulation) -> Section:
        """The file, and how fast it was made."""
        bodies, time = len(simulation.header.paths), simulation.time
        what = f"{counted(self.samples, 'sample')} of {counted(bodies, 'body', 'bodies')}"
        speed = time / max(self.run_seconds, 1e-9)
        compiled = f"; compiled in {self.compile_seconds:.3g} s" if self.compile_seconds else ""
        own = simulation.step_counts
        steps = simulation.n if own is None else own.taken
        lines = [
            f"{self.path}: {simulation.status}, {what}, 0 to {time:g} s",
            f"  {steps} steps in {self.run_seconds:.3g} s, {speed:.3g} x real time{compiled}",
        ]
        counts = {"bodies": bodies, "samples": self.samples, "steps": steps, "simulated_seconds": time}
        if own is not None:
            where = f"; the shortest {own.shortest:.3g} s at t = {own.shortest_at:.6g} s" if own.shortest else ""
            lines.append(f"  {own.rejected} rejected{where}")
            counts |= {"rejected": own.rejected, "shortest_step": own.shortest, "shortest_step_at": own.shortest_at}
        seconds = {"compile_seconds": self.compile_seconds, "run_seconds": self.run_seconds}
        return Section({"path": str(self.path), "status": simulation.status, **counts, **seconds}, lines)
