"""What lies where in a row, and how a lane reads and writes it."""

from __future__ import annotations

from rigidsim._jit import formula, inlined
from rigidsim.physics.summation import compensated_sum
from rigidsim.physics.vector import sub

# State of a free node: p_PC and v_PC (of the centre of mass, relative to the parent, its axes, its units of length),
# q_WB and omega_B = omega_WB_B (the body's own orientation and rate, relative to the world), the work done on it so
# far, J. At a stage of a method that is all; the state itself ends with the low parts of its sums (`compensated_sum`).
S_P, S_Q, S_V, S_OMEGA, S_WORK, STAGE_ROWS = 0, 3, 7, 10, 13, 14
S_P_LOW, S_V_LOW, S_OMEGA_LOW, S_WORK_LOW, STATE_ROWS = 14, 17, 20, 23, 24

# A node's frame in the world: q_WB, then p, v, a of its origin (m) and omega, alpha. Frame 0 is the world itself.
F_Q, F_P, F_V, F_OMEGA, F_A, F_ALPHA, FRAME_ROWS = 0, 4, 7, 10, 13, 16, 19

# Motion of a fixed or prescribed node relative to its parent: p_PB, q_PB, v, omega, a, alpha; lengths in parent's
# units.
D_P, D_Q, D_V, D_OMEGA, D_A, D_ALPHA, DRIVEN_ROWS = 0, 3, 7, 10, 13, 16, 19

# State of a node whose rates are prescribed as functions of time: its pose p_PB and q_PB at the beginning of the step,
# when that was, s, and the low part of p_PB. Its rows come after those of the moved nodes.
PACED_P, PACED_Q, PACED_SINCE, PACED_P_LOW = S_P, S_Q, S_WORK, S_P_LOW

# What such a node's pose is advanced by: the sums v0 + 4 vm + v1 and the same of omega, and omega at the beginning.
P_V, P_OMEGA, P_FIRST, PACE_ROWS = 0, 3, 6, 9

# State of a load that winds up, as a torsion spring does (`winding`): the angle about its axis at the last evaluation
# of the step before, rad; if it has none, the cosine of half its deflection there, and when that first changed sign, s,
# or 0. Its rows come last.
WOUND_LAST, WOUND_PASSED = 0, 1

# Of such a load at an evaluation: its winding, and more than 0 if its torque turns over at half a turn.
WINDING_NOW, WINDING_TURNS_OVER, WINDING_ROWS = 0, 1, 2

# Between the passes of one evaluation: the arm d, the drift J v, a moved body's v_WC; all in world axes, m and m/s.
A_D, A_DRIFT, A_VC, ARM_ROWS = 0, 3, 6, 9

# What acts on a moved body: applied force and torque about the centre of mass, N and N m; gravity, m/s2; all in world
# axes. And the power, W, that the ledger counts beside that of the applied force and torque: less what springs store,
# plus what moves a source of gravity.
W_F, W_TAU, W_G, W_POWER, WRENCH_ROWS = 0, 3, 6, 9, 10

# A node's origin from its parent's, and the velocity of the one less that of the other; world axes, m and m/s.
K_P, K_V, LINK_ROWS = 0, 3, 6

# A frame's origin from another's, and the velocity of the one less that of the other; world axes, m and m/s.
Z_P, Z_V, APART_ROWS = 0, 3, 6

# What an integrator integrates besides v_PC and omega_B: a_PC, alpha_B, power.
R_A, R_ALPHA, R_POWER, RATE_ROWS = 0, 3, 6, 7

# Constants of a moved body: mass, gravity (world axes), inertia and its inverse (xx yy zz xy xz yz, body axes), the
# centre of mass from the origin (body axes, m), metres per unit of the parent's lengths.
B_MASS, B_G, B_INERTIA, B_INVERSE, B_COM, B_SCALE, BODY_ROWS = 0, 1, 4, 10, 16, 19, 20

# Constants of a driven node: pose, velocity and acceleration at t = 0, unit axis, rate and its derivative about it,
# metres per unit of the parent's lengths.
M_P, M_Q, M_V, M_A, M_AXIS, M_RATE, M_RATE_DOT, M_SCALE, MOTION_ROWS = 0, 3, 7, 10, 13, 16, 17, 18, 19

# A load given by expressions: its lever from the centre of mass (body axes, m). Force, torque and the acceleration of
# gravity are registers.
X_LEVER, SCRIPT_ROWS = 0, 3

# An impulse: linear (N s), angular about the centre of mass (N m s), lever from the centre of mass (body axes, m).
IMPULSE_J, IMPULSE_K, IMPULSE_LEVER, IMPULSE_ROWS = 0, 3, 6, 9

# What strikes a body at an instant: impulse and moment about its centre of mass, world axes.
STRIKE_J, STRIKE_K, STRIKE_ROWS = 0, 3, 6

