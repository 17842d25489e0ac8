"""One scene with a node of every kind, forces in all axes, windows on and off the grid."""

from __future__ import annotations

from support.scenes import axis_angle

GRAVITY = [0.3, -0.2, -9.81]
STEP = 0.01


def every_kind(variation: float = 0.0) -> dict:
    """Bodies of the scene; another variation is another world of the same structure."""
    return {
        "ship": {
            "mass": 50.0 + variation,
            "inertia": {"principal": [3.0, 5.0, 6.0 - 0.1 * variation], "orientation": axis_angle((0, 1, 1), 0.5)},
            "center_of_mass": [0.3, 0.1, -0.2],
            "position": [1.0, 2.0, 0.5 - variation],
            "velocity": [0.2, 0.1, -0.3],
            "angular_velocity": {"frame": "body", "value": [0.4 + variation, 0.7, -0.3]},
            "gravity": False,
            "forces": [
                {"force": [20, -3, 5.0 + variation], "at": [-1, 0.2, 0], "frame": "body", "during": [0.05, 0.1237]},
                {"torque": [1, 2, 3], "frame": "parent"},
            ],
            "children": {
                "tank": {
                    "mass": 5.0,
                    "motion": "fixed",
                    "inertia": {"principal": [0.1, 0.2, 0.25]},
                    "position": [0.5, 0, 0.4],
                    "orientation": axis_angle((1, 0, 0), 0.3),
                    "forces": [{"force": [0, 3, 1], "at": [0, 0.1, 0], "frame": "world"}],
                },
                "turret": {
                    "motion": {
                        "prescribed": {
                            "velocity": [0.1, 0, 0],
                            "acceleration": [0, 0.2, 0],
                            "angular_velocity": [0, 0, 0.5 + variation],
                            "angular_acceleration": [0, 0, 0.1],
                        }
                    },
                    "position": [0.3, 0, 1.2],
                    "scale": 0.5,
                    "children": {
                        "gun": {"position": [1.5, 0, 0]},
                        "shell": {
                            "mass": 2.0,
                            "inertia": {"principal": [0.1, 0.4, 0.4]},
                            "position": [3, 0, 0],
                            "velocity": [8, 0, 0.5 * variation],
                            "angular_velocity": [9, 0.3, -0.2],
                            "forces": [{"force": [0, -1, 0], "frame": "parent"}],
                        },
                    },
                },
            },
        },
        "dust": {"mass": 0.01, "inertia": "point", "velocity": [1, 0, 0]},
        "probe": {
            "mass": 1.0,
            "inertia": {"principal": [1.0, 2.0, 2.5]},
            "angular_velocity": [1, 2, 3],
            "forces": [{"force": [0.1, 0, 0], "at": [0, 0, 0.2], "frame": "body"}],
        },
    }


def reordered(bodies: dict) -> dict:
    """The same bodies, every list of siblings the other way round."""
    return {
        name: {key: reordered(value) if key == "children" else value for key, value in body.items()}
        for name, body in reversed(bodies.items())
    }
