"""A run from a scene to a file, as a person follows it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from rigidsim._jit import compilation_notice, watch_compilation
from rigidsim.errors import Interrupted, SimulationError, StorageError
from rigidsim.report.drift import Drift, DriftMeter
from rigidsim.report.progress import Progress, say
from rigidsim.report.signals import StopRequest
from rigidsim.report.states import States
from rigidsim.report.wording import counted
from rigidsim.scene import Scene
from rigidsim.simulation.single import Simulation
from rigidsim.trajectory.destination import IN_SHELL, check_output, check_space
from rigidsim.trajectory.writer import Writer

SHOWN_BODIES = 12


@dataclass(frozen=True)
class RunReport:
    """What a run did."""

    path: Path
    status: str
    bodies: int
    samples: int
    steps: int
    simulated: float  # s
    compile_seconds: float
    run_seconds: float
    drift: list[Drift]
    content_hash: str
    last: States  # the motion at the end
    noted: tuple[str, ...] = ()  # warnings about the scene, before the run
    warnings: tuple[str, ...] = ()  # about what came of it

    def __str__(self) -> str:
        speed = self.simulated / max(self.run_seconds, 1e-9)
        what = f"{counted(self.samples, 'sample')} of {counted(self.bodies, 'body', 'bodies')}"
        lines = [
            f"{self.path}: {self.status}, {what}, 0 to {self.simulated:g} s",
            f"  {self.steps} steps in {self.run_seconds:.3g} s, {speed:.3g} x real time"
            + (f"; compiled in {self.compile_seconds:.3g} s" if self.compile_seconds else ""),
            *(f"  {drift}" for drift in self.drift),
            "",
            *self.last.summary(SHOWN_BODIES),
        ]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, object]:
        """Plain data, for `--json`."""
        return {
            "schema_version": 1,
            "path": str(self.path),
            "status": self.status,
            "bodies": self.bodies,
            "samples": self.samples,
            "steps": self.steps,
            "simulated_seconds": self.simulated,
            "compile_seconds": self.compile_seconds,
            "run_seconds": self.run_seconds,
            "drift": {drift.name: drift.as_dict() for drift in self.drift},
            "last": self.last.as_dict(),
            "warnings": [*self.noted, *self.warnings],
            "content_hash": self.content_hash,
        }


def announce() -> None:
    """Said as a compilation begins."""
    say(compilation_notice())


def unannounced() -> None:
    """Instead, for a quiet run."""


def run_to_file(
    scene: Scene, path: Path, *, terms: bool, force: bool, quiet: bool, show: Callable[[RunReport], None]
) -> RunReport:
    """Simulate, write, report. The file is whole whatever happens, and holds the samples so far.

    Raises StorageError before anything is computed if the file cannot be written, and later if the disk fills; then
    the file has the whole chunks that fitted. Raises SimulationError if the motion blows up, Interrupted if a signal
    stopped the run; in these two cases after the file was written and the report shown.
    """
    check_output(path, force, IN_SHELL)
    simulation = Simulation(scene, terms=terms)
    check_space(path, simulation.n_sample, len(simulation.header.paths), terms)
    with watch_compilation(unannounced if quiet else announce) as compiling:
        simulation.prepare()  # outside StopRequest: Ctrl-C ends it at once
    with (
        Writer(path, simulation.header, simulation.n_sample, force=force, advice=IN_SHELL) as writer,
        StopRequest(writer.discard) as stop,
    ):
        try:
            report, failure = _simulate_into(writer, simulation, stop, quiet, compiling.seconds)
        except StorageError as error:
            raise _with_what_is_left(error, writer, simulation) from error
    report = _judged(report)
    show(report)
    kept = f"{path} holds the {counted(report.samples, 'sample')} up to then"
    if failure:
        raise SimulationError(f"{failure}\n{kept}")
    if simulation.status == "interrupted":
        total = simulation.n_step * scene.simulation.step
        reached = f"interrupted by {stop.name} at t = {simulation.time:g} of {total:g} s"
        raise Interrupted(f"{reached}; {kept}", stop.received)
    return report


def _with_what_is_left(error: StorageError, writer: Writer, simulation: Simulation) -> StorageError:
    """Keep what was written before the disk was full, and say what that is."""
    if writer.is_published:
        return error
    total = simulation.n_step * simulation.scene.simulation.step
    reached = f"{error}; the run had reached t = {simulation.time:g} of {total:g} s"
    kept = writer.rescue(reached, simulation.events)
    if kept is None:
        return StorageError(f"{reached}; nothing is kept, as not even the first chunk of samples fitted")
    samples = counted(kept.samples, "sample")
    return StorageError(f"{reached}; {kept.path}, status failed, holds the first {samples}, to t = {kept.time:g} s")


def _simulate_into(
    writer: Writer, simulation: Simulation, stop: StopRequest, quiet: bool, compile_seconds: float
) -> tuple[RunReport, SimulationError | None]:
    """Write all samples and finish the file; what was done, and why it failed if it did."""
    failure, meter, samples = None, DriftMeter(simulation.isolated_until), 0
    progress = Progress(simulation.n_step, simulation.scene.simulation.step, quiet)

    def watch(n: int) -> bool:
        progress.update(n)
        return bool(stop.received)

    begin = time.perf_counter()
    with watch_compilation(unannounced if quiet else announce) as compiling:
        try:
            for block in simulation.blocks(watch):
                writer.append(block)
                meter.isolated_until = simulation.isolated_until
                meter.add(block.time, block.ledger)
                samples += len(block.time)
        except SimulationError as error:
            failure = error
        finally:
            progress.clear()
    run_seconds = time.perf_counter() - begin - compiling.seconds
    writer.finish(simulation.status, str(failure or ""), simulation.events)
    report = RunReport(
        path=writer.path,
        status=simulation.status,
        bodies=len(simulation.header.paths),
        samples=samples,
        steps=simulation.n,
        simulated=simulation.time,
        compile_seconds=compile_seconds + compiling.seconds,
        run_seconds=run_seconds,
        drift=meter.results(),
        content_hash=writer.content_hash,
        last=States.of(simulation.state),
        noted=simulation.scene.warnings,
        warnings=simulation.warnings,
    )
    return report, failure


def _judged(report: RunReport) -> RunReport:
    """The report with warnings about what came of the run; the file is read for them only if there are any."""
    if all(drift.exceeds is None for drift in report.drift):
        return report
    # Only here, so that a run without drift does not wait for what reads a file and looks for causes.
    from rigidsim.report.cause import drift_warnings, judged
    from rigidsim.trajectory.reader import load

    with load(report.path) as trajectory:
        drift = judged(trajectory, report.drift)
        return replace(report, drift=drift, warnings=(*report.warnings, *drift_warnings(trajectory, drift)))
