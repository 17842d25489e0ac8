"""The columns of the rows of all arrays, and how one lane of a row is read and written."""

from __future__ import annotations

from rigidsim.jit import formula, inlined
from rigidsim.physics.summation import compensated_sum
from rigidsim.physics.vector import sub

# State of a free node: p_PC and v_PC (of the centre of mass, relative to the parent, its axes, its units of length),
# q_WB and omega_B = omega_WB_B (orientation and rate relative to the world), the work done on it up to now, J. A stage
# of a method has these columns; the state has in addition the low parts of its sums (`compensated_sum`).
S_P, S_Q, S_V, S_OMEGA, S_WORK, STAGE_ROWS = 0, 3, 7, 10, 13, 14
S_P_LOW, S_V_LOW, S_OMEGA_LOW, S_WORK_LOW, STATE_ROWS = 14, 17, 20, 23, 24

# A node's frame in the world: q_WB, then p, v, a of its origin (m) and omega, alpha. Frame 0 is the world itself.
F_Q, F_P, F_V, F_OMEGA, F_A, F_ALPHA, FRAME_ROWS = 0, 4, 7, 10, 13, 16, 19

# Motion of a fixed or prescribed node relative to its parent: p_PB, q_PB, v, omega, a, alpha; lengths in parent's
# units.
D_P, D_Q, D_V, D_OMEGA, D_A, D_ALPHA, DRIVEN_ROWS = 0, 3, 7, 10, 13, 16, 19

# State of a paced node, whose rates are prescribed as functions of time: its pose p_PB and q_PB at the beginning of the
# step, the time of that, s, and the low part of p_PB. These rows come after those of the moved nodes.
PACED_P, PACED_Q, PACED_SINCE, PACED_P_LOW = S_P, S_Q, S_WORK, S_P_LOW

# Working row of a paced node: the sums v0 + 4 vm + v1, the same of omega, and omega at the beginning of the step.
P_V, P_OMEGA, P_FIRST, PACE_ROWS = 0, 3, 6, 9

# State of a load with a winding, such as a torsion spring (`winding`): the angle about its axis at the last evaluation
# of the previous step, rad; without an axis, the cosine of half its deflection there, and the time of its first change
# of sign, s, or 0. These rows come last.
WOUND_LAST, WOUND_PASSED = 0, 1

# Working row of such a load: its winding, and a value above 0 if its torque reverses at half a turn.
WINDING_NOW, WINDING_TURNS_OVER, WINDING_ROWS = 0, 1, 2

# Working row between the passes of one evaluation: the arm d, the drift J v, a moved body's v_WC; world axes, m and
# m/s.
A_D, A_DRIFT, A_VC, ARM_ROWS = 0, 3, 6, 9

# The loads on a moved body: applied force and torque about the centre of mass, N and N m; gravity, m/s2; world axes.
# And the power, W, that the ledger counts in addition to that of the applied force and torque: minus the rate at which
# springs store energy, plus the power that moves a source of gravity.
W_F, W_TAU, W_G, W_POWER, WRENCH_ROWS = 0, 3, 6, 9, 10

# Link: a node's origin relative to its parent's, and the difference of their velocities; world axes, m and m/s.
K_P, K_V, LINK_ROWS = 0, 3, 6

# Separation: a frame's origin relative to another's, and the difference of their velocities; world axes, m and m/s.
Z_P, Z_V, APART_ROWS = 0, 3, 6

# Rates that an integrator integrates in addition to v_PC and omega_B: a_PC, alpha_B, power.
R_A, R_ALPHA, R_POWER, RATE_ROWS = 0, 3, 6, 7

# Constants of a moved body: mass, gravity (world axes), inertia and its inverse (xx yy zz xy xz yz, body axes), the
# centre of mass relative to the origin (body axes, m), metres per unit of the parent's lengths.
B_MASS, B_G, B_INERTIA, B_INVERSE, B_COM, B_SCALE, BODY_ROWS = 0, 1, 4, 10, 16, 19, 20

# Constants of a driven node: pose, velocity and acceleration at t = 0, unit axis, rate and its derivative about it,
# metres per unit of the parent's lengths.
M_P, M_Q, M_V, M_A, M_AXIS, M_RATE, M_RATE_DOT, M_SCALE, MOTION_ROWS = 0, 3, 7, 10, 13, 16, 17, 18, 19

# Values of a load given by expressions: its lever from the centre of mass (body axes, m). Force, torque and the
# acceleration of gravity are in registers.
X_LEVER, SCRIPT_ROWS = 0, 3

