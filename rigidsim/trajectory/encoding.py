"""Chunks made in the background: samples are collected until they fill a row of chunks, whose digests and stored bytes
are made while the next ones are computed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import h5py
import numpy as np

from rigidsim.trajectory.chunks import encode
from rigidsim.trajectory.extremes import NAMES, largest_norms

if TYPE_CHECKING:
    from rigidsim.trajectory.digests import Digest

MOST_THREADS = 8
TWINS = {f"local/{name}": f"world/{name}" for name in ("position", "orientation", "velocity", "angular_velocity")}
"""Datasets that are equal if all nodes are children of the world, with its unit of length."""


class Chunked(NamedTuple):
    """How a dataset is stored: the shape of a chunk, the compression, and the rows of the bodies that are recorded, if
    not of all.
    """

    shape: tuple[int, ...]
    compression: str
    bodies: np.ndarray | None = None

    @classmethod
    def of(cls, dataset: h5py.Dataset, compression: str, bodies: np.ndarray | None = None) -> Chunked:
        """Of a dataset that was created with these filters, or without compression."""
        return cls(dataset.chunks, compression if dataset.compression else "none", bodies)

    def grid(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Number of chunks along each dimension but the time, of a dataset with these sizes of them."""
        return tuple(-(-end // step) for end, step in zip(shape, self.shape[1:], strict=True))

    def stores_like(self, other: Chunked) -> bool:
        """Whether equal samples have equal chunks in both datasets."""
        if self.bodies is None or other.bodies is None:
            return self[:2] == other[:2] and self.bodies is other.bodies
        return self[:2] == other[:2] and np.array_equal(self.bodies, other.bodies)

    def is_stored(self, number: tuple[int, ...]) -> bool:
        """Whether a chunk, by its numbers along these dimensions, has a body that is recorded."""
        return self.bodies is None or bool(np.any(self.bodies // self.shape[1] == number[0]))


class Chunk(NamedTuple):
    """A chunk as the file stores it; its number and its first index along each dimension but the time."""

    number: tuple[int, ...]
    corner: tuple[int, ...]
    data: bytes


class Encoded(NamedTuple):
    """Some samples of a dataset: how many, their chunks, the digest of all samples up to them, and the largest norm of
    each body, if the file stores it.
    """

    count: int  # type: ignore[assignment]  # hides a method of tuples
    grid: tuple[int, ...]  # number of chunks along each dimension but the time
    chunks: list[Chunk]
    digest: Digest
    largest: np.ndarray | None


class Staging:
    """Collects samples, arrays by name, until there are `rows` of them. As many at once are passed on uncopied."""

    def __init__(self, rows: int):
        self._rows, self.count = rows, 0
        self._arrays: dict[str, np.ndarray] = {}

    @property
    def missing(self) -> int:
        """Number of samples that are missing."""
        return self._rows - self.count

    @property
    def present(self) -> Mapping[str, np.ndarray]:
        """What was collected up to now; not a copy."""
        return {name: array[: self.count] for name, array in self._arrays.items()}

    def add(self, arrays: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray] | None:
        """Add samples, at most those that are missing; all that were collected, once none is missing."""
        count = len(next(iter(arrays.values())))
        if count == self._rows:
            return arrays
        if not self._arrays:
            self._arrays = {name: np.empty((self._rows, *a.shape[1:]), a.dtype) for name, a in arrays.items()}
        for name, array in arrays.items():
            self._arrays[name][self.count : self.count + count] = array
        self.count += count
        return self.take() if self.count == self._rows else None

    def take(self) -> Mapping[str, np.ndarray]:
        """What was collected; the next samples begin anew."""
        found = self.present
        self._arrays, self.count = {}, 0
        return found


class Encoder:
    """Encodes samples, as many as a chunk has, on all cores, a dataset at a time.

    hashlib, NumPy and ISA-L do the work without the lock of the interpreter. Nothing here touches the file.
    """

    def __init__(self, layout: Mapping[str, Chunked], digests: Mapping[str, Digest]):
        """`digests` are those of the samples that were encoded before."""
        self._layout = layout
        self._digests = {name: digests[name] for name in layout}
        self._pool = ThreadPoolExecutor(min(MOST_THREADS, cores()), thread_name_prefix="encode")
        self._begun: list[Future] = []
        self._beside: tuple = ()

    def begin(self, samples: Mapping[str, np.ndarray], *beside: object) -> None:
        """Begin to encode the next samples, by dataset. Until they are taken, they must not change."""
        self._beside = beside
        twins = {name: twin for name, twin in TWINS.items() if _may_equal(samples, name, twin)}
        self._begun = [
            self._pool.submit(self._encoded, samples, [name, *([twins[name]] if name in twins else [])])
            for name in samples
            if name not in twins.values()
        ]

    def take(self) -> tuple[dict[str, Encoded], tuple] | None:
        """What was begun, when it is done: of each dataset the chunks, and what else belongs to these samples. None if
        nothing was begun.
        """
        if not self._begun:
            return None
        found = {name: one for future in self._begun for name, one in future.result().items()}
        self._begun = []
        self._digests |= {name: one.digest for name, one in found.items()}
        return found, self._beside

    def close(self) -> None:
        """End the threads; what was begun is lost."""
        self._pool.shutdown(cancel_futures=True)

    def _encoded(self, samples: Mapping[str, np.ndarray], names: Sequence[str]) -> dict[str, Encoded]:
        """Encode the samples of some datasets. Those that equal the samples of the dataset before are not encoded
        again.
        """
        found: dict[str, Encoded] = {}
        before = ""
        for name in names:
            rows, layout, digest = samples[name], self._layout[name], self._digests[name]
            largest = largest_of(rows, layout) if name in NAMES else None
            if before and layout.stores_like(self._layout[before]) and same_bytes(rows, samples[before]):
                same_digest = digest.digest() == self._digests[before].digest()
                grown = found[before].digest if same_digest else with_rows(digest, rows, layout)
                found[name] = Encoded(len(rows), found[before].grid, found[before].chunks, grown, largest)
            else:
                grown, grid = with_rows(digest, rows, layout), layout.grid(rows.shape[1:])
                found[name] = Encoded(len(rows), grid, chunks_of(rows, layout), grown, largest)
            before = name
        return found


def _may_equal(samples: Mapping[str, np.ndarray], name: str, twin: str) -> bool:
    """Whether two datasets, if both are given, begin with the same sample."""
    return name in samples and twin in samples and same_bytes(samples[name][:1], samples[twin][:1])


def same_bytes(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two arrays of numbers have the same bits."""
    return one.shape == other.shape and np.array_equal(one.view(np.int64), other.view(np.int64))


def with_rows(before: Digest, rows: np.ndarray, layout: Chunked) -> Digest:
    """The digest of what is recorded, from that of the samples before these."""
    digest = before.copy()
    digest.update(np.ascontiguousarray(rows if layout.bodies is None else rows[:, layout.bodies]).data)
    return digest


def largest_of(rows: np.ndarray, layout: Chunked) -> np.ndarray:
    """(body) the largest norm of each body; NaN for bodies that are not recorded."""
    if layout.bodies is None:
        return largest_norms(rows)
    found = np.full(rows.shape[1], np.nan)
    found[layout.bodies] = largest_norms(rows[:, layout.bodies])
    return found


def cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def chunks_of(rows: np.ndarray, layout: Chunked) -> list[Chunk]:
    """The chunks that hold these samples of a dataset."""
    values = rows
    if layout.bodies is not None:
        values = np.full_like(rows, np.nan)
        values[:, layout.bodies] = rows[:, layout.bodies]
    numbers = list(filter(layout.is_stored, np.ndindex(layout.grid(rows.shape[1:]))))
    parts = np.zeros((len(numbers), *layout.shape), dtype=rows.dtype)  # beyond the end of the dataset they are 0
    corners = [tuple(k * step for k, step in zip(number, layout.shape[1:], strict=True)) for number in numbers]
    for part, corner in zip(parts, corners, strict=True):
        found = values[:, *(slice(begin, begin + step) for begin, step in zip(corner, layout.shape[1:], strict=True))]
        part[tuple(map(slice, found.shape))] = found
    stored = encode(parts, layout.compression)
    return [Chunk(*each) for each in zip(numbers, corners, stored, strict=True)]
