"""A scene as an environment of gymnasium: its checker, and the motion of a run with the same actions."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from rigidsim.errors import UsageError

pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv

from rigidsim.env import SceneEnv

CART_POLE = """
format: rigidsim/1
title: A pole on a cart
parameters: {tilt: 0.02}
simulation: {duration: 4, step: 0.01}
world: {gravity: [0, 0, -9.81]}
bodies:
  cart:
    mass: 1
    inertia: {principal: [0.1, 0.1, 0.1]}
    motion: {slide: {axis: [1, 0, 0], motor: {force: "= 10*push"}}}
    sensors: {place: {type: encoder, every: 0.02}}
    children:
      pole:
        mass: 0.1
        center_of_mass: [0, 0, 0.5]
        inertia: {principal: [0.0083, 0.0083, 0.0001]}
        motion: {hinge: {axis: [0, 1, 0], angle: "= tilt"}}
        sensors: {tilted: {type: encoder, every: 0.02, errors: {coordinate: {noise: 1.0e-4}}}}
controllers:
  push: {type: input, every: 0.02, limits: [-1, 1]}
  upright: {type: hold, every: 0.02, input: "= 1"}
  fallen: {type: hold, every: 0.02, input: "= if(abs(angle('cart/pole')) > 0.2, 1, 0)"}
"""


def cart_pole(**more) -> SceneEnv:
    scene = rigidsim.Scene.from_text(CART_POLE)
    return SceneEnv(scene, reward="upright", terminated="fallen", start={"parameters.tilt": (-0.05, 0.05)}, **more)


@pytest.mark.filterwarnings("ignore:.*Box observation space (minimum|maximum) value is -?infinity")
def test_the_checker_of_gymnasium_finds_nothing_but_readings_without_bounds():
    check_env(cart_pole(), skip_render_check=True)


def test_environments_run_side_by_side():
    envs = SyncVectorEnv([cart_pole, cart_pole, cart_pole])
    envs.reset(seed=2)
    alone = cart_pole()
    alone.reset(seed=3)  # that of the second one
    for _ in range(3):
        seen, rewards, *_ = envs.step(np.full((3, 1), 0.5))
        assert np.array_equal(seen[1], alone.step([0.5])[0])
    assert rewards.tolist() == [1.0] * 3


def test_an_episode_is_a_run_with_the_same_forces():
    env = cart_pole()
    names = ["cart.place_coordinate", "cart.place_rate", "cart/pole.tilted_coordinate", "cart/pole.tilted_rate"]
    assert [*env.observation_names] == names
    seen, drawn = env.reset(seed=5)
    assert abs(seen[2] - drawn["parameters.tilt"]) < 1e-3
    gains, forces = np.array([0.1, 0.17, 2.2, 0.36]), []
    while True:
        forces.append(float(np.clip(gains @ seen, -1, 1)))
        seen, reward, terminated, truncated, info = env.step([forces[-1]])
        assert reward == 1.0
        assert not info
        if terminated or truncated:
            break
    assert truncated
    assert len(forces) == 200
    # The same forces from a table, whose points are the samples.
    steps = "".join(f"[{0.02 * k}, {force!r}], " for k, force in enumerate(forces))
    table = f"tables: {{f: {{points: [{steps}], kind: linear, outside: hold}}}}\nparameters:"
    again = CART_POLE.replace("parameters:", table).replace(
        "{type: input, every: 0.02, limits: [-1, 1]}", "{type: hold, every: 0.02, input: '= f(t)'}"
    )
    given = [("parameters.tilt", drawn["parameters.tilt"])]
    found = rigidsim.simulate(rigidsim.Scene.from_text(again, overrides=given))["cart/pole"].joint
    assert found.coordinates[-1, 0] == pytest.approx(seen[2], abs=1e-3)  # with noise
    assert found.rates[-1, 0] == pytest.approx(seen[3], abs=1e-9)


def test_an_episode_ends_where_the_pole_falls():
    env = cart_pole()
    env.reset(seed=1)
    for _ in range(200):
        seen, _, terminated, truncated, _ = env.step([1.0])
        if terminated:
            break
    assert terminated
    assert not truncated
    assert abs(seen[2]) > 0.19


def test_seeds_give_the_same_episodes():
    one, other = cart_pole(), cart_pole()
    for env in (one, other):
        env.reset(seed=3)
    for _ in range(5):
        assert np.array_equal(one.step([1.0])[0], other.step([1.0])[0])


def test_what_is_missing_is_said():
    scene = rigidsim.Scene.from_text(CART_POLE)
    with pytest.raises(UsageError, match=r"names of cart\.place_coordinate"):
        SceneEnv(scene, reward="rewards")
    with pytest.raises(UsageError, match="a controller of the type input: push"):
        rigidsim.Simulation(scene).set_input("pull", 1.0)
