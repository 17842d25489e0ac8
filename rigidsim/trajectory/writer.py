"""Writing the HDF5 file: chunk by chunk into a spool, which becomes the file when it is whole."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import h5py
import numpy as np

from rigidsim.errors import StorageError
from rigidsim.trajectory.events import NUMBERS, OTHERS, TEXTS, VECTORS, Event, columns_of, digest_of
from rigidsim.trajectory.fields import AXES, Block, fields, sample_bytes
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.provenance import provenance
from rigidsim.trajectory.spool import Spool

FORMAT = "rigidsim-trajectory/2"
CHUNK_ROWS = 4096
CHUNK_VALUES = 32_768
HDF5_BEGINS = b"\x89HDF\r\n\x1a\n"


def check_output(path: Path, force: bool) -> None:
    """Raise StorageError, before anything is computed, if the file cannot become a trajectory."""
    folder = path.parent
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        mode = 0
    except (OSError, ValueError) as error:
        raise StorageError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from None
    if stat.S_ISDIR(mode):
        raise StorageError(f"{path} is a folder; name a file, such as {path / 'out.h5'}")
    if not folder.is_dir():
        raise StorageError(f"the folder {folder} does not exist")
    if mode and not stat.S_ISREG(mode):
        raise StorageError(f"{path} is not a regular file")
    if mode and not force:
        raise StorageError(f"{path} exists already; --force replaces it, -o names another file")
    if mode and not _is_replaceable(path):
        raise StorageError(f"{path} is not an HDF5 file; --force replaces trajectories only, -o names another file")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StorageError(f"no permission to write in {folder}")


def _is_replaceable(path: Path) -> bool:
    """An HDF5 file or an empty one: a scene, say, is not lost to a slip of the fingers."""
    with _plainly(path), path.open("rb") as file:
        return file.read(len(HDF5_BEGINS)) in (HDF5_BEGINS, b"")


def check_space(path: Path, n_sample: int, n_node: int, with_terms: bool) -> None:
    """Raise StorageError if the disk has no room for the samples, uncompressed."""
    need, free = n_sample * sample_bytes(n_node, with_terms), shutil.disk_usage(path.parent).free
    if need > free:
        raise StorageError(
            f"{n_sample} samples of {n_node} bodies need up to {need / 1e9:.3g} GB;"
            f" {path.parent} has {free / 1e9:.3g} GB free; record fewer samples with --record-every"
        )


@contextlib.contextmanager
def _plainly(path: Path) -> Iterator[None]:
    """HDF5's own complaints as one sentence."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        number = getattr(error, "errno", None)
        reason = os.strerror(number) if number else str(error).splitlines()[0]
        raise StorageError(f"cannot write {path}: {reason}") from error


