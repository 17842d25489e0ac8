"""From a display to pictures: where bodies, paths and planes are as a camera sees them at each frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rigidsim.engine.model.arrays import MotionSamples
from rigidsim.physics.quaternion import rotate
from rigidsim.trajectory.motion import columns, rows
from rigidsim.tree.joints import ZERO
from rigidsim.views.camera import Camera
from rigidsim.views.display import GROUND, GROUND_SIZE, MARKER, Display, Framing, ShownPart
from rigidsim.views.grid import Plane, grid_spacing
from rigidsim.views.links import ROD, SYMBOLS
from rigidsim.views.raytracing import ColouredMesh, Drawing, no_facets
from rigidsim.views.surfaces import Triangles

MARKER_SIZE, MARKER_SIZE_ALONE, AXIS_LENGTH = 0.011, 0.07, 2.8
"""The radius of a body without shapes, relative to the height of the picture, and if nothing else gives the picture a
scale; the length of its axes in radii.
"""
PATH_WIDTH, AXIS_WIDTH = 2.0 / 720, 2.2 / 720
"""Widths of paths and axes, relative to the height of the picture."""
PATH_LIGHTNESS = 0.35
ROD_WIDTH, LINE_WIDTH, SYMBOL_WIDTH, SLIMMEST = 4.0 / 720, 2.2 / 720, 20.0 / 720, 0.3
"""Widths of rods, of the lines of springs and dampers, and of their symbols, relative to the height of the picture; the
last one is at most `SLIMMEST` of the length.
"""
JOINT_RADIUS, JOINT_WIDTH, JOINT_LENGTH = 5.0 / 720, 3.0 / 720, 34.0 / 720
"""Of a joint: the radius of its point, the width of its axis and half the length, relative to the height of the
picture.
"""
LINK_COLOUR, JOINT_COLOUR = "#59616b", "#b8860b"
CORNERS = 12
"""Of the disc that marks a joint."""
AXIS_COLOURS = ("#d55e00", "#009e73", "#0072b2")


def rgb(colour: str) -> np.ndarray:
    """The three components of `#rrggbb`, from 0 to 1."""
    return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)], np.float32) / np.float32(255)


@dataclass(frozen=True)
class PartGroup:
    """Parts with one surface: their `bodies` (part), and in the axes of those, m, `vertices` and unit `normals`
    (part, vertex, 3). `marks` is whether they are markers, of radius 1, `is_hollow` whether they are of glass; `tones`
    (vertex, 3) see `ColouredMesh.own`.
    """

    bodies: np.ndarray
    vertices: np.ndarray
    normals: np.ndarray
    faces: np.ndarray
    tones: np.ndarray
    marks: bool
    is_hollow: bool

    @classmethod
    def of(cls, parts: Sequence[ShownPart], surface: Triangles, is_hollow: bool) -> PartGroup:
        """The parts of a surface."""
        vertices, normals = [], []
        for part in parts:
            turned = rotate(tuple(part.orientation), columns(surface.normals / part.scale))
            normals.append(rows(turned))
            vertices.append(part.corners(surface))
        units = np.array(normals)
        units /= np.linalg.norm(units, axis=-1, keepdims=True)
        corners = surface.normals[surface.faces]
        is_smooth = bool(np.any(np.abs(corners - corners[:, :1]) > 1e-9))
        tones = surface.vertices if is_smooth else np.full(surface.vertices.shape, np.nan)
        bodies = np.array([part.body for part in parts])
        return cls(bodies, np.array(vertices, np.float32), units.astype(np.float32), surface.faces.astype(np.int32),
                   tones.astype(np.float32), parts[0].kind == MARKER, is_hollow)  # fmt: skip


@dataclass(frozen=True)
class Scenery:
    """The pictures of a display as `seen` from a frame of reference. `framing` is what there is to show of it at all
    times, `traced` are the rows of the bodies whose paths are drawn, `room` is the radius (m) that a picture shows
    about what the camera follows, 0 if it shows all.
    """

    display: Display
    seen: MotionSamples
    framing: Framing
    traced: Sequence[int]
    room: float = 0.0

    @cached_property
    def _groups(self) -> list[PartGroup]:
        sorted_parts: dict[tuple, list[ShownPart]] = {}
        for part in self.display.parts:
            if part.kind != GROUND:
                key = part.surface, part.kind, part.body in self.display.hollow
                sorted_parts.setdefault(key, []).append(part)
        surfaces = self.display.surfaces
        return [PartGroup.of(parts, surfaces[k], is_hollow) for (k, _, is_hollow), parts in sorted_parts.items()]

    @cached_property
    def _colours(self) -> np.ndarray:
        return np.array([rgb(colour) for colour in self.display.colours])

    @cached_property
    def spacing(self) -> float:
        """The spacing of the grid, m."""
        return grid_spacing(self.room or self.framing.radius)

    @cached_property
    def lowest(self) -> float:
        """The height (m) of the lowest point that a body reaches; those far below the picture do not count."""
        known = list(self.display.known)
        lowest = np.min(self.display.middles(self.seen, known)[..., 2] - self.display.reach[known], axis=0)
        depths = self.framing.centre[2] - lowest
        return float(self.framing.centre[2] - np.max(depths[depths <= GROUND_SIZE * self.framing.radius], initial=0.0))

    @cached_property
    def _has_extent(self) -> bool:
        """Whether bodies move, have shapes or are at different places."""
        known = list(self.display.known)
        moves = np.ptp(self.seen.position[:, known], axis=(0, 1)) > 0
        return bool(np.any(self.display.reach[known] > 0) or np.any(moves))

    def picture(self, frame: int, camera: Camera) -> Drawing:
        """The picture at a frame."""
        placed = [(group.is_hollow, self._placed(group, frame, camera)) for group in self._groups]
        solids, glass = (_joined([mesh for hollow, mesh in placed if hollow == wanted]) for wanted in (False, True))
        ribbons = [*self._axes(frame, camera), *self._paths(frame, camera), *self._links(frame, camera)]
        above = _joined(list(self._joints(frame, camera)))
        return Drawing(camera, solids, _joined(ribbons), glass, above, list(self._planes(frame)))

    def _placed(self, group: PartGroup, frame: int, camera: Camera) -> ColouredMesh:
        """The parts of a group as the camera sees them."""
        positions = (self.seen.position[frame, group.bodies] - camera.position) / camera.distance
        turns = np.stack([rows(rotate(columns(self.seen.orientation[frame, group.bodies]), axis))
                          for axis in np.eye(3)[:, :, None]], axis=-2).astype(np.float32)  # fmt: skip
        scale = np.float32((self.marker_radius(camera) if group.marks else 1.0) / camera.distance)
        n_part, n_vertex, _ = group.vertices.shape
        vertices = positions.astype(np.float32)[:, None] + (group.vertices * scale) @ turns
        faces = group.faces + (n_vertex * np.arange(n_part, dtype=np.int32))[:, None, None]
        owners = np.repeat(group.bodies, len(group.faces))
        return ColouredMesh(
            vertices.reshape(-1, 3), (group.normals @ turns).reshape(-1, 3), faces.reshape(-1, 3),
            self._colours[owners], owners, np.tile(group.tones, (n_part, 1)),
        )  # fmt: skip

    def marker_radius(self, camera: Camera) -> float:
        """The radius (m) of bodies without shapes."""
        size = MARKER_SIZE if self._has_extent else MARKER_SIZE_ALONE
        return size * camera.size[1] * camera.pixel * camera.distance

    def _axes(self, frame: int, camera: Camera) -> Iterator[ColouredMesh]:
        """The axes of bodies without shapes."""
        marked = [part.body for part in self.display.parts if part.kind == MARKER]
        if not marked:
            return
        length = AXIS_LENGTH * self.marker_radius(camera)
        begins = self.seen.position[frame, marked]
        for number, (axis, colour) in enumerate(zip(np.eye(3), AXIS_COLOURS, strict=True)):
            ends = begins + length * rows(rotate(columns(self.seen.orientation[frame, marked]), tuple(axis)))
            yield ribbon(begins, ends, camera, AXIS_WIDTH, rgb(colour), len(self.display.paths) + number)

    def _paths(self, frame: int, camera: Camera) -> Iterator[ColouredMesh]:
        """The paths of bodies up to a frame."""
        for row in self.traced:
            path = self.seen.position[: frame + 1, row]
            colour = self._colours[row] + (1 - self._colours[row]) * np.float32(PATH_LIGHTNESS)
            if frame:
                yield ribbon(path[:-1], path[1:], camera, PATH_WIDTH, colour, row)

    def _links(self, frame: int, camera: Camera) -> Iterator[ColouredMesh]:
        """What holds bodies: rods, springs and dampers."""
        time, owner = self.display.poses.time[frame], len(self.display.paths) + len(AXIS_COLOURS)
        for number, link in enumerate(self.display.links):
            if not link.is_there(time):
                continue
            a, b = self.point(frame, link.body, link.point), self.point(frame, link.other, link.other_point)
            colour = self._colours[link.body] if link.body == link.other else rgb(LINK_COLOUR)
            width = ROD_WIDTH if link.kind == ROD else LINE_WIDTH
            for line in symbol(link.kind, a, b, camera):
                yield ribbon(line[:-1], line[1:], camera, width, colour, owner + number)

    def _joints(self, frame: int, camera: Camera) -> Iterator[ColouredMesh]:
        """The points and axes of joints."""
        time, colour = self.display.poses.time[frame], rgb(JOINT_COLOUR)
        for number, joint in enumerate(self.display.joints):
            if not joint.is_there(time):
                continue
            place = self.point(frame, joint.on, joint.point)
            yield disc(place, camera, JOINT_RADIUS, colour, number)
            if joint.axis is not None:
                axis = self.point(frame, joint.on, joint.axis) - self.point(frame, joint.on, ZERO)
                half = JOINT_LENGTH * height_at(place, camera) * axis
                yield ribbon((place - half)[None], (place + half)[None], camera, JOINT_WIDTH, colour, number)

    def point(self, frame: int, body: int, point: Sequence[float]) -> np.ndarray:
        """A point (m) in the axes of a body, as it is seen at a frame."""
        turn = tuple(self.seen.orientation[frame, body])
        return self.seen.position[frame, body] + np.array(rotate(turn, tuple(point)))

    def _planes(self, frame: int) -> Iterator[Plane]:
        for number, (body, centre, axes, radius) in enumerate(self._grounds):
            origin, turn = self.seen.position[frame, body], tuple(self.seen.orientation[frame, body])
            turned = np.array([rotate(turn, tuple(axis)) for axis in axes])
            others = [(rotate(turn, tuple(a[2])), self.seen.position[frame, other], a[2] @ c)
                      for k, (other, c, a, _) in enumerate(self._grounds) if k != number and other == body]  # fmt: skip
            inside = tuple((np.array(n), float(np.dot(n, place) + offset)) for n, place, offset in others)
            place = origin + np.array(rotate(turn, tuple(centre)))
            yield Plane(place, turned, origin, radius, self.spacing, True, inside)
        if not self._grounds:
            below = np.append(self.framing.centre[:2], self.lowest)
            radius = GROUND_SIZE * self.framing.radius
            yield Plane(below, np.eye(3), np.zeros(3), radius, self.spacing, False)

    @cached_property
    def _grounds(self) -> list[tuple[int, np.ndarray, np.ndarray, float]]:
        """The body of each plane; in its axes the point below what is of interest, and axes; and the radius, m."""
        found, balls = [], {}
        for part in self.display.parts:
            if part.kind == GROUND:
                if part.body not in balls:
                    balls[part.body] = self.display.framing(self.display.poses.seen_from(part.body))
                ball, axes = balls[part.body], np.array([rotate(tuple(part.orientation), tuple(a)) for a in np.eye(3)])
                above = (ball.centre - part.position) @ axes[2]
                found.append((part.body, ball.centre - above * axes[2], axes, GROUND_SIZE * ball.radius))
        return found


def ribbon(
    begins: np.ndarray, ends: np.ndarray, camera: Camera, width: float, colour: np.ndarray, owner: int
) -> ColouredMesh:
    """Straight lines between points (n, 3), m, as strips that face the camera, of equal width (in heights of the
    picture) wherever they are.
    """
    a, b = ((points - camera.position) / camera.distance for points in (begins, ends))
    across = np.cross(b - a, a + b)
    length = np.linalg.norm(across, axis=1, keepdims=True)
    across = np.divide(across, length, out=np.zeros_like(across), where=length > 0)
    half = 0.5 * width * camera.size[1] * camera.pixel
    beside = [across * half * (points @ camera.axes[2])[:, None] for points in (a, b)]
    vertices = np.stack([a - beside[0], a + beside[0], b - beside[1], b + beside[1]], axis=1)
    n = len(vertices)
    faces = np.array([[0, 1, 2], [1, 3, 2]]) + 4 * np.arange(n)[:, None, None]
    none = np.zeros((4 * n, 3), np.float32)
    return ColouredMesh(vertices.reshape(-1, 3).astype(np.float32), none, faces.reshape(-1, 3).astype(np.int32),
                np.tile(colour, (2 * n, 1)), np.full(2 * n, owner), none)  # fmt: skip


def height_at(place: np.ndarray, camera: Camera) -> float:
    """What the height of the picture covers at the depth of a point, m."""
    return float((place - camera.position) @ camera.axes[2]) * camera.size[1] * camera.pixel


def symbol(kind: str, a: np.ndarray, b: np.ndarray, camera: Camera) -> Iterator[np.ndarray]:
    """The lines (point, 3), m, by which a link between two points is drawn, in a plane that faces the camera."""
    along = b - a
    length = float(np.linalg.norm(along))
    across = np.cross(along, (a + b) / 2 - camera.position)
    half = 0.5 * min(SYMBOL_WIDTH * height_at((a + b) / 2, camera), SLIMMEST * length)
    across *= half / (np.linalg.norm(across) or 1.0)
    for line in SYMBOLS[kind]:
        yield a + np.array(line) @ [along, across]


def disc(place: np.ndarray, camera: Camera, radius: float, colour: np.ndarray, owner: int) -> ColouredMesh:
    """A disc that faces the camera, its radius in heights of the picture."""
    angles = 2.0 * np.pi * np.arange(CORNERS) / CORNERS
    rim = np.stack([np.cos(angles), np.sin(angles)], axis=-1) @ camera.axes[:2]
    vertices = (place - camera.position + radius * height_at(place, camera) * rim) / camera.distance
    ones = np.arange(1, CORNERS - 1, dtype=np.int32)
    faces = np.stack([np.zeros_like(ones), ones, ones + 1], axis=-1)
    none = np.zeros((CORNERS, 3), np.float32)
    return ColouredMesh(vertices.astype(np.float32), none, faces, np.tile(colour, (len(faces), 1)),
                  np.full(len(faces), owner), none)  # fmt: skip


def _joined(meshes: Sequence[ColouredMesh]) -> ColouredMesh:
    """One mesh of several."""
    if not meshes:
        return no_facets()
    begins = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    moved = [mesh._replace(faces=mesh.faces + np.int32(begin)) for mesh, begin in zip(meshes, begins, strict=False)]
    return ColouredMesh(*map(np.concatenate, zip(*moved, strict=True)))
