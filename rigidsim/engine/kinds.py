"""A node's kind, and its routine in each pass: the only place that depends on the kind.

A moved node has a row in the state and in the table of bodies; a free one moves by Newton's and Euler's equations. The
other nodes are driven: their motion relative to their parents is fixed or prescribed.
"""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.accelerations import accelerate_driven, accelerate_free
from rigidsim.engine.drive import prescribe
from rigidsim.engine.kinematics import (
    link_driven,
    link_free,
    place_driven,
    place_free,
    write_local_driven,
    write_local_free,
)
from rigidsim.jit import inlined


@inlined
def is_moved(node, model):
    """Whether a node has a row in the state."""
    return model.node[node].kind == at.FREE


@inlined
def place(node, t, model, state, scratch, lanes):
    """Compute the frame of a node; that of its parent is known."""
    i = model.node[node].row
    parent, arm, frame = scratch.frame[model.node[node].parent], scratch.arm[node], scratch.frame[node + 1]
    if model.node[node].kind == at.FREE:
        place_free(state[i], model.body[i], parent, arm, frame, lanes)
    else:
        if model.node[node].kind == at.PRESCRIBED:
            prescribe(t, model.motion[i], scratch.driven[i], lanes)
        place_driven(scratch.driven[i], model.motion[i], parent, arm, frame, lanes)


@inlined
def link(node, model, scratch, lanes):
    """Compute the link of a node: its origin relative to its parent's; both frames are placed."""
    parent, arm = scratch.frame[model.node[node].parent], scratch.arm[node]
    if model.node[node].kind == at.FREE:
        body = model.body[model.node[node].row]
        link_free(body, scratch.frame[node + 1], parent, arm, scratch.link[node], lanes)
    else:
        link_driven(parent, arm, scratch.link[node], lanes)


@inlined
def accelerate(node, model, state, scratch, lanes):
    """Compute the acceleration of a node; that of its parent is known."""
    i = model.node[node].row
    parent, arm, frame = scratch.frame[model.node[node].parent], scratch.arm[node], scratch.frame[node + 1]
    if model.node[node].kind == at.FREE:
        accelerate_free(state[i], model.body[i], parent, arm, scratch.wrench[i], frame, scratch.rate[i], lanes)
    else:
        accelerate_driven(scratch.driven[i], model.motion[i], parent, arm, frame, lanes)


@inlined
def sample_local(node, model, state, scratch, local, k, lanes):
    """Write the motion of a node relative to its parent into sample k; all frames are placed."""
    i, parent = model.node[node].row, scratch.frame[model.node[node].parent]
    position, orientation = local.position[k, node], local.orientation[k, node]
    velocity, angular_velocity = local.velocity[k, node], local.angular_velocity[k, node]
    if model.node[node].kind == at.FREE:
        frame = scratch.frame[node + 1]
        write_local_free(
            state[i], model.body[i], parent, frame, position, orientation, velocity, angular_velocity, lanes
        )
    else:
        write_local_driven(scratch.driven[i], position, orientation, velocity, angular_velocity, lanes)
