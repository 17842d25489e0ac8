"""From text to tokens: numbers, names, quoted text and symbols, each with its offset."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from rigidsim.errors import did_you_mean
from rigidsim.scene.text.document import shown

LONGEST_NAME = 64
MOST_COMPARED = 200
LONGEST_WRITTEN = 20_000
"""The limit for text written by the program, which may be longer than the input: names are replaced by sixteen
digits.
"""


class ExpressionError(ValueError):
    """An error in an expression: the message, the offset from the beginning of the text, and a hint."""

    def __init__(self, message: str, offset: int, hint: str = "", unknown: str = "", known: Collection[str] = ()):
        super().__init__(message)
        self.message = message
        self.offset = offset
        self._hint = hint
        self._unknown = unknown
        self._known = known

    @cached_property
    def hint(self) -> str:
        """A hint. It is computed on access, because a hostile scene can have a million unknown names."""
        if not 0 < len(self._unknown) <= LONGEST_NAME:
            return self._hint
        return did_you_mean(self._unknown, islice(self._known, MOST_COMPARED), self._hint)


class BrokenParameter(ExpressionError):
    """The error is in a parameter, and is reported at the location of the parameter."""


class Token(NamedTuple):
    """A piece of the text; `kind` is number, name, text, symbol, axes (for `axes=`) or end."""

    kind: str
    text: str
    offset: int

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else f"'{shown(self.text)}'"


TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)|(?P<axes>axes\s*=(?!=))|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"""|(?P<text>"[^"]*"|'[^']*')|(?P<symbol>\*\*|<=|>=|==|!=|[-+*/^<>(),\[\]])|(?P<end>$))"""
)
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
HINTS = {
    "=": "compare with ==",
    "!": "write not, or != to compare",
    "&": "write and",
    "|": "write or",
    "%": "write mod(a, b)",
    ".": "a quantity of a body is in quotes, 'ball.position.x'; a decimal point must be next to a digit",
    "−": "write -",
    "×": "write *",
    "·": "write *",
    "÷": "write /",
    "²": "write ^2",
    "π": "write pi",
    '"': "the quotes are not closed",
    "'": "the quotes are not closed",
}


def tokens(text: str, start: int) -> Iterator[Token]:
    """The tokens from `start` on, one at a time, the last of kind `end`."""
    offset = start
    while True:
        match = TOKEN.match(text, offset)
        if match is None:
            raise _strange(text, offset)
        kind = str(match.lastgroup)
        yield Token(kind, match[kind], match.start(kind))
        offset = match.end()
        if kind == "end":
            return


def names_in(text: str) -> list[str]:
    """The names in the text of an expression, as far as it can be read."""
    found = []
    try:
        for token in tokens(text[:LONGEST_WRITTEN], text.find("=") + 1):
            if token.kind == "name":
                found.append(token.text)
    except ExpressionError:
        pass  # reported by the parser
    return found


def quantities_in(text: str) -> list[tuple[str, str]]:
    """The names in the text of an expression, each with the path of a body if there is one: `altitude("moon")`, or
    `"moon.altitude"`.
    """
    found: list[tuple[str, str]] = []
    try:
        read = [*tokens(text[:LONGEST_WRITTEN], text.find("=") + 1)]
    except ExpressionError:
        return found  # reported by the parser
    for token, opening, path in zip(read, [*read[1:], *read[-1:]], [*read[2:], *read[-1:] * 2], strict=True):
        if token.kind == "name":
            has_path = opening.text == "(" and path.kind == "text"
            found.append((token.text, path.text[1:-1] if has_path else ""))
        elif token.kind == "text":
            found.append(token.text[1:-1].rpartition(".")[::-2])
    return found


def _strange(text: str, offset: int) -> ExpressionError:
    while text[offset].isspace():
        offset += 1
    character = text[offset]
    name = f"'{character}'" if character.isprintable() else "a control character"
    code = "" if character.isascii() and character.isprintable() else f" (U+{ord(character):04X})"
    return ExpressionError(f"{name}{code} is not allowed in an expression", offset, HINTS.get(character, ""))
