"""What is outside the subset is refused, with the file, the line and the reason."""
# ruff: noqa: B007, E702, F401, F821, F841, I001, RUF059 - that is what is refused

from __future__ import annotations

import ast
import inspect
import math
import re
from pathlib import Path

import numpy as np
import pytest

from rigidsim.jit import formula, inlined, routine
from rigidsim.jit.kernels import kernel
from rigidsim.jit.values import NotCompilable
from rigidsim.physics.vector import dot

ROW, TABLE = np.arange(4.0), np.arange(6.0).reshape(2, 3)


def unmarked(x):
    return x


@formula
def decides(x):
    y = x + 1.0
    return y if y > 2.0 else 0.0


@formula
def fails(x):
    return x + "text"


@inlined
def endless(x):
    return endless(x + 1.0)


@routine
def calls_itself(x):
    while x > 1.0:
        x = calls_itself(x - 1.0)
    return x


@inlined
def two(a, b):
    return a + b


@inlined
def tuple_or_number(x):
    if x > 0:
        return 1.0, 2.0
    return 1.0


@inlined
def keywords_only(x, *, y=1.0):
    return x + y


# The first line with this mark is the one that the message has to name.
# fmt: off


def raises_an_error(x): raise ValueError  # HERE
def asserts(x): assert x > 0  # HERE
def deletes(x): del x  # HERE
def imports(x): import cmath  # HERE
def declares(x): global ROW  # HERE
def annotates(x): y: float = x  # HERE


def tries(x):
    try:  # HERE
        return x
    finally:
        pass


def has_a_context(x):
    with x:  # HERE
        return 1


def loops_with_else(x):
    for k in range(3):  # HERE
        x += k
    else:
        x = 2
    return x


def waits_with_else(x):
    while x > 2:  # HERE
        x -= 1
    else:
        x = 2
    return x


def defines(x):
    def inner(y):  # HERE
        return y
    return inner(x)


def assigns_attributes(x): x.real = 2.0  # HERE
def adds_to_attributes(x): x.real += 2.0  # HERE
def assigns_the_rest(x): a, *b = (x, 1, 2)  # HERE
def assigns_too_few(x): a, b = (x, 1, 2)  # HERE
def assigns_numbers_to_names(x): a, b = x  # HERE
def raises_to_powers(x): return x ** 2  # HERE
def raises_itself_to_powers(x): x **= 2  # HERE
def multiplies_matrices(x): return x @ x  # HERE
def divides_floats_to_the_floor(x): return x // 2.0  # HERE
def shifts_floats(x): return x << 2  # HERE
def looks_into(x): return x in (1, 2)  # HERE
def makes_a_list(x): return [x]  # HERE
def makes_a_dictionary(x): return {1: x}  # HERE
def makes_a_text(x): return f"{x}"  # HERE
def comprehends(x): return tuple(x for _ in range(3))  # HERE
def names_on_the_way(x): return (y := x) + 1  # HERE
def has_a_lambda(x): return (lambda y: y)(x)  # HERE
def uses_what_is_not_there(x): return x + nowhere  # HERE
def uses_what_comes_later(x): y = later; later = x; return y  # HERE
def calls_the_unmarked(x): return unmarked(x)  # HERE
def calls_numpy(x): return np.sin(x)  # HERE
def calls_the_library(x): return math.sqrt(x)  # HERE
def calls_a_number(x): return x(1)  # HERE
def prints(x): print(x)  # HERE
def rounds(x): return round(x)  # HERE
def gives_too_few(x): return two(x)  # HERE
def gives_too_many(x): return two(x, x, x)  # HERE
def gives_others(x): return two(x, c=x)  # HERE
def asks_for_a_part_of_a_number(x): return x.part  # HERE
def measures_a_number(x): return len(x)  # HERE
def asks_whether_numbers_are_one(x): return x is x  # HERE
def goes_through_a_number(x):
    for k in x:  # HERE
        pass


def steps_by_what_is_not_known(x):
    for k in range(0, 10, int(x)):  # HERE
        pass


def uses_a_name_of_one_path(x):
    if x > 0:
        y = 1.0
    return y  # HERE


def uses_a_name_of_the_module_on_one_path(x):
    if x > 0:
        ROW = 1.0
    return ROW  # HERE


def uses_two_structures(x):
    y = (1.0, 2.0) if math is None else 1.0
    if x > 0:
        y = (1.0, 2.0)
    return y  # HERE


def chooses_one_of_two_structures(x):
    return None if x > 0 else x  # HERE


def uses_the_variable_of_a_loop_after_it(x):
    for k in range(int(x)):
        pass
    return k  # HERE


def is_endless(x): return endless(x)
def is_recursive(x): return x + calls_itself(x)
def decides_in_a_formula(x): return decides(x)
def fails_in_a_formula(x): return fails(x)
def has_keywords_only(x): return keywords_only(x, y=2.0)
def returns_tuple_or_number(x): return tuple_or_number(x)[0]


def indexes_by_floats(row): return row[1.0 * row[0]]  # HERE
def has_too_many_indices(row): return row[0, 1]  # HERE
def slices_with_a_step(row): return row[::2][0]  # HERE
def unpacks_an_array(row): return dot((*row,), (1.0, 2.0, 3.0))  # HERE
def assigns_a_row(row): row[:] = row  # HERE
def assigns_text(row): row[0] = "x"  # HERE
def counts_an_array(row):
    for k, x in enumerate(row):  # HERE
        pass


def assigns_a_row_of_a_table(table): table[0] = 1.0  # HERE
def slices_before_an_index(table): return table[:1, 0]  # HERE
def returns_an_array(row): return row  # HERE
def returns_pairs(x): return (x, (x, x))  # HERE
def returns_too_much(x): return (x,) * 9  # HERE


