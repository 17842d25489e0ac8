"""The worlds of a vector environment, in parts that threads step: in the lanes of a block, where worlds may begin at
steps of their own, else one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from rigidsim.blueprints import build_world
from rigidsim.containers.optional import not_none
from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.assembly.lanes import LANES, is_timeless, put_lanes
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import Model
from rigidsim.engine.time.run import BlockRun
from rigidsim.env.episodes import Episode
from rigidsim.env.task import Task
from rigidsim.errors import SimulationError
from rigidsim.simulation.blocks import WorldGroup
from rigidsim.simulation.single import Simulation
from rigidsim.sweeps.cells import WorldColumns

MOST_LANES = 256
"""Of a block: more worlds at a time save little of what Python takes, and leave the processor's cache."""


class Step(NamedTuple):
    """What the worlds of a part are after a step: numbers that are held, (number, world); which have ended by a trigger
    or a failure, and which by time; the messages of those that failed, by place.
    """

    held: np.ndarray
    is_over: np.ndarray
    is_late: np.ndarray
    errors: dict[int, str]


class Worlds(Protocol):
    """Some worlds, each in a place."""

    def begin(self, places: np.ndarray, episodes: Sequence[Episode]) -> np.ndarray:
        """Let episodes begin in these places; (number, world) what is held then in all. Raises SimulationError if one
        cannot begin.
        """

    def step(self, actions: np.ndarray, places: np.ndarray, episodes: Sequence[Episode]) -> Step:
        """Step with an action for each world; in these places episodes begin instead, as `begin` has it."""


