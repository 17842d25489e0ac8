"""Writes the table of forces into docs/scene/forces.md: `python docs/make_forces.py`."""

from __future__ import annotations

import marked
from rigidsim.engine.laws.declaration import REQUIRED, Force, Key
from rigidsim.engine.laws.registry import KINDS

HEAD = "| `type` | keys (with a default) | what it does |\n|---|---|---|\n"


def as_default(value: object) -> str:
    """A default as a scene has it."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(as_default, value))}]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def optional(key: Key) -> str:
    """A key that may be left out."""
    return f"`{key.name}`" if key.default is None else f"`{key.name}: {as_default(key.default)}`"


def keys(kind: Force) -> str:
    """The required keys, those of which at least one is required, and the optional ones in brackets."""
    needed = ", ".join(f"`{key.name}`" for key in kind.keys if key.default is REQUIRED)
    one_of = f"at least one of {', '.join(f'`{name}`' for name in kind.one_of)}" if kind.one_of else ""
    others = [optional(key) for key in kind.keys if key.default is not REQUIRED and key.name not in kind.one_of]
    return ", ".join(filter(None, [needed, one_of, f"({', '.join(others)})" if others else ""]))


def row(kind: Force) -> str:
    """The row of one kind."""
    name = f"`{kind.name}`" + ("; the default" if kind is KINDS[0] else "")
    return f"| {name} | {keys(kind)} | {kind.description.replace('|', chr(92) + '|')} |\n"


def documents() -> dict[str, str]:
    """The page with the table of forces."""
    page = "scene/forces.md"
    return {page: marked.filled(page, {"forces": HEAD + "".join(map(row, KINDS))})}


if __name__ == "__main__":
    marked.write(documents())
