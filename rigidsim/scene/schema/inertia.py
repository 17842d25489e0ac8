"""The forms in which an inertia may be written, and the conditions on a physically possible one."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from rigidsim.physics.inertia import rotated
from rigidsim.physics.mass import TOLERANCE, inertia_fault, unpacked
from rigidsim.scene.schema.orientation import Orientation
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import Parsed, SceneModel, invalid, list_of, one_of
from rigidsim.scene.values.quantities import INERTIA, vector
from rigidsim.scene.values.rotation import IDENTITY, Matrix, Quaternion, Vector, three_numbers

FORMS = "{principal: [a, b, c]}, {tensor: [[...], [...], [...]]} or point"

About = Literal["com", "origin"]
Symmetric = tuple[float, float, float, float, float, float]


class BodyInertia(SceneModel):
    """A tensor in body axes, about the body's centre of mass or its origin; a point has none."""

    tensor: Matrix
    about: About = "com"
    is_point: bool = False


POINT = BodyInertia(tensor=((0.0,) * 3,) * 3, is_point=True)


class PrincipalInertia(SceneModel):
    """Three principal moments, about axes rotated from the body's by `orientation`."""

    principal: Parsed[Vector, vector(INERTIA)] = Field(description="Principal moments of inertia.")
    orientation: Orientation = Field(
        IDENTITY, description="Orientation of the principal axes relative to the body's axes."
    )
    about: About = Field(
        "com", description="Reference point of the moments: the centre of mass (com) or the body's origin."
    )

    def resolved(self) -> BodyInertia:
        """The tensor R diag(a, b, c) R^T."""
        return BodyInertia.model_construct(tensor=turned(diagonal(self.principal), self.orientation), about=self.about)


class TensorInertia(SceneModel):
    """The tensor, row by row; its products of inertia carry the minus sign of the integral of x y dm."""

    tensor: Parsed[Matrix, list_of(vector(INERTIA), 3, "of rows")] = Field(
        description="Inertia tensor in body axes, row by row; off-diagonal entries are minus the integral of x y dm."
    )
    about: About = Field(
        "com", description="Reference point of the tensor: the centre of mass (com) or the body's origin."
    )

    def resolved(self) -> BodyInertia:
        """The tensor, made exactly symmetric."""
        t = self.tensor
        largest = max(abs(entry) for row in t for entry in row)
        for i, j in ((0, 1), (0, 2), (1, 2)):
            if abs(t[i][j] - t[j][i]) > TOLERANCE * largest:
                raise invalid(
                    "inertia",
                    f"the tensor is not symmetric: entries [{i}][{j}] and [{j}][{i}] are {t[i][j]:g} and {t[j][i]:g}",
                )
        return BodyInertia.model_construct(tensor=symmetric(t), about=self.about)


def diagonal(moments: Vector) -> Matrix:
    """The tensor with these moments about the axes."""
    a, b, c = moments
    return ((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c))


def packed(t: Matrix) -> Symmetric:
    """A symmetric tensor as formulas take it: (xx, yy, zz, xy, xz, yz)."""
    return (t[0][0], t[1][1], t[2][2], t[0][1], t[0][2], t[1][2])


def turned(tensor: Matrix, q: Quaternion) -> Matrix:
    """The tensor R I R^T; unchanged without a rotation."""
    return tensor if q == IDENTITY else unpacked(rotated(q, packed(tensor)))


def symmetric(t: Matrix) -> Matrix:
    """The symmetric part; a symmetric tensor is returned unchanged, to the last bit."""
    x, y, z = (
        three_numbers(t[i][j] if t[i][j] == t[j][i] else t[i][j] / 2 + t[j][i] / 2 for j in range(3)) for i in range(3)
    )
    return x, y, z


def _resolve(written: Any) -> BodyInertia:
    if written == "point":
        return POINT
    resolved = written.resolved()
    fault = inertia_fault(resolved.tensor)
    if fault:
        raise invalid("inertia", *fault)
    return resolved


def _form(value: Any) -> str:
    if isinstance(value, dict):
        return "tensor" if "tensor" in value else "principal"
    return "point"


def _require_form(value: Any) -> Any:
    known = value == "point" or (isinstance(value, dict) and ("principal" in value or "tensor" in value))
    if not known:
        raise invalid("inertia", f"{shown(value)} is not an inertia", f"write {FORMS}")
    return value


Inertia = Annotated[
    Parsed[BodyInertia, one_of(_form, principal=PrincipalInertia, tensor=TensorInertia, point=Literal["point"])],
    AfterValidator(_resolve),
    BeforeValidator(_require_form),
]
"""An inertia in any of its forms; its value is a BodyInertia."""
