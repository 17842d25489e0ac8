"""The integrators: options, defaults and properties of each; the steps are in `engine/integrators/`.

The scene's schema, `rigidsim integrators` and the table in docs/scene/integrators.md are made from these classes:
options, defaults, order, cost, conserved quantities, source.

`linear_step(A)` is the matrix that a step applies to (x, h x') where (x, h x')' = A (x, h x') / h, that is
x'' = a x + b x' with A = [[0, 1], [h^2 a, h b]]. From it follow the bounds of stability and the errors in a spinning
frame (`stability.py`). `quadrature` contains the instants, in steps, and the weights with which a step sums an
acceleration that depends on time only. The stepper does the same to round-off: `tests/engine/test_linear_steps.py`.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, Literal, get_args

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field
from pydantic.fields import FieldInfo

from rigidsim.errors import did_you_mean
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import Parsed, SceneModel, invalid, one_of, word_of
from rigidsim.scene.values.quantities import NUMBER_ONLY, TIME, between, positive, whole

Quadrature = tuple[tuple[float, float], ...]
ONE = np.eye(2)
LEAST_SHARE = 1e-16  # of the last terms of a step
LEAST_ORDER, MOST_ORDER = 8, 24  # of series of Taylor
LONGEST = "twice the time between samples in scenes with expressions, else none"
SAFETY = 4.0  # of a step's tolerance, in powers of two: errors of many steps add up
LEAST_TOLERANCE = 1e-14


class Method(SceneModel):
    """The properties that all integrators have."""

    name: str

    order: ClassVar[str]
    """The order of convergence, in words."""
    evaluations: ClassVar[int]
    """Number of evaluations of the forces per step."""
    conserves: ClassVar[str]
    use: ClassVar[str]
    """When to take it, in words."""
    source: ClassVar[str]
    quadrature: ClassVar[Quadrature]
    chooses: ClassVar[bool] = False
    """Whether the method chooses the length of its steps."""
    refined_by: ClassVar[str] = "step"
    """The key whose smaller value makes the motion more exact."""
    takes_callbacks: ClassVar[bool] = True
    """Whether forces may be functions of Python, of which the equations are not known."""
    unset: ClassVar[dict[str, str]] = {}
    """What stands for options that are omitted and have no value by default."""
    in_world: ClassVar[bool] = False
    """Whether positions are stepped in world axes, where a parent's turn costs no accuracy."""
    moves_joints: ClassVar[bool] = True
    """Whether coordinates of joints are stepped, and loops closed after a step."""
    locates_events: ClassVar[bool] = False
    """Whether steps end where a coordinate of a joint meets a stop, or begins or ceases to slip."""
    most_pieces: ClassVar[int | None] = None
    """Most pieces of a table, which becomes choices between them in the method's own equations; None for any number."""
    touches_trees: ClassVar[bool] = True
    """Whether contact can correct a step of bodies on joints."""
    holds_contacts: ClassVar[bool] = False
    """Whether contacts can be constraints of its evaluations, and their events ends of its steps."""

    def linear_step(self, A: np.ndarray) -> np.ndarray:
        """The matrix of a step."""
        raise NotImplementedError

    def options(self) -> dict[str, Any]:
        """The options and their values; None where `unset` says what holds."""
        return {key: getattr(self, key) for key in type(self).model_fields if key != "name"}

    def in_numbers(self) -> dict[str, Any]:
        """The options as the stepper takes them."""
        return self.options()

    def written(self) -> dict[str, Any]:
        """The method in full, as in a scene."""
        return self.model_dump(exclude_none=True)

    def finer(self, part: int) -> dict[str, Any]:
        """The method, as in a scene, for steps that are so many times shorter."""
        return self.written()

    @classmethod
    def allowed(cls) -> dict[str, str]:
        """The allowed values of each option, as text."""
        return {key: _allowed(field) for key, field in cls.model_fields.items() if key != "name"}


def _allowed(field: FieldInfo) -> str:
    bounds = {name: getattr(part, name) for part in field.metadata for name in ("ge", "le") if hasattr(part, name)}
    if bounds:
        return f"{bounds['ge']:g} to {bounds['le']:g}"
    return " or ".join(get_args(field.annotation)) or "above 0"