# An impulse: linear (N s), angular about the centre of mass (N m s), lever from the centre of mass (body axes, m).
IMPULSE_J, IMPULSE_K, IMPULSE_LEVER, IMPULSE_ROWS = 0, 3, 6, 9

# Sum of the impulses on a body at an instant, and of their moments about its centre of mass; world axes.
TOTAL_J, TOTAL_K, TOTAL_ROWS = 0, 3, 6

# Jump of a node at an instant: of the velocity of its origin and of its rate; world axes.
Y_V, Y_OMEGA, JUMP_ROWS = 0, 3, 6

# An event: time (s); the impulse that acted and its moment about the receiver's centre of mass, and the part of each
# that a constraint absorbed; velocity and rate of the receiver's origin before and after; the change of energy at the
# instant, J. World axes.
HIT_TIME, HIT_J, HIT_K, HIT_REST_J, HIT_REST_K, HIT_V_BEFORE, HIT_V_AFTER = 0, 1, 4, 7, 10, 13, 16
HIT_OMEGA_BEFORE, HIT_OMEGA_AFTER, HIT_ENERGY, HIT_ROWS = 19, 22, 25, 26

# A body that a jump reached. A protected body: the changes of its velocity, rate, acceleration and angular acceleration
# relative to the parent. A carried body: the changes of its velocity and rate in the world, and the equivalent impulse
# and moment.
CHANGE_V, CHANGE_OMEGA, CHANGE_A, CHANGE_ALPHA, CHANGE_ROWS = 0, 3, 6, 9, 12

# The first non-finite value of an expression: 1.0 if there is one, its time (s), the value.
N_FAILED, N_TIME, N_VALUE, FAULT_ROWS = 0, 1, 2, 3

# Motion of a frame relative to an ancestor: pose p, q, s; v and omega; in the ancestor's axes and units of length.
CHAIN_P, CHAIN_Q, CHAIN_S, CHAIN_V, CHAIN_OMEGA, CHAIN_ROWS = 0, 3, 7, 8, 11, 14

# Components of the arrays of a node's motion in a sample: position, orientation, velocity, angular velocity.
MOTION_WIDTHS = (3, 4, 3, 3)

# One sample of one world: energies and work, J; momentum, spin and orbital angular momentum, world axes; the part of
# the work that contact did, J.
E_KINETIC, E_POTENTIAL, E_WORK, E_MOMENTUM, E_SPIN, E_ORBITAL, E_CONTACT, LEDGER_ROWS = 0, 1, 2, 3, 6, 9, 12, 13

# Terms of one free body, each a vector: velocity and acceleration of the centre of mass relative to the parent (m/s,
# m/s2), the terms of which the acceleration is the sum, the angular acceleration relative to the parent (rad/s2), and
# its terms. The terms of contact, of both, come last.
T_VELOCITY, T_ACCELERATION, T_APPLIED, T_GRAVITY, T_LINEAR, T_EULER, T_CENTRIFUGAL, T_CORIOLIS = range(8)
T_ANGULAR, T_ANGULAR_APPLIED, T_GYROSCOPIC, T_ANGULAR_PARENT, T_ANGULAR_TRANSPORT = range(8, 13)
T_CONTACT, T_ANGULAR_CONTACT, TERMS = range(13, 16)

# Columns of the tables of integers.
NODE_PARENT, NODE_KIND, NODE_ROW, NODE_CARRIER = 0, 1, 2, 3
LAW_PAIR, LAW_FIRST, LAW_SECOND, LAW_BEGIN, LAW_UNTIL, LAW_FOLLOWED, LAW_COLUMNS = 0, 1, 2, 3, 4, 5, 6
OPERATION, OPERAND_A, OPERAND_B, OPERAND_C = 0, 1, 2, 3
VIEW_KIND, VIEW_PAIR, VIEW_REGISTER = 0, 1, 2
# What a metric reads: which motion, the first of its registers; the node, or NO_ROW if it is not seen from the world;
# the first link of the way up from the body, and of that from its observer.
METRIC_KIND, METRIC_REGISTER, METRIC_NODE, METRIC_WAY, METRIC_OBSERVER_WAY, METRIC_COLUMNS = 0, 1, 2, 3, 4, 5
FOLD_KIND, FOLD_X, FOLD_Y, FOLD_Z, FOLD_COLUMNS = 0, 1, 2, 3, 4
PACES_POSITION, PACES_ROTATION = 7, 8
PAIR_FIRST, PAIR_SECOND, PAIR_WAY = 0, 1, 2
EVENT_INSTANT, EVENT_CAUSE, EVENT_NUMBER, EVENT_NODE, EVENT_COLUMNS = 0, 1, 2, 3, 4
REACHED_INSTANT, REACHED_ROLE, REACHED_NODE, REACHED_SOURCE, REACHED_COLUMNS = 0, 1, 2, 3, 4

