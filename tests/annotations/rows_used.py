"""Uses of rows, right and wrong. A comment that begins with `error:` is a part of what mypy says about its line."""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine.model.layout import EACH, FRAME, STATE
from rigidsim.jit import lanewise

Triple = tuple[float, float, float]


class Arrays(NamedTuple):
    frames: FRAME


@lanewise
def right(frame: FRAME, state: STATE, time: EACH, lane: int) -> None:
    position: Triple = frame.p
    frame.q = 1.0, *position
    state.work += time * frame.omega[0]
    state.v_low = 0.0, 0.0, 0.0


def also_right(arrays: Arrays) -> Triple:
    return arrays.frames.alpha


@lanewise
def wrong(frame: FRAME, state: STATE, lane: int) -> None:
    turn = frame.omgea  # error: [attr-defined] has no attribute "omgea"
    frame.omgea = turn  # error: [attr-defined] has no attribute "omgea"
    frame.p = frame.q  # error: [assignment] expression has type "tuple[float, float, float, float]"
    state.work = frame.p  # error: [assignment] expression has type "tuple[float, float, float]"
    frame.v = (frame.q[4], 0.0, 0.0)  # error: [misc] Tuple index out of range


def also_wrong(arrays: Arrays) -> float:
    return arrays.frames.work  # error: [attr-defined] has no attribute "work"
