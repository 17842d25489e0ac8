"""Chunks made here are those that HDF5 makes and reads."""

from __future__ import annotations

import io
import threading

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import rigidsim
from rigidsim.errors import StorageError, UsageError
from rigidsim.trajectory import chunks, encoding
from rigidsim.trajectory.chunks import LEVELS, chunk_rows, chunk_shape, decode, encode, filters, fletcher32
from rigidsim.trajectory.encoding import Staging
from rigidsim.trajectory.writer import Writer

SHAPES = st.sampled_from([(1,), (7,), (64, 3), (4, 9, 1), (128, 8, 1)])
VALUES = SHAPES.flatmap(lambda shape: arrays(np.float64, shape, elements=st.floats(width=64)))


def hdf5_sums(data: bytes) -> int:
    """H5_checksum_fletcher32 of the HDF5 library, word by word."""
    a = b = 0
    padded = data + bytes(len(data) % 2)
    for i in range(0, len(padded), 2):
        a += padded[i] << 8 | padded[i + 1]
        a = (a & 0xFFFF) + (a >> 16)
        b += a
        b = (b & 0xFFFF) + (b >> 16)
    return b << 16 | a


@given(st.lists(st.binary(max_size=2000), max_size=5))
def test_checksums_are_those_of_hdf5(contents):
    assert fletcher32(contents) == [hdf5_sums(data) for data in contents]


@pytest.mark.parametrize("data", [b"", b"\0" * 9, b"\xff" * 8, b"\xff" * 7, b"\xff\xfe" + b"\0" * 5, b"\0\1\xff\xfe"])
def test_checksum_of_sums_that_vanish(data):
    """A multiple of 65535 folds to 65535, not to 0."""
    assert fletcher32([data]) == [hdf5_sums(data)]


@pytest.mark.parametrize("compression", LEVELS)
@settings(max_examples=30)
@given(VALUES)
def test_hdf5_reads_what_is_encoded_here_and_the_other_way_round(compression, values):
    with h5py.File(io.BytesIO(), "w") as file:
        corner = (0,) * values.ndim
        ours = file.create_dataset("ours", values.shape, "f8", chunks=values.shape, **filters(compression))
        ours.id.write_direct_chunk(corner, encode(values[None], compression)[0])
        assert ours[()].tobytes() == values.tobytes()
        theirs = file.create_dataset("theirs", data=values, chunks=values.shape, **filters(compression))
        file.flush()
        mask, data = theirs.id.read_direct_chunk(corner)
        found = decode(data, values.shape, values.dtype, is_deflated=compression != "none")
        assert (mask, found.tobytes()) == (0, values.tobytes())


def test_size_that_differs_from_that_of_the_chunk_is_found():
    (data,) = encode(np.zeros((1, 10)), "fast")
    for length in (9, 11):
        with pytest.raises(OSError, match=rf"80 bytes, expected {8 * length}|more|cannot be decompressed"):
            decode(data, (length,), np.dtype("f8"), is_deflated=True)


@given(st.integers(1, 10**7), st.integers(200, 10**9))
def test_rows_of_a_chunk(n_sample, sample_bytes):
    rows = chunk_rows(n_sample, sample_bytes)
    assert 1 <= rows <= min(n_sample, chunks.MOST_ROWS)
    if rows < n_sample:
        assert rows & (rows - 1) == 0  # a power of two
        assert rows == chunks.LEAST_ROWS or rows * sample_bytes <= chunks.CHUNK_BYTES
        assert rows == chunks.MOST_ROWS or 2 * rows * sample_bytes > chunks.CHUNK_BYTES


def test_a_chunk_has_the_components_of_some_bodies():
    assert chunk_shape((10**6, 1000, 3), 32) == (32, 85, 3)
    assert chunk_shape((10**6, 5, 4), 4096) == (4096, 5, 4)
    assert chunk_shape((10**6, 100, 4), 4096) == (4096, 8, 4)
    assert chunk_shape((10**6, 3), 4096) == (4096, 3)
    assert chunk_shape((10**6,), 4096) == (4096,)


