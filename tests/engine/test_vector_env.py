"""Vector environments: each world has the bits of an environment of its own, for any number of worlds and threads, also
beside worlds that fail; and what gymnasium asks of them.
"""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from rigidsim.errors import SceneError, SimulationError, UsageError

pytest.importorskip("gymnasium")

from gymnasium.vector import AutoresetMode, SyncVectorEnv

from rigidsim.env import SceneEnv, SceneVectorEnv

CART_POLE = """
format: rigidsim/1
title: A pole on a cart
parameters: {tilt: 0.0 +- 0.02, length: 1 m, worst: 5}
simulation: {duration: 0.6, step: 0.01}
world: {gravity: [0, 0, -9.81]}
bodies:
  cart:
    mass: 1
    inertia: {principal: [0.1, 0.1, 0.1]}
    motion: {slide: {axis: [1, 0, 0], motor: {force: "= 10*push"}}}
    sensors: {place: {type: encoder, every: 0.01}}
    children:
      pole:
        mass: 0.1
        center_of_mass: [0, 0, "= length/2"]
        inertia: {principal: [0.0083, 0.0083, 0.0001]}
        motion: {hinge: {axis: [0, 1, 0], angle: "= tilt"}}
        sensors:
          tilted: {type: encoder, every: 0.02, errors: {coordinate: {noise: 1.0e-4, random_walk: 1.0e-3}}}
controllers:
  push: {type: input, every: 0.02, limits: [-1, 1], delay: 0.01}
  smooth: {type: lead_lag, every: 0.02, input: "= tilted_coordinate('cart/pole')", lag: 0.1, delay: 0.03}
  upright: {type: hold, every: 0.02, input: "= cos(angle('cart/pole')) + smooth"}
  fallen: {type: hold, every: 0.02, input: "= if(abs(angle('cart/pole')) > 0.2, 1, 0)"}
"""
START = {"tilt": "normal(0, 0.02)", "length": (0.8, 1.2)}
NAMES = {"reward": "upright", "terminated": "fallen", "start": START}
FOREVER = CART_POLE.replace("> 0.2", "> 1000")


def written(text: str, **names) -> dict:
    return {"scene": rigidsim.Scene.from_text(text), **NAMES, **names}


def actions_of(n: int, steps: int, width: int = 1) -> np.ndarray:
    return np.random.default_rng(7).uniform(-1, 1, (steps, n, width))


def histories(envs, actions: np.ndarray, seed: int = 3) -> list[tuple]:
    """What a vector environment gives."""
    found = [(envs.reset(seed=seed)[0],)]
    for action in actions:
        found.append(envs.step(action)[:4])
    return found


def are_equal(one: list[tuple], other: list[tuple], worlds: slice = slice(None)) -> bool:
    pairs = zip(one, other, strict=True)
    return all(
        np.array_equal(a[worlds], b[worlds]) for mine, theirs in pairs for a, b in zip(mine, theirs, strict=True)
    )


def alone(given: dict, n: int, mode: str = "NextStep") -> SyncVectorEnv:
    """As many environments of one world."""
    return SyncVectorEnv([lambda: SceneEnv(**given)] * n, autoreset_mode=mode)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_worlds_have_the_bits_of_environments_of_their_own(mode):
    given, actions = written(CART_POLE), actions_of(40, 120)
    envs = SceneVectorEnv(num_envs=40, **given, autoreset_mode=mode)
    assert envs.lanes == 40
    found = histories(envs, actions)
    assert are_equal(found, [tuple(part for part in one) for one in found])
    own = histories(alone(given, 3, mode), actions[:, :3])
    assert are_equal([tuple(part[:3] for part in one) for one in found], own)
    # Many episodes have ended in each way, at different steps.
    ended = np.array([one[2] for one in found[1:]]), np.array([one[3] for one in found[1:]])
    assert all(kind.sum() > 10 for kind in ended), [kind.sum() for kind in ended]
    assert len({*np.flatnonzero(ended[0].any(axis=1)).tolist()}) > 10


MANY = pytest.param(300, 2, marks=pytest.mark.slow)


@pytest.mark.parametrize(("n", "threads"), [(1, 1), (3, 1), (17, 2), MANY])
def test_the_bits_of_a_world_depend_on_its_seed_alone(n, threads):
    given, actions = written(CART_POLE), actions_of(300, 70)
    few = min(n, 3)
    expected = histories(SceneVectorEnv(num_envs=40, **given), actions[:, :40])
    found = histories(SceneVectorEnv(num_envs=n, threads=threads, **given), actions[:, :n])
    cut = [[tuple(part[:few] for part in one) for one in each] for each in (found, expected)]
    assert are_equal(*cut)


