"""What was chosen for contact, and the values of each two surfaces that can touch, as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rigidsim.report.table import aligned, number
from rigidsim.report.wording import counted

SHOWN_PAIRS = 20
VALUES = ("restitution", "friction", "rolling_friction")


def chosen_contact(contact: Mapping[str, Any]) -> list[str]:
    """One line with the mode; none if nothing can touch."""
    if contact["mode"] == "off":
        return []
    substeps, bodies = counted(contact["substeps"], "sub-step"), counted(contact["bodies"], "free body", "free bodies")
    return [f"contact: {contact['mode']}, {substeps}, {bodies} that can collide"]


def contact_lines(contact: Mapping[str, Any]) -> list[str]:
    """The mode, and a table of the values of each two surfaces."""
    chosen = chosen_contact(contact)
    if not chosen:
        return []
    rows = [["contact between", *(key.replace("_", " ") for key in VALUES)], *map(_row, contact["pairs"][:SHOWN_PAIRS])]
    further = contact["further_pairs"] + max(0, len(contact["pairs"]) - SHOWN_PAIRS)
    more = [f"... and {further} more"] if further else []
    return [*chosen, *(f"  {line}" for line in [*aligned(rows), *more])]


def _row(pair: Mapping[str, Any]) -> list[str]:
    one, other = map(str, pair["between"])
    sensor = " (sensor)" if pair["collide"] == "sensor" else ""
    two = f"{one} among each other" if one == other else f"{one} and {other}"
    return [f"{two}{sensor}", *(number(pair[key]) for key in VALUES)]
