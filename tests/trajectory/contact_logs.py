"""Scenes with shapes that are far apart, and what the kernels would have recorded if they had touched."""

from __future__ import annotations

import numpy as np

import rigidsim
from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model import layout

SPHERE = [{"type": "sphere", "radius": 0.1}]
BODY = {"mass": 1, "inertia": {"principal": [1, 1, 1]}}
SCENE = {
    "format": "rigidsim/1",
    "simulation": {"duration": 1, "step": 0.01, "record_every": 0.1, "contact": "stepping"},
    "bodies": {
        "ball": {**BODY, "position": [0, 0, 9], "shapes": SPHERE},
        "car": {
            **BODY,
            "position": [20, 0, 9],
            "impulses": [{"time": 0.25, "impulse": [1, 0, 0]}],
            "children": {
                "bag": {**BODY, "inherit_impulses": True, "children": {"book": BODY}},
                "mast": {"motion": {"prescribed": {"angular_velocity": [0, 0, 1]}}, "children": {"bird": BODY}},
                "rider": {**BODY, "position": [0, 5, 0], "children": {"hat": BODY}},
                "wheel": {"motion": "fixed", "shapes": SPHERE},
            },
        },
        "floor": {"motion": "fixed", "shapes": [{"type": "plane"}]},
    },
    "reparent": [{"body": "car/rider", "to": "world", "time": 0.7}],
}
BALL, WHEEL, FLOOR = 0, 1, 2
NAMES = ("ball.shapes[0]", "car/wheel.shapes[0]", "floor.shapes[0]")
OCCURRENCES = (
    (0.1, layout.CAUSE_IMPACT, BALL, WHEEL, 8.0, 5.0),
    (0.25, layout.CAUSE_BEGAN, WHEEL, FLOOR, 0.0, 0.0),
    (0.25, layout.CAUSE_IMPACT, BALL, FLOOR, 4.0, 3.0),
    (0.5, layout.CAUSE_ENDED, WHEEL, FLOOR, 0.0, 0.0),
    (0.8, layout.CAUSE_IMPACT, BALL, WHEEL, 2.0, 1.0),
)
"""Time, what happened, both shapes, energy before and after."""


def log_of(occurrences) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the log; impulse k is (0, 0, k + 1) N s."""
    rows, values = (
        np.zeros((len(occurrences), layout.RECORD.width), int),
        np.zeros((len(occurrences), layout.EVENT.width)),
    )
    for k, (time, kind, first, second, before, after) in enumerate(occurrences):
        rows[k, :3] = kind, first, second
        values[k] = time, 1, 2, 3, 0, 0, -1, 0, 0, k + 1, before, after
    return rows, values


def points_of(touching) -> tuple[np.ndarray, np.ndarray]:
    """The rows of samples, from (sample, first, second, force along z)."""
    rows, values = np.zeros((len(touching), at.SAMPLED.width), int), np.zeros((len(touching), at.SAMPLED_POINT.width))
    for k, (sample, first, second, force) in enumerate(touching):
        rows[k] = sample, first, second, 0
        values[k] = k, 0, 0, 0, 0, -1, 0, 0, force
    return rows, values


TOUCHING = ((2, WHEEL, FLOOR, -6.0), (2, WHEEL, FLOOR, -3.81), (3, WHEEL, FLOOR, -9.81), (10, BALL, WHEEL, 2.0))


class Touched(rigidsim.Simulation):
    """A simulation that is given what touched: the log, and the contact points of its samples."""

    def __init__(self, scene=SCENE, log=OCCURRENCES, touching=TOUCHING, **options):
        super().__init__(rigidsim.Scene.from_dict(scene), **options)
        self._given = (log_of(log), points_of([])), (log_of([]), points_of(touching))
        at_end = points_of([(0, *row[1:]) for row in touching if row[0] == self.n_sample - 1])
        self._run.touching = lambda: at_end

    def blocks(self, *options):
        """As those of a simulation."""
        for given in self._given:
            self._run.contact.add(*given)
        return super().blocks(*options)


def history_of(**options) -> rigidsim.Trajectory:
    """The trajectory of such a simulation."""
    simulation = Touched(**options)
    blocks = [block.copied() for block in simulation.blocks()]
    return rigidsim.Trajectory.from_blocks(simulation.header, blocks, simulation.status, simulation.events)
