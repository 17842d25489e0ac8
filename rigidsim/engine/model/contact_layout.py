"""The columns of the arrays of contact. All vectors are in world axes and metres unless stated otherwise."""

from __future__ import annotations

from rigidsim.jit.rows import Integers, Row

SHAPE = Integers(
    "a shape: its contact body, the kind of its core (`physics.distances`), its class of surfaces, the node that it"
    " is defined on and its number there; the node of its leader (`tree.nodes`): shapes that share it never meet,"
    " because no impulse changes how they move relative to each other; the first of the nodes in `Contacts.apart` of"
    " leaders from which joints and loops hold its own apart, and the one after the last",
    body=1, kind=1, surfaces=1, node=1, number=1, leader=1, apart=1, last_apart=1,
)  # fmt: skip

SOLID = Row(
    "values of a shape: its centre relative to that of its contact body, and its orientation, both in the axes of"
    " that body; the radius of its thickening, which is also that of the curvature of its surface (0: it is flat);"
    " half sizes of its core along its own axes (of a segment the third alone); radius of its bounding sphere,"
    " infinite for a plane; velocity of its surface, in the axes of the body, m/s; of a hull the number of its first"
    " corner, and how many it has; of a mesh the same of its convex hull, the root of its tree, how many sides collide",
    p=3, q=4, radius=1, half=3, bound=1, surface=3, first=1, count=1, tree=1, sides=1,
)  # fmt: skip

BOUND = Row(
    "a node of a tree of boxes around triangles, in the axes of their mesh: opposite corners; of a leaf its first facet"
    " and how many it has; of other nodes the first of two children, and 0",
    low=3, high=3, first=1, count=1,
)  # fmt: skip
FACET = Row(
    "a triangle of a mesh: its corners; its edges, edge k beginning at corner k; across each edge the other corner of"
    " the triangle there, or NO_ROW, and how the two lie to each other; a number that it shares with those in its"
    " plane with which flat edges connect it; 1 if some normals at its edges are not its own; 1 for each corner and"
    " each edge that another surface may touch and that no triangle before it has",
    corner=3, edge=3, across=3, bend=3, plane=1, sharp=1, tip=3, ridge=3,
)  # fmt: skip
FLAT, CONVEX, CONCAVE, BOUNDARY = 0, 1, 2, 3  # how two triangles lie to each other; the edge has one alone

CONTACT_BODY = Integers(
    "a contact body: a moved body, with its centre of mass as its centre, or a node that is not moved by forces,"
    " with its origin; its node; its row in the state or NO_ROW; its place in the table of ways, or NO_ROW if its"
    " node is the reference frame itself",
    node=1, row=1, way=1,
)  # fmt: skip

WAY = Integers(
    "a way: a node, and the place of its parent's way or NO_ROW if the parent is the reference frame",
    node=1, above=1,
)  # fmt: skip

MATERIAL = Row(
    "values of a pair of classes: coefficients of restitution, friction and rolling friction",
    restitution=1, friction=1, rolling=1,
)  # fmt: skip

CENTRE = Row(
    "motion of a contact body: position and orientation of its centre relative to the reference frame of the bodies"
    " that it can meet, velocity relative to it, angular velocity",
    p=3, q=4, v=3, omega=3,
)  # fmt: skip

LINE = Row(
    "a row of the solver: a velocity and a rate, or a displacement and a turn; eight doubles are one line of the"
    " cache",
    linear=3, angular=3, _room=2,
)  # fmt: skip

JOLT = Row(
    "the last impact on a contact body, or the beginning of the step: how many impacts there were; the orientation; the"
    " rotation vector up to then (rad), as of rates and displacements; the time, s; the angular acceleration beyond the"
    " smooth one, rad/s2; the angular momentum L at the beginning of the step, N m s, the torque of its smooth change,"
    " N m, and the angular impulses dL up to then, N m s, all about the centre of mass, world axes",
    count=1, q=4, theta=3, time=1, alpha=3, L=3, torque=3, dL=3,
)  # fmt: skip

INVERSE = Row(
    "inverse mass and inverse inertia of a contact body (xx yy zz xy xz yz, world axes); zero for what is not moved",
    mass=1, inertia=6,
)  # fmt: skip

MEMBER = Integers(
    "a contact body that is part of a tree of joints, those of one tree one after the other: its number; the first"
    " member of its tree, and that after the last; the first of its responses, one for each member of its tree",
    body=1, begin=1, end=1, response=1,
)  # fmt: skip

RESPONSE = Row(
    "what a wrench on one body of a tree does to a body of it: matrices, by rows, of the jumps of its rate and of the"
    " velocity of its centre of mass by a torque and by a force, world axes",
    rate_t=9, rate_f=9, v_t=9, v_f=9,
)  # fmt: skip

POSE = Row("pose of a shape: its centre and its orientation", p=3, q=4)

