"""The midpoint rule has second order in rotation, flight and joints, in one lane and in sixteen, with the same bits."""

import numpy as np

import rigidsim

BODIES = {
    "top": {
        "mass": 1,
        "inertia": {"principal": [1, 2, 3]},
        "velocity": [1, 0, 2],
        "angular_velocity": [0.3, 2, 0.1],
    },
    "arm": {
        "mass": 2,
        "inertia": {"principal": [0.1, 0.1, 0.1]},
        "center_of_mass": [0, 0, -0.5],
        "motion": {"hinge": {"axis": [0, 1, 0], "angle": 1}},
        "children": {
            "bob": {
                "mass": 1,
                "inertia": {"principal": [0.1, 0.2, 0.1]},
                "center_of_mass": [0, 0, -0.3],
                "position": [0, 0, -1],
                "motion": {"ball": {}},
            }
        },
    },
}


def scene(method: str, step: float) -> rigidsim.Scene:
    """A torque-free top that flies, and a pendulum of a hinge and a ball."""
    settings = {"duration": 2, "step": step, "record_every": 0.5, "integrator": method}
    data = {"format": "rigidsim/1", "simulation": settings, "world": {"gravity": [0, 0, -9.81]}, "bodies": BODIES}
    return rigidsim.Scene.from_dict(data)


def last(found: rigidsim.Trajectory) -> np.ndarray:
    """Poses of all bodies at the end."""
    parts = [found[path].world for path in ("top", "arm", "arm/bob")]
    return np.concatenate([part for one in parts for part in (one.position[-1], one.orientation[-1])])


exact = last(rigidsim.simulate(scene("adaptive", 0.01)))
coarse, fine = (np.abs(last(rigidsim.simulate(scene("midpoint", step))) - exact).max() for step in (2e-3, 1e-3))
print(coarse, fine)
assert 3.5 < coarse / fine < 4.5 and fine < 1e-3
one = rigidsim.simulate(scene("midpoint", 1e-3))
assert {each.content_hash for each in rigidsim.simulate([scene("midpoint", 1e-3)] * 4)} == {one.content_hash}
