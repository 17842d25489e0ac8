"""Impacts with restitution within a step: closed forms, conservation, and what they leave to the solver."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from contact_shapes import box, capsule, places_of, plane, sphere
from impact_world import World
from rigidsim.engine.contact import columns as at
from rigidsim.engine.contact.impacts import LEFT_OUT, make_impacts

FLOOR = (0.0, 0, 0)
G = 9.81


def cuboid(mass: float, half) -> np.ndarray:
    """Principal moments of a box, from its half sizes."""
    x, y, z = np.square(half)
    return mass / 3.0 * np.array([y + z, x + z, x + y])


def ball_on_floor(height: float, v=(0.0, 0, 0), e=1.0, mu=0.0, g=G) -> World:
    return World([sphere(0.1), plane()], [(0, 0, 0.1 + height), FLOOR], [v, FLOOR], [1, None], e=e, mu=mu, g=g)


def apexes(world: World, h: float, count: int) -> np.ndarray:
    """Heights of the highest points after each bounce, from the parabola that leads through the step's end."""
    found = []
    while len(found) < count:
        rises = world.v[0, 2] > 0.0
        world.step(h)
        if rises and world.v[0, 2] <= 0.0:
            found.append(world.p[0, 2] - 0.1 + world.v[0, 2] ** 2 / (2.0 * G))
    return np.array(found)


@pytest.mark.parametrize("h", [2e-3, 5e-3])
def test_a_ball_bounces_to_e_squared_of_its_height(h):
    expected = 0.8 ** (2 * np.arange(1, 6))
    assert apexes(ball_on_floor(1.0, e=0.8), h, 5) == pytest.approx(expected, rel=1e-12)  # measured: 1.5e-14


def test_an_elastic_ball_does_not_tire():
    assert apexes(ball_on_floor(1.0), 5e-2, 40) == pytest.approx(1.0, rel=1e-12)  # measured: 1.2e-14


@pytest.mark.parametrize("start", [0.0, -3e-3])
@pytest.mark.parametrize(("e", "last"), [(1.0, 1.0), (0.9, 0.81450625)])
def test_the_cradle_passes_the_impact_on(start, e, last):
    """Sequential impacts: ((1 + e)/2)^4 of the speed. reference-cases 4.6."""
    p = [(0.2 * i + start * (i == 0), 0, 0) for i in range(5)]
    world = World([sphere(0.1)] * 5, p, [(1.0, 0, 0)] + [FLOOR] * 4, [1] * 5, e=e)
    world.step(5e-3)
    assert world.v[4, 0] == pytest.approx(last, abs=1e-14)
    assert np.sum(world.v[:, 0]) == pytest.approx(1.0, abs=1e-14)
    if e == 1.0:
        assert np.abs(world.v[:4]).max() < 1e-14
    else:
        assert np.all(np.diff(world.v[:, 0]) > 0.0)


@pytest.mark.parametrize(("mu", "v_t", "spin"), [(0.1, 2.64, 0.9), (0.5, 15 / 7, 15 / 7)])
def test_an_oblique_impact_slides_or_rolls(mu, v_t, spin):
    world = ball_on_floor(4e-3, (3.0, 0, -2.0), 0.8, mu, g=0.0)
    assert world.step(5e-3) == 1
    assert world.v[0] == pytest.approx([v_t, 0, 1.6], abs=1e-14)
    assert 0.1 * world.omega[0] == pytest.approx([0, spin, 0], abs=1e-14)
    log = dict(zip(("kind", "first", "second", "time"), world.log[0][:4], strict=True))
    assert log == {"kind": at.IMPACT, "first": 0, "second": 1, "time": pytest.approx(2e-3, abs=1e-16)}
    assert world.log[0][4:7] == pytest.approx([6e-3, 0, 0], abs=1e-16)
    assert world.log[0][7:10] == pytest.approx([0, 0, -1.0])
    assert world.log[0][10:13] == pytest.approx([3.0 - v_t, 0, -3.6], abs=1e-14)  # on the floor
    assert world.log[0][13] == pytest.approx(6.5, abs=1e-14)
    after = 0.5 * (v_t**2 + 1.6**2) + 0.5 * 0.4 * spin**2
    assert world.log[0][14] == pytest.approx(after, abs=1e-14)
    assert world.who[0, at.POINT_FLAGS] == at.STRUCK | at.LOGGED


@pytest.mark.parametrize("gap", [0.0, 2e-4])
def test_the_galilean_cannon(gap):
    """The heavy ball comes back from the floor and meets the light one; a gap puts that at another time of the step."""
    p = [(0, 0, 0.202), (0, 0, 0.452 + gap), FLOOR]
    world = World([sphere(0.2), sphere(0.05), plane()], p, [(0, 0, -1.0)] * 2 + [FLOOR], [1, 0.1, None])
    assert world.step(5e-3) == 2
    assert world.v[1, 2] == pytest.approx((3.0 - 0.1) / 1.1, abs=1e-14)
    assert np.diff([line[3] for line in world.log]) == pytest.approx(gap / 2.0, abs=1e-15)


