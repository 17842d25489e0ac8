"""One body written in four ways: by its numbers, by one shape, by two, and by parts fixed together."""

from __future__ import annotations

import numpy as np
import pytest

from support.scenes import EPS, axis_angle, run
from test_fixed_parts import HOW, MOTION, box, difference

# For this box. Ways whose numbers are those of the whole to the last bit, and ways that differ from it by an eps or two
# in a moment: measured, one eps in a moment becomes 13 eps of the motion in a tumble of 2 s.
SAME, ROUND_OFF = 4 * EPS, 32 * EPS
EDGES, DENSITY = (1.1, 1.3, 1.9), 7.7
MASS = DENSITY * EDGES[0] * EDGES[1] * EDGES[2]
GRAVITY = [0, 0, -9.81]
PUSH = {"forces": [{"force": [3, -2, 1], "at": [0.5, 0.7, 0.75], "frame": "body"}]}


def slab(low: float, high: float, **more) -> dict:
    """The part of the box between two heights."""
    return {"type": "box", "size": [*EDGES[:2], high - low], "position": [0, 0, (low + high) / 2], **more}


BOTTOM, CUT, TOP = -EDGES[2] / 2, 0.0, EDGES[2] / 2
UNEVEN = 0.27
TURNED_BACK = axis_angle((1, 2, 2), -0.8)
EXACT = {
    "one shape": {"density": DENSITY, "shapes": [slab(BOTTOM, TOP)]},
    "two shapes": {"density": DENSITY, "shapes": [slab(BOTTOM, CUT), slab(CUT, TOP)]},
    "two shapes of a mass": {"mass": MASS, "shapes": [slab(BOTTOM, CUT), slab(CUT, TOP)]},
    "a part": {
        "density": DENSITY,
        "shapes": [slab(BOTTOM, CUT)],
        "children": {"part": {"density": DENSITY, "motion": "fixed", "shapes": [slab(CUT, TOP)]}},
    },
}
ROUNDED = {
    "unlike shapes": {"density": DENSITY, "shapes": [slab(BOTTOM, UNEVEN), slab(UNEVEN, TOP)]},
    "a turned part in another unit": {
        "density": DENSITY,
        "shapes": [slab(BOTTOM, CUT)],
        "children": {
            "part": {
                "density": DENSITY,
                "motion": "fixed",
                "scale": 0.1,
                "position": [0, 0, (CUT + TOP) / 2],
                "orientation": axis_angle((1, 2, 2), 0.8),
                "shapes": [slab(CUT, TOP, scale=10, position=[0, 0, 0], orientation=TURNED_BACK)],
            }
        },
    },
}


@pytest.mark.parametrize(("ways", "bound"), [(EXACT, SAME), (ROUNDED, ROUND_OFF)], ids=["exact", "rounded"])
def test_all_ways_move_in_the_same_way(ways, bound):
    written = {"mass": MASS, "inertia": {"principal": box(MASS, *EDGES)}}
    by_numbers = run({"b": written | MOTION | PUSH}, gravity=GRAVITY, **HOW)
    for name, way in ways.items():
        by_shapes = run({"b": way | MOTION | PUSH}, gravity=GRAVITY, **HOW)
        assert difference(by_shapes["b"].world, by_numbers["b"].world) <= bound, name
        energies = [t.diagnostic("kinetic_energy") for t in (by_shapes, by_numbers)]
        assert np.abs(energies[0] / energies[1] - 1).max() <= bound, name


def test_a_disk_of_density_turns_in_a_frame_of_another_unit():
    """A torque of 1 N m about z turns a disk of m = rho pi r^2 l at 2 t/(m r^2), whatever the unit of its lengths."""
    disk = {"density": 100, "shapes": [{"type": "cylinder", "radius": 0.02, "length": 0.01}], "scale": 10}
    disk["forces"] = [{"torque": [0, 0, 1]}]
    rate = run({"b": disk}, **HOW)["b"].world.angular_velocity[-1]
    mass, radius = 100 * np.pi * 0.2**2 * 0.1, 0.2
    assert rate[2] == pytest.approx(2 / (mass * radius**2 / 2), rel=1e-13)
