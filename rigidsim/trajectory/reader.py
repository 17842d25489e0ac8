"""Reading the HDF5 file: what it is, whether it is whole, and its arrays on demand."""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import numpy as np

from rigidsim.errors import FormatError, StorageError
from rigidsim.trajectory.fields import AXES, fields
from rigidsim.trajectory.trajectory import Header, Trajectory
from rigidsim.trajectory.writer import FORMAT


def load(path: str | Path) -> Trajectory:
    """Open a trajectory file.

    Raises StorageError if it cannot be read, FormatError if it is damaged or not a rigidsim trajectory.
    """
    path = Path(path)
    if path.is_dir():
        raise StorageError(f"{path} is a folder, not a trajectory file")
    if not path.exists():
        raise StorageError(f"there is no file {path}")
    try:
        file = h5py.File(path, "r")
    except PermissionError:
        raise StorageError(f"no permission to read {path}") from None
    except OSError as error:
        reason = "it is locked by another program" if "lock" in str(error) else None
        if reason:
            raise StorageError(f"cannot open {path}: {reason}") from error
        raise FormatError(f"{path} is not an HDF5 file, or it is damaged") from error
    try:
        return _trajectory(file, path)
    except FormatError:
        file.close()
        raise
    except (OSError, KeyError, ValueError, TypeError, RuntimeError, AttributeError) as error:
        file.close()
        raise FormatError(f"{path} is damaged: {type(error).__name__}: {str(error).splitlines()[0]}") from error


def _trajectory(file: h5py.File, path: Path) -> Trajectory:
    found = file.attrs.get("format", "")
    if found != FORMAT:
        told = f"its format is {str(found)[:60]!r}" if found else "it names no format"
        raise FormatError(f"{path} is not a trajectory this version reads ({FORMAT}): {told}")
    paths, parents = (tuple(text.decode() for text in file[name][()]) for name in ("body", "parent"))
    _check_shapes(file, path, len(paths))
    if not all(parent in ("", *paths[:i]) for i, parent in enumerate(parents)):
        raise FormatError(f"{path} is damaged: a body's parent does not come before it")
    scene = file["scene"]
    header = Header(
        paths=paths,
        parents=parents,
        scale=file["own_scale_to_metre"][()],
        parent_scale=file["scale_to_metre"][()],
        isolated=bool(file.attrs["isolated"]),
        with_terms="terms" in file,
        scene_name=scene.attrs["name"],
        scene_text=scene["text"][()].decode(),
        scene_resolved=scene["resolved"][()].decode(),
        provenance=json.loads(scene.attrs["provenance"]),
    )
    arrays = {name: file[name] for name in header.dataset_names}
    return Trajectory(header, arrays, file.attrs["status"], file.attrs["content_hash"], close=file.close)


def _check_shapes(file: h5py.File, path: Path, n_body: int) -> None:
    n_sample = len(file["time"])
    sizes = {"time": n_sample, "body": n_body, **{axis: len(labels) for axis, labels in AXES.items()}}
    for f in fields("terms" in file):
        expected = tuple(sizes[d] for d in f.dimensions)
        if f.name not in file:
            raise FormatError(f"{path} is damaged: {f.name} is missing")
        if file[f.name].shape != expected or file[f.name].dtype != np.float64:
            raise FormatError(f"{path} is damaged: {f.name} is {file[f.name].shape}, expected {expected} of float64")
