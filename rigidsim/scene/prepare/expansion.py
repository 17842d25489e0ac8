"""Replaces bodies with `repeat` by their copies, in the plain data, before validation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from rigidsim.errors import Problem, SceneError
from rigidsim.scene.prepare.kin import numbered
from rigidsim.scene.prepare.parameters import si_value
from rigidsim.scene.schema.problems import as_problems, problems_in
from rigidsim.scene.schema.repeat import PROVIDED, Copy, Repeat, Repetition
from rigidsim.scene.text.builder import MAX_NODES
from rigidsim.scene.text.document import Document, Path, shown
from rigidsim.scene.values.base import BoundText, Names, Reading
from rigidsim.scene.values.evaluation import is_expression
from rigidsim.scene.values.quantities import LENGTH

KEY = "repeat"
MOST_COPIES = 100_000

_REPEAT = TypeAdapter(Repeat)


def expand(document: Document, reading: Reading) -> None:
    """Put the copies into the document, and the problems with the repeats."""
    bodies = document.data.get("bodies")
    expander = _Expander(document, reading)
    expanded = expander.bodies(bodies, ("bodies",), Names())
    if expanded is not bodies:
        document.data = document.twin(document.data, {**document.data, "bodies": expanded})
    document.problems.extend(expander.problems.values())


class _Expander:
    """Paths are those of the data as written."""

    def __init__(self, document: Document, reading: Reading):
        self.problems: dict[tuple, Problem] = {}
        self._document = document
        self._reading = reading
        self._copies = 0
        self._values = 0
        self._sizes: dict[int, int] = {}

    def bodies(self, written: Any, path: Path, names: Names) -> Any:
        """A mapping of names to bodies with the repeated ones replaced; the same one if nothing changes in it."""
        if not isinstance(written, dict):
            return written
        origins: dict[str, str] = {}
        expanded: dict[str, Any] = {}
        for name, body in written.items():
            for copy_name, copy in self._expanded(name, body, (*path, name), names):
                if copy_name != name:
                    self._document.copies[path, copy_name] = name
                    if copy_name in written:
                        message = f"a copy has the name of another body, '{shown(copy_name)}'"
                        self._tell("body-name", message, (*path, name), at_key=True)
                expanded[copy_name] = copy
                origins[copy_name] = name
        if all(expanded.get(name) is body for name, body in written.items()):
            return written
        return self._document.twin(written, expanded, origins)

    def _expanded(self, name: str, body: Any, path: Path, names: Names) -> Iterator[tuple[str, Any]]:
        if not isinstance(body, dict) or KEY not in body:
            yield name, self._body(body, path, names)
            return
        repetition = self._repetition(body, path, names)
        if repetition is None:
            # Otherwise errors about the missing names would be reported for its expressions.
            yield name, self._body(body, path, names.with_more(dict.fromkeys(self._provided(body), math.nan)))
            return
        for index, copy in enumerate(repetition.copies()):
            own = self._with_values(repetition, index, names.with_more(copy.names), path)
            yield f"{name}_{index}", self._copy(body, repetition, copy, path, own)

    def _repetition(self, body: dict, path: Path, names: Names) -> Repetition | None:
        above = (*path, KEY)
        if body[KEY] is None:
            self._tell("empty", "has no value", above, hint="give it one, or omit the key")
            return None
        try:
            repetition = _REPEAT.validate_python(self._bound(body[KEY], names), context=self._reading)
        except ValidationError as error:
            self._note(problems_in(error, self._document, self._reading, above))
            return None
        self._count(repetition.count, body, path)
        for name in repetition.names:
            if name in self._reading.parameters:
                self._tell(
                    "parameter-name",
                    f"the copies have a value '{name}' of their own, which hides the parameter of that name",
                    above,
                )
        for name, value in repetition.values.items():
            if isinstance(value, list) and len(value) != repetition.count:
                message = f"expected {repetition.count} values, one for each copy, got {len(value)}"
                self._tell("length", message, (*above, "values", name))
                return None
        if getattr(repetition, "orientation", None) and "orientation" in body:
            hint = "omit one of the two"
            self._tell("repeat", "the body already has an orientation", (*above, "orientation"), hint)
        return repetition

    @staticmethod
    def _provided(body: dict) -> Iterable[str]:
        written = body[KEY].get("values") if isinstance(body[KEY], dict) else None
        return [*PROVIDED, *(written if isinstance(written, dict) else ())]

    def _count(self, count: int, body: dict, path: Path) -> None:
        self._copies += count
        self._values += count * self._size(body)
        message = ""
        if self._copies > MOST_COPIES:
            message = f"the repeats make more than {MOST_COPIES} copies"
        elif self._values > MAX_NODES:
            message = f"the copies have more than {MAX_NODES} values"
        if message:
            problem = self._document.problem("size", message, (*path, KEY))
            raise SceneError([*self._document.problems, *self.problems.values(), problem])

    def _size(self, body: dict) -> int:
        """The number of values in a body."""
        if id(body) not in self._sizes:
            size, waiting = 0, [body]
            while waiting:
                node = waiting.pop()
                size += 1
                if isinstance(node, dict | list):
                    waiting.extend(node.values() if isinstance(node, dict) else node)
            self._sizes[id(body)] = size
        return self._sizes[id(body)]

    def _with_values(self, repetition: Repetition, index: int, names: Names, path: Path) -> Names:
        """The names with the values of one copy; each may use those before it."""
        for name, value in repetition.values.items():
            place = (*path, KEY, "values", name)
            if isinstance(value, list):
                value, place = value[index], (*place, index)
            try:
                number, unit = si_value(self._bound(value, names), self._reading)
            except PydanticCustomError as error:
                self._note(as_problems(self._document, place, value, error))
                number, unit = math.nan, ""
            names = names.with_more({name: number}, {name: unit} if unit else {})
        return names

    def _copy(self, body: dict, repetition: Repetition, copy: Copy, path: Path, names: Names) -> dict:
        made = self._body(body, path, names)
        if any(copy.offset) and _prescribes_position(body):
            hint = f'{repetition.SPREAD}: [0, 0, 0], and expressions with index there: "= index"'
            message = "the copies cannot be moved apart: motion.prescribed.position gives their positions"
            self._tell("repeat", message, (*path, KEY, repetition.SPREAD), f"write {hint}")
        elif any(copy.offset) or "position" in made:
            made["position"] = self._moved(made.get("position", [0.0, 0.0, 0.0]), copy)
        if copy.orientation is not None:
            made["orientation"] = {"wxyz": list(copy.orientation)}
        return made

    def _moved(self, position: Any, copy: Copy) -> Any:
        if not isinstance(position, list) or len(position) != 3:
            return position
        try:
            origin = [LENGTH.read(part, self._reading) for part in position]
        except PydanticCustomError:
            return position  # validation will report the error
        return self._document.twin(position, [start + step for start, step in zip(origin, copy.offset, strict=True)])

    def _body(self, body: Any, path: Path, names: Names) -> Any:
        """A body without its `repeat`, its expressions bound to the names, the bodies in it expanded."""
        if not isinstance(body, dict):
            return body
        made = {}
        for key, value in body.items():
            if key == "children":
                made[key] = self.bodies(value, (*path, key), names)
            elif key != KEY:
                made[key] = self._bound(value, names, (*path, key))
        unchanged = KEY not in body and all(made[key] is value for key, value in body.items())
        return body if unchanged else self._document.twin(body, made)

    def _bound(self, value: Any, names: Names, path: Path = ()) -> Any:
        """The value with the names given to every expression in it, and to the numbers in its texts; the same value if
        it has none.
        """
        if not names.values:
            return value
        if isinstance(value, dict):
            made = {key: self._bound(item, names, (*path, key)) for key, item in value.items()}
            return value if all(made[key] is item for key, item in value.items()) else self._document.twin(value, made)
        if isinstance(value, list):
            items = [self._bound(item, names, (*path, k)) for k, item in enumerate(value)]
            is_same = all(a is b for a, b in zip(items, value, strict=True))
            return value if is_same else self._document.twin(value, items)
        if isinstance(value, str) and "{" in value:
            try:
                value = numbered(value, names, self._reading)
            except PydanticCustomError as error:
                self._note(as_problems(self._document, path, value, error))
                raise SceneError([*self._document.problems, *self.problems.values()]) from None
        return BoundText(value, names) if is_expression(value) else value

    def _tell(self, code: str, message: str, path: Path, hint: str = "", at_key: bool = False) -> None:
        self._note([self._document.problem(code, message, path, hint, at_key)])

    def _note(self, problems: list[Problem]) -> None:
        # The copies of a body share its errors: each is reported once.
        for problem in problems:
            self.problems.setdefault((problem.path, problem.code, problem.message), problem)


def _prescribes_position(body: dict) -> bool:
    motion = body.get("motion")
    prescribed = motion.get("prescribed") if isinstance(motion, dict) else None
    return isinstance(prescribed, dict) and "position" in prescribed
