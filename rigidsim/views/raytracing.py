"""Pictures of triangles by ray tracing: the nearest surface at each pixel, its shading, and shadows.

Embree finds what rays hit; it needs neither a screen nor a graphics card. Pixels on edges are looked at again, with
several rays. Lengths are relative to the camera, in units of its distance, so that float32 suffices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rigidsim.views.camera import Camera
from rigidsim.views.grid import Plane

BACKGROUND = np.array([0.965, 0.970, 0.980], np.float32)
AMBIENT, IN_SHADOW = 0.42, 0.62
"""The light of a surface that faces away from the light, and that of one in shadow relative to one that is not."""
DARK_TONE = 0.80
"""The second tone of round bodies, by which their rotation is seen, relative to the first."""
SHINE = 0.22
"""The strength of the reflection of the light."""
DARKEST = np.float32(0.11)
"""The least of each component of a colour: black would have no shading."""
LIFT = 2e-4
"""How far above a surface its shadow is looked for, relative to the distance from the camera."""
OFFSETS = np.array([(0.125, 0.375), (0.375, -0.125), (-0.125, -0.375), (-0.375, 0.125)])
"""The places in a pixel on an edge that are looked at."""
GROUND, LINE_COLOUR, LINE_STRENGTH = np.float32(0.90), np.float32(0.45), 0.45
RAYS_AT_ONCE = 1 << 15
"""The arrays of so many rays fit in the cache of a processor."""
SOFTENED = np.float32(0.35)
"""The part of the light on planes that does not depend on their direction and on shadows."""
GLASS = np.float32(0.28)
"""How much is seen of hollow bodies."""
ABOVE = np.float32(0.8)
"""How much hides what is seen through all else."""
FIRST_RIBBON, FIRST_GLASS, FIRST_ABOVE = 1 << 39, 1 << 40, 1 << 60
"""The keys of ribbons follow it."""


class ColouredMesh(NamedTuple):
    """`vertices`, relative to the camera in units of its distance, with `normals`, (n, 3), float32, and
    `faces` (m, 3), rows of vertices; `colours` (m, 3) of the faces, from 0 to 1, and their `owners` (m), numbers of
    bodies. `own` (n, 3) are the vertices in the axes of the body, of which the signs select one of two tones; NaN for
    one tone.
    """

    vertices: np.ndarray
    normals: np.ndarray
    faces: np.ndarray
    colours: np.ndarray
    owners: np.ndarray
    own: np.ndarray


class Sight(NamedTuple):
    """What rays see: colours (n, 3), and a number (n) that differs between surfaces, tones, and light and shadow."""

    colours: np.ndarray
    keys: np.ndarray


def no_facets() -> ColouredMesh:
    """A mesh without triangles."""
    none = np.zeros((0, 3), np.float32)
    return ColouredMesh(none, none, np.zeros((0, 3), np.int32), none, np.zeros(0, np.int64), none)


@dataclass(frozen=True)
class Drawing:
    """What a picture shows: `solids`, which are shaded and cast shadows; `ribbons` of one colour; `glass`, through
    which the others are seen; `above`, ribbons that are seen through all others; and `planes`.
    """

    camera: Camera
    solids: ColouredMesh
    ribbons: ColouredMesh
    glass: ColouredMesh
    above: ColouredMesh
    planes: Sequence[Plane]

    @np.errstate(over="ignore", invalid="ignore")
    def render(self) -> np.ndarray:
        """The pixels, (height, width, 3) uint8. What is too far away for float32 is infinitely far away."""
        tracer = _Tracer(self)
        width, height = self.camera.size
        colours, keys = tracer.look(self.camera.pixel_rays)
        edges = np.flatnonzero(_on_edges(keys.reshape(height, width)))
        if len(edges):
            centres = np.stack([edges % width, edges // width], axis=-1) + 0.5
            places = (centres[:, None] + OFFSETS).reshape(-1, 2)
            again = tracer.look(self.camera.rays(*places.T)).colours
            colours[edges] = again.reshape(len(edges), len(OFFSETS), 3).mean(axis=1)
        return (np.clip(colours, 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8).reshape(height, width, 3)


def _on_edges(keys: np.ndarray) -> np.ndarray:
    """Which pixels have a neighbour to the right or below, or to the left or above, with another number."""
    edges = np.zeros(keys.shape, bool)
    for here, there in ((np.s_[:, :-1], np.s_[:, 1:]), (np.s_[:-1], np.s_[1:])):
        differ = keys[here] != keys[there]
        edges[here] |= differ
        edges[there] |= differ
    return edges


class _Tracer:
    """The scenes of a picture in Embree: the solids, which cast shadows, and the others, which do not."""

    def __init__(self, picture: Drawing):
        camera = picture.camera
        self._picture, self._scale, self._origin = picture, camera.distance, camera.position
        meshes = picture.solids, picture.ribbons, picture.glass, picture.above
        self._solids, self._ribbons, self._glass, self._above = (_embree(mesh.vertices, mesh.faces) for mesh in meshes)
        light = 0.45 * -camera.axes[2] - 0.5 * camera.axes[0] + np.array([0.0, 0.0, 1.0])
        self._light = (light / np.linalg.norm(light)).astype(np.float32)
        self._on_level = AMBIENT + (1.0 - AMBIENT) * np.square(0.5 + 0.5 * self._light[2])
        """The light of a level surface that is not in a shadow: solid planes have their colour there."""

    def look(self, rays: np.ndarray) -> Sight:
        """What rays from the camera see."""
        colours, keys = np.tile(BACKGROUND, (len(rays), 1)), np.zeros(len(rays), np.int64)
        for begin in range(0, len(rays), RAYS_AT_ONCE):
            some = slice(begin, begin + RAYS_AT_ONCE)
            self._look(rays[some], Sight(colours[some], keys[some]))
        return Sight(colours, keys)

    def _look(self, rays: np.ndarray, found: Sight) -> None:
        nearest = np.full(len(rays), np.inf, np.float32)
        self._see_solids(rays, nearest, found)
        for number, plane in enumerate(self._picture.planes):
            self._see_plane(plane, number, rays, nearest, found)
        self._see_ribbons(rays, nearest, found)
        self._see_glass(rays, nearest, found)
        self._see_above(rays, found)

    def _see_solids(self, rays: np.ndarray, nearest: np.ndarray, found: Sight) -> None:
        mesh, (at, faces, weights, distance) = self._picture.solids, _hits(self._solids, rays)
        corners = mesh.faces[faces]
        normals = np.einsum("nk,nkj->nj", weights, mesh.normals[corners])
        normals /= np.sqrt(np.einsum("ij,ij->i", normals, normals))[:, None]
        own = np.einsum("nk,nkj->nj", weights, mesh.own[corners])
        is_dark = np.prod(own, axis=1) < 0  # false for NaN
        colours = mesh.colours[faces] * np.where(is_dark, np.float32(DARK_TONE), np.float32(1.0))[:, None]
        light, is_lit = self._light_on(rays[at] * distance[:, None], normals, distance)
        halfway = self._light - rays[at]
        halfway /= np.sqrt(np.einsum("ij,ij->i", halfway, halfway))[:, None]
        shine = np.float32(SHINE) * np.einsum("ij,ij->i", normals, halfway).clip(0.0) ** 24 * is_lit
        nearest[at] = distance
        found.colours[at] = np.maximum(colours, DARKEST) * light[:, None] + shine[:, None]
        found.keys[at] = 4 * (mesh.owners[faces] + 1) + 2 * is_dark + is_lit

    def _light_on(self, points: np.ndarray, normals: np.ndarray, distance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How much light points have, from 0 to 1, and whether they are not in a shadow; one normal, or one each."""
        towards = np.broadcast_to(normals @ self._light, len(points))
        light = np.float32(AMBIENT) + np.float32(1.0 - AMBIENT) * np.square(0.5 + 0.5 * towards)
        is_lit = towards <= 0  # what faces away is dark anyway
        asked = np.flatnonzero(~is_lit)
        if len(asked) and self._solids:
            lift = LIFT * distance[asked, None]
            above = points[asked] + (normals if normals.ndim == 1 else normals[asked]) * lift
            rays = np.tile(self._light, (len(asked), 1))
            is_lit[asked] = self._solids.run(above, rays, query="OCCLUDED") < 0
        elif len(asked):
            is_lit[asked] = True
        return np.where(is_lit, light, light * np.float32(IN_SHADOW)), is_lit

    def _see_plane(self, plane: Plane, number: int, rays: np.ndarray, nearest: np.ndarray, found: Sight) -> None:
        at, distance, u, v, wide, deep = plane.seen(self._origin, rays)
        distance /= np.float32(self._scale)
        nearer = distance < nearest[at]
        at, distance, u, v, wide, deep = (array[nearer] for array in (at, distance, u, v, wide, deep))
        pixel, fading = np.float32(self._picture.camera.pixel), plane.fading(u, v)
        lines = np.float32(LINE_STRENGTH) * fading * plane.lines(u, v, wide * pixel, deep * pixel)
        shade = found.colours[at]
        if plane.is_solid:
            normal = plane.axes[2].astype(np.float32)
            light, is_lit = self._light_on(rays[at] * distance[:, None], normal, distance)
            shade += (GROUND * (SOFTENED + (1 - SOFTENED) * light[:, None] / self._on_level) - shade) * fading[:, None]
            nearest[at], found.keys[at] = distance, -2 * (number + 1) - is_lit
        shade += (LINE_COLOUR - shade) * lines[:, None]
        found.colours[at] = shade

    def _see_ribbons(self, rays: np.ndarray, nearest: np.ndarray, found: Sight) -> None:
        mesh, (at, faces, _, distance) = self._picture.ribbons, _nearer_hits(self._ribbons, rays, nearest)
        nearest[at] = distance
        found.colours[at], found.keys[at] = mesh.colours[faces], FIRST_RIBBON + mesh.owners[faces]

    def _see_glass(self, rays: np.ndarray, nearest: np.ndarray, found: Sight) -> None:
        mesh, (at, faces, weights, distance) = self._picture.glass, _nearer_hits(self._glass, rays, nearest)
        normals = np.einsum("nk,nkj->nj", weights, mesh.normals[mesh.faces[faces]])
        light, _ = self._light_on(rays[at] * distance[:, None], normals, distance)
        found.colours[at] += GLASS * (mesh.colours[faces] * light[:, None] - found.colours[at])
        found.keys[at] += FIRST_GLASS + (mesh.owners[faces] << 41) + np.argmax(np.abs(normals), axis=1)

    def _see_above(self, rays: np.ndarray, found: Sight) -> None:
        mesh, (at, faces, _, _) = self._picture.above, _hits(self._above, rays)
        found.colours[at] += ABOVE * (mesh.colours[faces] - found.colours[at])
        found.keys[at] += FIRST_ABOVE


def _embree(vertices: np.ndarray, faces: np.ndarray):
    """A scene of Embree with these triangles; None if there are none."""
    from embreex.mesh_construction import TriangleMesh
    from embreex.rtcore_scene import EmbreeScene

    if not len(faces):
        return None
    scene = EmbreeScene(robust=True)
    TriangleMesh(scene, vertices, faces)
    return scene


def _hits(scene, rays: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The rays that meet a triangle: their rows, the triangles, the weights of the three corners, and the distances."""
    if scene is None:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 3), np.float32), np.zeros(0, np.float32)
    found = scene.run(np.zeros_like(rays), rays, output=True)
    at = np.flatnonzero(found["primID"] >= 0)
    u, v = found["u"][at], found["v"][at]
    return at, found["primID"][at], np.stack([1.0 - u - v, u, v], axis=-1), found["tfar"][at]


def _nearer_hits(scene, rays: np.ndarray, nearest: np.ndarray) -> tuple[np.ndarray, ...]:
    """Those hits that are nearer than anything else along their rays."""
    hits = _hits(scene, rays)
    nearer = hits[3] < nearest[hits[0]]
    return tuple(array[nearer] for array in hits)
