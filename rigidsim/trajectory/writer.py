"""Writing the HDF5 file: chunk by chunk into a spool, which becomes the file when it is whole."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import h5py
import numpy as np

from rigidsim.arguments import file_path
from rigidsim.errors import StorageError
from rigidsim.trajectory.destination import IN_PYTHON, Advice, check_output, is_replaceable, plainly
from rigidsim.trajectory.digests import content_hash, description_digest
from rigidsim.trajectory.events import Event
from rigidsim.trajectory.fields import Block, fields
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.provenance import provenance
from rigidsim.trajectory.spool import Spool
from rigidsim.trajectory.structure import CHUNK_ROWS, create, write_events


class Rescued(NamedTuple):
    """What is left of a file that could not be written to its end."""

    path: Path
    samples: int
    time: float  # of the last sample, s


class Writer:
    """An open trajectory file. Use as a context manager: left without `finish` or `rescue`, nothing stays on disk."""

    def __init__(
        self, path: str | Path, header: Header, n_sample: int, *, force: bool = False, advice: Advice = IN_PYTHON
    ):
        self.path = file_path(path, "the trajectory's file")
        self._force, self._rows, self._events = force, 0, ()
        check_output(self.path, force, advice)
        self._header = header if header.provenance else replace(header, provenance=provenance())
        self._digests = {name: hashlib.sha256() for name in header.dataset_names}
        self._fields = fields(header.with_terms)
        with plainly(self.path):
            self._spool = Spool(self.path)
            self._file = h5py.File(self._spool, "w", libver=("v108", "v110"), track_order=True)
        try:
            with plainly(self.path):
                self._create(max(n_sample, 1))
                self._spool.check()
        except BaseException:
            self.__exit__()
            raise

    def _create(self, n_sample: int) -> None:
        create(self._file, self._header, n_sample)
        self._room, self._datasets = n_sample, {name: self._file[name].id for name in self._digests}
        self._file.flush()  # if there is no room for this, better now than at the end

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
        self.discard()

    def _close(self) -> None:
        """Close what HDF5 has open, whatever became of it."""
        if self._file:
            with contextlib.suppress(OSError, RuntimeError):
                self._file.close()

    @property
    def is_published(self) -> bool:
        """Whether the file has a name of its own by now."""
        return self._spool.closed

    def discard(self) -> None:
        """Remove what is not finished."""
        self._spool.discard()

    def append(self, block: Block) -> None:
        """Add samples."""
        self.append_arrays({"time": block.time, **{f.name: f.of(block) for f in self._fields}})

    def append_arrays(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Add samples, given by dataset name."""
        count, begin = len(arrays["time"]), 0
        with plainly(self.path):
            while begin < count:
                end = min(count, begin + CHUNK_ROWS - self._rows % CHUNK_ROWS)
                self._append({name: array[begin:end] for name, array in arrays.items()}, end - begin)
                begin = end

    def _append(self, arrays: Mapping[str, np.ndarray], count: int) -> None:
        """Add samples up to the end of a chunk at most. The file is whole, and can be come back to, after each."""
        begin, end = self._rows, self._rows + count
        for name, array in arrays.items():
            dataset, values = self._datasets[name], np.ascontiguousarray(array, dtype=np.float64)
            if end > self._room:
                dataset.set_extent((end, *values.shape[1:]))
            _write_rows(dataset, begin, values)
            self._digests[name].update(values)
            self._spool.check()
        self._room = max(self._room, end)
        self._rows = end
        if end % CHUNK_ROWS == 0:
            self._file.flush()
            self._spool.mark((end, {name: digest.copy() for name, digest in self._digests.items()}))

    def finish(self, status: str, message: str = "", events: Sequence[Event] = ()) -> None:
        """Close the file with this status (complete, interrupted or failed) and give it its name.

        Raises StorageError if that name cannot be had, after the file was given another one, which the message tells.
        """
        with plainly(self.path):
            self._seal(status, message, events)
            replacing = self._force and (not self.path.exists() or is_replaceable(self.path))
            found = self._spool.publish(replacing)
        if found != self.path:
            raise StorageError(f"{self.path} was written by another process meanwhile; the trajectory lies in {found}")

    def rescue(self, message: str, events: Sequence[Event] = ()) -> Rescued | None:
        """After a write that failed: keep the whole chunks that leave room for the end of the file, with status failed.

        A file that was to be replaced is not: what is kept then has another name. None, and nothing is kept, if not
        even the first chunks fitted.
        """
        self._close()
        while note := self._spool.roll_back():
            with contextlib.suppress(OSError, RuntimeError):
                self._rows, self._digests = note
                self._file = h5py.File(self._spool, "r+")
                time = float(self._file["time"][self._rows - 1])
                self._seal("failed", message, [event for event in events if event.time <= time])
                return Rescued(self._spool.publish(replace=False), self._rows, time)
            self._close()
        return None

    def _seal(self, status: str, message: str, events: Sequence[Event]) -> None:
        """Write what is known at the end only, and close."""
        self._events = tuple(events)
        if events:
            write_events(self._file, events)
        for name, digest in self._digests.items():
            self._file[name].resize(self._rows, axis=0)
            self._file[name].attrs["sha256"] = digest.hexdigest()
        root = self._file.attrs
        root["status"], root["message"], root["content_hash"] = status, message, self.content_hash
        root["description_sha256"] = description_digest(self._header, status, message, self.content_hash)
        self._file.close()
        self._spool.check()

    @property
    def content_hash(self) -> str:
        """See `Trajectory.content_hash`."""
        rows = {name: digest.digest() for name, digest in self._digests.items()}
        return content_hash(self._header.paths, rows, self._events)


def _write_rows(dataset: h5py.h5d.DatasetID, begin: int, values: np.ndarray) -> None:
    """As `dataset[begin:begin + len(values)] = values`, without the third of a millisecond that this costs."""
    where = dataset.get_space()
    where.select_hyperslab((begin, *(0 for _ in values.shape[1:])), values.shape)
    dataset.write(h5py.h5s.create_simple(values.shape), where, values)
