"""Builds plain data from YAML events and records the location of each value and key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from yaml import events

from rigidsim.errors import SceneError
from rigidsim.scene.text.document import Document, Mark, Places, shown
from rigidsim.scene.text.scalars import TAG_PREFIX, read_plain, read_tagged

MAX_DEPTH = 200
TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"
MAX_NODES = 4_000_000
MAX_ALIAS_NODES = 1_000_000
MAX_SCALAR = 2**20
SCALAR_TAGS = ("str", "int", "float", "bool", "null")
NO_KEY = object()


@dataclass(slots=True)
class _Open:
    """A mapping or list whose end has not been read yet."""

    places: Places
    mark: Mark
    anchor: str | None
    nodes_before: int
    key: Any = NO_KEY
    repeated: bool = False


class Builder:
    """Takes the events of one YAML text in order and fills a document.

    Errors after which the rest of the text is meaningless are raised; other problems are recorded in the document.
    """

    def __init__(self, document: Document):
        self.document = document
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[object, int]] = {}
        self._nodes = 0
        self._alias_nodes = 0
        self._documents = 0
        self._takers: dict[type[events.Event], Callable[[Any, Mark], None]] = {
            events.ScalarEvent: self._scalar,
            events.AliasEvent: self._alias,
            events.MappingStartEvent: self._start,
            events.SequenceStartEvent: self._start,
            events.MappingEndEvent: self._end,
            events.SequenceEndEvent: self._end,
            events.DocumentStartEvent: self._document_start,
        }

    def take(self, event: events.Event) -> None:
        """Continue with the next event."""
        taker = self._takers.get(type(event))
        if taker is not None:
            start = event.start_mark
            assert start is not None
            mark = (start.line + 1, start.column + 1)
            if self._nodes - self._alias_nodes > MAX_NODES:
                self._fail(mark, "size", f"the scene has more than {MAX_NODES} values")
            taker(event, mark)

    def _document_start(self, event: events.DocumentStartEvent, mark: Mark) -> None:
        self._documents += 1
        if self._documents > 1:
            self._fail(mark, "document", "a second YAML document begins here", "a scene is one document: remove '---'")

    def _scalar(self, event: events.ScalarEvent, mark: Mark) -> None:
        if len(event.value) > MAX_SCALAR:
            self._fail(mark, "scalar", f"this text is longer than {MAX_SCALAR // 2**20} MiB")
        self._nodes += 1
        value = self._scalar_value(event, mark)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, 1)
        if self._awaits_key():
            self._key(value, event, mark)
        else:
            self._attach(value, mark)

    def _scalar_value(self, event: events.ScalarEvent, mark: Mark) -> object:
        if event.tag is None:
            return read_plain(event.value) if event.implicit[0] else event.value
        if event.tag == "!":
            return event.value
        kind = event.tag.removeprefix(TAG_PREFIX)
        if kind not in SCALAR_TAGS:
            self._refuse_tag(event.tag, mark)
        try:
            return read_tagged(kind, event.value)
        except ValueError as error:
            return self._fail(mark, "tag", shown(str(error)))

    def _key(self, key: object, event: events.ScalarEvent, mark: Mark) -> None:
        top = self._open[-1]
        if key == "<<" and event.implicit[0]:
            self._fail(mark, "merge-key", "merge keys ('<<') are not available", "write the keys out, or use an alias")
        if not isinstance(key, str):
            self._note(mark, "key", f"the key '{shown(event.value)}' is not text", "put it in quotes")
            key = event.value
        top.key = key
        top.repeated = key in top.places.of_key
        if top.repeated:
            line, column = top.places.of_key[key]
            message = f"the key '{shown(key)}' is given twice; first at line {line}, column {column}"
            self._note(mark, "duplicate-key", message, "remove one of the two")
        else:
            top.places.of_key[key] = mark

    def _start(self, event: events.MappingStartEvent | events.SequenceStartEvent, mark: Mark) -> None:
        is_mapping = isinstance(event, events.MappingStartEvent)
        if len(self._open) == MAX_DEPTH:
            self._fail(mark, "depth", TOO_DEEP)
        if self._awaits_key():
            self._fail(mark, "key", "a key must be text, not a mapping or a list")
        if event.tag not in (None, "!", TAG_PREFIX + ("map" if is_mapping else "seq")):
            self._refuse_tag(event.tag, mark)
        marks: dict[str | int, Mark] = {}
        places = Places({}) if is_mapping else Places([], of_key=marks, of_value=marks)
        self.document.places[id(places.container)] = places
        self._open.append(_Open(places, mark, event.anchor, self._nodes))
        self._nodes += 1

    def _end(self, event: events.MappingEndEvent | events.SequenceEndEvent, mark: Mark) -> None:
        done = self._open.pop()
        if done.anchor is not None:
            self._anchors[done.anchor] = (done.places.container, self._nodes - done.nodes_before)
        self._attach(done.places.container, done.mark)

    def _alias(self, event: events.AliasEvent, mark: Mark) -> None:
        name = event.anchor
        if any(unfinished.anchor == name for unfinished in self._open):
            self._fail(mark, "alias", f"the alias '*{shown(name)}' is inside the value that it refers to")
        if name not in self._anchors:
            self._fail(mark, "alias", f"there is no '&{shown(name)}' before the alias '*{shown(name)}'")
        if self._awaits_key():
            self._fail(mark, "key", "an alias cannot be a key", "write the key out")
        value, size = self._anchors[name]
        self._nodes += size
        self._alias_nodes += size
        if self._alias_nodes > MAX_ALIAS_NODES:
            self._fail(mark, "alias", f"the aliases stand for more than {MAX_ALIAS_NODES} values")
        self._attach(value, mark)

    def _attach(self, value: object, mark: Mark) -> None:
        if not self._open:
            self.document.data, self.document.root = value, mark
            return
        top = self._open[-1]
        places = top.places
        if isinstance(places.container, list):
            index = len(places.container)
            places.of_value[index] = mark
            places.container.append(value)
            return
        if not top.repeated:
            places.container[top.key] = value
            places.of_value[top.key] = mark
        top.key = NO_KEY

    def _awaits_key(self) -> bool:
        return bool(self._open) and self._open[-1].key is NO_KEY and isinstance(self._open[-1].places.container, dict)

    def _refuse_tag(self, tag: str, mark: Mark) -> NoReturn:
        name = tag.replace(TAG_PREFIX, "!!")
        self._fail(mark, "tag", f"the tag '{shown(name)}' is not allowed in a scene", "remove it")

    def _note(self, mark: Mark, code: str, message: str, hint: str = "") -> None:
        self.document.problems.append(self.document.problem_at(mark, code, message, hint=hint))

    def _fail(self, mark: Mark, code: str, message: str, hint: str = "") -> NoReturn:
        raise SceneError([*self.document.problems, self.document.problem_at(mark, code, message, hint=hint)])
