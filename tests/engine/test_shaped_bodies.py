"""One body written in four ways: by its numbers, by one shape, by two, and by parts fixed together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rigidsim
from scenes import EPS, axis_angle, make_scene, run
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


def compounds(edges: list[float], density: float, axis: int, cut: float) -> list[dict]:
    """A box cut across an axis at this part of its length: two shapes, two shapes of one mass, a fixed part."""

    def slab(low: float, high: float) -> tuple[dict, list[float]]:
        size, place = list(edges), [0.0, 0.0, 0.0]
        size[axis], place[axis] = (high - low) * edges[axis], ((low + high) / 2 - 0.5) * edges[axis]
        return {"type": "box", "size": size}, place

    (one, below), (other, above) = slab(0, cut), slab(cut, 1)
    shapes = [one | {"position": below}, other | {"position": above}]
    part = {"density": density, "motion": "fixed", "shapes": [other], "position": above}
    return [
        {"density": density, "shapes": shapes},
        {"mass": density * edges[0] * edges[1] * edges[2], "shapes": shapes},
        {"density": density, "shapes": shapes[:1], "children": {"part": part}},
    ]


EDGE = st.floats(0.2, 5)


@settings(max_examples=25)
@given(st.tuples(EDGE, EDGE, EDGE), st.floats(1e-3, 1e4), st.integers(0, 2), st.floats(0.1, 0.9) | st.just(0.5))
@pytest.mark.parametrize("pushed", [False, True])
def test_any_box_in_two_tumbles_like_the_whole(pushed, edges, density, axis, cut):
    """Mass, moments and centre differ by roundings of an eps or three (`scene/test_shapes`), so the motion differs by
    that times its change with each of them, which is found by differences from the whole.
    """
    mass = density * edges[0] * edges[1] * edges[2]
    moments = box(mass, *edges)
    push = {"force": [3 * mass, -2 * mass, mass], "torque": [moments[0], -moments[1], moments[2]], "frame": "body"}
    more = MOTION | ({"forces": [push]} if pushed else {})
    step = 1e-7
    whole = {"mass": mass, "inertia": {"principal": moments}}
    varied = [whole | {"mass": mass * (1 + step)}]
    for k in range(3):
        changed = [moment * (1 + step * (i == k)) for i, moment in enumerate(moments)]
        varied.append(whole | {"inertia": {"principal": changed}})
    varied.append(whole | {"center_of_mass": [step * edges[axis] * (i == axis) for i in range(3)]})
    ways = [whole, *varied, *compounds(edges, density, axis, cut)]
    how = {"duration": 2, "step": 2e-3, "record_every": 0.1, "gravity": GRAVITY}
    runs = rigidsim.simulate([make_scene({"b": way | more}, **how) for way in ways])
    off = [difference(one["b"].world, runs[0]["b"].world) for one in runs[1:]]
    sensitivity = sum(off[:5]) / step
    # Measured over 2400 boxes: 5.4. With the roundings of 1000 steps; sums of changes up to 980, for plates and rods.
    assert max(off[5:]) <= 16 * EPS * sensitivity


def test_a_force_on_a_shaped_part_acts_at_the_centre_of_its_shapes():
    part = {"density": 3, "motion": "fixed", "scale": 2, "position": [0.5, 0, 0], "shapes": [slab(0.1, 0.6)]}
    force = {"force": [3, -2, 1], "frame": "body"}
    body = {"density": DENSITY, "shapes": [slab(BOTTOM, TOP)], **MOTION}
    through = run({"b": body | {"children": {"part": part | {"forces": [force]}}}}, **HOW)
    direct = run({"b": body | {"children": {"part": part}, "forces": [force | {"at": [0.5, 0, 0.7]}]}}, **HOW)
    assert difference(through["b"].world, direct["b"].world) <= ROUND_OFF


def test_a_disk_of_density_turns_in_a_frame_of_another_unit():
    """A torque of 1 N m about z turns a disk of m = rho pi r^2 l at 2 t/(m r^2), whatever the unit of its lengths."""
    disk = {"density": 100, "shapes": [{"type": "cylinder", "radius": 0.02, "length": 0.01}], "scale": 10}
    disk["forces"] = [{"torque": [0, 0, 1]}]
    rate = run({"b": disk}, **HOW)["b"].world.angular_velocity[-1]
    mass, radius = 100 * np.pi * 0.2**2 * 0.1, 0.2
    assert rate[2] == pytest.approx(2 / (mass * radius**2 / 2), rel=1e-13)
