"""Writes the table of docs/scene/integrators.md from the descriptions: `python docs/make_integrators.py`."""

from __future__ import annotations

import marked
from rigidsim.scene.schema.integrators import DEFAULT, MODELS


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
    """The whole table."""
    head = "| name | options | order | evaluations per step | conserves | for | source |\n|---|---|---|---|---|---|---|"
    return "\n".join([head, *map(row, MODELS), ""])


def documents() -> dict[str, str]:
    """The page with the table as it is now."""
    page = "scene/integrators.md"
    return {page: marked.filled(page, {"integrators": table()})}


if __name__ == "__main__":
    marked.write(documents())
