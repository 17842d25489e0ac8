"""Plain scalars as the core schema of YAML 1.2 reads them.

`1e3` is a number, `no` is a word, `017` is seventeen, and a clock time or a date stays text.
"""

from __future__ import annotations

import re

TAG_PREFIX = "tag:yaml.org,2002:"

WORDS = {
    "": None,
    **dict.fromkeys(("~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
FLOAT = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
NUMBER_START = frozenset("+-.0123456789")
LONGEST_INTEGER = 400
"""No double is longer than this in decimal digits."""


def read_plain(text: str) -> str | float | int | bool | None:
    """The value of an unquoted scalar."""
    if text in WORDS:
        return WORDS[text]
    if text[0] in NUMBER_START:
        if INTEGER.fullmatch(text):
            return _integer(text)
        if FLOAT.fullmatch(text):
            return _float(text)
    return text


def read_tagged(kind: str, text: str) -> str | float | int | bool | None:
    """The value of a scalar with a core tag such as `!!float`; raises ValueError if the text is not of that kind."""
    if kind == "str":
        return text
    value = read_plain(text)
    if kind == "float" and type(value) is int:
        return float(text)
    expected = {"null": type(None), "bool": bool, "int": int, "float": float}[kind]
    if type(value) is not expected:
        raise ValueError(f"{text!r} is not a YAML {kind}")
    return value


def _integer(text: str) -> int | float:
    if text[:2] in ("0o", "0x"):
        return int(text[2:], 8 if text[1] == "o" else 16)
    # Python refuses to convert very long integers; as a double they are infinite, which is reported later.
    return int(text) if len(text) <= LONGEST_INTEGER else float(text)


def _float(text: str) -> float:
    return float(text.replace(".", "", 1)) if text[-1] in "fFnN" else float(text)
