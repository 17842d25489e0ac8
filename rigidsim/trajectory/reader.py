"""Reading the HDF5 file: checks of format and metadata, arrays on demand."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from rigidsim.arguments import file_path
from rigidsim.errors import FormatError
from rigidsim.trajectory.checks import (
    changes_in,
    check_axes,
    check_samples,
    check_time,
    check_trajectory_format,
    check_tree,
    header_in,
    is_older,
    own_dataset,
    stored_dataset,
)
from rigidsim.trajectory.contact_ledger import DESCRIBED, LEDGER, ContactLedger
from rigidsim.trajectory.derivatives import derivatives_in
from rigidsim.trajectory.digests import (
    content_hash,
    description_digest,
    digest_of_rows,
    digest_of_summary,
    digests_of_sides,
)
from rigidsim.trajectory.events import Columns
from rigidsim.trajectory.extremes import EXTREMES, NAMES
from rigidsim.trajectory.fields import EVENT_NAMES
from rigidsim.trajectory.header import Change, Header
from rigidsim.trajectory.stored import OpenedFile, StoredArray, as_format_error, opened
from rigidsim.trajectory.stored_chunks import Source, StoredChunks, checksums_of
from rigidsim.trajectory.structure import CHECKSUMS, METRICS
from rigidsim.trajectory.tables import read_older_events, read_side_tables
from rigidsim.trajectory.trajectory import Trajectory


def load(path: str | Path) -> Trajectory:
    """Open a trajectory file. The metadata is checked now; each array is checked when it is first read.

    Parameters
    ----------
    path : str or Path
        The HDF5 file.

    Returns
    -------
    Trajectory
        Its arrays are read when they are needed.

    Raises
    ------
    StorageError
        If the file cannot be read.
    FormatError
        If it is damaged or not a rigidsim trajectory.
    """
    path = file_path(path, "the trajectory's file")
    found = opened(path)
    try:
        with as_format_error(path):
            return _trajectory(found, path)
    except BaseException:
        found.close()
        raise


def _trajectory(found: OpenedFile, path: Path) -> Trajectory:
    file = found.file
    check_trajectory_format(file, path)
    n_body = len(own_dataset(file, path, "body"))
    check_axes(file, path, n_body)
    events, hashed = read_older_events(file, path) if is_older(file) else (read_side_tables(file, path), {})
    header = header_in(file, path, _changes(file, path, events))
    check_tree(header, path)
    check_samples(file, path, header)
    status, message, stored_hash = (str(file.attrs[name]) for name in ("status", "message", "content_hash"))
    names = (*header.dataset_names, *(EVENT_NAMES if events and not is_older(file) else ()))
    digests, hashed = _digests(file, names), hashed or digests_of_sides(events)
    if digests and content_hash(header.paths, digests | hashed) != stored_hash:
        raise FormatError(f"{path} is damaged: its digests, bodies and events do not match its content hash")
    checksums = _checksums(file, path, header) if digests else {}
    metrics = {name: float(own_dataset(file, path, f"{METRICS}/{name}")[()]) for name in header.metrics}
    described = description_digest(header, status, message, stored_hash, checksums, metrics)
    if digests and described != file.attrs["description_sha256"]:
        raise FormatError(f"{path} is damaged: its metadata does not match description_sha256")
    checks = _checks(file, path, header, names, hashed, digests, stored_hash)
    # The time is read when the file is opened; without digests, checking it would read the whole file.
    arrays = {
        name: StoredArray(
            file[name],
            path,
            check,
            chunks=_chunks(file, name, checksums),
            is_checked=name == "time" and not digests,
        )
        for name, check in checks.items()
    }
    extremes = _extremes(file, path, header, stored_hash)
    rest: dict[str, Any] = {"message": message, "metrics": metrics, "extremes": extremes}
    rest |= {"contact_ledger": _ledger(file, path, stored_hash), "older_digests": hashed if is_older(file) else {}}
    rest["derivatives"] = derivatives_in(file, path, header, arrays["time"], stored_hash)
    trajectory = Trajectory(header, arrays | events, status, stored_hash, close=found.close, **rest)
    check_time(trajectory.time, path)
    return trajectory


def _changes(file: h5py.File, path: Path, events: Columns) -> tuple[Change, ...]:
    """The changes of the tree in a file; the times of events are read here if they are needed."""
    if not events or not np.any(events["events/received/motion"] != ""):
        return ()
    time = events["events/time"] if is_older(file) else file["events/time"][()]
    if not is_older(file) and hashlib.sha256(time.tobytes()).hexdigest() != file["events/time"].attrs["sha256"]:
        raise FormatError(f"{path} is damaged: events/time does not match its sha256")
    return changes_in({**events, "events/time": time})


def _digests(file: h5py.File, names: Sequence[str]) -> dict[str, bytes]:
    """The stored digest of each dataset; empty for a file from before digests were stored."""
    if "description_sha256" not in file.attrs:
        return {}
    return {name: bytes.fromhex(file[name].attrs["sha256"]) for name in names}


def _checksums(file: h5py.File, path: Path, header: Header) -> dict[str, np.ndarray]:
    """The checksums of the chunks of each dataset of samples; empty for a file that has none."""
    if CHECKSUMS not in file:
        return {}
    names = (name for name in header.dataset_names if name not in header.table_names)
    return {name: checksums_of(file[name], own_dataset(file, path, f"{CHECKSUMS}/{name}"), path) for name in names}


def _ledger(file: h5py.File, path: Path, stored_hash: str) -> ContactLedger | None:
    """The ledger of contact, if the file has one."""
    if LEDGER not in file:
        return None
    values = {name: value.item() for name, value in _summary(file, path, LEDGER, DESCRIBED, (), stored_hash).items()}
    return ContactLedger(**values | {name: int(values[name]) for name in ("left_out", "unsettled")})


def _extremes(file: h5py.File, path: Path, header: Header, stored_hash: str) -> dict[str, np.ndarray]:
    """The stored extremes of each dataset that can have them; empty for a file that has none."""
    if EXTREMES not in file:
        return {}
    names = {name: source for source, (name, *_) in NAMES.items() if source in header.dataset_names}
    found = _summary(file, path, EXTREMES, names, (len(header.paths),), stored_hash)
    return {names[name]: values for name, values in found.items()}


def _summary(
    file: h5py.File, path: Path, group: str, names: Iterable[str], shape: tuple[int, ...], stored_hash: str
) -> dict[str, np.ndarray]:
    """Numbers about all samples, by their names. Raises FormatError if they do not match their digest."""
    found = {name: stored_dataset(file, path, f"{group}/{name}", shape, "f8")[()] for name in names}
    if file[group].attrs["sha256"] != digest_of_summary(found, stored_hash):
        raise FormatError(f"{path} is damaged: {group} does not match its sha256")
    return found


def _chunks(file: h5py.File, name: str, checksums: Mapping[str, np.ndarray]) -> StoredChunks | None:
    """The chunks of a dataset if they can be verified by themselves."""
    dataset = file[name]
    if name not in checksums or not StoredChunks.can_read(dataset):
        return None
    return StoredChunks(dataset, checksums[name])


def _checks(
    file: h5py.File,
    path: Path,
    header: Header,
    names: Sequence[str],
    hashed: Mapping[str, bytes],
    digests: Mapping[str, bytes],
    stored_hash: str,
) -> dict[str, Callable[[Source], bytes]]:
    """What verifies each array, as `StoredArray` needs it: its digest or, in a file without digests, the content hash
    of all arrays.
    """

    def digest_of(name: str, source: Source) -> bytes:
        with as_format_error(path, name):
            return digest_of_rows(header, name, source)

    def checked(name: str, source: Source) -> bytes:
        found = digest_of(name, source)
        if found != digests[name]:
            raise FormatError(f"{path} is damaged: {name} does not match its sha256")
        return found

    @cache
    def all_checked() -> dict[str, bytes]:
        found = {name: digest_of(name, file[name]) for name in names}
        if content_hash(header.paths, {**found, **hashed}) != stored_hash:
            raise FormatError(f"{path} is damaged: its samples do not match its content hash")
        return found

    def of_all(name: str, _array: StoredArray) -> bytes:
        return all_checked()[name]

    return {name: partial(checked if digests else of_all, name) for name in names}
