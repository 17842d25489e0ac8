"""The columns of the rows of all arrays, and how one lane of a row is read and written."""

from __future__ import annotations

from rigidsim.jit import formula, inlined
from rigidsim.jit.rows import Each, Integers, Row
from rigidsim.physics.summation import compensated_sum

# --- the rows of numbers

STAGE = Row(
    "a free node at a stage of a method: p_PC and v_PC (of the centre of mass, relative to the parent, its axes,"
    " its units of length), q_WB and omega_B = omega_WB_B (orientation and rate relative to the world), the work"
    " done on it up to now, J",
    p=3, q=4, v=3, omega=3, work=1,
)  # fmt: skip
STATE = Row(
    "the state of a free node: a stage, and the low parts of its sums (`compensated_sum`)",
    STAGE, sums=("p", "v", "omega", "work"),
)  # fmt: skip
COORDINATE = Row(
    "a STATE, or a STAGE, of a coordinate that has modes: the coordinate, its mode (`physics/modes.py`), its rate; and"
    " the low parts of both. The length or angle of a loop that holds at stops only is such a coordinate, which is"
    " measured; its rows come after all others",
    x=1, slip=1, lag=1, _turn=4, v=1, _more=6, x_low=1, _others=2, v_low=1, _rest=6,
)  # fmt: skip
FRAME = Row(
    "a node's frame in the world: q_WB, then p, v, a of its origin (m) and omega, alpha; frame 0 is the world"
    " itself",
    q=4, p=3, v=3, omega=3, a=3, alpha=3,
)  # fmt: skip
LOCAL = Row(
    "motion of a fixed or prescribed node relative to its parent: p_PB, q_PB, v, omega, a, alpha; lengths in the"
    " parent's units",
    p=3, q=4, v=3, omega=3, a=3, alpha=3,
)  # fmt: skip
DRIVE_AXES = Row(
    "unit axes of the three rotations of a node driven by expressions, the outermost first",
    first=3, second=3, third=3,
)  # fmt: skip
RATE_DRIVEN = Row(
    "state of a rate-driven node, whose rates are prescribed as functions of time: its pose p_PB and q_PB at the"
    " beginning of the step, and the time of that, s; its rows come after those of the moved nodes",
    sums=("p",), p=3, q=4, _room=6, since=1,
)  # fmt: skip
PACE = Row(
    "working row of a rate-driven node: the sums v0 + 4 vm + v1, the same of omega, and omega at the beginning of the"
    " step",
    v=3, omega=3, first=3,
)  # fmt: skip
UNWRAPPED = Row(
    "state of a load with a winding, such as a torsion spring: the angle about its axis at the last evaluation of"
    " the previous step, rad; without an axis, the cosine of half its deflection there, and the time of its first"
    " change of sign, s, or 0; these rows come last",
    last=1, passed=1,
)  # fmt: skip
WINDING = Row(
    "working row of such a load: its winding, and a value above 0 if its torque reverses at half a turn",
    now=1, turns_over=1,
)  # fmt: skip
STEP = Row(
    "progress of a method that chooses its steps: time of the state and length of the next step, s (0: to be chosen);"
    " the error of the last step in units of the tolerance, the row of the state that had it, and the length that it"
    " asked for, s; steps taken and rejected, the shortest one and when it began, s; 1.0 if no step can be taken; how"
    " many events of coordinates that have modes were counted, and since when, s. Of a trial: the state at its end,"
    " whether it is to be taken, or repeated, and how many steps in a row a branch has ended at once; its row comes"
    " between those of rate-driven nodes and of windings",
    t=1, h=1, error=1, worst=1, asked=1, taken=1, rejected=1, shortest=1, shortest_at=1, failed=1, events=1, since=1,
    takes=1, repeats=1, quick=1,
)  # fmt: skip
ARM = Row(
    "working row between the passes of one evaluation: the arm d and the drift J v; a moved body's v = d', v_WC and"
    " a_WC; world axes, m, m/s and m/s2",
    d=3, drift=3, v=3, v_WC=3, a_WC=3,
)  # fmt: skip
WRENCH = Row(
    "the loads on a moved body: applied force and torque about the centre of mass, N and N m; gravity, m/s2; world"
    " axes; and the power, W, that the ledger counts in addition to that of the applied force and torque: minus the"
    " rate at which springs store energy, plus the power that moves a source of gravity",
    f=3, tau=3, g=3, power=1,
)  # fmt: skip
PULL = Row(
    "the force or torque of a pair, world axes, and the power that the ledger counts in addition to theirs, W",
    f=3, power=1,
)  # fmt: skip
LINK = Row(
    "a node's origin relative to its parent's, and the difference of their velocities; world axes, m and m/s",
    p=3, v=3,
)  # fmt: skip
APART = Row(
    "separation: a frame's origin relative to another's, and the difference of their velocities; world axes, m and"
    " m/s",
    p=3, v=3,
)  # fmt: skip
RATE = Row(
    "rates that an integrator integrates in addition to v_PC and omega_B: a_PC, alpha_B, power",
    a=3, alpha=3, power=1,
)  # fmt: skip
START = Row(
    "a free body at the beginning of a step: q_WP and omega_WP of its parent, its arm d and v = d'; world axes, m and"
    " m/s",
    q=4, omega=3, d=3, v=3,
)  # fmt: skip
RELATIVE = Row("rotation of a body relative to its parent, in its axes, within a step: omega_PB and q_PB", omega=3, q=4)
SUMS = Row("weighted sums of the rates of the stages of a step", v=3, turning=3, a=3, alpha=3, power=1)
TURNING = Row(
    "angular momentum at the end of a step, and the present guess of the rate there; world axes",
    L=3, omega=3,
)  # fmt: skip
MEAN = Row("acceleration of a body by contacts in the last step, m/s2 and rad/s2, world axes", a=3, alpha=3)
BODY = Row(
    "constants of a moved body: mass, gravity (world axes), inertia and its inverse (xx yy zz xy xz yz, body axes),"
    " the centre of mass relative to the origin (body axes, m), metres per unit of the parent's lengths",
    mass=1, g=3, inertia=6, inverse=6, com=3, scale=1,
)  # fmt: skip
MOTION = Row(
    "constants of a driven node: pose, velocity and acceleration at t = 0, unit axis, rate and its derivative about"
    " it, metres per unit of the parent's lengths",
    p=3, q=4, v=3, a=3, axis=3, rate=1, rate_dot=1, scale=1,
)  # fmt: skip
SCRIPT = Row(
    "values of a load given by expressions: its lever from the centre of mass (body axes, m); force, torque and the"
    " acceleration of gravity are in registers",
    lever=3,
)  # fmt: skip
JOINT_VALUE = Row(
    "constants of a joint: the orientation of its body in the frame from which it hangs, where its coordinate is"
    " zero; the joint relative to the origin of that frame, and to the centre of mass of the parent body, both in the"
    " frame's axes, m; the body's centre of mass relative to the joint, m, and the unit axis, both in the body's axes;"
    " what a unit of the coordinate displaces along it: 1 of a displacement, pitch / 2 pi of a screw, else 0;"
    " stiffness, rest and damping of a spring in the joint, SI; the stops of its coordinate and their restitution; dry"
    " friction; the wanted rate of a motor, and its largest torque or force; the inertia of a rotor; of a servo, one"
    " over its time constant, 1/s, or its stiffness and damping, SI, and the largest torque or force of these",
    q=4, anchor=3, reach=3, r=3, axis=3, advance=1, stiffness=1, rest=1, damping=1,
    low=1, high=1, restitution=1, friction=1, wanted=1, largest=1, armature=1,
    tracking=1, servo_stiffness=1, servo_damping=1, servo_limit=1,
)  # fmt: skip
CONTENT = Row(
    "a STATE, or a STAGE, of a tank: the integral of its mass over time, kg s; 1 if it has run empty, else 0; its mass,"
    " kg; and the low part of that",
    _integral=1, is_empty=1, _turn=5, mass=1, _more=6, _others=3, mass_low=1, _rest=6,
)  # fmt: skip
UNIT_CONTENT = Row("inertia and its inverse of a kilogram in a tank, body axes", inertia=6, inverse=6)
TANK = Row("working row of a tank: the rate of its mass, kg/s; 0 if it has run empty, else 1", flow=1, is_open=1)
STRENGTH = Row("the largest force, N, and torque about it, N m, that a joint bears", force=1, torque=1)
KINEMATICS = Row(
    "joint kinematics of a body: its centre of mass relative to that of its parent body, the joint to the latter, the"
    " former to the joint, m; the axis, or the torque of spring and damper of a rotation about a point; the column of"
    " the motion subspace S, angular and linear, about the centre of mass; the accelerations c that rates alone give"
    " (`bias_acceleration`); the power of what acts in the joint, W; torque or force of a motor; the coordinate and its"
    " rate; world axes",
    d=3, reach=3, r=3, u=3, S_omega=3, S_v=3, c_alpha=3, c_a=3, power=1, motor=1, x=1, rate=1,
)  # fmt: skip
ARTICULATED = Row(
    "articulated-body inertia A, B, M of a body about its centre of mass, and its bias force, a wrench t, f; of a frame"
    " that is held, of what hangs on it alone; world axes (`physics/articulated.py`)",
    A=6, B=9, M=6, t=3, f=3,
)  # fmt: skip
FACTOR = Row(
    "of a coordinate: U = I S, D^-1 = 1 / (S . U) and u = tau - S . p, which drives it",
    U_t=3, U_f=3, D_inverse=1, u=1, _room=13,
)  # fmt: skip
BALL_FACTOR = Row(
    "of a rotation about a point, about it: A^-1, B, and the moment t less that in the joint",
    inverse=6,
    B=9,
    t=3,
    own=3,
)
CONSTRAINT = Row(
    "of a coordinate that has modes: 1 if it slides, 0 if its rate is held; what friction, motor and stop do together,"
    " N m or N; of those that contact may push, the impulse of that in the present step, N m s or N s, and 1 if its"
    " bounds count only when contact is known; the rate that a motor wants, and the derivative of that; the"
    " acceleration with which a servo holds its coordinate, 0 if it slides",
    slides=1, torque=1, given=1, waits=1, wanted=1, wanted_dot=1, held_dot=1,
)  # fmt: skip
GUARDS = Row(
    "of a coordinate that has modes, at a time within a step: how far it is from its stops; the rates that it slides"
    " with from those that can be held, or what holds it from the upper and the lower bound; and the rates of these"
    " (`physics/modes.py`). At rest at a stop, `low` has how far the rate that a servo wants is from zero",
    low=2, high=2, slip=2, lag=2,
)  # fmt: skip
TRIGGERED = Row("which of these guards vanish at an event: 1 or 0", low=1, high=1, slip=1, lag=1)
SEARCH = Row(
    "a step that events divide: what is done of it, and its longest part, s; the part that is tried, s; in that, a time"
    " before the first event and one after it, s; how many times were tried, or -1 where a guard may vanish twice"
    " inside; the time that is expected, s; the events of the step; 1 if a trial ends at one",
    done=1, longest=1, length=1, begin=1, end=1, tried=1, expected=1, events=1, ends=1,
)  # fmt: skip
IMPACT = Row(
    "of a coordinate that has modes, at an instant: 1 at its lower stop, -1 at its upper one, else 0; its rate, that"
    " before the impact, and the least approach that rebounds, rad/s or m/s; the impulse of the last round, that of"
    " impacts which rebound, and that of approaches which end, N m s or N s; the number of those that strike together,"
    " and twice the works of all of these by which they are stopped, and which they give back, J",
    stop=1, rate=1, start=1, least=1, last=1, rebound=1, compression=1, island=1, compressed=1, returned=1,
)  # fmt: skip
ACCELERATION = Row(
    "angular acceleration of a body of a tree, and acceleration of its centre of mass, in a tree with a free root less"
    " the gravity of that; of a frame that is held, that of its origin; world axes",
    alpha=3, a=3,
)  # fmt: skip
LOOP_VALUE = Row(
    "constants of a loop: its point on the first body relative to the origin, and to the centre of mass, of that, its"
    " axes, m; likewise on the second; the unit axis in the first body's axes, of an angle one at right angles to it"
    " that is `across` where the angle is zero, and two at right angles to that of the second, in its axes; the length"
    " of a distance, and the size of the loop, m; of a coupling the second coordinate where the first is zero, what its"
    " gap is measured by, and the ratio of the coordinates, rad or m",
    at=3, lever=3, to_at=3, to_lever=3, axis=3, upright=3, across=3, beside=3, length=1, extent=1, ratio=1,
)  # fmt: skip
LOOP_KINEMATICS = Row(
    "working row of a loop: the way from its first point to its second, its rates, and the two points relative to the"
    " centres of mass of their bodies; world axes, m",
    r=3, v=3, a=3, arm=3, to_arm=3,
)  # fmt: skip
EQUATION = Row(
    "an equation of a loop: force and torque of a multiplier of one on the second body; the gap, its rate and second"
    " derivative (`physics/loops.py`)",
    f=3, t=3, gap=1, rate=1, second=1,
)  # fmt: skip
PUSH = Row(
    "what a multiplier of one, of a loop or a coordinate, does to a body: torque about its centre of mass, and force",
    t=3, f=3,
)  # fmt: skip
IMPULSE = Row(
    "an impulse: linear (N s), angular about the centre of mass (N m s), lever from the centre of mass (body axes,"
    " m)",
    j=3, k=3, lever=3,
)  # fmt: skip
CORRECTION = Row(
    "what happens to a node at an instant: displacement of its origin, turn, change of velocity and of rate; to a"
    " free body itself: of its centre of mass, and of its angular momentum in place of the rate; world axes",
    p=3, turn=3, v=3, omega=3,
)  # fmt: skip
GAINED = Row(
    "change of energy by jumps, J; of what hangs on joints the kinetic energy, and apart from that the potential energy"
    " in uniform gravity",
    value=1, lifted=1,
)  # fmt: skip
EVENT = Row(
    "an event: time, s; the point where it acts, in the world; the normal from the first shape to the second; the"
    " impulse on the second body, or on the receiver, N s; energies before and after, J: of contact, the kinetic"
    " energy of both bodies, or 0 and what friction added in the mode that ends; of an impulse or a reparenting, the"
    " kinetic and potential energy of all; world axes",
    time=1, point=3, normal=3, impulse=3, energy_before=1, energy_after=1,
)  # fmt: skip
HIT = Row(
    "an impulse or a reparenting: an event; the moment of the impulse about the receiver's centre of mass; the part"
    " of impulse and moment that a constraint absorbed; velocity and rate of the receiver's origin before and after",
    EVENT, angular_impulse=3, constraint_impulse=3, constraint_angular_impulse=3, velocity_before=3, velocity_after=3,
    angular_velocity_before=3, angular_velocity_after=3,
)  # fmt: skip
CHANGE = Row(
    "a body that a jump reached; a protected body: the changes of its velocity, rate, acceleration and angular"
    " acceleration relative to the parent; a carried body: the changes of its velocity and rate in the world, and"
    " the equivalent impulse and moment",
    v=3, omega=3, a=3, alpha=3,
)  # fmt: skip
FAULT = Row(
    "the first non-finite value of an expression, or the first gap of a loop that cannot be closed: 1.0 if there"
    " is one, its time (s), the value",
    failed=1, time=1, value=1,
)  # fmt: skip
CHAIN = Row(
    "motion of a frame relative to an ancestor: pose p, q, s; v and omega; in the ancestor's axes and units of"
    " length",
    p=3, q=4, s=1, v=3, omega=3,
)  # fmt: skip
LUMP = Row("mass, centre of mass (m) and inertia of a body with its parts, body axes", mass=1, com=3, inertia=6)
LEDGER = Row(
    "one sample of one world: energies and work, J; momentum, spin and orbital angular momentum, world axes; the"
    " part of the work that contact did, J",
    kinetic=1, potential=1, work=1, momentum=3, spin=3, orbital=3, contact=1,
)  # fmt: skip
EACH = Each("a number such as a time, the same in all lanes or with a value for each")
SCALAR, TRIPLE, SIX = Row("a number", value=1), Row("a vector", xyz=3), Row("six numbers", value=6)
QUATERNION = Row("a quaternion", wxyz=4)
SUM = Row("a compensated sum", sums=("value",), value=1)
JET = Row("a function of time: its value, first and second derivative", value=1, rate=1, rate_dot=1)
NORMS = Row(
    "sums of the squares of some coefficients of a vector; log2 of the longest step that all vectors allow, s; of the"
    " first vector that has none, because a coefficient is not finite, the row of the state, else -1",
    value=1, rate=1, second=1, middle=1, after=1, fourth_last=1, third_last=1, before_last=1, last=1, length=1,
    failed=1,
)  # fmt: skip
DEFECT = Row(
    "of a vector, at a point of a step: the squares of its rate less the slope of its series, of that slope and the"
    " rate, and of its size; the rounding of its rate; the integral of the defect in a step of length 1; the largest"
    " size or change",
    square=1, slope=1, part=1, rounding=1, total=1, magnitude=1,
)  # fmt: skip
CROSSING = Row(
    "lengths of a step, s: without branches, and with those that were looked at; the part of it in which a comparison"
    " gets another answer, s from its beginning; whether there is one, and whether it is still searched for",
    whole=1, length=1, begin=1, end=1, found=1, open=1,
)  # fmt: skip
NUMBERS = Row(
    "numbers that are reached by their place",
)

