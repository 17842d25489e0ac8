"""Altered formulas: one sign, operator, constant or call at a time. A check that does not notice checks nothing."""

from __future__ import annotations

import ast
import copy
from collections.abc import Container
from pathlib import Path
from types import FunctionType

import rigidsim.physics
import rigidsim.physics.vector

PHYSICS = Path(rigidsim.physics.__file__).parent
OTHER = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


def negated(value):
    """-value, of numbers and of tuples of anything."""
    return tuple(negated(part) for part in value) if isinstance(value, tuple) else -value


class Mutation(ast.NodeTransformer):
    """Alters the node at one place; `places` counts those that can be altered."""

    def __init__(self, target: int):
        self.target, self.places, self.what = target, 0, ""

    def here(self, what: str) -> bool:
        """True at the place to alter; said beforehand, so that the text is the original's."""
        self.places += 1
        if self.places - 1 != self.target:
            return False
        self.what = what
        return True

    def visit_Call(self, node):
        if isinstance(node.func, ast.Attribute) or node.func.id in ("context_of", "has_own"):
            return node  # which numbers these are, and what they have instead
        text = ast.unparse(node)
        negate, swap = self.here(f"negated {text}"), False
        if node.func.id in ("add", "sub"):
            swap = self.here(f"other sign in {text}")
        self.generic_visit(node)
        if swap:
            node.func = ast.Name("sub" if node.func.id == "add" else "add", ast.Load())
        return ast.Call(ast.Name("_negated", ast.Load()), [node], []) if negate else node

    def visit_BinOp(self, node):
        swap = self.here(f"other operator in {ast.unparse(node)}")
        self.generic_visit(node)
        if swap:
            node.op = OTHER[type(node.op)]()
        return node

    def visit_UnaryOp(self, node):
        dropped = self.here(f"no sign in {ast.unparse(node)}")
        self.generic_visit(node)
        return node.operand if dropped else node

    def visit_Constant(self, node):
        if isinstance(node.value, float) and self.here(f"doubled {node.value}"):
            return ast.Constant(2.0 * node.value)
        return node


def is_formula(node) -> bool:
    """A function marked with `@formula`, but for those that ask for the context of numbers, which has its own."""
    if not isinstance(node, ast.FunctionDef) or all(ast.unparse(mark) != "formula" for mark in node.decorator_list):
        return False
    return not {"context_of", "_own_context"} & {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}


def formulas_of(module: str) -> dict[str, ast.FunctionDef]:
    """The formulas of a module of `physics`, by name."""
    return {node.name: node for node in ast.parse((PHYSICS / f"{module}.py").read_text()).body if is_formula(node)}


def mutants_of(module: str, wanted: Container[str]):
    """(formula, what was altered, the altered module's names), one alteration of one wanted formula at a time."""
    tree = ast.parse((PHYSICS / f"{module}.py").read_text())
    names = namespace(tree)
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef) or node.name not in wanted:
            continue
        target, places = 0, 1
        while target < places:
            altered, mutation = copy.deepcopy(node), Mutation(target)
            altered.body[1:] = [mutation.visit(statement) for statement in altered.body[1:]]
            places = mutation.places
            if places:
                yield node.name, f"{module}.{node.name}: {mutation.what}", exchanged(names, altered)
            target += 1


def exchanged(names: dict, function: ast.FunctionDef) -> dict:
    """A module's names with another text of one function, which is what its other functions call then."""
    fresh = dict(names)
    for name, value in names.items():
        if isinstance(value, FunctionType) and value.__globals__ is names:
            fresh[name] = FunctionType(value.__code__, fresh, name, value.__defaults__)
    exec(compile(ast.fix_missing_locations(ast.Module([function], [])), "<altered>", "exec"), fresh)
    return fresh


def namespace(tree: ast.Module) -> dict:
    """A module's names, its formulas left plain Python, unknown to the compiler."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = []
    names = {"_negated": negated, "__name__": "altered"}
    for helper in ("add", "sub"):
        names[helper] = getattr(rigidsim.physics.vector, helper)
    exec(compile(ast.fix_missing_locations(tree), "<altered>", "exec"), names)
    return names
