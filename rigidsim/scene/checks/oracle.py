"""Checks of the oracle: bodies that do not exist, and numbers of components."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from rigidsim.scene.checks.findings import Finding
from rigidsim.scene.checks.references import KnownPaths
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.schema.oracle import KEY, Reference
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.quantity_names import BODY, PARENT, WORLD, QuantityName, bodies_called, read_quantity_name

MOST_NAMED = 5


def oracle_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Every name of a body in the oracle that does not stand for one body, and every list of a wrong length."""
    if not hierarchy.scene.oracle:
        return
    paths = dict.fromkeys(node.path for node in hierarchy)
    known = KnownPaths(paths)
    for text, reference in hierarchy.scene.oracle.items():
        name, place = read_quantity_name(text), (KEY, text)
        for body, words in ((name.body, ()), (name.frame, (WORLD, PARENT, BODY))):
            yield from _body_findings(known, paths, place, body, words)
        yield from _length_findings(name, reference, place)


def _body_findings(
    known: KnownPaths, paths: Collection[str], place: tuple, body: str, words: Collection[str]
) -> Iterator[Finding]:
    found = bodies_called(body, paths) if body and body not in words else [body]
    if not found:
        yield from (replace(finding, at_key=True) for finding in known.unknown(place, body, words))
    elif len(found) > 1:
        named = ", ".join(map(shown, found[:MOST_NAMED])) + ", ..." * (len(found) > MOST_NAMED)
        message = f"{len(found)} bodies are called '{shown(body)}'"
        yield Finding("reference", message, place, f"write one of {named}", at_key=True)


def _length_findings(name: QuantityName, reference: Reference, place: tuple) -> Iterator[Finding]:
    components, given = name.components, len(reference.components)
    if given == max(1, len(components)) and isinstance(reference.value, tuple) == bool(components):
        return
    if not components:
        yield Finding("length", f"'{shown(place[1])}' is a single number, not a list of {given}", place)
        return
    expected = f"expected {len(components)} values [{', '.join(components)}]"
    got = f"a list of {given}" if isinstance(reference.value, tuple) else "one"
    hint = "null stands for a component that is not known"
    yield Finding("length", f"{expected}, got {got}", place, hint)
