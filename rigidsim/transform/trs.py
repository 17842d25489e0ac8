"""Translation, rotation and one scale per axis, and two ways to accumulate a chain of them.

Scales that differ between axes do not compose: the product of two such matrices has a skew that translation, rotation
and scale cannot express. Use them for leaf nodes (shapes) only, and `Transform` for inner nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rigidsim.arguments import instance, refuse
from rigidsim.transform.arrays import TransformError, common_batch, rotations, spread, times, transposed, vectors
from rigidsim.transform.similarity import Transform


@dataclass(frozen=True, eq=False)
class TRS:
    """x -> R (scale * x) + T: translation (..., n), rotation (..., n, n), scale (..., n), one number per axis."""

    translation: np.ndarray
    rotation: np.ndarray
    scale: np.ndarray

    def __post_init__(self) -> None:
        T = vectors(self.translation, "translation")
        R = rotations(self.rotation, "rotation", T.shape[-1])
        S = vectors(self.scale, "scale", T.shape[-1])
        batch = common_batch("TRS", T.shape[:-1], R.shape[:-2], S.shape[:-1])
        object.__setattr__(self, "translation", spread(T, batch, 1))
        object.__setattr__(self, "rotation", spread(R, batch, 2))
        object.__setattr__(self, "scale", spread(S, batch, 1))

    @classmethod
    def from_transform(cls, transform: Transform) -> TRS:
        """The same map, with the scale repeated for each axis."""
        transform = instance(transform, Transform, "transform")
        scale = np.repeat(transform.scale[..., None], transform.n, axis=-1)
        return cls(transform.translation, transform.rotation, scale)

    @property
    def n(self) -> int:
        """The number of dimensions."""
        return self.translation.shape[-1]

    @property
    def linear_part(self) -> np.ndarray:
        """R diag(scale) (..., n, n)."""
        return self.rotation * self.scale[..., None, :]

    @property
    def matrix(self) -> np.ndarray:
        """The augmented matrix (..., n+1, n+1)."""
        M = np.zeros((*self.translation.shape[:-1], self.n + 1, self.n + 1), self.rotation.dtype)
        M[..., :-1, :-1], M[..., :-1, -1], M[..., -1, -1] = self.linear_part, self.translation, 1.0
        return M

    def apply(self, points: object) -> np.ndarray:
        """R (scale * x) + T of points (..., n).

        Parameters
        ----------
        points : object
            Points, (..., n).

        Returns
        -------
        np.ndarray
            The points in the parent, (..., n).
        """
        return self.translation + times(self.rotation, self.scale * vectors(points, "points", self.n))

    __call__ = apply


def accumulate_componentwise(chain: Sequence[TRS]) -> TRS:
    """Accumulate a chain, the root first, by components: products of scales and of rotations, positions through both.

    As in Unreal Engine and Ogre. There is no skew, but a parent's scale acts along the axes of the child. Source: the
    article "Accumulating Transforms".
    """
    first, *rest = _checked(chain)
    T, R, S = first.translation, first.rotation, first.scale
    for child in rest:
        T = T + times(R, S * child.translation)
        R, S = R @ child.rotation, S * child.scale
    return TRS(T, R, S)


def accumulate_matrices(chain: Sequence[TRS]) -> tuple[TRS, np.ndarray]:
    """Accumulate a chain, the root first, by the product of its matrices: the nearest TRS, and the discarded skew.

    With M the linear part of the product and R the product of the rotations alone, the scale is the diagonal of R^-1 M
    and the skew (..., n, n) its off-diagonal: x -> R (diag(scale) + skew) x + T is the product itself. A chain of one
    is returned exactly. A scale may be negative below strong opposite scales. Source: "Managing Transformations
    in Hierarchy", GPU Pro 5 (2014), which multiplies row vectors.
    """
    first, *rest = _checked(chain)
    T, R, W = first.translation, first.rotation, first.scale[..., None, :] * np.eye(first.n)  # M = R W
    for child in rest:
        T = T + times(R, times(W, child.translation))
        W = (transposed(child.rotation) @ W @ child.rotation) * child.scale[..., None, :]
        R = R @ child.rotation
    S = np.diagonal(W, axis1=-2, axis2=-1)
    return TRS(T, R, S), W * (1.0 - np.eye(first.n))


def _checked(chain: Sequence[TRS]) -> Sequence[TRS]:
    if not isinstance(chain, Sequence):
        refuse("a chain", "a list of TRS", chain)
    if not chain:
        raise TransformError("a chain must have at least one node, got an empty one")
    if len({instance(node, TRS, "a node of a chain").n for node in chain}) > 1:
        raise TransformError("the nodes of a chain must have the same number of dimensions")
    return chain
