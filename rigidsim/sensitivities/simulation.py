"""Simulations with the derivatives of their samples, events and metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from rigidsim.blueprints import build_world
from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.assembly.lanes import lanes_of
from rigidsim.errors import UsageError
from rigidsim.jit.kernels import is_interpreted
from rigidsim.scene.read import Scene, as_scene
from rigidsim.sensitivities.parameters import DERIVATIVES, VariedNumber, beside, parameters_of, spreads_of
from rigidsim.sensitivities.runs import TangentRun
from rigidsim.simulation.batch import history_of
from rigidsim.simulation.blocks import Watch
from rigidsim.simulation.events import event_columns
from rigidsim.simulation.single import Simulation, unwatched
from rigidsim.simulation.spare import spare_runs
from rigidsim.trajectory.derivatives import Derivative
from rigidsim.trajectory.fields import EVENT_COLUMNS, Block
from rigidsim.trajectory.trajectory import Trajectory, recorded_samples

MOST, MOST_WITH_CONTACT = 8, 4
"""Parameters of one run, at most. The solver of contact has vectors already; more tangents of these would not fit
registers.
"""
LEAST = 4
"""Tangents of a run without contact: fewer take nearly as long, and would need other code."""


class DifferentiatedSimulation(Simulation):
    """A simulation with the derivatives with respect to parameters of the scene; of samples those of the blocks that
    were taken.
    """

    _run: TangentRun
    _run_type: ClassVar[type[TangentRun]] = TangentRun

    def __init__(self, scene: Scene, parameters: Sequence[VariedNumber], **recorded: Any):
        self.parameters = parameters
        self._parts: list[list[dict[str, np.ndarray]]] = [[] for _ in parameters]
        super().__init__(scene, **recorded)

    def _made_run(self, world: World, with_terms: bool, *options: Any) -> TangentRun:
        count, worlds = len(self.parameters), beside(self.scene, self.parameters, world)
        k = max(LEAST if world.model.contacts is None else 1, 1 << max(count - 1, 0).bit_length())
        self._kind = self._run_type, with_terms, self._header.with_contacts, k
        spare: Any = spare_runs.take(self._kind, world)
        run: TangentRun = spare or self._run_type(k, world, with_terms, options[-1])
        run.vary(worlds)
        return run

    def _blocks_to_the_end(self, watch: Watch, every: float, resumable: bool) -> Iterator[Block]:
        for block in super()._blocks_to_the_end(watch, every, resumable):
            tangents = self._tangents(block)
            for k, parts in enumerate(self._parts):
                found = recorded_samples(self.header, one_tangent(tangents, k))
                parts.append({name: np.array(array) for name, array in found.items()})
            yield block

    def _tangents(self, block: Block) -> Block:
        """All tangents of a block, (..., K)."""
        return _each(self._run.shadows.of, block)

    def derivatives(self) -> list[Derivative]:
        """The derivatives of all that was computed up to now."""
        metrics = self._run.metric_rates()
        return [self._derivative(k, one, metrics[:, k]) for k, one in enumerate(self.parameters)]

    def _derivative(self, k: int, parameter: VariedNumber, metrics: np.ndarray) -> Derivative:
        names = [name for name in self._parts[k][0] if name != "time"]
        samples = {name: np.concatenate([part[name] for part in self._parts[k]]) for name in names}
        scheduled, touches = self._run.events_along(k)
        along: Any = SimpleNamespace(events=scheduled, contact=SimpleNamespace(log=touches))
        found = event_columns(along)
        wanted = [column.name for column in EVENT_COLUMNS if column.dtype == "f8"] if found else []
        events = {name: np.ascontiguousarray(found[name].imag) for name in wanted}
        values = dict(zip(self.header.metrics, metrics.tolist(), strict=True))
        times = np.concatenate([part["time"] for part in self._parts[k]])
        sigma = spreads_of(self.scene, [parameter]).get(parameter.name, 0.0)
        return Derivative(self.header, times, parameter.name, parameter.value, samples | events, values, sigma)


def one_tangent(tangents: Block, k: int) -> Block:
    """The derivatives of a block along one of its tangents."""
    return _each(lambda array: array[..., k], tangents)


def _each(change: Callable[[np.ndarray], np.ndarray], block: Block) -> Block:
    """A block with other arrays of samples, and nothing else."""

    def changed(part: Any) -> Any:
        return change(part) if isinstance(part, np.ndarray) else part and part._make(map(changed, part))

    names = ("local", "world", "joints", "ledger", "terms", "asked")
    return block._replace(**{name: changed(getattr(block, name)) for name in names}, contacts={}, checkpoint={})


def differentiating(
    scene: Scene | str | Path, names: Sequence[str], asked: str = DERIVATIVES, **recorded: Any
) -> list[DifferentiatedSimulation]:
    """The simulations that give the derivatives with respect to these parameters, some in each; the run is the same."""
    if is_interpreted():
        raise UsageError("derivatives are those of compiled code, which RIGIDSIM_JIT=off switches off")
    scene = as_scene(scene)
    if scene.underivable:
        raise UsageError(f"{asked}: what {scene.underivable} gives has no derivatives")
    parameters = parameters_of(scene, names, asked)
    most = MOST_WITH_CONTACT if lanes_of(build_world(scene)) == 1 else MOST
    groups = [parameters[k : k + most] for k in range(0, len(parameters), most)]
    return [DifferentiatedSimulation(scene, group, **recorded) for group in groups]


def finished(simulations: Sequence[DifferentiatedSimulation], watch: Watch = unwatched) -> dict[str, Derivative]:
    """The derivatives by the names of the parameters. Simulations that have not run are run."""
    for simulation in simulations:
        if simulation.status == "running":
            for _ in simulation.blocks(watch):
                pass
    return {one.parameter: one for simulation in simulations for one in simulation.derivatives()}


def differentiated(
    scene: Scene | str | Path, names: Sequence[str], watch: Watch = unwatched, **recorded: Any
) -> Trajectory:
    """The history of a scene with its derivatives."""
    simulations = differentiating(scene, names, **recorded)
    trajectory = history_of(simulations[0], watch).with_derivatives(finished(simulations, watch))
    for simulation in simulations:
        simulation._give_back()
    return trajectory
