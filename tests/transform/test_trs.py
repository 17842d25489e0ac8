"""Chains of transforms with a scale for each axis: by parts and by matrices."""

from __future__ import annotations

import sys
from functools import reduce

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rigidsim.errors import UsageError
from rigidsim.transform import TRS, Transform, accumulate_componentwise, accumulate_matrices

ROUND_OFF = 100 * sys.float_info.epsilon
RNG = np.random.default_rng(8)


def random_chain(length, uniform=False):
    rotations = Rotation.random(length, rng=RNG).as_matrix()
    scales = RNG.uniform(0.5, 2.0, (length, 1 if uniform else 3)) * np.ones(3)
    return [TRS(RNG.normal(size=3), R, S) for R, S in zip(rotations, scales, strict=True)]


def same(a, b):
    return all(np.abs(getattr(a, part) - getattr(b, part)).max() <= ROUND_OFF for part in TRS.__dataclass_fields__)


@pytest.mark.parametrize("length", [1, 2, 5])
def test_the_matrix_product_is_kept_apart_from_the_skew(length):
    chain = random_chain(length)
    trs, skew = accumulate_matrices(chain)
    product = reduce(np.matmul, [node.matrix for node in chain])
    assert np.abs(trs.rotation @ (np.diag(trs.scale) + skew) - product[:3, :3]).max() <= ROUND_OFF
    assert np.abs(trs.translation - product[:3, 3]).max() <= ROUND_OFF
    assert np.abs(trs.rotation - reduce(np.matmul, [node.rotation for node in chain])).max() <= ROUND_OFF
    assert (np.diagonal(skew) == 0).all()


def test_one_node_comes_back_to_the_last_bit():
    (node,) = random_chain(1)
    trs, skew = accumulate_matrices([node])
    for part in TRS.__dataclass_fields__:
        assert (getattr(trs, part) == getattr(node, part)).all()
        assert (getattr(accumulate_componentwise([node]), part) == getattr(node, part)).all()
    assert (skew == 0).all()


def test_for_uniform_scales_both_are_the_composition():
    chain = random_chain(4, uniform=True)
    trs, skew = accumulate_matrices(chain)
    assert same(trs, accumulate_componentwise(chain))
    assert np.abs(skew).max() <= ROUND_OFF
    transforms = [Transform(node.translation, node.rotation, node.scale[0]) for node in chain]
    assert same(trs, TRS.from_transform(reduce(Transform.__matmul__, transforms)))


def test_at_the_leaf_any_scale_is_exact():
    chain = [*random_chain(3, uniform=True), *random_chain(1)]
    trs, skew = accumulate_matrices(chain)
    assert same(trs, accumulate_componentwise(chain))
    assert np.abs(skew).max() <= ROUND_OFF


def test_a_turned_child_below_a_stretched_parent_tells_them_apart():
    """The parent is stretched along x, the child turned by a quarter about z: its own y lies along that x."""
    stretched = TRS([0, 0, 0], np.eye(3), [2, 1, 1])
    quarter = TRS([1, 0, 0], Rotation.from_euler("z", 90, degrees=True).as_matrix(), [1, 1, 1])
    by_parts = accumulate_componentwise([stretched, quarter])
    by_matrices, skew = accumulate_matrices([stretched, quarter])
    assert np.abs(by_parts.scale - [2, 1, 1]).max() <= ROUND_OFF  # along the child's x, which is the parent's y
    assert np.abs(by_matrices.scale - [1, 2, 1]).max() <= ROUND_OFF  # along the parent's x
    assert np.abs(skew).max() <= ROUND_OFF
    assert np.abs(by_parts.translation - by_matrices.translation).max() <= ROUND_OFF
    # An eighth of a turn: now there is skew, half the difference of the parent's scales.
    eighth = TRS([1, 0, 0], Rotation.from_euler("z", 45, degrees=True).as_matrix(), [1, 1, 1])
    by_matrices, skew = accumulate_matrices([stretched, eighth])
    assert np.abs(by_matrices.scale - [1.5, 1.5, 1]).max() <= ROUND_OFF
    assert np.abs(skew - [[0, -0.5, 0], [-0.5, 0, 0], [0, 0, 0]]).max() <= ROUND_OFF


def test_three_deep_the_positions_differ_too():
    chain = random_chain(3)
    apart = accumulate_componentwise(chain).translation - accumulate_matrices(chain)[0].translation
    assert np.abs(apart).max() > 1e-2


def test_strong_opposite_scales_turn_a_scale_negative():
    """The diagonal of R^T P D R, P positive definite and D a scale, need not be positive."""
    turn = Rotation.from_euler("z", 45, degrees=True).as_matrix()
    back = Rotation.from_euler("z", -84, degrees=True).as_matrix()
    chain = [TRS(np.zeros(3), R, S) for R, S in ((np.eye(3), [100, 1, 1]), (turn, [1, 100, 1]), (back, [1, 1, 1]))]
    trs, _ = accumulate_matrices(chain)
    assert trs.scale.min() < 0


def test_points_and_batches():
    nodes = TRS(RNG.normal(size=(6, 3)), Rotation.random(6, rng=RNG).as_matrix(), [1, 2, 3])
    x = np.array([1.0, -1.0, 0.5])
    assert np.abs(nodes(x) - (nodes.matrix @ [*x, 1.0])[:, :3]).max() <= ROUND_OFF
    trs, skew = accumulate_matrices([nodes, nodes])
    assert trs.scale.shape == (6, 3)
    assert skew.shape == (6, 3, 3)


def test_what_is_no_chain_is_refused():
    with pytest.raises(UsageError, match="at least one"):
        accumulate_matrices([])
    with pytest.raises(UsageError, match="number of dimensions"):
        accumulate_componentwise([TRS([0, 0], np.eye(2), [1, 1]), *random_chain(1)])
