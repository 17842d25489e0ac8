"""`rigidsim run`: simulate a scene, write the trajectory file, report."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rigidsim.errors import Interrupted, SimulationError, StorageError
from rigidsim.report.compiling import compiling, compiling_beside
from rigidsim.report.contact import chosen_contact, contact_lines
from rigidsim.report.contact_energy import ledger_warnings
from rigidsim.report.continuing import RunStart, opened_writer
from rigidsim.report.drift import Drift, DriftMeter, drift_of
from rigidsim.report.metrics import metric_lines, plain_metrics
from rigidsim.report.oracle import oracle_lines, plain_errors
from rigidsim.report.progress import Progress, Working
from rigidsim.report.signals import StopRequest
from rigidsim.report.states import StateTable
from rigidsim.report.strikes import ContactSummary
from rigidsim.report.wording import counted
from rigidsim.scene import Scene
from rigidsim.simulation.single import Simulation
from rigidsim.trajectory.chunks import DEFAULT
from rigidsim.trajectory.destination import IN_SHELL, check_output, check_space, is_unfinished
from rigidsim.trajectory.fields import Block
from rigidsim.trajectory.file_kinds import TRAJECTORY
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.trajectory.windows import FEW_BODIES, windows
from rigidsim.trajectory.writer import Writer

if TYPE_CHECKING:
    from rigidsim.hindsight.oracles import OracleError

SHOWN_BODIES = 12
CHECKPOINT_SECONDS = 10.0
CHECKPOINT_SHARE = 0.02
"""The largest share of the time of a run that checkpoints may take."""


@dataclass(frozen=True)
class RunReport:
    """The summary of a run."""

    path: Path
    status: str
    bodies: int
    samples: int
    steps: int
    simulated: float  # s
    compile_seconds: float
    run_seconds: float  # until the file was complete
    gear: dict[str, object]  # which of the two gears of the stepper was used, and why
    drift: list[Drift]
    contact_settings: Mapping[str, Any]
    content_hash: str
    last: StateTable  # at the end
    contact: ContactSummary | None = None  # if there were events of contact
    metrics: Mapping[str, float] = field(default_factory=dict)
    oracle: Sequence[OracleError] = ()
    scene_warnings: tuple[str, ...] = ()  # before the run
    warnings: tuple[str, ...] = ()  # about the result

    def __str__(self) -> str:
        return self._text(chosen_contact(self.contact_settings))

    def in_full(self) -> str:
        """The summary with the values of contact."""
        return self._text(contact_lines(self.contact_settings))

    def _text(self, contact: list[str]) -> str:
        speed = self.simulated / max(self.run_seconds, 1e-9)
        what = f"{counted(self.samples, 'sample')} of {counted(self.bodies, 'body', 'bodies')}"
        lines = [
            f"{self.path}: {self.status}, {what}, 0 to {self.simulated:g} s",
            f"  {self.steps} steps in {self.run_seconds:.3g} s, {speed:.3g} x real time"
            + (f"; compiled in {self.compile_seconds:.3g} s" if self.compile_seconds else ""),
            *(f"  {line}" for line in contact),
            *(f"  {drift}" for drift in self.drift),
            "",
            *self.last.summary(),
            *(["", *self.contact.lines()] if self.contact else []),
            *(["", *metric_lines(self.metrics)] if self.metrics else []),
            *(["", *oracle_lines(self.oracle)] if self.oracle else []),
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
            **self.gear,
            "drift": {drift.name: drift.as_dict() for drift in self.drift},
            "last": self.last.as_dict(),
            "contact_settings": dict(self.contact_settings),
            **({"contact": self.contact.as_dict()} if self.contact else {}),
            **({"metrics": plain_metrics(self.metrics)} if self.metrics else {}),
            **({"oracle": plain_errors(self.oracle)} if self.oracle else {}),
            "warnings": [*self.scene_warnings, *self.warnings],
            "content_hash": self.content_hash,
        }


def run_to_file(
    scene: Scene,
    path: Path,
    *,
    terms: bool,
    contacts: bool = False,
    compression: str = DEFAULT,
    force: bool,
    start: RunStart = RunStart.ANEW,
    quiet: bool,
    most: int | None = SHOWN_BODIES,
    show: Callable[[RunReport], None],
    warn: Callable[[tuple[str, ...]], None] = lambda _: None,
) -> RunReport:
    """Simulate a scene into a file. The file is valid however the run ends, and holds the samples up to then. `warn` is
    called before the run with warnings about its start. The report has the last state of at most `most` bodies. A run
    that does not start anew goes on with the one in the file, with the bits of an undisturbed one.

    Raises StorageError before the simulation if the file cannot be written, and during it if the disk is full; the file
    then holds the complete chunks written before. Raises SimulationError if the state becomes non-finite, Interrupted
    if a signal stopped the run, in both cases after the file was written and the report shown.
    """
    if start is RunStart.ANEW:
        check_output(path, TRAJECTORY, force, IN_SHELL, keeps_unfinished=False)
    with Working("building the model", quiet):
        simulation = Simulation(scene, terms=terms, contacts=contacts)
        overlaps = simulation.overlaps
    warn(overlaps)
    check_space(path, simulation.n_sample, len(simulation.header.paths), simulation.header.sample_bytes)
    with compiling(quiet) as watch:  # outside StopRequest, so that Ctrl-C stops it immediately
        opened = opened_writer(path, simulation, start, compression, force)
    with opened as writer, StopRequest(writer.discard) as stop:
        try:
            report, failure = _simulate_into(writer, simulation, stop, quiet, watch.seconds, most)
        except StorageError as error:
            raise _recovered(error, writer, simulation) from error
    report = _with_warnings(report if start is RunStart.ANEW else _of_whole_run(report))
    show(report)
    _raise_unless_complete(report, simulation, stop, failure)
    return report


def _raise_unless_complete(
    report: RunReport, simulation: Simulation, stop: StopRequest, failure: SimulationError | None
) -> None:
    saved = f"{report.path} holds the {counted(report.samples, 'sample')} up to then"
    if failure:
        raise SimulationError(f"{failure}\n{saved}")
    if simulation.status == "interrupted":
        total = simulation.n_step * simulation.scene.simulation.step
        reached = f"interrupted by {stop.name} at t = {simulation.time:g} of {total:g} s"
        raise Interrupted(f"{reached}; {saved}", stop.received)


def _recovered(error: StorageError, writer: Writer, simulation: Simulation) -> StorageError:
    """Save the chunks that were written before the error; the error with a message about them."""
    if writer.is_published:
        return error
    total = simulation.n_step * simulation.scene.simulation.step
    reached = f"{error}; the run had reached t = {simulation.time:g} of {total:g} s"
    recovered = writer.recover(reached, simulation.events)
    if recovered is None and is_unfinished(writer.path):
        return StorageError(f"{reached}; --resume goes on at the last checkpoint once there is space")
    if recovered is None:
        return StorageError(f"{reached}; nothing was saved, because there was no space for the first chunk of samples")
    saved = f"the first {counted(recovered.samples, 'sample')}, to t = {recovered.time:g} s"
    return StorageError(f"{reached}; {recovered.path}, status failed, holds {saved}")


class _Gathered:
    """What the report takes from the blocks of a run."""

    def __init__(self, simulation: Simulation):
        self._simulation = simulation
        self.samples = 0
        self.drift, self.oracle = DriftMeter(simulation.isolated_until), None
        if simulation.scene.oracle:
            from rigidsim.hindsight.oracles import OracleMeter

            self.oracle = OracleMeter(simulation.header)

    def add(self, block: Block) -> None:
        """Take what is needed from the next samples."""
        self.drift.isolated_until = self._simulation.isolated_until
        self.drift.add(block.time, block.ledger)
        self.samples += len(block.time)
        if self.oracle:
            self.oracle.add(Trajectory.from_blocks(self._simulation.header, [block]))


class _Checkpoints:
    """Makes checkpoints now and then, so seldom that they take a small share of the time of the run."""

    def __init__(self, writer: Writer, simulation: Simulation):
        self._writer, self._simulation = writer, simulation
        self._next = time.monotonic() + CHECKPOINT_SECONDS

    def after(self, block: Block) -> None:
        """Make a checkpoint if it is time for one; but not after the last state, which is no sample of the grid."""
        begin, simulation = time.monotonic(), self._simulation
        if begin >= self._next and block.time[-1] < simulation.time:
            self._writer.commit(simulation.events, simulation.metrics, simulation.contact_ledger)
            end = time.monotonic()
            self._next = end + max(CHECKPOINT_SECONDS, (end - begin) / CHECKPOINT_SHARE)


def _of_whole_run(report: RunReport) -> RunReport:
    """The report of a run that went on, with what the samples before say."""
    from rigidsim.hindsight.oracles import errors
    from rigidsim.trajectory.reader import load

    with load(report.path) as trajectory:
        drift = drift_of(trajectory, windows(trajectory, FEW_BODIES))
        return replace(report, samples=len(trajectory.time), drift=drift, oracle=errors(trajectory))


def _simulate_into(
    writer: Writer, simulation: Simulation, stop: StopRequest, quiet: bool, compile_seconds: float, most: int | None
) -> tuple[RunReport, SimulationError | None]:
    """Write all samples and finish the file; the report, and the failure if there was one."""
    failure, gathered = None, _Gathered(simulation)
    progress = Progress(simulation.n_step, simulation.scene.simulation.step, quiet)

    def is_stopped(n: int) -> bool:
        progress.update(n)
        return bool(stop.received)

    begin, checkpoints = time.perf_counter(), _Checkpoints(writer, simulation)
    with compiling_beside(progress) as watch:
        try:
            for block in simulation.blocks(is_stopped, CHECKPOINT_SECONDS):
                writer.append(block)
                gathered.add(block)
                checkpoints.after(block)
        except SimulationError as error:
            failure = error
        finally:
            progress.clear()
    with Working(f"completing {writer.path}", quiet):
        writer.finish(
            simulation.status, str(failure or ""), simulation.events, simulation.metrics, simulation.contact_ledger
        )
        run_seconds = time.perf_counter() - begin - watch.seconds
        return _report(writer, simulation, gathered, (compile_seconds + watch.seconds, run_seconds), most), failure


def _report(
    writer: Writer, simulation: Simulation, gathered: _Gathered, seconds: tuple[float, float], most: int | None
) -> RunReport:
    """The report of a run whose file is complete; `seconds` are those of compiling and of all else."""
    ledger = simulation.contact_ledger
    return RunReport(
        path=writer.path,
        status=simulation.status,
        bodies=len(simulation.header.paths),
        samples=gathered.samples,
        steps=simulation.n,
        simulated=simulation.time,
        compile_seconds=seconds[0],
        run_seconds=seconds[1],
        gear=simulation.gear,
        drift=gathered.drift.results(),
        contact_settings=simulation.header.contact_settings,
        content_hash=writer.content_hash,
        last=StateTable.of(simulation.state, most=most),
        contact=ContactSummary.of(simulation.events.contact, ledger=ledger),
        metrics=simulation.metrics,
        oracle=gathered.oracle.results() if gathered.oracle else (),
        scene_warnings=(*simulation.scene.warnings, *simulation.overlaps),
        warnings=(*simulation.warnings, *ledger_warnings(ledger, simulation.scene.simulation.step)),
    )


def _with_warnings(report: RunReport) -> RunReport:
    """The report with warnings about drift; the file is read only if there is any."""
    if all(drift.exceeds is None for drift in report.drift):
        return report
    # Imported here to keep runs without drift fast.
    from rigidsim.report.cause import drift_warnings, without_allowed
    from rigidsim.trajectory.reader import load

    with load(report.path) as trajectory:
        drift = without_allowed(trajectory, report.drift)
        return replace(report, drift=drift, warnings=(*report.warnings, *drift_warnings(trajectory, drift)))
