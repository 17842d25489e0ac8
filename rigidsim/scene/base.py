"""What all models of the schema share: strictness, located complaints, and marked forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Tag, ValidationInfo, model_validator
from pydantic_core import PydanticCustomError

from rigidsim.scene.document import shown

FORM_MARK = "\0"
"""Begins the names of forms in pydantic's error paths. No key of a scene can begin so."""


class Model(BaseModel):
    """A part of a scene: frozen, without conversions, and closed to unknown keys."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _note_allowed_keys(cls, data: Any, info: ValidationInfo) -> Any:
        # A later message about an unknown key can then name the keys of that very object.
        if info.context is not None:
            info.context[id(data)] = cls
        return data


def complaint(code: str, message: str, hint: str = "") -> PydanticCustomError:
    """An error for a validator to raise; the code, message and hint reach the user unchanged."""
    return PydanticCustomError(code, "{message}", {"message": message, "hint": hint})


def form(name: str) -> Tag:
    """The tag of one form of a union, marked so that it can be told from the keys in an error's path."""
    return Tag(FORM_MARK + name)


def by_form(choose: Callable[[Any], str]) -> Callable[[Any], str]:
    """A discriminator that gives the marked name of the form that `choose` names."""
    return lambda value: FORM_MARK + choose(value)


class _UniformItems:
    """Describes a tuple in the JSON Schema by its one kind of item instead of item by item."""

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:
        schema = handler(core_schema)
        schema["items"] = schema.pop("prefixItems")[0]
        return schema


def list_of(item: Any, count: int, shape: str) -> Any:
    """The type of a list of exactly `count` items, kept as a tuple; `shape` shows it in messages."""

    def check(value: Any) -> Any:
        if not isinstance(value, list | tuple):
            raise complaint("not-a-list", f"expected a list {shape}, got {shown(value)}")
        if len(value) != count:
            raise complaint("length", f"expected {count} values {shape}, got {len(value)}")
        return value

    return Annotated[tuple[(item,) * count], Field(strict=False), BeforeValidator(check), _UniformItems()]