class Rkmk4Method(Method):
    """Fourth-order Runge-Kutta-Munthe-Kaas. Stable for damping up to 2.785 and oscillations up to 2.828 rad per
    step.
    """

    name: Literal["rkmk4"]

    order: ClassVar[str] = "4"
    evaluations: ClassVar[int] = 4
    conserves: ClassVar[str] = "unit quaternions"
    use: ClassVar[str] = "scenes with contact, whose step it shares, and those whose step is known"
    source: ClassVar[str] = "Munthe-Kaas, BIT 38 (1998), on Kutta's tableau (1901); rotation in body rates"
    quadrature: ClassVar[Quadrature] = ((0.0, 1 / 6), (0.5, 2 / 3), (1.0, 1 / 6))
    in_world: ClassVar[bool] = True
    locates_events: ClassVar[bool] = True
    holds_contacts: ClassVar[bool] = True

    def linear_step(self, A: np.ndarray) -> np.ndarray:
        """Kutta's tableau: the exponential of A to fourth order."""
        return ONE + A @ (ONE + A @ (ONE / 2 + A @ (ONE / 6 + A / 24)))


class MagnusMethod(Method):
    """Constant accelerations over a step and a truncated Magnus expansion. Stable for damping up to 2 per step;
    undamped oscillations of z rad per step grow by a factor of 1 + z^2/4 per step.
    """

    name: Literal["magnus"]
    terms: Parsed[int, whole(1, 4)] = Field(2, description="number of terms of the Magnus expansion")
    exponential: Annotated[
        Literal["full", "cubic"], Field(description="exact exponential map, or its expansion to third order")
    ] = "full"

    order: ClassVar[str] = (
        "1; exact for constant acceleration, 2, 4, 4, 6 in the rotation (by number of terms) for constant angular "
        "acceleration"
    )
    evaluations: ClassVar[int] = 1
    conserves: ClassVar[str] = "unit quaternions"
    use: ClassVar[str] = "comparison with the articles; exact for constant accelerations"
    source: ClassVar[str] = "Numerical Integration for Rotational Dynamics (cwzx); Magnus (1954)"
    quadrature: ClassVar[Quadrature] = ((0.0, 1.0),)

    def linear_step(self, A: np.ndarray) -> np.ndarray:
        """v' = v + h a, x' = x + h v + h^2 a/2."""
        return ONE + A + np.array([A[1] / 2, (0.0, 0.0)])


class Magnus2Method(Method):
    """Second order on the angular momentum. Stable for damping up to 2 per step; undamped oscillations of z rad per
    step grow by a factor of 1 + z^4/8 per step.
    """

    name: Literal["magnus2"]
    iterations: Parsed[int, whole(1, 100)] = Field(
        4, description="number of iterations that make the final rate consistent with the orientation"
    )

    order: ClassVar[str] = "2"
    evaluations: ClassVar[int] = 2
    conserves: ClassVar[str] = "unit quaternions; angular momentum about the centre of mass where no torque acts"
    use: ClassVar[str] = "angular momentum to round-off where no torque acts, in long steps"
    source: ClassVar[str] = "explicit midpoint on L = I omega, with a Magnus increment; Magnus (1954)"
    moves_joints: ClassVar[bool] = False
    touches_trees: ClassVar[bool] = False
    quadrature: ClassVar[Quadrature] = ((0.5, 1.0),)

    def linear_step(self, A: np.ndarray) -> np.ndarray:
        """The explicit midpoint."""
        return ONE + A + A @ A / 2


class EulerMethod(Method):
    """Semi-implicit Euler, the step of game engines. Stable for damping and oscillations up to 2 rad per step."""

    name: Literal["euler"]

    order: ClassVar[str] = "1"
    evaluations: ClassVar[int] = 1
    conserves: ClassVar[str] = "unit quaternions"
    use: ClassVar[str] = "comparison with game engines"
    source: ClassVar[str] = "semi-implicit Euler, as in game engines; for comparison only"
    touches_trees: ClassVar[bool] = False
    quadrature: ClassVar[Quadrature] = ((0.0, 1.0),)

    def linear_step(self, A: np.ndarray) -> np.ndarray:
        """v' = v + h a, x' = x + h v'."""
        kick = ONE + np.array([(0.0, 0.0), A[1]])
        return np.array([(1.0, 1.0), (0.0, 1.0)]) @ kick