# fmt: on

REASONS = {
    raises_an_error: "outside the subset", asserts: "outside the subset", deletes: "outside the subset",
    imports: "outside the subset", declares: "outside the subset", annotates: "outside the subset",
    tries: "`try:` is outside the subset", has_a_context: "`with x:` is outside the subset",
    loops_with_else: "a loop with `else`", waits_with_else: "a loop with `else`",
    defines: r"`def inner\(y\):` is outside the subset", assigns_attributes: "only names, tuples and elements",
    adds_to_attributes: "only names, tuples and elements", assigns_the_rest: "another number of values",
    assigns_too_few: "2 names for another number", assigns_numbers_to_names: "2 names for another number",
    raises_to_powers: "`x \\*\\* 2`: powers", raises_itself_to_powers: "powers", multiplies_matrices: "matrix products",
    divides_floats_to_the_floor: "`//` of floats", shifts_floats: "`shl` of floats",
    looks_into: "this comparison is not compiled", makes_a_list: r"`\[x\]` is outside", makes_a_dictionary: "outside",
    makes_a_text: "outside", comprehends: "outside", names_on_the_way: "outside", has_a_lambda: "outside",
    uses_what_is_not_there: "`nowhere` is not defined here", uses_what_comes_later: "`later` is not defined here",
    calls_the_unmarked: "unmarked is not marked as a formula, inlined or routine",
    calls_numpy: "a call of <ufunc 'sin'>",
    calls_the_library: "a call of <built-in function sqrt>", calls_a_number: "a call of", prints: "a call of",
    rounds: "a call of", gives_too_few: "do not fit the parameters of two", gives_too_many: "3 arguments for two",
    gives_others: "do not fit the parameters of two", asks_for_a_part_of_a_number: "no attribute 'part'",
    measures_a_number: "has no len", asks_whether_numbers_are_one: "whether two parts are one",
    goes_through_a_number: "a loop over something else", steps_by_what_is_not_known: "a range whose step is not known",
    uses_a_name_of_one_path: "`y` is not defined here, or not on each path",
    uses_a_name_of_the_module_on_one_path: "`ROW` is not defined here, or not on each path",
    uses_two_structures: "`y` has another structure on another path",
    chooses_one_of_two_structures: "one of two values, which have different structures",
    uses_the_variable_of_a_loop_after_it: "`k` is not defined here", indexes_by_floats: "an index must be an integer",
    has_too_many_indices: "2 indices of an array with 1 dimensions", slices_with_a_step: "a slice with a step",
    unpacks_an_array: "an array as several values", assigns_a_row: "can be assigned to a slice",
    assigns_text: "expected a number, got 'x'", counts_an_array: "an array as several values",
    assigns_a_row_of_a_table: "a row is assigned", slices_before_an_index: "only the last index",
    returns_an_array: "returns nothing or numbers", returns_pairs: "returns nothing or numbers",
    returns_too_much: "returns nothing or numbers, 8 at most",
}  # fmt: skip


def line_of(function, mark: str = "# HERE") -> int:
    """The line of a function with a mark."""
    lines, first = inspect.getsourcelines(function)
    return first + next(k for k, line in enumerate(lines) if mark in line)


def refused(function) -> str:
    argument = {"row": ROW.copy(), "table": TABLE.copy()}.get(function.__code__.co_varnames[0], 2.5)
    with pytest.raises(NotCompilable) as caught:
        kernel(function)(argument)
    return str(caught.value)


@pytest.mark.parametrize("function", REASONS)
def test_refusals_name_file_line_and_reason(function):
    message = refused(function)
    assert message.startswith(f"{__file__}:{line_of(function)}: in {function.__name__}: ")
    assert re.search(REASONS[function], message), message


@pytest.mark.parametrize(
    ("function", "inner", "mark", "reason"),
    [
        (decides_in_a_formula, decides, "y > 2.0", "a decision by a number that is known only when the code runs"),
        (fails_in_a_formula, fails, '"text"', "expected a number, got 'text'"),
        (is_endless, endless, "return", "RecursionError"),
        (is_recursive, calls_itself, "x = calls_itself", "calls_itself calls itself"),
        (returns_tuple_or_number, tuple_or_number, "@inlined", "its results have different structures"),
        (has_keywords_only, keywords_only, "@inlined", "parameters by name or position only"),
    ],
)
def test_errors_in_functions_that_are_called_are_located_there(function, inner, mark, reason):
    message = refused(function)
    assert message.startswith(f"{__file__}:{line_of(inner, mark)}: in {inner.__name__}: ")
    assert reason in message


def test_a_function_without_text_is_refused():
    with pytest.raises(NotCompilable, match=r"<lambda>: there is no `def` of it to be read"):
        kernel(lambda x: x)(1.0)
    names: dict = {"__name__": "made"}
    exec("def made(x):\n    return x", names)
    with pytest.raises(NotCompilable, match=r"<string>:1: in made: there is no `def`"):
        kernel(names["made"])(1.0)


def test_every_statement_and_expression_of_python_is_read_or_refused():
    """None is passed over: what has no method of its own is outside the subset."""
    reading = Path(__file__).parents[2] / "rigidsim" / "jit" / "reading.py"
    known = {node.name for node in ast.walk(ast.parse(reading.read_text())) if isinstance(node, ast.FunctionDef)}
    statements = {f"_do_{kind.__name__}" for kind in ast.stmt.__subclasses__()}
    expressions = {f"_of_{kind.__name__}" for kind in ast.expr.__subclasses__()}
    assert {name for name in known if name.startswith("_do_")} <= statements
    assert {name for name in known if name.startswith("_of_")} <= expressions
