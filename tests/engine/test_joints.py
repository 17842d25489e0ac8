"""Joints: closed forms, another formulation, order, invariants, symmetries."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

from jointed_trees import dense_accelerations, evaluated, found_accelerations, random_tree
from rigidsim.engine.layout import LEDGER
from scenes import run, slopes

G = [0.3, -0.2, -9.81]


def ends(trajectory) -> np.ndarray:
    """The last positions and orientations of all bodies."""
    worlds = [trajectory[path].world for path in trajectory.paths]
    return np.concatenate([np.r_[world.position[-1], world.orientation[-1]] for world in worlds])


def pendulum(**more) -> dict:
    hinge = {"hinge": {"axis": [1, 0, 0], "angle": math.pi / 2}}
    return {
        "rod": {"mass": 1, "inertia": {"principal": [0.1] * 3}, "center_of_mass": [0, 0, -1], "motion": hinge} | more
    }


def test_a_pendulum_swings_as_elliptic_functions_say():
    k, rate = math.sin(math.pi / 4), math.sqrt(9.81 / 1.1)
    exact = 2 * math.asin(k * ellipj(ellipk(k * k) + 10 * rate, k * k)[0])
    w, x = run(pendulum(), duration=10.0, step=1e-3, gravity=[0, 0, -9.81])["rod"].world.orientation[-1][:2]
    assert abs(2 * math.atan2(x, w) - exact) < 2e-12  # 1.75e-12, the error of the method


@pytest.mark.parametrize("root", ["free", "hinge", "universal"])
@pytest.mark.parametrize("seed", range(3))
def test_accelerations_are_those_of_the_mass_matrix_of_all_coordinates(seed, root):
    model, state, scratch = evaluated(random_tree(seed, root=root), gravity=G)
    expected, found = dense_accelerations(model, state, G), found_accelerations(model, scratch)
    assert abs(found - expected).max() < 1e-12 * abs(expected).max()


def test_a_floating_tree_keeps_momenta_and_energy_at_order_four():
    steps, drifts, last = (8e-3, 4e-3), [], []
    for step in (*steps, 1e-3):
        found = run(random_tree(1), duration=0.4, step=step, record_every=0.04)
        ledger = np.asarray(found.ledger)
        parts = (found.total_energy[:, None], ledger[:, LEDGER.momentum], found.angular_momentum)
        drifts.append([np.ptp(part, axis=0).max() for part in parts])
        last.append(ends(found))
    assert (np.array(drifts[2]) < 1e-8).all()
    assert (slopes(steps, np.array(drifts[:2])) > 3.6).all()
    errors = [abs(end - last[2]).max() for end in last[:2]]
    assert slopes(steps, errors) == pytest.approx(4.0, abs=0.3)


def test_uniform_gravity_turns_no_joint_of_a_falling_tree():
    trees = [run(random_tree(2), duration=0.2, step=2e-3, gravity=g) for g in ([0, 0, 0], G)]
    for path in trees[0].paths:
        if path != "n0":
            assert (trees[0][path].local.orientation == trees[1][path].local.orientation).all()
