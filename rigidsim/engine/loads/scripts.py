"""Forces, torques and gravity given by expressions of time and of motions seen from frames."""

from __future__ import annotations

from rigidsim.engine.dynamics.articulated import turns_in
from rigidsim.engine.laws.field import fall
from rigidsim.engine.laws.wrench import acts
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.layout import (
    APART,
    BODY,
    FRAME,
    KINEMATICS,
    NUMBERS,
    QUATERNION,
    SCALAR,
    SCRIPT,
    TRIPLE,
    WRENCH,
)
from rigidsim.engine.model.programs import fill, record_fault, record_faults, run_program
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.frames import stretch_back
from rigidsim.physics.quaternion import canonical, conjugate, product, rotate, rotate_back
from rigidsim.physics.vector import add, cross, norm, sub


@lanewise
def view_position(apart: APART, observer: FRAME, scale: SCALAR, seen: TRIPLE, lane):
    """R_WO^T (p_B - p_O), in the observer's units of length."""
    seen.xyz = stretch_back(observer.q, scale.value, apart.p)


@lanewise
def view_velocity(apart: APART, observer: FRAME, scale: SCALAR, seen: TRIPLE, lane):
    """R_WO^T (v_B - v_O - omega_O x (p_B - p_O)), in the observer's units of length."""
    seen.xyz = stretch_back(observer.q, scale.value, sub(apart.v, cross(observer.omega, apart.p)))


@lanewise
def view_speed(apart: APART, observer: FRAME, scale: SCALAR, seen: SCALAR, lane):
    """|v| of the velocity given by `view_velocity`."""
    seen.value = norm(sub(apart.v, cross(observer.omega, apart.p))) / scale.value


@lanewise
def view_rate(observer: FRAME, observed: FRAME, seen: TRIPLE, lane):
    """R_WO^T (omega_B - omega_O)."""
    seen.xyz = rotate_back(observer.q, sub(observed.omega, observer.omega))


@lanewise
def view_orientation(observer: FRAME, observed: FRAME, seen: QUATERNION, lane):
    """q_OB = q_WO* q_WB, with the sign for which w >= 0."""
    seen.wxyz = canonical(product(conjugate(observer.q), observed.q))


@lanewise
def push_script(x: SCALAR, y: SCALAR, z: SCALAR, value: SCRIPT, axes: FRAME, frame: FRAME, wrench: WRENCH, lane):
    """Add a force whose components, in the frame `axes`, are three registers, at a point fixed in the body."""
    f_W = rotate(axes.q, (x.value, y.value, z.value))
    lever_W = rotate(frame.q, value.lever)
    wrench.f = add(wrench.f, f_W)
    wrench.tau = add(wrench.tau, cross(lever_W, f_W))


@lanewise
def turn_script(x: SCALAR, y: SCALAR, z: SCALAR, axes: FRAME, wrench: WRENCH, lane):
    """Add a torque whose components, in the frame `axes`, are three registers."""
    wrench.tau = add(wrench.tau, rotate(axes.q, (x.value, y.value, z.value)))


@lanewise
def view_coordinate(joint: KINEMATICS, body: BODY, slides, seen: SCALAR, lane):
    """The coordinate of a joint: an angle, or, if it slides, a displacement in the parent's units of length."""
    seen.value = joint.x / (1.0 + slides * (body.scale - 1.0))


@lanewise
def view_coordinate_rate(joint: KINEMATICS, body: BODY, slides, seen: SCALAR, lane):
    """Its rate."""
    seen.value = joint.rate / (1.0 + slides * (body.scale - 1.0))


@inlined
def see_joint(kind, row, block, seen):
    """Fill the register of a coordinate, or of its rate; 0 while the joint is not there, whose motor alone reads it."""
    model, scratch, lanes = block.model, block.scratch, block.lanes
    if row == at.NO_ROW:
        fill(seen, 0.0, lanes)
        return
    joint, body, slides = scratch.joints.kinematics[row], model.body[row], 1.0 - turns_in(row, model.joints)
    if kind == at.SEEN_COORDINATE:
        view_coordinate(joint, body, slides, seen, lanes)
    else:
        view_coordinate_rate(joint, body, slides, seen, lanes)


@lanewise
def run_motor(torque: SCALAR, joint: KINEMATICS, lane):
    """The torque or force of a motor."""
    joint.motor = torque.value


@inlined
def run_motors(given, t, block):
    """Let all motors run that have a law."""
    scratch = block.scratch
    first = len(scratch.fault) - len(given.motors)
    if block.model.loops is not None:
        first -= len(block.model.loops.loop)
    for k in range(len(given.motors)):
        torque = scratch.working.register[given.motors[k].register]
        record_fault(t, torque, 0, scratch.fault[first + k], block.lanes)
        if given.motors[k].row != at.NO_ROW:
            run_motor(torque, scratch.joints.kinematics[given.motors[k].row], block.lanes)


