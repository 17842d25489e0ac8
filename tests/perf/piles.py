"""Bodies that fall and come to rest, for us and for our peers, and how far they sink into each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

import rigidsim

STEP, GRAVITY, SAMPLE_EVERY = 0.005, 9.81, 20  # s, m/s2, steps


class Pile(NamedTuple):
    """Equal bodies of 1 kg between immovable planes."""

    kind: str  # sphere or box
    size: float  # radius or half the edge, m
    places: np.ndarray  # (body, 3)
    planes: tuple  # (normal, offset): solid where normal . x < offset; the floor first
    friction: float = 0.5
    rolling: float = 0.0  # only ours has it

    @property
    def moment(self) -> float:
        """Every principal moment of inertia, kg m2."""
        return (0.4 if self.kind == "sphere" else 2 / 3) * self.size**2


def spheres(count: int = 666) -> Pile:
    """Layers above a walled floor, with jitter: nine by eight, or ten layers if there are more than 720."""
    n_x, n_y = (9, 8) if count <= 720 else (int((count / 10) ** 0.5),) * 2
    layers = -(-count // (n_x * n_y))
    grid = [
        (0.22 * (i - n_x // 2), 0.22 * (j - 0.5 * n_y + 0.5), 0.15 + 0.22 * k)
        for k in range(layers)
        for j in range(n_y)
        for i in range(n_x)
    ]
    places = np.array(grid)[:count]
    x, y = 0.11 * (n_x + 1 - n_x % 2), 0.11 * n_y
    walls = tuple((normal, -x if normal[0] else -y) for normal in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)))
    places = places + np.random.default_rng(0).uniform(-0.005, 0.005, places.shape)
    return Pile("sphere", 0.1, places, (((0, 0, 1), 0.0), *walls), rolling=0.001)


def stack(count: int = 10) -> Pile:
    """Unit boxes on each other, exactly touching."""
    return Pile("box", 0.5, np.array([(0.0, 0.0, 0.5 + k) for k in range(count)]), (((0, 0, 1), 0.0),))


def scene_of(pile: Pile, steps: int, sleep: bool = False) -> rigidsim.Scene:
    """For rigidsim."""
    size = {"radius": pile.size} if pile.kind == "sphere" else {"size": [2 * pile.size] * 3}
    body = {"mass": 1, "shapes": [{"type": pile.kind, **size}], "inertia": {"principal": [pile.moment] * 3}}
    material = {"friction": pile.friction, "rolling_friction": pile.rolling}
    planes = [{"type": "plane", "normal": list(normal), "offset": offset} for normal, offset in pile.planes]
    bodies = {
        f"b{i:05}": body | {"position": place, "material": material} for i, place in enumerate(pile.places.tolist())
    }
    simulation = {"duration": steps * STEP, "step": STEP, "integrator": "rkmk4", "record_every": SAMPLE_EVERY * STEP}
    return rigidsim.Scene.from_dict(
        {
            "format": "rigidsim/1",
            "simulation": simulation | {"contact": {"mode": "stepping", "sleep": True} if sleep else "stepping"},
            "world": {"gravity": [0, 0, -GRAVITY]},
            "bodies": {"ground": {"shapes": planes, "material": material}, **bodies},
        }
    )


class Depths(NamedTuple):
    """How far bodies are in each other and in the planes, m, and how many are outside."""

    between: float
    planes: float
    escaped: int


def depths(pile: Pile, places: np.ndarray) -> Depths:
    """By another program than the one that moved them. Boxes are taken as a stack in order, flat."""
    if not np.isfinite(places).all():
        return Depths(np.nan, np.nan, len(places))
    if pile.kind == "sphere":
        pairs = cKDTree(places).query_pairs(2 * pile.size, output_type="ndarray")
        distances = np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1)
    else:
        distances = np.diff(places[:, 2])
    heights = np.array([places @ normal - offset for normal, offset in pile.planes])
    between = (2 * pile.size - distances).max(initial=0.0)
    return Depths(between, max(0.0, (pile.size - heights).max()), int((heights < 0).any(axis=0).sum()))
