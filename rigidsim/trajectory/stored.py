"""Reading a trajectory file that may be damaged: nothing is used before it was checked."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import h5py
import numpy as np

from rigidsim.errors import FormatError, StorageError, UsageError

try:
    import fcntl
except ImportError:
    fcntl = None

DAMAGES = (OSError, KeyError, ValueError, TypeError, RuntimeError, AttributeError, MemoryError)
"""Exceptions that h5py and HDF5 raise for a damaged file."""
HEAP_SIGNATURE = re.compile(rb"GCOL\x01")
HEAP_HEADER = OBJECT_HEADER = 16


@contextmanager
def as_format_error(path: Path, what: str = "") -> Iterator[None]:
    """Convert exceptions of h5py about a damaged file to FormatError."""
    try:
        yield
    except DAMAGES as error:
        reason = (str(error).splitlines() or [""])[0][:200]
        place = f"{what}: " if what else ""
        raise FormatError(f"{path} is damaged: {place}{type(error).__name__}: {reason}") from error


class GuardedFile(io.FileIO):
    """A file that HDF5 reads from.

    HDF5 stores text in heaps without a checksum, and some damage to their lengths sends it into an endless loop. So
    each heap is checked before HDF5 reads it; a damaged one raises OSError.
    """

    def __init__(self, path: Path):
        super().__init__(path, "r")
        self._checked: set[int] = set()

    def lock(self) -> None:
        """Lock the file against writers, as HDF5 does; BlockingIOError if it is being written."""
        try:
            if fcntl:
                fcntl.flock(self.fileno(), fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:  # a file system without locks
            pass

    def readinto(self, buffer) -> int:
        """Fill a buffer, and check the heaps that begin in it."""
        begin = self.tell()
        done = super().readinto(buffer)
        for found in HEAP_SIGNATURE.finditer(memoryview(buffer)[:done]):
            self._check_heap(begin + found.start())
        self.seek(begin + done)
        return done

    def _check_heap(self, begin: int) -> None:
        if begin in self._checked:
            return
        length = int.from_bytes(self._bytes(begin + 8, 8), "little")
        if length > os.fstat(self.fileno()).st_size - begin or not _is_heap(self._bytes(begin, length)):
            raise OSError(f"the text at byte {begin} is invalid")
        self._checked.add(begin)

    def _bytes(self, begin: int, length: int) -> bytes:
        self.seek(begin)
        return super().read(length)


def _is_heap(heap: bytes) -> bool:
    """Whether the objects of a heap are contiguous up to its end: the header of each holds a number and, in its second
    half, a length; number 0 is free space, with the header included in the length.
    """
    place = HEAP_HEADER
    while place + OBJECT_HEADER <= len(heap):
        number = int.from_bytes(heap[place : place + 2], "little")
        length = int.from_bytes(heap[place + 8 : place + 16], "little")
        step = OBJECT_HEADER + -(-length // 8) * 8 if number else length
        if step == 0 or step > len(heap) - place:
            return False
        place += step
    return len(heap) >= HEAP_HEADER


def opened(path: Path) -> tuple[h5py.File, Callable[[], None]]:
    """An HDF5 file opened for reading, and a function that closes it. Raises StorageError or FormatError."""
    raw = _raw(path)
    try:
        raw.lock()
        file = h5py.File(raw, "r")
    except BlockingIOError:
        raw.close()
        raise StorageError(f"{path} cannot be read: another process is writing it") from None
    except (OSError, RuntimeError) as error:
        raw.close()
        raise FormatError(f"{path} is not an HDF5 file, or it is damaged") from error

    def close() -> None:
        file.close()
        raw.close()

    return file, close


def _raw(path: Path) -> GuardedFile:
    try:
        if path.is_dir():
            raise StorageError(f"{path} is a folder, not a trajectory file")
        if path.exists() and not path.is_file():
            raise StorageError(f"{path} is not a regular file")
        return GuardedFile(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StorageError(f"{path} cannot be read: {reason}") from None


def format_of(path: Path) -> str:
    """The format name stored in a file; empty if there is none."""
    file, close = opened(path)
    try:
        with as_format_error(path):
            return str(file.attrs.get("format", ""))
    finally:
        close()


class StoredArray:
    """A dataset that is read when it is indexed; pickled, it becomes an array in memory.

    On first access `digest` reads the whole dataset and raises FormatError if it is damaged.
    """

    def __init__(self, dataset: h5py.Dataset, path: Path, digest: Callable[[], bytes], *, is_checked: bool = False):
        self._dataset, self._path, self._is_checked = dataset, path, is_checked
        self.shape, self.dtype = dataset.shape, dataset.dtype
        self._digest = cache(digest)

    @property
    def digest(self) -> bytes:
        """SHA-256 of the bytes, after checking them."""
        if not self._dataset:
            raise UsageError(f"{self._path} was closed before this array was read")
        return self._digest()

    def __getitem__(self, key) -> np.ndarray:
        if not self._dataset:
            raise UsageError(f"{self._path} was closed before this array was read")
        if not self._is_checked:
            self._digest()
        with as_format_error(self._path, self._dataset.name.lstrip("/")):
            return self._dataset[key]

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.asarray(self[()], dtype=dtype)

    def __reduce__(self):
        return np.asarray, (np.asarray(self),)
