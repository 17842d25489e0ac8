"""Reading a trajectory file that may be damaged: nothing is used before it was checked."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import h5py
import numpy as np

from rigidsim.errors import FormatError, StorageError, UsageError
from rigidsim.trajectory.selection import Selection
from rigidsim.trajectory.stored_chunks import Source, StoredChunks

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]  # a module that some systems lack

DAMAGES = (OSError, LookupError, ValueError, TypeError, RuntimeError, AttributeError, ArithmeticError, MemoryError)
"""Exceptions that h5py and HDF5 raise for a damaged file."""
HEAP_SIGNATURE = re.compile(rb"GCOL\x01\0{3}")  # eight bytes, which samples do not have by chance
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
        done = super().readinto(buffer)
        for found in HEAP_SIGNATURE.finditer(memoryview(buffer)[:done]):
            end = self.tell()
            self._check_heap(end - done + found.start())
            self.seek(end)
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


def is_locked(path: Path) -> bool:
    """Whether a process is writing an existing file."""
    with _raw(path) as file:
        try:
            file.lock()
        except BlockingIOError:
            return True
    return False


class OpenedFile(NamedTuple):
    """An HDF5 file opened for reading, and the file that it reads from."""

    file: h5py.File
    raw: GuardedFile

    def close(self) -> None:
        """Close both."""
        self.file.close()
        self.raw.close()


def opened(path: Path, lock: bool = True) -> OpenedFile:
    """Open an HDF5 file for reading; with `lock`, not while another process writes it. Raises StorageError or
    FormatError.
    """
    raw = _raw(path)
    try:
        if lock:
            raw.lock()
        return OpenedFile(h5py.File(raw, "r"), raw)
    except BlockingIOError:
        raw.close()
        raise StorageError(f"{path} cannot be read: another process is writing it") from None
    except (OSError, RuntimeError) as error:
        raw.close()
        if path.suffix in (".yaml", ".yml"):
            raise FormatError(f"{path} is not a trajectory; if it is a scene, rigidsim run {path} makes one") from error
        raise FormatError(f"{path} is not an HDF5 file, or it is damaged") from error


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


def format_of(path: Path, lock: bool = True) -> str:
    """The format name stored in a file; empty if there is none."""
    found = opened(path, lock)
    try:
        with as_format_error(path):
            return str(found.file.attrs.get("format", ""))
    finally:
        found.close()


class StoredArray:
    """A dataset that is read when it is indexed; pickled, it becomes an array in memory.

    With `chunks`, a part of it is verified by the chunks it is in. All of it, and each part if there are no `chunks`,
    is verified by `check`, which returns the SHA-256 of what it is given, the dataset or all its values, and raises
    FormatError if it is another one than was written; once, unless it `is_checked` already.
    """

    def __init__(
        self,
        dataset: h5py.Dataset,
        path: Path,
        check: Callable[[Source], bytes],
        *,
        chunks: StoredChunks | None = None,
        is_checked: bool = False,
    ):
        self._dataset, self._path, self._check, self._is_checked = dataset, path, check, is_checked
        self._chunks, self._source = chunks, dataset if chunks is None else chunks
        self._digest: bytes | None = None
        self.shape, self.dtype = dataset.shape, dataset.dtype

    @property
    def digest(self) -> bytes:
        """SHA-256 of the bytes, after checking them."""
        self._require_open()
        if self._digest is None:
            self._digest = self._check(self._source)
        return self._digest

    def __getitem__(self, key) -> np.ndarray:
        self._require_open()
        selection = Selection.of(key, self.shape)
        if selection is None or selection.shape == self.shape:
            return self._whole()[key]
        if self._chunks is None and not self._is_checked:
            _ = self.digest
        with as_format_error(self._path, self._dataset.name.lstrip("/")):
            return self._source[selection.box][selection.rest]

    def is_same(self, other: StoredArray, samples: slice) -> bool:
        """Whether both files store the same bytes for these samples; False also if that takes more than to compare
        their chunks.
        """
        self._require_open()
        if self._chunks is None or other._chunks is None:
            return False
        with as_format_error(self._path, self._dataset.name.lstrip("/")):
            return self._chunks.is_same(other._chunks, samples)

    def _whole(self) -> np.ndarray:
        # HDF5 is faster with the small chunks of the times and energies.
        source = self._source if len(self.shape) > 1 else self._dataset
        with as_format_error(self._path, self._dataset.name.lstrip("/")):
            values = source[()]
        if self._digest is None and not self._is_checked:
            self._digest = self._check(values)
        return values

    def _require_open(self) -> None:
        if not self._dataset:
            raise UsageError(f"{self._path} was closed before this array was read")

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.asarray(self[()], dtype=dtype)

    def __reduce__(self):
        return np.asarray, (np.asarray(self),)
