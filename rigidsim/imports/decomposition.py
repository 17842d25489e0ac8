"""A concave solid as convex hulls: a scene with one body (`rigidsim decompose`).

CoACD (Wei, Liu, Ling and Su, ACM Trans. Graph. 41, 2022) cuts the solid. The scene has the corners of the hulls, so no
bit of a run depends on that library.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np

from rigidsim.arguments import needed
from rigidsim.errors import Problem, SceneError
from rigidsim.imports.robot import as_text, free_name, tensor_of
from rigidsim.physics.solids import inertia
from rigidsim.scene import Scene
from rigidsim.scene.schema.hulls import corners_of
from rigidsim.scene.schema.meshes import enclosed, flaw_of, mesh_status, triangles_of_file
from rigidsim.scene.values.base import said

DIGITS = 9
"""Of the coordinates of corners: far below what hulls differ from the solid."""


def decomposed(path: Path, name: str, concavity: float, most: int, density: float) -> tuple[str, int]:
    """The text of a scene with the solid in a mesh file as convex hulls, and how many these are; `name` is the path it
    will have. Concavity is the largest distance between hull and solid, of the size of the solid; at most `most` hulls
    are made, as many as that needs if it is 0. Mass and inertia are those of the solid in the file. Raises SceneError
    for a file that contains no closed surface, UsageError without CoACD.
    """
    coacd = needed("coacd", "decompositions", "decompose")
    try:
        mesh_status(path)
        vertices, faces = triangles_of_file(path)
    except ValueError as error:  # as validators of scenes raise it
        about = said(cast(Any, error))
        raise _wrong(path, about["message"], about["hint"]) from None
    if flaw_of(vertices, faces):
        raise _wrong(path, "its surface is not closed, so it encloses no solid", "repair it with trimesh or Blender")
    coacd.set_log_level("error")
    found = coacd.run_coacd(
        coacd.Mesh(vertices, faces.astype(np.int32)), threshold=concavity, max_convex_hull=most or -1, seed=0
    )
    shapes = [{"type": "hull", "points": _rounded(corners_of(np.asarray(points)))} for points, _ in found]
    volume, centroid, covariance = enclosed(vertices, faces)
    mass = density * volume
    body = {
        "mass": mass,
        "center_of_mass": list(centroid),
        "inertia": tensor_of(*inertia(mass, covariance)),
        "shapes": shapes,
    }
    data: dict[str, Any] = {
        "format": "rigidsim/1",
        "title": f"{path.stem} of {len(shapes)} hulls",
        "simulation": {"duration": 1, "step": 0.001},
        "bodies": {free_name(path.stem, {}): body},
    }
    text = as_text(data)
    Scene.from_text(text, name)
    return text, len(shapes)


def _rounded(points: np.ndarray) -> list[list[float]]:
    """Points with as many digits as are meant, each once."""
    digits = DIGITS - int(np.ceil(np.log10(np.abs(points).max())))
    return np.unique(np.round(points, digits), axis=0).tolist()


def _wrong(path: Path, message: str, hint: str) -> SceneError:
    return SceneError([Problem("mesh", message, file=str(path), hint=hint)])
