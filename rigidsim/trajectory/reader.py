"""Reading the HDF5 file: checks of format and metadata, arrays on demand."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path

import h5py

from rigidsim.arguments import file_path
from rigidsim.errors import FormatError
from rigidsim.trajectory.checks import check_axes, check_format, check_shapes, check_time, check_tree, own_dataset
from rigidsim.trajectory.digests import content_hash, description_digest, digest_of_rows
from rigidsim.trajectory.events import ADDED, Event, columns_of, events_from
from rigidsim.trajectory.fields import BODY_TEXTS
from rigidsim.trajectory.header import Change, Header
from rigidsim.trajectory.stored import StoredArray, as_format_error, opened
from rigidsim.trajectory.trajectory import Trajectory


def load(path: str | Path) -> Trajectory:
    """Open a trajectory file.

    Raises StorageError if it cannot be read, FormatError if it is damaged or not a rigidsim trajectory. The metadata is
    checked now; each array is checked when it is first read.
    """
    path = file_path(path, "the trajectory's file")
    file, close = opened(path)
    try:
        with as_format_error(path):
            return _trajectory(file, path, close)
    except BaseException:
        close()
        raise


def _trajectory(file: h5py.File, path: Path, close: Callable[[], None]) -> Trajectory:
    check_format(file, path)
    n_body = len(own_dataset(file, path, "body"))
    check_axes(file, path, n_body)
    events = _events(file, path)
    header = _header(file, path, events)
    check_tree(header, path)
    check_shapes(file, path, header.with_terms, n_body)
    status, message, stored_hash = (str(file.attrs[name]) for name in ("status", "message", "content_hash"))
    digests = _digests(file, header)
    if digests and content_hash(header.paths, digests, events) != stored_hash:
        raise FormatError(f"{path} is damaged: its digests, bodies and events do not match its content hash")
    if digests and description_digest(header, status, message, stored_hash) != file.attrs["description_sha256"]:
        raise FormatError(f"{path} is damaged: its metadata does not match description_sha256")
    arrays = _arrays(file, path, header, events, digests, stored_hash)
    trajectory = Trajectory(header, arrays, status, stored_hash, close=close, events=events, message=message)
    check_time(trajectory.time, path)
    return trajectory


def _header(file: h5py.File, path: Path, events: tuple[Event, ...]) -> Header:
    paths, parents, kinds = (tuple(text.decode() for text in file[name][()]) for name in BODY_TEXTS)
    scene = file["scene"]
    resolved = scene["resolved"][()]
    if hashlib.sha256(resolved).hexdigest() != scene.attrs["sha256"]:
        raise FormatError(f"{path} is damaged: scene/resolved does not match its sha256")
    return Header(
        paths=paths,
        parents=parents,
        kinds=kinds,
        scale=file["own_scale_to_metre"][()],
        parent_scale=file["scale_to_metre"][()],
        isolated=bool(file.attrs["isolated"]),
        with_terms="terms" in file,
        changes=tuple(
            Change(event.time, event.body, event.parent_after, event.motion)
            for event in events
            if event.cause == "reparent"
        ),
        scene_name=str(scene.attrs["name"]),
        scene_text=scene["text"][()].decode(),
        scene_resolved=resolved.decode(),
        provenance=dict(json.loads(scene.attrs["provenance"]).items()),
    )


def _events(file: h5py.File, path: Path) -> tuple[Event, ...]:
    """The events; empty if the file has no such group."""
    if "events" not in file:
        return ()
    columns = {}
    for name in columns_of(()):
        if name in ADDED and f"events/{name}" not in file:
            continue
        values = own_dataset(file, path, f"events/{name}")[()]
        columns[name] = [text.decode() for text in values] if values.dtype == object else values
    return events_from(columns)


def _digests(file: h5py.File, header: Header) -> dict[str, bytes]:
    """The stored digest of each dataset; empty for a file from before digests were stored."""
    if "description_sha256" not in file.attrs:
        return {}
    return {name: bytes.fromhex(file[name].attrs["sha256"]) for name in header.dataset_names}


def _arrays(
    file: h5py.File,
    path: Path,
    header: Header,
    events: tuple[Event, ...],
    digests: Mapping[str, bytes],
    stored_hash: str,
) -> dict[str, StoredArray]:
    """The arrays. On first access each is checked by its digest; without digests, all by the content hash."""

    def digest_in_file(name: str) -> bytes:
        with as_format_error(path, name):
            return digest_of_rows(file[name])

    def checked(name: str) -> bytes:
        found = digest_in_file(name)
        if found != digests[name]:
            raise FormatError(f"{path} is damaged: {name} does not match its sha256")
        return found

    @cache
    def all_checked() -> dict[str, bytes]:
        found = {name: digest_in_file(name) for name in header.dataset_names}
        if content_hash(header.paths, found, events) != stored_hash:
            raise FormatError(f"{path} is damaged: its samples do not match its content hash")
        return found

    def checked_with_all(name: str) -> bytes:
        return all_checked()[name]

    digest = checked if digests else checked_with_all
    # The time is read when the file is opened; without digests, checking it would read the whole file.
    return {
        name: StoredArray(file[name], path, partial(digest, name), is_checked=name == "time" and not digests)
        for name in header.dataset_names
    }
