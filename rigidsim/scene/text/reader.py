"""From YAML text to a document with locations, by the event stream, so that no input can exhaust memory, time or
stack.
"""

from __future__ import annotations

import gc
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import yaml

from rigidsim.errors import Problem, SceneError, StorageError
from rigidsim.scene.text.builder import TOO_DEEP, Builder
from rigidsim.scene.text.document import Document

MAX_BYTES = 64 * 2**20
HDF5 = b"\x89HDF"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
TOO_DEEP_FOR_PARSER = "exceeded maximum nesting depth"  # of libyaml, which reads ahead of its events
FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def read_file(path: Path | str) -> Document:
    """The document in a YAML file."""
    path = Path(path)
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise StorageError(f"{path} is a directory; a scene is a YAML file")
        if not stat.S_ISREG(status.st_mode):
            raise StorageError(f"{path} is not a regular file; a scene is a YAML file")
        with path.open("rb") as file:
            # One byte more than allowed is enough to detect a file that is too large.
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise StorageError(f"{str(path)!r} is not a file name") from None
    return read_bytes(content, str(path))


def read_stream(stream: BinaryIO, name: str) -> Document:
    """The document in a stream of bytes."""
    try:
        return read_bytes(stream.read(MAX_BYTES + 1), name)
    except OSError as error:
        raise StorageError(f"{name} cannot be read: {error.strerror or error}") from None


def read_bytes(content: bytes, file: str) -> Document:
    """The document in bytes of YAML, which must be UTF-8."""
    _refuse_oversize(len(content), file)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8-sig")
        message, hint = f"byte 0x{content[error.start]:02x} is not valid UTF-8", "save it as UTF-8"
        if content.startswith(HDF5):
            message, hint = (
                "this is an HDF5 file, such as a trajectory, not a scene",
                "rigidsim inspect shows what it has",
            )
        document = Document(None, file, before)
        raise SceneError([document.problem_at(_end_of(before), "encoding", message, hint=hint)]) from None
    return read_text(text, file)


def read_text(text: str, file: str) -> Document:
    """The document in a string of YAML."""
    _refuse_oversize(len(text), file)
    forbidden = FORBIDDEN.search(text)
    if forbidden:
        message = f"the character U+{ord(forbidden[0]):04X} is not allowed in YAML"
        mark = _end_of(text[: forbidden.start()])
        raise SceneError([Document(None, file, text).problem_at(mark, "character", message, hint="remove it")])
    document = Document(None, file, text)
    builder = Builder(document)
    with collector_paused():
        try:
            for event in yaml.parse(text, Loader=LOADER):
                builder.take(event)
        except yaml.MarkedYAMLError as error:
            raise SceneError([_syntax_problem(document, error)]) from None
    return document


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause garbage collection: while a large tree is built it frees nothing and takes most of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _refuse_oversize(size: int, file: str) -> None:
    if size > MAX_BYTES:
        message = f"the scene is larger than {MAX_BYTES // 2**20} MiB"
        raise SceneError([Problem("size", message, file=file)])


def _end_of(text: str) -> tuple[int, int]:
    lines = re.split("\r\n|[\n\r\x85\u2028\u2029]", text)
    return len(lines), len(lines[-1]) + 1


def _syntax_problem(document: Document, error: yaml.MarkedYAMLError) -> Problem:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    if line > len(document.lines):
        line, column = _end_of(document.text.rstrip())
    if document.lines and document.lines[line - 1][column - 1 : column] == "\t":
        return document.problem_at((line, column), "syntax", "a tab is not allowed here", hint="indent with spaces")
    if error.problem == TOO_DEEP_FOR_PARSER:
        return document.problem_at((line, column), "depth", TOO_DEEP)
    message = ", ".join(part for part in (error.problem, error.context) if part)
    return document.problem_at((line, column), "syntax", message)