# --- the rows of tables of integers

NODE = Integers(
    "a node: frame of the parent; FREE, FIXED, PRESCRIBED, DRIVEN or JOINTED; row among moved or driven nodes; row of"
    " its moved base, the moved body to which it is fixed (itself, if it is one), or NO_ROW; 1 if a moved"
    " body moves it (itself, if it is one), and free bodies are below it; of a moved node the first of its rows",
    parent=1, kind=1, row=1, moved_base=1, moves_free=1, first=1,
)  # fmt: skip
JOINT = Integers(
    "how a moved row hangs: its degrees of freedom, 6 of a free body, 3 of a rotation about a"
    " point, 1 of a coordinate, 0 of a weld or a coordinate that a motor prescribes; 1 if the coordinate is an angle, 1"
    " if it displaces the body along its axis, both of a screw; the frame from which it hangs; row of its parent body,"
    " or, after those of the moved nodes, of a frame that is held, that of the world first, or NO_ROW; row of the free"
    " body at the root of its tree, or that after all others, or NO_ROW of a free body that carries nothing; 1 if the"
    " power of what holds that frame is counted here; 1 for a rotation about a point with a spring; register of the"
    " coordinate that a motor prescribes or a servo follows, or NO_ROW; number among those that have modes, or NO_ROW;"
    " number among the tanks, or NO_ROW",
    dof=1, turns=1, slides=1, parent_frame=1, parent=1, root=1, counts=1, springs=1, jet=1, mode=1, tank=1,
)  # fmt: skip
LOOP = Integers(
    "a loop: POINT, AXIS, DISTANCE, COUPLING, SWING, TWIST or TURN; the pair of its frames, and both, or the rows of"
    " both coordinates; the first of its equations, and that after the last; if it holds at stops only, its number"
    " among what has modes, else NO_ROW",
    kind=1, pair=1, first=1, second=1, begin=1, end=1, mode=1,
)  # fmt: skip
LAW = Integers(
    "a load: pair of frames, row of the moved body at its first end or NO_ROW, that at its second end, its first"
    " phase, the phase after its last, number among the loads with a winding",
    pair=1, first=1, second=1, begin=1, until=1, followed=1,
)  # fmt: skip
TERM = Integers(
    "an operation of a graph: where the coefficients of its three operands and of its result begin", a=1, b=1, c=1, x=1
)
GROUP = Integers(
    "numbers that are one vector: the first one and that after the last, and whether their errors limit a step",
    begin=1, end=1, limits=1,
)  # fmt: skip
RUN = Integers(
    "operations of one kind, one after the other: that of the value, that of the growth or NO_ROW, the first one, and"
    " that after the last",
    operation=1, growth=1, begin=1, end=1,
)  # fmt: skip
VARIABLE = Integers(
    "a number: its row in the state and its column, and the column of its low part or NO_ROW", state=1, column=1, low=1
)
OPERATION = Integers("an operation of a program, and the registers of its operands", operation=1, a=1, b=1, c=1)
VIEW = Integers(
    "a motion that expressions read: SEEN_POSITION, ...; pair, or of a joint its row; first of its registers",
    kind=1, pair=1, register=1,
)  # fmt: skip
METRIC = Integers(
    "what a metric reads: which motion, the first of its registers; the node, or NO_ROW if it is not seen from the"
    " world; the first link of the way up from the body, and of that from its observer; which vector of those that are"
    " asked for, or NO_ROW",
    kind=1, register=1, node=1, way=1, observer_way=1, asked=1,
)  # fmt: skip
ASKED_TERM = Integers(
    "a term that a metric reads: its number, the node, the place of the vector", term=1, node=1, place=1
)
ASKED_FORCE = Integers(
    "a force of contact that a metric reads: 1 if only the part across the normals, the place of the vector",
    is_friction=1, place=1,
)  # fmt: skip
ASKED_JOINT = Integers(
    "a coordinate of a joint that a metric reads: its number; 0, or 1 if its rate is meant, 2 if what its motor does;"
    " the place of the vector",
    coordinate=1, part=1, place=1,
)  # fmt: skip
ASKED_REACTION = Integers(
    "a reaction that a metric reads: number of the joint, 1 if the torque is meant, the place of the vector",
    joint=1, is_torque=1, place=1,
)  # fmt: skip
ACCELEROMETER = Integers(
    "a node at whose origin an accelerometer is: row of the moved body above it, or NO_ROW; place of the vector",
    node=1, row=1, place=1,
)  # fmt: skip
FOLD = Integers("a reduction: number of the fold, or beyond these of what is counted; registers", kind=1, x=1, y=1, z=1)
POSED = Integers(
    "a node whose pose is given by expressions: row among the driven nodes; registers of the position and of three"
    " angles, NO_ROW if they are not given",
    row=1, position=3, angles=3,
)  # fmt: skip
DESIRED = Integers(
    "a motor: row among the moved ones; register of the coordinate that it prescribes, or of its torque or force",
    row=1,
    register=1,
)
COEFFICIENT = Integers(
    "a number of a load that an expression gives: its table, the row there, its column among the values; its register",
    table=1, row=1, column=1, register=1,
)  # fmt: skip
PACES = Integers(
    "a rate-driven node: row among the driven nodes; registers of velocity and angular velocity; whether each is"
    " prescribed",
    row=1, v=3, omega=3, moves=1, turns=1,
)  # fmt: skip
RECORD = Integers(
    "an event: what happened; two shapes, or the number of the impulse or reparenting and the receiver's node; the"
    " row of the first event at that instant, not of contact",
    cause=1, first=1, second=1, instant=1,
)  # fmt: skip
REACHED = Integers("a body that a jump reached: instant, role, node, source", instant=1, role=1, node=1, source=1)
PAIR = Integers("a pair of frames: first and second frame, first link of the path", first=1, second=1, way=1)

