"""Writing the HDF5 file: chunk by chunk to a temporary file, which is renamed when it is complete."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import h5py
import numpy as np

from rigidsim.arguments import file_path, one_of
from rigidsim.errors import FormatError
from rigidsim.trajectory.checkpoint import NOTHING, Arrays, Unfinished, joined, write_checkpoint
from rigidsim.trajectory.chunks import DEFAULT, LEVELS, checksum, chunk_rows
from rigidsim.trajectory.contact_ledger import DESCRIBED, LEDGER, ContactLedger
from rigidsim.trajectory.derivatives import Derivative, write_derivatives
from rigidsim.trajectory.destination import IN_PYTHON, TRAJECTORY, Hints, as_storage_error, check_output
from rigidsim.trajectory.digests import (
    content_hash,
    description_digest,
    digest_of_begin,
    digest_of_summary,
    digests_of_events,
)
from rigidsim.trajectory.encoding import Chunked, Encoded, Encoder, Staging
from rigidsim.trajectory.events import Events
from rigidsim.trajectory.extremes import write_extremes
from rigidsim.trajectory.fields import COUNT, POINT_NAMES, Block, sample_bytes
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.provenance import provenance
from rigidsim.trajectory.spool import Spool
from rigidsim.trajectory.stored import as_format_error, opened
from rigidsim.trajectory.structure import (
    FORMAT,
    JOINTED,
    LOOPED,
    SENSED,
    create,
    is_as_created,
    write_checksums,
    write_metrics,
    write_summary,
)
from rigidsim.trajectory.tables import complete_points, complete_readings, create_tables, write_events

NO_METRICS: Mapping[str, float] = MappingProxyType({})


class Recovered(NamedTuple):
    """The part of a file that was saved after a failed write."""

    path: Path
    samples: int
    time: float  # of the last sample, s


class Writer:
    """An open trajectory file, used as a context manager. Without `finish` or `recover`, it is removed at the end.

    The file is written in rows of chunks: `chunk_rows` samples of all datasets. One row is encoded in the background
    while the caller computes the next; then it is written, and the file marked. After `commit`, what a killed
    process leaves can be opened by `reopened`.
    """

    _spool: Spool
    _encoder: Encoder | None
    _file: Any

    def __init__(
        self,
        path: str | Path,
        header: Header,
        n_sample: int,
        *,
        force: bool = False,
        compression: str = DEFAULT,
        hints: Hints = IN_PYTHON,
    ):
        self._compression = one_of(compression, LEVELS, "compression")
        with self._opening(path, force, hints, keep=False):
            self._file = h5py.File(self._spool, "w", libver=("v108", "v110"), track_order=True)
            header = header if header.provenance else replace(header, provenance=provenance())
            self._begin_with(header, chunk_rows(n_sample, sample_bytes(len(header.paths), header.with_terms)))
            create(self._file, header, max(n_sample, 1), self.chunk_rows, self._compression)
            create_tables(self._file, header, max(n_sample, 1), self.chunk_rows, self._compression)
            self._use_datasets()
            self._file.flush()  # fails now if there is no space for this

    @contextlib.contextmanager
    def _opening(self, path: str | Path, force: bool, hints: Hints, keep: bool) -> Iterator[None]:
        """Open the temporary file; with `keep`, as it is. After an exception it is closed."""
        self.path, self._force = file_path(path, "the trajectory's file"), force
        self._encoder = None
        self._file = None
        check_output(self.path, TRAJECTORY, force, hints, keeps_unfinished=keep)
        with as_storage_error(self.path):
            self._spool = Spool(self.path, keep)
        try:
            with as_storage_error(self.path):
                yield
                self._spool.check()
        except BaseException:
            self.__exit__()
            raise

    def _begin_with(self, header: Header, rows: int) -> None:
        """Begin without samples."""
        self._header, self._events, self.chunk_rows = header, Events(header), rows
        self._digests = {name: hashlib.sha256() for name in header.dataset_names}
        self._rows = dict.fromkeys(self._digests, 0)
        self._checksums: dict[str, list[np.ndarray]]
        self._checksums = {name: [] for name in self._digests if name not in header.table_names}
        self._largest: dict[str, np.ndarray] = {}
        self._staging = Staging(rows)
        self._points: list[Mapping[str, np.ndarray]] = []  # of the samples that are staged
        self._checkpoint: Arrays = NOTHING  # of the run, after the samples that were appended

    @classmethod
    def reopened(cls, path: str | Path, *, force: bool = False, hints: Hints = IN_PYTHON) -> tuple[Writer, Unfinished]:
        """The file of a killed process, to go on with it as it was at its last commit."""
        writer = cls.__new__(cls)
        with writer._opening(path, force, hints, keep=True):
            left = Unfinished(writer._spool.restore())
            if left.is_finished:
                return writer, left
            with as_format_error(writer._spool.path):
                return writer, writer._restored(left)

    def _restored(self, left: Unfinished) -> Unfinished:
        """Take over what was written and what was still to be written. Raises FormatError, and what h5py raises, if any
        of it is damaged: chunks have checksums of HDF5, the description has a digest in the checkpoint.
        """
        from rigidsim.trajectory.checks import changes_in, header_in  # here, to keep other runs fast

        events = {f"events/{name}": column for name, column in left.group("events").items()}
        # HDF5 might read damaged texts for ever.
        with contextlib.closing(opened(self._spool.path, lock=False)) as guarded:
            if (begun := str(guarded.file.attrs["format"])) not in (FORMAT, JOINTED, LOOPED, SENSED):
                raise FormatError(
                    f"{self.path} was begun by another version of rigidsim, in {begun}; `rigidsim recover` of that"
                    " version saves what there is, --force begins again"
                )
            header = header_in(guarded.file, self.path, changes_in(events))
        if _digest_of(header) != str(left.arrays["description"]):
            raise FormatError(f"{self._spool.path} is damaged: its description is not that of its checkpoint")
        self._file = h5py.File(self._spool, "r+")
        metrics = {name: str(expression) for name, expression in left.group("expressions").items()}
        units = {name: str(unit) for name, unit in left.group("metric_units").items()}
        header = replace(header, metrics=metrics, metric_units=units)
        self._begin_with(header, self._file["time"].chunks[0])
        self._compression = str(left.arrays["compression"])
        self._rows = {name: int(rows) for name, rows in left.group("rows").items()}
        self._largest, self._checkpoint = left.group("largest"), left.group("run")
        self._checksums |= {name: list(sums) for name, sums in left.group("checksums").items()}
        self._check_datasets()
        for name, rows in self._rows.items():
            self._digests[name] = digest_of_begin(header, name, self._file[name], rows)
        self._use_datasets()
        if staged := left.group("staged"):
            self._staging.add(staged)
        if points := left.group("points"):
            self._points = [points]
        return left._replace(header=header, events=Events(header, events))

    def _check_datasets(self) -> None:
        """Raise FormatError unless chunks that are encoded here fit those of the file."""
        for name in self._checksums:
            compression = "none" if name == "time" else self._compression
            if not is_as_created(self._file[name], self.chunk_rows, compression):
                reason = f"{name} is not stored in the chunks of its checkpoint"
                raise FormatError(f"{self._spool.path} is damaged: {reason}")

    def commit(
        self, events: Events, metrics: Mapping[str, float] = NO_METRICS, contact_ledger: ContactLedger | None = None
    ) -> None:
        """Make all samples that were appended, and what `finish` gets, that which a killed process leaves."""
        with as_storage_error(self.path):
            self._write(self._its_encoder.take())
            self._file.flush()
            names = self._points[0] if self._points else ()
            points = {name: np.concatenate([columns[name] for columns in self._points]) for name in names}
            arrays = joined({
                "run": self._checkpoint,
                "events": {name.removeprefix("events/"): column for name, column in events.columns.items()},
                "metrics": metrics,
                "expressions": self._header.metrics,
                "metric_units": self._header.metric_units,
                "ledger": asdict(contact_ledger) if contact_ledger else {},
                "rows": self._rows,
                "largest": self._largest,
                "checksums": self._checksums,
                "staged": self._staging.present,
                "points": points,
            })  # fmt: skip
            description = {
                "compression": np.array(self._compression),
                "description": np.array(_digest_of(self._header)),
            }
            self._spool.commit(arrays | description)

    def _use_datasets(self) -> None:
        self._datasets = {name: self._file[name].id for name in self._digests}
        layout = {
            name: Chunked.of(self._file[name], self._compression, self._header.recorded_rows(name))
            for name in self._checksums
        }
        self._encoder = Encoder(layout, self._digests)

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
        self.discard()

    def _close(self) -> None:
        """End what works in the background, and close the HDF5 file, ignoring errors."""
        if self._encoder:
            self._encoder.close()
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
        """Append samples. The arrays of the block must not change before the next call returns."""
        samples = {f.name: f.of(block) for f in self._header.fields}
        self._checkpoint = block.checkpoint
        self.append_arrays({"time": block.time, **samples, **block.contacts, **block.readings})

    def append_arrays(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Append samples, given by dataset name; with the contact points of these samples, if they are recorded, and
        what was sampled by sensors and controllers up to then. The arrays must not change before the next call returns.
        """
        count, begin = len(arrays["time"]), 0
        points = np.concatenate([[0], np.cumsum(arrays.get(COUNT, np.zeros(count, dtype=np.int64)))])
        arrays = {name: np.asarray(array, dtype=self._datasets[name].dtype) for name, array in arrays.items()}
        with as_storage_error(self.path):
            read = {name: arrays[name] for table in self._header.readings for name in table.names if name in arrays}
            if read and count == 0:
                self._points.append({name: arrays[name][:0] for name in POINT_NAMES if name in arrays} | read)
            if count < self._staging.missing:
                # No other row is begun below: that one must not outlive this call.
                self._write(self._its_encoder.take())
            while begin < count:
                end = min(count, begin + self._staging.missing)
                rows, point_rows = slice(begin, end), slice(points[begin], points[end])
                points_of = {name: arrays[name][point_rows] for name in POINT_NAMES if name in arrays}
                self._points.append(points_of | read)
                read = {name: values[:0] for name, values in read.items()}  # the first part of these samples has all
                full = self._staging.add({name: arrays[name][rows] for name in self._checksums})
                if full:
                    done = self._its_encoder.take()
                    self._begin(full, NOTHING if end < count else self._checkpoint)  # one after these samples
                    self._write(done)
                begin = end

    @property
    def _its_encoder(self) -> Encoder:
        """The encoder of a file that is being written."""
        assert self._encoder is not None
        return self._encoder

    def _begin(self, samples: Mapping[str, np.ndarray], checkpoint: Arrays) -> None:
        """Begin to encode a row of chunks; the checkpoint is one after its samples."""
        self._its_encoder.begin(samples, self._points, checkpoint)
        self._points = []

    def _write(self, row: tuple[dict[str, Encoded], tuple] | None) -> None:
        """Write a row of chunks, if there is one, and mark the file."""
        if row is None:
            return
        encoded, (points, checkpoint) = row
        for name in list(encoded):
            self._write_chunks(name, encoded.pop(name))  # its memory is free for the chunks in work
        for columns in points:
            for name, values in columns.items():
                self._append(name, values)
        self._spool.check()
        if self._rows["time"] % self.chunk_rows == 0:
            self._file.flush()
            self._spool.mark((self._rows.copy(), self._digests.copy(), self._largest.copy(), checkpoint))

    def _write_chunks(self, name: str, encoded: Encoded) -> None:
        dataset, first, end = self._datasets[name], self._rows[name], self._rows[name] + encoded.count
        if end > dataset.shape[0]:
            dataset.set_extent((end, *dataset.shape[1:]))
        sums = np.zeros(encoded.grid, dtype=np.uint32)
        for chunk in encoded.chunks:
            dataset.write_direct_chunk((first, *chunk.corner), chunk.data)
            sums[chunk.number] = checksum(chunk.data)
        self._checksums[name].append(sums)
        self._rows[name], self._digests[name] = end, encoded.digest
        if encoded.largest is not None:
            self._largest[name] = np.maximum(self._largest.get(name, encoded.largest), encoded.largest)

    def _append(self, name: str, values: np.ndarray) -> None:
        """Append rows to a table, whose chunks are made by HDF5."""
        dataset, begin = self._datasets[name], self._rows[name]
        values, end = np.ascontiguousarray(values, dtype=dataset.dtype), begin + len(values)
        if end > dataset.shape[0]:
            dataset.set_extent((end, *values.shape[1:]))
        if len(values):
            _write_rows(dataset, begin, values)
            self._digests[name] = digest = self._digests[name].copy()
            digest.update(np.ascontiguousarray(values).data)
        self._rows[name] = end

    def _write_rest(self) -> None:
        """Write all samples that were appended."""
        self._write(self._its_encoder.take())
        if self._staging.count:
            # HDF5 must not cut a chunk: it would encode it again.
            self._resize(self._rows["time"] + self._staging.count)
            self._begin(self._staging.take(), self._checkpoint)
            self._write(self._its_encoder.take())

    def _resize(self, n_sample: int) -> None:
        for name in self._checksums:
            dataset = self._datasets[name]
            dataset.set_extent((n_sample, *dataset.shape[1:]))

    def finish(
        self,
        status: str,
        message: str = "",
        events: Events | None = None,
        metrics: Mapping[str, float] = NO_METRICS,
        contact_ledger: ContactLedger | None = None,
        derivatives: Mapping[str, Derivative] = MappingProxyType({}),
    ) -> None:
        """Close the file with this status (complete, interrupted or failed) and rename it to its final path; `metrics`
        are the values of those in the header; `contact_ledger` is None if nothing can touch.

        Raises StorageError if that path exists by then, after saving to another path, which the message contains.
        """
        with as_storage_error(self.path):
            if status == "failed":
                self._checkpoint = NOTHING  # it would fail again
            self._write_rest()
            self._finalize(status, message, events, metrics, contact_ledger, derivatives)
        self.publish()

    def publish(self) -> None:
        """Give a closed file its final path."""
        with as_storage_error(self.path):
            self._spool.publish_as(TRAJECTORY, self._force)

    def recover(self, message: str, events: Events | None = None) -> Recovered | None:
        """After a failed write: save the complete chunks that leave space to complete the file, with status failed.

        An existing file is not overwritten, even with `force`: the recovered one gets another name. None if not even
        the first chunk can be saved.
        """
        self._close()
        while note := self._spool.roll_back():
            with contextlib.suppress(OSError, RuntimeError):
                kept: Any = note
                self._rows, self._digests, self._largest, self._checkpoint = kept
                self._file = h5py.File(self._spool, "r+")
                self._datasets = {name: self._file[name].id for name in self._digests}
                samples = self._rows["time"]
                time = float(self._file["time"][samples - 1])
                self._finalize("failed", message, events and events.between(0.0, time))
                return Recovered(self._spool.publish(replace=False), samples, time)
            self._close()
        return None

    def _finalize(
        self,
        status: str,
        message: str,
        events: Events | None,
        metrics: Mapping[str, float] = NO_METRICS,
        contact_ledger: ContactLedger | None = None,
        derivatives: Mapping[str, Derivative] = MappingProxyType({}),
    ) -> None:
        """Write events, metrics, the ledger of contact, digests and status, and close."""
        self._events = Events(self._header, events.columns if events else None)
        write_events(self._file, self._events.columns, digests_of_events(self._header, self._events), self._compression)
        self._resize(self._rows["time"])
        for name, digest in self._digests.items():
            self._file[name].attrs["sha256"] = digest.hexdigest()
        if self._header.with_contacts:
            complete_points(self._file, self._rows[POINT_NAMES[0]])
        complete_readings(self._file, self._header, self._rows)
        checksums = self._all_checksums()
        write_checksums(self._file, checksums)
        write_metrics(self._file, self._header, metrics)
        write_extremes(self._file, self._largest, self.content_hash)
        if contact_ledger:
            values = {name: np.asarray(getattr(contact_ledger, name), np.float64) for name in DESCRIBED}
            write_summary(self._file, LEDGER, DESCRIBED, values, digest_of_summary(values, self.content_hash))
        write_derivatives(self._file, derivatives, self.content_hash)
        write_checkpoint(self._file, self._checkpoint, self.content_hash)
        root = self._file.attrs
        root["status"], root["message"], root["content_hash"] = status, message, self.content_hash
        root["description_sha256"] = description_digest(
            self._header, status, message, self.content_hash, checksums, metrics
        )
        self._file.close()
        self._spool.check()

    def _all_checksums(self) -> dict[str, np.ndarray]:
        """The checksums of the chunks of each dataset of samples, in the order of the chunks."""
        n_row = -(-self._rows["time"] // self.chunk_rows)
        return {name: np.concatenate([r.ravel() for r in rows[:n_row]]) for name, rows in self._checksums.items()}

    @property
    def content_hash(self) -> str:
        """See `Trajectory.content_hash`."""
        rows = {name: digest.digest() for name, digest in self._digests.items()}
        return content_hash(self._header.paths, rows | digests_of_events(self._header, self._events))


def _write_rows(dataset: h5py.h5d.DatasetID, begin: int, values: np.ndarray) -> None:
    """`dataset[begin:begin + len(values)] = values` by the low-level API, which saves 0.3 ms."""
    where = dataset.get_space()
    where.select_hyperslab((begin, *(0 for _ in values.shape[1:])), values.shape)
    dataset.write(h5py.h5s.create_simple(values.shape), where, values)


def _digest_of(header: Header) -> str:
    """The digest of all that is known before the end of a run."""
    return description_digest(header, "", "", "", {}, {})
