"""The file that a writer fills: beside its final name, locked, and given that name only when it is whole."""

from __future__ import annotations

import contextlib
import io
import os
from collections import deque
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from rigidsim.errors import StorageError
from rigidsim.trajectory.destination import open_beside, path_beside

try:
    import fcntl
except ImportError:  # no such locks: two writers of one name lose the later one's work, not the file
    fcntl = None

KEPT_MARKS = 32
"""Marks that can be gone back to: the end of a file needs some room, which the last chunks must give up."""


@dataclass
class Mark:
    """A state of the file to come back to: its length, what was overwritten since, and what the writer noted."""

    size: int
    note: object
    overwritten: list[tuple[int, bytes]] = field(default_factory=list)


class Spool(io.FileIO):
    """The bytes of a file under way, for HDF5 to write to.

    HDF5 does not survive a failed write: closing the file fails too, and the process ends with a segmentation fault. So
    it is never told of one: the first failure is kept for `check` to raise, and what is written from then on is kept in
    memory, where HDF5 finds it again. `roll_back` then leads to a state that HDF5 once declared whole.
    """

    def __init__(self, final: Path):
        self.final, self.path = final, path_beside(final)
        self._failure: OSError | None = None
        self._marks: deque[Mark] = deque(maxlen=KEPT_MARKS)
        self._unwritten: list[tuple[int, bytes]] = []
        super().__init__(self.path, "r+", opener=open_beside)
        self._lock()
        super().truncate(0)

    def _lock(self) -> None:
        try:
            if fcntl:
                fcntl.flock(self.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Between opening and locking, the other process may have finished and renamed it.
            if self._is_in_place():
                return
        except BlockingIOError:
            pass
        super().close()
        raise StorageError(f"another process is writing {self.final}")

    def _is_in_place(self) -> bool:
        """Whether the name beside the final one still means this file."""
        with contextlib.suppress(FileNotFoundError):
            return os.path.samestat(os.fstat(self.fileno()), self.path.lstat())
        return False

    def write(self, data) -> int:
        """Write all of it, unless a write has failed."""
        begin, whole = self.tell(), bytes(data)
        try:
            if not self._failure:
                self._remember(begin, len(whole))
                self._write_all(begin, whole)
                return len(whole)
        except OSError as error:
            self._failure = error
        self._unwritten.append((begin, whole))
        self.seek(begin + len(whole))
        return len(whole)

    def _write_all(self, begin: int, whole: bytes) -> None:
        self.seek(begin)
        done = 0
        while done < len(whole):
            done += super().write(memoryview(whole)[done:])

    def readinto(self, buffer) -> int:
        """What the file holds, and what it would hold had the writes not failed."""
        begin, target = self.tell(), memoryview(buffer).cast("B")
        done = super().readinto(target)
        for offset, whole in self._unwritten:
            first, end = max(offset, begin), min(offset + len(whole), begin + len(target))
            if first < end:
                target[first - begin : end - begin] = whole[first - offset : end - offset]
                done = max(done, end - begin)
        self.seek(begin + done)
        return done

    def truncate(self, size: int | None = None) -> int:
        """Set the length, unless a write has failed."""
        size = self.tell() if size is None else size
        try:
            if not self._failure:
                self._remember(size, max(os.fstat(self.fileno()).st_size - size, 0))
                super().truncate(size)
        except OSError as error:
            self._failure = error
        return size

    def _remember(self, begin: int, length: int) -> None:
        """Note what is about to be lost of the state last marked."""
        if not self._marks:
            return
        length = min(begin + length, self._marks[-1].size) - begin
        if length > 0:
            here = self.tell()
            self.seek(begin)
            self._marks[-1].overwritten.append((begin, super().read(length)))
            self.seek(here)

    def check(self) -> None:
        """Raise the first failure, if there was one."""
        if self._failure:
            raise self._failure

    def mark(self, note: object) -> None:
        """The file is whole as it is now; `roll_back` comes back to it and gives the note."""
        if not self._failure:
            self._marks.append(Mark(os.fstat(self.fileno()).st_size, note))

    def roll_back(self) -> object | None:
        """Undo everything since the last mark, which is used up; its note, or None if there is no way back."""
        if not self._marks:
            return None
        mark = self._marks.pop()
        self._failure = None
        self._unwritten.clear()
        try:
            super().truncate(mark.size)  # first, so that what is restored finds room
            for offset, whole in reversed(mark.overwritten):
                self._write_all(offset, whole)
        except OSError as error:
            self._failure = error
            self._marks.clear()
            return None
        return mark.note

    def publish(self, replace: bool) -> Path:
        """Give the file, now whole, its final name, or one like it if that is taken and `replace` does not say so.

        Returns where it lies: beside the final name, if there is no way to rename it.
        """
        self.check()
        os.fsync(self.fileno())
        if not self._is_in_place():
            raise StorageError(f"{self.path}, which was to become {self.final}, was removed or replaced meanwhile")
        try:
            return self._replaced() if replace else self._named_free()
        except OSError:
            with contextlib.suppress(OSError):
                return self._named_free()
        super().close()
        return self.path

    def _replaced(self) -> Path:
        os.replace(self.path, self.final)
        super().close()
        return self.final

    def _named_free(self) -> Path:
        for number in count(1):
            name = self.final.name if number == 1 else f"{self.final.stem}-{number}{self.final.suffix}"
            with contextlib.suppress(FileExistsError):
                free = self.final.with_name(name)
                self._take(free)
                super().close()
                return free
        raise AssertionError("the numbers have no end")

    def _take(self, name: Path) -> None:
        """Rename to a name that nobody has; FileExistsError if someone does."""
        try:
            os.link(self.path, name)  # unlike a rename, it fails if the name is taken
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
            os.replace(self.path, name)
        else:
            self.path.unlink(missing_ok=True)

    def discard(self) -> None:
        """Leave nothing behind, if it was not published."""
        if not self.closed:
            with contextlib.suppress(OSError):
                if self._is_in_place():
                    self.path.unlink()
            super().close()
