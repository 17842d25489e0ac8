"""Many worlds of a scene as a vector environment of gymnasium, stepped side by side in compiled code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from rigidsim.arguments import refuse, whole_number
from rigidsim.env.blocks import Step, parts_of
from rigidsim.env.episodes import Episode, Episodes
from rigidsim.env.task import Start, Task, gymnasium
from rigidsim.errors import UsageError
from rigidsim.scene import Scene

AutoresetMode = gymnasium.vector.AutoresetMode
NOWHERE = np.empty(0, np.int64)


class SceneVectorEnv(gymnasium.vector.VectorEnv):
    """Worlds of one scene as a vector environment of gymnasium.

    World k of `reset(seed=s)` has the bits of a `SceneEnv` with the seed s + k, for any number of worlds and threads.
    Worlds are stepped in blocks of SIMD lanes where the scene permits that each begins its episodes by itself: see
    `lanes`.

    Parameters
    ----------
    scene : Scene, or the path of a file
        As for `SceneEnv`; so are `reward`, `terminated`, `observations` and `start`.
    num_envs : int
        How many worlds there are.
    threads : int
        How many threads step them.
    autoreset_mode : str or gymnasium.vector.AutoresetMode
        When the next episode of a world begins. "NextStep": at its next step, whose action is ignored. "SameStep": in
        the step that ends the last one; `infos["final_obs"]` has what was seen there. "Disabled": by `reset` with
        `options={"reset_mask": mask}`.
    """

    def __init__(
        self,
        scene: Scene | str | Path,
        num_envs: int,
        reward: str,
        terminated: str = "",
        observations: Sequence[str] = (),
        start: Start | None = None,
        *,
        threads: int = 1,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    ):
        self.num_envs = n = whole_number(num_envs, "num_envs", least=1)
        threads = whole_number(threads, "threads", least=1)
        modes = [mode.value for mode in AutoresetMode]
        if autoreset_mode not in [*AutoresetMode, *modes]:
            refuse("autoreset_mode", f"one of {', '.join(modes)}", autoreset_mode)
        self._mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self._mode}
        self._task = task = Task(scene, reward, terminated, observations, start)
        self.scene, self.observation_names = task.scene, task.names
        self.single_action_space, self.single_observation_space = task.action_space, task.observation_space
        batch = gymnasium.vector.utils.batch_space
        self.action_space = batch(self.single_action_space, n)
        self.observation_space = batch(self.single_observation_space, n)
        self._parts = parts_of(task, n, threads)
        self._episodes = Episodes(task, n)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="env") if threads > 1 else None
        self._has_begun, self._has_ended = np.zeros(n, bool), np.zeros(n, bool)
        self._observations = np.zeros((n, len(task.names)))

    @property
    def lanes(self) -> int:
        """How many worlds a block has: 1 where each is stepped by itself, because something in the scene depends on the
        time, on what happened before, or on contact.
        """
        return self._parts[0][0].stop

    @property  # type: ignore[misc]  # it cannot be set: there is one for each world
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The generator of each world."""
        return tuple(self._episodes.generators)

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]  # likewise
        """The seed of each generator."""
        return tuple(self._episodes.seeds)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[np.ndarray, dict]:
        """Begin an episode in each world, or in those of `options["reset_mask"]`; world k has the seed `seed` + k, or
        that of a list.

        Parameters
        ----------
        seed : int | Sequence[int], optional
            Seed of the first world, or one for each world.
        options : Mapping[str, Any], optional
            `reset_mask`: which worlds begin an episode.

        Returns
        -------
        tuple[np.ndarray, dict]
            The observations, a row for each world, and information.
        """
        n, mask = self.num_envs, np.ones(self.num_envs, bool)
        if options and "reset_mask" in options:
            mask = np.asarray(options["reset_mask"])
            if mask.shape != (n,) or mask.dtype != bool or not mask.any():
                refuse("options['reset_mask']", f"an array of {n} booleans, of which one is true", mask)
        if seed is None or isinstance(seed, int | np.integer):
            seeds = [None if seed is None else whole_number(seed, "seed") + k for k in range(n)]
        elif len(seed) == n:
            seeds = [None if one is None else whole_number(one, "seed") for one in seed]
        else:
            refuse("seed", f"an integer, or a list of {n}", seed)
        for world in np.flatnonzero(mask).tolist():
            self._episodes.seed(world, seeds[world])
        infos = self._begin(mask)
        return self._observations.copy(), infos

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict]:
        """Hold an action in each world until the next decision. A world that fails ends its episode, with the message
        as `error`; the others go on.

        Parameters
        ----------
        actions : Any
            A row for each world, with a number for each input.

        Returns
        -------
        tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict]
            Observations, rewards, terminated, truncated, information, a row for each world.
        """
        task, n = self._task, self.num_envs
        if not self._has_begun.all():
            raise UsageError(f"step: no episode has begun in world {int(np.argmin(self._has_begun))}; call reset first")
        actions, waiting = task.actions(actions, n), self._has_ended
        if self._mode == AutoresetMode.DISABLED and waiting.any():
            world = int(np.argmax(waiting))
            raise UsageError(f"step: the episode of world {world} has ended; call reset with a reset_mask first")
        entering = self._taken(waiting) if waiting.any() else {}
        jobs = [(part, actions[worlds], *_places(worlds, entering)) for worlds, part in self._parts]
        steps = [*(self._pool.map if self._pool else map)(_stepped, jobs)]
        rewards, terminated, truncated = np.zeros(n), np.zeros(n, bool), np.zeros(n, bool)
        errors: dict[int, str] = {}
        for (worlds, _), done in zip(self._parts, steps, strict=True):
            self._observations[worlds] = done.held[task.observed].T
            rewards[worlds], truncated[worlds], terminated[worlds] = done.held[task.reward], done.is_late, done.is_over
            if task.terminated is not None:
                terminated[worlds] |= done.held[task.terminated] > 0.0
            if done.errors:
                errors |= {worlds.start + place: message for place, message in done.errors.items()}
        if entering:
            rewards[waiting], terminated[waiting], truncated[waiting] = 0.0, False, False
        infos: dict[str, Any] = self._infos(waiting, entering) if entering else {}
        for world, message in errors.items():
            infos = self._add_info(infos, {"error": message}, world)
        self._has_ended = ended = terminated | truncated
        if self._mode == AutoresetMode.SAME_STEP and ended.any():
            for world in np.flatnonzero(ended).tolist():
                last = {"final_info": {"error": errors[world]} if world in errors else {}}
                last["final_obs"] = self._observations[world].copy()
                infos = self._add_info(infos, last, world)
            infos |= self._begin(ended)
        return self._observations.copy(), rewards, terminated, truncated, infos

    def _taken(self, mask: np.ndarray) -> dict[int, Episode]:
        """The next episodes of these worlds."""
        chosen = np.flatnonzero(mask).tolist()
        return dict(zip(chosen, self._episodes.take(chosen), strict=True))

    def _begin(self, mask: np.ndarray) -> dict[str, Any]:
        """Let the next episode begin in these worlds; what was drawn for them."""
        entering = self._taken(mask)
        for worlds, part in self._parts:
            places, episodes = _places(worlds, entering)
            if episodes:
                held = part.begin(places, episodes)
                self._observations[worlds.start + places] = held[self._task.observed][:, places].T
        self._has_begun[mask], self._has_ended = True, self._has_ended & ~mask
        return self._infos(mask, entering)

    def _infos(self, mask: np.ndarray, entering: Mapping[int, Episode]) -> dict[str, Any]:
        """What was drawn for episodes that begin."""
        found: dict[str, Any] = {}
        drawn = self._task.drawn(np.stack([episode.levels for episode in entering.values()]))
        for path, values in drawn.items():
            found[path], found[f"_{path}"] = np.zeros(self.num_envs), mask.copy()
            found[path][mask] = values
        return found

    def close_extras(self, **_kwargs: Any) -> None:
        """End the threads.

        Parameters
        ----------
        **_kwargs : Any
            Not used.
        """
        if self._pool:
            self._pool.shutdown()


def _places(worlds: slice, entering: Mapping[int, Episode]) -> tuple[np.ndarray, list[Episode]]:
    """The places of a part in which episodes begin, and these."""
    if not entering:
        return NOWHERE, []
    chosen = [world for world in range(worlds.start, worlds.stop) if world in entering]
    return np.array(chosen, np.int64) - worlds.start, [entering[world] for world in chosen]


def _stepped(job: tuple) -> Step:
    part, *given = job
    return part.step(*given)
