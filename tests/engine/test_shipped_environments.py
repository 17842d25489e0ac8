"""The shipped tasks: gymnasium's checker finds nothing in them, worlds have the bits of environments of their own, and
a linear law balances the pole.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv

from rigidsim.env import SceneEnv, SceneVectorEnv

SCENES = Path(__file__).parents[2] / "scenes"
TASKS = {
    "cart_pole": {
        "reward": "upright",
        "terminated": "fallen",
        "start": dict.fromkeys(["tilt", "place", "turning", "drift"], (-0.05, 0.05)),
    },
    "reacher": {
        "reward": "near",
        "start": {"share": (0, 1), "direction": (-math.pi, math.pi), "turning": "normal(0, 0.1)"},
    },
    "hopper": {
        "reward": "forward",
        "terminated": "down",
        "start": {"lift": (-0.005, 0.005), "lean": (-0.005, 0.005), "bend": (-0.005, 0)},
    },
}
WORLDS = {"cart_pole": (32, 32), "reacher": (32, 32), "hopper": (3, 1)}
"""How many, and how many lanes."""


def task(name: str) -> dict:
    return {"scene": SCENES / f"{name}.yaml", **TASKS[name]}


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.filterwarnings("ignore:.*Box observation space (minimum|maximum) value is -?infinity")
@pytest.mark.filterwarnings("ignore:.*we recommend using a symmetric and normalized space")
def test_the_checker_of_gymnasium_finds_nothing_but_readings_without_bounds(name):
    check_env(SceneEnv(**task(name)), skip_render_check=True)


@pytest.mark.parametrize("name", TASKS)
def test_worlds_have_the_bits_of_environments_of_their_own(name):
    n, lanes = WORLDS[name]
    envs = SceneVectorEnv(num_envs=n, **task(name))
    own = SyncVectorEnv([lambda: SceneEnv(**task(name))] * 2)
    assert envs.lanes == lanes
    seen, expected = envs.reset(seed=4)[0], own.reset(seed=4)[0]
    envs.action_space.seed(1)
    ends = 0
    for _ in range(80):
        assert np.array_equal(seen[:2], expected)
        action = envs.action_space.sample()
        (seen, *more), (expected, *others) = envs.step(action)[:4], own.step(action[:2])[:4]
        assert all(np.array_equal(mine[:2], theirs) for mine, theirs in zip(more, others, strict=True))
        ends += sum(np.count_nonzero(one) for one in others[1:])
    assert ends > 0


def test_a_linear_law_balances_the_pole():
    """That of least squares of the linear motion; without it all poles fall within 60 decisions."""
    envs = SceneVectorEnv(num_envs=16, **task("cart_pole"))
    seen, _ = envs.reset(seed=1)
    for _ in range(999):
        seen, reward, terminated, truncated, _ = envs.step(np.clip(seen @ [[0.4], [0.6], [5.4], [0.9]], -3, 3))
        assert not (terminated | truncated).any() and (reward == 1).all()
    assert np.abs(seen).max() < 1e-12  # of the motion and of its errors nothing is left
    assert envs.step(np.zeros((16, 1)))[3].all()
    envs.reset(seed=1)
    assert sum(envs.step(np.zeros((16, 1)))[2] for _ in range(60)).all()


def test_the_reward_of_the_reacher_is_its_distance_and_the_cost_of_its_actions():
    envs = SceneVectorEnv(num_envs=16, **task("reacher"))
    seen, drawn = envs.reset(seed=2)
    names = [one.rsplit(".", 1)[1] for one in envs.observation_names]
    column = {name: seen[:, names.index(name)] for name in ("at_x", "at_y", "ahead_x", "ahead_y")}
    reach = 0.2 * np.sqrt(drawn["share"])
    assert np.abs(column["at_x"] - reach * np.cos(drawn["direction"])).max() < 1e-16
    assert np.abs(column["at_y"] - reach * np.sin(drawn["direction"])).max() < 1e-16
    tip = np.array([0.1 + 0.11 * math.cos(0.4), 0.11 * math.sin(0.4)])
    assert np.abs(column["ahead_x"] + column["at_x"] - tip[0]).max() < 1e-15
    action = np.linspace(-1, 1, 32).reshape(16, 2)
    seen, reward, *_ = envs.step(action)
    ahead = [seen[:, names.index(name)] for name in ("ahead_x", "ahead_y")]
    assert np.abs(reward + np.hypot(*ahead) + 0.1 * (action**2).sum(axis=1)).max() < 1e-15
