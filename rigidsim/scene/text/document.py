"""A scene as plain data, with the location of each of its parts in the text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from rigidsim.errors import Problem

Path = tuple[str | int, ...]
Mark = tuple[int, int]
"""Line and column, counted from one."""

NOWHERE: Mark = (0, 0)
LONGEST_SHOWN_LINE = 200
LONGEST_SHOWN_VALUE = 60


@dataclass
class Places:
    """Where the entries of one mapping or list were written. It keeps its container alive, for it is found by id."""

    container: dict | list
    of_key: dict[str | int, Mark] = field(default_factory=dict)
    of_value: dict[str | int, Mark] = field(default_factory=dict)


@dataclass
class Document:
    """Plain data, the text it came from, and the map between them."""

    data: Any
    file: str = "<scene>"
    text: str = ""
    root: Mark = NOWHERE
    places: dict[int, Places] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    overrides: list[tuple[Path, str]] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    """The parameters that overrides gave, and the text has not."""
    copies: dict[tuple[Path, str | int], str] = field(default_factory=dict)
    """Bodies made by `repeat`: the path of each copy, and the path of the original in the text."""

    uncertain: dict[Path, Any] = field(default_factory=dict)
    """The distributions of numbers that were written with one."""
    included: dict[Path, tuple[Path, int]] = field(default_factory=dict)
    """What included scenes set during the run, by where that stands here: the body, and the number of the setting."""
    later: dict[Path, tuple[int, ...]] = field(default_factory=dict)
    """The settings of included scenes that hold when these are put in, by the bodies."""

    def copy(self) -> Document:
        """A document to which values can be set without changing this one."""
        return replace(
            self,
            places=dict(self.places),
            problems=list(self.problems),
            overrides=list(self.overrides),
            added=list(self.added),
            copies=dict(self.copies),
            uncertain=dict(self.uncertain),
            included=dict(self.included),
            later=dict(self.later),
        )

    def twin(self, container: Any, changed: Any, origins: Mapping[Any, str | int] | None = None) -> Any:
        """The changed container, at the location of the original; `origins` maps its new keys to the old ones."""
        places = self.places.get(id(container))
        if places is not None:
            of_key, of_value = places.of_key, places.of_value
            if origins is not None:
                of_key, of_value = (
                    {key: each[old] for key, old in origins.items() if old in each} for each in (of_key, of_value)
                )
            self.places[id(changed)] = Places(changed, of_key, of_value)
        return changed

    def problem(self, code: str, message: str, path: Path = (), hint: str = "", at_key: bool = False) -> Problem:
        """A problem with the value at `path`, with its location in the text."""
        written = self.written(path) if self.overrides else path
        for overridden, label in reversed(self.overrides):
            if written[: len(overridden)] == overridden:
                return Problem(code, message, path_text(path), label, hint=hint)
        line, column = self.locate(path, at_key)
        return self.problem_at((line, column), code, message, path, hint)

    def problem_at(self, mark: Mark, code: str, message: str, path: Path = (), hint: str = "") -> Problem:
        """A problem at a known location in the text."""
        line, column = mark
        return Problem(code, message, path_text(path), self.file, line, column, self._source_line(line, column), hint)

    def locate(self, path: Path, at_key: bool = False) -> Mark:
        """The location of the value at `path`, or of its key; of the innermost existing object if the path is
        missing.
        """
        node, mark = self.data, self.root
        for depth, part in enumerate(path, start=1):
            places = self.places.get(id(node))
            if places is None or part not in places.of_value:
                return mark
            last = depth == len(path)
            mark = (places.of_key if at_key and last else places.of_value)[part]
            node = node[part]
        return mark

    def value_at(self, path: Path) -> Any:
        """The plain data at `path`, which must exist."""
        node = self.data
        for part in path:
            node = node[part]
        return node

    @cached_property
    def lines(self) -> list[str]:
        """The text, line by line."""
        return self.text.splitlines()

    def written(self, path: Path) -> Path:
        """The path before bodies were repeated."""
        written: Path = ()
        for part in path:
            written = (*written, self.copies.get((written, part), part))
        return written

    def _source_line(self, line: int, column: int) -> str:
        if not 0 < line <= len(self.lines) or column > LONGEST_SHOWN_LINE:
            return ""
        # Each control character is replaced by one mark: columns stay correct, and no escape sequence reaches a
        # terminal.
        shown = self.lines[line - 1][:LONGEST_SHOWN_LINE]
        return "".join(c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in shown)


def body_path(place: Path) -> str:
    """The path of the body at such a place: `("bodies", "crane", "children", "hook")`."""
    return "/".join(map(str, place[1::2]))


def path_text(path: Iterable[str | int]) -> str:
    """A path as text: `bodies.tank.forces[0].at`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{shown(part)}"
    return text.removeprefix(".")


def shown(value: object) -> str:
    """A value from a scene, short and free of control characters, for use in a message."""
    if isinstance(value, str):
        text = value if value.isprintable() else repr(value)[1:-1]
    elif value is None or isinstance(value, bool):
        text = {None: "nothing", True: "true", False: "false"}[value]
    elif isinstance(value, dict | list | tuple):
        text = "a mapping" if isinstance(value, dict) else "a list"
    else:
        text = str(value)
    return text if len(text) <= LONGEST_SHOWN_VALUE else text[: LONGEST_SHOWN_VALUE - 3] + "..."
