"""The words of expressions: constants, functions, names of the state."""

from __future__ import annotations

import math
from collections.abc import Callable

CONSTANTS = {"pi": math.pi, "tau": math.tau}
"""No `e`, so that a parameter may be called so; write exp(1)."""

STATES: dict[str, tuple[str, int]] = {
    **{name: ("position", component) for component, name in enumerate(("x", "y", "z"))},
    **{name: ("velocity", component) for component, name in enumerate(("v_x", "v_y", "v_z"))},
    "speed": ("speed", 0),
    **{name: ("angular_velocity", component) for component, name in enumerate(("omega_x", "omega_y", "omega_z"))},
    **{name: ("orientation", component) for component, name in enumerate(("q_w", "q_x", "q_y", "q_z"))},
}
"""Each name: the quantity and the component of it."""
STATE_NAMES = {state: name for name, state in STATES.items()}

MANY = 500
FUNCTIONS: dict[str, tuple[int, int]] = {
    **dict.fromkeys(("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"), (1, 1)),
    **dict.fromkeys(("exp", "log", "sqrt", "abs", "sign", "floor", "step", "radians", "degrees"), (1, 1)),
    **dict.fromkeys(("atan2", "mod"), (2, 2)),
    **dict.fromkeys(("min", "max", "hypot"), (2, MANY)),
    **dict.fromkeys(("clamp", "if"), (3, 3)),
}
"""Each function: the fewest and the most arguments."""

REWRITTEN: dict[str, Callable] = {
    "if": lambda apply, number, condition, a, b: apply("select", condition, a, b),
    "clamp": lambda apply, number, x, low, high: apply("min", apply("max", x, low), high),
    "step": lambda apply, number, x: apply("select", apply("less", x, number(0.0)), number(0.0), number(1.0)),
    "radians": lambda apply, number, x: apply("multiply", x, number(math.pi / 180)),
    "degrees": lambda apply, number, x: apply("multiply", x, number(180 / math.pi)),
}
"""Functions that are written with operations: how, given what applies an operation and what makes a number."""

WORDS = ("and", "or", "not")
BODIES = ("self", "parent", "world")
TIME = "t"
RESERVED = frozenset({*CONSTANTS, *STATES, *FUNCTIONS, *WORDS, *BODIES, TIME})
"""What no parameter can be called."""