PLACE = Row(
    "a place where two shapes are nearest to each other, as the pair routines find it: unit normal from the first"
    " shape to the second, gap, points on the surfaces relative to the shapes' centres, a number that identifies the"
    " features from step to step; on which shape the point stays while they move; where two edges cross, the directions"
    " of both; the derivative (xx yy zz xy xz yz) of the point of each core by the normal, if it is on a curved part",
    normal=3, gap=1, first=3, second=3, feature=1, stays=1, edge_first=3, edge_second=3, bend_first=6, bend_second=6,
)  # fmt: skip
# Where a point stays: on the first or second shape, whose corner or round part is there; on the lighter one; on that
# whose edge is more across the motion; on neither.
ON_FIRST, ON_SECOND, ON_LIGHTER, ON_EDGES, NOWHERE = 0, 1, 2, 3, 4
MOST_PLACES = 16  # of one pair of shapes

CORE = Row(
    "a core in the unit of length of its pair: half sizes; of a hull the number of its first corner, how many it has,"
    " and the unit over a metre",
    half=3, first=1, count=1, unit=1,
)  # fmt: skip
RELATIVE_POSE = Row("the centre and the axes of the second core in the axes of the first one", p=3, x=3, y=3, z=3)
FEATURES = Row(
    "the features of a pair of shapes at which they are nearest: the shapes; the mode of each core (`features.py`); how"
    " many corners of each, and which; normal from the first to the second in the first one's axes, and separation in"
    " the unit of the pair; 1.0 if they are known",
    shape_A=1, shape_B=1, mode_A=1, mode_B=1, count_A=1, count_B=1, corner_A=3, corner_B=3, normal=3, separation=1,
    known=1,
)  # fmt: skip
NEAREST = Row(
    "nearest points of two cores, or those of least depth: normal, separation along it, the point of each, in the first"
    " one's axes; by how much two support functions differ from that separation",
    normal=3, separation=1, a=3, b=3, slack=1,
)  # fmt: skip

WHO = Integers(
    "a contact point: bodies A and B (A is always moved by forces), number of its pair of candidates, feature,"
    " marks",
    a=1, b=1, pair=1, feature=1, marks=1,
)  # fmt: skip
# Marks: the levers follow a core, which swings or rides on a surface that turns; struck by restitution in this
# step, so left out of the sub-steps; a sensor, so without impulses; first and second shape are those of B and A; struck
# in this step, whether it is left out of the sub-steps or not; friction against spinning acts beside the point;
# the core that levers follow is that of B.
FOLLOWING, IMPACT, NOTICED, SWAPPED, LOGGED, BESIDE, ON_B = 1, 2, 4, 8, 16, 32, 64

CONTACT_POINT = Row(
    "values of a contact point: normal from A to B, gap, levers from the centres of A and B to the surfaces, friction,"
    " rolling radius, restitution; the gap below which it is closed; impulses of the last sub-step: normal, tangent,"
    " rolling; total impulse of the step; lever of the core point (surface less thickening) of the body that it stays"
    " on, slip of the surfaces on their bodies (B's less A's, m/s); the way to where friction acts; the derivative of"
    " the core point by the outward normal, if it is on a curved part (xx yy zz xy xz yz, m). What is read of all"
    " points comes first, in three lines of the cache",
    normal=3, gap=1, lever_A=3, lever_B=3, friction=1, rolling=1, restitution=1, closed=1, p_n=1, p_t=3, p_r=3,
    total=3, core=3, surface=3, shift=3, bend=6, _room=1,
)  # fmt: skip

PARTING = Integers(
    "a pair that overlaps for a reason: its shapes, and what becomes of it until it has been apart; Separated by a"
    " reparenting: no contact; overlapping before it ever touched, as at the start: it parts gently",
    first=1, second=1, kind=1,
)  # fmt: skip
COLLIDING, SEPARATED, GENTLE = 0, 1, 2

# Impulses that are kept from step to step: normal, tangent, rolling; with the keys shape, shape, feature.
MEMORY_ROWS, MEMORY_COLUMNS = 7, 3

SAMPLED = Integers(
    "a contact point in a sample: number of the sample, first and second shape, feature; its place in the world,"
    " normal from the first shape to the second, force on the second body (N)",
    sample=1, first=1, second=1, feature=1,
)  # fmt: skip
SAMPLED_POINT = Row(
    "place in the world, normal from the first shape to the second, force on the second body (N), of a contact"
    " point in a sample",
    point=3, normal=3, force=3,
)  # fmt: skip
NOTHING_SAMPLED = -1  # in place of the number of a sample

# The energy that contact changed, by cause (`physics/contact_energy.py`), J: impacts, their restitution and their
# friction; friction in sub-steps, damping, overlaps that were parted; surfaces that something else drives; loads along
# the displacements by contact, with what bodies gain that inherit impulses.
W_RESTITUTION, W_IMPACT_FRICTION, W_FRICTION, W_DAMPING, W_OVERLAPS, W_DRIVEN, W_LOADS, CAUSES = 0, 1, 2, 3, 4, 5, 6, 7

SPUN = Row(
    "bodies that contact spun by more than a radian a step, the first one and the fastest: time, s; node, rad a"
    " step",
    time=1, node=1, turn=1,
)  # fmt: skip
FIRST_SPUN, FASTEST_SPUN, SPUN_ROWS = 0, 1, 2

SUNK = Row(
    "pairs of shapes that touched and overlap deeply, the first one and the deepest: time, s; the shapes; the depth,"
    " m, and that over the size of the smaller one",
    time=1, first=1, second=1, depth=1, share=1,
)  # fmt: skip
FIRST_SUNK, DEEPEST_SUNK, SUNK_ROWS = 0, 1, 2
