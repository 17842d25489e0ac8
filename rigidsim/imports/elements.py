"""XML as elements that know their line, with attributes that are read as numbers and words; and what is left out.

The parser is expat, of Python's own library, which loads nothing from outside a file. Declarations of entities, by
which a small file can become a large one, are refused.
"""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

from rigidsim.containers.columns import hypot
from rigidsim.errors import Problem, SceneError, StorageError, did_you_mean
from rigidsim.physics.mass import inertia_fault, unpacked
from rigidsim.physics.quaternion import normalised
from rigidsim.scene.schema.meshes import FORMATS, require_solid
from rigidsim.scene.text.document import Document, shown

MAX_BYTES = 64 * 2**20
MAX_DEPTH = 200
NOT_NORMALISED = 1e-9
COUNTS = {1: "one number", 3: "three numbers", 4: "four numbers", 6: "six numbers"}


@dataclass(eq=False)
class Element:
    """An element of a file: its tag, attributes, line and column, the name of the nearest element around it that has
    one, and children, in the order of the file.
    """

    tag: str
    attributes: dict[str, str]
    document: Document
    mark: tuple[int, int]
    owner: str = ""
    children: list[Element] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Its name, or nothing."""
        return self.attributes.get("name", "")

    def __str__(self) -> str:
        if self.name:
            return f"<{self.tag}> '{shown(self.name)}'"
        return f"<{self.tag}> of '{shown(self.owner)}'" if self.owner else f"<{self.tag}>"

    def all(self, *tags: str) -> Iterator[Element]:
        """The children with one of these tags."""
        return (child for child in self.children if child.tag in tags)

    def only(self, tag: str) -> Element | None:
        """The child with this tag; an error if there are several."""
        found = list(self.all(tag))
        if len(found) > 1:
            raise found[1].error("several", f"{self} has more than one <{tag}>")
        return found[0] if found else None

    def problem(self, code: str, message: str, hint: str = "") -> Problem:
        """A problem at this element."""
        return self.document.problem_at(self.mark, code, message, hint=hint)

    def error(self, code: str, message: str, hint: str = "") -> SceneError:
        """The error with one problem at this element."""
        return SceneError([self.problem(code, message, hint)])

    def require(self, key: str) -> str:
        """The text of an attribute that must be there."""
        if key not in self.attributes:
            raise self.error("missing", f"{self} has no attribute '{key}'", did_you_mean(key, self.attributes))
        return self.attributes[key]

    def word(self, key: str, words: Collection[str], default: str) -> str:
        """An attribute that is one of some words."""
        word = self.attributes.get(key, default)
        if word not in words:
            hint = did_you_mean(word, words, f"write one of {', '.join(words)}")
            raise self.error("word", f"{self}: {key}='{shown(word)}' is not known", hint)
        return word

    def numbers(self, key: str, count: int | None, default: Any = None) -> Any:
        """An attribute as a tuple of so many numbers, of any number of them for None; `default` if it is missing."""
        if key not in self.attributes:
            return default
        written = self.attributes[key]
        try:
            found = tuple(float(part) for part in written.split())
        except ValueError:
            found = ()
        if not found or count not in (None, len(found)) or not all(map(math.isfinite, found)):
            raise self.error("numbers", f"{self}: {key}='{shown(written)}' is not {COUNTS.get(count or 0, 'numbers')}")
        return found

    def number(self, key: str, default: Any = None) -> Any:
        """An attribute as one number."""
        found = self.numbers(key, 1)
        return default if found is None else found[0]

    def positive(self, key: str, count: int | None = 1) -> tuple[float, ...]:
        """An attribute that must be there, as positive numbers."""
        self.require(key)
        found = self.numbers(key, count)
        if min(found) <= 0:
            raise self.error("positive", f"{self}: {key}='{shown(self.attributes[key])}' is not positive")
        return found

    def direction(self, key: str, default: tuple) -> tuple[float, float, float]:
        """An attribute as a vector of any length but zero."""
        found = self.numbers(key, 3, default)
        if not any(found):
            raise self.error("direction", f"{self}: {key}='{shown(self.attributes[key])}' has no direction")
        return found

    def require_possible(self, tensor: tuple) -> None:
        """An error if no rigid body has this inertia (xx, yy, zz, xy, xz, yz)."""
        fault = inertia_fault(unpacked(tensor))
        if fault:
            raise self.error("inertia", f"{self}: {fault[0]}", fault[1])

    def unit_quaternion(self, key: str) -> tuple:
        """An attribute (w, x, y, z), as it is written if its length is one, else divided by it."""
        q = self.numbers(key, 4)
        length = hypot(*q)
        if length == 0:
            raise self.error("direction", f"{self}: {key}='{shown(self.attributes[key])}' is zero")
        return q if abs(length - 1) <= NOT_NORMALISED else normalised(q)


class LeftOut:
    """What a scene has no counterpart for, in the order of the file: a line for each kind of it."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], list[Element]] = {}

    def add(self, element: Element, why: str) -> None:
        """An element, or what `why` says of it."""
        self._found.setdefault((element.tag, why), []).append(element)

    def children(self, element: Element, known: Collection[str], reasons: dict[str, str]) -> None:
        """All children of an element with tags that are not known; the reason is that of the tag."""
        for child in element.children:
            if child.tag not in known:
                self.add(child, reasons.get(child.tag, "it is not understood"))

    def attributes(self, element: Element, known: Collection[str]) -> None:
        """All attributes of an element that are not known, but zeros."""
        for key, value in element.attributes.items():
            if key not in known and set(value) - set("0. "):
                self.add(element, f"its {key} is not understood")

    def lines(self) -> list[str]:
        """A line for each kind, with the place of the first one."""
        found = []
        for (_, why), elements in self._found.items():
            first, more = elements[0], len(elements) - 1
            also = f" (and {more} more)" if more else ""
            found.append(f"{first.document.file}:{first.mark[0]}: {first}{also}: {why}")
        return found