# Components of the arrays of a node's motion in a sample: position, orientation, velocity, angular velocity.
MOTION_WIDTHS = (3, 4, 3, 3)

# Terms of one moved body, each a vector: velocity and acceleration of the centre of mass relative to the parent (m/s,
# m/s2), the terms of which the acceleration is the sum, the angular acceleration relative to the parent (rad/s2), and
# its terms. The terms of contact and of joints, of both, come last.
T_VELOCITY, T_ACCELERATION, T_APPLIED, T_GRAVITY, T_LINEAR, T_EULER, T_CENTRIFUGAL, T_CORIOLIS = range(8)
T_ANGULAR, T_ANGULAR_APPLIED, T_GYROSCOPIC, T_ANGULAR_PARENT, T_ANGULAR_TRANSPORT = range(8, 13)
T_CONTACT, T_ANGULAR_CONTACT, T_JOINT, T_ANGULAR_JOINT, TERMS = range(13, 18)

# The kinds of nodes. Moved by forces, with rows in the state: FREE, or JOINTED, held by joints. Driven: FIXED,
# PRESCRIBED by constants, or DRIVEN by expressions (see `drive`).
FREE, FIXED, PRESCRIBED, DRIVEN, JOINTED = 0, 1, 2, 3, 4
# Loops: a point that is held, with an axis or without; a distance; coordinates; angles that have limits. Below them
# their numbers of equations.
POINT, AXIS, DISTANCE, COUPLING, SWING, TWIST, TURN = range(7)
EQUATIONS = (3, 5, 1, 1, 1, 1, 1)
# Whose energy changes at an instant: that of bodies that inherit jumps, of trees of joints, and of others.
OF_OTHERS, INHERITED, OF_TREES, GAINS = 0, 1, 2, 3
LOOP_KINDS = {
    "point": POINT, "hinge": AXIS, "distance": DISTANCE, "coupling": COUPLING, "swing": SWING, "twist": TWIST,
    "turn": TURN,
}  # fmt: skip
SEEN_POSITION, SEEN_VELOCITY, SEEN_RATE, SEEN_ORIENTATION, SEEN_SPEED = 0, 1, 2, 3, 4
SEEN_COORDINATE, SEEN_COORDINATE_RATE = 5, 6
CAUSE_IMPULSE, CAUSE_REPARENTING, CAUSE_BEGAN, CAUSE_ENDED, CAUSE_IMPACT, CAUSE_STOP, CAUSE_TRIGGER = range(7)
CAUSE_SLIDES, CAUSE_ROLLS, CAUSE_STICKS, CAUSE_RESTS = range(7, 11)  # where a mode of a contact that lasts begins
CONTACT_MODES = (CAUSE_SLIDES, CAUSE_ROLLS, CAUSE_STICKS, CAUSE_RESTS)
CAUSE_SLEEPS, CAUSE_WAKES = 11, 12
OF_CONTACT = (CAUSE_BEGAN, CAUSE_ENDED, CAUSE_IMPACT, *CONTACT_MODES, CAUSE_SLEEPS, CAUSE_WAKES)
ROLE_PROTECTED, ROLE_CARRIED = 0, 1
# At an edge: only constant loads change; stored energy is exchanged or impulses act; Python changes the tree.
EDGE_PASSED, EDGE_CROSSED, EDGE_STOPS = 0, 1, 2
NO_ROW = -1  # in place of a row of the moved nodes, or of a frame: none
NEVER = 1 << 62


