"""The reference in the course of a run: scipy's DOP853 from one event to the next.

Events are instants at which something switches (`unilateral.py`), impulses, and changes of the tree.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from maximal_coordinates import Array, Equations, Motion, nodes_of
from unilateral import settle, switches_of

RTOL, ATOL = 1e-11, 1e-13
BEYOND = 1e-6
"""s: how long nothing is watched where a force that holds is at its bound, and after an impact. At the bound, holding
and slipping agree, and beyond it the speed is wrong by half the square of this times the rate of the force over the
mass. After an impact the gap is zero, and would be taken for the end of a flight that is shorter than a step.
"""
BOUNDS = {"most", "least", "friction"}
"""Margins of the forces that hold."""
IMPACTS = {"low", "high", "gap"}
"""Margins of what strikes."""
LONGEST = 0.02
"""Of steps, s: where something can switch, what happens twice within one would not be seen."""


class Reference:
    """A scene from its start to its end: one tree after the other, and what happens at instants."""

    def __init__(self, scene: dict[str, Any]):
        self.scene, self.tree = scene, Equations(scene, nodes_of(scene["bodies"]))

    def instants(self) -> list[tuple[float, int, Any]]:
        """Times, and what happens then: changes of the tree, then impulses, then the end."""
        found = [(change["time"], 0, change) for change in self.scene.get("reparent", ())]
        for path, node in nodes_of(self.scene["bodies"]).items():
            found += [(blow["time"], 1, (path, blow)) for blow in node.data.get("impulses", ())]
        found.append((self.scene["simulation"]["duration"], 2, None))
        return sorted(found, key=lambda each: each[:2])

    def run(self) -> dict[str, Motion]:
        """The motion of all bodies in the world at the end of the scene."""
        t, tree = 0.0, self.tree
        state = tree.start()
        tree.switches = switches_of(tree)
        settle(tree, t, state, [])
        for time, order, what in self.instants():
            while t < time:
                t, state = self.until(time, tree, t, state)
            if order == 0:
                loops = tree.loops
                tree, state = tree.after(what, t, state)
                tree.loops, tree.switches = loops, switches_of(tree)
            elif order == 1:
                tree.strike(tree.bodies[what[0]], what[1], t, state)
            settle(tree, t, state, [])
        return tree.motions(time, state)

    def until(self, time: float, tree: Equations, t: float, state: Array) -> tuple[float, Array]:
        """The state at a time, or where something switches before it."""
        margins = [(switch, name) for switch in tree.switches for name in switch.watched()]
        events = [partial(watched, tree, *margin) for margin in margins]
        for event in events:
            event.terminal, event.direction = True, -1.0
        longest = LONGEST if margins else np.inf
        done = solve_ivp(
            tree.slope, (t, time), state, "DOP853", rtol=RTOL, atol=ATOL, events=events or None, max_step=longest
        )
        t, state = done.t[-1], done.y[:, -1].copy()
        met = [margin for margin, times in zip(margins, done.t_events or (), strict=False) if len(times)]
        names = {name for _, name in met}
        if names & BOUNDS:
            t, state = beyond(tree, t, state, time)
        if met:
            settle(tree, t, state, met)
        if names & IMPACTS:
            t, state = beyond(tree, t, state, time)
        return t, state


def watched(tree: Equations, switch, name: str, t: float, state: Array) -> float:
    """A margin, as scipy asks for it."""
    return switch.margin(name, tree, t, state)


def beyond(tree: Equations, t: float, state: Array, time: float) -> tuple[float, Array]:
    """The state a moment later, in the present modes."""
    done = solve_ivp(tree.slope, (t, min(t + BEYOND, time)), state, "DOP853", rtol=RTOL, atol=ATOL)
    return done.t[-1], done.y[:, -1].copy()
