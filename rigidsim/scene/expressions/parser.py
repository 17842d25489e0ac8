"""From tokens to a tree, by precedence; the depth of recursion is limited, so that no text can exhaust the stack."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import reduce
from types import MappingProxyType
from typing import NoReturn

from rigidsim.containers.columns import as_float
from rigidsim.physics.operations import CONDITION, NUMBER
from rigidsim.quantities import units as known_units
from rigidsim.quantities.dimensions import in_units, measure_of
from rigidsim.quantities.names import BadName, name_and_unit, read_name
from rigidsim.quantities.vocabulary import BODY, CANONICAL
from rigidsim.scene.expressions import vectors
from rigidsim.scene.expressions.operands import (
    SECONDS,
    VECTOR,
    Operand,
    applied,
    constant,
    converted,
    looked_up,
    named_quantity,
    read_of,
    require,
)
from rigidsim.scene.expressions.reductions import Varying, count_of, reduction
from rigidsim.scene.expressions.scope import OF_LOADS, Scope, operand_of, varies
from rigidsim.scene.expressions.tokens import LONGEST_WRITTEN, BrokenParameter, ExpressionError, Token, tokens
from rigidsim.scene.expressions.tree import (
    COMPARISON,
    NOT,
    POWER,
    SIGN,
    SUM,
    Apply,
    Expression,
    ExpressionTree,
    Held,
    Number,
    Reduction,
    StateRead,
    Time,
    parts,
    printed,
)
from rigidsim.scene.expressions.tree import INFIX as PRINTED
from rigidsim.scene.expressions.vocabulary import (
    ANGLES,
    ARGUMENTS,
    CALLED,
    CONSTANTS,
    COORDINATES,
    COUNT,
    DRIFT,
    FUNCTIONS,
    OF_JOINTS,
    OWN_FRAMES,
    PARENT,
    RATE,
    REDUCTIONS,
    RESERVED,
    REWRITTEN,
    SELF,
    SPECIAL,
    STATES,
    TIME,
    WORDS,
)
from rigidsim.scene.text.document import shown
from rigidsim.tree.nodes import WORLD

UNIT = re.compile(rf"\s*({'|'.join(map(re.escape, known_units.LONGEST_FIRST))})(?![\w^])")
"""A unit behind a number."""
LONGEST = 2000
LAWS = (
    "forces of bodies and laws of motors may read the state and controllers, as in"
    ' motor: {torque: "= -40*(angle - 0.3) - 5*rate"}'
)
CONSTANT = f"this number is constant; {LAWS}"
DEEPEST_NESTING = 110
"""A tree of the greatest depth needs two levels for each of its own: brackets, and the operand in them."""

INFIX: dict[str, tuple[int, int, Callable]] = {
    "^": (POWER, POWER, lambda at, a, b: applied("power", at, a, b)),
    "**": (POWER, POWER, lambda at, a, b: applied("power", at, a, b)),
    "!=": (COMPARISON, SUM, lambda at, a, b: applied("not", at, applied("equal", at, a, b))),
    ">": (COMPARISON, SUM, lambda at, a, b: applied("less", at, b, a)),
    ">=": (COMPARISON, SUM, lambda at, a, b: applied("less_equal", at, b, a)),
}
"""Each binary operator: its precedence, the least precedence of its right operand, and its operation."""


def _plain(operation: str) -> Callable:
    return lambda at, a, b: applied(operation, at, a, b)


INFIX |= {
    sign: (binding, binding + 1, _plain(operation))
    for operation, (sign, binding) in PRINTED.items()
    if sign not in INFIX
}


def parse(
    text: str,
    names: Mapping[str, float],
    allow: Collection[str] = frozenset(),
    units: Mapping[str, str] = MappingProxyType({}),
    scope: Scope | None = None,
) -> Expression:
    """The expression in a text that begins with `=`.

    `names` are the parameters (NaN: one that could not be read), `units` the units of some, `scope` the quantities that
    the scene defines. `allow` contains "time" and "state" where those are allowed. With "units", the expression has a
    unit; sums and comparisons of different dimensions are errors. With "paths", too, and bodies are named by their
    paths, seen from the world by default. With "condition", it is a condition, not a number. With "reductions", it is a
    metric: one number of a whole run, perhaps in the unit in brackets behind it, `= max(...) [km/h]`; with "special",
    it may use the functions of oracles.
    """
    if len(text) > LONGEST_WRITTEN:
        raise ExpressionError(f"the expression is longer than {LONGEST} characters", LONGEST)
    written, asked = name_and_unit(text) if "reductions" in allow else (text, "")
    parser = _Parser(written, names, allow, units, scope or Scope())
    whole = parser.whole()
    unit = whole.measure.unit if whole.measure else ""
    tree = _converted(whole.tree, unit, asked, len(written)) if asked else whole.tree
    is_sure = whole.measure is not None and whole.measure.is_sure
    expression = Expression(text, tree, frozenset(parser.mentioned), asked or unit, asked, is_sure)
    if len(text) > LONGEST and str(expression) != text:
        raise ExpressionError(f"the expression is longer than {LONGEST} characters", LONGEST)
    return expression


def parse_vector(
    text: str, names: Mapping[str, float], allow: Collection[str], units: Mapping[str, str], scope: Scope
) -> tuple[Expression, Expression, Expression]:
    """The components of a vector, as expressions, in a text such as `= -2*v`; for the rest see `parse`."""
    if len(text) > LONGEST:
        raise ExpressionError(f"the expression is longer than {LONGEST} characters", LONGEST)
    parser = _Parser(text, names, {*allow, "vector"}, units, scope)
    whole, used = parser.whole(), frozenset(parser.mentioned)
    x, y, z = (Expression(text, part.tree, used) for part in whole.parts)
    return x, y, z


def _converted(tree: ExpressionTree, unit: str, asked: str, offset: int) -> ExpressionTree:
    """What has the unit `unit`, in another one."""
    try:
        return Apply("divide", (tree, Number(in_units(unit, asked))))
    except ValueError as others:
        what = f"what is in {unit}" if unit else "a number without a unit"
        hint = f"there are {others}" if str(others) else ""
        raise ExpressionError(f"{what} cannot be given in '{shown(asked)}'", offset, hint) from None


class _Parser:
    """Reads one text from left to right; `_token` is the next token."""

    def __init__(
        self, text: str, names: Mapping[str, float], allow: Collection[str], units: Mapping[str, str], scope: Scope
    ):
        start = len(text) - len(text.lstrip())
        if text[start : start + 1] != "=":
            raise ExpressionError("an expression begins with '='", start)
        self.mentioned: set[str] = set()
        self._has_units = "paths" in allow or "units" in allow
        self._names, self._units = names, units if self._has_units else {}
        self._allow, self._scope, self._text = allow, scope, text
        self._varying = Varying()
        self._rest = tokens(text, start + 1)
        self._token = next(self._rest)

    def whole(self) -> Operand:
        """The operand of the whole text."""
        result = self._expression(0, 0)
        if self._token.kind != "end":
            self._fail_unexpected("an operator")
        if self._is_metric:
            self._varying.require_none()
        if "vector" in self._allow:
            return require(VECTOR, result)
        return require(CONDITION if "condition" in self._allow else NUMBER, result)

    @property
    def _is_metric(self) -> bool:
        return "reductions" in self._allow

    def _expression(self, least: int, level: int) -> Operand:
        """The next operand, up to an operator that binds less tightly than `least`."""
        if level > DEEPEST_NESTING:
            message = f"brackets, signs and calls are open more than {DEEPEST_NESTING} deep"
            raise ExpressionError(message, self._token.offset, "use parameters for parts")
        left = self._operand(level)
        while self._token.text in INFIX and INFIX[self._token.text][0] >= least:
            sign = self._take()
            _, tightness, build = INFIX[sign.text]
            left = build(sign.offset, left, self._expression(tightness, level + 1))
        return left

    def _operand(self, level: int) -> Operand:
        token = self._token
        if token.kind == "number":
            self._take()
            return self._with_unit(token)
        if token.text in ("-", "+", "not"):
            return self._signed(level)
        if token.text == "(":
            self._take()
            inner = self._expression(0, level + 1)
            self._close()
            return inner
        if token.text == "[":
            return self._literal(level)
        if token.kind == "name" and token.text not in WORDS:
            return self._named(self._take(), level)
        if token.kind == "text" and "paths" in self._allow:
            return self._quantity(self._take())
        return self._fail_unexpected("a number or a name")

    def _literal(self, level: int) -> Operand:
        """A vector by its components: `[0, 0, 1]`."""
        begin, parts = self._take(), [self._expression(0, level + 1)]
        while self._token.text == ",":
            self._take()
            parts.append(self._expression(0, level + 1))
        if self._token.text != "]":
            self._fail_unexpected("']'")
        self._take()
        if len(parts) != 3:
            raise ExpressionError(f"a vector has 3 components, got {len(parts)}", begin.offset, "write [a, b, c]")
        return vectors.vector(parts, begin.offset)

    def _with_unit(self, number: Token) -> Operand:
        """A number, perhaps with the unit behind it, `6378 km`: the longest that fits."""
        found = UNIT.match(self._text, number.offset + len(number.text)) if self._token.kind == "name" else None
        if found is None:
            return constant(float(number.text), number.offset, number.text)
        if found[1] == TIME or found[1] in self._names:
            message = f"'{found[1]}' is a unit, and a name here"
            raise ExpressionError(message, found.start(1), f"write {shown(number.text)}*{found[1]} to multiply")
        self._rest = tokens(self._text, found.end())
        self._token = next(self._rest)
        value = known_units.in_si(number.text, known_units.factor(found[1]))
        return constant(value, number.offset, number.text, measure_of(found[1]))

    def _signed(self, level: int) -> Operand:
        sign = self._take()
        if sign.text == "not":
            return applied("not", sign.offset, self._expression(NOT, level + 1))
        operand = self._expression(SIGN, level + 1)
        operand = operand if operand.kind == VECTOR else require(NUMBER, operand)
        return applied("negate", sign.offset, operand) if sign.text == "-" else operand

    def _named(self, name: Token, level: int) -> Operand:
        if name.text in self._scope.tables:
            return self._table(name, level)
        if found := self._defined(name):
            return found
        if self._token.text == "(":
            return self._call(name, level)
        if name.text in CONSTANTS:
            return constant(CONSTANTS[name.text], name.offset)
        if name.text == TIME:
            self._require_allowed("time", name)
            self._varying.add(name)
            return Operand(Time(), NUMBER, name.offset, measure=SECONDS if self._has_units else None)
        if name.text in self._of_joint() or (name.text in self._of_joints() and name.text not in self._names):
            return self._coordinate(name, ())
        if name.text in STATES:
            return self._state(name, ())
        if name.text in vectors.OF_STATE and name.text not in self._names:
            return self._vector_of(name, ())
        if name.text == DRIFT and self._is_metric:
            self._varying.reduce(name, self._varying.place())
            return Operand(Reduction(DRIFT), NUMBER, name.offset)
        if name.text in self._functions():
            raise ExpressionError(f"'{name.text}' is a function", name.offset, f"write {name.text}(...)")
        return self._parameter(name)

    def _table(self, name: Token, level: int) -> Operand:
        """The value of a table: `density(altitude)`."""
        if self._token.text != "(":
            raise ExpressionError(f"'{name.text}' is a table", name.offset, f"write {name.text}(...)")
        self._take()
        argument = self._expression(0, level + 1)
        if self._token.text == ",":
            raise ExpressionError(f"{name.text}() takes 1 argument: a table has one", self._token.offset)
        self._close()
        table = self._scope.tables[name.text]
        if table is None:
            raise BrokenParameter(f"the table '{name.text}' could not be read", name.offset)
        return looked_up(table, name.offset, argument)

    def _defined(self, name: Token) -> Operand | None:
        """A quantity that the scene defines: `altitude`, of another body `altitude("moon")`; None if this is none."""
        found: Expression | None
        if self._token.text == "(" and self._scope.owners(name.text):
            opening = self._take()
            body = self._scope.of_body(name.text, self._path(), opening.offset + 1)
            found = self._scope.quantities[body, name.text]
            self._close()
        else:
            found = self._scope.of(name.text)
        if found is None:
            return None
        if isinstance(found.tree, Number) and found.tree.value != found.tree.value:
            raise BrokenParameter(f"the quantity '{name.text}' could not be read", name.offset)
        self._require_readable(name, found.tree)
        self.mentioned.update(found.names)
        if varies(found.tree):
            self._varying.add(name)
        return operand_of(found, name.offset)

    def _require_readable(self, name: Token, tree: ExpressionTree) -> None:
        """Raise ExpressionError if a quantity reads what cannot be read here."""
        states = [part for part in parts(tree) if isinstance(part, StateRead)]
        if "paths" in self._allow:
            return
        if varies(tree):
            self._require_allowed("time", name)
        if self._of_joint() and all(state.quantity in OF_JOINTS for state in states):
            return
        if states or any(isinstance(part, Held) for part in parts(tree)):
            self._require_allowed("state", name)
        for state in states:
            if (state.quantity, state.component) not in OF_LOADS or state.observer == OWN_FRAMES[BODY]:
                read = shown(printed(state)) if state.body else state.quantity
                message = f"'{name.text}' reads {read}, which is known at samples only"
                raise ExpressionError(message, name.offset, "use it in metrics and plots")

    def _quantity(self, written: Token) -> Operand:
        """A quantity by its name in quotes: one component of it."""
        self._varying.add(written)
        name, unit = name_and_unit(written.text[1:-1])
        if unit:
            hint = f"write it behind the expression: = max('{shown(name)}') [{shown(unit)}]"
            raise ExpressionError(f"a unit in an expression, [{shown(unit)}]", written.offset, hint)
        if defined := self._scope.named(name, written.offset):
            return operand_of(self._scope.quantities[defined], written.offset)
        try:
            return self._of_its_joint(named_quantity(read_name(name), written.offset))
        except BadName as error:
            raise ExpressionError(error.message, written.offset, error.hint) from None

    def _of_joint(self) -> tuple[str, ...]:
        """The names of the coordinate of a joint and of its rate, in the expressions of its motor."""
        word = next((word for word in COORDINATES if word in self._allow), None)
        return (word, RATE) if word else ()

    def _of_joints(self) -> tuple[str, ...]:
        """The names of coordinates of joints where a state can be read, or by a motor."""
        return OF_JOINTS if "state" in self._allow or self._of_joint() else ()

    def _coordinate(self, name: Token, paths: tuple[str, ...]) -> Operand:
        """A coordinate of the joint of a body, by default of that on which the load acts, or its rate."""
        if len(paths) > 1:
            raise ExpressionError(f"{name.text}() takes one path, of a body on a joint", name.offset)
        self._varying.add(name)
        if "paths" in self._allow:
            path, _ = self._seen(name, paths)
            return self._of_its_joint(read_of(StateRead(name.text, 0, path, OWN_FRAMES[PARENT]), name.offset))
        return self._read(StateRead(name.text, 0, *paths), name.offset)

    def _read(self, state: StateRead, offset: int) -> Operand:
        """A state as a load reads it; with its unit if units are followed."""
        return self._of_its_joint(read_of(state, offset)) if self._has_units else Operand(state, NUMBER, offset)

    def _of_its_joint(self, read: Operand) -> Operand:
        """What is read of a joint, with the unit that it has in a joint of this type."""
        unit = self._scope.joint_unit(read.tree) if isinstance(read.tree, StateRead) else ""
        return read._replace(measure=measure_of(unit)) if unit else read

    def _functions(self) -> Collection[str]:
        if "special" in self._allow:
            return {**FUNCTIONS, **SPECIAL}
        return {**FUNCTIONS, **REDUCTIONS, COUNT: ()} if self._is_metric else FUNCTIONS

    def _parameter(self, name: Token) -> Operand:
        if name.text not in self._names:
            if name.text in OF_JOINTS:
                raise self._not_here(name)
            if owners := self._scope.owners(name.text):
                written = f"{name.text}('{owners[0]}')"
                raise ExpressionError(f"'{name.text}' is of another body", name.offset, f"write {shown(written)}")
            known = [*CONSTANTS, *self._allowed_names(), *self._functions(), *self._names, *self._scope.names()]
            raise _unknown("name", name, known)
        self.mentioned.add(name.text)
        value = as_float(self._names[name.text])
        if value != value:
            raise BrokenParameter(f"the parameter '{name.text}' could not be read", name.offset)
        unit = self._units.get(name.text)
        return constant(value, name.offset, name.text, measure_of(unit) if unit else None)

    def _call(self, name: Token, level: int) -> Operand:
        opening = self._take()
        if name.text in STATES:
            return self._state(name, self._paths())
        if name.text in vectors.OF_STATE:
            return self._vector_of(name, *self._paths_and_axes())
        if name.text in vectors.FUNCTIONS:
            return self._of_vectors(name, level)
        if name.text in self._of_joints():
            return self._coordinate(name, self._paths())
        if name.text not in self._functions():
            self._fail_no_function(name, opening)
        if name.text == COUNT:
            return self._count(name)
        begin = self._varying.place()
        arguments = [self._expression(0, level + 1)] if self._token.text != ")" else []
        while arguments and self._token.text == ",":
            self._take()
            arguments.append(self._expression(0, level + 1))
        self._close()
        if self._is_metric and name.text in REDUCTIONS and (name.text not in FUNCTIONS or len(arguments) == 1):
            self._check_count(name, len(arguments), REDUCTIONS)
            self._varying.reduce(name, begin)
            return reduction(name, arguments)
        self._check_count(name, len(arguments), ARGUMENTS)
        return self._function(name, arguments)

    def _fail_no_function(self, name: Token, opening: Token) -> NoReturn:
        if name.text == DRIFT and self._is_metric:
            raise ExpressionError("drift has no arguments", name.offset, "write drift")
        if name.text in self._names or name.text in RESERVED:
            raise ExpressionError(f"'{name.text}' is not a function", opening.offset, "write '*' to multiply")
        if name.text in REDUCTIONS or name.text in (COUNT, DRIFT):
            raise ExpressionError(f"{name.text}() is allowed only in metrics", name.offset)
        if name.text in SPECIAL:
            raise ExpressionError(f"{name.text}() is allowed only in oracles", name.offset)
        if name.text in OF_JOINTS:
            raise self._not_here(name)
        known = [*self._functions(), *vectors.FUNCTIONS, *STATES, *self._scope.tables]
        raise _unknown("function", name, known)

    def _count(self, name: Token) -> Operand:
        events = self._token
        if events.kind != "text":
            self._fail_unexpected("the name of events in quotes")
        counted, body = self._take().text[1:-1], ""
        if self._token.text == ",":
            self._take()
            body = self._path()
        self._close()
        found = count_of(name, counted, body, events.offset)
        self._varying.reduce(name, self._varying.place())
        return found

    @staticmethod
    def _check_count(name: Token, count: int, known: Mapping[str, tuple[int, int]]) -> None:
        fewest, most = known[name.text]
        if not fewest <= count <= most:
            wanted = f"{fewest} to {most}" if most > fewest else str(fewest)
            plural = "s" if most > 1 else ""
            raise ExpressionError(f"{name.text}() takes {wanted} argument{plural}, got {count}", name.offset)

    @staticmethod
    def _function(name: Token, arguments: list[Operand]) -> Operand:
        def apply(operation: str, *operands: Operand) -> Operand:
            return applied(operation, name.offset, *operands)

        if name.text in REWRITTEN:
            found = REWRITTEN[name.text][-1](apply, lambda value: constant(value, name.offset), *arguments)
            return converted(found, arguments[0], ANGLES[name.text]) if name.text in ANGLES else found
        called = CALLED.get(name.text) or SPECIAL[name.text]
        if called.most:
            return reduce(lambda a, b: apply(called.name, a, b), arguments)
        return apply(called.name, *arguments)

    def _paths(self) -> tuple[str, ...]:
        """The quoted paths up to the closing bracket: a body, and perhaps an observer."""
        paths = [self._path()]
        if self._token.text == ",":
            self._take()
            paths.append(self._path())
        self._close()
        return tuple(paths)

    def _paths_and_axes(self) -> tuple[tuple[str, ...], str]:
        """The same, and the axes that may follow: `"air", axes="body"`."""
        paths: list[str] = []
        axes = ""
        while self._token.kind == "text" and len(paths) < 2:
            paths.append(self._path())
            if self._token.text != ",":
                break
            self._take()
        if self._token.kind == "axes":
            self._take()
            axes = self._path()
        elif not paths:
            self._fail_unexpected("the path of a body in quotes")
        self._close()
        return tuple(paths), axes

    def _path(self) -> str:
        token = self._token
        if token.kind != "text":
            self._fail_unexpected("the path of a body in quotes")
        path = self._take().text[1:-1]
        if not path or not path.isprintable():
            raise ExpressionError(f"'{shown(path)}' is not the path of a body", token.offset)
        return path

    def _state(self, name: Token, paths: tuple[str, ...]) -> Operand:
        self._require_allowed("state", name)
        self._varying.add(name)
        if "paths" in self._allow:
            return read_of(StateRead(*STATES[name.text], *self._seen(name, paths)), name.offset)
        return self._read(StateRead(*STATES[name.text], *paths), name.offset)

    def _vector_of(self, name: Token, paths: tuple[str, ...], axes: str = "") -> Operand:
        """A vector of the state of a body, by default of that on which the load acts; perhaps in other axes."""
        self._require_allowed("state", name)
        self._varying.add(name)
        here = "paths" in self._allow
        body, observer = self._seen(name, paths) if here else (*paths, *(SELF, PARENT)[len(paths) :])
        found = vectors.read_vector(vectors.OF_STATE[name.text], (body, observer), name.offset, self._has_units)
        if axes in ("", observer) or (axes == PARENT == observer):
            return found
        whose = (body if here else SELF) if axes == BODY else axes
        turn = vectors.read_turn(CANONICAL, (whose, observer), name.offset, self._has_units)
        return vectors.turned(name.offset, turn, found, back=True)

    def _of_vectors(self, name: Token, level: int) -> Operand:
        """A function of vectors."""
        arguments = [self._expression(0, level + 1)]
        if name.text == "rotate":
            return self._rotated(name, arguments[0])
        while self._token.text == ",":
            self._take()
            arguments.append(self._expression(0, level + 1))
        self._close()
        count = len(vectors.FUNCTIONS[name.text][0])
        if len(arguments) != count:
            plural = "s" if count > 1 else ""
            raise ExpressionError(f"{name.text}() takes {count} vector{plural}, got {len(arguments)}", name.offset)
        return getattr(vectors, name.text)(name.offset, *arguments)

    def _rotated(self, name: Token, given: Operand) -> Operand:
        """`rotate(a, "body")`: from the axes of a body, by default those of the one on which the load acts."""
        paths: tuple[str, ...] = ()
        if self._token.text == ",":
            self._take()
            paths = self._paths()
        else:
            self._close()
        self._require_allowed("state", name)
        self._varying.add(name)
        body, observer = self._seen(name, paths) if "paths" in self._allow else (*paths, *(SELF, PARENT)[len(paths) :])
        turn = vectors.read_turn(CANONICAL, (body, observer), name.offset, self._has_units)
        return vectors.turned(name.offset, turn, given)

    @staticmethod
    def _seen(name: Token, paths: tuple[str, ...]) -> tuple[str, str]:
        """The body and the observer, which is the world by default."""
        if not paths:
            raise ExpressionError(f"'{name.text}' of which body?", name.offset, f'write {name.text}("ball")')
        unclear = next((path for path in paths if path in (SELF, PARENT)), None)
        if unclear:
            raise ExpressionError(f"there is no '{unclear}' here", name.offset, "write the path of the body")
        body, observer = (*paths, WORLD)[:2]
        return body, observer

    def _require_allowed(self, what: str, name: Token) -> None:
        if what not in self._allow:
            raise self._not_here(name)

    def _not_here(self, name: Token) -> ExpressionError:
        of_joints = self._of_joint()
        others = ", t and coordinates of joints" if of_joints else " and t" if "time" in self._allow else ""
        hint = "" if of_joints or "special" in self._allow else LAWS if "time" in self._allow else CONSTANT
        return ExpressionError(f"'{name.text}' cannot be used here: only parameters{others}", name.offset, hint)

    def _allowed_names(self) -> list[str]:
        varying = [TIME] * ("time" in self._allow) + [*self._of_joint()]
        return varying + list(STATES) * ("state" in self._allow) + [DRIFT] * self._is_metric

    def _take(self) -> Token:
        taken, self._token = self._token, next(self._rest, self._token)
        return taken

    def _close(self) -> None:
        if self._token.text != ")":
            self._fail_unexpected("')'")
        self._take()

    def _fail_unexpected(self, wanted: str) -> NoReturn:
        token, hint = self._token, ""
        if token.kind in ("number", "name") and wanted == "an operator":
            hint = "write '*' to multiply" + "; that is no unit" * (token.kind == "name")
        elif token.kind == "text":
            hint = 'quoted text is allowed only in x("path") and similar functions'
        raise ExpressionError(f"expected {wanted}, got {token}", token.offset, hint)


def _unknown(what: str, name: Token, known: Collection[str]) -> ExpressionError:
    return ExpressionError(f"unknown {what} '{shown(name.text)}'", name.offset, unknown=name.text, known=known)