# The kinds of nodes. FREE: moved by forces, with a row in the state. Driven: FIXED, PRESCRIBED by constants, or DRIVEN
# by expressions (see `drive`).
FREE, FIXED, PRESCRIBED, DRIVEN = 0, 1, 2, 3
SEEN_POSITION, SEEN_VELOCITY, SEEN_RATE, SEEN_ORIENTATION, SEEN_SPEED, SEEN_ENERGIES = 0, 1, 2, 3, 4, 5
CAUSE_IMPULSE, CAUSE_REPARENTING = 0, 1
ROLE_PROTECTED, ROLE_CARRIED = 0, 1
# At an edge: only constant loads change; stored energy is exchanged or impulses act; Python changes the tree.
EDGE_PASSED, EDGE_CROSSED, EDGE_STOPS = 0, 1, 2
NO_ROW = -1  # in place of a row of the moved nodes, or of a frame: none
NEVER = 1 << 62


@formula
def load(row, c, lane, n):
    """Component c of one lane of n."""
    return row[c * n + lane]


@formula
def load3(row, c, lane, n):
    """Components c to c + 2."""
    return (row[c * n + lane], row[(c + 1) * n + lane], row[(c + 2) * n + lane])


@formula
def load4(row, c, lane, n):
    """Components c to c + 3."""
    return (row[c * n + lane], row[(c + 1) * n + lane], row[(c + 2) * n + lane], row[(c + 3) * n + lane])


@formula
def load6(row, c, lane, n):
    """Components c to c + 5."""
    return (
        row[c * n + lane], row[(c + 1) * n + lane], row[(c + 2) * n + lane],
        row[(c + 3) * n + lane], row[(c + 4) * n + lane], row[(c + 5) * n + lane],
    )  # fmt: skip


@formula
def load_each(read, rows, lane, n):
    """What `read` gives for component 0 of each of several rows."""
    return tuple(read(row, 0, lane, n) for row in rows)


@formula
def store(row, c, lane, n, value):
    """Write component c."""
    row[c * n + lane] = value


@formula
def store3(row, c, lane, n, v):
    """Write components c to c + 2."""
    row[c * n + lane] = v[0]
    row[(c + 1) * n + lane] = v[1]
    row[(c + 2) * n + lane] = v[2]


@formula
def store6(row, c, lane, n, v):
    """Write components c to c + 5."""
    store3(row, c, lane, n, (v[0], v[1], v[2]))
    store3(row, c + 3, lane, n, (v[3], v[4], v[5]))


@formula
def store_term(terms, term, k, node, lane, n, v):
    """Write one of the terms of a node in sample k."""
    store3(terms[term, k, node], 0, lane, n, v)


@formula
def store4(row, c, lane, n, q):
    """Write components c to c + 3."""
    row[c * n + lane] = q[0]
    row[(c + 1) * n + lane] = q[1]
    row[(c + 2) * n + lane] = q[2]
    row[(c + 3) * n + lane] = q[3]


@formula
def accumulate(row, c, low, lane, n, change):
    """Add to component c, whose low part is component `low`."""
    row[c * n + lane], row[low * n + lane] = compensated_sum(row[c * n + lane], row[low * n + lane], change)


@formula
def accumulate3(row, c, low, lane, n, change):
    """Add to components c to c + 2, whose low parts are components `low` to `low` + 2."""
    accumulate(row, c, low, lane, n, change[0])
    accumulate(row, c + 1, low + 1, lane, n, change[1])
    accumulate(row, c + 2, low + 2, lane, n, change[2])


@formula
def change3(before, after, c, lane, n):
    """Components c to c + 2 of the row `after` minus those of `before`."""
    return sub(load3(after, c, lane, n), load3(before, c, lane, n))


@inlined
def copy_rows(begin, end, source, target):
    """Copy rows begin to end - 1 of one array to the same rows of another, which may have fewer columns."""
    for k in range(begin, end):
        for c in range(target.shape[1]):
            target[k, c] = source[k, c]