@formula
def numbers_of(registers, lane, n):
    """The numbers in several registers."""
    return tuple(SCALAR(register, lane, n).value for register in registers)


@formula
def coefficients_of(parts, k, rows, lane, n):
    """What is taken of the coefficients in several rows for those of order k: of each part the row, and a function."""
    return tuple([take(NUMBERS(rows[which], lane, n), k) for which, take in parts])


@formula
def factors_of(term, begin, end, k, numbers, lane, n):
    """The coefficients up to order k of both factors of products begin to end - 1."""
    rows = [(numbers[term[m].a :], numbers[term[m].b :]) for m in range(begin, end)]
    return tuple([tuple([NUMBERS(row, lane, n).part(0, k + 1) for row in both]) for both in rows])


@formula
def jets_of(registers, lane, n):
    """The jets in several registers."""
    return tuple(TRIPLE(register, lane, n).xyz for register in registers)


@formula
def add_to_sums(row, **changes):
    """Add changes to parts of a row that are compensated sums."""
    for name, change in changes.items():
        (c, width), (low, _) = row.row.parts[name], row.row.parts[f"{name}_low"]
        for k, x in enumerate((change,) if width == 1 else change):
            row[c + k], row[low + k] = compensated_sum(row[c + k], row[low + k], x)


@inlined
def copy_rows(begin, end, source, target):
    """Copy rows begin to end - 1 of one array to the same rows of another, which may have fewer columns."""
    for k in range(begin, end):
        for c in range(target.shape[1]):
            target[k, c] = source[k, c]


@inlined
def largest_of(row, lanes):
    """The largest of a number in all lanes."""
    found = row[0]
    for lane in range(1, len(lanes)):
        found = row[lane] if row[lane] > found else found
    return found


@inlined
def copy_numbers(n, source, target):
    """Copy the first n numbers of an array of one dimension."""
    for k in range(n):
        target[k] = source[k]
