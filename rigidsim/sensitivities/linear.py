"""The linear motion about a state, `rigidsim.linearize`, and states of rest, `rigidsim.equilibrium`.

The state x of a scene are the coordinates of joints and their rates; of a tank its mass; of a free body the position of
its centre of mass relative to its parent, a small rotation theta in its own axes (q = q0 exp(theta/2)), and both
velocities; of a ball joint theta and the angular velocity. A = dx'/dx, B = dx'/dp for numbers p of the scene, C = dy/dx
for quantities y. Where loops or contacts hold some of them, x = T z + X p (`tangent_space.py`), and the state is z.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rigidsim.analysis.quantities import named
from rigidsim.arguments import number, whole_number
from rigidsim.blueprints import build_world
from rigidsim.containers.optional import not_none
from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.assembly.joints import coordinate_of, moved_rows
from rigidsim.engine.constraints.lasting import IS_SETTLED, N_EVENTS, STEPPED
from rigidsim.engine.contact.instants import NEW
from rigidsim.engine.contact.run import ContactRun
from rigidsim.engine.integrators import trials_of
from rigidsim.engine.model.arrays import Samples
from rigidsim.engine.model.layout import RATE, STATE
from rigidsim.engine.time.stepper import advance, observe_at
from rigidsim.errors import SceneError, SimulationError, UsageError
from rigidsim.jit.kernels import Kernel
from rigidsim.physics.quaternion import exp_full, product
from rigidsim.physics.vector import cross
from rigidsim.scene.read import Scene, as_scene
from rigidsim.sensitivities.parameters import VariedNumber, parameters_of
from rigidsim.sensitivities.runs import TangentRun
from rigidsim.sensitivities.simulation import MOST, DifferentiatedSimulation, one_tangent
from rigidsim.sensitivities.tangent_space import HoldingEquations, TangentSpace, tangent_space
from rigidsim.sensitivities.varied import Varied, rates_along, same_header
from rigidsim.trajectory.derivatives import Derivative
from rigidsim.trajectory.fields import Block
from rigidsim.trajectory.trajectory import Trajectory, recorded_samples

STILL = 1e-7
"""An eigenvalue this small beside the largest one is zero: those of a free motion are a double root of a rounded A."""
ROUNDING = 1e-12
"""Relative to the largest eigenvalue, a real part this small is rounding."""
AT_REST = 1e-9
"""Of the rates that a state at rest may have, relative to those that a change of the numbers makes."""
MOST_ROUNDS, MOST_SHORTENED, SETTLED = 30, 8, 1e-13
CLOSED = 1e-6
"""m/s or rad/s: of a state that loops and contacts hold, the rate that they leave is rounding."""


class Variable(NamedTuple):
    """A variable of the state: its name, its row, which of its kinds it is, which component, and whether it is an
    angle or the rate of one.
    """

    name: str
    row: int
    kind: str  # position, turn, velocity, angular_velocity
    component: int
    turns: bool


class Mode(NamedTuple):
    """A mode of the linear motion: its eigenvalue (1/s), its frequency (Hz), damping ratio, and the shape, the
    coordinates and rotations of all bodies, the largest of which is 1.
    """

    eigenvalue: complex
    frequency: float
    damping: float
    shape: dict[str, complex]


def changes_of(mode: Mode, amplitude: float, phases: np.ndarray) -> list[dict[str, float]]:
    """By how much a mode changes each part of its shape, at these phases (rad)."""
    turns = amplitude * np.exp(1j * phases)
    return [{name: float((x * turn).real) for name, x in mode.shape.items()} for turn in turns]


class LinearModel:
    """x' = f + A x + B p and y = C x + D p about a state at a time. `states`, `inputs` and `outputs` name the parts of
    x, p and y. `f` is the rate of the state there. Where loops or contacts hold coordinates or rates, these are not
    among `states`: `variables` are all, `T` x is how they change, (variable, state). `held` names outputs of
    controllers and readings of sensors, which keep the values that they have there: the model is that of the open loop.
    """

    def __init__(self, time: float, variables: Sequence[Variable], inputs: Sequence[str], outputs: Sequence[str]):
        self.time, self.inputs, self.outputs = time, list(inputs), list(outputs)
        self.variables = list(variables)
        self.states = [one.name for one in variables]
        n, k, m = len(self.states), len(self.inputs), len(self.outputs)
        self.A, self.B, self.C, self.D = np.zeros((n, n)), np.zeros((n, k)), np.zeros((m, n)), np.zeros((m, k))
        self.f, self.T = np.zeros(n), np.eye(n)
        self.held: list[str] = []
        self._probe: _Probe | None = None

    def displaced(self, times: Sequence[float] | np.ndarray, changes: Sequence[Mapping[str, float]]) -> Trajectory:
        """Poses beside the state, as a trajectory whose velocities are zero.

        Parameters
        ----------
        times : sequence of float
            The times of its samples, s.
        changes : sequence of dict
            For each by how much variables differ from the state, by name, rad or m; the others do not.

        Returns
        -------
        Trajectory
            Bodies in these poses. Joints hold them together; loops and contacts do to first order.
        """
        assert self._probe is not None
        return self._probe.displaced(times, changes)

    def motion(self, mode: Mode, amplitude: float = 0.1, frames: int = 61) -> Trajectory:
        """One period of a mode, without its damping. One that does not oscillate swings in a second, too.

        Parameters
        ----------
        mode : Mode
            One of `modes`.
        amplitude : float
            How far the largest part of the shape swings, rad or m.
        frames : int
            The number of samples, two at least.

        Returns
        -------
        Trajectory
            The poses, see `displaced`.
        """
        phases = np.linspace(0.0, 2.0 * np.pi, whole_number(frames, "frames", 2))
        rate = abs(mode.eigenvalue.imag) or 2.0 * np.pi
        return self.displaced(phases / rate, changes_of(mode, number(amplitude, "amplitude"), phases))

    @cached_property
    def modes(self) -> list[Mode]:
        """The modes: one for each pair of conjugate eigenvalues, by frequency; at zero those that do not move."""
        values, vectors = np.linalg.eig(self.A) if len(self.A) else (np.zeros(0), np.zeros((0, 0)))
        largest = np.max(np.abs(values), initial=0.0)
        values = np.where(np.abs(values) <= STILL * largest, 0.0, values)
        values = np.where(np.abs(values.real) <= ROUNDING * largest, 1j * values.imag, values)
        found = [self._mode(complex(values[k]), vectors[:, k]) for k in range(len(values)) if values[k].imag >= 0.0]
        return sorted(found, key=lambda one: (one.frequency, one.eigenvalue.real))

    def _mode(self, value: complex, vector: np.ndarray) -> Mode:
        parts = zip(self.variables, self.T @ vector, strict=True)
        moved = {one.name: x for one, x in parts if one.kind in ("position", "turn")}
        largest = max(moved.values(), key=abs, default=1.0) or 1.0
        size = abs(value)
        damping = -value.real / size + 0.0 if size else 0.0
        return Mode(value, size / (2.0 * np.pi), damping, {name: complex(x / largest) for name, x in moved.items()})

    def __repr__(self) -> str:
        n, k, m = len(self.states), len(self.inputs), len(self.outputs)
        return f"<LinearModel at {self.time:g} s: {n} states, {k} inputs, {m} outputs>"


class _ProbeRun(TangentRun):
    """A run of which samples alone have tangents, for those of a whole step take much longer to compile. A method that
    chooses its steps may interpolate a sample in a step, which then has them, too.
    """

    def __init__(self, k: int, world: World, with_terms: bool, contacts: ContactRun):
        self._interpolates = trials_of(world.blueprint.method) is not None
        super().__init__(k, world, with_terms, contacts)
        if not self._interpolates:
            self._look = self._caller(observe_at)

    def _caller(self, kernel: Kernel) -> Callable:
        return super()._caller(kernel) if self._interpolates or kernel is not advance else kernel.caller()

    def _observe(self, phase: int, samples: Samples, row: int) -> None:
        if self._interpolates:
            super()._observe(phase, samples, row)
        else:
            self._look(self.n, self.done, phase, *self._arrays(), samples, row, self._lanes)


class _Probe(DifferentiatedSimulation):
    """A simulation whose present state is varied."""

    _run_type = _ProbeRun

    def __init__(self, scene: Scene, parameters: Sequence[VariedNumber]):
        super().__init__(scene, parameters)
        model = self._run.model
        if model.contacts is not None and self._run._scratch.lasting is None:
            hint = "write simulation.contact: events, or off if nothing touches"
            raise UsageError(f"contact by stepping has no linear motion, as it acts between states; {hint}")
        if model.loops is not None and model.loops.measured is not None:
            raise UsageError("the linear motion of a scene with limits of loops is not defined; leave the limits out")
        self.prepare()
        self.variables = self._variables()

    @property
    def has_contact(self) -> bool:
        """Whether shapes can touch."""
        return self._run.model.contacts is not None

    @property
    def together(self) -> int:
        """How many variables can vary at once."""
        return self._run.shadows.k

    def _variables(self) -> list[Variable]:
        found: list[Variable] = []
        for row, moved in enumerate(moved_rows(self._run.worlds[0].tree)):
            coordinate, path = coordinate_of(moved), moved.node.path
            if coordinate is not None and coordinate.holds:
                found.append(Variable(f"{path}.mass", row, "velocity", 0, False))
            elif coordinate is not None and not coordinate.is_prescribed:
                words = ("angle", "rate") if coordinate.turns else ("displacement", "rate")
                several = f"_{moved.number + 1}" * (len(not_none(moved.node.joint).coordinates) > 1)
                kinds = zip(words, ("position", "velocity"), strict=True)
                found += [Variable(f"{path}.{word}{several}", row, kind, 0, coordinate.turns) for word, kind in kinds]
            elif moved.node.is_free():
                found += _parts(path, row, ("position", "turn", "velocity", "angular_velocity"))
            elif not_none(moved.node.joint).has_attitude:
                found += _parts(path, row, ("turn", "angular_velocity"))
        return found

    def clear(self) -> None:
        """Let nothing vary."""
        self._run.shadows.clear()

    def vary_parameters(self) -> None:
        """Let the numbers of the scene vary, and not the state."""
        lasting = self._run._scratch.lasting
        for array in (self._run.state, *([lasting.value] if lasting is not None else [])):
            self._run.shadows.of(array)[:] = 0.0

    def settle(self) -> None:
        """Know the modes of the contacts at the present state. At the start they are those of the first step."""
        lasting = self._run._scratch.lasting
        if lasting is None:
            return
        if lasting.size[IS_SETTLED] == 0:
            place = self._run.place()
            self.step(1)
            lasting = self._run._scratch.lasting
            kept = [array.copy() for array in (lasting.size, lasting.slot, lasting.value)]
            self._run.go_back(place)
            lasting = self._run._scratch.lasting
            for array, values in zip((lasting.size, lasting.slot, lasting.value), kept, strict=True):
                array[:] = values
            if lasting.size[N_EVENTS] > 1:
                raise self._refused("a mode of contact changes in the step after it", "choose a later time")
        if lasting.size[STEPPED]:
            raise self._refused("sub-steps compute the contact there", "see the warning of a run")

    def _refused(self, why: str, hint: str) -> UsageError:
        return UsageError(f"the state at {self.time:g} s has no linear motion: {why}; {hint}")

    def rows(self) -> HoldingEquations:
        """The equations that hold the state, along the tangents, after `rates`."""
        found = HoldingEquations.of(self._run, self._run.shadows)
        if found.slowest <= NEW:
            raise self._refused("a contact begins to slip there", "choose a later time")
        if np.max(np.abs(found.left), initial=0.0) > CLOSED:
            raise self._refused("bodies collide there", "choose another time")
        return found

    def vary(self, variables: Sequence[Variable]) -> None:
        """Let some variables of the state vary, each along a tangent of its own."""
        tangents = self._run.shadows.of(self._run.state)
        tangents[:] = 0.0
        for k, one in enumerate(variables):
            row = STATE.view(self._run.state[one.row], 0, 1)
            if one.kind == "turn":
                theta = tuple(0.5 * (i == one.component) for i in range(3))
                tangents[one.row, STATE.q, k] = product(row.q, (0.0, *theta))
            else:
                part = {"position": STATE.p, "velocity": STATE.v, "angular_velocity": STATE.omega}[one.kind]
                tangents[one.row, part.start + one.component, k] = 1.0

    def rates(self) -> tuple[np.ndarray, np.ndarray]:
        """The rates of all variables, and their derivatives along the tangents, (variable, K)."""
        self._run.observed(True)
        values, tangents = [], []
        state, rate = self._run.state, self._run._scratch.rate
        along_state, along_rate = self._run.shadows.of(state), self._run.shadows.of(rate)
        for one in self.variables:
            value, along = _rate_of(one, state[one.row], rate[one.row], along_state[one.row], along_rate[one.row])
            values.append(value)
            tangents.append(along)
        return np.array(values), np.array(tangents).reshape(len(values), -1)

    def displaced(self, times: Sequence[float] | np.ndarray, changes: Sequence[Mapping[str, float]]) -> Trajectory:
        """See `LinearModel.displaced`."""
        run, blocks = self._run, []
        kept = run.state.copy()
        for time, change in zip(times, changes, strict=True):
            run.state[:] = kept
            for row in run.state:
                row[STATE.v] = row[STATE.omega] = 0.0
            turns = {one.row: [0.0, 0.0, 0.0] for one in self.variables if one.kind == "turn"}
            for one in self.variables:
                if one.kind == "turn":
                    turns[one.row][one.component] = 0.5 * change.get(one.name, 0.0)
                elif one.kind == "position":
                    run.state[one.row][STATE.p.start + one.component] += change.get(one.name, 0.0)
            for row, theta in turns.items():
                run.state[row, STATE.q] = product(tuple(kept[row, STATE.q]), exp_full(tuple(theta)))
            blocks.append(self._observed(run.observed())._replace(time=np.array([time])))
        run.state[:] = kept
        return Trajectory.from_blocks(replace(self.header, recorded=None), blocks)

    def columns(self, outputs: Sequence[str]) -> list[str]:
        """The names of all components of some quantities."""
        run = self._seen(self._observed(self._run.observed()))
        return [column for name in outputs for column in named(run, name).columns]

    def outputs(self, outputs: Sequence[str], given: Varied | None = None) -> np.ndarray:
        """The derivatives of quantities along the tangents, (component, tangent); of `given` if its numbers vary."""
        block = self._observed(self._run.observed())
        run = self._seen(block)
        wanted = [named(run, name) for name in outputs]
        if given is not None:
            run.with_derivatives({one.name: self._tangent(block, k, one) for k, one in enumerate(given.parameters)})
            found = [given.rates(run, one)[0] for one in wanted]
            return np.concatenate([np.zeros((0, len(given.parameters))), *found])
        columns = []
        for k in range(self._run.shadows.k):
            along = self._tangent(block, k)
            columns.append([rates_along(run, along, one, same_header).reshape(-1) for one in wanted])
        return np.array([np.concatenate([np.zeros(0), *one]) for one in columns]).T

    def _tangent(self, block: Block, k: int, one: VariedNumber | None = None) -> Derivative:
        """The derivatives of the present state along a tangent, that of a number if there is one."""
        name, value = (one.name, one.value) if one else ("", 0.0)
        samples = recorded_samples(self.header, one_tangent(self._tangents(block), k))
        arrays = {key: np.array(array) for key, array in samples.items()}
        return Derivative(self.header, block.time, name, value, {n: a for n, a in arrays.items() if n != "time"}, {})

    def _seen(self, block: Block) -> Trajectory:
        """The present state as a trajectory of one sample."""
        return Trajectory.from_blocks(self.header, [block])


def _parts(path: str, row: int, kinds: Sequence[str]) -> list[Variable]:
    parts = [(kind, kind in ("turn", "angular_velocity"), *part) for kind in kinds for part in enumerate("xyz")]
    return [Variable(f"{path}.{kind}.{axis}", row, kind, i, turns) for kind, turns, i, axis in parts]


def _rate_of(one: Variable, state, rate, along_state, along_rate) -> tuple[float, np.ndarray]:
    """The rate of a variable, and its derivatives along the tangents: theta' = omega - omega0 x theta."""
    i = one.component
    if one.kind == "velocity":
        return rate[RATE.a][i], along_rate[RATE.a][i]
    if one.kind == "angular_velocity":
        return rate[RATE.alpha][i], along_rate[RATE.alpha][i]
    if one.kind == "position":
        return state[STATE.v][i], along_state[STATE.v][i]
    q, omega = tuple(state[STATE.q]), tuple(state[STATE.omega])
    theta = tuple(2.0 * x for x in product((q[0], -q[1], -q[2], -q[3]), tuple(along_state[STATE.q]))[1:])
    return omega[i], along_state[STATE.omega][i] - np.asarray(cross(omega, theta)[i])


