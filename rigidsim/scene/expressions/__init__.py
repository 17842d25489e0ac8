"""Expressions: from the text `= 2*pi*spin` to a small immutable tree; the text is never run as Python."""

from rigidsim.scene.expressions.parser import parse, parse_vector
from rigidsim.scene.expressions.scope import Scope
from rigidsim.scene.expressions.tokens import BrokenParameter, ExpressionError
from rigidsim.scene.expressions.tree import (
    Apply,
    Expression,
    ExpressionTree,
    Lookup,
    Named,
    Number,
    Reduction,
    StateRead,
    Time,
)
from rigidsim.scene.expressions.vocabulary import METRIC, ORACLE, SAMPLE, WHEN

__all__ = [
    "METRIC",
    "ORACLE",
    "SAMPLE",
    "WHEN",
    "Apply",
    "BrokenParameter",
    "Expression",
    "ExpressionError",
    "ExpressionTree",
    "Lookup",
    "Named",
    "Number",
    "Reduction",
    "Scope",
    "StateRead",
    "Time",
    "parse",
    "parse_vector",
]
