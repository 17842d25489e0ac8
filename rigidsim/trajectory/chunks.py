"""Chunks of an HDF5 dataset as the file stores them: shuffled, deflated, with a checksum.

HDF5 compresses in one thread, in the call that writes. The same bytes made here can be made by several threads beside
the stepping, and are handed to `H5Dwrite_chunk`; every HDF5 library reads them without a plugin. The filters, in this
order: shuffle (bytes of equal significance become neighbours), deflate (RFC 1950), Fletcher-32.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from isal import isal_zlib

LEVELS = {"none": None, "fast": 1, "small": 3}
"""Level of ISA-L for each choice of `--compression`. Level 3 gives the sizes of zlib's level 1; its best level makes
files 2 % smaller, in five times the time.
"""
DEFAULT = "small"
DEFLATE_LEVEL = 1  # as recorded in the file, where it has no meaning for reading
CHUNK_BYTES = 8e6
MOST_ROWS, LEAST_ROWS = 4096, 4
LEAST_BODIES = 8
CHUNK_VALUES = 8192
SUMMED_BYTES = 1 << 17
"""Checksums are computed of that much at a time: few calls, and arrays that stay in the cache."""


def chunk_rows(n_sample: int, sample_bytes: int) -> int:
    """Number of samples in a chunk of each dataset with a time axis: a power of two, at most `n_sample`, such that a
    chunk of all datasets and bodies together takes at most CHUNK_BYTES.
    """
    return min(max(fitting_rows(sample_bytes, CHUNK_BYTES), LEAST_ROWS), MOST_ROWS, max(n_sample, 1))


def fitting_rows(row_bytes: int, most: float) -> int:
    """How many rows take at most so many bytes: a power of two, one if that is more."""
    return 1 << (int(max(1, most // max(row_bytes, 1))).bit_length() - 1)


def windows_of(count: int, row_bytes: int, most: float, of: int = 1) -> Iterator[slice]:
    """Slices of so many rows, each of at most so many bytes. They have `of` rows times a power of two, so that each
    chunk of as many is decoded once.
    """
    rows = of * fitting_rows(of * row_bytes, most)
    return (slice(begin, min(begin + rows, count)) for begin in range(0, count, rows))


def chunk_shape(shape: tuple[int, ...], rows: int) -> tuple[int, ...]:
    """Shape of the chunks of a dataset (time), (time, xyz) or (time, body, component). A chunk has the components of as
    many bodies as make CHUNK_VALUES values: few, so that one body can be read without the others.
    """
    if len(shape) < 3:
        return (rows, *shape[1:])
    return (rows, max(1, min(shape[1], max(LEAST_BODIES, CHUNK_VALUES // (rows * shape[2])))), shape[2])


def filters(compression: str) -> dict[str, object]:
    """The filters of a dataset, as arguments of `h5py.Group.create_dataset`."""
    if LEVELS[compression] is None:
        return {"fletcher32": True}
    return {"compression": "gzip", "compression_opts": DEFLATE_LEVEL, "shuffle": True, "fletcher32": True}


def encode(values: np.ndarray, compression: str) -> list[bytes]:
    """The stored bytes of each of some chunks, whose values are `values[k]`."""
    level = LEVELS[compression]
    if level is None:
        contents = [chunk.tobytes() for chunk in values]
    else:
        contents = [isal_zlib.compress(chunk, level) for chunk in shuffled(values)]
    group = max(1, SUMMED_BYTES // max(map(len, contents), default=1))
    totals = [total for k in range(0, len(contents), group) for total in fletcher32(contents[k : k + group])]
    return [content + total.to_bytes(4, "little") for content, total in zip(contents, totals, strict=True)]


def decode(data: bytes, shape: tuple[int, ...], dtype: np.dtype, *, is_deflated: bool, part: tuple = ()) -> np.ndarray:
    """The values of a chunk from its stored bytes, or a part of them: an index for each dimension, a slice or, at most
    once, an array. Raises OSError if the bytes are damaged.
    """
    content = memoryview(data)[:-4]
    if len(data) < 4 or checksum(data) != fletcher32([content])[0]:
        raise OSError("a chunk does not match its checksum")
    size = math.prod(shape) * dtype.itemsize
    if is_deflated:
        try:
            content = memoryview(isal_zlib.decompress(content, bufsize=size))
        except isal_zlib.error as error:  # type: ignore[misc]  # it is declared as a value
            raise OSError(f"a chunk cannot be decompressed: {error}") from None
    if len(content) != size:
        raise OSError(f"a chunk has {len(content)} bytes, expected {size}")
    if not is_deflated:
        return np.frombuffer(content, dtype).reshape(shape)[part]
    planes = np.frombuffer(content, np.uint8).reshape(dtype.itemsize, *shape)[(slice(None), *part)]
    return np.ascontiguousarray(planes.reshape(dtype.itemsize, -1).T).view(dtype).reshape(planes.shape[1:])


def checksum(data: bytes) -> int:
    """The Fletcher-32 at the end of the stored bytes of a chunk."""
    return int.from_bytes(data[-4:], "little")


def shuffled(values: np.ndarray) -> np.ndarray:
    """The bytes of each of some chunks, those of equal significance together: HDF5's shuffle filter."""
    size = values.dtype.itemsize
    flat = np.ascontiguousarray(values).view(np.uint8).reshape(len(values), -1, size)
    return np.ascontiguousarray(flat.transpose(0, 2, 1)).reshape(len(values), -1)


def fletcher32(contents: Sequence[bytes | memoryview]) -> list[int]:
    """HDF5's checksum of each of some byte strings: with n big-endian 16-bit words w_i, a = sum w_i and
    b = sum (n - i) w_i = n a - sum i w_i, both modulo 65535; the result is b << 16 | a (Fletcher, 1982). A last odd
    byte is the high byte of a word.

    To swap the bytes of a word is to multiply it by 256, modulo 65535, so little-endian words serve as well. The sums
    are below 2**63 for up to 2**23 words.
    """
    lengths = [-(-len(content) // 2) for content in contents]
    width = max(lengths, default=0)
    padded = b"".join(bytes(content).ljust(2 * width, b"\0") for content in contents)
    words = np.frombuffer(padded, "<u2").astype(np.int64).reshape(len(contents), width)
    sums, moments = words.sum(axis=1).tolist(), np.einsum("ki,i->k", words, np.arange(width)).tolist()
    return [_folded(n * a - moment) << 16 | _folded(a) for n, a, moment in zip(lengths, sums, moments, strict=True)]


def _folded(total: int) -> int:
    """256 times a sum, modulo 65535, as repeated folding of the carry gives it: 65535 instead of 0, except for 0."""
    return total and (256 * total - 1) % 65535 + 1
