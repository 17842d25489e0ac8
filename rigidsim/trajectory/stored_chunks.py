"""Reading parts of a dataset chunk by chunk, each verified by itself."""

from __future__ import annotations

import itertools
import math
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import cached_property
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from rigidsim.errors import FormatError
from rigidsim.trajectory.chunks import checksum, decode
from rigidsim.trajectory.encoding import cores
from rigidsim.trajectory.selection import Selection, pieces

IS_DEFLATED = {
    (h5py.h5z.FILTER_FLETCHER32,): False,
    (h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_FLETCHER32): True,
}
"""The sequences of filters that `decode` undoes."""
ABSENT = "not allocated"
"""In HDF5's message about a chunk that is not stored."""
WORTH_A_THREAD = 1 << 20
"""Bytes of values for which it is worth while to start a thread."""
AT_A_TIME = 64
"""Chunks in memory at a time."""


class StoredChunks:
    """A dataset of which only the chunks are read that an index touches.

    `checksums` are those in the file, in the order of the chunks.
    """

    def __init__(self, dataset: h5py.Dataset, checksums: np.ndarray):
        self.shape, self.dtype, self.chunks = dataset.shape, dataset.dtype, dataset.chunks
        self._dataset, self._fill = dataset.id, dataset.fillvalue
        self._checksums = checksums.reshape(_grid(dataset))
        self.is_deflated = IS_DEFLATED[_filters(dataset)]

    @cached_property
    def _buffer(self) -> np.ndarray:
        return np.empty(2 * math.prod(self.chunks) * self.dtype.itemsize + 64, np.uint8)

    @staticmethod
    def can_read(dataset: h5py.Dataset) -> bool:
        """Whether the chunks have filters that can be undone here."""
        return dataset.chunks is not None and _filters(dataset) in IS_DEFLATED

    def __getitem__(self, key: Any) -> np.ndarray:
        """As NumPy indexes an array. Raises OSError if a chunk is damaged, or is not the one that was written."""
        if (selection := Selection.of(key, self.shape)) is None:
            return self[()][key]
        return self._box(selection)[selection.rest]

    def is_same(self, other: StoredChunks, samples: slice) -> bool:
        """Whether both store the same bytes for these samples, in chunks of the same shape: then the values are equal.
        Nothing is decoded, so bytes that differ may still have equal values.
        """
        if (self.shape, self.dtype, self.chunks) != (other.shape, other.dtype, other.chunks):
            return False
        along = [range(*samples.indices(self.shape[0])), *map(range, self.shape[1:])]
        numbers = (
            [piece.number for piece in pieces(axis, step)] for axis, step in zip(along, self.chunks, strict=True)
        )
        return self.is_deflated == other.is_deflated and all(
            self._stored(number) == other._stored(number) for number in itertools.product(*numbers)
        )

    def _box(self, selection: Selection) -> np.ndarray:
        box = np.empty(selection.shape, self.dtype)
        along = [list(pieces(axis, step)) for axis, step in zip(selection.axes, self.chunks, strict=True)]
        touched = [tuple(zip(*parts, strict=True)) for parts in itertools.product(*along)]
        n_thread = min(cores(), len(touched) * math.prod(self.chunks) * self.dtype.itemsize // WORTH_A_THREAD)
        with ThreadPoolExecutor(n_thread) if n_thread > 1 else nullcontext() as pool:
            for begin in range(0, len(touched), AT_A_TIME):
                some = touched[begin : begin + AT_A_TIME]
                stored = [self._stored(number) for number, _, _ in some]
                parts = (pool.map if pool else map)(self._part, stored, (inside for _, inside, _ in some))
                for (_, _, outside), part in zip(some, parts, strict=True):
                    box[outside] = part
        return box

    def _stored(self, number: tuple[int, ...]) -> bytes | None:
        """A chunk as it is stored, by its number along each axis; None if it is not."""
        corner = tuple(k * step for k, step in zip(number, self.chunks, strict=True))
        expected = int(self._checksums[number])
        try:
            # A chunk is hardly longer than its values; a damaged length allocates nothing.
            skipped, data = self._dataset.read_direct_chunk(corner, out=self._buffer)
        except RuntimeError as error:
            if ABSENT in str(error) and not expected:
                return None
            raise
        if skipped or checksum(data) != expected:
            raise OSError(f"the chunk at {list(corner)} is not the one whose checksum is in the file")
        return bytes(data)

    def _part(self, stored: bytes | None, inside: tuple) -> np.ndarray:
        if stored is None:
            return self._fill
        return decode(stored, self.chunks, self.dtype, is_deflated=self.is_deflated, part=inside)


def checksums_of(dataset: h5py.Dataset, stored: h5py.Dataset, path: Path) -> np.ndarray:
    """The stored checksums of a dataset, one for each of its chunks. Raises FormatError."""
    expected = math.prod(_grid(dataset)) if dataset.chunks else 0
    has_values = stored.id.get_storage_size() >= stored.size * stored.dtype.itemsize
    if stored.shape != (expected,) or stored.dtype != np.uint32 or not has_values:
        name, found = stored.name.lstrip("/"), f"{stored.dtype} of shape {stored.shape}"
        raise FormatError(f"{path} is damaged: {name} is {found}, expected uint32 for each of {expected} chunks")
    return stored[()]


def _grid(dataset: h5py.Dataset) -> tuple[int, ...]:
    """The number of chunks along each axis."""
    return tuple(-(-length // step) for length, step in zip(dataset.shape, dataset.chunks, strict=True))


def _filters(dataset: h5py.Dataset) -> tuple[int, ...]:
    described = dataset.id.get_create_plist()
    return tuple(described.get_filter(k)[0] for k in range(described.get_nfilters()))


Source = h5py.Dataset | StoredChunks | np.ndarray
"""What has the values of a dataset."""
