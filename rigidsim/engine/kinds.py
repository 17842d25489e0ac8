"""A node's kind, and its routine in each pass: the only place that asks for it.

A moved node has rows of its own among the state and the bodies; a free one moves as Newton and Euler say. The motion of
the others relative to their parents is fixed or prescribed: driven.
"""

from __future__ import annotations

from rigidsim._jit import inlined
from rigidsim.engine import layout as at
from rigidsim.engine.accelerations import accelerate_driven, accelerate_free
from rigidsim.engine.drive import prescribe
from rigidsim.engine.jumps import jump_driven, jump_free
from rigidsim.engine.kinematics import link_driven, link_free, place_driven, place_free, sample_driven, sample_free


@inlined
def is_moved(node, model):
    """Whether a node has rows among those that move."""
    return model.node[node, at.NODE_KIND] == at.FREE


@inlined
def place(node, t, model, state, scratch, lanes):
    """Its frame; its parent's is there already."""
    i = model.node[node, at.NODE_ROW]
    parent, arm, frame = scratch.frame[model.node[node, at.NODE_PARENT]], scratch.arm[node], scratch.frame[node + 1]
    if model.node[node, at.NODE_KIND] == at.FREE:
        place_free(state[i], model.body[i], parent, arm, frame, lanes)
    else:
        if model.node[node, at.NODE_KIND] == at.PRESCRIBED:
            prescribe(t, model.motion[i], scratch.driven[i], lanes)
        place_driven(scratch.driven[i], model.motion[i], parent, arm, frame, lanes)


@inlined
def link(node, model, scratch, lanes):
    """Its origin from its parent's; both frames are placed."""
    parent, arm = scratch.frame[model.node[node, at.NODE_PARENT]], scratch.arm[node]
    if model.node[node, at.NODE_KIND] == at.FREE:
        body = model.body[model.node[node, at.NODE_ROW]]
        link_free(body, scratch.frame[node + 1], parent, arm, scratch.link[node], lanes)
    else:
        link_driven(parent, arm, scratch.link[node], lanes)


@inlined
def accelerate(node, model, state, scratch, lanes):
    """Its acceleration; its parent's is there already."""
    i = model.node[node, at.NODE_ROW]
    parent, arm, frame = scratch.frame[model.node[node, at.NODE_PARENT]], scratch.arm[node], scratch.frame[node + 1]
    if model.node[node, at.NODE_KIND] == at.FREE:
        accelerate_free(state[i], model.body[i], parent, arm, scratch.wrench[i], frame, scratch.rate[i], lanes)
    else:
        accelerate_driven(scratch.driven[i], model.motion[i], parent, arm, frame, lanes)


@inlined
def jump(node, model, state, scratch, buffer, lanes):
    """Its jump; its parent's is there already."""
    i, parent = model.node[node, at.NODE_ROW], model.node[node, at.NODE_PARENT]
    # The parent's jump and the node's own are different rows, so no array is both read and written in one call.
    arm, own, parent_jump = scratch.arm[node], buffer.jump[node + 1], buffer.jump[parent]
    if model.node[node, at.NODE_KIND] == at.FREE:
        jump_free(
            state[i], model.body[i], scratch.frame[parent], parent_jump, arm, scratch.frame[node + 1],
            buffer.strike[i], model.inherits[i], own, lanes,
        )  # fmt: skip
    else:
        jump_driven(parent_jump, arm, own, lanes)


@inlined
def sample_local(node, model, state, scratch, out, lanes):
    """Its motion relative to its parent, as a sample shows it."""
    i, parent = model.node[node, at.NODE_ROW], scratch.frame[model.node[node, at.NODE_PARENT]]
    if model.node[node, at.NODE_KIND] == at.FREE:
        sample_free(state[i], model.body[i], parent, scratch.frame[node + 1], out, lanes)
    else:
        sample_driven(scratch.driven[i], out, lanes)
