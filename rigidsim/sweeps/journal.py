"""Several writes to a result file as one: after a kill between them, they are repeated from a journal.

HDF5 completes a file by writes to several places, between which it is not valid. So they are first written to a file of
their own, the journal, and the next writer of the result file repeats them.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from rigidsim.trajectory.destination import open_temporary, temporary_path
from rigidsim.trajectory.spool import Spool

HEAD = struct.Struct("<QQ")  # the number of the result file in its file system, and its length
PLACE = struct.Struct("<QQ")  # where the bytes begin that follow, and how many there are
DIGEST_BYTES = 32


def journal_path(path: Path) -> Path:
    """The journal of the result file with this final path."""
    return path.with_name(f".{path.name}.journal.tmp")


@contextmanager
def as_one(spool: Spool) -> Iterator[None]:
    """All writes in this context are kept in memory; at its end they are written to the journal, then to the file."""
    spool.hold()
    yield
    size, writes = spool.held()
    body = HEAD.pack(os.fstat(spool.fileno()).st_ino, size)
    body += b"".join(PLACE.pack(begin, len(content)) + content for begin, content in writes)
    with open(journal_path(spool.final), "r+b", opener=open_temporary) as journal:
        journal.truncate(0)
        journal.write(sha256(body).digest() + body)
        journal.flush()
        os.fsync(journal.fileno())
    _apply(spool, body)
    discard_journal(spool.final)


def replay(path: Path) -> None:
    """Repeat the writes of a complete journal, if there is one for the temporary file of this path."""
    if not (journal_path(path).exists() and temporary_path(path).exists()):
        return
    with open(journal_path(path), "rb", opener=open_temporary) as journal:
        content = journal.read()
    digest, body = content[:DIGEST_BYTES], content[DIGEST_BYTES:]
    if sha256(body).digest() == digest and len(body) >= HEAD.size:
        spool = Spool(path, keep=True)
        try:
            if os.fstat(spool.fileno()).st_ino == HEAD.unpack_from(body)[0]:
                _apply(spool, body)
        finally:
            spool.close()
    discard_journal(path)


def discard_journal(path: Path) -> None:
    """Remove the journal."""
    journal_path(path).unlink(missing_ok=True)


def _apply(spool: Spool, body: bytes) -> None:
    """Write what a journal has, and make it last."""
    _, size = HEAD.unpack_from(body)
    place = HEAD.size
    while place < len(body):
        begin, length = PLACE.unpack_from(body, place)
        place += PLACE.size
        spool.seek(begin)
        spool.write(body[place : place + length])
        place += length
    spool.truncate(size)
    spool.check()
    os.fsync(spool.fileno())
