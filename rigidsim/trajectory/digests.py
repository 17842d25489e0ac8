"""Digests of a trajectory: of each array, of all samples, and of the metadata."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from rigidsim.trajectory.events import Event, digest_of
from rigidsim.trajectory.header import NO_CONTACT, Header

WINDOW_BYTES = 32e6


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


def digest_of_begin(header: Header, name: str, array, rows: int) -> object:
    """The running digest of the first rows of a dataset of samples."""
    digest = hashlib.sha256()
    for window in _windows(array):
        values = array[window.start : min(window.stop, rows)]
        digest.update(np.ascontiguousarray(recorded_columns(header, name, values)))
        if window.stop >= rows:
            break
    return digest


def _windows(array) -> Iterator[slice]:
    """Slices of the first axis that fit in memory, of whole chunks, so that each chunk is decoded once."""
    row_bytes = 8 * int(np.prod(array.shape[1:], dtype=np.int64))
    of_chunk = (getattr(array, "chunks", None) or (1,))[0]
    rows = of_chunk * max(1, int(WINDOW_BYTES // max(of_chunk * row_bytes, 1)))
    return (slice(begin, begin + rows) for begin in range(0, array.shape[0], rows))


def content_hash(paths: Sequence[str], rows: Mapping[str, bytes], events: Sequence[Event]) -> str:
    """See `Trajectory.content_hash`; `rows` holds the digest of each dataset, in the order of the header."""
    digest = hashlib.sha256("\n".join(paths).encode())
    for name, one in rows.items():
        digest.update(name.encode() + one)
    digest.update(digest_of(events))
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
    if header.shapes:
        metadata["shape"] = header.shapes
    if header.contact_settings != NO_CONTACT:
        metadata["contact"] = dict(header.contact_settings)
    if header.recorded is not None:
        metadata["recorded"] = {name: None if r is None else r.tolist() for name, r in header.recorded.items()}
    if checksums:
        metadata["checksums"] = {name: hashlib.sha256(sums.tobytes()).hexdigest() for name, sums in checksums.items()}
    if metrics:
        metadata["metrics"] = {name: [header.metrics[name], float(value).hex()] for name, value in metrics.items()}
    return hashlib.sha256(json.dumps(metadata, sort_keys=True).encode()).hexdigest()
