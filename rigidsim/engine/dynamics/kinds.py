"""A node's kind, and its routine in each pass: the only place that depends on the kind.

A moved node has rows in the state and in the table of bodies: a free one, which moves by Newton's and Euler's
equations, one; a jointed one, which forces move as far as its joint allows, one for each of its coordinates, at least
one. The other nodes are driven: their motion relative to their parents is fixed or prescribed.
"""

from __future__ import annotations

from rigidsim.engine.dynamics.accelerations import (
    accelerate_driven,
    accelerate_free,
    accelerate_in_parent,
    accelerate_in_world_axes,
)
from rigidsim.engine.dynamics.articulated import accelerate_jointed, accelerate_root, place_jointed, write_local_jointed
from rigidsim.engine.dynamics.drive import prescribe
from rigidsim.engine.dynamics.kinematics import (
    arm_in_world_axes,
    arm_of_free,
    link_driven,
    link_free,
    motion_rows,
    place_driven,
    place_free,
    write_local_driven,
    write_local_free,
)
from rigidsim.engine.model import layout as at
from rigidsim.jit import inlined


@inlined
def is_moved(node, model):
    """Whether a node has rows in the state."""
    return model.node[node].kind == at.FREE or is_jointed(node, model)


@inlined
def is_jointed(node, model):
    """Whether a node is held by a joint."""
    return model.joints is not None and model.node[node].kind == at.JOINTED


@inlined
def is_root(row, model):
    """Whether a moved row is that of a free body that carries joints."""
    return model.joints is not None and model.joints.joint[row].root == row


@inlined
def is_of_joint(row, model):
    """Whether a moved row is that of a joint."""
    return model.joints is not None and model.joints.joint[row].parent != at.NO_ROW


@inlined
def is_row_asleep(row, scratch):
    """Whether a moved row is that of a body that contact lets sleep (`contact/sleeping.py`)."""
    return scratch.sleep is not None and scratch.sleep.asleep[row] > 0


@inlined
def is_row_apart(row, scratch):
    """Whether a smooth step leaves out a moved row: that of a body that sleeps, or that is stepped by itself."""
    return is_row_asleep(row, scratch) or (scratch.independent is not None and scratch.independent.marks[row] > 0)


@inlined
def is_apart(node, model, scratch):
    """Whether a node is such a body."""
    return (scratch.sleep is not None or scratch.independent is not None) and (
        model.node[node].kind == at.FREE and is_row_apart(model.node[node].row, scratch)
    )


@inlined
def keeps_frame(node, model, scratch):
    """Whether a node is such a body, whose frame and arm are those of the last step."""
    return scratch.sleep is not None and (
        model.node[node].kind == at.FREE and scratch.sleep.kept[model.node[node].row] > 0
    )


@inlined
def place(node, t, block, in_world=False):
    """Compute the frame of a node; that of its parent is known. With `in_world`, the state is a stage of a step in
    world axes: p and v of a free body are its arm d and d'.
    """
    model, state, scratch, lanes = block.model, block.state, block.scratch, block.lanes
    i = model.node[node].row
    parent, arm, frame = scratch.frame[model.node[node].parent], scratch.arm[node], scratch.frame[node + 1]
    if model.node[node].kind == at.FREE:
        if in_world:
            arm_in_world_axes(state[i], parent, arm, lanes)
        else:
            arm_of_free(state[i], model.body[i], parent, arm, lanes)
        place_free(state[i], model.body[i], parent, arm, frame, lanes)
    elif is_jointed(node, model):
        place_jointed(node, block)
    else:
        if model.node[node].kind == at.PRESCRIBED:
            prescribe(t, model.motion[i], scratch.driven[i], lanes)
        place_driven(scratch.driven[i], model.motion[i], parent, arm, frame, lanes)


@inlined
def link(node, block):
    """Compute the link of a node: its origin relative to its parent's; both frames are placed."""
    model, scratch = block.model, block.scratch
    parent, arm = scratch.frame[model.node[node].parent], scratch.arm[node]
    if is_moved(node, model):
        body = model.body[model.node[node].row]
        link_free(body, scratch.frame[node + 1], arm, scratch.link[node], block.lanes)
    else:
        link_driven(parent, arm, scratch.link[node], block.lanes)


@inlined
def accelerate(node, block, in_world=False):
    """Compute the acceleration of a node; that of its parent is known. With `in_world`, the rate of a free body's
    velocity is that of d', in world axes.
    """
    model, scratch, lanes = block.model, block.scratch, block.lanes
    i = model.node[node].row
    parent, arm, frame = scratch.frame[model.node[node].parent], scratch.arm[node], scratch.frame[node + 1]
    if model.node[node].kind == at.FREE:
        body, rate = model.body[i], scratch.rate[i]
        if is_root(i, model):
            articulated, acceleration = scratch.joints.articulated[i], scratch.joints.acceleration[i]
            accelerate_root(body, articulated, scratch.wrench[i], arm, frame, acceleration, rate, lanes)
        else:
            accelerate_free(block.state[i], body, arm, scratch.wrench[i], frame, rate, lanes)
        if in_world:
            accelerate_in_world_axes(parent, arm, rate, lanes)
        else:
            accelerate_in_parent(body, parent, arm, rate, lanes)
    elif is_jointed(node, model):
        accelerate_jointed(node, block)
    else:
        accelerate_driven(scratch.driven[i], model.motion[i], parent, arm, frame, lanes)


@inlined
def sample_local(node, block, local, k):
    """Write the motion of a node relative to its parent into sample k; all frames are placed."""
    model, scratch, lanes = block.model, block.scratch, block.lanes
    i, parent = model.node[node].row, scratch.frame[model.node[node].parent]
    motion = motion_rows(local, k, node)
    if model.node[node].kind == at.FREE:
        write_local_free(block.state[i], model.body[i], parent, scratch.frame[node + 1], motion, lanes)
    elif is_jointed(node, model):
        frame, arm = scratch.frame[node + 1], scratch.arm[node]
        write_local_jointed(model.body[i], parent, arm, frame, motion, lanes)
    else:
        write_local_driven(scratch.driven[i], motion, lanes)
