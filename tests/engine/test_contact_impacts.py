"""Impacts with restitution within a step: what is logged, and what they leave to the solver. Closed forms are in
`test_contact_restitution`, what is conserved in `test_contact_pairs_of_bodies`.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from contact_shapes import plane, sphere
from impact_world import World
from rigidsim.engine.contact.impacts import LEFT_OUT, make_impacts
from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model.layout import CAUSE_IMPACT
from rigidsim.physics.contact import SENSED

FLOOR = (0.0, 0, 0)
G = 9.81


def ball_on_floor(height: float, v=(0.0, 0, 0), e=1.0, mu=0.0, g=G) -> World:
    return World([sphere(0.1), plane()], [(0, 0, 0.1 + height), FLOOR], [v, FLOOR], [1, None], e=e, mu=mu, g=g)


@pytest.mark.parametrize(("mu", "v_t", "spin"), [(0.1, 2.64, 0.9), (0.5, 15 / 7, 15 / 7)])
def test_an_oblique_impact_slides_or_rolls(mu, v_t, spin):
    world = ball_on_floor(4e-3, (3.0, 0, -2.0), 0.8, mu, g=0.0)
    assert world.step(5e-3) == 1
    assert world.v[0] == pytest.approx([v_t, 0, 1.6], abs=1e-14)
    assert 0.1 * world.omega[0] == pytest.approx([0, spin, 0], abs=1e-14)
    (strike,) = world.log
    assert (strike.cause, strike.pair, strike.time) == (CAUSE_IMPACT, (0, 1), pytest.approx(2e-3, abs=1e-16))
    assert strike.point == pytest.approx([6e-3, 0, 0], abs=1e-16)
    assert strike.normal == pytest.approx([0, 0, -1.0])
    assert strike.impulse == pytest.approx([3.0 - v_t, 0, -3.6], abs=1e-14)  # on the floor
    assert strike.before == pytest.approx(6.5, abs=1e-14)
    after = 0.5 * (v_t**2 + 1.6**2) + 0.5 * 0.4 * spin**2
    assert strike.after == pytest.approx(after, abs=1e-14)
    assert world.who[0, at.WHO.marks] == at.IMPACT | at.LOGGED


def test_a_ball_between_two_walls_bounces_often_in_a_step():
    p, q = [(0, 0, 0.06), FLOOR, (0, 0, 0.12)], [(1, 0, 0, 0)] * 2 + [(0, 1, 0, 0)]
    world = World([sphere(0.05), plane(), plane()], p, [(0.3, 0, -20.0), FLOOR, FLOOR], [1, None, None], q=q)
    assert world.step(5e-3) == 5
    assert [strike.time for strike in world.log] == pytest.approx([5e-4, 1.5e-3, 2.5e-3, 3.5e-3, 4.5e-3], abs=1e-15)
    assert world.p[0] == pytest.approx([0.0015, 0, 0.06], abs=1e-15) and world.v[0] == pytest.approx([0.3, 0, 20.0])


def test_slow_contacts_are_left_to_the_solver_and_fast_ones_are_kept_from_it():
    """The threshold of an impact, and of its rebound, is 2 g h of the whole step, in a step that is split, too."""
    limit = 2.0 * G * 5e-3
    for speed, h, strikes in ((1.02, 5e-3, 1), (0.98, 5e-3, 0), (1.02, 1e-3, 1), (0.98, 1e-3, 0)):
        world = ball_on_floor(0.0, (0, 0, -speed * limit / 0.5), 0.5)
        assert world.step(h, 5e-3) == strikes
        assert world.who[0, at.WHO.marks] == (at.IMPACT | at.LOGGED if strikes else 0)
    hard = ball_on_floor(0.0, (0, 0, -5.0 * limit), 0.1)  # it would rebound with half of the threshold
    assert hard.step(5e-3) == 1 and hard.arrays.counted[LEFT_OUT] == 1
    assert hard.log[0].impulse[2] == pytest.approx(-5.0 * limit)
    assert hard.who[0, at.WHO.marks] == at.LOGGED
    for speed, strikes in ((1.02, 1), (0.98, 0)):
        world = ball_on_floor(0.0, (0, 0, -speed * limit), 0.0)
        assert world.step(5e-3) == strikes
        assert world.who[0, at.WHO.marks] == (at.LOGGED if strikes else 0)
    soon = ball_on_floor(2.1e-2, (0, 0, -4.0), 0.5)
    assert soon.step(5e-3) == 0 and soon.who[0, at.WHO.marks] == at.IMPACT  # it would be braked just before
    assert soon.step(5e-3) == 1 and soon.v[0, 2] > 1.9
    rest = ball_on_floor(-1e-4, e=0.9)
    assert rest.step(5e-3) == 0 and rest.who[0, at.WHO.marks] == 0


def test_equal_rivals_are_struck_in_the_order_of_the_list():
    """Two balls at rest are hit at one instant by a third; round-off of the geometry does not decide who is first."""
    r, c, s = 0.1, math.cos(0.5), math.sin(0.5)
    for turn in np.linspace(0.0, 6.0, 7):
        R = Rotation.from_rotvec([0.2 * turn, -0.1 * turn, turn])
        p = R.apply([(-0.003, 0, 0), (2 * r * c, 2 * r * s, 0), (2 * r * c, -2 * r * s, 0)])
        world = World([sphere(r)] * 3, p, R.apply([(1.0, 0, 0), FLOOR, FLOOR]), [1] * 3, e=0.9)
        world.step(5e-3)
        assert [strike.pair for strike in world.log[:2]] == [(0, 1), (0, 2)]


def test_a_full_log_ends_the_pass_and_a_series_without_end_is_left_to_the_solver():
    p = [(0, 0, 0.1), (0, 0, 0.3), FLOOR]
    world = World([sphere(0.1), sphere(0.1), plane()], p, [FLOOR, (0, 0, -1.0), FLOOR], [1, 10, None], e=0.5)
    strikes = world.step(5e-3)
    assert 10 < strikes < 99 and abs(world.v[0, 2] - world.v[1, 2]) < 1e-4
    assert all(strike.after < strike.before for strike in world.log)
    world = World([sphere(0.1), sphere(0.1), plane()], p, [FLOOR, (0, 0, -1.0), FLOOR], [1, 10, None], e=0.5)
    world.arrays = make_impacts(world.contacts, 3, strikes - 1)
    with pytest.raises(OverflowError):
        world.step(5e-3)


def test_sensors_need_no_arrays():
    world = ball_on_floor(1.0, e=0.5)
    world.contacts.action[0, 0] = SENSED
    assert make_impacts(world.contacts, 1, 1) is None