class AdaptiveMethod(Method):
    """A Runge-Kutta-Munthe-Kaas pair of order 8(5, 3), which chooses its steps by tolerance."""

    name: Literal["adaptive"]
    rtol: Parsed[float, between(LEAST_TOLERANCE, 0.1)] = Field(1e-9, description="relative tolerance of a step's error")
    atol: Parsed[float | None, positive(NUMBER_ONLY)] = Field(
        None, description="absolute tolerance, in m, m/s, rad, rad/s"
    )
    min_step: Parsed[float, positive(TIME)] = Field(
        1e-12, description="the run fails where a shorter step would be needed, s"
    )
    max_step: Parsed[float | None, positive(TIME)] = Field(None, description="the longest step, s")

    order: ClassVar[str] = "8, with an error of orders 5 and 3; dense output of order 7"
    evaluations: ClassVar[int] = 13
    conserves: ClassVar[str] = "unit quaternions"
    use: ClassVar[str] = "smooth motion of several bodies to a tolerance, without looking for a step"
    source: ClassVar[str] = "Munthe-Kaas, BIT 38 (1998), on Dormand and Prince's DOP853 (Hairer, Norsett, Wanner 1993)"
    quadrature: ClassVar[Quadrature] = ()
    chooses: ClassVar[bool] = True
    refined_by: ClassVar[str] = "rtol"
    in_world: ClassVar[bool] = True
    locates_events: ClassVar[bool] = True
    holds_contacts: ClassVar[bool] = True
    unset: ClassVar[dict[str, str]] = {"atol": "rtol/1000", "max_step": LONGEST}

    def in_numbers(self) -> dict[str, Any]:
        """The options as the stepper takes them."""
        omitted = {"atol": self.rtol / 1000, "max_step": math.inf}
        return {key: omitted[key] if value is None else value for key, value in super().in_numbers().items()}

    def finer(self, part: int) -> dict[str, Any]:
        """The method with tolerances that make its steps, of order 8, about so many times shorter."""
        numbers = self.in_numbers()
        tighter = {"rtol": max(LEAST_TOLERANCE, self.rtol / part**8), "atol": numbers["atol"] / part**8}
        return super().finer(part) | tighter


class TaylorMethod(Method):
    """Series of Taylor from the scene's own equations, of the order that the tolerance asks for."""

    name: Literal["taylor"]
    tolerance: Parsed[float, between(LEAST_SHARE, 0.1)] = Field(
        1e-12, description="largest share of a step's last terms in what changes"
    )
    max_step: Parsed[float | None, positive(TIME)] = Field(None, description="the longest step, s")

    order: ClassVar[str] = "8 to 24, by the tolerance"
    evaluations: ClassVar[int] = 1
    conserves: ClassVar[str] = "unit quaternions"
    use: ClassVar[str] = "smooth motion of few bodies, at the least time for errors below 1e-4; many digits, long times"
    source: ClassVar[str] = "Jorba and Zou, Exp. Math. 14 (2005) 99"
    quadrature: ClassVar[Quadrature] = ()
    chooses: ClassVar[bool] = True
    refined_by: ClassVar[str] = "tolerance"
    takes_callbacks: ClassVar[bool] = False
    locates_events: ClassVar[bool] = True
    most_pieces: ClassVar[int | None] = 100
    unset: ClassVar[dict[str, str]] = {"max_step": LONGEST}

    def in_numbers(self) -> dict[str, Any]:
        """The options as the stepper takes them."""
        order = math.ceil(1.0 - math.log(self.tolerance) / 2.0)
        return {
            "tolerance": math.log2(self.tolerance) - SAFETY,
            "orders": tuple(range(1, min(max(order, LEAST_ORDER), MOST_ORDER) + 1)),
            "min_step": 0.0,
            "max_step": math.inf if self.max_step is None else self.max_step,
        }

    def finer(self, part: int) -> dict[str, Any]:
        """The method with a tolerance that makes its steps, of eight terms or more, about so many times shorter."""
        return super().finer(part) | {"tolerance": max(LEAST_SHARE, self.tolerance / part**8)}


MODELS: dict[str, type[Method]] = {
    word_of(method, "name"): method
    for method in (Rkmk4Method, MagnusMethod, Magnus2Method, EulerMethod, AdaptiveMethod, TaylorMethod)
}
DEFAULT = "rkmk4"


def able(capability: str) -> str:
    """The integrators that have a capability, as a hint names them."""
    return " or ".join(name for name, method in MODELS.items() if getattr(method, capability))


Name = Parsed[str, Literal[tuple(MODELS)]]


def _form(value: Any) -> str:
    return value.get("name", DEFAULT) if isinstance(value, dict) else "name"


def _require_known(value: Any) -> Any:
    name = value.get("name") if isinstance(value, dict) else value
    if isinstance(value, dict) and "name" not in value:
        raise invalid("missing-key", "the integrator has no 'name'", f"names: {', '.join(MODELS)}")
    if not isinstance(name, str) or name not in MODELS:
        hint = did_you_mean(name, MODELS, f"there are {', '.join(MODELS)}")
        raise invalid("integrator", f"{shown(name)} is not an integrator", hint)
    return value


def _in_full(written: Any) -> Method:
    return MODELS[written](name=written) if isinstance(written, str) else written


Integrator = Annotated[
    Parsed[Method, one_of(_form, name=Name, **MODELS)], AfterValidator(_in_full), BeforeValidator(_require_known)
]
"""An integrator as a name or in full; its value is the model with its options."""
