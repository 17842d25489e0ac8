"""Step by step, or in blocks: the same samples, each once, and always the last state."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from rigidsim import Simulation
from rigidsim.simulation import single
from rigidsim.trajectory.fields import FIELDS, TERM_FIELDS


def timed(scene, duration: float, step: float, every: float | None = None):
    """The scene with other times."""
    plain = scene.resolved()
    plain["simulation"] = {"duration": duration, "step": step} | ({"record_every": every} if every else {})
    return rigidsim.Scene.from_dict(plain)


def test_state_is_a_copy(scene):
    one = Simulation(scene)
    before = one.state
    position = before["deck"].world.position.copy()
    one.step(10)
    assert np.array_equal(before["deck"].world.position, position)
    assert not np.array_equal(one.state["deck"].world.position, position)


def test_simulations_of_one_scene_do_not_disturb_each_other(scene):
    first, second = Simulation(scene), Simulation(scene)
    first.step(10)
    assert second.state["deck"].world.position.tolist() == Simulation(scene).state["deck"].world.position.tolist()


@pytest.mark.parametrize("stride", [1, 2, 3, 7, 99, 100, 101])
@pytest.mark.parametrize("rows", [1, 2, 5, 1000])
def test_blocks_cover_all_samples_once(scene, monkeypatch, stride, rows):
    n_step, step = 100, 0.01
    short = timed(scene, n_step * step, step, stride * step)
    whole = rigidsim.simulate(short)
    monkeypatch.setattr(single, "chunk_rows", lambda n_sample, _: min(rows, n_sample))
    one = Simulation(short)
    blocks = [block.copied() for block in one.blocks()]
    expected = [*range(0, n_step, stride), n_step]
    *parts, last = [len(block.time) for block in blocks]
    assert (sum(parts), last) == (len(expected) - 1, 1)
    assert all(part == rows for part in parts[:-1]) and parts[-1] <= rows
    assert np.array_equal(np.concatenate([block.time for block in blocks]), np.array(expected) * step)
    assert one.n_sample == len(expected)
    for field in one.header.fields:
        assert np.array_equal(np.concatenate([field.of(block) for block in blocks]), whole.arrays[field.name])
    assert one.status == "complete"


def test_a_block_is_kept_until_the_one_after_the_next(scene, monkeypatch):
    monkeypatch.setattr(single, "chunk_rows", lambda *_: 8)
    blocks = Simulation(scene, terms=True).blocks()
    first = next(blocks)
    kept = first.copied()
    second = next(blocks)
    assert all(np.array_equal(f.of(first), f.of(kept), equal_nan=True) for f in FIELDS + TERM_FIELDS)
    third = next(blocks)
    assert np.shares_memory(third.local.position, first.local.position)
    assert not np.shares_memory(third.local.position, second.local.position)
    assert not np.array_equal(first.world.position, kept.world.position)


def test_datasets_of_bodies_are_the_arrays_of_the_block(scene):
    block = next(Simulation(scene, terms=True).blocks())
    for field in FIELDS + TERM_FIELDS:
        values = field.of(block)
        assert np.shares_memory(values, field.of(block))
        assert values.flags.c_contiguous or field.source == "ledger"
        assert values.shape[1:-1] == (() if field.source == "ledger" else (5,))


def test_terms_of_a_body_that_becomes_a_part_end_in_every_block(monkeypatch):
    """A block's arrays are those of an earlier one, in which the body was free."""
    body = {"mass": 1, "inertia": {"principal": [1, 1, 1]}}
    scene = rigidsim.Scene.from_dict({
        "format": "rigidsim/1",
        "simulation": {"duration": 1, "step": 0.01},
        "bodies": {"car": body, "bag": {**body, "position": [1, 0, 0]}},
        "reparent": [{"body": "bag", "to": "car", "time": 0.5, "motion": "fixed"}],
    })  # fmt: skip
    monkeypatch.setattr(single, "chunk_rows", lambda *_: 8)
    history = rigidsim.simulate(scene, terms=True)
    assert np.array_equal(np.isnan(history.arrays["terms/applied"][:, 1, 0]), history.time >= 0.5)


def test_blocks_go_on_from_where_stepping_ended(scene, history):
    one = Simulation(scene, terms=True)
    one.step(12)  # between the samples at steps 10 and 15
    times = np.concatenate([block.time.copy() for block in one.blocks()])
    assert np.array_equal(times, history.time[3:])


def test_every_step_is_recorded_if_nothing_is_said(scene):
    assert len(rigidsim.simulate(timed(scene, 1, 0.01)).time) == 101


def test_long_runs_record_ten_thousand_samples_at_most(scene):
    assert Simulation(timed(scene, 1000, 0.01)).n_sample <= 10_001


def test_watch_ends_the_run_with_the_state_reached(scene):
    one = Simulation(timed(scene, 1000, 0.001))
    seen = []
    blocks = [block.time.copy() for block in one.blocks(lambda n: seen.append(n) or n > 100)]
    assert one.status == "interrupted"
    assert seen[-1] == one.n > 100 >= ([0, *seen][-2])
    assert blocks[-1][-1] == one.time
