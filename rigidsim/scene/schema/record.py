"""What a run records: quantities of all bodies or of some, energies and momenta, contact points."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from rigidsim.quantities.vocabulary import MOTION as QUANTITIES
from rigidsim.scene.values.base import Parsed, SceneModel, invalid, or_mapping, require_word

FRAMES = ("local", "world")
TERMS, DIAGNOSTICS, CONTACTS, JOINTS, LOOPS = "terms", "diagnostics", "contacts", "joints", "loops"
OF_BODIES = (*QUANTITIES, *FRAMES, *(f"{frame}/{name}" for frame in FRAMES for name in QUANTITIES), TERMS)
"""What can be recorded of some bodies only."""
OF_ALL = (DIAGNOSTICS, CONTACTS, JOINTS, LOOPS)
"""What belongs to no single body."""
ALWAYS = ("time", "events")


def _quantity(allowed: tuple[str, ...]) -> Any:
    """The type of one of these names."""

    def check(value: Any) -> Any:
        if isinstance(value, str) and value in OF_ALL and value not in allowed:
            message = f"'{value}' cannot be limited to bodies"
            raise invalid("record", message, f"write it by itself: record: [{value}, ...]")
        if isinstance(value, str) and value in ALWAYS:
            raise invalid("record", f"'{value}' is no choice: time and events are always recorded", "omit it")
        require_word(value, allowed, "a quantity that can be recorded", "record")
        return value

    return Annotated[str, BeforeValidator(check), WithJsonSchema({"enum": list(allowed)})]


def _one_or_more(item: Any, schema: dict[str, Any]) -> Any:
    """The type of one item or a list of them; its value is a tuple."""

    def listed(value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    def check(values: tuple) -> tuple:
        if not values:
            raise invalid("length", "the list is empty", "name at least one, or omit the entry")
        return values

    described = {"anyOf": [schema, {"type": "array", "items": schema, "minItems": 1}]}
    kept = Annotated[tuple[item, ...], Field(strict=False)]
    return Annotated[kept, BeforeValidator(listed), AfterValidator(check), WithJsonSchema(described)]


class RecordedPart(SceneModel):
    """Quantities of some bodies."""

    bodies: Parsed[tuple[str, ...], _one_or_more(str, {"type": "string"})] = Field(
        description="Paths of bodies, or patterns: * stands for any part of a name, ** for any part of a path."
    )
    of: Parsed[tuple[str, ...], _one_or_more(_quantity(OF_BODIES), {"enum": list(OF_BODIES)})] = Field(
        description="Quantities to record of these bodies."
    )


_Recorded = Parsed[str | RecordedPart, or_mapping(_quantity((*OF_BODIES, *OF_ALL)), RecordedPart)]
Record = Annotated[tuple[_Recorded, ...], Field(strict=False)]
"""Names of quantities, of all bodies, and entries for some bodies."""
