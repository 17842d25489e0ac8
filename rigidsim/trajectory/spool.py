"""The temporary file of a writer: next to the final path, locked, and renamed when it is complete. So under its final
name a file is complete, or not there.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

import numpy as np

from rigidsim.arguments import file_path
from rigidsim.errors import StorageError
from rigidsim.trajectory.checkpoint import FINISHED, Arrays, packed, unpacked
from rigidsim.trajectory.destination import (
    IN_PYTHON,
    FileKind,
    Hints,
    as_storage_error,
    check_output,
    checkpoint_path,
    may_replace,
    open_temporary,
    temporary_path,
)

try:
    import fcntl
except ImportError:  # no file locks: of two writers of one path, the later one fails at the end
    fcntl = None  # type: ignore[assignment]  # a module that some systems lack

MOST_COLLECTED = 1 << 20
"""Bytes that are collected before they are written."""
MOST_MARKS = 32
"""Completing a file on a full disk needs space, which is gained by discarding the last chunks."""
Writes = list[tuple[int, bytes]]
"""Where bytes are to be written, and the bytes, in this order."""


@dataclass
class Mark:
    """A state of the file to go back to: its length, what the disk has otherwise now, and a note of the writer."""

    size: int
    writes: Writes
    note: object


class Spool(io.FileIO):
    """The temporary file that HDF5 writes to.

    HDF5 cannot handle a failed write: closing the file fails too, and the process ends with a segmentation fault. So
    failures are hidden from it: the first one is stored for `check` to raise, and later writes wait in memory, from
    where HDF5 reads them back. Consecutive writes are collected and written together, before anything is read.

    Writes before the end that the file had at its last `mark` or `commit` wait in memory, too. So the disk always has
    the states to go back to: after a full disk that of a mark (`roll_back`), after a kill that of the last commit
    (`restore`). A commit writes what waits into a checkpoint beside the file, which is renamed when it is complete, and
    then into the file; a killed process has not made all of these writes, and they are made again.
    """

    def __init__(self, final: Path, keep: bool = False):
        """With `keep`, the file of a killed run is opened as it is; else it is emptied."""
        self.final, self.path = final, temporary_path(final)
        self._failure: OSError | None = None
        self._marks: deque[Mark] = deque(maxlen=MOST_MARKS)
        self._waiting: Writes = []
        self._kept = 0  # bytes that are not overwritten on the disk
        self._is_committed = False  # what is kept is what a killed process leaves
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
            self.flush()
            ends = (begin + len(content) for begin, content in self._waiting)
            offset += max([os.fstat(self.fileno()).st_size, *ends])
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
            self.flush()
            self._collected_begin = self._position
        self._collected.append(content)
        self._position = self._collected_end = self._position + len(content)
        return len(content)

    def flush(self) -> None:
        """Write what was collected."""
        begin, content, self._collected = self._collected_begin, b"".join(self._collected), []
        self._collected_begin = self._collected_end = -1
        waiting = len(content) if self._failure else min(max(self._kept - begin, 0), len(content))
        if content[waiting:]:
            try:
                self._write_all(begin + waiting, content[waiting:])
            except OSError as error:
                self._failure, waiting = error, len(content)
        if waiting:
            self._waiting.append((begin, content[:waiting]))

    def _write_all(self, begin: int, content: bytes) -> None:
        super().seek(begin)
        done = 0
        while done < len(content):
            done += super().write(memoryview(content)[done:])

    def readinto(self, buffer) -> int:
        """Read the bytes of the file, with failed writes read from memory."""
        self.flush()
        begin, target = self._position, memoryview(buffer).cast("B")
        super().seek(begin)
        done = super().readinto(target)
        for offset, content in self._waiting:
            first, end = max(offset, begin), min(offset + len(content), begin + len(target))
            if first < end:
                target[first - begin : end - begin] = content[first - offset : end - offset]
                done = max(done, end - begin)
        self._position = begin + done
        return done

    def truncate(self, size: int | None = None) -> int:
        """Set the length, unless a write has failed before, or bytes would be lost that a killed process leaves."""
        self.flush()
        size = self._position if size is None else size
        try:
            if not (self._failure or (self._is_committed and size < self._kept)):
                self._set_aside([(size, max(os.fstat(self.fileno()).st_size - size, 0))])
                super().truncate(size)
        except OSError as error:
            self._failure = error
        return size

    def _set_aside(self, places: Sequence[tuple[int, int]]) -> None:
        """Give the marks the bytes at some places, which are about to be overwritten."""
        if self._marks:
            found = []
            for begin, length in places:
                super().seek(begin)
                found.append((begin, super().read(length)))
            for mark in self._marks:
                mark.writes = found + mark.writes

    def _write_waiting(self) -> None:
        """Write what waits."""
        try:
            self._set_aside([(begin, len(content)) for begin, content in self._waiting])
            for begin, content in self._waiting:
                self._write_all(begin, content)
        except OSError as error:
            self._failure = error
            raise
        self._waiting = []

    def check(self) -> None:
        """Write what was collected; raise the first failure, if there was one."""
        self.flush()
        if self._failure:
            raise self._failure

    def mark(self, note: object) -> None:
        """Keep the file as it is now: `roll_back` restores it and returns the note."""
        self.check()
        if not self._is_committed:
            self._write_waiting()
        self._kept = os.fstat(self.fileno()).st_size
        self._marks.append(Mark(self._kept, [*self._waiting], note))

    def roll_back(self) -> object | None:
        """Restore and remove the last mark; its note, or None if that is impossible."""
        if not self._marks:
            return None
        mark = self._marks.pop()
        self._failure = None
        self._collected.clear()
        self._collected_begin = self._collected_end = -1
        self._waiting, self._kept, self._is_committed = mark.writes, mark.size, False
        try:
            self._remove_checkpoint()
            super().truncate(mark.size)  # first, to free space for the restored bytes
            self._write_waiting()
        except OSError as error:
            self._failure = error
            self._marks.clear()
            return None
        return mark.note

    def keep(self) -> None:
        """Make the file as it is now what a killed process leaves."""
        self.flush()
        self._kept, self._is_committed = os.fstat(self.fileno()).st_size, True

    def commit(self, arrays: Arrays) -> None:
        """Make the file as it is now what a killed process leaves, together with these arrays."""
        self.check()
        size = os.fstat(self.fileno()).st_size
        begins = [(begin, len(content)) for begin, content in self._waiting]
        written = {
            "spool.size": np.array(size),
            "spool.begins": np.array(begins, dtype=np.int64).reshape(-1, 2),
            "spool.content": np.frombuffer(b"".join(content for _, content in self._waiting), np.uint8),
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
        self.keep()
        self._write_waiting()

    def restore(self) -> dict[str, np.ndarray]:
        """Make the file of a killed process what it was at its last commit; returns the arrays given there."""
        path = checkpoint_path(self.final)
        arrays = unpacked(path.read_bytes(), path)
        content, done = arrays.pop("spool.content").tobytes(), 0
        for begin, length in arrays.pop("spool.begins").tolist():
            self._waiting.append((begin, content[done : done + length]))
            done += length
        self._write_waiting()
        super().truncate(int(arrays.pop("spool.size")))
        self.keep()
        return arrays

    def _remove_checkpoint(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            checkpoint_path(self.final).unlink()

    def publish_as(self, kind: FileKind, force: bool) -> None:
        """Rename the complete file to its final path. Raises StorageError if another process has written that path in
        the meantime, unless `force` is given and it has a file of the same kind; the complete file has another name.
        """
        found = self.publish(may_replace(self.final, kind, force))
        if found != self.final:
            raise StorageError(
                f"{self.final} was written by another process in the meantime; this file was saved as {found}"
            )

    def publish(self, replace: bool) -> Path:
        """Rename the complete file to its final path, or to a numbered one if that exists and `replace` is false.

        Returns its path, which is the temporary one if it cannot be renamed.
        """
        self.check()
        if self._is_committed:
            self.commit({FINISHED: np.array(1)})
        self._write_waiting()
        os.fsync(self.fileno())
        if not self.is_in_place:
            raise StorageError(f"cannot rename {self.path} to {self.final}: it was removed or replaced during the run")
        found = self._named(replace)
        super().close()
        if found != self.path:
            self._remove_checkpoint()
        return found

    def _named(self, replace: bool) -> Path:
        """Rename the file; its path."""
        with contextlib.suppress(OSError):
            if replace:
                os.replace(self.path, self.final)
                return self.final
        numbered = (self.final.with_name(f"{self.final.stem}-{k}{self.final.suffix}") for k in count(2))
        with contextlib.suppress(OSError):
            for free in chain([self.final], numbered):
                with contextlib.suppress(FileExistsError):
                    self._take(free)
                    return free
        return self.path

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
                if self.is_in_place and not self._is_committed:
                    self.path.unlink()
            super().close()


@contextlib.contextmanager
def published(path: str | Path, kind: FileKind, force: bool, hints: Hints = IN_PYTHON) -> Iterator[Spool]:
    """A temporary file next to a path, open for writing, which gets its name at the end. After an exception it is
    removed.

    Raises StorageError if it cannot be written, or if the path exists and `force` is false.
    """
    path = file_path(path, "the file")
    check_output(path, kind, force, hints)
    with as_storage_error(path):
        spool = Spool(path)
        try:
            yield spool
            spool.check()
            spool.publish_as(kind, force)
        finally:
            spool.discard()
