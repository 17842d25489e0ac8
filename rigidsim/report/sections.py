"""Reports: lists of sections, and their three forms: text, plain data for `--json`, HTML for notebooks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from html import escape
from typing import Any

import numpy as np

from rigidsim.report.table import aligned, remark, shown_of

LONGEST_TEXT = 300
INDENT = "\N{NO-BREAK SPACE}" * 4


@dataclass(frozen=True)
class CellTable:
    """A table of cells; of other rows there is only the number. The first columns, `texts`, are text in HTML."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    others: int = 0
    hint: str = ""  # how to see the others
    texts: int = 1

    @classmethod
    def first(cls, head: Sequence[str], rows: Sequence[Sequence[str]], most: int | None, hint: str = "") -> CellTable:
        """A table of at most so many rows, the first; one more if that is all."""
        shown = shown_of(len(rows), most)
        return cls(head, rows[:shown], len(rows) - shown, hint)

    def lines(self) -> list[str]:
        """The table as text."""
        return [*aligned([self.head, *self.rows]), *remark(self.others, self.hint)]

    def html(self) -> str:
        """The table as HTML."""
        more = f'<tr><td colspan="{len(self.head)}">... and {self.others:,} more</td></tr>' if self.others else ""
        body = "".join(self._row("td", row) for row in self.rows)
        return f"<table><thead>{self._row('th', self.head)}</thead><tbody>{body}{more}</tbody></table>"

    def _row(self, tag: str, row: Sequence[str]) -> str:
        sides = ["left"] * self.texts + ["right"] * (len(row) - self.texts)
        cells = zip(sides, map(html_text, row), strict=True)
        texts = (f'<{tag} style="text-align:{side}">{cell}</{tag}>' for side, cell in cells)
        return f"<tr>{''.join(texts)}</tr>"


@dataclass(frozen=True)
class Section:
    """A part of a report: `data` for JSON; `lines`, of which a full text has the `details` as well, and a table.
    `drawing` makes HTML in place of them, `kind` is a word before the first line, in bold print. A section begins
    after a blank line unless it `joins` the one before.
    """

    data: Mapping[str, object] = field(default_factory=dict)
    lines: Sequence[str] = ()
    details: Sequence[str] = ()
    table: CellTable | None = None
    drawing: Callable[[], str] | None = None
    kind: str = ""
    joins: bool = False

    def text(self, in_full: bool) -> list[str]:
        """Its lines."""
        return [*self.lines, *(self.details if in_full else ()), *(self.table.lines() if self.table else ())]

    def html(self) -> str:
        """Its HTML; all text is escaped."""
        if self.drawing:
            return self.drawing()
        kind = f"<b>{self.kind}</b> " if self.kind else ""
        lines = (f"<p>{kind * (n == 0)}{html_text(line)}</p>" for n, line in enumerate(self.lines))
        return "".join(lines) + (self.table.html() if self.table else "")


class Report:
    """What a command prints."""

    def __init__(self, *sections: Section):
        self.sections = sections

    def text(self, in_full: bool = False) -> str:
        """All sections with something to say, `in_full` with their details."""
        lines: list[str] = []
        for section in self.sections:
            own = section.text(in_full)
            lines += [*([""] if own and lines and not section.joins else []), *own]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()

    def as_dict(self) -> dict[str, object]:
        """Plain data, for `--json`."""
        found: dict[str, object] = {"schema_version": 1}
        for section in self.sections:
            found |= section.data
        return plain(found)

    def html(self) -> str:
        """One piece of HTML, in which nothing is executed or loaded."""
        return f"<div>{''.join(section.html() for section in self.sections)}</div>"


def plain(value: Any) -> Any:
    """Data as JSON has them: records as mappings, arrays as lists, None for numbers that are not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(inner) for inner in (value.tolist() if isinstance(value, np.ndarray) else value)]
    if hasattr(value, "as_dict"):
        return plain(value.as_dict())
    return plain(vars(value)) if is_dataclass(value) else value


def html_text(text: object) -> str:
    """Text of the user, of a bounded length, without anything that HTML or a terminal would act on."""
    clipped = str(text)
    clipped = clipped if len(clipped) <= LONGEST_TEXT else clipped[: LONGEST_TEXT - 3] + "..."
    return escape("".join(c if c.isprintable() or c == INDENT[0] else " " for c in clipped))
