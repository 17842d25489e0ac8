"""Bands of states: where each begins and ends, and what is said if there are none."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from rigidsim.errors import UsageError
from rigidsim.plots.states import states_of


def made(states: dict | None) -> rigidsim.Trajectory:
    return rigidsim.simulate(
        rigidsim.Scene.from_dict(
            {
                "format": "rigidsim/1",
                "simulation": {"duration": 4, "step": 0.01, "record_every": 0.1},
                "parameters": {"push": 0},
                "bodies": {"p": {"mass": 1, "inertia": "point", "forces": [{"force": ["= push", 0, 0]}]}},
                **({"states": states} if states else {}),
            }
        )
    )


def test_bands_are_the_states_of_each_machine():
    """x = (t - 1)^2 / 2 after a second passes 0.5 at t = 2; a state of no length has no band."""
    first = {
        "waits": {"to": {"pushes": {"after": 1}}},
        "pushes": {"set": {"push": 1}, "to": {"passes": "= x('p') > 0.5"}},
        "passes": {"to": {"rolls": "= t > 0"}},
        "rolls": {"set": {"push": 0}},
    }
    found = made({"drive": first, "other": {"only": {}}})
    drive = [*states_of(found, "drive")]
    assert [name for *_, name in drive] == ["waits", "pushes", "rolls"]
    assert np.abs(np.array([one[:2] for one in drive]) - [[0, 1], [1, 2], [2, 4]]).max() < 1e-12
    assert [*states_of(found, "other")] == [(0.0, 4.0, "only")]
    (axes,) = found.plot("states").axes
    bands = [path.get_extents() for one in axes.collections for path in one.get_paths()]
    assert [(round(band.x0, 9), round(band.x1, 9)) for band in bands] == [(0, 1), (1, 2), (2, 4), (0, 4)]
    assert [text.get_text() for text in axes.texts] == ["waits", "pushes", "rolls", "only"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["drive", "other"]
    assert len(found.plot("p.speed", "states").axes) == 2
    assert len(found.plot().axes) == 5  # path, speed, energy, drift, states


def test_a_scene_without_machines_has_no_states():
    found = made(None)
    assert len(found.plot().axes) == 4
    with pytest.raises(UsageError, match="the scene has no state machines"):
        found.plot("states")