def _reduce(linear: LinearModel, space: TangentSpace) -> None:
    """Keep the independent variables z out of x = T z + X p: z' is the part of x' that is kept."""
    kept, T, X = space
    linear.states = [linear.states[k] for k in kept]
    linear.f, linear.A, linear.B = linear.f[kept], (linear.A @ T)[kept], (linear.A @ X + linear.B)[kept]
    linear.C, linear.D, linear.T = linear.C @ T, linear.C @ X + linear.D, T


def linearize(
    scene: Scene | str | Path, at: float = 0.0, inputs: Sequence[str] = (), outputs: Sequence[str] = ()
) -> LinearModel:
    """The linear motion about the state of a run.

    Parameters
    ----------
    scene : Scene or path
        Shapes that can touch need `contact: events`.
    at : float
        The time, s, a whole number of steps.
    inputs : sequence of str
        Names of numbers of the scene.
    outputs : sequence of str
        Names of quantities.

    Returns
    -------
    LinearModel
        Matrices, eigenvalues and modes.

    Raises
    ------
    UsageError
        For scenes with contact by stepping or limits of loops, and where bodies collide or begin to slip.
    """
    scene, at = as_scene(scene), number(at, "at")
    step, n_step = scene.simulation.step, build_world(scene).blueprint.n_step
    steps = round(at / step)
    if not 0 <= steps <= n_step or abs(steps * step - at) > 1e-9 * max(at, step):
        hint = f"a whole number of steps of {step:g} s, from 0 to {n_step * step:g} s"
        raise UsageError(f"at: the state at {at:g} s is not one of the run; expected {hint}")
    varied = Varied(scene, inputs, "linearize: inputs")
    probe = _Probe(scene, varied.parameters)
    probe.step(steps)
    probe.settle()
    found = LinearModel(probe.time, probe.variables, inputs, probe.columns(outputs))
    found._probe = probe
    found.held = [f"{one.body}.{one.name}" if one.body else one.name for one in scene.scope.held]
    n, k = len(probe.variables), len(inputs)
    by_number, gaps, rates = None, [], []
    if inputs:
        probe.vary_parameters()
        found.f, along = probe.rates()
        by_number = probe.rows()
        found.B, found.D = along[:, :k], probe.outputs(outputs, varied)
    probe.clear()
    for begin in range(0, n, probe.together):
        part = slice(begin, min(begin + probe.together, n))
        probe.vary(probe.variables[part])
        found.f, along = probe.rates()
        rows, count = probe.rows(), part.stop - begin
        gaps.append(rows.gaps[:, :count])
        rates.append(rows.rates[:, :count])
        found.A[:, part], found.C[:, part] = along[:, :count], probe.outputs(outputs)[:, :count]
    if gaps and len(rates[0]):
        by = [x[:, :k] if inputs else np.zeros((len(x), 0)) for x in (by_number or rows)[:2]]
        is_rate = np.array([one.kind in ("velocity", "angular_velocity") for one in probe.variables])
        _reduce(found, tangent_space(is_rate, np.hstack(gaps), np.hstack(rates), *by))
    return found