# What lets the worlds of a block not begin by themselves: time, edges, joints with modes, loops, triggers, a sensor
# that is slower than decisions, contact.
BY_ITSELF = {
    "time in a load": ("10*push", "10*push + sin(5*t)"),
    "a window": ("children:", "forces: [{force: [1, 0, 0], during: [0.1, 0.3]}]\n    children:"),
    "a stop": ("axis: [0, 1, 0], angle", "axis: [0, 1, 0], limits: [-0.09, 0.09], angle"),
    "a trigger": ("step: 0.01}", "step: 0.01, stop: {when: \"= angle('cart/pole') > 0.05\"}}"),
    "a slow sensor": ("coordinate: {noise", "rate: {noise: 0.1}, coordinate: {noise"),
    "a slow controller": ("fallen: {type: hold, every: 0.02", "fallen: {type: hold, every: 0.06"),
    "a method that chooses its steps": ("step: 0.01}", "step: 0.01, integrator: adaptive}"),
    "contact": ("mass: 0.1\n", "mass: 0.1\n        shapes: [{type: sphere, radius: 0.1, position: [0, 0, 1]}]\n"),
}


QUICK = {"time in a load", "a trigger", "a slow sensor"}


@pytest.mark.parametrize(
    "what", [one if one in QUICK else pytest.param(one, marks=pytest.mark.slow) for one in BY_ITSELF]
)
def test_worlds_that_share_no_steps_have_the_same_bits(what):
    text = CART_POLE.replace(*BY_ITSELF[what])
    assert text != CART_POLE
    if what == "contact":
        text = text.replace("bodies:", "bodies:\n  wall: {shapes: [{type: plane, normal: [-1, 0, 0], offset: -0.15}]}")
    given = written(text)
    if what == "a trigger":
        given["terminated"] = ""
    actions = actions_of(3, 120)
    envs = SceneVectorEnv(num_envs=3, **given)
    assert envs.lanes == (3 if what == "a slow sensor" else 1)
    assert are_equal(histories(envs, actions), histories(alone(given, 3), actions))


