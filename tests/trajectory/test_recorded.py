"""A trajectory of which parts were left out: in memory, as a file, damaged."""

from __future__ import annotations

import pickle

import h5py
import numpy as np
import pytest

import rigidsim
from every_node import SCENE
from rigidsim.errors import FormatError, NotRecordedError, UsageError
from rigidsim.trajectory.header import texts_of
from rigidsim.trajectory.recorded import PartialArray

SELECTIONS = {
    "one frame": ["world"],
    "one quantity": ["position"],
    "energies": ["diagnostics"],
    "nothing": [],
    "some bodies": [{"bodies": ["deck/crane/*", "beacon"], "of": ["world", "local/position", "terms"]}, "diagnostics"],
}


def run(record, **how) -> rigidsim.Trajectory:
    simulation = SCENE["simulation"] | ({} if record is None else {"record": record})
    return rigidsim.simulate(rigidsim.Scene.from_dict(SCENE | {"simulation": simulation}), **how)


@pytest.fixture(scope="module", params=SELECTIONS)
def part(request):
    return run(SELECTIONS[request.param])


@pytest.fixture
def part_file(part, tmp_path):
    part.save(tmp_path / "part.h5")
    return tmp_path / "part.h5"


def test_what_is_recorded_has_the_bits_of_the_whole(part, history):
    for name in part.header.dataset_names[1:]:
        rows = part.header.recorded_rows(name)
        every = range(len(part)) if rows is None else rows
        one, other = np.asarray(part.arrays[name]), history.arrays[name]
        for row in range(len(part)) if one.ndim == 3 else [...]:
            if row is ... or row in every:
                assert (
                    np.array_equal(one[:, row], other[:, row], equal_nan=True)
                    if row is not ...
                    else np.array_equal(one, other)
                )
            else:
                assert np.isnan(one[:, row]).all()


def test_a_file_has_only_that_with_the_digests_of_the_whole(part, part_file, kept_file):
    with h5py.File(part_file) as file, h5py.File(kept_file) as whole:
        found = []
        file.visititems(lambda _, item: found.append(item) if getattr(item, "shape", ())[:1] == (41,) else None)
        assert set(found) == {file[name] for name in part.header.dataset_names}
        for name in part.header.dataset_names:
            rows = part.header.recorded_rows(name)
            if rows is None:
                assert file[name].attrs["sha256"] == whole[name].attrs["sha256"]
                assert "recorded_bodies" not in file[name].attrs
            else:
                assert file[name].shape == whole[name].shape and np.isnan(file[name].fillvalue)
                assert file[name].attrs["recorded_bodies"].tolist() == rows.tolist()
                others = np.setdiff1d(np.arange(len(part)), rows)
                assert np.isnan(file[name][:, others]).all()
                assert np.array_equal(file[name][:, rows], whole[name][:, rows], equal_nan=True)
    assert part_file.stat().st_size < kept_file.stat().st_size


def test_it_is_read_as_it_was(part, part_file):
    with rigidsim.load(part_file) as read:
        assert read.header.dataset_names == part.header.dataset_names
        assert read.content_hash == read.stored_hash == part.content_hash
        for name in part.header.dataset_names:
            assert np.array_equal(np.asarray(read.arrays[name]), np.asarray(part.arrays[name]), equal_nan=True)
        again = pickle.loads(pickle.dumps(read))
        assert again.content_hash == part.content_hash
        read.save(part_file.with_name("b.h5"))
    assert pickle.loads(pickle.dumps(part)).content_hash == part.content_hash
    assert part_file.with_name("b.h5").read_bytes() == part_file.read_bytes()


def test_a_selection_of_everything_is_no_selection(tmp_path):
    every, none = run(["local", "world", "diagnostics"]), run(None)
    assert every.header.recorded is None and every.content_hash == none.content_hash
    every.save(tmp_path / "a.h5")
    with rigidsim.load(tmp_path / "a.h5") as read:
        assert read.header.recorded is None and read.content_hash == every.content_hash


def test_terms_and_contacts_can_be_asked_for_in_both_ways(history):
    part = run([{"bodies": "deck", "of": "terms"}])
    assert np.array_equal(part["deck"].term("applied"), history["deck"].term("applied"))
    with pytest.raises(NotRecordedError, match=r"the terms of 'deck/crane/load' were not recorded"):
        part["deck/crane/load"].term("applied")
    both = run([{"bodies": "deck", "of": "terms"}], terms=True)
    assert np.array_equal(both["deck/crane/load"].term("applied"), history["deck/crane/load"].term("applied"))


def test_diagnostics_are_never_derived():
    with pytest.raises(NotRecordedError, match="energies and momenta were not recorded"):
        run(["world"]).diagnostic("work")
    with pytest.raises(UsageError, match="there is no diagnostic 'wrok'"):
        run(["world"]).diagnostic("wrok")


def test_many_scenes_with_selections_of_their_own(history):
    scenes = [
        rigidsim.Scene.from_dict(SCENE | {"simulation": SCENE["simulation"] | {"record": record}})
        for record in (["world"], ["terms"], [{"bodies": "beacon", "of": "world"}], ["world"])
    ]
    found = rigidsim.simulate(scenes)
    assert [len(one.header.fields) for one in found] == [4, len(history.header.fields) - 14, 4, 4]
    assert found[0].content_hash == found[3].content_hash
    for name in ("world/position", "terms/applied"):
        arrays = [np.asarray(one.arrays[name]) for one in found if name in one.arrays and one is not found[2]]
        assert arrays and all(np.array_equal(a, history.arrays[name], equal_nan=True) for a in arrays)


