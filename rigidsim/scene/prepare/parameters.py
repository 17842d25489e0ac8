"""The parameters of a scene: named numbers that expressions, including those of other parameters, may use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from rigidsim.errors import did_you_mean
from rigidsim.scene.expressions.tokens import NAME, names_in
from rigidsim.scene.expressions.vocabulary import RESERVED
from rigidsim.scene.schema.parameters import KEY, KEYS_OF_A_SCENE, Parameter
from rigidsim.scene.schema.problems import as_problems, problems_in
from rigidsim.scene.text.document import Document, Path, shown
from rigidsim.scene.values.base import Reading, SceneModel, Text, invalid
from rigidsim.scene.values.evaluation import is_expression, read_expression, unit_of
from rigidsim.scene.values.quantities import (
    NUMBER_ONLY,
    QuantityColumn,
    dimension_of,
    split_quantity,
)

MOST_PARAMETERS = 1000
MOST_CYCLES = 20
BROKEN = float("nan")


def _check_unit(unit: str) -> str:
    dimension_of(unit)
    return unit


class _Written(SceneModel):
    """The long form of a parameter."""

    value: Any
    unit: Annotated[str, AfterValidator(_check_unit)] = ""
    description: Text = ""


_LONG = TypeAdapter(_Written)


def read_parameters(document: Document, reading: Reading) -> None:
    """Put the document's parameters into the validation context, and the problems with them into the document."""
    data = document.data.get(KEY, {})
    if not isinstance(data, dict):
        hint = "write parameters: {slew: 0.5}"
        problem = document.problem("not-a-mapping", f"expected names with values, got {shown(data)}", (KEY,), hint)
        document.problems.append(problem)
        return
    reading.parameters.update(dict.fromkeys(data, BROKEN))
    if len(data) > MOST_PARAMETERS:
        problem = document.problem("size", f"there are more than {MOST_PARAMETERS} parameters", (KEY,))
        document.problems.append(problem)
        return
    entries = {name: _entry(document, reading, name, value) for name, value in data.items()}
    order, cycles = in_order({name: _needs(entry, data) for name, entry in entries.items()})
    for cycle in cycles:
        message = f"circular parameters: {shown(' -> '.join(cycle))}"
        document.problems.append(document.problem("cycle", message, (KEY, cycle[0]), "give one of them a plain number"))
    for name in order:
        if (entry := entries[name]) is not None:
            _resolve(document, reading, name, entry)


def si_value(value: Any, reading: Reading, unit: str = "") -> tuple[Any, str]:
    """The SI value of a number (in `unit`), of a quantity or of an expression, and its SI unit, if it has one."""
    own = ""
    if value is None:
        raise invalid("empty", "has no value", "give it one, or omit the key")
    if is_expression(value):
        expression = read_expression(value, reading)
        own = unit_of(value, expression, reading)
        if own and unit:
            raise invalid("unit", f"this parameter already has a unit, {own}", "omit 'unit'")
        value = expression.value
    elif isinstance(value, str):
        dimension = dimension_of(unit or split_quantity(value)[1])
        return dimension.read(value), dimension.unit
    elif isinstance(value, QuantityColumn):
        dimension = dimension_of(unit or value.unit)
        return dimension.read(value), dimension.unit
    number = NUMBER_ONLY.read(value)
    if not unit:
        return number, own
    dimension = dimension_of(unit)
    return dimension.in_si(number, unit), dimension.unit


def unused(document: Document, reading: Reading, resolved: Callable[[], Any]) -> Iterator[tuple[Path, str]]:
    """The parameters that no expression uses, as (path, sentence); `resolved` returns the scene in full. What is set
    during the run is read later.
    """
    later = {word for key in ("changes", "states") for word in NAME.findall(str(document.data.get(key)))}
    names = [name for name in reading.given if name not in reading.used and name not in later]
    if names and not reading.used and resolved() == document.data:
        # A resolved scene has its parameters, and their values in place of expressions over them.
        changed = {path[1] for path, _ in document.overrides if path[0] == KEY and len(path) > 1}
        names = [name for name in names if name in changed]
    for name in names:
        yield (KEY, name), "no expression uses this parameter"


def require_known(document: Document, idle: Sequence[str]) -> None:
    """Put a problem into the document for each of these unused parameters that only an override has."""
    for name in idle if document.added else ():
        if name in document.added:
            known = [shown(other) for other in document.data[KEY] if other not in document.added]
            hint = did_you_mean(name, known, f"there are: {', '.join(known) or 'none'}")
            message = "the scene has no such parameter, and no expression uses it"
            document.problems.append(document.problem("unknown-key", message, (KEY, name), hint))


def _check_name(document: Document, name: str) -> bool:
    """Whether this is a valid name of a parameter; if not, the problem is added to the document."""
    hint = "letters, digits and underscores, not beginning with a digit; not a function, a constant or a state"
    if name in RESERVED:
        why = "has a meaning of its own in expressions"
    elif name in KEYS_OF_A_SCENE:
        why, hint = "is a key of the scene", f"'--set {name}=...' sets that key; choose another name"
    elif not NAME.fullmatch(name):
        why = "is not a name"
    else:
        return True
    message = f"a parameter cannot be called '{shown(name)}': that {why}"
    document.problems.append(document.problem("parameter-name", message, (KEY, name), hint, at_key=True))
    return False


def _entry(document: Document, reading: Reading, name: str, value: Any) -> _Written | None:
    """The long form of a parameter; None, with a problem in the document, if it has no valid form."""
    if not _check_name(document, name):
        return None
    if not isinstance(value, dict):
        return _Written.model_construct(value=value)
    try:
        return _LONG.validate_python(value, context=reading)
    except ValidationError as error:
        document.problems.extend(problems_in(error, document, reading, (KEY, name)))
        return None


def _needs(entry: _Written | None, names: Mapping[str, Any]) -> list[str]:
    """The parameters that an entry uses."""
    if entry is None or not is_expression(entry.value):
        return []
    return [name for name in names_in(entry.value) if name in names]


def in_order(needs: Mapping[str, list[str]]) -> tuple[list[str], list[list[str]]]:
    """The names, each after those it needs, and the cycles among them."""
    order: list[str] = []
    cycles: list[list[str]] = []
    is_done: dict[str, bool] = {}
    for root in needs:
        chain = [(root, iter(needs[root]))] if root not in is_done else []
        is_done.setdefault(root, False)
        while chain:
            name, rest = chain[-1]
            following = next((need for need in rest if not is_done.get(need)), None)
            if following is None:
                chain.pop()
                is_done[name] = True
                order.append(name)
            elif following not in is_done:
                is_done[following] = False
                chain.append((following, iter(needs[following])))
            elif len(cycles) < MOST_CYCLES:
                names = [name for name, _ in chain]
                cycles.append([*names[names.index(following) :], following])
    return order, cycles


def _resolve(document: Document, reading: Reading, name: str, entry: _Written) -> None:
    try:
        value, unit = si_value(entry.value, reading, entry.unit)
    except PydanticCustomError as error:
        path = (KEY, name, "value") if isinstance(document.data[KEY][name], dict) else (KEY, name)
        document.problems.extend(as_problems(document, path, entry.value, error))
        return
    reading.parameters[name] = value
    if unit:
        reading.units[name] = unit
    reading.given[name] = Parameter.model_construct(value=value, unit=unit, description=entry.description)
