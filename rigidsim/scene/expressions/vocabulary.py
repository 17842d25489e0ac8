"""The words of expressions: constants, functions, names of the state."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NoReturn

from rigidsim.physics.operations import BY_NAME, NUMBER, OPERATIONS, Operation
from rigidsim.quantities.vocabulary import CANONICAL, PARENT
from rigidsim.tree.joints import FLOW, NAMES, part_of
from rigidsim.tree.nodes import WORLD

CONSTANTS = {"pi": math.pi, "tau": math.tau}
"""No `e`, so that a parameter may be called so; write exp(1)."""

STATES: dict[str, tuple[str, int]] = {
    **{name: ("position", component) for component, name in enumerate(("x", "y", "z"))},
    **{name: ("velocity", component) for component, name in enumerate(("v_x", "v_y", "v_z"))},
    "speed": ("speed", 0),
    **{name: ("angular_velocity", component) for component, name in enumerate(("omega_x", "omega_y", "omega_z"))},
    **{name: (CANONICAL, component) for component, name in enumerate(("q_w", "q_x", "q_y", "q_z"))},
}
"""The quantity and the component of each name."""
OWN_FRAMES = {"parent": "@parent", "body": "@body"}
"""The observers that names of quantities mean by these words: the body's present parent, and its own axes."""
COORDINATES, RATE = ("angle", "displacement"), "rate"
"""What the expressions of a motor call the coordinate of its joint, and the rate of that. The allowed words of such an
expression contain one of the first two.
"""
OF_JOINTS = tuple(name for name in NAMES if part_of(name) != "motor" and name != FLOW)
"""What expressions of loads call the coordinates of joints and their rates: of the joint of the body itself, or of
another one, `angle("arm/hand")`. They are not reserved: a parameter of that name comes first.
"""
STATE_NAMES = {state: name for name, state in STATES.items()}

ANGLES = {"radians": "rad", "degrees": "deg"}
"""The functions that convert angles, and the unit of their results."""
REWRITTEN: dict[str, tuple[int, str, Callable]] = {
    "clamp": (
        3,
        "a, limited to the range from b to c",
        lambda apply, number, x, low, high: apply("min", apply("max", x, low), high),
    ),
    "step": (
        1,
        "0 for a < 0, else 1",
        lambda apply, number, x: apply("select", apply("less", x, number(0.0)), number(0.0), number(1.0)),
    ),
    "radians": (1, "degrees in rad", lambda apply, number, x: apply("multiply", x, number(math.pi / 180))),
    "degrees": (1, "rad in degrees", lambda apply, number, x: apply("multiply", x, number(180 / math.pi))),
}
"""Functions that are combinations of operations: number of arguments, description, and a builder, which is called with
a function that applies an operation and one that makes a constant.
"""
CALLED = {operation.word: operation for operation in OPERATIONS if operation.word}
"""Functions that are single operations."""
FUNCTIONS: dict[str, tuple[int, int]] = {
    **{word: (len(called.takes), max(len(called.takes), called.most)) for word, called in CALLED.items()},
    **{word: (count, count) for word, (count, _, _) in REWRITTEN.items()},
}
"""Each function: the fewest and the most arguments."""

REDUCTIONS: dict[str, tuple[int, int]] = {
    **dict.fromkeys(("max", "min", "mean", "rms", "integral", "time_of_max", "time_of_min", "final"), (1, 1)),
    "at": (2, 2),
    "first": (1, 2),
}
"""Each reduction of a metric: the fewest and the most arguments. `max` and `min` of more arguments are functions."""
COUNT, DRIFT = "count", "drift"
COUNTED = ("impulses", "reparentings", "stops", "contacts", "impacts")
"""The events that can be counted."""
OF_CONTACT = COUNTED[3:]
"""Those that can be counted of one body."""
SAMPLE = frozenset({"time", "state", "paths"})
"""What an expression that is evaluated at the samples of a trajectory may use."""
METRIC = SAMPLE | {"reductions"}
"""What the expression of a metric may use."""
WHEN = SAMPLE | {"condition"}
"""What a condition on the state may use."""


def _composed(*numbers: float) -> NoReturn:
    """In place of a formula: the parser makes a tree of other operations."""
    raise NotImplementedError


SPECIAL = {
    name: Operation(name, _composed, None, (NUMBER,) * count, word=name, meaning=meaning)
    for name, count, meaning in (
        ("sn", 2, "Jacobi's elliptic function sn(u, m), m >= 0 being the parameter, the square of the modulus"),
        ("cn", 2, "cn(u, m)"),
        ("dn", 2, "dn(u, m)"),
        ("elliptic_f", 2, "the elliptic integral F(angle, m) of the first kind: the inverse of sn(u, m) = sin(angle)"),
        ("fresnel_s", 1, "Fresnel's integral of sin(pi*u^2/2) from u = 0 to a"),
        ("fresnel_c", 1, "Fresnel's integral of cos(pi*u^2/2)"),
        ("eccentric_anomaly", 2, "E of Kepler's equation M = E - e sin(E), for 0 <= e < 1"),
    )
}
"""Functions of oracles only: they are computed when a trajectory is compared with its oracle, never in a kernel."""
ARGUMENTS = {**FUNCTIONS, **{name: (len(called.takes),) * 2 for name, called in SPECIAL.items()}}
"""Each function, also the special ones: the fewest and the most arguments."""
DECLARED: dict[str, Operation] = {**BY_NAME, **SPECIAL}
"""All operations that a tree may have."""
ORACLE = frozenset({"time", "special"})
"""What the expression of an oracle may use."""

WORDS = ("and", "or", "not")
SELF, *_ = BODIES = ("self", PARENT, WORLD)
TIME = "t"
RESERVED = frozenset({*CONSTANTS, *STATES, *FUNCTIONS, *WORDS, *BODIES, TIME})
"""Names that no parameter can have."""
