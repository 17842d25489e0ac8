"""The equations of motion of a block as a graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from rigidsim.engine.dynamics.articulated import keeps_mode
from rigidsim.engine.evaluate import evaluate
from rigidsim.engine.laws.registry import FOLLOWED
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.arrays import Model, Scratch, WorldBlock, holds_values, make_scratch, measured, set_constants
from rigidsim.engine.series.graph import Graph, Number, Vertex, is_number
from rigidsim.jit.rows import with_rows
from rigidsim.physics.quaternion import product
from rigidsim.physics.vector import scaled

TIME = -1  # in place of the row of a variable of the state


class SeriesVariable(NamedTuple):
    """A number of the state: its row and column, the column of its low part or NO_ROW, its vertex, and its rate."""

    row: int
    column: int
    low: int
    vertex: Vertex
    rate: Number


class Equations(NamedTuple):
    """The graph of one phase: the time and the variables of the state, windings that an evaluation finds anew, the
    groups of variables that are vectors, and the rows of the bodies that are at rest: their angular velocity is zero.
    """

    graph: Graph
    variables: list[SeriesVariable]
    windings: list[tuple[int, Vertex, Number, Number]]  # row of the state, vertex; the winding now, if it turns over
    groups: list[tuple[int, int, bool]]  # first variable, and that after the last; whether it limits a step
    resting: frozenset[int]

    def turning(self) -> frozenset[int]:
        """The rows of the bodies whose orientation or angular velocity changes."""
        parts = [at.STATE.columns(name, 1) for name in ("q", "omega")]
        columns = [column for part in parts for column in range(part.start, part.stop)]
        turned = [v for v in self.variables if v.column in columns and v.row != TIME]
        return frozenset(v.row for v in turned if not is_number(v.rate, 0.0))


def equations_of(
    model: Model,
    n_state: int,
    phase: int,
    n: int,
    varies: np.ndarray,
    resting: frozenset[int] = frozenset(),
    exponents: set | None = None,
) -> Equations:
    """The equations of motion in a phase, of a state with so many rows: the text of `evaluate`, with vertices in place
    of the state and of the numbers of the model that vary. Variables whose rate turns out to be zero are held: the
    equations of the others are fewer operations then.

    Of the bodies in the rows `resting` those are at rest that do not begin to turn while all of them are. For
    `exponents` see `Graph`.
    """
    still: set[int] = set()
    while True:
        found = _evaluated(Graph(exponents), model, n_state, phase, n, varies, still, resting)
        before, awake = still, resting & found.turning()
        still = {k for k, variable in enumerate(found.variables) if is_number(variable.rate, 0.0)}
        if awake:
            still, resting = set(), resting - awake
        elif still == before:
            return found


def _evaluated(
    graph: Graph,
    model: Model,
    n_state: int,
    phase: int,
    n: int,
    varies: np.ndarray,
    still: set[int],
    resting: frozenset[int],
) -> Equations:
    """The equations, with these variables held, and bodies at rest in these rows."""
    one, values = (0,), numbers_in(values_in(model), n)
    named = (graph.named(place, values[place]) if varies[place] else x for place, x in enumerate(values[:, 0].tolist()))
    numbers = _with_numbers(model, named, n)
    scratch = _as_objects(make_scratch(_first_lane(model, n), one, n_state))
    set_constants(scratch, numbers, 1)
    state = np.zeros((n_state, at.STATE.width), object)
    time, found = graph.variable(), Equations(graph, [], [], [], resting)
    given = list(_name_variables(state, numbers, len(scratch.unwrapped), graph, time, found, still))
    evaluate(time, with_rows(WorldBlock(phase, numbers, state, scratch, one)))
    laws = (getattr(numbers.pairwise, each.name) for each in (FOLLOWED if numbers.pairwise else ()))
    loads = [load for law in laws for load in with_rows(law).who]
    acting = {load.followed: float(load.begin <= phase < load.until) for load in loads}
    rates = dict(_rates(state, numbers, with_rows(scratch)))
    found.variables.append(SeriesVariable(TIME, 0, at.NO_ROW, time, 1.0))
    for row, name, parts in given:
        first, (column, width) = len(found.variables), at.STATE.parts[name]
        low = at.STATE.parts.get(f"{name}_low", (at.NO_ROW, 0))[0]
        for k in range(width):
            found.variables.append(
                SeriesVariable(row, column + k, low + k if low >= 0 else low, parts[k], rates[row, name][k])
            )
        measured = first + (1 if name == "p" and keeps_mode(row, with_rows(model)) else width)
        found.groups.append((first, measured, name != "work"))
        if measured < first + width:
            found.groups.append((measured, first + width, False))
    for k, (row, vertex, _, _) in enumerate(found.windings):
        unwrapped = with_rows(scratch).unwrapped[k]
        found.windings[k] = (row, vertex, unwrapped.now, unwrapped.turns_over * acting[k])
    return found


def _name_variables(
    state: np.ndarray, model: Model, n_unwrapped: int, graph: Graph, time: Vertex, found: Equations, still: set[int]
) -> Iterator[tuple[int, str, list[Vertex]]]:
    """Put variables into the state, those in `still` as held ones; yields row, part and vertices of each vector."""
    n_moved, n_posed, place = len(model.moved_node), len(state) - n_unwrapped - 1, 1
    for row in range(n_posed):
        is_moved = row < n_moved
        for name in ("p", "q", "v", "omega", "work") if is_moved else ("p", "q"):
            begin, width = at.STATE.parts[name]
            vertices = [graph.held_variable() if place + k in still else graph.variable() for k in range(width)]
            state[row, begin : begin + width] = 0.0 if name == "omega" and row in found.resting else vertices
            place += width
            yield row, name, vertices
        if not is_moved:  # the pose of a rate-driven node is that of the time itself
            state[row, at.RATE_DRIVEN.since] = time
    first = len(state) - n_unwrapped
    last = first + n_unwrapped - measured(model)
    for row in range(last, len(state)):  # a length that is measured, and its mode
        vertices = [graph.held_variable() for _ in range(3)]
        state[row, at.STATE.p] = vertices
        yield row, "p", vertices
    for row in range(first, last):
        state[row, at.UNWRAPPED.last] = vertex = graph.held_variable()
        found.windings.append((row, vertex, 0.0, 0.0))


def _rates(state: np.ndarray, model: Model, scratch: Scratch) -> Iterator[tuple[tuple[int, str], tuple]]:
    """The rate of each vector of the state; coordinates of joints have no attitude."""
    n_moved = len(model.moved_node)
    for i in range(n_moved):
        now, rate = at.STATE(state[i]), scratch.rate[i]
        has_attitude = model.joints is None or with_rows(model).joints.joint[i].dof >= 3
        turning = product(now.q, (0.0, *now.omega)) if has_attitude else (0.0,) * 4
        yield (i, "p"), now.v
        yield (i, "q"), tuple(0.5 * x for x in turning)
        yield (i, "v"), rate.a
        yield (i, "omega"), rate.alpha
        yield (i, "work"), (rate.power,)
    for row in range(len(state) - measured(model), len(state)):
        yield (row, "p"), (0.0,) * 3
    for k in range(len(model.expressions.rate_driven) if model.expressions else 0):
        rate_driven, posed = with_rows(model).expressions.rate_driven[k], at.RATE_DRIVEN(state[n_moved + k])
        driven = scratch.driven[rate_driven.row]
        turning = product((0.0, *driven.omega), posed.q) if rate_driven.turns else (0.0,) * 4
        yield (n_moved + k, "p"), driven.v if rate_driven.moves else (0.0,) * 3
        yield (n_moved + k, "q"), scaled4(0.5, turning)


def scaled4(k: float, q: tuple) -> tuple:
    """A quaternion times a number."""
    return (k * q[0], *scaled(k, q[1:]))


def values_in(part: Any) -> Iterator[np.ndarray]:
    """The arrays of the numbers of a model, in the order of its fields."""
    if isinstance(part, tuple):
        for inner in part:
            yield from values_in(inner)
    elif holds_values(part):
        yield part


def numbers_in(arrays: Iterable[np.ndarray], n_lane: int) -> np.ndarray:
    """(number, lane) the numbers in some arrays of so many lanes."""
    return np.concatenate([np.zeros((0, n_lane)), *(each.reshape(-1, n_lane) for each in arrays)])


def _with_numbers(part: Any, numbers: Iterator[Number], n_lane: int) -> Any:
    """A model of one lane, of these numbers, in the order of its fields."""
    if isinstance(part, tuple):
        parts = [_with_numbers(inner, numbers, n_lane) for inner in part]
        return type(part)(*parts) if hasattr(part, "_fields") else tuple(parts)
    if not holds_values(part):
        return part
    made = np.empty((len(part), part.shape[1] // n_lane), object)
    made.ravel()[:] = [next(numbers) for _ in range(made.size)]
    return made


def _first_lane(part: Any, n: int) -> Any:
    """The model of the first lane."""
    if isinstance(part, tuple):
        parts = [_first_lane(inner, n) for inner in part]
        return type(part)(*parts) if hasattr(part, "_fields") else tuple(parts)
    is_lanes = isinstance(part, np.ndarray) and holds_values(part)
    return np.ascontiguousarray(part[:, ::n]) if is_lanes else part


def _as_objects(part: Any) -> Any:
    """Scratch arrays that can hold vertices."""
    if isinstance(part, tuple):
        return type(part)(*map(_as_objects, part))
    if isinstance(part, np.ndarray) and part.dtype == np.float64:
        made = np.empty(part.shape, object)
        made[...] = part.tolist() if part.size else 0.0
        return made
    return part
