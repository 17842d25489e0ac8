"""Digests of a trajectory: of each array, of all samples, and of the metadata."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from rigidsim.trajectory.events import Event, digest_of
from rigidsim.trajectory.header import Header

WINDOW_ROWS = 4096  # a multiple of the chunks of a file
WINDOW_BYTES = 256e6


def digest_of_rows(array) -> bytes:
    """SHA-256 of the bytes of an array in the order of samples, read window by window to limit memory.

    An array of a trajectory file has its digest stored.
    """
    if (found := getattr(array, "digest", None)) is not None:
        return found
    digest = hashlib.sha256()
    for window in _windows(array.shape):
        digest.update(np.ascontiguousarray(array[window]))
    return digest.digest()


def _windows(shape: tuple[int, ...]) -> Iterator[slice]:
    row_bytes = 8 * int(np.prod(shape[1:], dtype=np.int64))
    rows = max(1, min(WINDOW_ROWS, int(WINDOW_BYTES // max(row_bytes, 1))))
    return (slice(begin, begin + rows) for begin in range(0, shape[0], rows))


def content_hash(paths: Sequence[str], rows: Mapping[str, bytes], events: Sequence[Event]) -> str:
    """See `Trajectory.content_hash`; `rows` holds the digest of each dataset, in the order of the header."""
    digest = hashlib.sha256("\n".join(paths).encode())
    for name, one in rows.items():
        digest.update(name.encode() + one)
    digest.update(digest_of(events))
    return digest.hexdigest()


def description_digest(header: Header, status: str, message: str, stored_hash: str) -> str:
    """SHA-256, in hexadecimal, of the metadata that the content hash omits: the tree, scales, the scene."""
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
    return hashlib.sha256(json.dumps(metadata, sort_keys=True).encode()).hexdigest()
