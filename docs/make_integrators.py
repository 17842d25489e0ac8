"""Writes the table of integrators in docs/scene-format.md from the descriptions: `python docs/make_integrators.py`."""

from __future__ import annotations

from pathlib import Path

from rigidsim.scene.schema.integrators import DEFAULT, MODELS

PAGE = Path(__file__).parent / "scene-format.md"
BEGIN = "<!-- made by python docs/make_integrators.py -->"
END = "<!-- end -->"


def row(name: str) -> str:
    """One method: its name, options and order, what a step costs, what it conserves."""
    method = MODELS[name](name=name)
    allowed = method.allowed()
    defaults = {key: method.unset.get(key, value) for key, value in method.options().items()}
    options = "; ".join(f"`{key}`: {allowed[key]} (default {value})" for key, value in defaults.items())
    shown = f"`{name}`, the default" if name == DEFAULT else f"`{name}`"
    kept = f"{method.conserves} | {method.use} | {method.source}"
    return f"| {shown} | {options} | {method.order} | {method.evaluations} | {kept} |"


def table() -> str:
    """The whole table, between its marks."""
    head = "| name | options | order | evaluations per step | conserves | for | source |\n|---|---|---|---|---|---|---|"
    return "\n".join([BEGIN, head, *map(row, MODELS), END])


def document() -> str:
    """The page with the table as it is now."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    return before + table() + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(document())