# What jumps at an instant: velocity of a node's origin and its rate, world axes.
Y_V, Y_OMEGA, JUMP_ROWS = 0, 3, 6

# An event: time (s); the impulse and the moment about the receiver's centre of mass that acted, and the rest of each,
# which a constraint took up; velocity and rate of the receiver's origin before and after; the energy that the instant
# brought, J. World axes.
HIT_TIME, HIT_J, HIT_K, HIT_REST_J, HIT_REST_K, HIT_V_BEFORE, HIT_V_AFTER = 0, 1, 4, 7, 10, 13, 16
HIT_OMEGA_BEFORE, HIT_OMEGA_AFTER, HIT_ENERGY, HIT_ROWS = 19, 22, 25, 26

# A body that a jump reached: the change of its velocity and rate; of a protected one relative to the parent, with that
# of its acceleration and angular acceleration; of one carried along in the world, with an impulse and a moment instead.
CHANGE_V, CHANGE_OMEGA, CHANGE_A, CHANGE_ALPHA, CHANGE_ROWS = 0, 3, 6, 9, 12

# The first value of an expression that was no finite number: 1.0 if there is one, when (s), the value.
N_FAILED, N_TIME, N_VALUE, FAULT_ROWS = 0, 1, 2, 3

# One sample of one node: position, orientation, velocity, angular velocity.
O_P, O_Q, O_V, O_OMEGA, SAMPLE_ROWS = 0, 3, 7, 10, 13

# One sample of one world: energies and work, J; momentum, spin and orbital angular momentum, world axes.
E_KINETIC, E_POTENTIAL, E_WORK, E_MOMENTUM, E_SPIN, E_ORBITAL, LEDGER_ROWS = 0, 1, 2, 3, 6, 9, 12

# Terms of one free body: velocity and acceleration of the centre of mass relative to the parent (m/s, m/s2), what the
# acceleration is the sum of, the angular acceleration relative to the parent (rad/s2), and what that is the sum of.
T_VELOCITY, T_ACCELERATION, T_APPLIED, T_GRAVITY, T_LINEAR, T_EULER, T_CENTRIFUGAL, T_CORIOLIS = range(0, 24, 3)
T_ANGULAR, T_ANGULAR_APPLIED, T_GYROSCOPIC, T_ANGULAR_PARENT, T_ANGULAR_TRANSPORT = range(24, 39, 3)
TERM_ROWS = 39

# Columns of the tables of integers.
NODE_PARENT, NODE_KIND, NODE_ROW, NODE_CARRIER = 0, 1, 2, 3
LAW_PAIR, LAW_FIRST, LAW_SECOND, LAW_BEGIN, LAW_UNTIL, LAW_FOLLOWED, LAW_COLUMNS = 0, 1, 2, 3, 4, 5, 6
OPERATION, OPERAND_A, OPERAND_B, OPERAND_C = 0, 1, 2, 3
VIEW_KIND, VIEW_PAIR, VIEW_REGISTER = 0, 1, 2
PACES_POSITION, PACES_ROTATION = 7, 8
PAIR_FIRST, PAIR_SECOND, PAIR_WAY = 0, 1, 2
EVENT_INSTANT, EVENT_CAUSE, EVENT_NUMBER, EVENT_NODE, EVENT_COLUMNS = 0, 1, 2, 3, 4
REACHED_INSTANT, REACHED_ROLE, REACHED_NODE, REACHED_SOURCE, REACHED_COLUMNS = 0, 1, 2, 3, 4

# How a node moves: as Newton and Euler say, which is moved and has rows of state; or driven: not at all, as constants
# say, as expressions say (see `drive`).
FREE, FIXED, PRESCRIBED, DRIVEN = 0, 1, 2, 3
SEEN_POSITION, SEEN_VELOCITY, SEEN_RATE, SEEN_ORIENTATION, SEEN_SPEED = 0, 1, 2, 3, 4
CAUSE_IMPULSE, CAUSE_REPARENTING = 0, 1
ROLE_PROTECTED, ROLE_CARRIED = 0, 1
# At the end of an era: only constant loads change; energy is exchanged or impulses act; Python changes the tree.
EDGE_PASSED, EDGE_CROSSED, EDGE_STOPS = 0, 1, 2
NOBODY = -1  # where a row among the moved nodes, or a frame, is wanted and there is none
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
    """Components c to c + 2 of one row less those of another."""
    return sub(load3(after, c, lane, n), load3(before, c, lane, n))


@inlined
def copy_rows(begin, end, source, target):
    """Rows begin to end - 1 of one array to the same places of another, which may be narrower."""
    for k in range(begin, end):
        for c in range(target.shape[1]):
            target[k, c] = source[k, c]
