"""A scene as an environment for reinforcement learning, by the interface of gymnasium.

Actions are the controllers of the type `input`, observations what sensors measure, reward and end of an episode outputs
of other controllers. So the scene says all of it, and what is learned runs in a sweep as any controller does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rigidsim.arguments import needed, refuse
from rigidsim.errors import SimulationError
from rigidsim.scene import Scene, as_scene
from rigidsim.simulation.single import Simulation

gymnasium = needed("gymnasium", "environments", "gym")


class SceneEnv(gymnasium.Env):
    """A scene as an environment of gymnasium.

    Parameters
    ----------
    scene : Scene, or the path of a file
        It has at least one controller of the type `input`; the time between decisions is the `every` of the first one.
    reward : str
        The name of the output that is the reward of a step, at its end.
    terminated : str
        The name of the output that ends an episode where it is positive; empty for none. An episode is truncated at the
        duration of the scene.
    observations : sequence of str
        Names as `Simulation.readings` has them; default: the readings of all sensors.
    start : mapping of str to (float, float)
        Numbers of the scene, by the paths that overrides have, that are drawn anew between two ends for each episode.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 (the interface has it so)

    def __init__(
        self,
        scene: Scene | str | Path,
        reward: str,
        terminated: str = "",
        observations: Sequence[str] = (),
        start: Mapping[str, tuple[float, float]] | None = None,
    ):
        self.scene, self._start = as_scene(scene), dict(start or {})
        self._simulation = Simulation(self.scene)
        self._limits = self._simulation.inputs
        known = self._simulation.readings
        self.observation_names = tuple(observations or (name for name in known if "." in name))
        for name in (*self.observation_names, reward, *filter(None, [terminated])):
            if name not in known:
                refuse("reward, terminated and observations", f"names of {', '.join(known)}", name)
        if not self._limits:
            refuse("scene", "one that has a controller of the type input", self.scene)
        self._reward, self._terminated = reward, terminated
        every = self.scene.controllers[next(iter(self._limits))].every
        self._steps = round(every / self.scene.simulation.step)
        low, high = np.array(list(self._limits.values())).T
        self.action_space = gymnasium.spaces.Box(low, high, dtype=np.float64)
        shape = (len(self.observation_names),)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, shape, np.float64)

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        """Begin an episode: the scene anew, with numbers of `start` and noise of a seed that are drawn."""
        super().reset(seed=seed)
        drawn = [(path, float(self.np_random.uniform(*ends))) for path, ends in self._start.items()]
        noise = ("simulation.seed", int(self.np_random.integers(2**53)))
        self._simulation = Simulation(self.scene.with_overrides([*drawn, noise]))
        self._simulation.prepare()
        return self._observed(), dict(drawn)

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Hold an action until the next decision. A run that fails ends the episode, with the message as `error`."""
        simulation, info = self._simulation, {}
        for name, value in zip(self._limits, np.asarray(action, np.float64).ravel().tolist(), strict=True):
            simulation.set_input(name, value)
        try:
            simulation.step(min(self._steps, simulation.n_step - simulation.n))
        except SimulationError as error:
            info["error"] = str(error)
        found = simulation.readings
        ends = bool(self._terminated and found[self._terminated] > 0.0) or simulation.is_over or "error" in info
        return self._observed(), found[self._reward], ends, simulation.n >= simulation.n_step, info

    def _observed(self) -> np.ndarray:
        found = self._simulation.readings
        return np.array([found[name] for name in self.observation_names])
