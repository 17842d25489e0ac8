"""Displays as text, and back."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode

import numpy as np
import pytest

from rigidsim.views import packing
from rigidsim.views.display import display_of
from rigidsim.views.packing import display_data, exact_rows, packed, packed_columns
from rigidsim.views.poses import WORLD_ROW, Poses
from thousand_balls import thousand_balls


def read(text, kind):
    return np.frombuffer(zlib.decompress(b64decode(text)), dtype=kind)


def columns_of(data, n_frame):
    """What the page does: sums of sums of the integers, in 32 bits."""
    planes = read(data["planes"], "u1").reshape(4, -1)
    second = np.ascontiguousarray(planes.T).reshape(-1).view("<i4").reshape(-1, n_frame)
    whole = np.cumsum(np.cumsum(second, axis=1, dtype=np.int32), axis=1, dtype=np.int32)
    return read(data["offsets"], "<f8")[:, None] + read(data["steps"], "<f8")[:, None] * whole


def motions_of(data, n_body):
    """(frame, body, 7) the poses that the page reads."""
    n_frame = len(read(data["time"], "<f8"))
    found = np.zeros((n_frame, n_body, 7))
    exact, rounded = data["exact"], data["rounded"]
    found[:, exact["rows"]] = read(exact["values"], "<f8").reshape(-1, 7, n_frame).transpose(2, 0, 1)
    found[:, rounded["rows"]] = columns_of(rounded, n_frame).reshape(-1, 7, n_frame).transpose(2, 0, 1)
    return found


def test_arrays_come_back():
    values = np.array([[0.1, -2.5e300], [np.pi, 0.0]])
    assert np.array_equal(read(packed(values, "<f8"), "<f8").reshape(2, 2), values)


def test_columns_are_rounded_to_half_a_step_and_constants_not_at_all():
    random = np.random.default_rng(7)
    columns = np.concatenate([random.normal(size=(3, 50)), np.full((1, 50), 1 / 3)])
    step = np.array([1e-3, 1e-6, 2.0**-29, 0.0])
    found = columns_of(packed_columns(columns, step), 50)
    assert (np.abs(found - columns) <= step[:, None] * (0.5 + 1e-6)).all()


def test_a_small_scene_keeps_every_bit(run):
    display = display_of(run("three_frames_deep"))
    found = motions_of(display_data(display), len(display.paths))
    assert np.array_equal(found[..., :3], display.poses.position)
    turns = np.abs(np.sum(found[..., 3:] * display.poses.orientation, axis=-1))
    assert turns == pytest.approx(1, abs=1e-15)
    assert (np.sum(found[1:, :, 3:] * found[:-1, :, 3:], axis=-1) > 0).all()  # no jumps of sign


def test_many_bodies_keep_what_a_picture_shows():
    """2^-30 of the extent of a path, and 2^-15 for the components of quaternions."""
    poses = thousand_balls(60, 400).poses
    data = display_data(thousand_balls(60, 400))
    found = motions_of(data, 60)
    extent = np.ptp(poses.position, axis=0).max(axis=-1)
    assert (np.abs(found[..., :3] - poses.position) <= 0.51 * 2.0**-30 * extent[:, None]).all()
    turns = found[..., 3:] * np.sign(np.sum(found[..., 3:] * poses.orientation, axis=-1, keepdims=True))
    assert np.abs(turns - poses.orientation).max() <= 0.51 * 2.0**-15
    rates = columns_of(data["rates"], 400).reshape(60, 6, 400).transpose(2, 0, 1)
    for ours, theirs in ((rates[..., :3], poses.velocity), (rates[..., 3:], poses.angular_velocity)):
        assert (np.abs(ours - theirs) <= 0.51 * 2.0**-15 * np.abs(theirs).max(axis=(0, 2))[:, None]).all()


def test_bodies_on_which_others_depend_are_exact(monkeypatch):
    """Those that change their parent, then those that carry others, parents first."""
    monkeypatch.setattr(packing, "EXACT", 0)
    zeros, turns = np.zeros((2, 5, 3)), np.tile([1.0, 0, 0, 0], (2, 5, 1))
    trees = ((WORLD_ROW, 0, 1, 0, WORLD_ROW), (WORLD_ROW, 0, 1, 0, 3))
    poses = Poses(np.arange(2.0), zeros, turns, zeros, zeros, trees, np.array([0, 1]))
    assert exact_rows(poses) == [0, 1, 3, 4]
    monkeypatch.setattr(packing, "MOST_EXACT", 2)
    assert exact_rows(poses) == [0, 4]


def test_rates_are_left_out_of_very_large_pages(monkeypatch):
    monkeypatch.setattr(packing, "WITH_RATES", 99)
    assert display_data(thousand_balls(10, 10))["rates"] is None
    assert display_data(thousand_balls(9, 11))["rates"] is not None


def test_data_are_plain(run):
    data = display_data(display_of(run("payload_release")))
    assert json.loads(json.dumps(data)) == data
    assert [read(tree, "<i4").tolist() for tree in data["trees"]] == [[-1, 0], [-1, -1]]
