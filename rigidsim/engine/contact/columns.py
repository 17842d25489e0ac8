"""The columns of the arrays of contact. All vectors are in world axes and metres unless stated otherwise."""

from __future__ import annotations

# The kinds of shapes. A shape is a core, thickened by a radius: a point, a segment along z, a box, and the half space
# z <= 0 of the shape's own axes.
SPHERE, CAPSULE, BOX, PLANE = 0, 1, 2, 3

# A shape: its contact body, its kind, its class of surfaces, the node that it is defined on and its number there; the
# contact body that is the nearest free one above it, or else its own: shapes that share it never meet, because no
# impulse changes how they move relative to each other.
SHAPE_BODY, SHAPE_KIND, SHAPE_CLASS, SHAPE_NODE, SHAPE_NUMBER, SHAPE_MOVER, SHAPE_COLUMNS = 0, 1, 2, 3, 4, 5, 6

# Values of a shape: its centre relative to that of its contact body, and its orientation, both in the axes of that
# body; the radius of its thickening; half sizes of its core along its own axes (of a segment the third alone); radius
# of its bounding sphere, infinite for a plane; velocity of its surface, in the axes of the body, m/s; the radius of
# curvature of its surface, 0 if it is flat.
V_P, V_Q, V_RADIUS, V_HALF, V_BOUND, V_SURFACE, V_CURVATURE, VALUE_ROWS = 0, 3, 7, 8, 11, 12, 15, 16

# A contact body: a free body, with its centre of mass as its centre, or a node that is not moved by forces, with its
# origin. Its node; its row in the state or NO_ROW; its place in the table of ways, or NO_ROW if its node is the
# reference frame itself; its range in the preorder of nodes: a body whose range begins within that of another is one of
# its descendants.
BODY_NODE, BODY_ROW, BODY_WAY, BODY_BEGIN, BODY_END, BODY_COLUMNS = 0, 1, 2, 3, 4, 5

# A way: a node, and the place of its parent's way or NO_ROW if the parent is the reference frame.
WAY_NODE, WAY_ABOVE, WAY_COLUMNS = 0, 1, 2

# What a pair of classes does: nothing, collide, or only notice that they touch.
IGNORED, COLLIDES, SENSED = 0, 1, 2

# Values of a pair of classes: coefficients of restitution, friction and rolling friction.
PAIR_RESTITUTION, PAIR_FRICTION, PAIR_ROLLING, PAIR_VALUES = 0, 1, 2, 3

# Motion of a contact body: position and orientation of its centre relative to the reference frame of the bodies that
# it can meet, velocity relative to it, angular velocity.
X_P, X_Q, X_V, X_OMEGA, MOTION_ROWS = 0, 3, 7, 10, 13

# A row of the solver: a velocity and a rate, or a displacement and a turn; eight doubles are one line of the cache.
L_LINEAR, L_ANGULAR, LINE_ROWS = 0, 3, 8

# Inverse mass and inverse inertia of a contact body (xx yy zz xy xz yz, world axes); zero for what is not moved.
I_MASS, I_INERTIA, INVERSE_ROWS = 0, 1, 7

# Pose of a shape: its centre and its orientation.
H_P, H_Q, POSE_ROWS = 0, 3, 7

# A place where two shapes are nearest to each other, as the pair routines find it: unit normal from the first shape to
# the second, gap, points on the surfaces relative to the shapes' centres, the radii of thickening at these points, and
# a number that identifies the features from step to step.
Q_NORMAL, Q_GAP, Q_FIRST, Q_SECOND, Q_FEATURE, PLACE_ROWS = 0, 3, 4, 7, 10, 11
MOST_PLACES = 8  # of one pair of shapes

