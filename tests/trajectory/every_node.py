"""A small scene with every kind of node."""

from __future__ import annotations

SCENE = {
    "format": "rigidsim/1",
    "title": "Every kind of node",
    "simulation": {"duration": 2, "step": 0.01, "record_every": 0.05},
    "world": {"gravity": [0, 0, -9.81]},
    "bodies": {
        "deck": {
            "mass": 5,
            "inertia": {"principal": [1, 2, 2.5]},
            "velocity": [1, 0, 0],
            "angular_velocity": [0.3, 1, 0.2],
            "forces": [{"force": [0, 0, 40], "at": [0.1, 0, 0], "frame": "body"}],
            "children": {
                "crane": {
                    "position": [0, 0, 1],
                    "motion": {"prescribed": {"angular_velocity": [0, 0, 0.7]}},
                    "children": {
                        "hook": {"position": [2, 0, 0.5], "orientation": {"axis": [0, 1, 0], "angle": "20 deg"}},
                        "load": {
                            "mass": 1,
                            "inertia": {"principal": [0.1, 0.1, 0.15]},
                            "position": [2, 0.1, -1],
                            "velocity": [0, 0.5, 0],
                            "angular_velocity": [1, 0, 2],
                        },
                    },
                }
            },
        },
        "beacon": {"position": [3, 4, 5], "orientation": {"axis": [1, 1, 0], "angle": "40 deg"}},
    },
}
