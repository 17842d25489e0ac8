"""A pendulum on a pin in a level slot without friction: its centre of mass falls straight down, energy is kept.

The errors of rkmk4 are of fourth order.
"""

import numpy as np

import rigidsim

M, L, J, G = 2.0, 0.4, 0.05, 9.81
BOB = {
    "mass": M,
    "inertia": {"principal": [J, J, J]},
    "center_of_mass": [0, 0, -L],
    "motion": {"pinslot": {"axis": [1, 0, 0], "pin": [0, 1, 0], "angle": 1.2}},
}


def errors(method: dict, step: float) -> tuple[float, float]:
    """How far the centre of mass goes aside, m, and the energy changes, J."""
    scene = {
        "format": "rigidsim/1",
        "simulation": {"duration": 2, "step": step, "record_every": 0.05, "integrator": method},
        "world": {"gravity": [0, 0, -G]},
        "bodies": {"bob": BOB},
    }
    found = rigidsim.simulate(rigidsim.Scene.from_dict(scene))
    (x, angle), (_, rate) = found["bob"].joint.coordinates.T, found["bob"].joint.rates.T
    energy = 0.5 * M * (L * np.sin(angle) * rate) ** 2 + 0.5 * J * rate**2 - M * G * L * np.cos(angle)
    assert np.ptp(angle) > 2.3
    return np.ptp(x - L * np.sin(angle)), np.ptp(energy)


coarse, fine = (errors({"name": "rkmk4"}, step) for step in (1e-3, 5e-4))
exact = errors({"name": "adaptive", "rtol": 1e-11}, 1e-3)
print(coarse, fine, exact)
assert all(12 < a / b < 40 for a, b in zip(coarse, fine, strict=True)) and max(fine) < 1e-8
assert max(exact) < 1e-9
