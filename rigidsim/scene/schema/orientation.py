"""The forms in which an orientation may be written, each converted to a unit quaternion (w, x, y, z).

Quaternions are Hamilton and active: they rotate body coordinates into parent coordinates.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from rigidsim.containers.columns import hypot
from rigidsim.physics.vector import dot
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import Parsed, SceneModel, invalid, list_of, one_of
from rigidsim.scene.values.quantities import ANGLE, NUMBER_ONLY, quantity, vector
from rigidsim.scene.values.rotation import (
    Matrix,
    Quaternion,
    Vector,
    determinant,
    from_axis_angle,
    from_euler,
    from_matrix,
    normalised,
    unit,
)

NORM_TOLERANCE = 1e-3
MATRIX_TOLERANCE = 1e-6
Number = quantity(NUMBER_ONLY)
WRITTEN = "{wxyz: [...]}, {xyzw: [...]}, {axis: [x, y, z], angle: a}, {euler: [a, b, c], order: xyz} or {matrix: [...]}"


class QuaternionFirst(SceneModel):
    """A quaternion with its scalar first."""

    wxyz: Parsed[Quaternion, list_of(Number, 4, "[w, x, y, z]")] = Field(
        description="Unit quaternion with the scalar first: [w, x, y, z]."
    )

    def quaternion(self) -> Quaternion:
        """The unit quaternion."""
        return _checked(self.wxyz)


class QuaternionLast(SceneModel):
    """A quaternion with its scalar last."""

    xyzw: Parsed[Quaternion, list_of(Number, 4, "[x, y, z, w]")] = Field(
        description="Unit quaternion with the scalar last: [x, y, z, w]."
    )

    def quaternion(self) -> Quaternion:
        """The unit quaternion."""
        x, y, z, w = self.xyzw
        return _checked((w, x, y, z))


class AxisAngle(SceneModel):
    """A rotation about one axis, which need not be of length one."""

    axis: Parsed[Vector, vector(NUMBER_ONLY)] = Field(
        description="Axis of rotation in the parent, of any length but zero."
    )
    angle: Parsed[float, quantity(ANGLE)] = Field(description="Angle of rotation about the axis.")

    def quaternion(self) -> Quaternion:
        """The unit quaternion."""
        if max(map(abs, self.axis)) == 0:
            raise invalid("orientation", "the axis is zero, so it has no direction")
        return from_axis_angle(unit(self.axis), self.angle)


def _check_order(order: str) -> str:
    if len(order) != 3 or set(order.lower()) - set("xyz") or not (order.islower() or order.isupper()):
        hint = "three of x, y, z: lower case for rotations about the parent's axes, upper case about the body's own"
        raise invalid("orientation", f"'{shown(order)}' is not an order of axes", hint)
    if order[0] == order[1] or order[1] == order[2]:
        raise invalid("orientation", f"the order '{order}' has two consecutive rotations about the same axis")
    return order


ORDER_SCHEMA = {"type": "string", "pattern": "^(?!.*(.)\\1)([xyz]{3}|[XYZ]{3})$"}
EulerOrder = Annotated[str, AfterValidator(_check_order), WithJsonSchema(ORDER_SCHEMA)]


class EulerAngles(SceneModel):
    """Three rotations about coordinate axes."""

    euler: Parsed[Vector, list_of(quantity(ANGLE), 3, "[first, second, third]")] = Field(
        description="Three angles, in the order of the rotations."
    )
    order: EulerOrder = Field(
        description="Axes of the rotations: lower case for the parent's (xyz), upper case for the body's own (XYZ)."
    )

    def quaternion(self) -> Quaternion:
        """The unit quaternion."""
        return from_euler(self.euler, self.order)


class RotationMatrix(SceneModel):
    """A rotation matrix, row by row."""

    matrix: Parsed[Matrix, list_of(vector(NUMBER_ONLY), 3, "of rows")] = Field(
        description="Rotation matrix, row by row, from body coordinates to parent coordinates."
    )

    def quaternion(self) -> Quaternion:
        """The unit quaternion."""
        m = self.matrix
        columns = tuple(zip(*m, strict=True))
        error = max(abs(dot(columns[i], columns[j]) - (i == j)) for i in range(3) for j in range(3))
        if not error <= MATRIX_TOLERANCE:
            message = f"the matrix is not orthonormal: the error of its columns is {error:.3g}"
            raise invalid("orientation", message, f"the tolerance is {MATRIX_TOLERANCE:g}")
        if determinant(m) < 0:
            raise invalid("orientation", "the matrix is a reflection (determinant -1), not a rotation")
        return from_matrix(m)


def _checked(q: Quaternion) -> Quaternion:
    norm = hypot(*q)
    if norm == 0:
        raise invalid("orientation", "the quaternion is zero, so it has no direction")
    if not abs(norm - 1) <= NORM_TOLERANCE:
        message = f"the quaternion has norm {norm:.6g}, not 1"
        raise invalid("orientation", message, f"divide it by {norm:.17g}")
    return normalised(q)


FORMS: dict[str, type[SceneModel]] = {
    "wxyz": QuaternionFirst, "xyzw": QuaternionLast, "axis": AxisAngle, "euler": EulerAngles, "matrix": RotationMatrix,
}  # fmt: skip
FORM_OF_KEY = {key: name for name, form in FORMS.items() for key in form.model_fields}


def _form(value: Any) -> str:
    return next((name for key, name in FORM_OF_KEY.items() if key in value), "wxyz")


def _require_form(value: Any) -> Any:
    if isinstance(value, list | tuple) and len(value) == 4:
        numbers = ", ".join(map(shown, value))
        message = "four bare numbers are ambiguous: the scalar may be first or last"
        raise invalid("orientation", message, f"write {{wxyz: [{numbers}]}} or {{xyzw: [{numbers}]}}")
    if not isinstance(value, dict) or not any(key in value for key in FORM_OF_KEY):
        raise invalid("orientation", f"{shown(value)} is not an orientation", f"write {WRITTEN}")
    return value


Orientation = Annotated[
    Parsed[Quaternion, one_of(_form, **FORMS)],
    AfterValidator(lambda written: written.quaternion()),
    BeforeValidator(_require_form),
]
"""An orientation in any of its forms; its value is the unit quaternion (w, x, y, z)."""