def test_a_rod_struck_at_its_centre_of_percussion_turns_about_its_end():
    q = Rotation.from_euler("y", 90, degrees=True).as_quat(scalar_first=True)
    shapes, p = [capsule(0.01, 0.49), sphere(0.05)], [(0, 0, 0), (2 / 3 - 0.5, 0, 0.0607)]
    inertia = [(1 / 12, 1 / 12, 1e-4), (3e-4,) * 3]
    world = World(shapes, p, [FLOOR, (0, 0, -1.0)], [1, 0.3], inertia=inertia, q=[q, (1, 0, 0, 0)], e=0.6)
    assert world.step(5e-3) == 1
    assert world.v[0] + np.cross(world.omega[0], (-0.5, 0, 0)) == pytest.approx(0.0, abs=1e-14)
    assert world.omega[0, 1] > 0.5


@pytest.mark.parametrize("half", [(0.5, 0.5, 0.5), (1.0, 0.7, 0.05), (0.05, 0.05, 2.0)])
@pytest.mark.parametrize("rotvec", [(0, 0, 0), (0.3, -0.5, 0.9)])
def test_a_box_that_lands_flat_leaves_flat(half, rotvec):
    """Its corners touch at one instant: one impact, at e v. Struck one after another it would turn."""
    R = Rotation.from_rotvec(rotvec)
    q = R.as_quat(scalar_first=True)
    p, v = R.apply([(30.0, 0, half[2] + 2e-3), (0, 0, 0)]), R.apply([(0, 0, -2.0), (0, 0, 0)])
    world = World([box(*half), plane()], p, v, [1, None], inertia=[cuboid(1, half), FLOOR], q=[q, q], e=0.5)
    assert world.step(5e-3) == 1
    assert R.inv().apply(world.v[0]) == pytest.approx([0, 0, 1.0], abs=1e-12)
    assert np.abs(world.omega[0]).max() < 1e-12  # measured: 2e-15


def test_a_ball_between_two_walls_bounces_often_in_a_step():
    p, q = [(0, 0, 0.06), FLOOR, (0, 0, 0.12)], [(1, 0, 0, 0)] * 2 + [(0, 1, 0, 0)]
    world = World([sphere(0.05), plane(), plane()], p, [(0.3, 0, -20.0), FLOOR, FLOOR], [1, None, None], q=q)
    assert world.step(5e-3) == 5
    assert [line[3] for line in world.log] == pytest.approx([5e-4, 1.5e-3, 2.5e-3, 3.5e-3, 4.5e-3], abs=1e-15)
    assert world.p[0] == pytest.approx([0.0015, 0, 0.06], abs=1e-15) and world.v[0] == pytest.approx([0.3, 0, 20.0])


def test_surfaces_that_move_strike_with_their_own_velocity():
    """A wall that comes at 3 m/s throws an elastic ball back at 6; a belt drags it along by friction."""
    wall = World([sphere(0.1), plane()], [(0, 0, 0.104), FLOOR], [FLOOR, (0, 0, 3.0)], [1, None])
    assert wall.step(5e-3) == 1 and wall.v[0, 2] == pytest.approx(6.0, abs=1e-14)
    for mu, v_t in ((0.05, 0.15), (0.5, 2 / 7)):
        belt = ball_on_floor(4e-3, (0, 0, -2.0), 0.5, mu, g=0.0)
        belt.contacts.shape_value[1, at.V_SURFACE : at.V_SURFACE + 3] = (
            1.0,
            0.0,
            5.0,
        )  # along it
        belt.step(5e-3)
        assert belt.v[0] == pytest.approx([v_t, 0, 1.0], abs=1e-14)


