"""The schema of `let`: named quantities of a scene or of a body."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from rigidsim.scene.expressions import Expression
from rigidsim.scene.expressions.tokens import NAME
from rigidsim.scene.values.quantities import EXPRESSION_SCHEMA

KEY = "let"


class Quantities(dict[str, Expression]):
    """The quantities of the body with this path, which were read before the rest of the scene; of the scene itself if
    it is empty.
    """

    def __init__(self, path: str, expressions: dict[str, Expression]):
        super().__init__(expressions)
        self.path = path


def _taken(written: Any) -> Any:
    return dict(written) if isinstance(written, Quantities) else {}


_SCHEMA = {
    "type": "object",
    "description": "Named quantities: expressions of time and of the motion of bodies.",
    "propertyNames": {"pattern": f"^{NAME.pattern}$"},
    "additionalProperties": EXPRESSION_SCHEMA,
}
Let = Annotated[dict[str, Any], BeforeValidator(_taken), WithJsonSchema(_SCHEMA)]
