"""The file that a writer fills: beside its final name, locked, and given that name only when it is whole."""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path

from rigidsim.errors import StorageError

try:
    import fcntl
except ImportError:  # no such locks: two writers of one name lose the later one's work, not the file
    fcntl = None


class Spool(io.FileIO):
    """The bytes of a file under way, for HDF5 to write to.

    HDF5 does not survive a failed write: closing the file fails too, and the process ends with a segmentation fault. So
    it is never told of one: the first failure is kept for `check` to raise, and what comes after it is dropped.
    """

    def __init__(self, final: Path):
        self.final, self.path = final, final.with_name(f".{final.name}.tmp")
        self._failure: OSError | None = None
        # What an earlier process left behind when it was killed is taken over.
        super().__init__(self.path, "r+", opener=lambda path, _: os.open(path, os.O_RDWR | os.O_CREAT, 0o666))
        self._lock()
        super().truncate(0)

    def _lock(self) -> None:
        try:
            if fcntl:
                fcntl.flock(self.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Between opening and locking, the other process may have finished and renamed it.
            if self.path.exists() and os.path.samestat(os.fstat(self.fileno()), self.path.stat()):
                return
        except BlockingIOError:
            pass
        super().close()
        raise StorageError(f"another process is writing {self.final}")

    def write(self, data) -> int:
        """Write all of it, unless a write has failed."""
        view = memoryview(data).cast("B")
        try:
            done = 0
            while done < len(view) and not self._failure:
                done += super().write(view[done:])
        except OSError as error:
            self._failure = error
        return len(view)

    def truncate(self, size: int | None = None) -> int:
        """Set the length, unless a write has failed."""
        try:
            return size if self._failure else super().truncate(size)
        except OSError as error:
            self._failure = error
            return size

    def check(self) -> None:
        """Raise the first failure, if there was one."""
        if self._failure:
            raise self._failure

    def publish(self, replace: bool) -> None:
        """Give the file, now whole, its final name; never another's place unless `replace` says so."""
        self.check()
        os.fsync(self.fileno())
        try:
            if not replace:
                os.link(self.path, self.final)  # unlike a rename, it fails if the name is taken
        except FileExistsError:
            text = f"{self.final} was written by another process meanwhile; --force replaces it"
            raise StorageError(text) from None
        except OSError:  # a file system without links
            replace = True
        if replace:
            os.replace(self.path, self.final)
        self.discard()

    def discard(self) -> None:
        """Leave nothing behind, if it was not published."""
        if not self.closed:
            with contextlib.suppress(OSError):
                if os.path.samestat(os.fstat(self.fileno()), self.path.stat()):
                    self.path.unlink()
            super().close()
