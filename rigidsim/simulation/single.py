"""`Simulation`: one scene, run step by step or in blocks of samples."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from rigidsim.arguments import function, number, refuse, whole_number
from rigidsim.blueprints import build_world
from rigidsim.containers.optional import not_none
from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.contact.arrays import LANES
from rigidsim.engine.contact.run import ContactRun
from rigidsim.engine.loads.callbacks import Callback
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import Model, Samples
from rigidsim.engine.model.contact_layout import FASTEST_SPUN, FIRST_SPUN
from rigidsim.engine.sensing.controllers import INPUT
from rigidsim.engine.time.run import NO_SAMPLES, BlockRun
from rigidsim.errors import SimulationError, UsageError
from rigidsim.scene import Scene, as_scene
from rigidsim.simulation.blocks import Watch
from rigidsim.simulation.events import event_columns, ledger_of, point_columns, scheduled_ids
from rigidsim.simulation.failures import (
    half_turns,
    left_steps,
    motion_fault,
    noted_fault,
    silent_triggers,
    spun_bodies,
    start_fault,
    sunk_shapes,
)
from rigidsim.simulation.header import changes_of, header_of, sample_count, sample_times
from rigidsim.simulation.locks import BUSY, TAKEN, held
from rigidsim.simulation.overlaps import overlap_warnings
from rigidsim.simulation.readings import reading_columns
from rigidsim.simulation.spare import spare_runs
from rigidsim.trajectory.chunks import chunk_rows
from rigidsim.trajectory.contact_ledger import ContactLedger
from rigidsim.trajectory.contact_points import ContactPoints
from rigidsim.trajectory.events import Events, in_order
from rigidsim.trajectory.fields import Block, sample_bytes
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.recorded import possible_fields
from rigidsim.trajectory.trajectory import State


def unwatched(_n: int) -> bool:
    """A watch that never stops the run."""
    return False


def checked(callbacks: Mapping[str, Callback] | None) -> Mapping[str, Callback]:
    """The callbacks; UsageError unless they are a mapping of paths to functions."""
    callbacks = {} if callbacks is None else callbacks
    if not isinstance(callbacks, Mapping) or not all(map(callable, callbacks.values())):
        refuse("callbacks", "a mapping of paths of free bodies to functions", callbacks)
    return callbacks


class StepCounts(NamedTuple):
    """Steps of an integrator that chooses them: taken, rejected; the length of the shortest one and when it began, s (0
    if there is none), without those that an edge of a phase or the end of the run cut short, and first guesses.
    """

    taken: int
    rejected: int
    shortest: float
    shortest_at: float


class Simulation:
    """A run of a scene, or of the scene in a file: `step(n)` advances it, `state` is its present state. With `terms`,
    samples contain the terms of each acceleration, with `contacts` all points where shapes touch, in addition to what
    `simulation.record` of the scene selects. The state always has everything.

    `callbacks` are functions by the path of a free body. Each is called in every evaluation with the time (s) and a
    mapping of paths to motions in the world (`position`, `orientation`, `velocity`, `angular_velocity`). It returns a
    force (N) at the body's centre of mass and a torque (N m), world axes. Callbacks are slow: the stepper runs as
    Python code, about 0.2 ms per body-step; an expression in the scene does the same at full speed.

    `status` is "running" until `blocks` has finished; then "complete" or "interrupted". After a failure it is "failed":
    the state remains the last finite one, and every further step raises the same error. Several threads may step it one
    after the other; a call while another thread is stepping raises UsageError.
    """

    def __init__(
        self,
        scene: Scene | str | Path,
        *,
        terms: bool = False,
        contacts: bool = False,
        callbacks: Mapping[str, Callback] | None = None,
    ):
        callbacks = checked(callbacks)
        self.scene = as_scene(scene)
        method = self.scene.simulation.integrator
        if callbacks and not method.takes_callbacks:
            raise UsageError(
                f"callbacks: {method.name} needs the equations of all forces, and functions of Python have none;"
                " use rkmk4 or adaptive"
            )
        world = build_world(self.scene)
        self.blueprint, self._start = world.blueprint, world
        self._header = header_of(self.scene, world, terms, bool(callbacks), contacts)
        self.status = "running"
        contact = ContactRun(self._header.with_contacts, 1 if callbacks else LANES)
        self._run = self._made_run(world, self._header.with_terms, callbacks, True, contact)
        self._turn = Lock()  # held while stepping, from the first step of a call to the last
        self._kernel = Lock()  # held while the state is changed or read
        self._error: Exception | None = None
        self._before: Mapping[str, np.ndarray] = {}  # events before this run was resumed
        self._kinetic = 0.0  # the largest kinetic energy of all samples, J
        self._first: tuple = ()  # the place before the first step, of a run that begins again

    def _made_run(self, world: World, with_terms: bool, callbacks: Mapping[str, Callback], *options: Any) -> BlockRun:
        """The run of the world; one that has ended begins again."""
        self._kind: tuple = with_terms, self._header.with_contacts
        spare = None if callbacks else spare_runs.take(self._kind, world)
        return spare or BlockRun([world], 1, with_terms, callbacks, *options)

    def _give_back(self) -> None:
        """Let the run of another simulation use the arrays of this one, which is at its end and not used any more."""
        spare_runs.give(self._kind, self._run)

    def __repr__(self) -> str:
        return f"<Simulation of {self.scene!r} at step {self.n} of {self.n_step}, t = {self.time:g} s, {self.status}>"

    @property
    def header(self) -> Header:
        """The header of the history up to now: joints that have broken, and triggers, have changed the tree."""
        more = [change for change in self._run.changes if self._run.schedule.is_untimed(change)]
        return replace(self._header, changes=changes_of(self._start, more)) if more else self._header

    @property
    def n(self) -> int:
        """Number of steps done."""
        return self._run.n

    @property
    def time(self) -> float:
        """Time reached, s."""
        return self._run.time

    @property
    def step_counts(self) -> StepCounts | None:
        """The steps taken up to now, if the integrator chooses them."""
        with held(self._kernel, BUSY):
            row = self._run.steps
            if row is None:
                return None
            return StepCounts(int(row.taken), int(row.rejected), float(row.shortest), float(row.shortest_at))

    @property
    def code(self) -> dict[str, object]:
        """Whether the stepper uses general or specialised code, and why."""
        return self._run.specialised.as_dict()

    @property
    def is_over(self) -> bool:
        """Whether a trigger has ended the run before its duration."""
        return self._run.is_over

    @property
    def is_off_grid(self) -> bool:
        """Whether a trigger has ended the run between two samples."""
        return self._run.is_off_grid

    @property
    def n_step(self) -> int:
        """Number of steps of the whole run."""
        return self.blueprint.n_step

    @property
    def n_sample(self) -> int:
        """Number of samples of the whole run."""
        return sample_count(self.blueprint)

    @property
    def sample_bytes(self) -> int:
        """Bytes of one sample as the stepper writes it, uncompressed."""
        return sample_bytes(len(self._header.paths), self._header.with_terms)

    @property
    def events(self) -> Events:
        """The impulses and reparentings up to the present time, with their effects, and the events of contact."""
        return Events(self.header, in_order([self._before, event_columns(self._run)]))

    def resume(self, checkpoint: Mapping[str, np.ndarray], events: Events) -> None:
        """Continue, before the first step, from the checkpoint of a block of the same scene.

        Parameters
        ----------
        checkpoint : mapping of names to arrays
            That of the block.
        events : Events
            Those up to then.
        """
        with held(self._kernel, BUSY):
            self._run.resume(checkpoint)
            self._kinetic = float(checkpoint["largest.kinetic"])
            self._before = {name: np.asarray(column) for name, column in events.columns.items()}

    @property
    def contacts(self) -> ContactPoints:
        """The points where shapes touch now. A copy: it does not change with later steps."""
        with held(self._kernel, BUSY):
            points = point_columns([self._run.touching()], 0, 1)
            return ContactPoints(self.header, self.time, points)

    @property
    def isolated_until(self) -> float:
        """The time (s) until which momenta were conserved: inf if they are up to now, -inf if they never were."""
        return self._run.isolated_until if self._header.isolated else -math.inf

    @property
    def contact_ledger(self) -> ContactLedger | None:
        """What contact did with the energy up to now, by cause; None if nothing can touch."""
        arrays = self._run.contacts.arrays
        if arrays is None:
            return None
        with held(self._kernel, BUSY):
            kinetic = float(self._run.present().ledger[0, layout.LEDGER.kinetic])
            return ledger_of(arrays.ledger, max(self._kinetic, kinetic))

    @property
    def metrics(self) -> dict[str, float]:
        """The metrics of the scene by their names, over the samples up to now and the present state."""
        if not self._header.metrics:
            return {}
        with held(self._kernel, BUSY):
            values = self._run.metrics()
        return dict(zip(self._header.metrics, values[:, 0].tolist(), strict=True))

    @cached_property
    def overlaps(self) -> tuple[str, ...]:
        """Warnings about shapes that overlap at t = 0, the deepest first."""
        return overlap_warnings(self._start)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the run up to the present time."""
        run = self._run
        return (
            *half_turns(run), *spun_bodies(run, FIRST_SPUN, FASTEST_SPUN), *sunk_shapes(run), *left_steps(run),
            *silent_triggers(run),
        )  # fmt: skip

    @property
    def state(self) -> State:
        """All bodies now. A copy: it does not change with later steps."""
        with held(self._kernel, BUSY):
            block = self._observed(self._run.observed())
        header = replace(self.header, recorded=None)  # the state has everything
        fields = possible_fields(False, False, False, header.joints, header.loops)  # terms and contact are of steps
        return State(header, float(block.time[0]), {f.name: f.of(block)[0] for f in fields})

    @property
    def inputs(self) -> dict[str, tuple[float, float]]:
        """The controllers of the type `input`, by name, with the least and the greatest number that each may give."""
        with self._alone(), self._computing():
            self._prepare()
            return self._run.sensing.inputs if self._run.sensing else {}

    def _restart(self, model: Model, state: np.ndarray) -> None:
        """Begin again as another world of the structure, of a scene that changes no tree and no number meanwhile.
        The first restart comes before the first step.
        """
        with held(self._turn, TAKEN), self._kernel:
            self._first = self._first or self._run.place()
            self._run.restart(self._first, model, state)
            self.status, self._error, self._before, self._kinetic = "running", None, {}, 0.0

    def set_input(self, name: str, value: float) -> None:
        """Set the number that a controller of the type `input` gives, from the present time on.

        Parameters
        ----------
        name : str
            The name of the controller.
        value : float
            The number; the controller gives the nearest one within its limits.

        Raises
        ------
        UsageError
            If there is no such controller.
        """
        self.set_inputs({name: number(value, "value")})

    def set_inputs(self, values: Mapping[str, float]) -> None:
        """Set the numbers of several controllers of the type `input` at once, by their names; see `set_input`.

        Parameters
        ----------
        values : Mapping[str, float]
            Numbers by the names of the controllers.
        """
        with self._alone(), self._computing():
            self._prepare()
            known = (
                [one.name for one in self.blueprint.sensing.controllers if one.law == INPUT]
                if self.blueprint.sensing
                else []
            )
            for name in values:
                if name not in known:
                    refuse("name", f"a controller of the type input: {', '.join(known) or 'there is none'}", name)
            if values:
                not_none(self._run.sensing).set_inputs(values)

    @property
    def readings(self) -> dict[str, float]:
        """What sensors measured last and controllers give, by name: `pole.angle_rate`, or the name of an output."""
        values = self._held_numbers().tolist()
        return {f"{one.body}.{one.name}" if one.body else one.name: values[one.number] for one in self.scene.scope.held}

    def _held_numbers(self) -> np.ndarray:
        """The numbers of `readings`, in the order of their places in the scene. A copy."""
        with held(self._kernel, BUSY):
            return self._run.sensing.held[:, 0].copy() if self._run.sensing else np.empty(0)

    def prepare(self) -> None:
        """Compile, or read from the cache, all kernels of a run. Raises SimulationError if the run cannot begin."""
        with self._alone(), self._computing():
            self._prepare()

    def step(self, n: int = 1) -> None:
        """Advance the simulation.

        Parameters
        ----------
        n : int
            The number of steps.

        Raises
        ------
        SimulationError
            At the last finite state, if the motion becomes non-finite.
        """
        n = whole_number(n, "n, the number of steps,")
        with self._alone():
            for _ in self._checked_slices(self.n + n, NO_SAMPLES, None, 0):
                pass

    def blocks(self, watch: Watch = unwatched, every: float = math.inf) -> Iterator[Block]:
        """Run to the end, in blocks of `chunk_rows` samples.

        The arrays of a block are overwritten when the block after the next one is requested; `block.copied()` has
        arrays of its own. Each block has a checkpoint, for `resume`.

        Parameters
        ----------
        watch : callable
            `watch(n)` is called with the number of steps done about ten times a second and at the end of each block.
            When it returns true, the run ends with the state reached.
        every : float
            A block that takes longer (s of real time) has fewer samples.

        Yields
        ------
        Block
            The samples, and at the end the last state.

        Raises
        ------
        SimulationError
            After the last good block, if the state becomes non-finite.
        """
        return self._blocks(function(watch, "watch"), every)

    def _blocks(self, watch: Watch, every: float = math.inf, resumable: bool = True) -> Iterator[Block]:
        """The blocks of a run, with their checkpoints if they are `resumable`."""
        with self._alone():
            yield from self._blocks_to_the_end(watch, every, resumable)

    def _blocks_to_the_end(self, watch: Watch, every: float, resumable: bool) -> Iterator[Block]:
        rows, stride = chunk_rows(self.n_sample, self.sample_bytes), self.blueprint.stride
        rooms = self._run.rooms(rows)
        stopped, failure, is_seen = False, None, False
        while self.n < self.n_step and not stopped and not failure and not self.is_over:
            first = self._run.taken(stride)  # number of the next sample
            last = min(self.n_step, ((first // rows + 1) * rows - 1) * stride + 1)
            samples, begin = next(rooms), time.monotonic()
            try:
                for _ in self._checked_slices(last, stride, samples, first):
                    is_seen = True
                    stopped = watch(self.n)
                    if stopped or (time.monotonic() - begin > every and self.n > first * stride):
                        break
            except SimulationError as error:
                failure, is_seen = error, False
            count = self._run.taken(stride) - first
            if count:
                times = sample_times(self.blueprint, first, count)
                self._kinetic = max(self._kinetic, float(samples.ledger[:count, layout.LEDGER.kinetic].max()))
                points, readings = self._sampled_points(first, count), self._taken_readings()
                checkpoint = self.checkpoint() if resumable else {}
                yield Block(times, *samples.part(slice(count)), points, readings, checkpoint)
        with self._kernel:
            # A slice ends with a look at the state, which nothing else may change between blocks.
            end = self._observed(self._run.last_present if is_seen else self._run.present())
            checkpoint = self.checkpoint() if resumable else {}
        yield end._replace(readings=self._taken_readings(), checkpoint=checkpoint)
        is_complete = self.is_over or self.n == self.n_step
        self.status = "failed" if failure else "complete" if is_complete else "interrupted"
        if failure:
            raise failure

    def checkpoint(self) -> dict[str, np.ndarray]:
        """What `resume` needs, besides events."""
        return self._run.checkpoint() | {"largest.kinetic": np.array(self._kinetic)}

    def _sampled_points(self, first: int, count: int) -> dict[str, np.ndarray]:
        """The contact points of samples, if they are recorded."""
        pieces = self._run.contact.take_sampled()
        return point_columns(pieces, first, count) if self._header.with_contacts else {}

    def _taken_readings(self) -> dict[str, np.ndarray]:
        """What sensors and controllers gave since the last block."""
        found = reading_columns(self._header.readings, self._run)
        if self._run.sensing:
            self._run.sensing.forget_log()
        return found

    def _is_finite(self) -> bool:
        """Whether the state, its energies and momenta, and the values of all expressions up to now are finite."""
        return self._is_state_finite() and not self._run.trouble

    def _is_state_finite(self) -> bool:
        run = self._run
        finite = np.isfinite(run.state).all() and np.isfinite(run.present().ledger).all()
        return bool(finite and not (len(run.fault) and run.fault[:, layout.FAULT.failed].any()))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Exclude other threads from stepping; raise the error of an earlier failure again."""
        with held(self._turn, TAKEN):
            if self._error:
                raise self._error
            yield

    @contextmanager
    def _computing(self) -> Iterator[None]:
        """Exclude other threads from reading the state; an error makes the simulation fail."""
        with self._kernel:
            try:
                yield
            except Exception as error:
                self.status, self._error = "failed", error
                raise

    def _prepare(self) -> None:
        self._run.prepare()
        if not self._is_finite():
            raise SimulationError((self._is_state_finite() and self._run.trouble) or start_fault(self._run))

    def _checked_slices(self, n_end: int, stride: int, samples: Samples | None, first: int) -> Iterator[None]:
        if self.n == 0:
            with self._computing():
                self._prepare()
        slices = self._run.slices(n_end, stride, samples, first)
        while self.n < n_end and not self.is_over:
            with self._computing():
                before = self._run.place()
                self._advance(slices, before)
                if not self._is_finite():
                    raise self._failure(before, stride, samples, first)
            yield

    def _advance(self, slices: Iterator[int], before: tuple) -> None:
        """Advance by one slice; restore the state if a callback raises or Ctrl-C interrupts the slice."""
        try:
            next(slices)
        except BaseException:
            self._run.go_back(before)
            raise

    def _failure(self, before: tuple, stride: int, samples: Samples | None, first: int) -> SimulationError:
        """Go back to the beginning of the slice and take single steps, to stop at the last finite state; where a
        controller has failed, the run is there already.
        """
        run = self._run
        if run.sensing and run.sensing.trouble and self._is_state_finite():
            return SimulationError(run.sensing.trouble)
        run.go_back(before)
        good, over = run.place(), len(run.events)
        while self._is_finite():
            good, over = run.place(), len(run.events)
            run.advance(1, stride, samples, first)
        trouble = run.trouble if self._is_state_finite() else ""
        fault = trouble or noted_fault(run) or motion_fault(run, good[0], scheduled_ids(run, over))
        run.go_back(good)
        return SimulationError(fault)

    def _observed(self, samples: Samples) -> Block:
        """The block of one sample, which is that of the present state."""
        points = point_columns([self._run.touching()], 0, 1) if self._header.with_contacts else {}
        return Block(np.array([self.time]), *samples, points)
