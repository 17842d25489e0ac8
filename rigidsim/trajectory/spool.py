"""The temporary file of a writer: next to the final path, locked, and renamed when it is complete."""

from __future__ import annotations

import contextlib
import io
import os
from collections import deque
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import numpy as np

from rigidsim.errors import StorageError
from rigidsim.trajectory.checkpoint import FINISHED, Arrays, packed, unpacked
from rigidsim.trajectory.destination import checkpoint_path, open_temporary, temporary_path

try:
    import fcntl
except ImportError:  # no file locks: of two writers of one path, the later one fails at the end
    fcntl = None

MOST_COLLECTED = 1 << 20
"""Bytes that are collected before they are written."""
MOST_RESTORE_POINTS = 32
"""Completing a file on a full disk needs space, which is gained by discarding the last chunks."""


@dataclass
class RestorePoint:
    """A state of the file to restore: its length, the bytes overwritten since, and a note of the writer."""

    size: int
    note: object
    pending: list[tuple[int, bytes]]
    overwritten: list[tuple[int, bytes]] = field(default_factory=list)


class Spool(io.FileIO):
    """The temporary file that HDF5 writes to.

    HDF5 cannot handle a failed write: closing the file fails too, and the process ends with a segmentation fault. So
    failures are hidden from it: the first one is stored for `check` to raise, and later writes go to memory, from where
    HDF5 reads them back. `roll_back` then restores a state in which the file was complete. Consecutive writes are
    collected and written together, before anything is read.

    A killed process leaves the file as it was at the last `commit`, or longer: what was there is not overwritten until
    the next one. Its bytes wait in memory, are part of the checkpoint, a small file that is renamed when it is
    complete, and are written after that; `restore` writes them again.
    """

    def __init__(self, final: Path, keep: bool = False):
        """With `keep`, the file of a killed run is opened as it is; else it is emptied."""
        self.final, self.path = final, temporary_path(final)
        self._failure: OSError | None = None
        self._restore_points: deque[RestorePoint] = deque(maxlen=MOST_RESTORE_POINTS)
        self._unwritten: list[tuple[int, bytes]] = []
        self._committed: int | None = None  # the length of the file at the last commit
        self._pending: list[tuple[int, bytes]] = []  # writes before that length, since then
        self._held_size: int | None = None  # the length of the file while writes are held
        self._collected: list[bytes] = []
        self._collected_begin = self._collected_end = -1  # nothing is collected
        self._position = 0
        super().__init__(self.path, "r+", opener=open_temporary)
        self._lock()
        if not keep:
            self._remove_checkpoint()
            super().truncate(0)

    def _lock(self) -> None:
        try:
            if fcntl:
                fcntl.flock(self.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Between opening and locking, the other process may have finished and renamed the file.
            if self.is_in_place:
                return
        except BlockingIOError:
            pass
        super().close()
        raise StorageError(f"another process is writing {self.final}")

    @property
    def is_in_place(self) -> bool:
        """Whether the temporary path still refers to this file."""
        with contextlib.suppress(FileNotFoundError):
            return os.path.samestat(os.fstat(self.fileno()), self.path.lstat())
        return False

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Set the position of the next write or read."""
        if whence == os.SEEK_END:
            self._write_collected()
            offset += self._length()
        elif whence == os.SEEK_CUR:
            offset += self._position
        self._position = offset
        return offset

    def tell(self) -> int:
        """The position of the next write or read."""
        return self._position

    def write(self, data) -> int:
        """Write all bytes; to memory if a write has failed before."""
        content = bytes(data)
        if self._position != self._collected_end or self._collected_end - self._collected_begin > MOST_COLLECTED:
            self._write_collected()
            self._collected_begin = self._position
        self._collected.append(content)
        self._position = self._collected_end = self._position + len(content)
        return len(content)

    def _length(self) -> int:
        return max([os.fstat(self.fileno()).st_size, *(begin + len(content) for begin, content in self._unwritten)])

    def hold(self) -> None:
        """Keep all further writes in memory, until `held` returns them."""
        self._write_collected()
        self._held_size = os.fstat(self.fileno()).st_size

    def held(self) -> tuple[int, list[tuple[int, bytes]]]:
        """The length that the file would have, and the writes since `hold`, which were not made."""
        self._write_collected()
        found, self._unwritten = (max(self._held_size, self._length()), self._unwritten), []
        self._held_size = None
        return found

    def flush(self) -> None:
        """Write what was collected."""
        self._write_collected()

    def _write_collected(self) -> None:
        begin, content, self._collected = self._collected_begin, b"".join(self._collected), []
        self._collected_begin = self._collected_end = -1
        if not content:
            return
        try:
            if not self._failure and self._held_size is None:
                self._write_beyond(begin, content)
                return
        except OSError as error:
            self._failure = error
        self._unwritten.append((begin, content))

    def _write_beyond(self, begin: int, content: bytes) -> None:
        """Write what is beyond the last commit; the rest waits for the next one."""
        before = max((self._committed or 0) - begin, 0)
        if before:
            self._pending.append((begin, content[:before]))
        if content[before:]:
            self._remember(begin + before, len(content) - before)
            self._write_all(begin + before, content[before:])

    def _write_all(self, begin: int, content: bytes) -> None:
        super().seek(begin)
        done = 0
        while done < len(content):
            done += super().write(memoryview(content)[done:])

    def readinto(self, buffer) -> int:
        """Read the bytes of the file, with failed writes read from memory."""
        self._write_collected()
        begin, target = self._position, memoryview(buffer).cast("B")
        super().seek(begin)
        done = super().readinto(target)
        for offset, content in (*self._pending, *self._unwritten):
            first, end = max(offset, begin), min(offset + len(content), begin + len(target))
            if first < end:
                target[first - begin : end - begin] = content[first - offset : end - offset]
                done = max(done, end - begin)
        self._position = begin + done
        return done

    def truncate(self, size: int | None = None) -> int:
        """Set the length, unless a write has failed before."""
        self._write_collected()
        size = self._position if size is None else size
        if self._held_size is not None:
            self._held_size = size
            return size
        try:
            if not self._failure and size >= (self._committed or 0):
                self._remember(size, max(os.fstat(self.fileno()).st_size - size, 0))
                super().truncate(size)
        except OSError as error:
            self._failure = error
        return size

    def _remember(self, begin: int, length: int) -> None:
        """Store the bytes of the last restore point that are about to be overwritten."""
        if not self._restore_points:
            return
        length = min(begin + length, self._restore_points[-1].size) - begin
        if length > 0:
            super().seek(begin)
            self._restore_points[-1].overwritten.append((begin, super().read(length)))

    def check(self) -> None:
        """Write what was collected; raise the first failure, if there was one."""
        self._write_collected()
        if self._failure:
            raise self._failure

    def mark(self, note: object) -> None:
        """Add a restore point: the file is complete now. `roll_back` restores it and returns the note."""
        self._write_collected()
        if not self._failure:
            self._restore_points.append(RestorePoint(os.fstat(self.fileno()).st_size, note, [*self._pending]))

    def roll_back(self) -> object | None:
        """Restore and remove the last restore point; its note, or None if that is impossible."""
        if not self._restore_points:
            return None
        point = self._restore_points.pop()
        self._failure = None
        self._unwritten.clear()
        self._collected.clear()
        self._collected_begin = self._collected_end = -1
        self._pending, self._committed = [], None
        try:
            self._remove_checkpoint()
            super().truncate(point.size)  # first, to free space for the restored bytes
            for offset, content in (*reversed(point.overwritten), *point.pending):
                self._write_all(offset, content)
        except OSError as error:
            self._failure = error
            self._restore_points.clear()
            return None
        return point.note

    def commit(self, arrays: Arrays) -> None:
        """Make the file as it is now what a killed process leaves, together with these arrays."""
        self.check()
        size = os.fstat(self.fileno()).st_size
        begins = [(begin, len(content)) for begin, content in self._pending]
        written = {
            "spool.size": np.array(size),
            "spool.begins": np.array(begins, dtype=np.int64).reshape(-1, 2),
            "spool.content": np.frombuffer(b"".join(content for _, content in self._pending), np.uint8),
        }
        path = checkpoint_path(self.final)
        new = path.with_name(f"{path.name}.new")
        try:
            with open(new, "wb", opener=open_temporary) as file:
                file.truncate(0)
                file.write(packed({**arrays, **written}))
            os.replace(new, path)
        except BaseException:
            new.unlink(missing_ok=True)
            raise
        self._committed = size
        self._apply()

    def _apply(self) -> None:
        """Make the writes that a commit contains."""
        for begin, content in self._pending:
            self._remember(begin, len(content))
            self._write_all(begin, content)
        self._pending = []

    def restore(self) -> dict[str, np.ndarray]:
        """Make the file of a killed process what it was at its last commit; returns the arrays given there."""
        path = checkpoint_path(self.final)
        arrays = unpacked(path.read_bytes(), path)
        self._committed = int(arrays.pop("spool.size"))
        content, done = arrays.pop("spool.content").tobytes(), 0
        for begin, length in arrays.pop("spool.begins").tolist():
            self._pending.append((begin, content[done : done + length]))
            done += length
        self._apply()
        super().truncate(self._committed)
        return arrays

    def _remove_checkpoint(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            checkpoint_path(self.final).unlink()

    def publish(self, replace: bool) -> Path:
        """Rename the complete file to its final path, or to a numbered one if that exists and `replace` is false.

        Returns its path, which is the temporary one if it cannot be renamed.
        """
        self.check()
        if self._committed is not None:
            self.commit({FINISHED: np.array(1)})
        os.fsync(self.fileno())
        if not self.is_in_place:
            raise StorageError(f"cannot rename {self.path} to {self.final}: it was removed or replaced during the run")
        found = self._named(replace)
        if found != self.path:
            self._remove_checkpoint()
        return found

    def _named(self, replace: bool) -> Path:
        """Rename the file and close it; its path."""
        try:
            return self._renamed() if replace else self._renamed_to_free()
        except OSError:
            with contextlib.suppress(OSError):
                return self._renamed_to_free()
        super().close()
        return self.path

    def _renamed(self) -> Path:
        os.replace(self.path, self.final)
        super().close()
        return self.final

    def _renamed_to_free(self) -> Path:
        for number in count(1):
            name = self.final.name if number == 1 else f"{self.final.stem}-{number}{self.final.suffix}"
            with contextlib.suppress(FileExistsError):
                free = self.final.with_name(name)
                self._take(free)
                super().close()
                return free
        raise AssertionError("unreachable")

    def _take(self, name: Path) -> None:
        """Rename without overwriting; FileExistsError if the name exists."""
        try:
            os.link(self.path, name)  # unlike rename, it fails if the name exists
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
            os.replace(self.path, name)
        else:
            self.path.unlink(missing_ok=True)

    def discard(self) -> None:
        """Remove the temporary file unless it was published, or can be continued from its last commit."""
        if not self.closed:
            with contextlib.suppress(OSError):
                if self.is_in_place and self._committed is None:
                    self.path.unlink()
            super().close()
