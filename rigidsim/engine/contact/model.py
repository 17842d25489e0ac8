"""The part of a model that contact adds: shapes, contact bodies, and what pairs of shapes do."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Contacts(NamedTuple):
    """Shapes in the order of the paths of their nodes and, on one node, of the file; contact bodies: those moved by
    forces first, then the others, both in the order of paths.
    """

    shape: np.ndarray  # (shape, SHAPE_COLUMNS)
    shape_value: np.ndarray  # (shape, VALUE_ROWS)
    body: np.ndarray  # (contact body, BODY_COLUMNS)
    way: np.ndarray  # (way, WAY_COLUMNS) parents first
    action: np.ndarray  # (class, class) IGNORED, COLLIDES or SENSED
    value: np.ndarray  # (class * class, PAIR_VALUES)
    n_moved: int  # contact bodies that forces move
    substeps: int
    share: float  # of the gain of velocity in a smooth step that acts on its displacement: 0.5; semi-implicit Euler: 1