class Equilibrium(NamedTuple):
    """A state of rest: the numbers of the scene that were found, SI units, the scene, and its linear motion."""

    values: dict[str, float]
    scene: Scene
    linear: LinearModel
    overrides: list[tuple[str, float | str]]  # the numbers as the scene has them


def equilibrium(scene: Scene | str | Path, vary: Sequence[str]) -> Equilibrium:
    """Find numbers of a scene with which nothing accelerates at its start, by Newton's method.

    A step is shortened where the rates of the state would grow, or the scene would not be valid. Where there are
    several solutions the numbers change least.

    Parameters
    ----------
    scene : Scene or path
        Its numbers are where the search begins.
    vary : sequence of str
        Names of the numbers.

    Returns
    -------
    Equilibrium
        The numbers, and the scene with them.

    Raises
    ------
    SimulationError
        If there is none near the numbers of the scene.
    """
    varied = Varied(scene, vary, "equilibrium: vary")
    if not varied.parameters or len(varied.parameters) > MOST:
        raise UsageError(f"an equilibrium needs the names of 1 to {MOST} numbers of the scene, got {len(vary)}")
    x, (rates, slopes) = varied.values, _start(varied, varied.values)
    for _ in range(MOST_ROUNDS):
        step = -np.linalg.lstsq(slopes, rates, rcond=1e-12)[0]
        if np.all(np.abs(step) <= SETTLED * np.maximum(np.abs(x), 1.0)):
            break
        if (found := _shortened(varied, x, step, rates)) is None:
            break
        x, rates, slopes = found
    size = float(np.linalg.norm(slopes * np.maximum(np.abs(x), 1.0)))
    if np.linalg.norm(rates) > AT_REST * max(size, 1.0):
        k = int(np.argmax(np.abs(rates)))
        where = f"the rate of {_Probe(varied.at(x.tolist()), ()).variables[k].name} is {rates[k]:.3g} in SI units"
        raise SimulationError(f"no equilibrium was found near the numbers of the scene: {where}")
    at_rest = varied.at(x.tolist())
    written = [(one.name, one.at(value)) for one, value in zip(varied.parameters, x, strict=True)]
    return Equilibrium(dict(zip(vary, x.tolist(), strict=True)), at_rest, linearize(at_rest), written)


def _start(varied: Varied, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rates of the state at the start, and their derivatives with respect to the numbers."""
    scene = varied.at(x)
    probe = _Probe(scene, parameters_of(scene, [one.name for one in varied.parameters], varied.asked))
    if probe.has_contact:
        hint = "write simulation.contact: off, if nothing touches"
        raise UsageError(f"equilibrium: no state is looked for in which bodies touch; {hint}")
    rates, along = probe.rates()
    return rates, along[:, : len(x)]


def _shortened(varied: Varied, x: np.ndarray, step: np.ndarray, rates: np.ndarray) -> tuple | None:
    """The next numbers, with their rates and derivatives; None if no step makes the rates smaller."""
    for _ in range(MOST_SHORTENED):
        try:
            found, slopes = _start(varied, x + step)
        except (SceneError, SimulationError):
            found, slopes = np.full(1, np.inf), np.zeros(0)
        if np.linalg.norm(found) < np.linalg.norm(rates):
            return x + step, found, slopes
        step = 0.5 * step
    return None