@inlined
def look(given, block):
    """Fill the registers of all motions that expressions read."""
    model, scratch, lanes = block.model, block.scratch, block.lanes
    views, registers = given.views, scratch.working.register.reshape(-1)
    for k in range(len(views)):
        kind, pair, first = views[k].kind, views[k].pair, views[k].register
        if kind >= at.SEEN_COORDINATE:
            if model.joints is not None:
                see_joint(kind, pair, block, registers[first * len(lanes) :])
            continue
        frame = model.relations.pair[pair].first
        apart, observer, scale = scratch.apart[pair], scratch.frame[frame], model.scale[frame]
        observed = scratch.frame[model.relations.pair[pair].second]
        seen = registers[first * len(lanes) :]  # consecutive registers are addressed as the components of one row
        if kind == at.SEEN_POSITION:
            view_position(apart, observer, scale, seen, lanes)
        elif kind == at.SEEN_VELOCITY:
            view_velocity(apart, observer, scale, seen, lanes)
        elif kind == at.SEEN_RATE:
            view_rate(observer, observed, seen, lanes)
        elif kind == at.SEEN_SPEED:
            view_speed(apart, observer, scale, seen, lanes)
        else:
            view_orientation(observer, observed, seen, lanes)


@lanewise
def set_coefficient(x: SCALAR, value: NUMBERS, place, lane):
    """Give a number of a load the value of a register."""
    value[place] = x.value


@inlined
def run_scripts(given, t, block):
    """Evaluate all expressions at time t (s)."""
    program, register = given.script, block.scratch.working.register
    fill(register[len(program.constant)], t, block.lanes)
    look(given, block)
    run_program(program.code, program.first, program.tables, register, block.lanes)


@inlined
def set_each_coefficient(given, t, tables, laws, block):
    """Evaluate all expressions, and give the loads of some tables, with their numbers, what these say."""
    scratch = block.scratch
    run_scripts(given, t, block)
    coefficients = given.varied.coefficients
    first = len(scratch.fault) - len(given.motors) - len(coefficients)
    if block.model.loops is not None:
        first -= len(block.model.loops.loop)
    for number, table in tables:
        law = getattr(laws, table.name)
        for k in range(len(coefficients) if law is not None else 0):
            one = coefficients[k]
            if one.table == number:
                x = scratch.working.register[one.register]
                record_fault(t, x, 0, scratch.fault[first + k], block.lanes)
                set_coefficient(x, law.value[one.row], one.column, block.lanes)


@inlined
def set_coefficients(t, tables, laws, block):
    """Let expressions give numbers of loads, if there are any such."""
    model = block.model
    if model.expressions is None:
        return
    if model.expressions.varied is not None:
        set_each_coefficient(model.expressions, t, tables, laws, block)


@inlined
def script(given, t, k, block):
    """Apply one force, torque and field of gravity to its body."""
    model, scratch, lanes = block.model, block.scratch, block.lanes
    law, r, register = given.scripts, given.script_register[k], scratch.working.register
    i = law.who[k].second
    axes, frame = scratch.frame[law.who[k].pair], scratch.frame[model.moved_node[i] + 1]
    for first in (0, 3, 6):
        if r[first] >= 0:
            x, y, z = register[r[first]], register[r[first + 1]], register[r[first + 2]]
            record_faults(t, (x, y, z), 1, scratch.fault[k], lanes)
            if first == 0:
                push_script(x, y, z, law.value[k], axes, frame, scratch.wrench[i], lanes)
            elif first == 3:
                turn_script(x, y, z, axes, scratch.wrench[i], lanes)
            else:
                fall(x, y, z, axes, model.body[i], scratch.arm[model.moved_node[i]], scratch.wrench[i], lanes)


@inlined
def apply_each_script(given, t, block):
    """Evaluate all expressions at time t (s), unless coefficients needed them, and apply the loads of this phase."""
    if given.varied is None and len(given.scripts.who) + len(given.motors) > 0:
        run_scripts(given, t, block)
    for k in range(len(given.scripts.who)):
        if acts(given.scripts, k, block.phase):
            script(given, t, k, block)
    if block.model.joints is not None:
        run_motors(given, t, block)


@inlined
def apply_scripts(t, block):
    """Apply the loads given by expressions, if there are any."""
    if block.model.expressions is not None:
        apply_each_script(block.model.expressions, t, block)
