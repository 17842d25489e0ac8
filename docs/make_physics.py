"""Writes docs/physics.md from the formulas' own docstrings: `python docs/make_physics.py`."""

from __future__ import annotations

import ast
from pathlib import Path

HERE = Path(__file__).parent
PHYSICS = HERE.parent / "rigidsim" / "physics"
MODULES = (
    "vector", "quaternion", "frames", "inertial_terms", "inertia", "mass", "solids", "rigid_body", "articulated",
    "loops", "modes", "forces", "mass_flow", "impulses", "prescribed", "distances", "supports", "contact",
    "contact_modes", "contact_energy", "restitution", "corrections", "control", "noise", "magnus", "step_control",
    "series", "summation", "rounding", "reductions", "interpolation", "piecewise", "operations", "jets", "elementary",
    "exponentials", "functions", "error_function",
)  # fmt: skip


def as_written(text: str) -> str:
    """A docstring in Markdown, unaltered: its `*` and `_` are mathematics."""
    return f"```text\n{text}\n```"


def section(name: str) -> str:
    """One module: what it says of itself, then each public formula."""
    tree = ast.parse((PHYSICS / f"{name}.py").read_text())
    parts = [f"## {name}\n\n{as_written(ast.get_docstring(tree))}\n"]
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            parts.append(f"### `{node.name}({ast.unparse(node.args)})`\n\n{as_written(ast.get_docstring(node))}\n")
    return "\n".join(parts)


def document() -> str:
    """The whole page."""
    overview = ast.get_docstring(ast.parse((PHYSICS / "__init__.py").read_text()))
    made = "Made by `python docs/make_physics.py` from the sources."
    head = f"# The physics, formula by formula\n\n{made}\n\n{as_written(overview)}\n"
    return "\n".join([head, *(section(name) for name in MODULES)])


if __name__ == "__main__":
    (HERE / "physics.md").write_text(document())
