"""Impacts of several places at one instant: symmetric ones leave symmetrically, whatever the order and the names."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from contact_scenes import DOWN, G, ball, block, collide, floor, surface, turn

FREE = [0, 0, 0]
SIDES = [(-1, -1), (-1, 1), (1, -1), (1, 1)]


def leaving(bodies: dict, **how) -> dict[str, np.ndarray]:
    """Velocity and rate of each body after a few steps without gravity."""
    trajectory = collide(bodies, **{"duration": 4e-3, "step": 1e-3, "gravity": FREE} | how)
    ends = {path: trajectory[path].world for path in trajectory.paths}
    return {path: np.concatenate([end.velocity[-1], end.angular_velocity[-1]]) for path, end in ends.items()}


def straight_up(speed: float, v0: float, e: float):
    """Within 1e-9 v0 if it then rests, else 1e-12."""
    return pytest.approx([0, 0, speed, 0, 0, 0], abs=(1e-12 if e > 0 else 1e-9) * v0)


def table(order=range(4)) -> dict:
    """A top on four legs of 0.8 m; `order` of the legs in the list of shapes."""
    legs = [{"type": "box", "size": [0.1, 0.1, 0.8], "position": [0.5 * x, 0.5 * y, -0.4]} for x, y in SIDES]
    top = {"type": "box", "size": [1.2, 1.2, 0.05], "position": [0, 0, 0.025]}
    return {"density": 500, "shapes": [top, *(legs[k] for k in order)]}


def spheres(places, **more) -> dict:
    """A body of spheres of 0.1 m that reaches 0.8 m below its origin."""
    shapes = [{"type": "sphere", "radius": 0.1, "position": [x, y, -0.7]} for x, y in places]
    return {"mass": 2, "shapes": shapes, "inertia": {"principal": [0.2, 0.3, 0.4]}} | more


FALLS = {
    "table": table(),
    "dumbbell": spheres([(-0.5, 0), (0.5, 0)]),
    "car": spheres([(1.2 * x, 0.8 * y) for x, y in SIDES], center_of_mass=[0.3, 0.1, -0.2]),
    "cube": block((1.6, 1.6, 1.6)),
}


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("name", FALLS)
@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_what_falls_flat_comes_straight_back(name, e, friction):
    fallen = FALLS[name] | {"position": [0, 0, 0.8015], "velocity": [0, 0, -2]} | surface(e, friction)
    assert leaving({"floor": floor(friction=friction), "it": fallen})["it"] == straight_up(2 * e, 2, e)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("name", FALLS)
def test_what_falls_flat_from_a_height_comes_straight_back(name, e):
    """From half a metre; without restitution it rests."""
    after, fall = 0.45, math.sqrt(2 * 0.5 / G)
    bodies = {"floor": floor(), "it": FALLS[name] | {"position": [0, 0, 1.3]} | surface(e)}
    found = leaving(bodies, gravity=DOWN, duration=after)["it"]
    speed = e * G * fall - G * (after - fall) if e > 0 else 0
    assert found == pytest.approx([0, 0, speed, 0, 0, 0], abs=1e-9)


def test_the_order_of_the_legs_does_not_matter():
    """Of a table that falls a little askew, so that the legs strike one after another and then together."""
    found = []
    for order in ((0, 1, 2, 3), (3, 1, 0, 2), (2, 3, 1, 0)):
        askew = {"orientation": {"axis": [1, 2, 0], "angle": 1e-3}, "position": [0, 0, 0.803], "velocity": [0, 0, -2]}
        found.append(leaving({"floor": floor(), "table": table(order) | askew | surface(0.5)})["table"])
    assert np.abs(found[0]).max() > 0.1
    for other in found[1:]:
        assert other == pytest.approx(found[0], abs=1e-12)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("count", [3, 16])
def test_a_stack_that_falls_is_one_problem(e, count):
    """It leaves as a whole: the boxes do not rebound from each other. Sixteen have as many places as one may have."""
    fallen = {f"b{k:02}": block((1, 1, 1), at=(0, 0, 0.5015 + k), velocity=[0, 0, -2]) for k in range(count)}
    found = leaving({"floor": floor(restitution=e)} | fallen)
    for name in fallen:
        assert found[name] == straight_up(2 * e, 2, 0), name


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("names", ["ab", "ba"])
def test_a_box_on_two_bricks(e, names):
    bricks = {
        name: {"shapes": [{"type": "box", "size": [0.1, 1, 0.2]}], "position": [x, 0, -0.1]} | surface(e)
        for name, x in zip(names, (-0.4, 0.4), strict=True)
    }
    box = block((1, 1, 1), at=(0, 0, 0.5015), velocity=[0, 0, -2])
    assert leaving(bricks | {"box": box})["box"] == straight_up(2 * e, 2, e)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("masses", [(1, 1), (1, 3)])
def test_a_ball_on_two_balls_that_touch(e, masses):
    """Closed form: along both lines of centres, at 30 degrees, (1 + e) times what stops the approach."""
    m, M = masses
    how = {"friction": 0, "restitution": e}
    bodies = {"a": ball(0.1, m, at=(-0.0015 - math.sqrt(0.03), 0, 0), velocity=[1, 0, 0], **how)}
    bodies |= {name: ball(0.1, M, at=(0, y, 0), **how) for name, y in (("c", 0.1), ("b", -0.1))}
    found = leaving(bodies)
    c, s = math.cos(math.pi / 6), 0.5
    # P at each: u = -c; K: 1/m + 1/M by itself, cos(60)/m by the other.
    P = (1 + e) * c / (1 / m + 1 / M + 0.5 / m)
    assert found["a"] == pytest.approx([1 - 2 * P * c / m, 0, 0, 0, 0, 0], abs=1e-12)
    for name, side in (("b", -1), ("c", 1)):
        assert found[name] == pytest.approx([P * c / M, side * P * s / M, 0, 0, 0, 0], abs=1e-12)


def groove(angle: float, sides) -> dict:
    """Two half spaces, each at `angle` from the vertical, with restitutions."""
    return {
        f"side{k}": {"shapes": [{"type": "plane", "normal": [x * math.cos(angle), 0, math.sin(angle)]}]} | surface(e, 0)
        for k, (x, e) in enumerate(zip((-1, 1), sides, strict=True))
    }


@pytest.mark.parametrize("degrees", [20, 45, 70])
@pytest.mark.parametrize("sides", [(1, 1), (0.5, 0.5), (0, 0), (1, 0), (0, 1)])
def test_a_ball_in_a_groove(degrees, sides):
    """It comes straight back; with different sides it keeps the mean of the energies that they would leave it."""
    angle = math.radians(degrees)
    bodies = groove(angle, sides) | {
        "ball": ball(0.1, at=(0, 0, 0.1 / math.sin(angle) + 1.5e-3), velocity=[0, 0, -1], friction=0)
    }
    e = math.sqrt(np.mean(np.square(sides)))
    assert leaving(bodies)["ball"] == straight_up(e, 1, e)


def test_a_rack_is_broken_symmetrically():
    """Six balls in a triangle; the line of the stroke is its axis."""
    how, r = {"restitution": 0.9, "friction": 0.2}, 0.03
    bodies = {"cue": ball(r, 0.2, at=(-0.0615, 0, 0), velocity=[3, 0, 0], **how)}
    rows = [(row, k) for row in range(3) for k in range(row + 1)]
    for row, k in rows:
        place = (row * r * math.sqrt(3), (2 * k - row) * r, 0)
        bodies[f"ball{row}{k}"] = ball(r, 0.2, at=place, **how)
    found = leaving(bodies, duration=0.05)
    mirror = np.array([1, -1, 1, -1, 1, -1])
    for row, k in rows:
        one, other = found[f"ball{row}{k}"], found[f"ball{row}{row - k}"]
        assert mirror * one == pytest.approx(other, abs=1e-12), (row, k)
    assert sum(found.values())[:3] == pytest.approx([3, 0, 0], abs=1e-12)
    assert np.linalg.norm(found["ball20"]) > 0.5


def heap(names, order, e: float) -> dict:
    """Balls, and with restitution boxes, that meet in the air; in any order of the file, under any names."""
    random, made = np.random.default_rng(7), []
    for k in range(6):
        place = 0.25 * np.array([k % 2, k // 2 % 2, k // 4]) + random.uniform(-0.01, 0.01, 3)
        how = {"at": place, "velocity": (-4 * place).tolist(), "restitution": e, "friction": 0.3}
        how["orientation"] = {"wxyz": list(turn(random))}
        made.append(block((0.2, 0.2, 0.2), 1 + k, **how) if e > 0 and k % 2 == 0 else ball(0.1, 1 + k, **how))
    return {names[k]: made[k] for k in order}


@pytest.mark.parametrize("e", [0.0, 0.7])
def test_order_and_names_do_not_matter(e):
    """The same bits in any order of the file; to round-off under other names."""
    how = {"duration": 0.08}
    first = leaving(heap("abcdef", range(6), e), **how)
    assert max(np.abs(v[3:]).max() for v in first.values()) > 0.1  # they met
    turned = leaving(heap("abcdef", (3, 1, 5, 0, 4, 2), e), **how)
    renamed = leaving(heap("dfbeac", range(6), e), **how)
    for old, new in zip("abcdef", "dfbeac", strict=True):
        assert np.array_equal(first[old], turned[old])
        assert renamed[new] == pytest.approx(first[old], abs=1e-12)


@pytest.mark.parametrize(("e", "friction"), list(itertools.product([0.0, 0.5], [0.0, 0.5])))
def test_a_blow_on_what_rests_on_a_floor_goes_through_to_it(e, friction):
    """A ball falls on a box on the floor: without restitution all rest; with it the ball rebounds with its own, as the
    floor does not let the box go; the box stays.
    """
    bodies = {
        "floor": floor(restitution=0, friction=friction),
        "box": block((1, 1, 0.2), 5, at=(0, 0, 0.1), friction=friction),
        "ball": ball(0.1, at=(0, 0, 0.3015), velocity=[0, 0, -2], restitution=e, friction=friction),
    }
    found = leaving(bodies)
    assert found["ball"] == straight_up(2 * e, 2, e)
    assert np.abs(found["box"]).max() <= 1e-9