# A contact point: bodies A and B (A is always moved by forces), number of its pair of candidates, feature, flags.
POINT_A, POINT_B, POINT_PAIR, POINT_FEATURE, POINT_FLAGS, POINT_COLUMNS = 0, 1, 2, 3, 4, 5
# Flags: the levers follow the core of A, which swings or rides on a surface that turns; struck by restitution in this
# step, so left out of the sub-steps; a sensor, so without impulses; first and second shape are those of B and A; struck
# in this step, whether it is left out of the sub-steps or not; friction against spinning acts beside the point.
SWEPT, STRUCK, NOTICED, SWAPPED, LOGGED, BESIDE = 1, 2, 4, 8, 16, 32

# Values of a contact point: normal from A to B, gap, levers from the centres of A and B to the surfaces, lever of the
# core point of A (its surface less the thickening), slip of the surfaces on their bodies (B's less A's, m/s), friction,
# rolling radius, restitution; the gap below which it is closed; the way to where friction acts; impulses of the last
# sub-step: normal, tangent, rolling; total impulse of the step.
C_NORMAL, C_GAP, C_A, C_B, C_CORE, C_SURFACE, C_FRICTION, C_ROLLING, C_RESTITUTION = 0, 3, 4, 7, 10, 13, 16, 17, 18
C_CLOSED, C_SHIFT, C_PN, C_PT, C_PR, C_TOTAL, POINT_ROWS = 19, 20, 23, 24, 27, 30, 33

# A pair that overlaps for a reason: its shapes, and what becomes of it until it has been apart. Separated by a
# reparenting: no contact; overlapping before it ever touched, as at the start: it parts gently.
PARTING_FIRST, PARTING_SECOND, PARTING_KIND, PARTING_COLUMNS = 0, 1, 2, 3
COLLIDING, SEPARATED, GENTLE = 0, 1, 2

# Impulses that are kept from step to step: normal, tangent, rolling; with the keys shape, shape, feature.
MEMORY_ROWS, MEMORY_COLUMNS = 7, 3

# The log of contact: what happened, the first and the second shape.
LOG_KIND, LOG_FIRST, LOG_SECOND, LOG_COLUMNS = 0, 1, 2, 3
BEGAN, ENDED, IMPACT = 0, 1, 2
# Its values: time, s; the point and the normal from the first shape to the second, world; the impulse on the second
# body, N s; kinetic energy of the two bodies before and after, J.
G_TIME, G_POINT, G_NORMAL, G_IMPULSE, G_BEFORE, G_AFTER, LOG_ROWS = 0, 1, 4, 7, 10, 11, 12

# A contact point in a sample: number of the sample, first and second shape, feature; its place in the world, normal
# from the first shape to the second, force on the second body (N).
S_SAMPLE, S_FIRST, S_SECOND, S_FEATURE, SAMPLED_COLUMNS = 0, 1, 2, 3, 4
S_POINT, S_NORMAL, S_FORCE, SAMPLED_ROWS = 0, 3, 6, 9
NOTHING_SAMPLED = -1  # in place of the number of a sample

# The correction of a body or frame by contact: displacement, turn, change of velocity, change of rate (of a free body:
# change of angular momentum); world axes.
J_P, J_TURN, J_V, J_OMEGA, CORRECTION_ROWS = 0, 3, 6, 9, 12

# The energy that contact changed, by cause (`physics/contact_energy.py`), J: impacts, their restitution and their
# friction; friction in sub-steps, damping, overlaps that were parted; surfaces that something else drives; loads along
# the displacements by contact, with what bodies gain that inherit impulses.
W_RESTITUTION, W_IMPACT_FRICTION, W_FRICTION, W_DAMPING, W_OVERLAPS, W_DRIVEN, W_LOADS, CAUSES = 0, 1, 2, 3, 4, 5, 6, 7

# Bodies that contact spun by more than a radian a step, the first one and the fastest: time, s; node, rad a step.
SPUN_TIME, SPUN_NODE, SPUN_TURN, SPUN_COLUMNS = 0, 1, 2, 3
FIRST_SPUN, FASTEST_SPUN, SPUN_ROWS = 0, 1, 2