def parts_of(task: Task, n: int, threads: int) -> list[tuple[slice, Worlds]]:
    """The worlds of an environment: parts, and which worlds each has."""
    world = build_world(task.scene)
    if not shares_steps(task, world):
        return [(slice(k, k + 1), Alone(task)) for k in range(n)]
    each = min(MOST_LANES, -(-n // threads))
    lanes = -(-each // LANES) * LANES if each > 1 else 1
    slices = [slice(k, min(n, k + lanes)) for k in range(0, n, lanes)]
    return [(one, Side(task, world, one.stop - one.start, lanes)) for one in slices]


def shares_steps(task: Task, world: World) -> bool:
    """Whether worlds may begin at any decision while others of their block go on: nothing depends on the time, and all
    that is sampled is due at each decision.
    """
    written = world.blueprint.sensing
    clocks = written.clocks if written else ()
    return is_timeless(world) and world.blueprint.n_step % task.steps == 0 and not any(task.steps % k for k in clocks)


class Side:
    """Worlds side by side, in the lanes of a block."""

    def __init__(self, task: Task, world: World, count: int, lanes: int):
        self._task, self._count, self._n_step = task, count, world.blueprint.n_step
        self._run = BlockRun([world._replace(model=world.model._replace(metrics=None))], lanes)
        self._run.prepare()
        self._lanes = np.arange(lanes)
        self._begun = np.zeros(count, np.int64)  # the first step of each world
        self._episodes: list[Episode | None] = [None] * count
        self._like: WorldColumns | None = None  # the group whose fixed numbers are in all lanes but the odd ones
        self._odd: set[int] = set()
        self._alike: WeakKeyDictionary[WorldGroup, bool] = WeakKeyDictionary()

    def begin(self, places: np.ndarray, episodes: Sequence[Episode]) -> np.ndarray:
        """See `Worlds.begin`."""
        self._run.begin_lanes(places, self._entering(places, episodes))
        self._check_begun(places)
        return self._held()

    def _entering(self, places: np.ndarray, episodes: Sequence[Episode]) -> Callable[[Model, np.ndarray], None]:
        """What writes the numbers of episodes into their places."""
        groups: dict[WorldGroup, list[int]] = {}
        for k, (place, episode) in enumerate(zip(places.tolist(), episodes, strict=True)):
            groups.setdefault(episode.group, []).append(k)
            self._episodes[place] = episode

        def put(model: Model, state: np.ndarray) -> None:
            self._begun[places] = self._run.n
            for group, chosen in groups.items():
                self._put(group, places[chosen], np.array([episodes[k].place for k in chosen]), model, state)

        return put

    def _check_begun(self, places: np.ndarray) -> None:
        """Raise the error of an episode that cannot begin."""
        faults = not_none(self._run.sensing).faults
        for place in places.tolist() if faults else ():
            if place in faults:
                self._task.simulation(self._episodes[place].levels).prepare()

    def _put(self, group: WorldGroup, places: np.ndarray, own: np.ndarray, model: Model, state: np.ndarray) -> None:
        """Write variants of a group into lanes: what varies in it, if the rest is there already."""
        is_alike = self._is_alike(group)
        if isinstance(group, WorldColumns) and is_alike and self._odd.isdisjoint(places.tolist()):
            group.put(model, state, places, own)
            return
        put_lanes((model, state), places, group.block(own))
        (self._odd.difference_update if is_alike else self._odd.update)(places.tolist())

    def _is_alike(self, group: WorldGroup) -> bool:
        """Whether a group varies as the first one that was read in columns."""
        if group not in self._alike:
            if self._like is None and isinstance(group, WorldColumns):
                self._like, self._odd = group, {*self._lanes.tolist()}
            like = self._like
            self._alike[group] = isinstance(group, WorldColumns) and like is not None and group.varies_as(like)
        return self._alike[group]

    def _held(self) -> np.ndarray:
        return not_none(self._run.sensing).held[:, : self._count]

    def step(self, actions: np.ndarray, places: np.ndarray, episodes: Sequence[Episode]) -> Step:
        """See `Worlds.step`."""
        run, steps, before = self._run, self._task.steps, self._place()
        wide = actions[np.minimum(self._lanes, self._count - 1)]
        not_none(run.sensing).set_inputs(dict(zip(self._task.limits, wide.T, strict=True)))
        put = self._entering(places, episodes) if len(places) else None
        end = run.n + steps
        run.advance(steps, before=put and partial(run.put_lanes, places, put))
        if run.n < end:  # all worlds have failed
            run.n = end
            if put:
                run.begin_lanes(places, put)
        self._check_begun(places)
        held, errors = self._held(), {}
        failed = self._failed()
        for place in () if failed is None else np.flatnonzero(failed).tolist():
            errors[place], held[:, place] = self._alone(place, before, actions[place])
        is_over = np.zeros(self._count, bool)
        is_over[[*errors]] = True
        return Step(held, is_over, run.n - self._begun >= self._n_step, errors)

    def _place(self) -> dict[str, np.ndarray]:
        """What a world of the block needs to go on by itself."""
        return {
            "reached": np.array([self._run.n]),
            "state": self._run.state.copy(),
            **not_none(self._run.sensing).checkpoint(),
        }

    def _failed(self) -> np.ndarray | None:
        """(world) whether its motion, its energy or a number is not finite; None if all are."""
        run, n = self._run, len(self._lanes)
        ledger, fault = run.last_present.ledger, run.fault[:, layout.FAULT.columns("failed", n)]
        if not not_none(run.sensing).faults and not fault.any() and math.isfinite(run.state.sum() + ledger.sum()):
            return None
        failed = np.any(fault, axis=0)
        failed[[*not_none(run.sensing).faults]] = True
        for array in (run.state, ledger):
            failed |= ~np.isfinite(array.reshape(-1, n)).all(axis=0)
        return failed[: self._count]

    def _alone(self, place: int, before: Mapping[str, np.ndarray], action: np.ndarray) -> tuple[str, np.ndarray]:
        """Take the step of a world that failed by itself, with the same bits: why it failed, and what is held where it
        ended.
        """
        episode = self._episodes[place]
        assert episode is not None
        simulation = self._task.simulation(episode.levels)
        own = one_lane(before, place, len(self._lanes), int(self._begun[place]))
        simulation.resume(simulation.checkpoint() | own, simulation.events)
        simulation.set_inputs(dict(zip(self._task.limits, action.tolist(), strict=True)))
        try:
            simulation.step(self._task.steps)
        except SimulationError as error:
            return str(error), simulation._held_numbers()
        raise RuntimeError("a world that failed beside others does not fail by itself")


def one_lane(checkpoint: Mapping[str, np.ndarray], lane: int, n_lane: int, begun: int) -> dict[str, np.ndarray]:
    """The checkpoint of one world of a block, which began at this step."""
    found = {
        name: np.ascontiguousarray(array[..., lane::n_lane])
        for name, array in checkpoint.items()
        if name == "state" or name.startswith("sensing.")
    }
    pending = checkpoint["sensing.pending"].copy()
    pending[:, 0] -= begun
    return found | {"sensing.pending": pending, "reached": checkpoint["reached"] - begun}


class Alone:
    """One world in a simulation."""

    def __init__(self, task: Task):
        self._task, self._simulation = task, Simulation(task.scene)
        written = self._simulation.blueprint
        # Otherwise the course of a run changes more than arrays, and an episode is a simulation of its own.
        self._is_restarted = not (written.triggers or written.schedule.reparentings or written.has_fragile)

    def begin(self, places: np.ndarray, episodes: Sequence[Episode]) -> np.ndarray:
        """See `Worlds.begin`."""
        (episode,) = episodes
        if self._is_restarted:
            self._simulation._restart(*episode.group.block(np.array([episode.place])))
        else:
            self._simulation = self._task.simulation(episode.levels)
        self._simulation.prepare()
        return self._held()

    def _held(self) -> np.ndarray:
        return self._simulation._held_numbers()[:, np.newaxis]

    def step(self, actions: np.ndarray, places: np.ndarray, episodes: Sequence[Episode]) -> Step:
        """See `Worlds.step`."""
        if len(places):
            return Step(self.begin(places, episodes), np.zeros(1, bool), np.zeros(1, bool), {})
        simulation, task, errors = self._simulation, self._task, {}
        simulation.set_inputs(dict(zip(task.limits, actions[0].tolist(), strict=True)))
        try:
            simulation.step(min(task.steps, simulation.n_step - simulation.n))
        except SimulationError as error:
            errors[0] = str(error)
        is_over, is_late = simulation.is_over or bool(errors), simulation.n >= simulation.n_step
        return Step(self._held(), np.array([is_over]), np.array([is_late]), errors)
