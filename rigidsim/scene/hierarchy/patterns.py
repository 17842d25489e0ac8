"""Patterns for the paths of bodies: `*` stands for any part of a name, `?` for one character, `**` for any part of a
path.
"""

from __future__ import annotations

import re
from collections.abc import Collection

WILD = re.compile(r"\*\*/|\*\*|\*|\?")
MEANINGS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def is_pattern(name: str) -> bool:
    """Whether a name has any wildcards."""
    return WILD.search(name) is not None


def matches(name: str, paths: Collection[str]) -> list[str]:
    """The paths that a pattern stands for, in their order; for the path of a body that one only, whatever is in it."""
    if name in paths:
        return [name]
    if not is_pattern(name):
        return []
    literal, text = WILD.split(name), re.escape(WILD.split(name)[0])
    for wildcard, following in zip(WILD.findall(name), literal[1:], strict=True):
        text += MEANINGS[wildcard] + re.escape(following)
    found = re.compile(text)
    return [path for path in paths if found.fullmatch(path)]
