"""The areal velocity of a body in the field of a point is constant: in the metrics of a run and of the trajectory,
and in an oracle.
"""

import numpy as np

import rigidsim
from rigidsim.analysis.oracles import errors

EXPECTED = 0.5 * np.cross([2, 0, 0], [0, 1.1, 0.3])
NAMES = ("x", "y", "z", "norm")
SCENE = {
    "format": "rigidsim/1",
    "simulation": {"duration": 10, "step": 1e-3, "record_every": 0.1},
    "world": {"gravity": {"center": [0, 0, 0], "gm": 4.0}},
    "bodies": {"planet": {"mass": 3, "inertia": "point", "position": [2, 0, 0], "velocity": [0, 1.1, 0.3]}},
    "metrics": {
        f"{word}_{name}": f"= {word}('planet.areal_velocity.{name}')" for word in ("min", "max") for name in NAMES
    },
    "oracle": {"planet.areal_velocity": {"value": EXPECTED.tolist(), "tolerance": 1e-9}},
}
found = rigidsim.simulate(rigidsim.Scene.from_dict(SCENE))
for name, expected in zip(NAMES, [*EXPECTED, np.linalg.norm(EXPECTED)], strict=True):
    for word in ("min", "max"):
        assert abs(found.metrics[f"{word}_{name}"] - expected) < 1e-9, (name, word, found.metrics)
        again = found.metric(f"= {word}('planet.areal_velocity.{name}')")
        assert again == found.metrics[f"{word}_{name}"]
assert found.metric_unit("= max('planet.areal_velocity.norm')") == "m²/s"
(error,) = errors(found)
assert error.error < 1e-9
