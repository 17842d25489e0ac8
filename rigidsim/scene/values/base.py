"""The base of all models of the schema: strictness, errors with a location, and marked forms."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationInfo,
    model_validator,
)
from pydantic_core import PydanticCustomError

from rigidsim.errors import did_you_mean
from rigidsim.scene.expressions.scope import Scope
from rigidsim.scene.text.document import shown

if TYPE_CHECKING:
    from typing import Annotated as Parsed
else:

    class Parsed:
        """`Parsed[float, quantity(LENGTH)]`: pydantic reads the value as the second type; to a reader of the model, and
        to a checker of types, it is of the first.
        """

        def __class_getitem__(cls, types: tuple[Any, Any]) -> Any:
            return types[1]


FORM_MARK = "\0"
"""Begins the names of forms in pydantic's error paths. No key of a scene can begin so."""
MOST_ENTRIES = 1000


@dataclass
class Reading:
    """What is known while a scene is validated: pydantic's context."""

    folder: Path = Path()
    """Where relative paths of files begin."""
    files: tuple[Path, ...] = ()
    """The file of the scene, after those that include it."""
    included: list[int] = field(default_factory=lambda: [0])
    """How many scenes are included so far, shared by all that are read."""
    allowed: dict[int, type[BaseModel]] = field(default_factory=dict)
    """The model that each mapping was read as, by the id of the mapping."""
    parameters: dict[str, float] = field(default_factory=dict)
    """Their SI values; NaN for one that could not be read."""
    units: dict[str, str] = field(default_factory=dict)
    """The SI units of those parameters that have one."""
    given: dict[str, Any] = field(default_factory=dict)
    """The parameters in full, as `Scene.parameters` keeps them."""
    used: set[str] = field(default_factory=set)
    """The parameters that some expression has used."""
    scope: Scope = field(default_factory=Scope)
    """The quantities that the scene defines, and the body that is being validated."""
    faults: int = 0
    """Number of expressions that could not be read."""


@dataclass(frozen=True)
class Names:
    """Names that expressions may use in addition to the parameters: SI values, and SI units where there are any."""

    values: dict[str, float] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)

    def with_more(self, values: Mapping[str, float], units: Mapping[str, str] = MappingProxyType({})) -> Names:
        """These and further ones, which come before those of the same name."""
        kept = {name: unit for name, unit in self.units.items() if name not in values}
        return Names({**self.values, **values}, {**kept, **units})


class BoundText(str):
    """The text of an expression that may use further names: those of its copy of a repeated body."""

    names: Names

    def __new__(cls, text: str, names: Names) -> BoundText:
        bound = super().__new__(cls, text)
        bound.names = names
        return bound


