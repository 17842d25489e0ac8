"""The equations of motion of a block as a graph, and the graph as tables for the stepper."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from rigidsim.engine import layout as at
from rigidsim.engine.evaluate import evaluate
from rigidsim.engine.laws.registry import FOLLOWED
from rigidsim.engine.layout import RUN, TERM, VARIABLE
from rigidsim.engine.model import Model, Scratch, holds_values, make_scratch, set_constants, table
from rigidsim.engine.series.graph import Graph, Node, Number, is_constant
from rigidsim.engine.series.recurrences import CODE
from rigidsim.jit.rows import with_rows
from rigidsim.physics.quaternion import product
from rigidsim.physics.vector import scaled

MOST_TERMS = 24  # the highest order of a series
GIVEN = ("variable", "held_variable")
TIME = -1  # in place of the row of a variable of the state


class Variable(NamedTuple):
    """A number of the state: its row and column, the column of its low part or NO_ROW, its node, and its rate."""

    row: int
    column: int
    low: int
    node: Node
    rate: Number


class Equations(NamedTuple):
    """The graph of one era: the time and the variables of the state, windings that an evaluation finds anew, the groups
    of variables that are vectors, and margins with their comparisons.
    """

    variables: list[Variable]
    windings: list[tuple[int, Node, Number, Number]]  # row of the state, node; the winding now, whether it turns over
    groups: list[tuple[int, int]]  # first variable, and that after the last
    margins: list[tuple[Node, Node]]


def equations_of(model: Model, n_state: int, era: int, n: int) -> Equations:
    """The equations of motion in an era, of a state with so many rows: the text of `evaluate`, with nodes in place of
    numbers.
    """
    graph, one = Graph(n), (0,)
    numbers = _as_numbers(model, graph)
    scratch = _as_objects(make_scratch(_first_lane(model, n), one, n_state))
    set_constants(scratch, numbers, 1)
    state = np.zeros((n_state, at.STATE.width), object)
    time, found = graph.variable(), Equations([], [], [], [])
    given = list(_name_variables(state, numbers, len(scratch.wound), graph, time, found))
    evaluate(time, era, with_rows(numbers), state, with_rows(scratch), one)
    laws = (getattr(numbers.pairwise, each.name) for each in (FOLLOWED if numbers.pairwise else ()))
    loads = [load for law in laws for load in with_rows(law).who]
    acting = {load.followed: float(load.begin <= era < load.until) for load in loads}
    rates = dict(_rates(state, numbers, with_rows(scratch)))
    found.variables.append(Variable(TIME, 0, at.NO_ROW, time, 1.0))
    for row, name, parts in given:
        first, (column, width) = len(found.variables), at.STATE.parts[name]
        low = at.STATE.parts.get(f"{name}_low", (at.NO_ROW, 0))[0]
        for k in range(width):
            found.variables.append(
                Variable(row, column + k, low + k if low >= 0 else low, parts[k], rates[row, name][k])
            )
        if name != "work":
            found.groups.append((first, first + width))
    for k, (row, node, _, _) in enumerate(found.windings):
        wound = with_rows(scratch).wound[k]
        found.windings[k] = (row, node, wound.now, wound.turns_over * acting[k])
    found.margins.extend(graph.margins.values())
    return found


def _name_variables(
    state: np.ndarray, model: Model, n_wound: int, graph: Graph, time: Node, found: Equations
) -> Iterator[tuple[int, str, list[Node]]]:
    """Put variables into the state; yields row, part and nodes of each vector."""
    n_moved, n_posed = len(model.moved_node), len(state) - n_wound - 1
    for row in range(n_posed):
        is_moved = row < n_moved
        for name in ("p", "q", "v", "omega", "work") if is_moved else ("p", "q"):
            begin, width = at.STATE.parts[name]
            state[row, begin : begin + width] = nodes = [graph.variable() for _ in range(width)]
            yield row, name, nodes
        if not is_moved:  # the pose of a paced node is that of the time itself
            state[row, at.PACED.since] = time
    for k in range(n_wound):
        row = len(state) - n_wound + k
        state[row, at.WOUND.last] = last = graph.held_variable()
        found.windings.append((row, last, 0.0, 0.0))


def _rates(state: np.ndarray, model: Model, scratch: Scratch) -> Iterator[tuple[tuple[int, str], tuple]]:
    """The rate of each vector of the state."""
    n_moved = len(model.moved_node)
    for i in range(n_moved):
        now, rate = at.STATE(state[i]), scratch.rate[i]
        turning = product(now.q, (0.0, *now.omega))
        yield (i, "p"), now.v
        yield (i, "q"), tuple(0.5 * x for x in turning)
        yield (i, "v"), rate.a
        yield (i, "omega"), rate.alpha
        yield (i, "work"), (rate.power,)
    for k in range(len(model.expressions.paced) if model.expressions else 0):
        paced, now = with_rows(model).expressions.paced[k], at.PACED(state[n_moved + k])
        driven = scratch.driven[paced.row]
        turning = product((0.0, *driven.omega), now.q) if paced.turns else (0.0,) * 4
        yield (n_moved + k, "p"), driven.v if paced.moves else (0.0,) * 3
        yield (n_moved + k, "q"), scaled4(0.5, turning)


def scaled4(k: float, q: tuple) -> tuple:
    """A quaternion times a number."""
    return (k * q[0], *scaled(k, q[1:]))


def _as_numbers(part: Any, graph: Graph) -> Any:
    """A model of one lane, whose numbers are floats, or constants of the graph where they differ from lane to lane."""
    if isinstance(part, tuple):
        parts = [_as_numbers(inner, graph) for inner in part]
        return type(part)(*parts) if hasattr(part, "_fields") else tuple(parts)
    if not isinstance(part, np.ndarray) or not holds_values(part):
        return part
    rows = part.reshape(len(part), part.shape[1] // graph.n_lane, graph.n_lane)
    made = np.empty(rows.shape[:2], object)
    for index in np.ndindex(made.shape):
        made[index] = graph.constant(rows[index])
    return made


def _first_lane(part: Any, n: int) -> Any:
    """The model of the first lane."""
    if isinstance(part, tuple):
        parts = [_first_lane(inner, n) for inner in part]
        return type(part)(*parts) if hasattr(part, "_fields") else tuple(parts)
    is_lanes = isinstance(part, np.ndarray) and holds_values(part)
    return np.ascontiguousarray(part[:, ::n]) if is_lanes else part


def _as_objects(part: Any) -> Any:
    """Scratch arrays that can hold nodes."""
    if isinstance(part, tuple):
        return type(part)(*map(_as_objects, part))
    if isinstance(part, np.ndarray) and part.dtype == np.float64:
        made = np.empty(part.shape, object)
        made[...] = part.tolist() if part.size else 0.0
        return made
    return part


# --- as tables


class Series(NamedTuple):
    """The equations of all eras as tables. The rows of series are those of the time, of the variables, of windings, of
    constants, and of operations; eras share them.
    """

    variable: VARIABLE
    number: np.ndarray  # (era) the number of its equations
    rate: np.ndarray  # (equations, variable) the row of its rate
    group: np.ndarray  # (group, 2) first variable, and that after the last
    term: TERM  # of all equations, one after the other
    run: RUN  # of these operations
    first: np.ndarray  # (equations + 1) the first run of each
    winding: np.ndarray  # (winding) row of the state
    now: np.ndarray  # (equations, winding, 2) the rows of its present value, and of whether it turns over
    margin: np.ndarray  # (margin, 2) rows of a margin and of its comparison; of all equations
    first_margin: np.ndarray  # (equations + 1)
    n_posed: int  # rows of the state that have an orientation


def series_of(model: Model, n_state: int, n: int) -> tuple[Series, np.ndarray]:
    """The tables of a model, and the value of each row that is a constant, (row, lanes), else 0. Eras in which the same
    loads act share their equations.
    """
    eras = [_acting(model, era) for era in range(len(model.edge_step) + 1)]
    different = list(dict.fromkeys(eras))
    made = [equations_of(model, n_state, eras.index(each), n) for each in different]
    return tables_of(made, [different.index(each) for each in eras], n)


def _acting(model: Model, era: int) -> tuple[bool, ...]:
    """Which loads act in an era."""
    scripts = [model.expressions.scripts] if model.expressions else []
    whos = [with_rows(law).who for law in (*model.single, *(model.pairwise or ()), *scripts)]
    return tuple(who[k].begin <= era < who[k].until for who in whos for k in range(len(who)))


def tables_of(eras: list[Equations], number: list[int], n_lane: int) -> tuple[Series, np.ndarray]:
    """The tables of these equations, of which each era has one, and the values of constants."""
    one, live = eras[0], [in_runs(_live(each)) for each in eras]
    inputs = [[*(v.node for v in each.variables), *(winding[1] for winding in each.windings)] for each in eras]
    keys = dict.fromkeys(_key(x) for each in zip(eras, live, strict=True) for x in _constants_in(*each))
    constants = {key: len(inputs[0]) + k for k, key in enumerate(keys)}
    first_held = len(inputs[0]) + len(constants)
    held = [[node for node in nodes if node.is_held] for nodes in live]
    first_varying = first_held + max(map(len, held))
    terms, runs, firsts, rates, margins, first_margins, now = [], [], [0], [], [], [0], []
    for each, given, nodes, still in zip(eras, inputs, live, held, strict=True):
        varying = [node for node in nodes if not node.is_held]
        rows = {node.place: row for row, node in enumerate(given)}
        rows |= {node.place: first_held + k for k, node in enumerate(still)}
        rows |= {node.place: first_varying + k for k, node in enumerate(varying)}

        def row_of(x: Number, rows: dict[int, int] = rows) -> int:
            return constants[_key(x)] if is_constant(x) else rows[x.place]

        for kind, alike in groupby(nodes, kind_of):
            begin = len(terms)
            for node in alike:
                terms.append([*[row_of(x) for x in in_place(node)], 0, 0, 0][:3] + [rows[node.place]])
            runs.append([*kind, begin, len(terms)])
        firsts.append(len(runs))
        rates.append([row_of(v.rate) for v in each.variables[1:]])
        margins += [[row_of(x) for x in margin] for margin in each.margins]
        first_margins.append(len(margins))
        now.append([[row_of(x), row_of(over)] for *_, x, over in each.windings])
    n_row = first_varying + max(len(nodes) - len(still) for nodes, still in zip(live, held, strict=True))
    values = np.zeros((n_row, n_lane))
    for key, row in constants.items():
        values[row] = np.frombuffer(key)
    made = Series(
        variable=table([[v.row, v.column, v.low] for v in one.variables[1:]], at.VARIABLE.width),
        number=np.array(number),
        rate=table(rates, len(one.variables) - 1),
        group=table(one.groups, 2),
        term=table(terms, at.TERM.width),
        run=table(runs, at.RUN.width),
        first=np.array(firsts),
        winding=np.array([winding[0] for winding in one.windings], np.int64),
        now=np.array(now, np.int64).reshape(len(eras), len(one.windings), 2),
        margin=table(margins, 2),
        first_margin=np.array(first_margins),
        n_posed=1 + max(v.row for v in one.variables),
    )
    return made, values


def _key(x: Number) -> bytes:
    """A constant, as a key: 0.0 and -0.0 are different ones."""
    return (x.values if isinstance(x, Node) else np.float64(x)).tobytes()


def _live(equations: Equations) -> list[Node]:
    """The operations that rates, windings and margins need, in the order in which they can be computed."""
    waiting, found = [*_results(equations), *(x for pair in equations.margins for x in pair)], {}
    while waiting:
        x = waiting.pop()
        if not is_constant(x) and x.operation not in GIVEN and x.place not in found:
            found[x.place] = x
            waiting += x.operands
    return [found[place] for place in sorted(found)]


def _constants_in(equations: Equations, nodes: list[Node]) -> Iterator[Number]:
    yield from filter(is_constant, [*_results(equations), *(x for node in nodes for x in node.operands)])


def _results(equations: Equations) -> list[Number]:
    return [v.rate for v in equations.variables] + [x for *_, now, over in equations.windings for x in (now, over)]


def is_still(x: Number) -> bool:
    """Whether a number does not change during a step."""
    return is_constant(x) or x.is_held


def in_place(node: Node) -> list[Number]:
    """The operands of an operation, a held one of two that may change places last."""
    a, *more = node.operands
    return [*more, a] if node.operation in ("add", "multiply") and is_still(a) else node.operands


def kind_of(node: Node) -> tuple[int, int]:
    """The operation of the value, and that of the growth or NO_ROW. A held operand is a number, not a series: growth is
    simpler then.
    """
    grow, (a, *more) = node.operation, in_place(node)
    b = more[0] if more else None
    if node.is_held:
        return CODE[grow], at.NO_ROW
    if grow in ("add", "subtract", "multiply", "divide") and is_still(b):
        grow = {"multiply": "scale", "divide": "share"}.get(grow, "copy")
    elif grow == "subtract" and is_still(a):
        grow = "oppose"
    elif grow == "grow" and not is_still(a):
        grow = "grow_further"
    return CODE[node.operation], CODE[grow]


def needed_by(node: Node) -> list[Number]:
    """The operands whose coefficients up to k an operation needs for its own one: `grow` needs a slope below k."""
    return node.operands[:2] if node.operation == "grow" else node.operands


def in_runs(nodes: list[Node]) -> list[Node]:
    """The operations in another order in which they can be computed, so that many of one kind follow each other: always
    those of the kind of which the most are ready.
    """
    places = {node.place for node in nodes}
    waits = {node.place: 0 for node in nodes}
    users: dict[int, list[Node]] = {}
    for node in nodes:
        for place in {x.place for x in needed_by(node) if isinstance(x, Node)} & places:
            users.setdefault(place, []).append(node)
            waits[node.place] += 1
    ready: dict[tuple[int, int], list[Node]] = {}
    for node in nodes:
        if not waits[node.place]:
            ready.setdefault(kind_of(node), []).append(node)
    made = []
    while ready:
        kind = max(ready, key=lambda each: len(ready[each]))
        for node in (alike := ready[kind]):
            made.append(node)
            for user in users.get(node.place, ()):
                waits[user.place] -= 1
                if not waits[user.place]:
                    (alike if kind_of(user) == kind else ready.setdefault(kind_of(user), [])).append(user)
        del ready[kind]
    return made
