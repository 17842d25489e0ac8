"""Memory to file and back: every bit, the header, and one hash for one content."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import fields as attributes

import h5py
import numpy as np
import pytest

import rigidsim
from rigidsim.errors import FormatError, StorageError, UsageError
from rigidsim.trajectory import Trajectory, chunks, stored_chunks
from rigidsim.trajectory.stored import StoredArray
from rigidsim.trajectory.writer import Writer


def test_arrays_and_header_come_back(history, kept_file):
    with rigidsim.load(kept_file) as loaded:
        assert loaded.header.dataset_names == history.header.dataset_names
        for name in history.header.dataset_names:
            assert loaded.arrays[name].dtype == np.float64
            np.testing.assert_array_equal(loaded.arrays[name], history.arrays[name], err_msg=name, strict=False)
        for attribute in attributes(history.header):
            before, after = (getattr(t.header, attribute.name) for t in (history, loaded))
            assert np.array_equal(before, after) if isinstance(before, np.ndarray) else before == after, attribute.name
        assert loaded.status == history.status == "complete"
        assert list(loaded) == list(history) == list(loaded.paths)
        assert len(loaded) == 5


def test_one_content_has_one_hash(history, kept_file, scene):
    with rigidsim.load(kept_file) as loaded:
        assert loaded.stored_hash == loaded.content_hash == history.content_hash
    assert rigidsim.simulate(scene, terms=True).content_hash == history.content_hash


def test_each_dataset_counts_in_the_hash_to_the_last_bit(history):
    for name in history.header.dataset_names:
        changed = np.array(history.arrays[name])
        changed.reshape(-1).view(np.int64)[changed.size // 2] ^= 1
        other = Trajectory(history.header, {**history.arrays, name: changed})
        assert other.content_hash != history.content_hash, name


def test_hash_does_not_know_where_and_when(history, tmp_path):
    elsewhere = Trajectory(history.header, history.arrays, "interrupted")
    elsewhere.save(tmp_path / "b.h5")
    with rigidsim.load(tmp_path / "b.h5") as loaded:
        assert loaded.status == "interrupted"
        assert loaded.stored_hash == history.content_hash


def test_datasets_are_read_when_asked_for(kept_file, monkeypatch):
    decoded = []
    decode = stored_chunks.decode
    monkeypatch.setattr(stored_chunks, "decode", lambda *a, **k: (decoded.append(1), decode(*a, **k))[1])
    with rigidsim.load(kept_file) as loaded:
        motion = loaded["deck"].world
        assert len(decoded) == 0
        assert motion.position is motion.position
        assert len(decoded) == 1


def test_closed_file_gives_what_was_read_and_says_why_not_the_rest(kept_file):
    with rigidsim.load(kept_file) as loaded:
        motion = loaded["deck"].world
        position = motion.position
    assert motion.position is position
    with pytest.raises(UsageError, match="was closed before this array was read"):
        _ = motion.velocity
    loaded.close()  # twice is allowed


def test_provenance_and_scene_are_kept(kept_file, scene):
    with rigidsim.load(kept_file) as loaded:
        assert loaded.header.provenance["rigidsim"] == rigidsim.__version__
        assert loaded.header.provenance["h5py"] == h5py.__version__
        assert json.loads(loaded.header.scene_resolved) == scene.resolved()
        assert rigidsim.Scene.from_text(loaded.header.scene_text) == scene


def test_saving_does_not_replace_a_file_unless_forced(history, kept_file, tmp_path):
    path = tmp_path / "b.h5"
    path.write_bytes(kept_file.read_bytes())
    with pytest.raises(StorageError, match="exists already; use force=True to overwrite it, or save to another path"):
        history.save(path)
    history.save(path, force=True)
    path.write_text("mine")
    with pytest.raises(StorageError, match="not a trajectory, or it is damaged; force=True overwrites"):
        history.save(path, force=True)
    assert path.read_text() == "mine"
    with pytest.raises(StorageError, match="does not exist"):
        history.save(tmp_path / "nowhere" / "b.h5")


def test_a_file_is_saved_piece_by_piece(history, kept_file, tmp_path, monkeypatch):
    """So it may be larger than the memory; the result does not depend on the pieces."""
    monkeypatch.setattr(chunks, "MOST_ROWS", 4)
    read = []

    def counted(self, key):
        found = getitem(self, key)
        read.append(len(found))
        return found

    getitem = StoredArray.__getitem__
    with rigidsim.load(kept_file) as trajectory:
        monkeypatch.setattr(StoredArray, "__getitem__", counted)
        trajectory.save(tmp_path / "b.h5", compression="none")
    assert max(read) == 16 < len(history.time)
    with rigidsim.load(tmp_path / "b.h5") as saved:
        assert saved.content_hash == history.content_hash


def test_reason_of_a_failure_is_kept(history, tmp_path):
    failed = Trajectory(history.header, history.arrays, "failed", message="too fast")
    failed.save(tmp_path / "b.h5")
    with rigidsim.load(tmp_path / "b.h5") as loaded:
        assert (loaded.status, loaded.message) == ("failed", "too fast")
        loaded.save(tmp_path / "c.h5")
    with rigidsim.load(tmp_path / "c.h5") as again:
        assert again.message == "too fast"


def same(one: Trajectory, other: Trajectory) -> bool:
    return (one.content_hash, one.status, one.events) == (other.content_hash, other.status, other.events)


def test_trajectory_is_pickled_with_its_samples(history, kept_file):
    with rigidsim.load(kept_file) as loaded:
        for trajectory in (history, loaded):
            for twin in (pickle.loads(pickle.dumps(trajectory)), copy.deepcopy(trajectory)):
                assert same(twin, trajectory)
                assert twin.header.scene_text == trajectory.header.scene_text
                assert not twin.arrays["local/position"].flags.writeable
        twin = pickle.loads(pickle.dumps(loaded))
    np.testing.assert_array_equal(twin["deck"].world.position, history["deck"].world.position)


def test_motion_and_body_are_pickled(history):
    for motion in (history["deck"].world, history["deck/crane/load"].seen_from("deck"), history.at(0.33)["deck"].local):
        twin = pickle.loads(pickle.dumps(motion))
        for name in ("time", "position", "orientation", "velocity", "angular_velocity"):
            np.testing.assert_array_equal(getattr(twin, name), getattr(motion, name))
        assert twin.breaks == motion.breaks
    assert pickle.loads(pickle.dumps(history["deck"])).path == "deck"


def test_damaged_file_is_not_pickled(file):
    with h5py.File(file, "r+") as opened:
        opened["world/velocity"][3, 0, 0] += 1.0
    with (
        rigidsim.load(file) as loaded,
        pytest.raises(FormatError, match=r"world/velocity: .* is not the one whose checksum"),
    ):
        pickle.dumps(loaded)


def test_arrays_cannot_be_written_to(history, kept_file):
    with rigidsim.load(kept_file) as loaded:
        for trajectory in (history, loaded):
            motion, seen = trajectory["deck"].world, trajectory["deck/crane/load"].seen_from("deck")
            for array in (trajectory.time, motion.position, motion.orientation, seen.velocity, motion.at(0.3).position):
                with pytest.raises(ValueError, match="read-only"):
                    array[...] = 0.0
    for name in history.header.dataset_names:
        with pytest.raises(ValueError, match="read-only"):
            history.arrays[name][0] = 0.0
    mine = np.array(history.arrays["time"])
    Trajectory(history.header, {**history.arrays, "time": mine})
    mine[0] = 0.0  # which was mine, and still is


def test_representations_tell_what_it_is(history):
    bodies = "deck, deck/crane, deck/crane/hook, deck/crane/load, beacon"
    assert repr(history) == f"<Trajectory: {bodies}; 41 samples, 0 to 2 s, complete>"
    assert repr(history["deck"]) == "<BodyHistory 'deck': free in the world, 41 samples, 0 to 2 s>"
    assert repr(history["deck/crane"]) == "<BodyHistory 'deck/crane': prescribed in deck, 41 samples, 0 to 2 s>"
    assert repr(history["deck"].world) == "<Motion: 41 samples, 0 to 2 s>"
    assert repr(history["deck"].world.at(0.5)) == "<Motion: at 0.5 s>"
    assert repr(history.at(0.5)) == f"<State: {bodies}; at 0.5 s>"


def test_a_part_has_the_hash_of_what_is_saved_of_it(history, tmp_path):
    part = history.part(slice(3, 5))
    part.save(tmp_path / "b.h5")
    with rigidsim.load(tmp_path / "b.h5") as saved:
        assert saved.content_hash == part.content_hash


def test_writer_left_early_leaves_nothing(history, tmp_path):
    with pytest.raises(ZeroDivisionError), Writer(tmp_path / "b.h5", history.header, 10) as writer:
        writer.append_arrays({name: np.asarray(history.arrays[name]) for name in history.header.dataset_names})
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("what", ["rigidsim.trajectory.writer.create_tables", "h5py.File"])
def test_writer_that_cannot_begin_leaves_nothing(history, tmp_path, monkeypatch, what):
    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(what, fail)
    with pytest.raises(StorageError, match="No space left on device"):
        Writer(tmp_path / "b.h5", history.header, 10)
    assert not list(tmp_path.iterdir())
