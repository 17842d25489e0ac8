"""What an unfinished run needs to be continued, as plain arrays: in the file of a run that ended, or beside that of one
under way.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import h5py
import numpy as np

from rigidsim.errors import FormatError
from rigidsim.trajectory.stored import as_format_error

if TYPE_CHECKING:
    from rigidsim.trajectory.events import Events
    from rigidsim.trajectory.header import Header

CHECKPOINT = "checkpoint"
Arrays = Mapping[str, np.ndarray]
NOTHING: Arrays = MappingProxyType({})
FINISHED = "finished"
"""The name of what is left if a file is complete and only has to get its name."""


class Unfinished(NamedTuple):
    """What a killed process left: arrays in groups, `group/name`; the header of its file and the events up to then."""

    arrays: Arrays
    header: Header | None = None
    events: Events | None = None

    @property
    def is_finished(self) -> bool:
        """Whether the file is complete."""
        return FINISHED in self.arrays

    def group(self, name: str) -> dict[str, np.ndarray]:
        """The arrays of a group by their names."""
        begin = f"{name}/"
        return {key.removeprefix(begin): array for key, array in self.arrays.items() if key.startswith(begin)}


def joined(groups: Mapping[str, Mapping[str, object]]) -> dict[str, np.ndarray]:
    """The arrays of some groups by their full names."""
    return {f"{group}/{name}": np.asarray(array) for group, given in groups.items() for name, array in given.items()}


def packed(arrays: Arrays) -> bytes:
    """Arrays as the bytes of a NumPy archive (.npz)."""
    content = io.BytesIO()
    named: dict[str, Any] = {**arrays}
    np.savez_compressed(content, **named)
    return content.getvalue()


def unpacked(content: bytes, path: Path) -> dict[str, np.ndarray]:
    """The arrays in the bytes of an archive. Raises FormatError if they are damaged; `path` is for the message."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as found:
            return dict(found)
    except (OSError, ValueError, EOFError, KeyError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise FormatError(f"{path} is damaged: its checkpoint cannot be read: {error}") from None


def write_checkpoint(root: h5py.File, arrays: Arrays, content_hash: str) -> None:
    """Write a checkpoint into a trajectory file, with a digest that belongs to this file."""
    if arrays:
        content = packed(arrays)
        dataset = root.create_dataset(CHECKPOINT, data=np.frombuffer(content, np.uint8))
        dataset.make_scale(CHECKPOINT)  # an axis of its own, as netCDF wants for each dimension
        dataset.attrs["long_name"] = "what is needed to continue the run: the bytes of a NumPy archive"
        dataset.attrs["sha256"] = _digest(content, content_hash)


def read_checkpoint(path: Path, content_hash: str) -> dict[str, np.ndarray]:
    """The checkpoint in a trajectory file; empty if there is none."""
    from rigidsim.trajectory.checks import has_object, own_dataset  # here, to keep other runs fast

    with h5py.File(path) as root:
        if not has_object(root, path, CHECKPOINT):
            return {}
        dataset = own_dataset(root, path, CHECKPOINT)
        with as_format_error(path, CHECKPOINT):
            content, stored = dataset[()].tobytes(), str(dataset.attrs["sha256"])
    if stored != _digest(content, content_hash):
        raise FormatError(f"{path} is damaged: its checkpoint does not match its sha256")
    return unpacked(content, path)


def _digest(content: bytes, content_hash: str) -> str:
    return hashlib.sha256(content_hash.encode() + content).hexdigest()
