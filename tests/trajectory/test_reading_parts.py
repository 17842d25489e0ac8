"""A part of an array in a file: as NumPy indexes it, from the chunks it lies in, each verified by itself."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rigidsim
from rigidsim.errors import FormatError
from rigidsim.trajectory import Trajectory, stored_chunks
from rigidsim.trajectory.chunks import LEVELS, chunk_shape, decode, filters
from rigidsim.trajectory.digests import description_digest, digest_of_rows
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.stored_chunks import StoredChunks
from rigidsim.trajectory.writer import Writer

WHOLE = Header(("b",), ("",), ("free",), np.ones(1), np.ones(1), isolated=True)  # records everything

COMPRESSIONS = pytest.mark.parametrize("compression", LEVELS)
MESSAGE = "is not the one whose checksum is in the file|does not match its checksum|is missing|cannot be decompressed"


def dataset_of(file: h5py.File, values: np.ndarray, rows: int, compression: str) -> StoredChunks:
    """An array written by HDF5's own filters, in chunks of that many rows, with its checksums."""
    shape = chunk_shape(values.shape, rows)
    dataset = file.create_dataset(
        "x", data=values, chunks=shape, maxshape=(None, *values.shape[1:]), **filters(compression)
    )
    file.flush()
    grid = [range(0, end, step) for end, step in zip(values.shape, shape, strict=True)]
    corners = np.stack(np.meshgrid(*grid, indexing="ij"), axis=-1).reshape(-1, values.ndim)
    sums = [int.from_bytes(dataset.id.read_direct_chunk(tuple(corner))[1][-4:], "little") for corner in corners]
    return StoredChunks(dataset, np.array(sums, dtype=np.uint32))


@pytest.fixture
def in_memory() -> Iterator[h5py.File]:
    """An HDF5 file without a disk."""
    with h5py.File("x", "w", driver="core", backing_store=False) as file:
        yield file


@st.composite
def keys(draw, shape: tuple[int, ...]) -> object:
    """What indexes an array of this shape: integers, slices, an ellipsis, at most one list of integers; sometimes what
    is none of these.
    """

    def along(length: int) -> object:
        index = st.integers(-length, length - 1)
        bound = st.none() | st.integers(-length - 2, length + 2)
        step = st.none() | st.integers(1, length + 1) | st.integers(-length - 1, -1)
        return index | st.builds(np.int64, index) | st.builds(slice, bound, bound, step)

    found = [draw(along(length)) for length in shape[: draw(st.integers(0, len(shape)))]]
    if found and draw(st.booleans()):
        axis = draw(st.integers(0, len(found) - 1))
        index = st.integers(-shape[axis], shape[axis] - 1)
        several = st.lists(index, min_size=1, max_size=6)
        tables = st.lists(st.tuples(index, index), min_size=1, max_size=3)
        masks = st.lists(st.booleans(), min_size=shape[axis], max_size=shape[axis])
        found[axis] = np.array(draw(several | tables | masks))
    if draw(st.booleans()):
        place = draw(st.integers(0, len(found)))
        given_after = len(found) - place
        found = [*found[:place], ..., *found[place:]]
        # What comes after the ellipsis counts from the last axis, which may be shorter.
        if any(
            _is_beyond(key, shape[axis]) for key, axis in zip(found[place + 1 :], range(-given_after, 0), strict=True)
        ):
            found = [...]
    if draw(st.integers(0, 9)) == 0:
        found.insert(0, None)
    return tuple(found) if len(found) != 1 or draw(st.booleans()) else found[0]


def _is_beyond(key: object, length: int) -> bool:
    if isinstance(key, np.ndarray) and key.dtype == bool:
        return len(key) != length
    return not isinstance(key, slice) and bool(np.any((np.asarray(key) >= length) | (np.asarray(key) < -length)))


SHAPES = st.one_of(
    st.tuples(st.integers(1, 40)),
    st.tuples(st.integers(1, 40), st.just(3)),
    st.tuples(st.integers(1, 20), st.integers(1, 20), st.integers(1, 4)),
)