def test_slow_contacts_are_left_to_the_solver_and_fast_ones_are_kept_from_it():
    """The threshold of an impact, and of its rebound, is 2 g h of the whole step, in a step that is split, too."""
    limit = 2.0 * G * 5e-3
    for speed, h, strikes in ((1.02, 5e-3, 1), (0.98, 5e-3, 0), (1.02, 1e-3, 1), (0.98, 1e-3, 0)):
        world = ball_on_floor(0.0, (0, 0, -speed * limit / 0.5), 0.5)
        assert world.step(h, 5e-3) == strikes
        assert world.who[0, at.POINT_FLAGS] == (at.STRUCK | at.LOGGED if strikes else 0)
    hard = ball_on_floor(0.0, (0, 0, -5.0 * limit), 0.1)  # it would rebound with half of the threshold
    assert hard.step(5e-3) == 1 and hard.arrays.counted[LEFT_OUT] == 1
    assert hard.log[0][12] == pytest.approx(-5.0 * limit)
    assert hard.who[0, at.POINT_FLAGS] == at.LOGGED
    for speed, strikes in ((1.02, 1), (0.98, 0)):
        world = ball_on_floor(0.0, (0, 0, -speed * limit), 0.0)
        assert world.step(5e-3) == strikes
        assert world.who[0, at.POINT_FLAGS] == (at.LOGGED if strikes else 0)
    soon = ball_on_floor(2.1e-2, (0, 0, -4.0), 0.5)
    assert soon.step(5e-3) == 0 and soon.who[0, at.POINT_FLAGS] == at.STRUCK  # it would be braked just before
    assert soon.step(5e-3) == 1 and soon.v[0, 2] > 1.9
    rest = ball_on_floor(-1e-4, e=0.9)
    assert rest.step(5e-3) == 0 and rest.who[0, at.POINT_FLAGS] == 0


def test_a_planar_scene_is_struck_in_its_plane():
    p, v = [(0, 0, 0), (0.19, 0, 0.05)], [(2.0, 0.3, 0), FLOOR]
    world = World([sphere(0.1)] * 2, p, v, [1, 1], e=0.7, mu=0.4)
    world.plane, world.inverse = np.array([[0.0, 0, 1.0]]), lambda: planar(World.inverse(world))
    world.step(5e-3)
    assert len(world.log) == 1 and np.all(world.v[:, 2] == 0.0) and world.log[0][9] == 0.0
    assert world.v[1, 0] - world.v[0, 0] > 1.0


def planar(rows: np.ndarray) -> np.ndarray:
    """Inverse inertia about z alone."""
    rows[:, [1, 2, 4, 5, 6]] = 0.0
    return rows


def test_equal_rivals_are_struck_in_the_order_of_the_list():
    """Two balls at rest are hit at one instant by a third; round-off of the geometry does not decide who is first."""
    r, c, s = 0.1, math.cos(0.5), math.sin(0.5)
    for turn in np.linspace(0.0, 6.0, 7):
        R = Rotation.from_rotvec([0.2 * turn, -0.1 * turn, turn])
        p = R.apply([(-0.003, 0, 0), (2 * r * c, 2 * r * s, 0), (2 * r * c, -2 * r * s, 0)])
        world = World([sphere(r)] * 3, p, R.apply([(1.0, 0, 0), FLOOR, FLOOR]), [1] * 3, e=0.9)
        world.step(5e-3)
        assert [(line[1], line[2]) for line in world.log[:2]] == [(0, 1), (0, 2)]


def test_a_full_log_ends_the_pass_and_a_series_without_end_is_left_to_the_solver():
    p = [(0, 0, 0.1), (0, 0, 0.3), FLOOR]
    world = World([sphere(0.1), sphere(0.1), plane()], p, [FLOOR, (0, 0, -1.0), FLOOR], [1, 10, None], e=0.5)
    strikes = world.step(5e-3)
    assert 10 < strikes < 99 and abs(world.v[0, 2] - world.v[1, 2]) < 1e-4
    assert all(line[14] < line[13] for line in world.log)
    world = World([sphere(0.1), sphere(0.1), plane()], p, [FLOOR, (0, 0, -1.0), FLOOR], [1, 10, None], e=0.5)
    world.arrays = make_impacts(world.contacts, 3, strikes - 1)
    with pytest.raises(OverflowError):
        world.step(5e-3)


def test_sensors_need_no_arrays():
    world = ball_on_floor(1.0, e=0.5)
    world.contacts.action[0, 0] = at.SENSED
    assert make_impacts(world.contacts, 1, 1) is None


# --- random pairs


