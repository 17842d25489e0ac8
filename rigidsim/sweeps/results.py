"""The result file of a sweep while it is written.

All arrays are contiguous and have their final size from the beginning, so the file is valid at any time, and results
are written to their places by the threads that have them. Runs are committed in portions of some consecutive runs:
first the numbers, then their digest, then the status of each run. A process that is killed loses the portions it
was in.
"""

from __future__ import annotations

import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any

import h5py
import numpy as np

from rigidsim.errors import FormatError, StorageError
from rigidsim.sweeps.contents import COMPLETE, ERRORS, MISSING, Contents, Portion, content_hash, create
from rigidsim.sweeps.stored import load_sweep
from rigidsim.sweeps.unfinished import done_of, errors_path, read_errors, require_idle
from rigidsim.trajectory.destination import (
    IN_PYTHON,
    SWEEP,
    Hints,
    as_storage_error,
    check_output,
    open_temporary,
    require_no_unfinished,
    temporary_path,
)
from rigidsim.trajectory.spool import Spool
from rigidsim.trajectory.stored import format_of
from rigidsim.trajectory.structure import TEXT, described

FLUSH_BYTES = 16e6


class SweepWriter:
    """An open result file, used as a context manager. Without `finish`, its temporary file remains if it has results,
    for a later writer with `resume`.
    """

    keeps_portions = False  # the arrays of a portion may be overwritten after `commit`

    def __init__(self, path: Path, contents: Contents, *, force: bool, resume: bool, hints: Hints = IN_PYTHON):
        """Raises StorageError if the file cannot be written, or if there is one that must not be replaced; UsageError
        if `resume` finds the results of another scene or plan.
        """
        self.path, self._contents, self._force = path, contents, force or resume
        self._flushes: list[Any] = []
        self._flusher, self._unflushed = ThreadPoolExecutor(1), 0
        self._counting = Lock()
        require_idle(path, hints)
        done = done_of(path) if not force else 0
        if done and not resume:
            message = f"{path} was interrupted after {done:,} of {len(contents.runs):,} runs"
            raise StorageError(f"{message}; {hints.resume} continues, {hints.replace} begins again")
        if not force:
            require_no_unfinished(path, hints)
        check_output(path, SWEEP, force or resume, hints)
        with as_storage_error(path):
            self._spool = Spool(path, keep=bool(done))
        try:
            with as_storage_error(path):
                self._resume(hints) if done else self._begin()
                self._errors = errors_path(path).open("a" if done else "w")
                self._errors.write("\n")  # the last line may be torn
        except BaseException:
            if done:
                self._spool.close()
            else:
                self.discard()
            raise

    def _begin(self) -> None:
        errors_path(self.path).unlink(missing_ok=True)
        with h5py.File(self._spool, "w", libver=("v108", "v110"), track_order=True) as file:
            create(file, self._contents)
            self._places = {name: file[name].id.get_offset() for name in self._contents.written}
            self._status, self._digests = file["runs/status"][()], file["runs/digest"][()]
        self._spool.check()
        if hasattr(os, "posix_fallocate"):  # take the space of the whole file, so that a full disk is an error now
            os.posix_fallocate(self._spool.fileno(), 0, os.fstat(self._spool.fileno()).st_size)

    def _resume(self, hints: Hints) -> None:
        """Take what is done, but for portions whose numbers do not match their digests."""
        try:
            with load_sweep(self._spool.path) as found:
                found.require_same(self._contents, self.path)
                self._places = found.places(self._contents.written)
                self._status, self._digests = found.intact()
        except FormatError as error:
            raise FormatError(f"{error}; {hints.replace} begins again") from None

    def __enter__(self) -> SweepWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._flusher.shutdown()
        if self._spool.closed:
            return
        self._errors.close()
        if self.kept:
            self._spool.close()
        else:
            self.discard()

    def discard(self) -> None:
        """Remove the unfinished file."""
        self._spool.discard()
        errors_path(self.path).unlink(missing_ok=True)

    @property
    def status(self) -> np.ndarray:
        """The status of each run."""
        return self._status

    @property
    def kept(self) -> int:
        """The number of runs whose results are in the file; none are if it was removed."""
        return int(np.count_nonzero(self._status)) if self._spool.is_in_place else 0

    def forget(self, runs: np.ndarray) -> None:
        """Run these again: the portions that they are in are missing."""
        for number in np.unique(runs // self._contents.portion):
            self._status[self._contents.portion_runs(number)] = MISSING

    @property
    def missing(self) -> list[int]:
        """The numbers of the portions that are missing."""
        return np.flatnonzero(self._status[:: self._contents.portion] == MISSING).tolist()

    def commit(self, portion: Portion) -> None:
        """Write a portion. Threads may commit different portions at the same time."""
        runs, digest = self._contents.portion_runs(portion.number), portion.digest
        if not self._spool.is_in_place:
            raise StorageError(f"{self._spool.path} was removed or replaced during the sweep; its results are lost")
        with as_storage_error(self.path):
            if portion.errors:
                lines = [json.dumps([run, text]) + "\n" for run, text in sorted(portion.errors.items())]
                self._errors.write("".join(lines))
                self._errors.flush()
            for name, array in portion.arrays.items():
                self._write(name, runs.start, array)
            self._write("runs/digest", portion.number, np.frombuffer(digest, np.uint8)[None])
            self._write("runs/status", runs.start, portion.status)
        self._flush(sum(array.nbytes for array in portion.arrays.values()))
        self._digests[portion.number], self._status[runs] = np.frombuffer(digest, np.uint8), portion.status

    def _flush(self, written: int) -> None:
        """Have the disk write what there is, beside the run, so that the end need not wait for all of it."""
        with self._counting:
            self._unflushed += written
            if self._unflushed > FLUSH_BYTES and not (self._flushes and not self._flushes[-1].done()):
                self._flushes.append(self._flusher.submit(os.fsync, self._spool.fileno()))
                self._unflushed = 0

    def _write(self, name: str, first: int, array: np.ndarray) -> None:
        """Write rows of an array to the file."""
        content = np.ascontiguousarray(array).data.cast("B")
        place = self._places[name] + first * (len(content) // len(array))
        while len(content):
            done = os.pwrite(self._spool.fileno(), content, place)
            content, place = content[done:], place + done

    def finish(self) -> str:
        """Complete the file and rename it to its final path; returns its content hash.

        Raises StorageError if that path exists by then, after saving to another path, which the message contains.
        """
        contents = self._contents
        found_hash = content_hash(
            contents.plan.digest, contents.runs, contents.recording.paths, contents.arrays, self._digests
        )
        with as_storage_error(self.path):
            self._errors.close()
            self._flusher.shutdown()
            for flush in self._flushes:
                flush.result()  # raises an error that the disk had
            texts = read_errors(self.path)
            self._spool.keep()  # HDF5 writes to several places, between which the file is not valid
            with h5py.File(self._spool, "r+") as file:
                errors = np.full(len(self._status), "", dtype=object)
                for run in np.flatnonzero(self._status != COMPLETE).tolist():
                    errors[run] = texts.get(run, "")
                if ERRORS in file:
                    del file[ERRORS]
                written = file.create_dataset(ERRORS, data=errors, dtype=TEXT)
                described(written, "why the run failed; empty if it did not").dims[0].attach_scale(file["run"])
                file.attrs["status"], file.attrs["content_hash"] = "complete", found_hash
            try:
                self._spool.publish_as(SWEEP, self._force)
            finally:
                if self._spool.closed:
                    errors_path(self.path).unlink(missing_ok=True)
        return found_hash


def finished(path: Path, contents: Contents) -> bool:
    """Whether the result file is complete. Raises StorageError if it is that of another sweep, FormatError if it is
    damaged.
    """
    if not path.exists():
        return False
    if not format_of(path).startswith(SWEEP.format):
        raise StorageError(f"{path} cannot be resumed: it is not the result file of a sweep")
    with load_sweep(path) as found:
        found.require_same(contents, path)
        return bool(found.content_hash)


def reopen(path: Path) -> bool:
    """Make the temporary file of a complete one that has failed runs, to retry them; whether there are any."""
    with load_sweep(path) as found:
        found.verify()
        errors = {place: found.error_at(place) for place in found.failed.tolist()}
    if errors:
        with as_storage_error(path):
            with path.open("rb") as source, open(temporary_path(path), "r+b", opener=open_temporary) as copy:
                copy.truncate(0)
                shutil.copyfileobj(source, copy)
            errors_path(path).write_text("".join(json.dumps([run, text]) + "\n" for run, text in errors.items()))
    return bool(errors)
