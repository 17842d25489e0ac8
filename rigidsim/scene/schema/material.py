"""Properties of a body's surface."""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import AfterValidator, Field, WithJsonSchema

from rigidsim.scene.values.base import SceneModel, invalid
from rigidsim.scene.values.quantities import EXPRESSION_SCHEMA, NUMBER_ONLY, quantity


def _within(largest: float) -> Any:
    """The type of a plain number from 0 to `largest`."""

    def check(number: float) -> float:
        if not 0 <= number <= largest:
            wanted = "must not be negative" if largest == math.inf else f"must be from 0 to {largest:g}"
            raise invalid("out-of-range", f"{wanted}, got {number:g}")
        return number

    number = {"type": "number", "minimum": 0} | ({} if largest == math.inf else {"maximum": largest})
    schema = WithJsonSchema({"anyOf": [number, EXPRESSION_SCHEMA]})
    return Annotated[quantity(NUMBER_ONLY), AfterValidator(check), schema]


class Material(SceneModel):
    """Properties of a body's surface."""

    restitution: _within(1.0) = Field(None, description="Coefficient of restitution, from 0 to 1.")
    friction: _within(math.inf) = Field(None, description="Coefficient of friction, 0 or more.")
