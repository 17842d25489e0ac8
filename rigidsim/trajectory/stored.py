"""A trajectory file as it is read: nothing is believed before it was checked."""

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
"""What h5py and HDF5 raise for a file whose bytes make no sense."""
HEAP_BEGINS = re.compile(rb"GCOL\x01")
HEAP_HEAD = OBJECT_HEAD = 16


@contextmanager
def damage_told(path: Path, what: str = "") -> Iterator[None]:
    """The complaints of h5py about a damaged file, as ours."""
    try:
        yield
    except DAMAGES as error:
        reason = (str(error).splitlines() or [""])[0][:200]
        place = f"{what}: " if what else ""
        raise FormatError(f"{path} is damaged: {place}{type(error).__name__}: {reason}") from error


class GuardedFile(io.FileIO):
    """The bytes of a file, for HDF5 to read.

    HDF5 keeps text in heaps without a checksum, and some damage to the lengths in there sends it into an endless loop.
    So each heap is walked before HDF5 sees it; a false one is an OSError.
    """

    def __init__(self, path: Path):
        super().__init__(path, "r")
        self._sound: set[int] = set()

    def lock(self) -> None:
        """Share the file with other readers only, as HDF5 does; BlockingIOError if someone writes it."""
        try:
            if fcntl:
                fcntl.flock(self.fileno(), fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:  # a file system without locks
            pass

    def readinto(self, buffer) -> int:
        """Fill a buffer."""
        begin = self.tell()
        done = super().readinto(buffer)
        for found in HEAP_BEGINS.finditer(memoryview(buffer)[:done]):
            self._check_heap(begin + found.start())
        self.seek(begin + done)
        return done

    def _check_heap(self, begin: int) -> None:
        if begin in self._sound:
            return
        length = int.from_bytes(self._bytes(begin + 8, 8), "little")
        if length > os.fstat(self.fileno()).st_size - begin or not _is_heap(self._bytes(begin, length)):
            raise OSError(f"the text at byte {begin} makes no sense")
        self._sound.add(begin)

    def _bytes(self, begin: int, length: int) -> bytes:
        self.seek(begin)
        return super().read(length)


def _is_heap(heap: bytes) -> bool:
    """Whether the objects of a heap follow each other to its end: each has a number and, in the second half of its
    head, a length; number 0 is what is free, head and all.
    """
    place = HEAP_HEAD
    while place + OBJECT_HEAD <= len(heap):
        number = int.from_bytes(heap[place : place + 2], "little")
        length = int.from_bytes(heap[place + 8 : place + 16], "little")
        step = OBJECT_HEAD + -(-length // 8) * 8 if number else length
        if step == 0 or step > len(heap) - place:
            return False
        place += step
    return len(heap) >= HEAP_HEAD


def opened(path: Path) -> tuple[h5py.File, Callable[[], None]]:
    """An HDF5 file, to be read, and what closes it. Raises StorageError or FormatError."""
    raw = _raw(path)
    try:
        raw.lock()
        file = h5py.File(raw, "r")
    except BlockingIOError:
        raw.close()
        raise StorageError(f"{path} cannot be read: another program is writing it") from None
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
    """The name of the format that a file says it has; empty if it says nothing."""
    file, close = opened(path)
    try:
        with damage_told(path):
            return str(file.attrs.get("format", ""))
    finally:
        close()


class StoredArray:
    """A dataset, read when and where it is indexed; pickled, it becomes an array in memory.

    The first time, `digest` reads all of it, and raises FormatError if it is not what was written.
    """

    def __init__(self, dataset: h5py.Dataset, path: Path, digest: Callable[[], bytes], *, is_checked: bool = False):
        self._dataset, self._path, self._is_checked = dataset, path, is_checked
        self.shape, self.dtype = dataset.shape, dataset.dtype
        self._digest = cache(digest)

    @property
    def digest(self) -> bytes:
        """SHA-256 of its bytes, which are those that were written."""
        if not self._dataset:
            raise UsageError(f"{self._path} was closed before this was read")
        return self._digest()

    def __getitem__(self, key) -> np.ndarray:
        if not self._dataset:
            raise UsageError(f"{self._path} was closed before this was read")
        if not self._is_checked:
            self._digest()
        with damage_told(self._path, self._dataset.name.lstrip("/")):
            return self._dataset[key]

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.asarray(self[()], dtype=dtype)

    def __reduce__(self):
        return np.asarray, (np.asarray(self),)
