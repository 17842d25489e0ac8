"""The narrow phase for any two shapes: which routine finds their places."""

from __future__ import annotations

from rigidsim.engine.collision.manifolds import convex_on_plane, meet_convex
from rigidsim.engine.collision.meshes import meet_mesh
from rigidsim.engine.collision.pairs import (
    NO_BEND,
    PlacedShape,
    axes_of,
    between,
    box_on_plane,
    capsule_and_box,
    capsule_on_plane,
    meet_spheres,
    sphere_and_box,
    sphere_and_capsule,
    sphere_and_round,
    sphere_on_plane,
    turn_over,
    two_boxes,
    two_capsules,
)
from rigidsim.engine.collision.two_meshes import meet_meshes
from rigidsim.engine.model.contact_layout import PLACE
from rigidsim.jit import inlined, routine
from rigidsim.physics.distances import BOX, CONE, CYLINDER, HALF_SPACE, HULL, MESH, POINT, SEGMENT
from rigidsim.physics.vector import dot

PAIRS = (
    (POINT, SEGMENT, sphere_and_capsule),
    (SEGMENT, SEGMENT, two_capsules),
    (POINT, BOX, sphere_and_box),
    (SEGMENT, BOX, capsule_and_box),
    (BOX, BOX, two_boxes),
    (POINT, HALF_SPACE, sphere_on_plane),
    (SEGMENT, HALF_SPACE, capsule_on_plane),
    (BOX, HALF_SPACE, box_on_plane),
)
"""Pairs of cores with a routine of their own, the simpler first. All others are those of `meshes.py` and
`two_meshes.py`, those of a sphere with a round cylinder or cone, and the convex ones of `manifolds.py`.
"""


@inlined
def placed_shape(k, contacts, pose):
    """A shape in a pose."""
    return PlacedShape(contacts.shape[k].kind, contacts.shape_value[k], pose)


@inlined
def meet(shape_i: PlacedShape, shape_j: PlacedShape, reach, places, convex=None):
    """Find the places of two shapes with gaps below reach; returns their number. Two planes have none.

    The order of the places, and their features, depend only on which parts of the two shapes are nearest. `convex`: the
    working arrays for cores without a routine of their own (`ConvexArrays`); None if there are no such cores.
    """
    if shape_i.kind == POINT and shape_j.kind == POINT:
        return meet_spheres(shape_i, shape_j, reach, places)
    return meet_others(shape_i, shape_j, reach, places, convex)


@routine
def meet_others(shape_i, shape_j, reach, places: PLACE, convex):
    """Pairs other than two spheres: the simpler shape is taken first."""
    turned = shape_i.kind > shape_j.kind
    if turned:
        shape_i, shape_j = shape_j, shape_i
    count = _meet_in_order(shape_i, shape_j, reach, places, convex)
    if turned:
        turn_over(count, places)
    return count


@inlined
def _are_near(shape_i, shape_j, reach):
    """Whether the sphere around the first shape is near the second one, or the sphere around that."""
    d = between(shape_i.pose, shape_j.pose)
    if shape_j.kind == HALF_SPACE:
        return -dot(d, axes_of(shape_j.pose)[2]) - shape_i.value.bound < reach
    most = shape_i.value.bound + shape_j.value.bound + reach
    return dot(d, d) < most * most


@inlined
def _meet_in_order(shape_i, shape_j, reach, places: PLACE, convex):
    kind_i, kind_j = shape_i.kind, shape_j.kind
    if not _are_near(shape_i, shape_j, reach):
        return 0
    for first, second, routine_of in PAIRS:
        if kind_i == first and kind_j == second:
            count = routine_of(shape_i, shape_j, reach, places)
            if convex is not None:
                clear_bends(count, places)
            return count
    if convex is not None and convex.mesh is not None:
        if kind_j == MESH:
            if kind_i == MESH:
                return meet_meshes(shape_i, shape_j, reach, places, convex)
            return meet_mesh(shape_i, shape_j, reach, places, convex)
        if kind_i == MESH and kind_j == HALF_SPACE:
            return convex_on_plane(PlacedShape(HULL, shape_i.value, shape_i.pose), shape_j, reach, places, convex)
    if convex is not None and kind_i == POINT:
        for kind in (CYLINDER, CONE):
            if kind_j == kind and shape_j.value.half[0] == shape_j.value.half[1]:
                return sphere_and_round(kind, shape_i, shape_j, reach, places)
    if convex is not None and kind_j != HALF_SPACE:
        return meet_convex(shape_i, shape_j, reach, places, convex)
    if convex is not None and kind_i != HALF_SPACE:
        return convex_on_plane(shape_i, shape_j, reach, places, convex)
    return 0


@inlined
def clear_bends(count, places: PLACE):
    """The cores with routines of their own have no curved parts."""
    for k in range(count):
        places[k].bend_first, places[k].bend_second = NO_BEND, NO_BEND