@given(st.lists(st.integers(1, 16), max_size=20))
def test_staging_passes_on_every_sample_once(counts):
    staging, found, begin = Staging(8), [], 0
    for count in counts:
        while count:
            taken = min(count, staging.missing)
            full = staging.add({"time": np.arange(begin, begin + taken), "x": np.ones((taken, 2))})
            if full:
                assert [len(array) for array in full.values()] == [8, 8]
                found.extend(full["time"])
            begin, count = begin + taken, count - taken
    if staging.count:
        found.extend(staging.take()["time"])
    assert found == list(range(begin))


def test_whole_rows_are_not_copied():
    whole = {"time": np.arange(8.0)}
    assert Staging(8).add(whole)["time"] is whole["time"]


@pytest.fixture
def in_pieces(history, monkeypatch):
    """Write the history in pieces of some samples, in chunks of 16, and read it."""

    def write(path, pieces: int, compression: str) -> rigidsim.Trajectory:
        monkeypatch.setattr(chunks, "MOST_ROWS", 16)
        names, count = history.header.dataset_names, len(history.time)
        with Writer(path, history.header, count, compression=compression) as writer:
            for begin in range(0, count, pieces):
                part = {name: np.array(history.arrays[name][begin : begin + pieces]) for name in names}
                writer.append_arrays(part)
            writer.finish("complete", "", history.events)
        return rigidsim.load(path)

    return write


@pytest.mark.parametrize("compression", LEVELS)
@pytest.mark.parametrize("pieces", [1, 7, 16, 40, 1000])
def test_file_does_not_depend_on_the_pieces_it_is_written_in(history, tmp_path, in_pieces, pieces, compression):
    with in_pieces(tmp_path / "a.h5", pieces, compression) as trajectory:
        assert trajectory.stored_hash == history.content_hash
        assert trajectory.content_hash == history.content_hash
    with h5py.File(tmp_path / "a.h5") as file:
        assert file["world/position"].chunks == (16, len(history), 3)
        for name in history.header.dataset_names:
            assert np.array_equal(file[name][()], history.arrays[name], equal_nan=True)


def test_no_chunk_is_encoded_by_hdf5(history, tmp_path, in_pieces):
    """Each has the checksum noted when it was made here; HDF5 would have to encode one that it cuts."""
    in_pieces(tmp_path / "a.h5", 7, "fast").close()
    with h5py.File(tmp_path / "a.h5") as file:
        for name in history.header.dataset_names:
            dataset, sums = file[name].id, file[f"checksums/{name}"][()]
            assert len(sums) == dataset.get_num_chunks()
            for k, expected in enumerate(sums):
                _, data = dataset.read_direct_chunk(dataset.get_chunk_info(k).chunk_offset)
                assert chunks.checksum(data) == expected == fletcher32([data[:-4]])[0]


def test_arrays_may_change_once_the_next_call_has_returned(history, tmp_path, monkeypatch):
    """Also if that call brings too few samples to fill a row of chunks."""
    monkeypatch.setattr(chunks, "MOST_ROWS", 16)

    def slowly(*given):
        threading.Event().wait(0.05)
        return encode(*given)

    monkeypatch.setattr(encoding, "encode", slowly)
    with Writer(tmp_path / "a.h5", history.header, len(history.time)) as writer:
        for begin, end in ((0, 16), (16, 20), (20, 41)):
            part = {name: np.array(history.arrays[name][begin:end]) for name in history.header.dataset_names}
            writer.append_arrays(part)
            if begin == 0:
                first = part
            for array in first.values() if begin == 16 else ():
                array[:] = 0.0
        writer.finish("complete", "", history.events)
    with rigidsim.load(tmp_path / "a.h5") as trajectory:
        assert trajectory.content_hash == history.content_hash


def test_compression_changes_the_size_only(history, tmp_path):
    for compression in LEVELS:
        history.save(tmp_path / f"{compression}.h5", compression=compression)
    none, fast, small = ((tmp_path / f"{compression}.h5").stat().st_size for compression in LEVELS)
    assert none > max(fast, small)
    with pytest.raises(UsageError, match="compression must be one of none, fast, small, got 'gzip'"):
        history.save(tmp_path / "a.h5", compression="gzip")


def test_what_fails_in_the_background_is_raised_and_leaves_nothing(history, tmp_path, monkeypatch):
    def no_memory(*_):
        raise MemoryError

    monkeypatch.setattr(encoding, "encode", no_memory)
    with pytest.raises((MemoryError, StorageError)):
        history.save(tmp_path / "a.h5")
    assert not list(tmp_path.iterdir())