def touching_pair(rng, h: float) -> dict:
    """A world's arguments: two shapes, of which the second may be a plane, that touch within a step of h. Inertia is
    round, so that rates are constant between impacts.
    """
    makers = [lambda: sphere(rng.uniform(0.05, 0.4)), lambda: capsule(*rng.uniform(0.05, 0.4, 2))]
    makers += [lambda: box(*rng.uniform(0.1, 0.4, 3)), plane]
    shapes = [makers[rng.integers(3)](), makers[kind := rng.integers(4)]()]
    moves = kind < 3
    turns, way = Rotation.random(2, random_state=rng), rng.normal(size=3)
    way = way if moves else -turns[1].as_matrix()[:, 2] * 2.0
    first = shapes[0].moved((0, 0, 0), turns[0])

    def gap(share: float) -> float:
        places = places_of(first, shapes[1].moved(share * way, turns[1]))
        return min((place.gap for place in places), default=1.0)

    low, high = 0.0, 9.0
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if gap(middle) > 0.0 else (middle, high)
    normal = places_of(first, shapes[1].moved(high * way, turns[1]))[0].normal
    omega = rng.normal(size=(2, 3)) * [[1.0], [moves]]
    v = np.array([rng.uniform(2.0, 6.0) * normal + 0.5 * rng.normal(size=3), np.zeros(3)])
    back = h * rng.uniform(0, 0.8)
    p = np.array([FLOOR, high * way]) - back * v
    q = [(Rotation.from_rotvec(-back * w) * turn) for w, turn in zip(omega, turns, strict=True)]
    mass = [rng.uniform(0.2, 5), rng.uniform(0.2, 5) if moves else None]
    inertia = np.outer(rng.uniform(0.01, 0.2, 2) * [1, moves], np.ones(3))
    e, mu = rng.uniform(0.05, 1), rng.choice([0.0, 0.1, 0.5, 2.0])
    motion = {"p": p, "v": v, "omega": omega, "q": q}
    return motion | {"shapes": shapes, "mass": mass, "inertia": inertia, "e": e, "mu": mu}


def seen(given: dict, R: Rotation = Rotation.identity(), V=FLOOR) -> World:  # noqa: B008
    """The same two bodies from a frame that is turned, or that moves."""
    turned = {key: R.apply(given[key]) for key in ("p", "v", "omega")}
    turned["v"] += V
    return World(**{**given, **turned, "q": [(R * q).as_quat(scalar_first=True) for q in given["q"]]})


def totals(world: World) -> tuple[np.ndarray, np.ndarray, float]:
    """Momentum, angular momentum and kinetic energy of the bodies that move."""
    mass = np.where(world.moves, world.mass, 0.0)[:, None]
    L = np.einsum("bij,bj->bi", world.tensors(), world.omega)
    energy = 0.5 * np.sum(mass * world.v**2) + 0.5 * np.sum(L * world.omega)
    return np.sum(mass * world.v, axis=0), np.sum(np.cross(world.p, mass * world.v) + L, axis=0), energy


def impulses(world: World) -> np.ndarray:
    return np.array([line[10:13] for line in world.log])


@pytest.mark.parametrize("seed", range(40))
def test_random_pairs_keep_what_is_conserved_and_look_the_same_from_everywhere(seed):
    rng = np.random.default_rng(seed)
    h = 10.0 ** rng.uniform(-3.3, -2.3)
    given = touching_pair(rng, h)
    R = Rotation.random(random_state=rng)
    world, turned, boosted = seen(given), seen(given, R), seen(given, V=(7.0, -3, 5))
    before, strikes, after = totals(world), world.step(h), totals(world)
    assert strikes > 0
    if world.moves[1]:
        assert after[0] == pytest.approx(before[0], abs=1e-13)  # measured: 7e-15
        assert after[1] == pytest.approx(before[1], abs=1e-13)  # of angular momentum: 2e-14
    assert after[2] < before[2]
    assert all(line[14] < line[13] for line in world.log)
    assert turned.step(h) == strikes == boosted.step(h)
    assert R.inv().apply(impulses(turned)) == pytest.approx(impulses(world), abs=1e-11)  # measured: 7e-13
    assert impulses(boosted) == pytest.approx(impulses(world), abs=1e-11)  # a second, weak strike magnifies round-off


def test_a_gas_of_elastic_balls_keeps_its_energy():
    """Eight balls in a box of six walls, some bouncing several times in a step."""
    rng = np.random.default_rng(5)
    turns = [Rotation.from_rotvec(v) for v in np.pi / 2 * np.array([(0, 1, 0), (0, -1, 0), (1, 0, 0), (-1, 0, 0)])]
    turns += [Rotation.identity(), Rotation.from_rotvec([np.pi, 0, 0])]
    walls = [-0.5 * turn.as_matrix()[:, 2] for turn in turns]  # each faces the centre
    p = [(x, y, z) for x in (-0.25, 0.25) for y in (-0.25, 0.25) for z in (-0.25, 0.25)]
    q = [turn.as_quat(scalar_first=True) for turn in [Rotation.identity()] * 8 + turns]
    v = np.vstack([20.0 * rng.normal(size=(8, 3)), np.zeros((6, 3))])
    shapes, mass = [sphere(0.15)] * 8 + [plane()] * 6, [*rng.uniform(1, 2, 8)] + [None] * 6
    world = World(shapes, [*p, *walls], v, mass, q=q)
    before, most = totals(world)[2], 0
    for _ in range(20):
        most = max(most, world.step(5e-3))
    assert totals(world)[2] == pytest.approx(before, rel=1e-13)  # measured: 4e-16
    assert np.abs(world.p[:8]).max() < 0.35 + 1e-12
    assert most > 8
