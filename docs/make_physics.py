"""Writes docs/physics.md and docs/elementary.md from the formulas' own docstrings: `python docs/make_physics.py`."""

from __future__ import annotations

import ast
from pathlib import Path

import marked
from typeset import as_markdown

HERE = Path(__file__).parent
PHYSICS = HERE.parent / "rigidsim" / "physics"
MODULES = (
    "vector", "quaternion", "frames", "inertial_terms", "inertia", "mass", "solids", "rigid_body", "articulated",
    "loops", "modes", "roots", "forces", "mass_flow", "impulses", "prescribed", "distances", "supports",
    "contact", "contact_modes", "contact_energy", "restitution", "corrections", "control", "noise", "magnus",
    "step_control", "series", "summation", "rounding", "reductions", "interpolation", "piecewise", "operations", "jets",
    "elementary", "exponentials", "functions", "error_function",
)  # fmt: skip


ELEMENTARY = ("operations", "jets", "elementary", "exponentials", "functions", "error_function")
"""The modules of a page of their own."""


def section(name: str) -> str:
    """One module: what it says of itself, then each public formula."""
    tree = ast.parse((PHYSICS / f"{name}.py").read_text())
    parts = [f"## {name}\n\n{as_markdown(ast.get_docstring(tree))}\n"]
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
            text = as_markdown(ast.get_docstring(node), names)
            parts.append(f"### `{node.name}({ast.unparse(node.args)})`\n\n{text}\n")
    return "\n".join(parts)


def documents() -> dict[str, str]:
    """Both pages."""
    overview = as_markdown(ast.get_docstring(ast.parse((PHYSICS / "__init__.py").read_text())))
    others = "Functions of numbers that the [formulas](physics.md) and expressions use."
    heads = {
        "physics.md": f"# Every formula\n\n{overview}\n\n[Elementary functions](elementary.md) have their own page.\n",
        "elementary.md": f"# Elementary functions\n\n{others}\n",
    }
    of_page = {"physics.md": [name for name in MODULES if name not in ELEMENTARY], "elementary.md": ELEMENTARY}
    return {page: "\n".join([head, *map(section, of_page[page])]) for page, head in heads.items()}


if __name__ == "__main__":
    marked.write(documents())
