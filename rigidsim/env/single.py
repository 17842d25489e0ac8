"""One world of a scene as an environment of gymnasium."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rigidsim.env.task import Start, Task, gymnasium
from rigidsim.errors import SimulationError, UsageError
from rigidsim.scene import Scene


class SceneEnv(gymnasium.Env):
    """A scene as an environment of gymnasium.

    Parameters
    ----------
    scene : Scene, or the path of a file
        It has at least one controller of the type `input`; the time between decisions is the `every` of the first one.
    reward : str
        The name of the output that is the reward of a step, at its end.
    terminated : str
        The name of the output that ends an episode where it is positive; empty for none. An episode is also terminated
        by a trigger with `stop`, and truncated at the duration of the scene.
    observations : sequence of str
        Names as `Simulation.readings` has them; default: the readings of all sensors.
    start : mapping of str to (float, float) or str
        Numbers of the scene, by the names that overrides have, that are drawn for each episode: evenly between two
        ends, or from a distribution such as `"normal(0, 0.1)"`. Default: the numbers that the scene itself gives as
        distributions.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 (the interface has it so)

    def __init__(
        self,
        scene: Scene | str | Path,
        reward: str,
        terminated: str = "",
        observations: Sequence[str] = (),
        start: Start | None = None,
    ):
        self._task = task = Task(scene, reward, terminated, observations, start)
        self.scene, self.observation_names = task.scene, task.names
        self.action_space, self.observation_space = task.action_space, task.observation_space
        self._simulation = task.first
        self._is_over = True

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        """Begin an episode: the scene anew, with numbers of `start` and noise of a seed that are drawn.

        Parameters
        ----------
        seed : int, optional
            Seed of the random numbers of this episode and the following ones.
        options : Mapping[str, Any], optional
            Not used.

        Returns
        -------
        tuple[np.ndarray, dict]
            The first observation, and information.
        """
        super().reset(seed=seed)
        levels = self.np_random.random(1 + len(self._task.start))
        self._simulation = self._task.simulation(levels)
        self._simulation.prepare()
        self._is_over = False
        return self._observed(), {path: float(values[0]) for path, values in self._task.drawn(levels[None]).items()}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Hold an action until the next decision. A run that fails ends the episode, with the message as `error`.

        Parameters
        ----------
        action : Any
            A number for each input, in the order of the scene.

        Returns
        -------
        tuple[np.ndarray, float, bool, bool, dict]
            Observation, reward, terminated, truncated, information.
        """
        if self._is_over:
            raise UsageError("step: the episode has ended, or none has begun; call reset first")
        simulation, task, info = self._simulation, self._task, {}
        simulation.set_inputs(dict(zip(task.limits, task.actions(action).tolist(), strict=True)))
        try:
            simulation.step(min(task.steps, simulation.n_step - simulation.n))
        except SimulationError as error:
            info["error"] = str(error)
        held = simulation._held_numbers()
        ends = bool(task.terminated is not None and held[task.terminated] > 0.0) or simulation.is_over or bool(info)
        is_late = simulation.n >= simulation.n_step
        self._is_over = ends or is_late
        return self._observed(), float(held[task.reward]), ends, is_late, info

    def _observed(self) -> np.ndarray:
        return self._simulation._held_numbers()[self._task.observed]
