"""Digests of a trajectory: of each array, of all samples, and of the metadata."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rigidsim.trajectory.chunks import windows_of
from rigidsim.trajectory.events import Events
from rigidsim.trajectory.fields import EVENT_NAMES, SIDE_TABLES, sides_in
from rigidsim.trajectory.header import NO_CONTACT, Header

WINDOW_BYTES = 32e6


if TYPE_CHECKING:
    Digest = hashlib._Hash
    """A hash that grows."""


def recorded_columns(header: Header, name: str, values: np.ndarray) -> np.ndarray:
    """The part of a dataset of which its digest is made: (sample, body, component) without the bodies of which it was
    not recorded.
    """
    rows = header.recorded_rows(name)
    return values if rows is None else values[:, rows]


def digest_of_rows(header: Header, name: str, array) -> bytes:
    """SHA-256 of the bytes of a dataset in the order of samples, read window by window to limit memory.

    An array of a trajectory file has its digest stored.
    """
    if (found := getattr(array, "digest", None)) is not None:
        return found
    return digest_of_begin(header, name, array, array.shape[0]).digest()


def digest_of_begin(header: Header, name: str, array, rows: int) -> Digest:
    """The running digest of the first rows of a dataset of samples."""
    digest = hashlib.sha256()
    row_bytes, of_chunk = 8 * int(np.prod(array.shape[1:], dtype=np.int64)), (getattr(array, "chunks", None) or (1,))[0]
    for window in windows_of(array.shape[0], row_bytes, WINDOW_BYTES, of_chunk):
        values = array[window.start : min(window.stop, rows)]
        digest.update(np.ascontiguousarray(recorded_columns(header, name, values)).data)
        if window.stop >= rows:
            break
    return digest


def digests_of_events(header: Header, events: Events) -> dict[str, bytes]:
    """The digest of each column of the table of events and of each of its side tables; empty if nothing happened. Of an
    older file, what its content hash has in their place.
    """
    if not events.columns or events.older_digests:
        return dict(events.older_digests)
    found = {name: digest_of_rows(header, name, events.columns[name]) for name in EVENT_NAMES}
    return found | digests_of_sides(events.columns)


def digests_of_sides(columns: Mapping[str, np.ndarray]) -> dict[str, bytes]:
    """The digest of each side table of events: of its columns, of texts in UTF-8 with a line feed after each."""
    found = {side: hashlib.sha256() for side in (sides_in(columns) if columns else ())}
    for side, digest in found.items():
        for column in SIDE_TABLES[side]:
            values = columns[column.name]
            is_text = column.dtype == "text"
            text = "".join(f"{text}\n" for text in values).encode() if is_text else np.ascontiguousarray(values).data
            digest.update(text)
    return {f"events/{side}": digest.digest() for side, digest in found.items()}


def content_hash(paths: Sequence[str], rows: Mapping[str, bytes]) -> str:
    """See `Trajectory.content_hash`; `rows` holds the digest of each dataset, in the order of the header, then those of
    events.
    """
    digest = hashlib.sha256("\n".join(paths).encode())
    for name, one in rows.items():
        digest.update(name.encode() + one)
    return digest.hexdigest()


def digest_of_summary(values: Mapping[str, np.ndarray], content_hash: str) -> str:
    """SHA-256, in hexadecimal, of numbers about all samples and of the content hash of these."""
    digest = hashlib.sha256(content_hash.encode())
    for name, value in values.items():
        digest.update(name.encode() + value.tobytes())
    return digest.hexdigest()


def description_digest(
    header: Header,
    status: str,
    message: str,
    stored_hash: str,
    checksums: Mapping[str, np.ndarray],
    metrics: Mapping[str, float],
) -> str:
    """SHA-256, in hexadecimal, of the metadata that the content hash omits: the tree, scales, the scene, and the
    checksums of the chunks of each dataset and the metrics, if the file has them.
    """
    metadata = {
        "status": status,
        "message": message,
        "content_hash": stored_hash,
        "isolated": bool(header.isolated),
        "body": header.paths,
        "parent": header.parents,
        "kind": header.kinds,
        "scale_to_metre": np.asarray(header.parent_scale, dtype=np.float64).tolist(),
        "own_scale_to_metre": np.asarray(header.scale, dtype=np.float64).tolist(),
        "scene": [header.scene_name, header.scene_text, header.scene_resolved],
        "provenance": dict(header.provenance),
    }
    if header.joints:
        metadata["joint"] = dict(header.joints)
    if header.loops:
        metadata["loop"] = dict(header.loops)
    if header.readings:
        metadata["readings"] = header.readings
    if header.shapes:
        metadata["shape"] = header.shapes
    if header.contact_settings != NO_CONTACT:
        metadata["contact"] = dict(header.contact_settings)
    if header.recorded is not None:
        metadata["recorded"] = {name: None if r is None else r.tolist() for name, r in header.recorded.items()}
    if checksums:
        metadata["checksums"] = {name: hashlib.sha256(sums.tobytes()).hexdigest() for name, sums in checksums.items()}
    if metrics:
        metadata["metrics"] = {
            name: [
                header.metrics[name],
                float(value).hex(),
                *filter(None, [header.metric_units.get(name)]),
            ]
            for name, value in metrics.items()
        }
    return hashlib.sha256(json.dumps(metadata, sort_keys=True).encode()).hexdigest()
