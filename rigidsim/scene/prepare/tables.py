"""The tables of a scene are read before its expressions, which use them as functions."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from rigidsim.scene.prepare.overrides import put
from rigidsim.scene.prepare.quantities import check_name
from rigidsim.scene.schema.problems import as_problems, problems_in
from rigidsim.scene.schema.tables import KEY, GivenTable, GivenTables, TableData
from rigidsim.scene.text.document import Document, shown
from rigidsim.scene.values.base import Reading, said

MOST_TABLES = 1000
EXAMPLE = "tables: {density: {file: air.csv, kind: pchip}}"
_TABLE = TypeAdapter(TableData)


def read_tables(document: Document, reading: Reading) -> None:
    """Put the tables into the validation context and into the document, with the problems with them."""
    if KEY not in document.data:
        return
    written, message = document.data[KEY], ""
    if not isinstance(written, dict):
        message = f"expected names with tables, got {shown(written)}"
    elif len(written) > MOST_TABLES:
        message = f"there are more than {MOST_TABLES} tables"
    if message:
        document.problems.append(document.problem("not-a-mapping", message, (KEY,), f"write {EXAMPLE}"))
        written = {}
    read = {name: _read(document, reading, name, value) for name, value in written.items()}
    given = GivenTables({name: one for name, one in read.items() if one is not None})
    put(document, (KEY,), document.twin(document.data[KEY], given))


def _read(document: Document, reading: Reading, name: str, value: Any) -> GivenTable | None:
    reading.scope.tables[name] = None
    try:
        check_name(name, reading.parameters, "table")
    except PydanticCustomError as error:
        context = said(error)
        problem = document.problem(error.type, context["message"], (KEY, name), context["hint"], at_key=True)
        document.problems.append(problem)
        return None
    try:
        given, reading.scope.tables[name] = _TABLE.validate_python(value, context=reading).table(name, reading)
    except ValidationError as error:
        document.problems.extend(problems_in(error, document, reading, (KEY, name)))
        return None
    except PydanticCustomError as error:
        keys = said(error).get("key", ())
        place = (KEY, name, *(keys if isinstance(keys, tuple) else (keys,)))
        document.problems.extend(as_problems(document, place, value, error))
        return None
    return given