@COMPRESSIONS
@settings(max_examples=settings().max_examples // 5, deadline=None)
@given(data=st.data())
def test_any_key_selects_what_it_selects_of_an_array(compression, data):
    shape = data.draw(SHAPES)
    values = np.random.default_rng(data.draw(st.integers(0, 9))).normal(size=shape)
    with h5py.File("x", "w", driver="core", backing_store=False) as file:
        chunks = dataset_of(file, values, data.draw(st.sampled_from([1, 4, 16])), compression)
        for key in data.draw(st.lists(keys(shape), min_size=1, max_size=6)):
            found = chunks[key]
            assert np.shape(found) == np.shape(values[key])
            np.testing.assert_array_equal(found, values[key])
        assert digest_of_rows(WHOLE, "x", chunks) == digest_of_rows(WHOLE, "x", values)


@pytest.mark.parametrize("key", [(5,), (-6,), (..., 3), (0, 0, 0, 0), (np.array([0, 5]),), 2**70, "x", (0.5,)])
def test_what_is_no_index_of_the_array(in_memory, key):
    values = np.zeros((5, 2, 3))
    chunks = dataset_of(in_memory, values, 4, "small")
    with pytest.raises((IndexError, OverflowError)):
        _ = values[key]
    with pytest.raises((IndexError, OverflowError)):
        _ = chunks[key]


N_SAMPLE, N_BODY = 600, 40
LAST = f"b_{N_BODY - 1}"
HEADER = Header(
    paths=tuple(f"b_{i}" for i in range(N_BODY)),
    parents=("",) * N_BODY,
    kinds=("free",) * N_BODY,
    scale=np.ones(N_BODY),
    parent_scale=np.ones(N_BODY),
    isolated=True,
)


@pytest.fixture(scope="module")
def many() -> Trajectory:
    """Many bodies, in memory."""
    random = np.random.default_rng(1)
    arrays = {"time": np.arange(N_SAMPLE) * 0.5}
    for field in HEADER.fields:
        width = {"": (), "xyz": (3,), "wxyz": (4,)}[field.axis]
        arrays[field.name] = random.normal(size=(N_SAMPLE, *([N_BODY] if "body" in field.dimensions else []), *width))
    return Trajectory(HEADER, arrays)


@pytest.fixture(scope="module", params=LEVELS)
def files(many, request, tmp_path_factory) -> Path:
    """The file of it, with each compression."""
    path = tmp_path_factory.mktemp("many") / f"{request.param}.h5"
    many.save(path, compression=request.param)
    return path


@pytest.fixture
def decoded(monkeypatch) -> list[tuple[int, ...]]:
    """The shapes of the parts of chunks that are decoded from here on."""
    found = []

    def spy(*arguments, **options):
        values = decode(*arguments, **options)
        found.append(values.shape)
        return values

    monkeypatch.setattr(stored_chunks, "decode", spy)
    return found


def test_only_the_chunks_that_are_touched_are_decoded(files, many, decoded):
    with h5py.File(files) as file:
        rows, bodies, _ = file["world/position"].chunks
    assert 1 < rows < N_SAMPLE and 1 < bodies < N_BODY
    rows_of_chunks, columns_of_chunks = -(-N_SAMPLE // rows), -(-N_BODY // bodies)
    with rigidsim.load(files) as trajectory:
        array, values = trajectory.arrays["world/position"], many.arrays["world/position"]

        def touched(key) -> int:
            decoded.clear()
            np.testing.assert_array_equal(array[key], values[key])
            return len(decoded)

        assert touched((..., 7, slice(None))) == rows_of_chunks
        assert set(decoded) == {(rows, 1, 3), (N_SAMPLE % rows or rows, 1, 3)}
        assert touched(5) == columns_of_chunks
        assert touched((5, 7, 1)) == 1
        assert touched(slice(rows - 1, rows + 1)) == 2 * columns_of_chunks
        assert touched((np.array([3, 1, N_SAMPLE - 1]), 7)) == 2
        assert touched(slice(None)) == rows_of_chunks * columns_of_chunks
        decoded.clear()
        assert np.array_equal(trajectory["b_7"].world.position, values[:, 7])
        assert len(decoded) == rows_of_chunks


def test_the_whole_file_is_decoded_once_for_its_hash(files, many, decoded):
    with h5py.File(files) as file:
        by_hdf5 = {"time"}  # read when the file was opened, by HDF5
        n_chunk = sum(len(file[f"checksums/{name}"]) for name in HEADER.dataset_names if name not in by_hdf5)
    with rigidsim.load(files) as trajectory:
        assert trajectory.content_hash == trajectory.stored_hash == many.content_hash
        assert len(decoded) == n_chunk
        assert trajectory.content_hash == many.content_hash
        assert len(decoded) == n_chunk


def test_a_state_between_samples_takes_two_samples(files, many, decoded):
    with rigidsim.load(files) as trajectory:
        decoded.clear()
        found, expected = trajectory.at(100.2), many.at(100.2)
        assert {shape[0] for shape in decoded} <= {1, 2}
        for name in ("local/position", "world/orientation", "world/velocity"):
            np.testing.assert_array_equal(found.arrays[name], expected.arrays[name])


def chunk_of(path: Path, name: str, number: int) -> slice:
    """The bytes of a chunk in a file."""
    with h5py.File(path) as file:
        info = file[name].id.get_chunk_info(number)
    return slice(info.byte_offset, info.byte_offset + info.size)


@COMPRESSIONS
def test_each_changed_byte_of_a_chunk_is_refused(history, tmp_path, compression):
    path = tmp_path / "a.h5"
    history.save(path, compression=compression)
    chunk = chunk_of(path, "local/velocity", 0)
    with rigidsim.load(path) as trajectory, open(path, "r+b", buffering=0) as file:
        velocity = trajectory.arrays["local/velocity"]
        for place in range(chunk.start, chunk.stop):
            file.seek(place)
            (byte,) = file.read(1)
            for value in (byte ^ 1 << place % 8, byte):
                file.seek(place)
                file.write(bytes([value]))
                if value != byte:
                    with pytest.raises(FormatError, match=f"local/velocity: .*({MESSAGE})"):
                        _ = velocity[:, 0]
        np.testing.assert_array_equal(velocity[:, 0], history["deck"].local.velocity)


def test_an_edit_is_refused_where_it_is_read_and_by_whole_reads(files, tmp_path):
    path = shutil.copyfile(files, tmp_path / "a.h5")
    with h5py.File(path, "r+") as file:
        file["world/position"][500, 7, 1] += 1e-12
        rows = file["world/position"].chunks[0]
    with rigidsim.load(path) as trajectory:
        assert trajectory[LAST].world.position.shape == (N_SAMPLE, 3)
        assert trajectory.arrays["world/position"][500 // rows * rows - 1].shape == (N_BODY, 3)
        for key in ((500, 7), (..., 7, slice(None)), (), slice(None)):
            with pytest.raises(FormatError, match=f"world/position: .*({MESSAGE})") as caught:
                _ = trajectory.arrays["world/position"][key]
            assert caught.value.exit_code == 6
        with pytest.raises(FormatError, match="world/position"):
            _ = trajectory.content_hash


def redescribed(file: h5py.File, trajectory: Trajectory, checksums: dict[str, np.ndarray]) -> None:
    """Make the digest of the description that of these checksums."""
    file.attrs["description_sha256"] = description_digest(
        trajectory.header, "complete", "", str(file.attrs["content_hash"]), checksums, {}
    )


@pytest.fixture
def small_file(files, tmp_path) -> tuple[Path, Trajectory]:
    """A file to change; what it describes, closed."""
    path = shutil.copyfile(files, tmp_path / "a.h5")
    with rigidsim.load(path) as trajectory:
        return path, trajectory


def test_file_without_checksums_is_verified_as_a_whole(small_file, many):
    path, trajectory = small_file
    with h5py.File(path, "r+") as file:
        del file["checksums"]
        redescribed(file, trajectory, {})
    with rigidsim.load(path) as older:
        np.testing.assert_array_equal(older["b_7"].world.velocity, many["b_7"].world.velocity)
        assert older.content_hash == many.content_hash
        for key in (slice(9, 3, -2), [3, 1, 1], (slice(2), -1, [2, 0]), np.array([[1, 2], [3, 4]]), (..., 0)):
            np.testing.assert_array_equal(older.arrays["world/velocity"][key], many.arrays["world/velocity"][key])
    with h5py.File(path, "r+") as file:
        file["world/velocity"][500, 8, 1] += 1e-12
    with rigidsim.load(path) as older, pytest.raises(FormatError, match="world/velocity does not match its sha256"):
        _ = older[LAST].world.velocity


def test_values_that_match_their_checksums_but_not_the_digest(small_file):
    """As after an edit by someone who knows the checksums: found when all is read."""
    path, trajectory = small_file
    with h5py.File(path, "r+") as file:
        file["world/velocity"][500, 8, 1] += 1e-12
        file.flush()
        dataset, sums = file["world/velocity"], {n: file[f"checksums/{n}"][()] for n in HEADER.dataset_names}
        number = tuple(k // step for k, step in zip((500, 8, 1), dataset.chunks, strict=True))
        grid = [-(-n // step) for n, step in zip(dataset.shape, dataset.chunks, strict=True)]
        corner = tuple(k * step for k, step in zip(number, dataset.chunks, strict=True))
        stored = dataset.id.read_direct_chunk(corner)[1]
        sums["world/velocity"].reshape(grid)[number] = int.from_bytes(stored[-4:], "little")
        file["checksums/world/velocity"][...] = sums["world/velocity"]
        redescribed(file, trajectory, sums)
    with rigidsim.load(path) as edited:
        with pytest.raises(FormatError, match="world/velocity does not match its sha256"):
            _ = edited.arrays["world/velocity"][()]
        with pytest.raises(FormatError, match="world/velocity does not match its sha256"):
            _ = edited.content_hash


def replaced(file: h5py.File, values: np.ndarray) -> None:
    del file["checksums/world/velocity"]
    file["checksums/world/velocity"] = values


DAMAGED = {
    "one changed": (lambda f: f["checksums/world/velocity"].__setitem__(3, 7), "does not match description_sha256"),
    "one less": (lambda f: replaced(f, f["checksums/world/velocity"][:-1]), "expected uint32 for each of"),
    "another type": (lambda f: replaced(f, f["checksums/world/velocity"][()] * 1.0), "expected uint32 for each of"),
    "none of an array": (lambda f: f.__delitem__("checksums/world/velocity"), "checksums/world/velocity is missing"),
    "none": (lambda f: f.__delitem__("checksums"), "does not match description_sha256"),
    "vast": (
        lambda f: (
            f.__delitem__("checksums/world/velocity"),
            f.create_dataset("checksums/world/velocity", (2**62,), "u4", chunks=(1,)),
        ),
        "expected uint32 for each of",
    ),
}


@pytest.mark.parametrize(("change", "words"), DAMAGED.values(), ids=DAMAGED)
def test_damaged_checksums_are_refused(small_file, change, words):
    path, _ = small_file
    with h5py.File(path, "r+") as file:
        change(file)
    with pytest.raises(FormatError, match=words):
        rigidsim.load(path)


def test_missing_chunk(in_memory):
    """It has the fill value if it never was one, and is refused if it was."""
    dataset = in_memory.create_dataset("x", (10, 3), "f8", chunks=(4, 3), fillvalue=np.nan, **filters("small"))
    dataset[4:8] = 1.0
    in_memory.flush()
    stored = int.from_bytes(dataset.id.read_direct_chunk((4, 0))[1][-4:], "little")
    found = StoredChunks(dataset, np.array([0, stored, 0], dtype=np.uint32))[3:9, 1]
    np.testing.assert_array_equal(found, [np.nan, 1, 1, 1, 1, np.nan])
    with pytest.raises((OSError, RuntimeError), match="not allocated"):
        _ = StoredChunks(dataset, np.array([7, stored, 0], dtype=np.uint32))[3:9, 1]


@pytest.mark.parametrize("appended", [1, 16, 255, 256, 257, 500])
def test_files_of_any_length_and_status(many, tmp_path, appended):
    """Rows of chunks that are not full, fewer samples than were expected, failed runs."""
    with Writer(tmp_path / "b.h5", HEADER, 700) as writer:
        writer.append_arrays({name: many.arrays[name][:appended] for name in HEADER.dataset_names})
        writer.finish("failed", "too fast")
    with rigidsim.load(tmp_path / "b.h5") as loaded:
        for name in ("world/position", "diagnostics/work", "diagnostics/linear_momentum", "local/orientation"):
            np.testing.assert_array_equal(loaded.arrays[name][-1], many.arrays[name][appended - 1])
            np.testing.assert_array_equal(loaded.arrays[name][: appended - 1], many.arrays[name][: appended - 1])
        assert loaded.content_hash == loaded.stored_hash


def test_other_filters_are_verified_as_a_whole(small_file, many):
    """Of a file whose arrays were packed anew by other means, which keep neither chunks nor filters."""
    path, _ = small_file
    with h5py.File(path, "r+") as file:
        values, attributes = file["world/velocity"][()], dict(file["world/velocity"].attrs)
        grid, rows = file["world/velocity"].chunks, file["checksums/world/velocity"].shape
        del file["world/velocity"]
        packed = file.create_dataset("world/velocity", data=values, chunks=grid, compression="gzip")
        packed.attrs["sha256"] = attributes["sha256"]
        assert rows == file["checksums/world/velocity"].shape
    with rigidsim.load(path) as loaded:
        np.testing.assert_array_equal(loaded["b_7"].world.velocity, many["b_7"].world.velocity)
    with h5py.File(path, "r+") as file:
        file["world/velocity"][500, 8, 1] += 1e-12
    with rigidsim.load(path) as loaded, pytest.raises(FormatError, match="world/velocity does not match its sha256"):
        _ = loaded[LAST].world.velocity


def test_plain_readers(files, many):
    values = many.arrays["world/orientation"]
    with h5py.File(files) as file:
        np.testing.assert_array_equal(file["world/orientation"][()], values)
    h5netcdf = pytest.importorskip("h5netcdf")
    with h5netcdf.File(files) as file:
        np.testing.assert_array_equal(file["world"].variables["orientation"][...], values)
        assert file["checksums/world"].variables["orientation"].dtype == np.uint32
    if files.stem != "small":
        return  # xarray reads them through h5netcdf
    xarray = pytest.importorskip("xarray")
    for group in (None, "local", "world", "diagnostics", "checksums", "checksums/world"):
        with xarray.open_dataset(files, engine="h5netcdf", group=group) as dataset:
            dataset.load()
    with xarray.open_datatree(files, engine="h5netcdf") as tree:
        np.testing.assert_array_equal(tree["world/orientation"].values, values)


@pytest.mark.skipif(not shutil.which("h5dump"), reason="h5dump is not installed")
def test_h5dump(files, many, tmp_path):
    """HDF5's own program, another version of the library, without plugins."""
    command = ["h5dump", "-d", "/world/orientation", "-b", "LE", "-o", tmp_path / "x.bin", files]
    subprocess.run(command, check=True, capture_output=True, timeout=60, env={"HDF5_PLUGIN_PRELOAD": "::"})
    found = np.fromfile(tmp_path / "x.bin", "<f8").reshape(N_SAMPLE, N_BODY, 4)
    np.testing.assert_array_equal(found, many.arrays["world/orientation"])