def test_functions_of_python_have_the_time_and_the_state_of_their_world(tmp_path):
    (tmp_path / "law.py").write_text(
        "def count(t, inputs, state):\n    state[0] += 1\n    return t + 1000*state[0] + inputs['angle']\n"
    )
    law = (
        "  counted: {type: python, call: 'law.py:count', every: 0.02, state: [5],"
        " inputs: {angle: \"= angle('cart/pole')\"}}\n"
    )
    (tmp_path / "scene.yaml").write_text(CART_POLE + law)
    given = {**NAMES, "scene": tmp_path / "scene.yaml", "reward": "counted"}
    actions = actions_of(4, 70)
    found = histories(SceneVectorEnv(num_envs=4, **given), actions)
    assert are_equal(found, histories(alone(given, 4), actions))
    assert {round(number) // 1000 for one in found[1:] for number in one[1]} >= {0, *range(7, 35)}


# --- worlds that fail

FAILING = {
    "a controller": ("input: \"= cos(angle('cart/pole')) + smooth\"", 'input: "= sqrt(worst - t/length)"'),
    "a load": ("10*push", "10*push + 0*sqrt(worst - abs(displacement('cart')))"),
}


@pytest.mark.parametrize("what", FAILING)
def test_a_world_that_fails_ends_its_episode_and_the_others_go_on(what):
    text = FOREVER.replace(*FAILING[what])
    assert text != FOREVER
    start = {**START, "worst": (0.2, 0.6) if what == "a controller" else (0.001, 0.4)}
    given, actions = written(text, start=start), 0.5 + 0 * actions_of(20, 60)
    envs, own = SceneVectorEnv(num_envs=20, **given), alone(given, 3)
    assert envs.lanes == 20
    envs.reset(seed=3), own.reset(seed=3)
    messages = set()
    for action in actions:
        found, expected = envs.step(action), own.step(action[:3])
        for mine, theirs in zip(found[:4], expected[:4], strict=True):
            assert np.array_equal(mine[:3], theirs)
            assert np.isfinite(mine).all()
        said = [one.get("error", np.full(20, None)) for one in (found[4], expected[4])]
        assert [*said[0][:3]] == [*said[1][:3]]
        messages |= {*filter(None, said[0])}
    assert len(messages) > 10
    assert all(("upright" in one if what == "a controller" else "cart" in one) and "t = 0." in one for one in messages)


def test_a_function_that_raises_in_one_world_fails_there_only(tmp_path):
    (tmp_path / "law.py").write_text(
        "def limit(t, inputs):\n    if inputs['x'] > 0.05:\n        raise ValueError('too far')\n    return 1.0\n"
    )
    law = "  near: {type: python, call: 'law.py:limit', every: 0.02, inputs: {x: \"= displacement('cart')\"}}\n"
    (tmp_path / "scene.yaml").write_text(FOREVER + law)
    envs = SceneVectorEnv(tmp_path / "scene.yaml", 2, "near", start=START)
    envs.reset(seed=1)
    for _ in range(10):
        *_, ended, _, infos = envs.step([[1.0], [-1.0]])
        if ended.any():
            break
    assert ended.tolist() == [True, False]
    assert "controllers.near: " in infos["error"][0] and "law.py, line 3: ValueError: too far" in infos["error"][0]
    assert infos["_error"].tolist() == [True, False]


def test_all_worlds_may_fail_at_once():
    given = written(FOREVER.replace("cos(angle('cart/pole')) + smooth", "sqrt(0.1 - t)"))
    envs = SceneVectorEnv(num_envs=5, **given)
    envs.reset(seed=1)
    ends = [envs.step(np.zeros((5, 1)))[2].tolist() for _ in range(20)]
    assert ends == [[k % 7 == 5] * 5 for k in range(20)]  # after 0.1 s, and then a step to begin again


# --- what gymnasium asks


def test_spaces_shapes_and_kinds():
    envs = SceneVectorEnv(num_envs=4, **written(CART_POLE))
    seen, infos = envs.reset(seed=1)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert envs.observation_space.contains(seen)
    assert envs.single_observation_space.shape == (4,) == (len(envs.observation_names),)
    assert envs.action_space.shape == (4, 1) and envs.single_action_space.low == [-1.0]
    assert len({*infos["tilt"]}) == 4 and infos["_tilt"].all()
    assert all(0.8 <= one < 1.2 for one in infos["length"])
    envs.action_space.seed(1)
    for _ in range(5):
        kept = seen.copy()
        seen_now, reward, terminated, truncated, _ = envs.step(envs.action_space.sample())
        assert np.array_equal(seen, kept)  # what was given is not overwritten
        assert reward.shape == terminated.shape == truncated.shape == (4,)
        assert (reward.dtype, terminated.dtype, truncated.dtype) == (np.float64, bool, bool)
        seen = seen_now
    assert len(envs.np_random) == 4 and envs.np_random_seed == (1, 2, 3, 4)
    envs.close()


def test_seeds_of_worlds_and_masks_of_resets():
    given = written(CART_POLE)
    envs = SceneVectorEnv(num_envs=3, **given, autoreset_mode="Disabled")
    first, _ = envs.reset(seed=[5, 9, 5])
    assert np.array_equal(first[0], first[2]) and not np.array_equal(first[0], first[1])
    envs.step(np.ones((3, 1)))
    mask = np.array([True, False, True])
    seen, infos = envs.reset(seed=[5, None, None], options={"reset_mask": mask})
    assert np.array_equal(seen[0], first[0]) and infos["_tilt"].tolist() == mask.tolist()
    assert not np.array_equal(seen[2], first[2])  # the next episode of the same seed
    for _ in range(60):
        *_, terminated, truncated, _ = envs.step(np.ones((3, 1)))
        if (terminated | truncated).any():
            break
    with pytest.raises(UsageError, match=r"the episode of world \d has ended; call reset with a reset_mask first"):
        envs.step(np.ones((3, 1)))


def test_the_end_of_an_episode_is_seen_in_the_same_step():
    given = written(CART_POLE)
    envs, own = (
        made(AutoresetMode.SAME_STEP)
        for made in (
            lambda mode: SceneVectorEnv(num_envs=2, **given, autoreset_mode=mode),
            lambda mode: alone(given, 2, mode.value),
        )
    )
    envs.reset(seed=1), own.reset(seed=1)
    ends = 0
    for action in actions_of(2, 120):
        infos, theirs = envs.step(action)[4], own.step(action)[4]
        assert ("final_obs" in infos) == ("final_obs" in theirs)
        if "final_obs" in infos:
            ends += 1
            assert infos["_final_obs"].tolist() == theirs["_final_obs"].tolist()
            pairs = zip(infos["final_obs"], theirs["final_obs"], infos["_final_obs"], strict=True)
            assert all(np.array_equal(a, b) for a, b, is_over in pairs if is_over)
            assert infos["tilt"].tolist() == theirs["tilt"].tolist()
    assert ends > 3


def test_the_distributions_of_a_scene_are_drawn_by_default():
    scene = rigidsim.Scene.from_text(CART_POLE)
    envs = SceneVectorEnv(scene, 200, "upright")
    _, infos = envs.reset(seed=0)
    (name,) = (one for one in infos if not one.startswith("_"))
    assert name.endswith("tilt")
    # The mean of 200 numbers of standard deviation 0.02 is within 4 standard errors, 0.0057; so is that deviation.
    assert abs(infos[name].mean()) < 0.0057 and abs(infos[name].std() - 0.02) < 0.004


# --- what is wrong is said

WRONG = {
    "shape": (
        lambda envs: envs.step(np.zeros(2)),
        r"action must be an array of shape \(2, 1\), a number for each of push",
    ),
    "nan": (lambda envs: envs.step([[0.0], [np.nan]]), "action must be finite numbers"),
    "text": (lambda envs: envs.step("left"), "action must be an array of real numbers"),
    "seeds": (lambda envs: envs.reset(seed=[1]), r"seed must be an integer, or a list of 2, got \[1\]"),
    "seed": (lambda envs: envs.reset(seed=-1), "seed must be an integer from 0"),
    "mask": (lambda envs: envs.reset(options={"reset_mask": [1, 0]}), r"options\['reset_mask'\] must be an array of 2"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_calls_say_what_is_expected(what):
    envs = SceneVectorEnv(num_envs=2, **written(CART_POLE))
    envs.reset(seed=1)
    call, message = WRONG[what]
    with pytest.raises(UsageError, match=message):
        call(envs)
    envs.step(np.zeros((2, 1)))


MISTAKES = {
    "reward": ({"reward": "upwrong"}, "reward, terminated and observations must be names of"),
    "start": ({"start": {"tilt": "normal(0)"}}, r"start\['tilt'\] must be a distribution \(normal\(mean, deviation\)"),
    "ends": ({"start": {"tilt": (1, 0)}}, r"start\['tilt'\] must be two numbers, the least first"),
    "list": ({"start": ["tilt"]}, "start must be a mapping of names to distributions"),
    "worlds": ({"num_envs": 0}, "num_envs must be an integer from 1"),
    "threads": ({"threads": 1.5}, "threads must be an integer from 1"),
    "mode": ({"autoreset_mode": "Never"}, "autoreset_mode must be one of NextStep, SameStep, Disabled"),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_wrong_environments_say_what_is_expected(what):
    wrong, message = MISTAKES[what]
    with pytest.raises(UsageError, match=message):
        SceneVectorEnv(**{"num_envs": 2, **written(CART_POLE), **wrong})


def test_scenes_without_actions_or_sensors_and_numbers_that_do_not_fit_are_said():
    with pytest.raises(UsageError, match="one that has a controller of the type input, which is the action"):
        SceneVectorEnv(
            rigidsim.Scene.from_text(
                CART_POLE.replace("push: {type: input", "push: {type: hold, input: 1").replace(", limits: [-1, 1]", "")
            ),
            2,
            "upright",
        )
    with pytest.raises(UsageError, match="there is no 'tower'; there are: cart"):
        SceneVectorEnv(num_envs=2, **written(CART_POLE, start={"bodies.tower.mass": (1, 2)}))
    envs = SceneVectorEnv(num_envs=2, **written(CART_POLE, start={"bodies.cart.mass": (-30, 32)}))
    with pytest.raises(SceneError, match="mass"):
        envs.reset(seed=1)
    with pytest.raises(UsageError, match="no episode has begun in world 0; call reset first"):
        SceneVectorEnv(num_envs=2, **written(CART_POLE)).step(np.zeros((2, 1)))
    with pytest.raises(UsageError, match="the episode has ended, or none has begun; call reset first"):
        SceneEnv(**written(CART_POLE)).step([0.0])


def test_an_episode_that_cannot_begin_is_said():
    given = written(
        FOREVER.replace("cos(angle('cart/pole')) + smooth", "sqrt(worst - sin(0.5 + t))"), start={"worst": (0, 2)}
    )
    for envs in (SceneVectorEnv(num_envs=8, **given), alone(given, 8)):
        with pytest.raises(SimulationError, match=r"controllers\.upright gave nan for 'upright'"):
            envs.reset(seed=1)
