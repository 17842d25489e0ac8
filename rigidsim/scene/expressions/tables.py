"""Tables: functions of one argument that a scene gives by points, with a cubic polynomial between each two of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rigidsim.physics.piecewise import jet_piece, piece


@dataclass(frozen=True)
class Interpolant:
    """A table by its name, as piecewise polynomials. `pieces` (piece, PARTS) are in order; the first holds also before
    it begins. The argument and the value are in the SI units `x_unit` and `y_unit`, empty if they are not known.
    """

    name: str
    pieces: np.ndarray = field(compare=False, repr=False)
    x_unit: str = field(default="", compare=False)
    y_unit: str = field(default="", compare=False)

    def at(self, x: Any) -> Any:
        """The value at a number, or at each of an array."""
        return piece(x, *self._piece(x))

    def jet(self, u: tuple) -> tuple:
        """The value at a jet, with its derivatives."""
        u = u if isinstance(u, tuple) else (u, 0.0, 0.0)
        return jet_piece(u, *self._piece(u[0]))

    def _piece(self, x: Any) -> np.ndarray:
        """The numbers of the piece at x, or of those at each x, (PARTS, ...)."""
        found = self.pieces[np.searchsorted(self.pieces[1:, 0], x, side="right")].T
        return found if np.ndim(x) else found.tolist()
