"""A load on a crane on a tumbling deck: all inertial terms act on it."""

from __future__ import annotations

SCENE = {
    "format": "rigidsim/1",
    "simulation": {"duration": 1, "step": 0.01},
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
                    "motion": {"prescribed": {"angular_velocity": [0, 0, "= 0.7*t"]}},
                    "children": {
                        "load": {
                            "mass": 1,
                            "inertia": {"principal": [0.1, 0.12, 0.15]},
                            "position": [2, 0.1, -1],
                            "velocity": [0, 0.5, 0],
                            "angular_velocity": [1, 0, 2],
                            "forces": [{"torque": [0, 0.1, 0]}],
                        },
                    },
                }
            },
        },
    },
}