def is_within(path: Path, within: Path) -> bool:
    """Whether a path that a file names is one of a file in the folder `within`, with all links followed."""
    try:
        return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(within)) and path.is_file()
    except (OSError, ValueError):
        return False


def _where(within: Path) -> str:
    """Where a file was searched in vain, whether there is none or it lies outside."""
    return f"is no file in the folder {within}; --within FOLDER names another one"


def read_included(include: Element, path: Path, within: Path) -> Element:
    """The root element, of any name, of a file in the folder `within` that another one includes. No line of a file that
    is not XML is shown.
    """
    if not is_within(path, within):
        raise include.error("include", f"{path} {_where(within)}")
    try:
        return read_elements(path)
    except SceneError as error:
        (problem,) = error.problems
        raise include.error("include", f"{path}:{problem.line}:{problem.column}: {problem.message}") from None


def read_elements(path: Path) -> Element:
    """The root element of an XML file. Raises StorageError if it cannot be read, SceneError if it is not XML."""
    content = _content(path)
    document = Document(None, str(path), content.decode("utf-8", "replace"))
    parser = expat.ParserCreate()
    open_elements: list[Element] = []
    roots: list[Element] = []

    def mark() -> tuple[int, int]:
        return parser.CurrentLineNumber, parser.CurrentColumnNumber + 1

    def start(tag: str, attributes: dict[str, str]) -> None:
        above = open_elements[-1] if open_elements else None
        element = Element(tag, attributes, document, mark(), above.name or above.owner if above else "")
        if len(open_elements) == MAX_DEPTH:
            raise element.error("depth", f"nested more than {MAX_DEPTH} levels deep")
        (roots if above is None else above.children).append(element)
        open_elements.append(element)

    def refuse(*_: object) -> NoReturn:
        raise SceneError([document.problem_at(mark(), "entity", "declarations of entities are not read")])

    parser.StartElementHandler, parser.EntityDeclHandler = start, refuse
    parser.EndElementHandler = lambda _tag: open_elements.pop()
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        place = (getattr(error, "lineno", 1), getattr(error, "offset", 0) + 1)
        reason = expat.ErrorString(error.code) if isinstance(error, expat.ExpatError) else str(error)
        raise SceneError([document.problem_at(place, "xml", f"this is not XML: {reason}")]) from None
    return roots[0]


def _content(path: Path) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise StorageError(f"{path} is not a regular file")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise StorageError(f"{str(path)!r} is not a file name") from None
    if len(content) > MAX_BYTES:
        raise SceneError([Problem("size", f"it is larger than {MAX_BYTES // 2**20} MiB", file=str(path))])
    return content


def found_mesh(folders: Collection[Path], file: str, within: Path) -> tuple[Path | None, str]:
    """The path of a mesh file that a scene can read, in the first of some folders that has it, if that is in `within`;
    else None and why there is none.
    """
    path = next((folder / file for folder in folders if is_within(folder / file, within)), None)
    if path is None:
        return None, f"the mesh file '{shown(file)}' {_where(within)}"
    if path.suffix.lower() not in FORMATS:
        return None, f"the mesh '{shown(file)}' is not one of {', '.join(FORMATS)}"
    try:
        require_solid(path)
    except ValueError as error:
        return None, f"the mesh '{shown(file)}' has no volume: {error}"
    return path, ""
