"""Running a scene into a trajectory file, which is whole however the run ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from rigidsim.errors import Interrupted, SimulationError, StorageError, UsageError
from rigidsim.jit.kernels import is_interpreted
from rigidsim.report.contact import ledger_warnings, momentum_warnings
from rigidsim.report.drift import DriftMeter, drift_of
from rigidsim.report.run import RunReport
from rigidsim.report.wording import counted
from rigidsim.runner.compiling import compiling, compiling_beside
from rigidsim.runner.continuing import RunStart, is_anything_kept, opened_writer
from rigidsim.runner.progress import Progress, Working, write_line
from rigidsim.runner.signals import StopRequest
from rigidsim.scene import Scene
from rigidsim.simulation.single import Simulation
from rigidsim.trajectory.chunks import DEFAULT
from rigidsim.trajectory.derivatives import Derivative
from rigidsim.trajectory.destination import IN_SHELL, TRAJECTORY, check_output, check_space, is_unfinished
from rigidsim.trajectory.fields import Block
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.trajectory.writer import Writer

SHOWN_BODIES = 12
LESS = "record fewer samples with --record-every, or less of each with simulation.record"
FIRST_CHECKPOINT_SECONDS = 1.0
CHECKPOINT_SECONDS = 10.0
CHECKPOINT_SHARE = 0.02
"""The largest share of the time of a run that checkpoints after the first may take."""


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
    derivatives: Sequence[str] = (),
    show: Callable[[RunReport], None],
    warn: Callable[[tuple[str, ...]], None] = lambda _: None,
) -> RunReport:
    """Simulate a scene into a file. The file is valid however the run ends, and holds the samples up to then. `warn` is
    called before the run with warnings about its start. The report has the last state of at most `most` bodies. A run
    that does not start anew goes on with the one in the file, with the bits of an undisturbed one; one that is resumed
    where nothing was kept starts anew, and says so. A complete run has the `derivatives` with respect to these numbers
    of the scene, and to the uncertain ones.

    Raises StorageError before the simulation if the file cannot be written, and during it if the disk is full; the file
    then holds the complete chunks written before. Raises SimulationError if the state becomes non-finite, Interrupted
    if a signal stopped the run, in both cases after the file was written and the report shown.
    """
    is_in_vain = start is RunStart.RESUMED and not is_anything_kept(path)
    start = RunStart.ANEW if is_in_vain else start
    if start is RunStart.ANEW:
        check_output(path, TRAJECTORY, force, IN_SHELL, keeps_unfinished=False)
    if is_in_vain and not quiet:
        write_line(f"{path}: nothing was kept of an earlier run; this one begins from the start")
    with Working("building the model", quiet):
        simulations = _simulations(scene, derivatives, start, terms=terms, contacts=contacts)
        simulation = simulations[0]
        overlaps = simulation.overlaps
    warn(overlaps)
    samples, header = simulation.n_sample, simulation.header
    kinds = sum(len(getattr(one, "parameters", ())) for one in simulations)
    what = f"{samples} samples of {len(header.paths)} bodies need"
    check_space(path, what, samples * header.sample_bytes * (1 + kinds), LESS)
    with compiling(quiet) as watch:  # outside StopRequest, so that Ctrl-C stops it immediately
        opened = opened_writer(path, simulation, start, compression, force)
    with opened as writer, StopRequest(writer.discard) as stop:
        try:
            gathered, seconds, failure, rates = _simulate_into(writer, simulations, stop, quiet)
        except StorageError as error:
            raise _recovered(error, writer, simulation) from error
    spent: dict[str, Any] = {"compile_seconds": watch.seconds + seconds[0], "run_seconds": seconds[1], "most": most}
    found = _found(simulation, path, gathered, start)
    report = RunReport(simulation, path, writer.content_hash, derivatives=rates, **found, **spent)
    show(report)
    _raise_unless_complete(report, simulation, stop, failure)
    return report


def _simulations(scene: Scene, derivatives: Sequence[str], start: RunStart, **recorded: Any) -> Sequence[Simulation]:
    """The simulation of a scene; with derivatives as many as these need, of which the first makes the samples."""
    if derivatives and start is not RunStart.ANEW:
        raise UsageError("--derivatives are those of a run from its start; leave out --resume and --extend")
    if start is RunStart.ANEW and not is_interpreted() and not (scene.underivable and not derivatives):
        derivatives = [*dict.fromkeys([*derivatives, *scene.uncertain])]
    if not derivatives:
        return [Simulation(scene, **recorded)]
    from rigidsim.sensitivities.simulation import differentiating

    return differentiating(scene, derivatives, **recorded)


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
        self.drift, self.oracle = DriftMeter(simulation.isolated_until), []
        if simulation.scene.oracle:
            from rigidsim.analysis.oracles import comparisons

            self.oracle = comparisons(simulation.header)

    def add(self, block: Block) -> None:
        """Take what is needed from the next samples."""
        self.drift.isolated_until = self._simulation.isolated_until
        self.drift.add(block)
        self.samples += len(block.time)
        if self.oracle:
            part = Trajectory.from_blocks(self._simulation.header, [block])
            for comparison in self.oracle:
                comparison.add(part)


class _Checkpoints:
    """Makes a checkpoint soon, and then now and then, so seldom that they take a small share of the time of the run."""

    def __init__(self, writer: Writer, simulation: Simulation):
        self._writer, self._simulation = writer, simulation
        self._next = time.monotonic() + FIRST_CHECKPOINT_SECONDS

    def after(self, block: Block) -> None:
        """Make a checkpoint if it is time for one; but not after the last state, which is no sample of the grid."""
        begin, simulation = time.monotonic(), self._simulation
        if begin >= self._next and block.time[-1] < simulation.time:
            self._writer.commit(simulation.events, simulation.metrics, simulation.contact_ledger)
            end = time.monotonic()
            self._next = end + max(CHECKPOINT_SECONDS, (end - begin) / CHECKPOINT_SHARE)


def _simulate_into(
    writer: Writer, simulations: Sequence[Simulation], stop: StopRequest, quiet: bool
) -> tuple[_Gathered, tuple[float, float], SimulationError | None, Mapping[str, Derivative]]:
    """Write all samples and finish the file; the seconds of compiling and of all else, the failure if there was one,
    and the derivatives.
    """
    simulation, failure = simulations[0], None
    gathered = _Gathered(simulation)
    progress = Progress(simulation.n_step, simulation.scene.simulation.step, quiet)

    def is_stopped(n: int) -> bool:
        progress.update(n)
        return bool(stop.received)

    begin, checkpoints = time.perf_counter(), _Checkpoints(writer, simulation)
    with compiling_beside(progress) as watch:
        try:
            for block in simulation.blocks(is_stopped, FIRST_CHECKPOINT_SECONDS):
                writer.append(block)
                gathered.add(block)
                checkpoints.after(block)
        except SimulationError as error:
            failure = error
        finally:
            progress.clear()
    with Working(f"completing {writer.path}", quiet):
        derivatives = _derivatives_of(simulations) if simulation.status == "complete" else {}
        rest = simulation.events, simulation.metrics, simulation.contact_ledger, derivatives
        writer.finish(simulation.status, str(failure or ""), *rest)
    return gathered, (watch.seconds, time.perf_counter() - begin - watch.seconds), failure, derivatives


def _derivatives_of(simulations: Sequence[Simulation]) -> Mapping[str, Derivative]:
    """The derivatives that complete simulations give, by parameter; others are run first."""
    if not hasattr(simulations[0], "derivatives"):
        return {}
    from rigidsim.sensitivities.simulation import finished

    return finished(cast(Any, simulations))


def _without_deviations(simulation: Simulation, start: RunStart) -> list[str]:
    """What is said of a run that lacks derivatives: those that were asked for, or those of an uncertain scene."""
    if hasattr(simulation, "derivatives") and simulation.status != "complete":
        return [f"a run that is {simulation.status} has no derivatives; a complete run from its start has them"]
    if not simulation.scene.uncertain or hasattr(simulation, "derivatives"):
        return []
    run, hint = "an interpreted run", "leave out RIGIDSIM_JIT=off"
    if what := simulation.scene.underivable:
        run, hint = f"a run with {what}", "`rigidsim sweep --sample` samples the uncertain numbers"
    if start is not RunStart.ANEW:
        run, hint = f"a run that is {start.value}", "run it from its start to get them"
    return [f"{run} has no derivatives, so its metrics have no standard deviations; {hint}"]


def _found(simulation: Simulation, path: Path, gathered: _Gathered, start: RunStart) -> dict[str, Any]:
    """Samples, drift, errors with respect to the oracle, and warnings of the whole run. The file is read only if the
    energy drifts, or if the run went on: then with what the samples before say.
    """
    drift, oracle = gathered.drift.result(), [comparison.result() for comparison in gathered.oracle]
    ledger, step = simulation.contact_ledger, simulation.scene.simulation.step
    warnings = [*simulation.warnings, *ledger_warnings(ledger, step), *momentum_warnings(ledger, drift, step)]
    warnings += _without_deviations(simulation, start)
    found = {"samples": gathered.samples, "drift": drift, "oracle": oracle, "warnings": warnings}
    if start is RunStart.ANEW and all(one.exceeds is None for one in drift):
        return found
    # Imported here to keep runs without drift fast.
    from rigidsim.analysis.oracles import errors
    from rigidsim.report.cause import drift_warnings, without_allowed
    from rigidsim.trajectory.reader import load

    with load(path) as trajectory:
        if start is not RunStart.ANEW:
            drift = drift_of(trajectory)
            found |= {"samples": len(trajectory.time), "oracle": errors(trajectory)}
        drift = without_allowed(trajectory, drift)
        return found | {"drift": drift, "warnings": [*warnings, *drift_warnings(trajectory, drift)]}
