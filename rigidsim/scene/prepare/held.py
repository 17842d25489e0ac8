"""The names that sensors and controllers give to expressions. Each may read all others, so the names come first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic_core import PydanticCustomError

from rigidsim.scene.prepare.overrides import put
from rigidsim.scene.prepare.quantities import OTHERWISE, check_name
from rigidsim.scene.schema import controllers, sensors
from rigidsim.scene.schema.controllers import CONTROLLERS, Python
from rigidsim.scene.schema.let import KEY as QUANTITIES
from rigidsim.scene.schema.sensors import SENSORS, Owned, names_of
from rigidsim.scene.text.document import Document, Path, body_path
from rigidsim.scene.text.plain import bodies_in
from rigidsim.scene.values.base import Reading, invalid, said

Given = tuple[str, str, str, Path]
"""The path of a body, a name, its unit, and the location of what gives it."""


def read_held(document: Document, reading: Reading) -> None:
    """Put the names into the validation context, with the problems with them; what else is wrong validation says."""
    for path, name, unit, place in [*_of_sensors(document), *_of_controllers(document)]:
        try:
            check_name(name, reading.parameters, "reading" if path else "output")
            _require_free(document, reading, path, name)
        except PydanticCustomError as error:
            context = said(error)
            problem = document.problem(error.type, context["message"], place, context["hint"], at_key=True)
            document.problems.append(problem)
        reading.scope.hold(path, name, unit)


def _require_free(document: Document, reading: Reading, path: str, name: str) -> None:
    """Raise the error for a name that stands for something else."""
    scope = reading.scope
    of_scene = document.data.get(QUANTITIES)
    taken = {
        "a table": name in scope.tables,
        "a reading or an output": (path, name) in scope.quantities or ("", name) in scope.quantities,
        "a quantity of the scene": isinstance(of_scene, dict) and name in of_scene,
    }
    if what := next((what for what, is_taken in taken.items() if is_taken), ""):
        raise invalid("held-name", f"'{name}' is {what} already", OTHERWISE)


def _of_sensors(document: Document) -> Iterator[Given]:
    for place, body in [*bodies_in(document.data.get("bodies"), ("bodies",))]:
        written = body.get(sensors.KEY) if isinstance(body, dict) else None
        if not isinstance(written, dict):
            continue
        path, place = body_path(place), (*place, sensors.KEY)
        for name, one in written.items():
            model = SENSORS.get(_type(one))
            for reading, channel, _ in names_of(str(name), model.channels) if model else ():
                yield path, reading, channel.unit, (*place, name)
        put(document, place, document.twin(written, Owned(path, written)))


def _of_controllers(document: Document) -> Iterator[Given]:
    written = document.data.get(controllers.KEY)
    for name, one in written.items() if isinstance(written, dict) else ():
        if _type(one) in CONTROLLERS:
            outputs = one.get("outputs") if CONTROLLERS[_type(one)] is Python else None
            names = outputs if isinstance(outputs, list | tuple) and outputs else [name]
            yield from (("", str(output), "", (controllers.KEY, name)) for output in names)


def _type(written: Any) -> Any:
    found = written.get("type") if isinstance(written, dict) else None
    return found if isinstance(found, str) else None
