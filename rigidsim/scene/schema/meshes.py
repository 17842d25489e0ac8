"""Surfaces of triangles from files; of closed ones the volume, centroid and covariance of the solid inside.

trimesh, which only this module imports, reads the file formats. The properties of the solid are computed here, from the
tetrahedra between its triangles and one point (Tonon 2004), in sums that are rounded once, so that every machine gets
the same bits from a file.
"""

from __future__ import annotations

import gc
import hashlib
import io
import math
import os
import sys
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field
from pydantic_core import PydanticCustomError

from rigidsim.physics.solids import tetrahedron_mean, tetrahedron_products, tetrahedron_volume
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import Parsed, SceneModel, invalid, list_of, said
from rigidsim.scene.values.files import file_of, status_of
from rigidsim.scene.values.quantities import LENGTH, NUMBER_ONLY, positive, quantity, vector
from rigidsim.scene.values.rotation import Vector, three_numbers

FORMATS = (".stl", ".obj", ".ply", ".off")
MAX_BYTES = 64 * 2**20  # over a million triangles; reading them takes twenty times that
IN_ASCII = bytes(range(128)) + b"?" * 128
FARTHEST = 1e50
COUNTER_CLOCKWISE = "order the vertices of all triangles counter-clockwise as seen from outside"
THINNEST = 1e-10
"""The least height of a triangle that collides, over its longest edge."""
FLAT = 16 * sys.float_info.epsilon
"""A volume smaller than this fraction of the sum of its tetrahedra is lost in rounding."""


class MeasuredFile(SceneModel):
    """A mesh file and its bounds, in the file's coordinates; if its surface encloses a solid, the properties of that,
    too: volume, centroid, covariance.
    """

    path: str = Field(description="Path of the mesh file.")
    volume: Parsed[float | None, positive(NUMBER_ONLY)] = Field(
        None, description="Volume inside the surface, in cubed units of the file; none if it is not closed."
    )
    centroid: Parsed[Vector | None, vector(LENGTH)] = Field(
        None, description="Centroid of the volume, in the file's coordinates."
    )
    covariance: Parsed[
        tuple[float, float, float, float, float, float] | None,
        list_of(quantity(NUMBER_ONLY), 6, "[xx, yy, zz, xy, xz, yz]"),
    ] = Field(None, description="Covariance [xx, yy, zz, xy, xz, yz] about the centroid, in squared units of the file.")
    digest: Parsed[str | None, str] = Field(None, description="Hash of the triangles.")
    lower: Parsed[Vector, vector(LENGTH)] = Field(description="Smallest coordinates of the vertices.")
    upper: Parsed[Vector, vector(LENGTH)] = Field(description="Largest coordinates of the vertices.")


def measured_file(path: Path) -> MeasuredFile:
    """The solid inside the closed surface in a file."""
    status = mesh_status(path)
    return _measured(path, status.st_mtime_ns, status.st_size)


def mesh_status(path: Path) -> os.stat_result:
    """The status of a file that may contain a mesh."""
    return status_of(path, "mesh", MAX_BYTES, "simplify the mesh", kind="mesh file", formats=FORMATS)


def vertices_of_file(path: Path) -> np.ndarray:
    """The vertices (n, 3) of the mesh in a file, whose surface may be open."""
    return _read(path)[0]


@lru_cache(maxsize=64)
def _measured(path: Path, _changed: int, _size: int) -> MeasuredFile:
    vertices, faces = triangles_of_file(path)
    lower, upper = (three_numbers(map(float, end)) for end in (vertices.min(axis=0), vertices.max(axis=0)))
    solid: dict[str, Any] = {}
    with suppress(PydanticCustomError):
        solid = dict(zip(("volume", "centroid", "covariance"), _inside(vertices, faces), strict=True))
    digest = hashlib.sha256(vertices.tobytes() + faces.tobytes()).hexdigest()[:16]
    return MeasuredFile(path=str(path), **solid, digest=digest, lower=lower, upper=upper)


