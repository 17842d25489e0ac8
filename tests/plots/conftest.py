"""Histories to draw: the balls on a turntable with all terms, a tumbling body, balls that bounce."""

from __future__ import annotations

import pytest

import rigidsim
from drawn_scenes import BOUNCING, made
from rigidsim.cli.examples import shipped_scenes


@pytest.fixture(scope="session")
def table():
    """With terms; the table turns at 1 rad/s, `let_go` leaves it 1 m from its axis."""
    changes = ["simulation.step=0.002", "simulation.duration=3"]
    return rigidsim.simulate(rigidsim.Scene.from_file(shipped_scenes()["ball_on_turntable"], changes), terms=True)


@pytest.fixture(scope="session")
def bouncing():
    """With contact points; impacts of two balls, one impulse."""
    return made(BOUNCING, contacts=True)


@pytest.fixture(scope="session")
def tumbling():
    """A body with principal axes of its own choice, free of torque."""
    body = {
        "mass": 2,
        "inertia": {"principal": [1, 2, 3]},
        "angular_velocity": [0.05, 2, 0.1],
        "velocity": [1, 0, 0.2],
    }
    return made({"format": "rigidsim/1", "simulation": {"duration": 10, "step": 0.01}, "bodies": {"top": body}})
