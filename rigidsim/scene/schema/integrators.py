"""The integrators a scene may name: the options of each, and what a step of it does to motions that are known.

`linear_step(A)` is the matrix that a step applies to (x, h x') where (x, h x')' = A (x, h x') / h, that is
x'' = a x + b x' with A = [[0, 1], [h^2 a, h b]]. From it follow the bounds of stability and the errors in a spinning
frame (`stability.py`). `quadrature` holds the instants, in steps, and the weights by which a step sums up an
acceleration that depends on time alone. The stepper does the same to round-off: `tests/engine/test_linear_steps.py`.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated, Any, ClassVar, Literal, get_args

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, ValidationInfo, WithJsonSchema

from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import Model, by_form, complaint, form
from rigidsim.scene.values.quantities import EXPRESSION_SCHEMA, NUMBER_ONLY


def _whole(least: int, most: int) -> Any:
    """The type of a whole number from `least` to `most`, or of an expression that gives one."""

    def read(value: Any, info: ValidationInfo) -> int | float:
        number = NUMBER_ONLY.read(value, info.context)
        return int(number) if number == int(number) else number

    schema = {"anyOf": [{"type": "integer", "minimum": least, "maximum": most}, EXPRESSION_SCHEMA]}
    return Annotated[int, Field(ge=least, le=most), BeforeValidator(read), WithJsonSchema(schema)]


Quadrature = tuple[tuple[float, float], ...]
ONE = np.eye(2)


class Rkmk4(Model):
    """Fourth-order Runge-Kutta-Munthe-Kaas. Stable for damping up to 2.785 and for swings up to 2.828 a step."""

    name: Literal["rkmk4"]

    quadrature: ClassVar[Quadrature] = ((0.0, 1 / 6), (0.5, 2 / 3), (1.0, 1 / 6))

    def linear_step(self, A: np.ndarray) -> np.ndarray:
        """Kutta's tableau: the exponential of A to fourth order."""
        return ONE + A @ (ONE + A @ (ONE / 2 + A @ (ONE / 6 + A / 24)))


class Magnus(Model):
    """Constant accelerations over a step and a truncated Magnus expansion. Stable for damping up to 2 a step; undamped
    swings of z rad a step grow by z^2/4 of themselves in each.
    """

    name: Literal["magnus"]
    terms: _whole(1, 4) = 2
    exponential: Literal["cubic", "full"] = "full"

    quadrature: ClassVar[Quadrature] = ((0.0, 1.0),)

    def linear_step(self, A: np.ndarray) -> np.ndarray:
        """v' = v + h a, x' = x + h v + h^2 a/2."""
        return ONE + A + np.array([A[1] / 2, (0.0, 0.0)])


class Magnus2(Model):
    """Second order on the angular momentum. Stable for damping up to 2 a step; undamped swings of z rad a step grow by
    z^4/8 of themselves in each.
    """

    name: Literal["magnus2"]
    iterations: _whole(1, 100) = 4

    quadrature: ClassVar[Quadrature] = ((0.5, 1.0),)

    def linear_step(self, A: np.ndarray) -> np.ndarray:
        """The explicit midpoint."""
        return ONE + A + A @ A / 2


class Euler(Model):
    """Semi-implicit Euler, the game engines' step. Stable for damping and for swings up to 2 a step."""

    name: Literal["euler"]

    quadrature: ClassVar[Quadrature] = ((0.0, 1.0),)

    def linear_step(self, A: np.ndarray) -> np.ndarray:
        """v' = v + h a, x' = x + h v'."""
        kick = ONE + np.array([(0.0, 0.0), A[1]])
        return np.array([(1.0, 1.0), (0.0, 1.0)]) @ kick


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
