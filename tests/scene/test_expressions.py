"""Expressions: what the text means, what is refused and where, and that the tree survives being written."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigidsim.physics.operations import BY_NAME, CONDITION, JETS, NUMBER, OPERATIONS
from rigidsim.scene import Scene
from rigidsim.scene.expressions import Apply, BrokenParameter, ExpressionError, Number, StateRead, Time, parse
from rigidsim.scene.expressions.operands import DEEPEST, MOST_NODES
from rigidsim.scene.expressions.parser import DEEPEST_NESTING, LAWS, LONGEST
from rigidsim.scene.expressions.tree import parts, printed
from rigidsim.scene.expressions.vocabulary import FUNCTIONS, STATES
from support.effort import at_most_calls

ALL = frozenset({"time", "state"})
X, Y, T = StateRead("position", 0), StateRead("position", 1), Time()
NAMES = {"slew": 0.5, "n": 3, "e": 2.5}


def tree(text, allow=ALL):
    return parse(f"= {text}", NAMES, allow).tree


def apply(operation, *arguments):
    return Apply(operation, arguments)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2", 2),
        (".5e1 + 1.", 6),
        ("2 + 3*4", 14),
        ("(2 + 3)*4", 20),
        ("7 - 2 - 1", 4),
        ("8/4/2", 1),
        ("-2^2", -4),
        ("(-2)^3", -8),
        ("2^3^2", 512),
        ("2**-1", 0.5),
        ("2^-2^2", 0.0625),
        ("--2", 2),
        ("+-2", -2),
        ("2*-3", -6),
        ("slew*n", 1.5),
        ("e", 2.5),
        ("2*pi - tau", 0),
        ("min(3, 1, 2) + max(1, 3, 2)", 4),
        ("hypot(3, 4, 12)", 13),
        ("clamp(5, 0, 2) + clamp(-5, 0, 2) + clamp(1, 0, 2)", 3),
        ("step(0) + step(-1) + step(2)", 2),
        ("radians(180)/pi", 1),
        ("degrees(pi)", 180),
        ("mod(-1, 3)", 2),
        ("floor(-0.5)", -1),
        ("sign(-3)*abs(-3)", -3),
        ("atan2(0, -1)", math.pi),
        ("if(1 < 2 and not 2 < 1, 7, 8)", 7),
        ("if(1 > 2 or 2 >= 3, 7, 8)", 8),
        ("if(1 != 2 and 1 == 1 and 1 <= 1, 7, 8)", 7),
        ("if(not 1 > 2 and 1 > 2, 7, 8)", 8),
        ("sqrt(2)^2 - 2", 4 * 2**-53),
        ("sin(0) + tan(0) + sinh(0) + tanh(0) + asin(0) + atan(0) + log(1)", 0),
        ("cos(0) + cosh(0) + exp(0)", 3),
        ("acos(1)", 0),
    ],
)
def test_constants_are_computed(text, value):
    expression = parse(f"= {text}", NAMES)
    assert (expression.is_constant, expression.value) == (True, value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x + 1", apply("add", X, Number(1))),
        ("-x^2", apply("negate", apply("power", X, Number(2)))),
        ("-x*y", apply("multiply", apply("negate", X), Y)),
        ("x - y - t", apply("subtract", apply("subtract", X, Y), T)),
        ("x > y", None),
        ("if(x > y, 1, 2)", apply("select", apply("less", Y, X), Number(1), Number(2))),
        ("if(x >= y, 1, 2)", apply("select", apply("less_equal", Y, X), Number(1), Number(2))),
        ("if(x != y, 1, 2)", apply("select", apply("not", apply("equal", X, Y)), Number(1), Number(2))),
        ("max(x, y, t)", apply("max", apply("max", X, Y), T)),
        ("step(x)", apply("select", apply("less", X, Number(0)), Number(0), Number(1))),
        ("x*0", apply("multiply", X, Number(0))),
        ("x*slew*n", apply("multiply", apply("multiply", X, Number(0.5)), Number(3))),
        ("slew*n*x", apply("multiply", Number(1.5), X)),
        ("if(1 < 2, x, y)", apply("select", Number(1), X, Y)),
        ('x("self") + x("self", "parent")', apply("add", X, X)),
        ('x("tank/turret")', StateRead("position", 0, "tank/turret")),
        ("omega_z('tank', \"world\")", StateRead("angular_velocity", 2, "tank", "world")),
        ("speed", StateRead("speed", 0)),
        ("q_w", StateRead("canonical_orientation", 0)),
    ],
)
def test_trees(text, expected):
    if expected is None:
        with pytest.raises(ExpressionError, match="expected a number, got a condition"):
            tree(text)
    else:
        assert tree(text) == expected


def test_shape_does_not_depend_on_values():
    shapes = {str(parse("= a*x + b*0", {"a": a, "b": b}, ALL)).count(" ") for a in (0.0, 1.0, 7.5) for b in (0.0, 1.0)}
    assert len(shapes) == 1


def test_what_an_expression_says_of_itself():
    expression = parse('= x + slew*y("b") + x', NAMES, ALL)
    assert not expression.is_constant
    assert expression.states == (X, StateRead("position", 1, "b"))
    assert expression.names == {"slew"}
    with pytest.raises(TypeError, match="not constant"):
        _ = expression.value


def test_evaluate_floats_and_arrays():
    expression = parse("= if(x < y and not t == 2 or y > 5, sin(x)*t, max(x, y, 0)^2)", {}, ALL)
    columns = {X: np.array([0.5, 2.0, 1.0, 0.5]), Y: np.array([1.0, 1.0, 6.0, 1.0]), T: np.array([1.0, 2.0, 2.0, 2.0])}
    by_column = expression.evaluate(columns)
    for i, expected in enumerate([math.sin(0.5), 4.0, 2 * math.sin(1.0), 1.0]):
        alone = expression.evaluate({leaf: float(column[i]) for leaf, column in columns.items()})
        assert alone == by_column[i]
        assert alone == pytest.approx(expected, rel=1e-15)


UNDEFINED = ("1/t", "-1/t", "sqrt(t - 1)", "log(t)", "t^-1", "asin(t + 2)", "mod(1, t)", "sin(1e22 + t)", "tan(1/t)")


@pytest.mark.parametrize("text", UNDEFINED)
def test_what_has_no_value_gives_no_exception(text):
    """The same infinity or NaN of a float, of a column and of a jet."""
    expression = parse(f"= {text}", {}, ALL)
    with np.errstate(invalid="ignore"):
        column = expression.evaluate({T: np.zeros(2)})
    alone, jet = expression.evaluate({T: 0.0}), expression.evaluate({T: (0.0, 1.0, 0.0)}, JETS)
    assert not math.isfinite(alone)
    assert np.array_equal([alone, alone, alone], [*column, jet[0]], equal_nan=True)


def test_dividing_by_a_zero_with_a_sign():
    expression = parse("= 1/(t*x)", {}, ALL)
    assert expression.evaluate({T: -1.0, X: 0.0}) == -math.inf
    assert expression.evaluate({T: np.array([-1.0]), X: np.array([0.0])}).tolist() == [-math.inf]
    assert expression.evaluate({T: (-1.0, 0.0, 0.0), X: (0.0, 0.0, 0.0)}, JETS)[0] == -math.inf


def test_evaluate_with_another_table():
    text = parse("= sin(x) + 2", {}, ALL).evaluate({X: "x"}, {"sin": "sin {}".format, "add": "{} plus {}".format})
    assert text == "sin x plus 2.0"


def test_every_operation_has_a_function():
    assert len(BY_NAME) == len(OPERATIONS)
    for name, (fewest, _) in FUNCTIONS.items():
        arguments = ["1 < 2"] * (name == "if") + ["0.5"] * (fewest - (name == "if"))
        assert parse(f"= {name}({', '.join(arguments)})", {}).is_constant


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("", 3, "expected a number or a name, got the end"),
        ("slwe*2", 3, "unknown name 'slwe'; did you mean 'slew'?"),
        ("2*sine(1)", 5, "unknown function 'sine'; did you mean 'sin'?"),
        ("slew(2)", 7, "'slew' is not a function; write '*' to multiply"),
        ("sin", 3, "'sin' is a function; write sin(...)"),
        ("2 x", 5, "expected an operator, got 'x'; write '*' to multiply; that is no unit"),
        ("(1 + 2", 9, "expected ')', got the end"),
        ("1 + 2)", 8, "expected an operator, got ')'"),
        ("1 + * 2", 7, "expected a number or a name, got '*'"),
        ("x < y < t", 9, "cannot be chained; write a < b and b < c"),
        ("1 + (x < y)", 8, "expected a number, got a condition; write if("),
        ("if(x, 1, 2)", 6, "expected a condition, got a number; compare it"),
        ("not x", 7, "expected a condition"),
        ("-(x < y)", 5, "expected a number"),
        ("min(1)", 3, "min() takes 2 to 500 arguments, got 1"),
        (f"max({'1,' * 900}1)", 3, "max() takes 2 to 500 arguments, got 901"),
        ("sin()", 3, "sin() takes 1 argument, got 0"),
        ("if(x < 1, 2)", 3, "if() takes 3 arguments, got 2"),
        ("x(y)", 5, "expected the path of a body in quotes, got 'y'"),
        ('x("")', 5, "is not the path of a body"),
        ('x("a", "b", "c")', 13, "expected ')'"),
        ('"a" + 1', 3, 'quoted text is allowed only in x("path")'),
        ('x("a', 5, "the quotes are not closed"),
        ("x = 1", 5, "compare with =="),
        ("x² + 1", 4, "write ^2"),
        ("2 × 3", 5, "U+00D7) is not allowed in an expression; write *"),
        ("5 % 2", 5, "write mod(a, b)"),
        ("x && y", 5, "write and"),
        ("1 + 1/0", 8, "1.0 / 0.0 is not finite (inf or nan)"),
        ("log(-1)", 3, "log(-1.0) is not finite (inf or nan)"),
        ("sqrt(-1)", 3, "sqrt(-1.0) is not finite (inf or nan)"),
        ("sin(1e22)", 3, "sin(1e+22) is not finite (inf or nan)"),
        ("1 + (-8)^0.5", 11, "(-8.0) ^ 0.5 is not finite (inf or nan)"),
        ("2*1e999", 5, "outside the range"),
        ("x + broken", 7, "could not be read"),
    ],
)
def test_errors_have_a_column(text, column, words):
    with pytest.raises(ExpressionError) as caught:
        parse(f"= {text}", NAMES | {"broken": math.nan}, ALL)
    assert caught.value.offset + 1 == column
    assert words in f"{caught.value.message}; {caught.value.hint}"
    assert isinstance(caught.value, BrokenParameter) == ("broken" in text)


@pytest.mark.parametrize(
    ("text", "allow", "words"),
    [
        ("t", (), "'t' cannot be used here: only parameters"),
        ("x", ("time",), "'x' cannot be used here: only parameters and t"),
        ('v_x("a")', ("time",), "'v_x' cannot be used here"),
        ("t", ("state",), "'t' cannot be used here"),
        ('angle("a")', ("time",), "'angle' cannot be used here: only parameters and t"),
        ("rate", (), "'rate' cannot be used here: only parameters"),
        ("x", ("time", "angle"), "'x' cannot be used here: only parameters, t and coordinates of joints"),
    ],
)
def test_what_is_not_allowed_here(text, allow, words):
    with pytest.raises(ExpressionError, match=words):
        tree(text, allow)


@pytest.mark.parametrize(
    ("text", "allow", "begins"),
    [
        ("t", (), "this number is constant; forces of bodies and laws of motors may read the state"),
        ("angle", ("time",), "forces of bodies and laws of motors may read the state and controllers, as in motor: {"),
        ("x", ("time", "angle"), ""),
        ("x", ("time", "special"), ""),
    ],
)
def test_what_is_not_allowed_here_is_where_the_hint_says(text, allow, begins):
    with pytest.raises(ExpressionError) as caught:
        tree(text, allow)
    assert caught.value.hint.startswith(begins) and bool(caught.value.hint) == bool(begins)


def test_the_motor_of_the_hint_is_valid():
    law = LAWS.partition("motor: ")[2]
    hinge = f"{{hinge: {{axis: [0, 0, 1], motor: {law}}}}}"
    body = f"{{mass: 1, inertia: {{principal: [1, 1, 1]}}, motion: {hinge}}}"
    Scene.from_text(f"format: rigidsim/1\nsimulation: {{duration: 1, step: 0.01}}\nbodies: {{arm: {body}}}")


def test_only_text_after_an_equals_sign_is_an_expression():
    with pytest.raises(ExpressionError, match="begins with '='"):
        parse("1 + 1", {})
    assert parse("  =1", {}).value == 1


def test_limits():
    assert tree("x" + "+x" * (DEEPEST - 2))
    with pytest.raises(ExpressionError, match="levels deep"):
        tree("x" + "+x" * DEEPEST)
    many = "(" + "+x" * 40 + ")"
    with pytest.raises(ExpressionError, match=f"more than {MOST_NODES} parts"):
        tree("+".join([many] * 8))
    with pytest.raises(ExpressionError, match=f"longer than {LONGEST}"):
        tree("1" + " " * LONGEST)


@pytest.mark.parametrize(("opening", "closing"), [("(", ")"), ("+", ""), ("-+", ""), ("abs(", ")")])
def test_brackets_are_no_levels_but_may_be_open_only_so_deep(opening, closing):
    """110 deep, as docs/scene/expressions.md says; signs and calls of constants are folded, and are no levels."""
    assert DEEPEST_NESTING == 110
    deep = DEEPEST_NESTING // (2 if opening == "-+" else 1)
    assert tree(opening * deep + "1" + closing * deep)
    with pytest.raises(ExpressionError, match="brackets, signs and calls are open more than 110 deep"):
        tree(opening * (deep + 1) + "1" + closing * (deep + 1))
    if opening == "(":
        assert tree("(" * deep + "x" + ")" * deep) == tree("x")


def test_levels_are_operations_inside_each_other_and_the_innermost_name():
    assert DEEPEST == 50
    for text in ("-" * 49 + "x", "x" + "+x" * 49, "sin(" * 49 + "x" + ")" * 49, "x+(" * 49 + "x" + ")" * 49):
        assert tree(text)
    for text in ("-" * 50 + "x", "x" + "*x" * 50, "sin(" * 50 + "x" + ")" * 50):
        with pytest.raises(ExpressionError, match="more than 50 levels deep"):
            tree(text)


def test_the_written_form_may_be_longer_than_what_was_given():
    given = parse(f"= {'+'.join(['(x' + '+a' * 40 + ')'] * 5)}", {"a": 1 / 3}, ALL)
    assert len(given.text) < LONGEST < len(str(given))
    assert parse(str(given), {}, ALL) == given


HOSTILE = {
    "dunder": "().__class__.__bases__[0].__subclasses__()",
    "attribute": "x.real",
    "lambda": "lambda: 1",
    "import": "__import__('os').system('true')",
    "tower": "9**9**9**9",
    "brackets": "(" * 100_000,
    "closed brackets": "(" * 1000 + "1" + ")" * 1000,
    "signs": "-" * 1900 + "1",
    "powers": "2^" * 900 + "1",
    "nots": "not " * 400 + "1",
    "long": "1" * 1_000_000,
    "calls": "sin(" * 400 + "1" + ")" * 400,
    "comprehension": "[x for x in (1, 2)]",
    "generator": "max(x for x in y)",
    "f-string": "f'{x}'",
    "look-alikes": "ｓin(1)",
    "greek": "sіn(1)",
    "quotes": "x('" + "a" * 100_000,
    "escape": "x('\x1b[31m')",
    "long name": "x" * 1500,
    "digits": "9" * 1900,
    "walrus": "(a := 1)",
    "nothing": "\x00",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_refused_quickly(text):
    with at_most_calls(10_000), pytest.raises(ExpressionError) as caught:
        parse(f"= {text}", NAMES, ALL)
    message = f"{caught.value} {caught.value.hint}"
    assert len(message) < 200
    assert message.isprintable()


@pytest.mark.parametrize("text", [text for text in HOSTILE.values() if text.isprintable() and "'" not in text])
def test_hostile_text_in_a_scene(text, with_body, problem):
    assert problem(with_body(position=[f"= {text}", 0, 0])).code == "expression"


STATE_LEAVES = st.builds(
    lambda state, body, observer: StateRead(*state, body, observer),
    st.sampled_from(list(STATES.values())),
    st.sampled_from(["self", "parent", "tank/turret", "it's", 'a "b"']),
    st.sampled_from(["self", "parent", "world"]),
)
LEAVES = {
    NUMBER: st.one_of(
        st.floats(allow_nan=False, allow_infinity=False).map(Number),
        st.just(Time()),
        STATE_LEAVES,
    ),
    CONDITION: st.sampled_from([Number(0.0), Number(1.0)]),
}


@st.composite
def trees(draw, kind=NUMBER, depth=4):
    """A tree as the parser makes it: never an operation on nothing but numbers."""
    if depth == 0 or draw(st.booleans()):
        return draw(LEAVES[kind])
    operation = draw(st.sampled_from([operation.name for operation in OPERATIONS if operation.gives == kind]))
    arguments = tuple(draw(trees(part, depth - 1)) for part in BY_NAME[operation].takes)
    if all(isinstance(argument, Number) for argument in arguments):
        return draw(LEAVES[kind])
    return Apply(operation, arguments)


@given(trees())
def test_a_tree_survives_being_written(written):
    text = f"= {printed(written)}"
    again = parse(text, {}, ALL)
    assert again.tree == written
    assert str(again) == text
    assert list(parts(again.tree)) == list(parts(written))


@given(st.text(alphabet="x1.+-*/^()<>=!, \"'tnosfi_", max_size=60))
def test_any_text_is_read_or_refused(text):
    try:
        again = parse(f"= {text}", {}, ALL)
    except ExpressionError as error:
        assert 0 <= error.offset <= len(text) + 2
    else:
        assert parse(str(again), {}, ALL) == again


def test_a_repeated_read_is_equal_and_hashable():
    assert tree("x + sin(t)") == tree("x+sin( t )")
    assert len({parse("= x + 1", {}, ALL), parse("=x+1", {}, ALL)}) == 1


def test_a_number_anywhere_may_be_an_expression(minimal):
    minimal["parameters"] = {"slew": "5 rpm", "n": 3}
    minimal["simulation"] = {"duration": "= 2*n", "step": "= 1/n"}
    minimal["bodies"]["brick"] |= {
        "mass": "= n^2",
        "orientation": {"axis": [0, 0, "= n"], "angle": "= pi/n"},
        "angular_velocity": {"frame": "body", "value": [0, 0, "= slew"]},
    }
    scene = Scene.from_dict(minimal)
    brick = scene.bodies["brick"]
    assert (scene.simulation.duration, scene.simulation.step, brick.mass) == (6, 1 / 3, 9)
    assert brick.angular_velocity.value[2] == Scene.from_dict(minimal).parameters["slew"].value


def test_a_quaternion_of_expressions(with_body):
    scene = Scene.from_dict(with_body(orientation={"wxyz": ["= cos(pi/8)", 0, 0, "= sin(pi/8)"]}))
    assert scene.bodies["b"].orientation == pytest.approx((math.cos(math.pi / 8), 0, 0, math.sin(math.pi / 8)))
    assert scene.warnings == ()


MOTIONS = {
    "position[1]": lambda part: {"position": [0, part, 0]},
    "velocity[1]": lambda part: {"velocity": [0, part, 0]},
    "velocity.value[0]": lambda part: {"velocity": {"value": [part, 0, 0]}},
    "angular_velocity[2]": lambda part: {"angular_velocity": [0, 0, part]},
    "orientation.angle": lambda part: {"orientation": {"axis": [0, 0, 1], "angle": part}},
    "orientation.euler[0]": lambda part: {"orientation": {"euler": [part, 0, 0], "order": "zxz"}},
}


@pytest.mark.parametrize("plane", [{}, {"world": {"plane": [0, 0, 1]}}], ids=["space", "plane"])
@pytest.mark.parametrize("entry", MOTIONS)
@pytest.mark.parametrize(("text", "value"), [("= 1/t", "inf"), ("= sqrt(t-1)", "nan"), ("= -log(t)", "inf")])
def test_a_prescribed_motion_begins_somewhere(minimal, problems, entry, plane, text, value):
    minimal["bodies"]["brick"] = {"motion": {"prescribed": MOTIONS[entry](text)}}
    (only,) = problems(minimal | plane)
    assert (only.code, only.path) == ("not-finite", f"bodies.brick.motion.prescribed.{entry}")
    assert only.message == f"gives {value} at t = 0 s; expected a finite value"


def test_options_of_integrators_may_be_expressions(minimal, problem):
    for written in ("= 1 + two", 3, 3.0):
        how = {"duration": 1, "step": 0.1, "integrator": {"name": "magnus", "terms": written}}
        given = minimal | {"parameters": {"two": 2}, "simulation": how}
        assert Scene.from_dict(given).simulation.integrator.terms == 3
    how["integrator"]["terms"] = "= two/4"
    assert problem(given).message == "expected a whole number, got 0.5"
    how["integrator"]["terms"] = "= 4*two"
    assert problem(given).message == "must be at most 4, got 8"
