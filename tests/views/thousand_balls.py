"""A display that no simulation has made: balls on arcs, tumbling."""

from __future__ import annotations

import numpy as np

from rigidsim.scene.values.rotation import IDENTITY
from rigidsim.views.display import SOLID, Display, ShownPart
from rigidsim.views.poses import WORLD_ROW, Poses
from rigidsim.views.surfaces import marker, segments_for


def thousand_balls(n_body: int, n_frame: int, title: str = "Balls") -> Display:
    """Balls that bounce on arcs at the height of a metre, each turning about an axis of its own."""
    random = np.random.default_rng(5)
    time = np.linspace(0.0, 10.0, n_frame)
    begin, drift, phase = (
        random.uniform(-5, 5, (n_body, 3)),
        random.normal(size=(n_body, 3)),
        random.uniform(size=n_body),
    )
    flight = (time[:, None] + phase) % 0.9
    position = begin + time[:, None, None] * drift
    position[..., 2] = 4.905 * flight * (0.9 - flight)
    velocity = np.broadcast_to(drift, position.shape).copy()
    velocity[..., 2] = 4.905 * (0.9 - 2 * flight)
    rate = random.normal(size=(n_body, 3)) * 3
    speed = np.linalg.norm(rate, axis=1)
    half = 0.5 * speed * time[:, None]
    turn = np.concatenate([np.cos(half)[..., None], np.sin(half)[..., None] * (rate / speed[:, None])], axis=-1)
    poses = Poses(
        time, position, turn, velocity, np.broadcast_to(rate, position.shape), ((WORLD_ROW,) * n_body,),
        np.zeros(n_frame, np.int64),
    )  # fmt: skip
    parts = [ShownPart(row, 0, SOLID, np.zeros(3), np.array(IDENTITY), np.full(3, 0.1)) for row in range(n_body)]
    paths = tuple(f"ball_{row}" for row in range(n_body))
    return Display(
        title, paths, ("free",) * n_body, ("#0072b2",) * n_body, poses, 1.0, (marker(segments_for(n_body)),),
        tuple(parts), np.zeros((n_body, 3)), np.full(n_body, 0.1), tuple(range(n_body)),
    )  # fmt: skip