def test_memory_has_the_columns_of_the_recorded_bodies_only():
    part = run([{"bodies": "beacon", "of": "world"}])
    array = part.arrays["world/position"]
    assert isinstance(array, PartialArray) and array.columns.shape == (41, 1, 3) and array.shape == (41, 5, 3)
    assert part.header.sample_bytes == 8 * (1 + 13)


@pytest.mark.parametrize(
    "key",
    [(), 3, -1, slice(2, 5), ..., (..., 1, slice(None)), (..., 2, slice(None)), (4, 2), (slice(3), 4), (2, ..., 0),
     (slice(3), -1, 0), (slice(None), slice(1, 3)), (..., 1), (slice(None, None, 2), [1, 2], slice(None)), ([1, 3],),
     (None, 0), ([0, 1], [1, 3]), np.arange(30).reshape(6, 5) > 7, (slice(4, 1, -2), [4, 1, 1])],
    ids=str,
)  # fmt: skip
def test_a_partial_array_is_indexed_as_the_whole(key):
    columns = np.random.default_rng(0).normal(size=(6, 2, 3))
    whole = np.full((6, 5, 3), np.nan)
    whole[:, [1, 4]] = columns
    np.testing.assert_array_equal(PartialArray(columns, np.array([1, 4]), 5)[key], whole[key])


def test_others_read_it(part, part_file):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    with xarray.open_datatree(part_file, engine="h5netcdf") as tree:
        assert tree["time"].shape == (41,)
        for name in part.header.dataset_names[1:]:
            np.testing.assert_array_equal(tree[name].values, np.asarray(part.arrays[name]))


# --- damage


def damaged(tmp_path, record, change):
    run(record).save(tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        change(file)
    return tmp_path / "a.h5"


SOME = [{"bodies": ["deck", "beacon"], "of": ["world"]}, "diagnostics"]
ROWS = "recorded_bodies"


def with_rows(rows, dtype=np.int64):
    def change(file):
        file["world/velocity"].attrs[ROWS] = np.array(rows, dtype=dtype)

    return change


DAMAGES = {
    "a dataset less": (SOME, lambda file: file.__delitem__("world/velocity"), "do not match its content hash"),
    "a group less": (SOME, lambda file: file.__delitem__("diagnostics"), "do not match its content hash"),
    "a dataset more": (
        ["world"],
        lambda file: file.copy("world/velocity", "local/velocity"),
        "do not match its content",
    ),
    "no rows": (SOME, lambda file: file["world/velocity"].attrs.__delitem__(ROWS), "does not match description_sha256"),
    "rows of a whole dataset": (["world"], with_rows([0, 4]), "does not match description_sha256"),
    "other rows": (SOME, with_rows([0, 3]), "does not match description_sha256"),
    "fewer rows": (SOME, with_rows([0]), "does not match description_sha256"),
    "all rows": (SOME, with_rows(range(5)), "does not match description_sha256"),
    "rows beyond": (SOME, with_rows([0, 5]), "are not rows of its 5 bodies"),
    "negative rows": (SOME, with_rows([-1, 4]), "are not rows of its 5 bodies"),
    "rows twice": (SOME, with_rows([4, 4]), "are not rows of its 5 bodies"),
    "rows in disorder": (SOME, with_rows([4, 0]), "are not rows of its 5 bodies"),
    "rows of numbers": (SOME, with_rows([0.0, 4.0], np.float64), "is not a list of rows"),
    "rows of nothing": (SOME, with_rows([]), "is not a list of rows"),
    "rows of rows": (SOME, with_rows([[0, 4]]), "is not a list of rows"),
    "without a selection a dataset less": (
        None,
        lambda file: file.__delitem__("world/velocity"),
        "velocity is missing",
    ),
}


@pytest.mark.parametrize(("record", "change", "words"), DAMAGES.values(), ids=DAMAGES)
def test_damage_is_found(tmp_path, record, change, words):
    path = damaged(tmp_path, record, change)
    with pytest.raises(FormatError, match=words) as caught:
        rigidsim.load(path)
    assert caught.value.exit_code == 6


def test_a_changed_value_of_a_recorded_body_is_found(tmp_path):
    def change(file):
        file["world/velocity"][20, 4, 1] += 1e-12

    with (
        rigidsim.load(damaged(tmp_path, SOME, change)) as read,
        pytest.raises(FormatError, match="world/velocity"),
    ):
        _ = read["deck"].world.velocity


def test_a_derived_value_is_checked_as_what_it_is_made_of(tmp_path):
    def change(file):
        file["world/velocity"][20, 0, 1] += 1e-12

    with (
        rigidsim.load(damaged(tmp_path, ["world"], change)) as read,
        pytest.raises(FormatError, match="world/velocity"),
    ):
        _ = read["deck/crane/load"].local.velocity


def test_an_invalid_scene_is_damage(tmp_path):
    part = run(["world"])
    text = part.header.scene_resolved.replace('"prescribed": {', '"prescribd": {')
    object.__setattr__(part.header, "texts", texts_of(part.header.scene_text, text))
    part.save(tmp_path / "a.h5")
    with (
        rigidsim.load(tmp_path / "a.h5") as read,
        pytest.raises(FormatError, match="scene/resolved is not a valid scene"),
    ):
        _ = read["deck/crane/hook"].local.velocity
