"""The equations of motion as tables for the stepper, and the numbers in them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from rigidsim.engine.model import layout as at
from rigidsim.engine.model.arrays import Model, table
from rigidsim.engine.model.layout import GROUP, RUN, TERM, VARIABLE
from rigidsim.engine.series.equations import Equations, equations_of, numbers_in, values_in
from rigidsim.engine.series.graph import Guard, Number, Vertex, is_constant, is_number
from rigidsim.engine.series.recurrences import CODE, OPERATIONS
from rigidsim.jit.rows import with_rows

GIVEN = ("variable", "held_variable")


class Series(NamedTuple):
    """The equations of all phases as tables. Rows of series are those of the time, of the variables and of windings,
    for each of the equations; then those of constants and of operations, which they share. `values` and `growths` have
    the formulas of what is among the operations; they are known when code is made.
    """

    @property
    def is_constant(self) -> bool:
        """Straight code knows its integers."""
        return True

    variable: VARIABLE
    number: np.ndarray  # (phase, 2) the number of its equations, and of those with bodies at rest or NO_ROW
    resting: np.ndarray | None  # (phase, moved row) 1 if that body is at rest in these; None if there are none
    begin: np.ndarray  # (equations) the row of the time
    group: GROUP
    varies: np.ndarray  # (equations, group) 0 if all its variables stay as they are
    rate: np.ndarray  # (equations, variable) the row of its rate
    alone: TERM  # as `term`, of numbers without their other coefficients
    term: TERM  # of all equations, one after the other: first the rates of variables, then the operations
    run: RUN  # of these; no product depends on another of its run
    first: np.ndarray  # (equations + 1) the first run of each
    integrated: np.ndarray  # (equations) the first run of operations
    winding: np.ndarray  # (winding) row of the state
    now: np.ndarray  # (equations, winding, 2) the rows of its present value, and of whether it turns over
    guard: np.ndarray  # (guard, 3) rows of a guard and of whether it is negative; whether it is a kink
    first_guard: np.ndarray  # (equations + 1)
    n_posed: int  # rows of the state that have an orientation
    values: tuple[tuple[int, Callable, int], ...]  # operation, formula of its value, and of how many numbers
    roundings: tuple[tuple[int, Callable, int], ...]  # the same of a bound of its rounding
    growths: tuple[tuple[int, Callable, tuple], ...]  # operation, formula of its coefficients, and what it takes


class SeriesSource:
    """The equations of one block after another: derived once, and again only where numbers differ that did not before.

    A number that is the same in all lanes of all blocks is part of the graph, which is simpler for it; the others are
    constants with a name, of which the graph knows nothing.
    """

    def __init__(self, model: Model, n_state: int, n_lane: int, before: SeriesSource | None = None):
        self._model, self._arrays = model, list(values_in(model))
        numbers = numbers_in(self._arrays, n_lane)
        self._known = numbers[:, :1].copy()
        self._varies = self._differs(numbers)
        if before:
            self._varies |= before._varies | before._differs(numbers)
        self._exponents: set[float | None] = before._exponents if before else set()

        def derived(phase: int, resting: frozenset[int] = frozenset()) -> Equations:
            return equations_of(model, n_state, phase, n_lane, self._varies, resting, self._exponents)

        phases = [_acting(model, phase) for phase in range(len(model.edge_step) + 1)]
        different = list(dict.fromkeys(phases))
        self.equations = [derived(phases.index(each)) for each in different]
        self.number = [(different.index(each), at.NO_ROW) for each in phases]  # as in `Series`
        for k, each in enumerate(different):
            if turning := self.equations[k].turning():
                found = derived(phases.index(each), turning)
                if found.resting:
                    self.number = [(i, len(self.equations) if i == k else rest) for i, rest in self.number]
                    self.equations.append(found)

    def _differs(self, numbers: np.ndarray) -> np.ndarray:
        """(number) whether it is another one, in any lane, than when the equations were derived."""
        return (numbers.view(np.int64) != self._known.view(np.int64)).any(axis=1)

    def renew(self, model: Model, n_lane: int) -> bool:
        """Give the constants the values in another model of the same structure; False if other equations are needed."""
        numbers = numbers_in(self._arrays if model is self._model else values_in(model), n_lane)
        if np.any(self._differs(numbers) > self._varies):
            return False
        renewed = [each.graph.renew(numbers) for each in self.equations]
        return all(renewed)


def _acting(model: Model, phase: int) -> tuple[bool, ...]:
    """Which loads act in a phase."""
    scripts = [model.expressions.scripts] if model.expressions else []
    whos = [with_rows(law).who for law in (*model.single, *filter(None, model.pairwise or ()), *scripts)]
    return tuple(who[k].begin <= phase < who[k].until for who in whos for k in range(len(who)))


class RowsOfNumbers:
    """The rows of the numbers of all equations. Constants and held numbers have rows that never become others."""

    def __init__(self, equations: list[Equations], live: list[list[Vertex]]):
        inputs = [
            [*(v.vertex for v in each.variables), *(winding[1] for winding in each.windings)] for each in equations
        ]
        self.constants = {}  # row and constant
        found: dict[bytes | int, int] = {}
        self._of = []
        self.begin = [k * len(given) for k, given in enumerate(inputs)]
        self.n = sum(map(len, inputs))
        for begin, given, each, vertices in zip(self.begin, inputs, equations, live, strict=True):
            rows: dict[bytes | int, int] = {vertex.place: begin + row for row, vertex in enumerate(given)}
            for x in constants_in(each, vertices):
                rows_of_kind = rows if isinstance(x, Vertex) else found
                if key_of(x) not in rows_of_kind:
                    rows_of_kind[key_of(x)] = self.n
                    self.constants[self.n] = x
                    self.n += 1
            self._of.append(rows)
        for is_held in (True, False):
            chosen = [[vertex for vertex in vertices if vertex.is_held == is_held] for vertices in live]
            for rows, vertices in zip(self._of, chosen, strict=True):
                rows.update((vertex.place, self.n + k) for k, vertex in enumerate(vertices))
            self.n += max(map(len, chosen))
        for rows in self._of:
            rows.update(found)

    @property
    def rows_of_constants(self) -> slice:
        """The rows of all constants."""
        first = next(iter(self.constants), 0)
        return slice(first, first + len(self.constants))

    def of(self, k: int) -> Callable[[Number], int]:
        """The row of a number of equations k."""
        return lambda x: self._of[k][key_of(x)]

    def put_values(self, series: np.ndarray, n_lane: int) -> None:
        """Make the values of constants the first coefficients of their rows, in all lanes."""
        for row, x in self.constants.items():
            series[row, :n_lane] = x.values if isinstance(x, Vertex) else x


def _add_runs(
    kinds: Iterable[tuple[tuple[int, int], list[int]]], runs: list[list[int]], terms: list[list[int]], size: int
) -> int:
    """Add operations, of which the kinds and the rows of so many numbers are given, to the runs of one kind each.
    Returns the number of runs.
    """
    found: set[int] = set()  # rows that this run makes: products of one run grow side by side, from others only
    for kind, places in kinds:
        depends = kind[1] == CODE["multiply"] and not found.isdisjoint(places[:2])
        if depends or not found or runs[-1][:2] != [*kind]:
            runs.append([*kind, len(terms), len(terms)])
            found = set()
        found.add(places[3])
        terms.append([row * size for row in places])
        runs[-1][3] = len(terms)
    return len(runs)


def tables_of(
    equations: list[Equations], number: list[tuple[int, int]], width: int, n_lane: int
) -> tuple[Series, RowsOfNumbers]:
    """The tables of these equations, with their numbers in each phase, for rows of so many coefficients."""
    one, live = equations[0], [in_runs(live_in(each)) for each in equations]
    rows, firsts, integrated = RowsOfNumbers(equations, live), [0], []
    terms: list[list[int]] = []
    runs: list[list[int]] = []
    varies = [[_varies(each, *group[:2]) for group in each.groups] for each in equations]
    resting = [equations[rest].resting if rest != at.NO_ROW else () for _, rest in number]
    guards, first_guards, now, rates = [], [0], [], []
    n_posed = 1 + max((v.row for v in one.variables if v.column == at.STATE.place("q")), default=-1)

    for k, (each, vertices) in enumerate(zip(equations, live, strict=True)):
        row_of = rows.of(k)
        rates.append([row_of(v.rate) for v in each.variables[1:]])
        integrated.append(_add_runs(_integrations(each, varies[k], row_of), runs, terms, width * n_lane))
        operations = ((kind_of(x), [*[*map(row_of, in_place(x)), 0, 0][:3], row_of(x)]) for x in vertices)
        firsts.append(_add_runs(operations, runs, terms, width * n_lane))
        watched = guards_of(each, {vertex.place for vertex in vertices})
        kinks = kinks_in(watched, vertices)
        guards += [[row_of(x.guard), row_of(x.answer), kink] for x, kink in zip(watched, kinks, strict=True)]
        first_guards.append(len(guards))
        now.append([[row_of(x), row_of(over)] for *_, x, over in each.windings])
    formulas, grown = ([(k, OPERATIONS[k]) for k in _different(runs, column)] for column in (0, 1))
    made = Series(
        variable=table([[v.row, v.column, v.low] for v in one.variables[1:]], at.VARIABLE.width),
        number=table(number, 2),
        resting=table([[row in rows for row in range(n_posed)] for rows in resting], n_posed) if any(resting) else None,
        begin=np.array(rows.begin),
        group=table([[begin - 1, end - 1, limits] for begin, end, limits in one.groups], at.GROUP.width),
        varies=table(varies, len(one.groups)),
        rate=table(rates, len(one.variables) - 1),
        alone=table([[place // width for place in places] for places in terms], at.TERM.width),
        term=table(terms, at.TERM.width),
        run=table(runs, at.RUN.width),
        first=np.array(firsts),
        integrated=np.array(integrated),
        winding=np.array([winding[0] for winding in one.windings], np.int64),
        now=np.array(now, np.int64).reshape(len(equations), len(one.windings), 2),
        guard=table(guards, 3),
        first_guard=np.array(first_guards),
        n_posed=n_posed,
        values=tuple((k, one.value, one.takes) for k, one in formulas if one.value),
        roundings=tuple((k, one.bound, one.takes) for k, one in formulas if one.bound),
        growths=tuple((k, one.growth, one.grows_by) for k, one in grown if one.growth),
    )
    return made, rows


def _different(runs: list[list[int]], column: int) -> list[int]:
    """The operations in a column, in the order of their numbers."""
    return sorted({run[column] for run in runs} - {at.NO_ROW})


def _varies(equations: Equations, begin: int, end: int) -> bool:
    """Whether any of these variables has a rate that is not zero."""
    return any(not is_number(v.rate, 0.0) for v in equations.variables[begin:end])


def _integrations(
    equations: Equations, varies: list[bool], row_of: Callable[[Number], int]
) -> list[tuple[tuple[int, int], list[int]]]:
    """How the time and the variables of groups that vary grow, as `kind_of` says of operations, and their rows."""
    moving = (group[:2] for group, moves in zip(equations.groups, varies, strict=True) if moves)
    places = [0, *(k for group in moving for k in range(*group))]
    rates = [equations.variables[k].rate for k in places]
    kinds = [(at.NO_ROW, CODE["line" if is_still(rate) else "integrate"]) for rate in rates]
    vertices = [equations.variables[k].vertex for k in places]
    return sorted((kind, [row_of(rate), 0, 0, row_of(x)]) for kind, rate, x in zip(kinds, rates, vertices, strict=True))


def key_of(x: Number) -> bytes | int:
    """A number, as a key: 0.0 and -0.0 are different ones."""
    return x.place if isinstance(x, Vertex) else np.float64(x).tobytes()


def live_in(equations: Equations) -> list[Vertex]:
    """The operations that rates, windings and their guards need, in the order in which they can be computed."""
    waiting = results_of(equations)
    found: dict[int, Vertex] = {}
    while waiting:
        find_needed(waiting, found)
        guards = [x for each in guards_of(equations, found) for x in (each.guard, each.answer)]
        waiting = [x for x in guards if not is_constant(x) and x.place not in found and x.operation not in GIVEN]
    return [found[place] for place in sorted(found)]


def find_needed(waiting: list[Number], found: dict[int, Vertex]) -> None:
    """Add the operations that these numbers need to those that were found, by their places."""
    while waiting:
        x = waiting.pop()
        if not is_constant(x) and x.operation not in GIVEN and x.place not in found:
            found[x.place] = x
            waiting += x.operands


def kinks_in(watched: list[Guard], vertices: list[Vertex]) -> list[bool]:
    """Whether the operations have a kink at each guard, and no jump: it is a root that no divisor depends on."""
    divisors: dict[int, Vertex] = {}
    find_needed([vertex.operands[1] for vertex in vertices if vertex.operation == "divide"], divisors)
    return [is_constant(each.answer) and each.guard.place not in divisors for each in watched]


def guards_of(equations: Equations, live: Container[int]) -> list[Guard]:
    """The guards on which any operation at these places depends."""
    return [each for each in equations.graph.guards.values() if each.user.place in live]


def constants_in(equations: Equations, vertices: list[Vertex]) -> Iterator[Number]:
    """The constants that these operations, rates, windings and guards need."""
    answers = (each.answer for each in guards_of(equations, {vertex.place for vertex in vertices}))
    yield from filter(
        is_constant, [*results_of(equations), *answers, *(x for vertex in vertices for x in vertex.operands)]
    )


def results_of(equations: Equations) -> list[Number]:
    """Rates, and what is known of windings."""
    return [v.rate for v in equations.variables] + [x for *_, now, over in equations.windings for x in (now, over)]


def is_still(x: Number) -> bool:
    """Whether a number does not change during a step."""
    return is_constant(x) or x.is_held


def in_place(vertex: Vertex) -> list[Number]:
    """The operands of an operation, a held one of two that may change places last."""
    a, *more = vertex.operands
    return [*more, a] if vertex.operation in ("add", "multiply") and is_still(a) else vertex.operands


def kind_of(vertex: Vertex) -> tuple[int, int]:
    """The operation of the value, and that of the growth or NO_ROW. A held operand is a number, not a series: growth is
    simpler then.
    """
    grow, (a, *more) = vertex.operation, in_place(vertex)
    b = more[0] if more else None
    if vertex.is_held:
        return CODE[grow], at.NO_ROW
    if grow in ("add", "subtract", "multiply", "divide") and is_still(b):
        grow = {"multiply": "scale", "divide": "share"}.get(grow, "copy")
    elif grow == "subtract" and is_still(a):
        grow = "oppose"
    return CODE[vertex.operation], CODE[grow]


def needed_by(vertex: Vertex) -> list[Number]:
    """The operands whose coefficients up to k an operation needs for its own one: `grow` needs a slope below k."""
    return vertex.operands[:2] if vertex.operation == "grow" else vertex.operands


def in_runs(vertices: list[Vertex]) -> list[Vertex]:
    """The operations in another order in which they can be computed, so that many of one kind follow each other: always
    those of the kind of which the most are ready.
    """
    places = {vertex.place for vertex in vertices}
    waits = {vertex.place: 0 for vertex in vertices}
    users: dict[int, list[Vertex]] = {}
    for vertex in vertices:
        for place in {x.place for x in needed_by(vertex) if isinstance(x, Vertex)} & places:
            users.setdefault(place, []).append(vertex)
            waits[vertex.place] += 1
    ready: dict[tuple[int, int], list[Vertex]] = {}
    for vertex in vertices:
        if not waits[vertex.place]:
            ready.setdefault(kind_of(vertex), []).append(vertex)
    made = []
    while ready:
        kind = max(ready, key=lambda each: len(ready[each]))
        for vertex in (same := ready[kind]):
            made.append(vertex)
            for user in users.get(vertex.place, ()):
                waits[user.place] -= 1
                if not waits[user.place]:
                    (same if kind_of(user) == kind else ready.setdefault(kind_of(user), [])).append(user)
        del ready[kind]
    return made
