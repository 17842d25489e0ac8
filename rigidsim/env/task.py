"""What an environment asks of a scene: the names of actions, observations, reward and end, and what is drawn for each
episode.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rigidsim.arguments import needed, numbers, refuse
from rigidsim.scene import Scene, as_scene
from rigidsim.scene.values.samples import Distribution, read_distribution
from rigidsim.simulation.single import Simulation
from rigidsim.sweeps.sampling import quantiles

if TYPE_CHECKING:
    import gymnasium
    import gymnasium.vector
else:
    gymnasium = needed("gymnasium", "environments", "gym")

SEED = "simulation.seed"
SEEDS = 2**53
"""How many seeds of the noise there are."""

Start = Mapping[str, tuple[float, float] | str]


class Task:
    """A scene with the names that an environment needs; see `SceneEnv` for the parameters. `first` is a simulation of
    the scene, before its first step.
    """

    def __init__(
        self, scene: Scene | str | Path, reward: str, terminated: str, observations: Sequence[str], start: Any
    ):
        self.scene = as_scene(scene)
        self.first = Simulation(self.scene)
        self.limits = self.first.inputs
        if not self.limits:
            refuse("scene", "one that has a controller of the type input, which is the action", self.scene)
        places = {f"{one.body}.{one.name}" if one.body else one.name: one.number for one in self.scene.scope.held}
        self.names = tuple(observations or (name for name in places if "." in name))
        if not self.names:
            refuse("scene", "one that has sensors, or observations that name outputs of controllers", self.scene)
        for name in (*self.names, reward, *filter(None, [terminated])):
            if name not in places:
                refuse("reward, terminated and observations", f"names of {', '.join(places)}", name)
        self.observed = np.array([places[name] for name in self.names])
        self.reward, self.terminated = places[reward], places[terminated] if terminated else None
        every = self.scene.controllers[next(iter(self.limits))].every
        self.steps = round(every / self.scene.simulation.step)
        low, high = np.array([*self.limits.values()]).T
        self.action_space = gymnasium.spaces.Box(low, high, dtype=np.float64)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, self.observed.shape, np.float64)
        self.start = {path: _distribution(path, one) for path, one in _given(start, self.scene).items()}
        if self.start:
            self.simulation(np.full(1 + len(self.start), 0.5))  # of which each path must exist

    def actions(self, given: Any, *shape: int) -> np.ndarray:
        """(..., action) checked."""
        found = numbers(given, "action")
        shape = *shape, len(self.limits)
        if found.shape != shape:
            refuse("action", f"an array of shape {shape}, a number for each of {', '.join(self.limits)}", given)
        if not np.isfinite(found).all():
            refuse("action", "finite numbers", given)
        return found

    def drawn(self, levels: np.ndarray) -> dict[str, np.ndarray]:
        """The numbers of the scene in some episodes, from random numbers in [0, 1), (episode, 1 + number)."""
        return {
            path: one[0] + (one[1] - one[0]) * levels[:, k] if isinstance(one, tuple) else quantiles(one, levels[:, k])
            for k, (path, one) in enumerate(self.start.items())
        }

    def columns(self, levels: np.ndarray) -> dict[str, np.ndarray | list]:
        """The values of `start` and the seed of the noise in each of some episodes, as a sweep has them."""
        found: dict[str, np.ndarray | list] = {}
        for path, values in self.drawn(levels).items():
            unit = getattr(self.start[path], "unit", "")
            found[path] = [f"{value!r} {unit}" for value in values.tolist()] if unit else values
        return found | {SEED: np.floor(levels[:, -1] * SEEDS)}

    def simulation(self, levels: np.ndarray) -> Simulation:
        """A simulation of one episode."""
        overrides = [
            (path, one if isinstance(one := values[0], str) else float(one))
            for path, values in self.columns(levels[None]).items()
        ]
        return Simulation(self.scene.with_overrides(overrides))


def _given(start: Any, scene: Scene) -> Mapping[str, Any]:
    """The numbers that are drawn; by default those that the scene gives as distributions."""
    if start is None:
        return scene.uncertain
    return start if isinstance(start, Mapping) else refuse("start", "a mapping of names to distributions", start)


def _distribution(path: str, given: Any) -> Distribution | tuple[float, float]:
    """The distribution of a number, from two ends or a text."""
    if isinstance(given, str | Distribution):
        try:
            return read_distribution(given)
        except ValueError as error:
            refuse(f"start['{path}']", f"a distribution ({error})", given)
    ends = numbers(given, f"start['{path}']")
    if ends.shape != (2,) or not np.isfinite(ends).all() or ends[0] > ends[1] or not math.isfinite(ends[1] - ends[0]):
        refuse(f"start['{path}']", 'two numbers, the least first, or a text such as "normal(0, 0.1)"', given)
    return float(ends[0]), float(ends[1])
