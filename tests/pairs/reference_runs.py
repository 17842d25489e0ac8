"""The reference in the course of a run: scipy's DOP853 from one event to the next.

Events are instants at which something switches (`unilateral.py`), impulses, and changes of the tree.
"""

from __future__ import annotations

import copy
import re
from functools import partial
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from maximal_coordinates import ZERO, Array, Equations, Motion, nodes_of
from unilateral import Touch, settle, switches_of

RTOL, ATOL = 1e-11, 1e-13
BEYOND = 1e-6
"""s: how long nothing is watched where a force that holds is at its bound, and after an impact. At the bound, holding
and slipping agree, and beyond it the speed is wrong by half the square of this times the rate of the force over the
mass. After an impact the gap is zero, and would be taken for the end of a flight that is shorter than a step.
"""
ORDER = ("set", "tree", "blow", "sample", "output", "end")
"""Of what happens at one instant."""
BOUNDS = {"most", "least", "friction", "pull"}
"""Margins of the forces that hold."""
IMPACTS = {"low", "high", "gap"}
"""Margins of what strikes."""
LONGEST = 0.02
"""Of steps, s: where something can switch, what happens twice within one would not be seen."""


class Reference:
    """A scene from its start to its end: one tree after the other, and what happens at instants."""

    def __init__(self, scene: dict[str, Any]):
        self.scene = copy.deepcopy(scene)
        self.tree = Equations(self.scene, nodes_of(self.scene["bodies"]))
        self.waits: list[Condition] = []

    def instants(self) -> list[tuple[float, int, Any]]:
        """Times, and what happens then: changes of numbers, of the tree, impulses, samples of controllers and their
        effects, the end.
        """
        end = self.scene["simulation"]["duration"]
        found = [("set", change) for change in self.scene.get("changes", ())]
        found += [("tree", change) for change in self.scene.get("reparent", ())]
        for path, node in nodes_of(self.scene["bodies"]).items():
            found += [("blow", blow | {"body": path}) for blow in node.data.get("impulses", ())]
        self.waits = [Condition(kind, what) for kind, what in found if "when" in what]
        timed = [(what["time"], ORDER.index(kind), what) for kind, what in found if "time" in what]
        for name, what in self.scene.get("controllers", {}).items():
            for k in range(int(end / what["every"] + 1e-9)):
                timed.append((k * what["every"], ORDER.index("sample"), what | {"name": name}))
        timed.append((end, ORDER.index("end"), None))
        return sorted(timed, key=lambda each: each[:2])

    def run(self) -> dict[str, Motion]:
        """The motion of all bodies in the world at the end of the scene."""
        t, tree = 0.0, self.tree
        state = tree.start()
        tree.switches = switches_of(tree)
        settle(tree, t, state, [])
        agenda = self.instants()
        while agenda:
            time, order, what = agenda.pop(0)
            while t < time:
                t, state, met = self.until(time, tree, t, state)
                for condition in met:
                    self.waits.remove(condition)
                    tree, state = self.happen(condition.kind, condition.what, tree, t, state)
            if ORDER[order] == "sample":
                due = t + what["delay"], ORDER.index("output"), {what["name"]: controlled(what, tree, t, state)}
                agenda = sorted([*agenda, due], key=lambda each: each[:2])
            else:
                tree, state = self.happen(ORDER[order], what, tree, t, state)
            if not what:
                return tree.motions(time, state)
        raise AssertionError

    def happen(self, kind: str, what: dict, tree: Equations, t: float, state: Array) -> tuple[Equations, Array]:
        """Let something happen at an instant."""
        kept = tree.loops, tree.held
        if kind == "tree":
            tree, state = tree.after(what, t, state)
        elif kind == "set":
            for path, value in what["set"].items():
                put(self.scene, path, value)
            tree = Equations(self.scene, tree.nodes)
        elif kind == "blow":
            tree.strike(tree.bodies[what["body"]], what, t, state)
        elif kind == "output":
            kept[1].update(what)
        tree.loops, tree.held = kept
        tree.switches, tree._last = switches_of(tree), None
        struck = [one for one in tree.switches if isinstance(one, Touch) and one.approaches(tree, t, state)]
        settle(tree, t, state, [(one, "gap") for one in struck])
        return tree, state

    def until(self, time: float, tree: Equations, t: float, state: Array) -> tuple[float, Array, list[Condition]]:
        """The state at a time, or where something switches before it; the conditions that become true there."""
        margins = [(switch, name) for switch in tree.switches for name in switch.watched()]
        margins += [(condition, "when") for condition in self.waits]
        events = [partial(watched, tree, *margin) for margin in margins]
        for event in events:
            event.terminal, event.direction = True, -1.0
        longest = LONGEST if margins else np.inf
        done = solve_ivp(
            tree.slope, (t, time), state, "DOP853", rtol=RTOL, atol=ATOL, events=events or None, max_step=longest
        )
        t, state = done.t[-1], done.y[:, -1].copy()
        met = [margin for margin, times in zip(margins, done.t_events or (), strict=False) if len(times)]
        true = [condition for condition, name in met if name == "when"]
        met = [margin for margin in met if margin[1] != "when"]
        names = {name for _, name in met}
        if names & BOUNDS:
            t, state = beyond(tree, t, state, time)
        if met:
            settle(tree, t, state, met)
        if names & IMPACTS:
            t, state = beyond(tree, t, state, time)
        return t, state, true


class Condition:
    """What happens where a coordinate of a body in the world passes a place."""

    def __init__(self, kind: str, what: dict[str, Any]):
        self.kind, self.what = kind, what
        letter, self.path, sign, place = re.fullmatch(r"= (.)\('(.*)'\) ([<>]) (.*)", what["when"]).groups()
        self.k, self.sign, self.place = "xyz".index(letter), 1.0 if sign == "<" else -1.0, float(place)

    def margin(self, name: str, tree: Equations, t: float, state: Array) -> float:
        """How far the body is from it."""
        place = tree.place(tree.bodies[self.path], ZERO, t, state)
        return self.sign * (place.motion.p[self.k] - self.place)


def put(scene: dict[str, Any], path: str, value: float) -> None:
    """Set a number of a scene."""
    *above, last = re.findall(r"[^.\[\]]+", path)
    for key in above:
        scene = scene[int(key) if isinstance(scene, list) else key]
    scene[int(last) if isinstance(scene, list) else last] = value


def controlled(what: dict[str, Any], tree: Equations, t: float, state: Array) -> float:
    """The output of a controller, by what the encoders of joints read."""

    def coordinate(path: str) -> float:
        body = tree.bodies[path]
        return state[body.slots.start] / body.units[0]

    def rate(path: str) -> float:
        body = tree.bodies[path]
        return tree.solved(t, state)[3][body.slots.start - 13 * tree.n] / body.units[0]

    return eval(what["input"].lstrip("= "), {"wheel_coordinate": coordinate, "wheel_rate": rate})


def watched(tree: Equations, switch, name: str, t: float, state: Array) -> float:
    """A margin, as scipy asks for it."""
    return switch.margin(name, tree, t, state)


def beyond(tree: Equations, t: float, state: Array, time: float) -> tuple[float, Array]:
    """The state a moment later, in the present modes."""
    done = solve_ivp(tree.slope, (t, min(t + BEYOND, time)), state, "DOP853", rtol=RTOL, atol=ATOL)
    return done.t[-1], done.y[:, -1].copy()
