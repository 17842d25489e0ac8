"""The integrators a scene may name, and the options of each."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, ValidationInfo, WithJsonSchema

from rigidsim.scene.base import Model, by_form, complaint, form
from rigidsim.scene.document import shown
from rigidsim.scene.quantities import EXPRESSION_SCHEMA, NUMBER_ONLY


def _whole(least: int, most: int) -> Any:
    """The type of a whole number from `least` to `most`, or of an expression that gives one."""

    def read(value: Any, info: ValidationInfo) -> int | float:
        number = NUMBER_ONLY.read(value, info.context)
        return int(number) if number == int(number) else number

    schema = {"anyOf": [{"type": "integer", "minimum": least, "maximum": most}, EXPRESSION_SCHEMA]}
    return Annotated[int, Field(ge=least, le=most), BeforeValidator(read), WithJsonSchema(schema)]


class Rkmk4(Model):
    """Fourth-order Runge-Kutta-Munthe-Kaas."""

    name: Literal["rkmk4"]


class Magnus(Model):
    """Constant accelerations over a step and a truncated Magnus expansion."""

    name: Literal["magnus"]
    terms: _whole(1, 4) = 2
    exponential: Literal["cubic", "full"] = "full"


class Magnus2(Model):
    """Second order on the angular momentum."""

    name: Literal["magnus2"]
    iterations: _whole(1, 100) = 4


class Euler(Model):
    """Semi-implicit Euler, the game engines' step."""

    name: Literal["euler"]


MODELS: dict[str, type[Model]] = {"rkmk4": Rkmk4, "magnus": Magnus, "magnus2": Magnus2, "euler": Euler}
Name = Literal["rkmk4", "magnus", "magnus2", "euler"]


def _form(value: Any) -> str:
    return value.get("name", "rkmk4") if isinstance(value, dict) else "name"


def _require_known(value: Any) -> Any:
    name = value.get("name") if isinstance(value, dict) else value
    if isinstance(value, dict) and "name" not in value:
        raise complaint("missing-key", "the integrator has no 'name'", f"names: {', '.join(MODELS)}")
    if not isinstance(name, str) or name not in MODELS:
        close = get_close_matches(name, MODELS, n=1) if isinstance(name, str) else []
        hint = f"did you mean '{close[0]}'?" if close else f"there are {', '.join(get_args(Name))}"
        raise complaint("integrator", f"{shown(name)} is not an integrator", hint)
    return value


def _in_full(written: Any) -> Model:
    return MODELS[written](name=written) if isinstance(written, str) else written


Integrator = Annotated[
    Annotated[Name, form("name")]
    | Annotated[Rkmk4, form("rkmk4")]
    | Annotated[Magnus, form("magnus")]
    | Annotated[Magnus2, form("magnus2")]
    | Annotated[Euler, form("euler")],
    Discriminator(by_form(_form)),
    AfterValidator(_in_full),
    BeforeValidator(_require_known),
]
"""An integrator as a name or in full; its value is the model with its options."""
