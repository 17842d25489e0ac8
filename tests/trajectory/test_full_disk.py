"""A disk that fills while a file is written: whatever the moment, what is kept is whole, and HDF5 never knows."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

import rigidsim
from contact_logs import history_of
from rigidsim.errors import StorageError
from rigidsim.report.inspect import Inspection
from rigidsim.trajectory import Trajectory
from rigidsim.trajectory.chunks import MOST_ROWS, chunk_rows
from rigidsim.trajectory.fields import EVENT_NAMES, POINT_NAMES, SIDE_NAMES, sample_bytes
from rigidsim.trajectory.spool import Spool
from rigidsim.trajectory.writer import Writer

N_CHUNK = 3
SCENE = {
    "format": "rigidsim/1",
    "simulation": {"duration": 5.325, "step": 1e-3},
    "bodies": {
        "car": {
            "mass": 2,
            "inertia": {"principal": [0.5, 0.6, 0.7]},
            "angular_velocity": [0.1, 2, 0.3],
            "impulses": [{"time": 1, "impulse": [0, 1, 0]}, {"time": 5, "impulse": [0, 1, 0]}],
            "children": {"bag": {"mass": 1, "inertia": "point", "position": [0, 1, 0], "velocity": [0.1, 0, 0]}},
        }
    },
    "reparent": [{"body": "car/bag", "to": "world", "time": 4.5}],
}


@pytest.fixture(scope="module", params=[False, True], ids=["", "terms"])
def history(request):
    """More than one chunk; its last events come after the first one."""
    return rigidsim.simulate(rigidsim.Scene.from_dict(SCENE), terms=request.param)


def long(history: Trajectory) -> dict[str, np.ndarray]:
    """Its arrays, repeated to some chunks and a rest."""
    count = N_CHUNK * MOST_ROWS + 100
    arrays = {name: history.arrays[name] for name in history.header.dataset_names}
    arrays = {name: np.resize(array, (count, *array.shape[1:])) for name, array in arrays.items()}
    return arrays | {"time": np.arange(count) * 1e-3}


@pytest.fixture
def fill_after(monkeypatch):
    """`fill_after(n)`: files grow no further than n bytes; a write that goes beyond is cut there, and fails."""

    def limit(size: int) -> None:
        def full(self, begin, whole):
            write(self, begin, whole[: max(size - begin, 0)])
            if begin + len(whole) > size:
                raise OSError(28, "No space left on device")

        monkeypatch.setattr(Spool, "_write_all", full)

    write = Spool._write_all
    yield limit


def written(path, history, arrays) -> int | None:
    """Write and, if that fails, recover: the number of samples saved, None if all are."""
    with Writer(path, history.header, len(arrays["time"])) as writer:
        try:
            writer.append_arrays(arrays)
            writer.finish("complete", "", history.events)
        except StorageError as error:
            kept = writer.recover(str(error), history.events)
            return kept.samples if kept else 0
    return None


def check(path, history, arrays, samples: int) -> None:
    """By rigidsim and by plain h5py."""
    with rigidsim.load(path) as trajectory:
        assert (trajectory.status, len(trajectory.time)) == ("failed", samples)
        assert trajectory.message == f"cannot write {path}: No space left on device"
        assert trajectory.content_hash == trajectory.stored_hash
        assert trajectory.events == tuple(event for event in history.events if event.time <= trajectory.time[-1])
        Inspection.of(trajectory, path, verify=True)
    with h5py.File(path) as file:
        for name in history.header.dataset_names:
            np.testing.assert_array_equal(file[name][()], arrays[name][:samples])


def size_of_whole(path, history, arrays) -> int:
    assert written(path, history, arrays) is None
    size = path.stat().st_size
    path.unlink()
    return size


def outcomes(history, folder, fill_after, n_limit: int) -> list[int | None]:
    """Samples kept for limits from the size of an empty file to that of a whole one."""
    arrays, path, found = long(history), folder / "a.h5", []
    whole = size_of_whole(path, history, arrays)
    for limit in np.linspace(150_000, whole + 10_000, n_limit, dtype=int):
        fill_after(int(limit))
        found.append(written(path, history, arrays))
        if found[-1]:
            check(path, history, arrays, found[-1])
        assert path.exists() == (found[-1] != 0)
        path.unlink(missing_ok=True)
        assert not list(folder.iterdir())
    return found


def test_what_fitted_is_kept(history, tmp_path, fill_after):
    found = outcomes(history, tmp_path, fill_after, 6)
    assert set(found) >= {MOST_ROWS, 2 * MOST_ROWS, None}
    assert found == sorted(found, key=lambda kept: np.inf if kept is None else kept)  # more room, more samples


@pytest.mark.slow
def test_what_fitted_is_kept_at_any_limit(history, tmp_path, fill_after):
    found = outcomes(history, tmp_path, fill_after, 120)
    assert set(found) == {0, *(n * MOST_ROWS for n in range(1, N_CHUNK + 1)), None}


def test_chunks_make_room_for_the_end_of_the_file(history, tmp_path, fill_after):
    """The arrays of bodies at rest take next to nothing: more than one chunk must give way to what is written last."""
    rows = 10 * MOST_ROWS
    arrays = {name: np.zeros((rows, *history.arrays[name].shape[1:])) for name in history.header.dataset_names}
    arrays["time"] = np.arange(rows) * 1e-3
    path = tmp_path / "a.h5"
    whole = size_of_whole(path, history, arrays)
    fill_after(whole - 30_000)
    kept = written(path, history, arrays)
    assert kept
    assert kept < rows
    check(path, history, arrays, kept)


def test_disk_that_stays_full_keeps_nothing(history, tmp_path, monkeypatch):
    def broken(*_):
        raise OSError(5, "Input/output error")

    arrays = long(history)
    with Writer(tmp_path / "a.h5", history.header, len(arrays["time"])) as writer:
        writer.append_arrays({name: array[: MOST_ROWS + 5] for name, array in arrays.items()})
        monkeypatch.setattr(Spool, "_write_all", broken)
        with pytest.raises(StorageError, match="Input/output error"):
            writer.append_arrays({name: array[MOST_ROWS + 5 :] for name, array in arrays.items()})
        assert writer.recover("it broke") is None
    assert not list(tmp_path.iterdir())


def touched() -> tuple[Trajectory, dict[str, np.ndarray]]:
    """A trajectory with contact, made long: contact points at most samples, and events of contact."""
    short, count = history_of(contacts=True), N_CHUNK * MOST_ROWS + 100
    number, choice = np.arange(count) % 4, np.random.default_rng(1)
    rows = dict.fromkeys(POINT_NAMES, int(number.sum())) | dict.fromkeys(EVENT_NAMES, 3000)
    rows |= {name: len(short.arrays[name]) for name in SIDE_NAMES}
    arrays = {name: np.resize(a, (rows.get(name, count), *a.shape[1:])) for name, a in short.arrays.items()}
    arrays["contacts/force"] = choice.normal(size=arrays["contacts/force"].shape)
    arrays |= {"time": np.arange(count) * 1e-3, "contacts/count": number}
    arrays["events/time"] = np.linspace(0.0, count * 1e-3, rows[EVENT_NAMES[0]])
    whole = Trajectory(short.header, arrays)
    return whole, {name: arrays[name] for name in short.header.dataset_names}


def test_tables_of_contact_stay_whole(tmp_path, fill_after):
    history, arrays = touched()
    path, found = tmp_path / "a.h5", []
    row = chunk_rows(len(arrays["time"]), sample_bytes(len(history), with_terms=False))
    for limit in np.linspace(0.4, 1.05, 4) * size_of_whole(path, history, arrays):
        fill_after(int(limit))
        found.append(written(path, history, arrays))
        if found[-1]:
            with rigidsim.load(path) as kept:
                assert len(kept.time) == found[-1] and kept.content_hash == kept.stored_hash
                assert kept.events == history.events.between(0.0, kept.time[-1])
                rows = arrays["contacts/count"][: found[-1]].sum()
                for name in POINT_NAMES:
                    np.testing.assert_array_equal(kept.arrays[name], arrays[name][:rows])
                assert len(kept.contacts[-1]) == arrays["contacts/count"][found[-1] - 1]
        path.unlink(missing_ok=True)
    assert found[-1] is None
    assert found[:-1] == sorted(set(found[:-1]))
    assert [kept % row for kept in found[:-1]] == [0, 0, 0]
