"""Writing the HDF5 file: chunk by chunk to a temporary file, which is renamed when it is complete."""

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
from rigidsim.trajectory.destination import IN_PYTHON, Hints, as_storage_error, check_output, is_replaceable
from rigidsim.trajectory.digests import content_hash, description_digest
from rigidsim.trajectory.events import Event
from rigidsim.trajectory.fields import Block, fields
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.provenance import provenance
from rigidsim.trajectory.spool import Spool
from rigidsim.trajectory.structure import CHUNK_ROWS, create, write_events


class Recovered(NamedTuple):
    """The part of a file that was saved after a failed write."""

    path: Path
    samples: int
    time: float  # of the last sample, s


class Writer:
    """An open trajectory file, used as a context manager. Without `finish` or `recover`, it is removed at the end."""

    def __init__(
        self, path: str | Path, header: Header, n_sample: int, *, force: bool = False, hints: Hints = IN_PYTHON
    ):
        self.path = file_path(path, "the trajectory's file")
        self._force, self._rows, self._events = force, 0, ()
        check_output(self.path, force, hints)
        self._header = header if header.provenance else replace(header, provenance=provenance())
        self._digests = {name: hashlib.sha256() for name in header.dataset_names}
        self._fields = fields(header.with_terms)
        with as_storage_error(self.path):
            self._spool = Spool(self.path)
            self._file = h5py.File(self._spool, "w", libver=("v108", "v110"), track_order=True)
        try:
            with as_storage_error(self.path):
                self._create(max(n_sample, 1))
                self._spool.check()
        except BaseException:
            self.__exit__()
            raise

    def _create(self, n_sample: int) -> None:
        create(self._file, self._header, n_sample)
        self._room, self._datasets = n_sample, {name: self._file[name].id for name in self._digests}
        self._file.flush()  # fails now if there is no space for this

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
        self.discard()

    def _close(self) -> None:
        """Close the HDF5 file, ignoring errors."""
        if self._file:
            with contextlib.suppress(OSError, RuntimeError):
                self._file.close()

    @property
    def is_published(self) -> bool:
        """Whether the file has its final name."""
        return self._spool.closed

    def discard(self) -> None:
        """Remove an unfinished file."""
        self._spool.discard()

    def append(self, block: Block) -> None:
        """Append samples."""
        self.append_arrays({"time": block.time, **{f.name: f.of(block) for f in self._fields}})

    def append_arrays(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Append samples, given by dataset name."""
        count, begin = len(arrays["time"]), 0
        with as_storage_error(self.path):
            while begin < count:
                end = min(count, begin + CHUNK_ROWS - self._rows % CHUNK_ROWS)
                self._append({name: array[begin:end] for name, array in arrays.items()}, end - begin)
                begin = end

    def _append(self, arrays: Mapping[str, np.ndarray], count: int) -> None:
        """Append samples up to the end of a chunk at most; a full chunk is a restore point."""
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
        """Close the file with this status (complete, interrupted or failed) and rename it to its final path.

        Raises StorageError if that path exists by then, after saving to another path, which the message contains.
        """
        with as_storage_error(self.path):
            self._finalize(status, message, events)
            replacing = self._force and (not self.path.exists() or is_replaceable(self.path))
            found = self._spool.publish(replacing)
        if found != self.path:
            raise StorageError(
                f"{self.path} was written by another process during the run; the trajectory was saved as {found}"
            )

    def recover(self, message: str, events: Sequence[Event] = ()) -> Recovered | None:
        """After a failed write: save the complete chunks that leave space to complete the file, with status failed.

        An existing file is not overwritten, even with `force`: the recovered one gets another name. None if not even
        the first chunk can be saved.
        """
        self._close()
        while note := self._spool.roll_back():
            with contextlib.suppress(OSError, RuntimeError):
                self._rows, self._digests = note
                self._file = h5py.File(self._spool, "r+")
                time = float(self._file["time"][self._rows - 1])
                self._finalize("failed", message, [event for event in events if event.time <= time])
                return Recovered(self._spool.publish(replace=False), self._rows, time)
            self._close()
        return None

    def _finalize(self, status: str, message: str, events: Sequence[Event]) -> None:
        """Write events, digests and status, and close."""
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
    """`dataset[begin:begin + len(values)] = values` by the low-level API, which saves 0.3 ms."""
    where = dataset.get_space()
    where.select_hyperslab((begin, *(0 for _ in values.shape[1:])), values.shape)
    dataset.write(h5py.h5s.create_simple(values.shape), where, values)