class Writer:
    """An open trajectory file. Use as a context manager: left without `finish`, nothing stays on disk."""

    def __init__(self, path: str | Path, header: Header, n_sample: int, *, force: bool = False):
        self.path = Path(path)
        self._force, self._rows, self._event_digest = force, 0, b""
        check_output(self.path, force)
        self._digests = {name: hashlib.sha256() for name in header.dataset_names}
        self._paths, self._fields = header.paths, fields(header.with_terms)
        with _plainly(self.path):
            self._spool = Spool(self.path)
            self._file = h5py.File(self._spool, "w", libver=("v108", "v110"), track_order=True)
        try:
            with _plainly(self.path):
                self._create(header, max(n_sample, 1))
                self._spool.check()
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file:
            with contextlib.suppress(OSError, RuntimeError):
                self._file.close()
        self.discard()

    def discard(self) -> None:
        """Remove what is not finished."""
        self._spool.discard()

    def append(self, block: Block) -> None:
        """Add samples."""
        self.append_arrays({"time": block.time, **{f.name: f.of(block) for f in self._fields}})

    def append_arrays(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Add samples, given by dataset name."""
        begin, end = self._rows, self._rows + len(arrays["time"])
        with _plainly(self.path):
            for name, array in arrays.items():
                dataset, values = self._file[name], np.ascontiguousarray(array)
                if end > dataset.shape[0]:
                    dataset.resize(end, axis=0)
                dataset[begin:end] = values
                self._digests[name].update(values)
                self._spool.check()
        self._rows = end

    def finish(self, status: str, message: str = "", events: Sequence[Event] = ()) -> None:
        """Close the file with this status (complete, interrupted or failed) and give it its name."""
        self._event_digest = digest_of(events)
        with _plainly(self.path):
            if events:
                self._write_events(events)
            for name in self._digests:
                self._file[name].resize(self._rows, axis=0)
            self._file.attrs["status"] = status
            self._file.attrs["message"] = message
            self._file.attrs["content_hash"] = self.content_hash
            self._file.close()
            self._spool.publish(self._force)

    @property
    def content_hash(self) -> str:
        """See `Trajectory.content_hash`."""
        digest = hashlib.sha256("\n".join(self._paths).encode())
        for name, rows in self._digests.items():
            digest.update(name.encode() + rows.digest())
        digest.update(self._event_digest)
        return digest.hexdigest()

    def _write_events(self, events: Sequence[Event]) -> None:
        group, text = self._file.create_group("events"), h5py.string_dtype()
        described = {**NUMBERS, **VECTORS}
        for kind, vectors in OTHERS.items():
            described |= {f"{kind}/{name}": told for name, told in vectors.items()}
        for name, values in columns_of(events).items():
            is_text = isinstance(values, list)
            dataset = group.create_dataset(name, data=values, dtype=text if is_text else None)
            if name in described:
                dataset.attrs["units"], dataset.attrs["long_name"] = described[name]
                if values.ndim == 2:
                    dataset.dims[1].attach_scale(self._file["xyz"])
        group["time"].make_scale("event")
        for name in (*TEXTS, *NUMBERS, *VECTORS):
            if name != "time":
                group[name].dims[0].attach_scale(group["time"])

    def _create(self, header: Header, n_sample: int) -> None:
        root = self._file
        root.attrs["format"] = FORMAT
        root.attrs["status"] = "running"
        root.attrs["quaternion_order"] = "wxyz"
        root.attrs["isolated"] = np.int8(header.isolated)
        self._write_scene(header)
        scales = self._write_axes(header, n_sample)
        changed = [header.scale_of(change.parent) for change in header.changes]
        unscaled = bool(np.all(np.array([*header.parent_scale, *changed]) == 1.0))
        for f in self._fields:
            shape = (n_sample, *(scales[d].shape[0] for d in f.dimensions[1:]))
            dataset = root.create_dataset(
                f.name, shape, "f8", maxshape=(None, *shape[1:]), chunks=_chunks(shape),
                compression="gzip", compression_opts=1, shuffle=True, fletcher32=True,
            )  # fmt: skip
            for i, dimension in enumerate(f.dimensions):
                dataset.dims[i].attach_scale(scales[dimension])
            in_parent_units = f.name in ("local/position", "local/velocity") and not unscaled
            dataset.attrs["units"] = f.units.replace("m", "1", 1) if in_parent_units else f.units
            dataset.attrs["long_name"] = f.long_name + (
                ", in units of the parent, which are scale_to_metre[body] metres at the start"
                if in_parent_units
                else ""
            )

    def _write_axes(self, header: Header, n_sample: int) -> dict[str, h5py.Dataset]:
        root, text = self._file, h5py.string_dtype()
        time = root.create_dataset("time", (n_sample,), "f8", maxshape=(None,), chunks=(CHUNK_ROWS,), fletcher32=True)
        time.attrs["units"], time.attrs["long_name"] = "s", "time since the start"
        scales = {"time": time, "body": root.create_dataset("body", data=list(header.paths), dtype=text)}
        for axis, labels in AXES.items():
            scales[axis] = root.create_dataset(axis, data=list(labels), dtype=text)
        for name, scale in scales.items():
            scale.make_scale(name)
        scales["body"].attrs["long_name"] = "path of the node"
        per_body = {
            "parent": (np.array(header.parents, dtype=object), text, "", "path of the parent; empty for the world"),
            "kind": (np.array(header.kinds, dtype=object), text, "", "free, fixed or prescribed"),
            "scale_to_metre": (header.parent_scale, "f8", "m", "metres per unit of the lengths in /local at the start"),
            "own_scale_to_metre": (header.scale, "f8", "m", "metres per unit of the node's own coordinates"),
        }
        for name, (values, dtype, units, long_name) in per_body.items():
            dataset = root.create_dataset(name, data=values, dtype=dtype)
            dataset.dims[0].attach_scale(scales["body"])
            dataset.attrs["long_name"] = long_name
            if units:
                dataset.attrs["units"] = units
        return scales

    def _write_scene(self, header: Header) -> None:
        group = self._file.create_group("scene")
        group.attrs["name"] = header.scene_name
        group.attrs["sha256"] = hashlib.sha256(header.scene_resolved.encode()).hexdigest()
        group.attrs["provenance"] = json.dumps(dict(header.provenance) or provenance())
        text = h5py.string_dtype()
        group.create_dataset("text", data=header.scene_text, dtype=text)
        group.create_dataset("resolved", data=header.scene_resolved, dtype=text)


def _chunks(shape: tuple[int, ...]) -> tuple[int, ...]:
    """One component a chunk, many samples and as many bodies as fit: smooth columns compress twice as well as rows."""
    rows = min(shape[0], CHUNK_ROWS)
    if len(shape) < 3:
        return (rows, *(1 for _ in shape[1:]))
    return (rows, max(1, min(shape[1], CHUNK_VALUES // rows)), 1)