class SceneModel(BaseModel):
    """A part of a scene: frozen, without conversions, and closed to unknown keys."""

    # Validators are built once, for the whole scene on its first reading, which takes less time than one for each part.
    model_config = ConfigDict(defer_build=True, frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _note_allowed_keys(cls, data: Any, info: ValidationInfo) -> Any:
        # A later message about an unknown key can then name the keys of that very object.
        if info.context is not None:
            info.context.allowed[id(data)] = cls
        return data


def invalid(code: str, message: str, hint: str = "", **more: Any) -> PydanticCustomError:
    """An error for a validator to raise; the code, message and hint reach the user unchanged.

    `key` names the invalid entry of the mapping that is being validated, or the keys down to it, `offset` the position
    in a text.
    """
    return PydanticCustomError(code, "{message}", {"message": message, "hint": hint, **more})


UNWRITTEN: Any = None
"""The default of a key whose value follows from others."""


def said(error: PydanticCustomError) -> dict[str, Any]:
    """What an error of `invalid` says: its message and hint, and more, by name."""
    return error.context or {}


def _check_text(text: str) -> str:
    # Titles are printed on terminals and web pages; they must not contain escape sequences.
    unprintable = next((c for c in text if not (c.isprintable() or c in "\n\t")), None)
    if unprintable is not None:
        raise invalid("character", f"the character U+{ord(unprintable):04X} is not allowed here", "remove it")
    return text


Text = Annotated[str, AfterValidator(_check_text)]
"""Text that can be printed anywhere."""


def one_of(choose: Callable[[Any], str], /, **forms: Any) -> Any:
    """The type of a value that has one of these forms; `choose` gives the name of the form that was written.

    In an error's path the names are marked, to distinguish them from the keys of a scene.
    """
    union = reduce(or_, (Annotated[kind, Tag(FORM_MARK + name)] for name, kind in forms.items()))
    return Annotated[union, Discriminator(lambda value: FORM_MARK + choose(value))]


def or_mapping(other: Any, model: type[BaseModel], key: str = "") -> Any:
    """The type of a value that is written as a mapping with the keys of a model, or otherwise; with `key`, what is
    written otherwise is short for a mapping with this key alone, and the model is the value of both.
    """
    chosen = one_of(
        lambda value: "mapping" if isinstance(value, dict | SceneModel) else "other", other=other, mapping=model
    )

    def in_full(written: Any) -> Any:
        return written if isinstance(written, SceneModel) else model.model_construct(**{key: written})

    return Annotated[chosen, AfterValidator(in_full)] if key else chosen


def require_word(word: Any, known: Collection[str], what: str, code: str, otherwise: str = "", **more: Any) -> None:
    """Raise the error for what is not one of these words, with the most similar one as a hint, `otherwise`, or all."""
    if not isinstance(word, str) or word not in known:
        hint = did_you_mean(word, known, otherwise or f"there are {', '.join(known)}")
        raise invalid(code, f"{shown(word)} is not {what}", hint, **more)


def by_type(models: Mapping[str, type[BaseModel]], what: str, default: str = "") -> Any:
    """The type of a mapping whose `type` is one of these words, and says which keys it has."""

    def chosen(value: Any) -> str:
        return value.get("type", default) if isinstance(value, dict) else value.type

    def check(value: Any) -> Any:
        if not isinstance(value, dict | SceneModel):
            raise invalid("not-a-mapping", f"expected a {what}, a mapping, got {shown(value)}")
        if isinstance(value, dict) and "type" not in value and not default:
            raise invalid("missing-key", f"the {what} has no 'type'", f"types: {', '.join(models)}")
        require_word(chosen(value), models, f"a type of {what}", "unknown-value", key="type")
        return value

    return Annotated[one_of(chosen, **models), BeforeValidator(check)]


def word_of(model: type[BaseModel], key: str) -> str:
    """The one word that a key of a model can have."""
    (word,) = get_args(model.model_fields[key].annotation)
    return word


def mapping_of(key: Any, value: Any, what: str, example: str, counted: str = "") -> Any:
    """The type of a mapping; `what` is expected, `example` shows it, and `counted` names the entries, if their number
    is limited.
    """

    def check(given: Any) -> Any:
        if not isinstance(given, dict):
            raise invalid("not-a-mapping", f"expected {what}, got {shown(given)}", f"write {example}")
        if counted and len(given) > MOST_ENTRIES:
            raise invalid("size", f"there are more than {MOST_ENTRIES} {counted}")
        return given

    return Annotated[dict[key, value], BeforeValidator(check)]


class _UniformItems:
    """Describes a tuple in the JSON Schema by its one kind of item instead of item by item."""

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:
        schema = handler(core_schema)
        schema["items"] = schema.pop("prefixItems")[0]
        return schema


def three(item: Any) -> Any:
    """The type of a vector with three such components."""
    return list_of(item, 3, "[x, y, z]")


def list_of(item: Any, count: int, shape: str) -> Any:
    """The type of a list of exactly `count` items, kept as a tuple; `shape` shows it in messages."""
    return Annotated[listed(*(item,) * count, shape=shape), _UniformItems()]


def listed(*items: Any, shape: str) -> Any:
    """The type of a list of these items, kept as a tuple; `shape` shows it in messages."""
    count = len(items)

    def check(value: Any) -> Any:
        if not isinstance(value, list | tuple):
            raise invalid("not-a-list", f"expected a list {shape}, got {shown(value)}")
        if len(value) != count:
            raise invalid("length", f"expected {count} values {shape}, got {len(value)}")
        return value

    whole: Any = tuple.__class_getitem__(items)
    return Annotated[whole, Field(strict=False), BeforeValidator(check)]