def surface_of_file(file: MeasuredFile) -> tuple[np.ndarray, np.ndarray] | None:
    """The vertices (n, 3) and the faces (m, 3) of a measured file; None if it cannot be read, or has changed. Scenes in
    files of earlier versions have no digest of solids.
    """
    path = Path(file.path)
    try:
        found = measured_file(path)
        is_same = file in (found, found.model_copy(update={"digest": None}))
        return triangles_of_file(path) if is_same else None
    except ValueError:  # of which PydanticCustomError is one
        return None


def triangles_of_file(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """The vertices (n, 3) and the faces (m, 3) of the mesh in a file; vertices at one place are one. The arrays are
    kept and cannot be written.
    """
    status = mesh_status(path)
    return _triangles(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4)
def _triangles(path: Path, _changed: int, _size: int) -> tuple[np.ndarray, np.ndarray]:
    found = joined_at_corners(*_read(path))
    for array in found:
        array.setflags(write=False)
    return found


def require_solid(path: Path) -> None:
    """Raise the error for a file whose surface encloses no solid."""
    file = measured_file(path)
    found = None if file.volume is not None else surface_of_file(file)
    flaw = None if found is None else flaw_of(*found)
    if flaw:
        raise invalid("mesh", *flaw)


def flaw_of(vertices: np.ndarray, faces: np.ndarray) -> tuple[str, str] | None:
    """Why a surface encloses no solid, and a hint; None if it does."""
    try:
        _inside(vertices, faces)
    except PydanticCustomError as error:
        return said(error)["message"], said(error)["hint"]
    return None


def _inside(vertices: np.ndarray, faces: np.ndarray) -> tuple[float, tuple, tuple]:
    """Volume, centroid and covariance of the solid inside a surface that has to be closed."""
    _require_closed(vertices, faces)
    return enclosed(vertices, faces)


def degenerate_of(vertices: np.ndarray, faces: np.ndarray) -> tuple[str, str] | None:
    """What is wrong with the first triangle without an area, and a hint; None if there is none."""
    a, b, c = (vertices.take(faces[:, k], axis=0) for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    longest = np.maximum.reduce([np.einsum("ij,ij->i", e, e) for e in (b - a, c - b, a - c)])
    thin = np.flatnonzero(~(area > THINNEST * longest))
    if not len(thin):
        return None
    k = int(thin[0])
    corners = ", ".join(map(_point, (a[k], b[k], c[k])))
    message = f"{len(thin)} of its {len(faces)} triangles have no area, the first with the corners {corners}"
    return message, "remove them, for example with trimesh's process(validate=True)"


def _read(path: Path) -> tuple[np.ndarray, np.ndarray]:
    try:
        import trimesh
    except ImportError:
        raise invalid("mesh", "reading a mesh needs trimesh", 'pip install "rigidsim[mesh]"') from None
    try:
        # From memory: the readers cannot follow a file's references to other files.
        kind = path.suffix.lower().removeprefix(".")
        content = io.BytesIO(_with_plain_text(path.read_bytes(), kind))
        mesh = trimesh.load_mesh(content, file_type=kind, process=False)
        vertices, faces = np.array(mesh.vertices, dtype=float), np.array(mesh.faces, dtype=np.int64)
        del mesh, content
        gc.collect(1)  # a mesh refers to itself, and has five times as much memory as these arrays
    except Exception as error:  # a damaged file can make the readers raise any exception
        raise invalid("mesh", f"'{shown(path.name)}' cannot be read: {shown(str(error))}") from None
    if not len(faces):
        raise invalid("mesh", "the mesh has no faces")
    far = ~(np.abs(vertices) < FARTHEST).all(axis=1)
    if far.any():
        k = int(np.argmax(far))
        message = f"vertex {k} of {len(vertices)}, {_point(vertices[k])}, has a coordinate that is not a number below"
        raise invalid("mesh", f"{message} {FARTHEST:g}")
    astray = ((faces < 0) | (faces >= len(vertices))).any(axis=1)
    if astray.any():
        k = int(np.argmax(astray))
        message = (
            f"triangle {k} of {len(faces)} has the vertices {faces[k].tolist()}; there are {len(vertices)}, from 0"
        )
        raise invalid("mesh", message)
    return vertices, faces


def _with_plain_text(content: bytes, kind: str) -> bytes:
    """Names and comments may be in any encoding; the data are in ASCII."""
    binary_stl = len(content) >= 84 and len(content) == 84 + 50 * int.from_bytes(content[80:84], "little")
    end = content.find(b"end_header") if kind == "ply" else 0 if kind == "stl" and binary_stl else len(content)
    return content[:end].translate(IN_ASCII) + content[end:]


def _point(vertex: np.ndarray) -> str:
    return "[" + ", ".join(f"{part:.6g}" for part in vertex) + "]"


def joined_at_corners(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mesh with equal vertices merged, and without triangles that have the same vertex twice."""
    vertices = vertices + 0.0  # so that -0 is 0
    order = np.lexsort(vertices.T[::-1])  # np.unique of rows takes five times as long
    vertices = vertices.take(order, axis=0)
    is_new = np.append(True, (vertices[1:] != vertices[:-1]).any(axis=1))[: len(order)]
    index = np.empty(len(order), np.int64)
    index[order] = np.cumsum(is_new) - 1
    unique, faces = vertices[is_new], index.take(faces)
    proper = (faces != np.roll(faces, 1, axis=1)).all(axis=1)
    return unique, faces[proper]


def _require_closed(vertices: np.ndarray, faces: np.ndarray) -> None:
    """A surface is closed and consistently oriented if its triangles use each edge equally often in both directions."""
    begin, end = faces.reshape(-1), np.roll(faces, -1, axis=1).reshape(-1)
    edge = np.minimum(begin, end) * (faces.max(initial=0) + 1) + np.maximum(begin, end)
    _, first, index = np.unique(edge, return_index=True, return_inverse=True)
    count = np.bincount(index)
    balance = np.bincount(index, weights=np.where(begin < end, 1.0, -1.0))
    for wrong, fault, hint in (
        (count % 2, "the surface is not closed: {} edges have an odd count of faces", ""),
        (balance, "the triangles are not oriented consistently: at {} edges", COUNTER_CLOCKWISE),
    ):
        if wrong.any():
            k = first[np.argmax(wrong != 0)]
            where = f"the first from {_point(vertices[begin[k]])} to {_point(vertices[end[k]])}"
            number = f"{np.count_nonzero(wrong)} of its {len(count)}"
            raise invalid("mesh", f"{fault.format(number)}, {where}", hint)


def enclosed(vertices: np.ndarray, faces: np.ndarray) -> tuple[float, tuple, tuple]:
    """Volume, centroid and covariance of the solid inside a closed surface."""
    middle = vertices.min(axis=0) / 2 + vertices.max(axis=0) / 2
    a, b, c = _corners(vertices - middle, faces)
    volumes = tetrahedron_volume(a, b, c)
    volume = _sum_of(volumes)
    if not abs(volume) > FLAT * _sum_of(np.abs(volumes)):
        raise invalid("mesh", "the surface encloses no volume")
    if volume < 0:
        message = f"the surface is inside out: its volume is {volume:g}"
        raise invalid("mesh", message, COUNTER_CLOCKWISE)
    offset = [_sum_of(volumes * mean) / volume for mean in tetrahedron_mean(a, b, c)]
    # Again about the centroid, so that no subtraction is needed.
    a, b, c = _corners(vertices - middle - offset, faces)
    volumes = tetrahedron_volume(a, b, c)
    covariance = tuple(_sum_of(volumes * product) / volume for product in tetrahedron_products(a, b, c))
    return volume, tuple(float(m + o) for m, o in zip(middle, offset, strict=True)), covariance


def _sum_of(summands: np.ndarray) -> float:
    """Their sum, rounded once."""
    return math.fsum(summands.tolist())


def _corners(vertices: np.ndarray, faces: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    """The first, second and third corners of all triangles, each as three columns."""
    return [tuple(vertices.take(faces[:, corner], axis=0).T) for corner in range(3)]


MeshFile = file_of("mesh file", MeasuredFile, measured_file)
