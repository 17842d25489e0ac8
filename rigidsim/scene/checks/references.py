"""Paths in a scene that refer to no body, with a suggestion."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from itertools import chain, islice

from rigidsim.scene.checks.findings import Finding
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.hierarchy.references import references
from rigidsim.scene.text.document import Path, shown

MOST_NAMED = 10
MOST_HINTED, MOST_COMPARED = 20, 3000
"""Number of names that get a suggestion, and number of paths each is compared with; a scene may have 100 000 of
both.
"""


def reference_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Every path that refers to no body."""
    known = KnownPaths(node.path for node in hierarchy)
    for place, name, words in references(hierarchy):
        yield from known.unknown(place, name, words)


class KnownPaths:
    """The paths of all bodies, and the findings about others."""

    def __init__(self, paths: Iterable[str]):
        self._paths = dict.fromkeys(paths)
        self._hints: dict[tuple[str, ...], str] = {}

    def unknown(self, place: Path, name: str, words: Collection[str] = ()) -> Iterator[Finding]:
        """A finding if this is neither the path of a body nor one of the words."""
        if name in self._paths or name in words:
            return
        asked = (name, *words)
        if asked not in self._hints:
            self._hints[asked] = self._hint(name, words) if len(self._hints) < MOST_HINTED else ""
        yield Finding("reference", f"there is no body '{shown(name)}'", place, self._hints[asked])

    def _hint(self, name: str, words: Collection[str]) -> str:
        numbered = re.compile("/".join(f"{re.escape(part)}(_[0-9]+)?" for part in name.split("/")))
        copies = [path for path in self._paths if numbered.fullmatch(path)]
        if len(copies) > 1:
            return f"there are {shown(copies[0])} ... {shown(copies[-1])}"
        compared = list(islice(chain(words, self._paths), MOST_COMPARED))
        close = [path for path in self._paths if path.endswith(f"/{name}")] or get_close_matches(name, compared, n=1)
        named = [*map(shown, compared[: len(words) + MOST_NAMED]), *["..."][: len(self._paths) > MOST_NAMED]]
        return f"did you mean '{shown(close[0])}'?" if close else f"there are: {', '.join(named)}"
