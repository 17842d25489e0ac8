"""Forces, torques and gravity given by expressions of time and of motions seen from frames."""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.laws.field import fall
from rigidsim.engine.laws.wrench import acts
from rigidsim.engine.layout import load, load3, load4, store, store3, store4
from rigidsim.engine.programs import fill, record_faults, run_program
from rigidsim.jit import inlined, routine
from rigidsim.physics.frames import stretch_back
from rigidsim.physics.quaternion import canonical, conjugate, product, rotate, rotate_back
from rigidsim.physics.vector import add, cross, norm, sub


@routine
def view_position(apart, observer, scale, seen, lanes):
    """R_WO^T (p_B - p_O), in the observer's units of length."""
    n = len(lanes)
    for lane in range(n):
        q_WO = load4(observer, at.F_Q, lane, n)
        store3(seen, 0, lane, n, stretch_back(q_WO, load(scale, 0, lane, n), load3(apart, at.Z_P, lane, n)))


@routine
def view_velocity(apart, observer, scale, seen, lanes):
    """R_WO^T (v_B - v_O - omega_O x (p_B - p_O)), in the observer's units of length."""
    n = len(lanes)
    for lane in range(n):
        swept = cross(load3(observer, at.F_OMEGA, lane, n), load3(apart, at.Z_P, lane, n))
        v_W = sub(load3(apart, at.Z_V, lane, n), swept)
        store3(seen, 0, lane, n, stretch_back(load4(observer, at.F_Q, lane, n), load(scale, 0, lane, n), v_W))


@routine
def view_speed(apart, observer, scale, seen, lanes):
    """|v| of the velocity given by `view_velocity`."""
    n = len(lanes)
    for lane in range(n):
        swept = cross(load3(observer, at.F_OMEGA, lane, n), load3(apart, at.Z_P, lane, n))
        store(seen, 0, lane, n, norm(sub(load3(apart, at.Z_V, lane, n), swept)) / load(scale, 0, lane, n))


@routine
def view_rate(observer, observed, seen, lanes):
    """R_WO^T (omega_B - omega_O)."""
    n = len(lanes)
    for lane in range(n):
        omega_W = sub(load3(observed, at.F_OMEGA, lane, n), load3(observer, at.F_OMEGA, lane, n))
        store3(seen, 0, lane, n, rotate_back(load4(observer, at.F_Q, lane, n), omega_W))


@routine
def view_orientation(observer, observed, seen, lanes):
    """q_OB = q_WO* q_WB, with the sign for which w >= 0."""
    n = len(lanes)
    for lane in range(n):
        q = product(conjugate(load4(observer, at.F_Q, lane, n)), load4(observed, at.F_Q, lane, n))
        store4(seen, 0, lane, n, canonical(q))


@routine
def push_script(x, y, z, value, axes, frame, wrench, lanes):
    """Add a force whose components, in the frame `axes`, are three registers, at a point fixed in the body."""
    n = len(lanes)
    for lane in range(n):
        f_W = rotate(load4(axes, at.F_Q, lane, n), (load(x, 0, lane, n), load(y, 0, lane, n), load(z, 0, lane, n)))
        lever_W = rotate(load4(frame, at.F_Q, lane, n), load3(value, at.X_LEVER, lane, n))
        store3(wrench, at.W_F, lane, n, add(load3(wrench, at.W_F, lane, n), f_W))
        store3(wrench, at.W_TAU, lane, n, add(load3(wrench, at.W_TAU, lane, n), cross(lever_W, f_W)))


@routine
def turn_script(x, y, z, axes, wrench, lanes):
    """Add a torque whose components, in the frame `axes`, are three registers."""
    n = len(lanes)
    for lane in range(n):
        tau_W = rotate(load4(axes, at.F_Q, lane, n), (load(x, 0, lane, n), load(y, 0, lane, n), load(z, 0, lane, n)))
        store3(wrench, at.W_TAU, lane, n, add(load3(wrench, at.W_TAU, lane, n), tau_W))


@inlined
def look(given, model, scratch, lanes):
    """Fill the registers of all motions that expressions read."""
    views, registers = given.views, scratch.working.register.reshape(-1)
    for k in range(len(views)):
        kind, pair, first = views[k, at.VIEW_KIND], views[k, at.VIEW_PAIR], views[k, at.VIEW_REGISTER]
        frame = model.relations.pair[pair, at.PAIR_FIRST]
        apart, observer, scale = scratch.apart[pair], scratch.frame[frame], model.scale[frame]
        observed = scratch.frame[model.relations.pair[pair, at.PAIR_SECOND]]
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


@inlined
def evaluate_scripts(given, t, model, scratch, lanes):
    """Evaluate all expressions at time t (s)."""
    program, register = given.script, scratch.working.register
    if len(given.scripts.who) > 0:
        fill(register[len(program.constant)], t, lanes)
        look(given, model, scratch, lanes)
        run_program(program.code, program.first, register, lanes)


@inlined
def script(given, t, k, model, scratch, lanes):
    """Apply one force, torque and field of gravity to its body."""
    law, r, register = given.scripts, given.script_register[k], scratch.working.register
    i = law.who[k, at.LAW_SECOND]
    axes, frame = scratch.frame[law.who[k, at.LAW_PAIR]], scratch.frame[model.moved_node[i] + 1]
    if r[0] >= 0:
        x, y, z = register[r[0]], register[r[1]], register[r[2]]
        record_faults(t, x, y, z, 1, scratch.fault[k], lanes)
        push_script(x, y, z, law.value[k], axes, frame, scratch.wrench[i], lanes)
    if r[3] >= 0:
        x, y, z = register[r[3]], register[r[4]], register[r[5]]
        record_faults(t, x, y, z, 1, scratch.fault[k], lanes)
        turn_script(x, y, z, axes, scratch.wrench[i], lanes)
    if r[6] >= 0:
        x, y, z = register[r[6]], register[r[7]], register[r[8]]
        record_faults(t, x, y, z, 1, scratch.fault[k], lanes)
        fall(x, y, z, axes, model.body[i], scratch.arm[model.moved_node[i]], scratch.wrench[i], lanes)


@inlined
def apply_each_script(given, t, era, model, scratch, lanes):
    """Evaluate all expressions at time t (s), and apply the loads of this era."""
    evaluate_scripts(given, t, model, scratch, lanes)
    for k in range(len(given.scripts.who)):
        if acts(given.scripts, k, era):
            script(given, t, k, model, scratch, lanes)


@inlined
def apply_scripts(t, era, model, scratch, lanes):
    """Apply the loads given by expressions, if there are any."""
    if model.expressions is not None:
        apply_each_script(model.expressions, t, era, model, scratch, lanes)
