"""Derivatives through sensors and controllers, beside recurrences of dual numbers and displaced runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rigidsim
from rigidsim.containers.dual import jacobian
from rigidsim.errors import UsageError
from rigidsim.physics.control import lead_lag, pid, rate_limited
from rigidsim.scene import Scene

SCENES = Path(__file__).parents[2] / "scenes"
CART = """
format: rigidsim/1
parameters: PARAMETERS
simulation: {duration: 2, step: 0.01, record_every: 0.1, integrator: METHOD}
bodies:
  cart:
    mass: "= m"
    inertia: {principal: [1, 1, 1]}
    motion: {slide: {axis: [1, 0, 0], displacement: "= x0", motor: {force: "= push"}}}
    sensors: {wheel: {type: encoder, every: 0.1ERRORS}}
controllers: {push: CONTROLLER}
metrics: {x: "= final(displacement('cart'))", v: "= final(rate('cart'))", mean: "= mean(push)"}
"""


def cart(values: dict, controller: str, method: str = "rkmk4", errors: str = "") -> str:
    text = CART.replace("PARAMETERS", "{" + ", ".join(f"{n}: {x}" for n, x in values.items()) + "}")
    return text.replace("METHOD", method).replace("CONTROLLER", controller).replace("ERRORS", errors)


def rates(text: str, values: dict) -> np.ndarray:
    """(metric, parameter) the derivatives of the metrics; the run has the bits that it has without."""
    scene = Scene.from_text(text)
    run, plain = rigidsim.simulate(scene, derivatives=[*values]), rigidsim.simulate(scene)
    assert run.content_hash == plain.content_hash and run.metrics == plain.metrics
    return np.array([[*run.derivative(name).metrics.values()] for name in values]).T


def sampled(law, x, n: int = 20, T: float = 0.1) -> list:
    """Place and rate of a cart after n samples, and the mean of the pushes over the 21 records: its acceleration is
    constant between samples. `law` gives the push of a place.
    """
    m, x0 = x[:2]
    place, rate, pushes = x0, 0.0, []
    for _ in range(n):
        u = law(place)
        pushes.append(u)
        place, rate = place + T * rate + 0.5 * T * T * u / m, rate + T * u / m
    last = law(place)
    total = last
    for u in pushes:
        total = total + u
    return [place, rate, total / (n + 1)]


def differences(scene: Scene, name: str, h: float) -> np.ndarray:
    """The derivatives of the metrics from two displaced runs."""
    value = scene.parameters[name].value
    up, down = rigidsim.simulate([scene.with_overrides([(name, value + s * h)]) for s in (1, -1)])
    return (np.array([*up.metrics.values()]) - [*down.metrics.values()]) / (2.0 * h)


def assert_near(found, exact, tolerance: float = 1e-12) -> None:
    assert np.max(np.abs(found - exact)) < tolerance * np.max(np.abs(exact))


@pytest.mark.parametrize("method", ["rkmk4", pytest.param("adaptive", marks=pytest.mark.slow)])
def test_what_is_held_between_samples(method):
    values = {"m": 2.0, "x0": 0.3, "k": 1.4}
    text = cart(values, "{type: hold, every: 0.1, input: \"= -k*wheel_coordinate('cart')\"}", method)
    assert_near(
        rates(text, values)[:2], jacobian(lambda x: sampled(lambda place: -x[2] * place, x), [*values.values()])[:2]
    )


@pytest.mark.slow  # compiles other expressions
@pytest.mark.parametrize("limit", [5.0, 0.25])
def test_a_pid_controller_with_limits(limit):
    values = {"m": 2.0, "x0": 0.3, "p": 1.4, "i": 0.2, "d": 0.6, "f": 0.15, "u": limit}
    law = "{type: pid, every: 0.1, input: \"= -wheel_coordinate('cart')\", proportional: '= p', integral: '= i', "
    text = cart(values, law + "derivative: '= d', filter: '= f', limits: ['= -u', '= u']}")

    def moved(x):
        _m, _x0, p, i, d, f, u = x
        kept = [None, 0.0, 0.0]

        def push(place):
            last = -place if kept[0] is None else kept[0]
            found, kept[1], kept[2] = pid(-place, last, kept[1], kept[2], 0.1, (p, i, d), f, (-u, u))
            kept[0] = -place
            return found

        return sampled(push, x)

    assert_near(rates(text, values)[:2], jacobian(moved, [*values.values()])[:2])


@pytest.mark.slow  # compiles other expressions
def test_filters_and_limits_of_a_rate():
    values = {"m": 2.0, "x0": 0.3, "gain": 2.0, "lead": 0.4, "lag": 0.05}
    law = "{type: lead_lag, every: 0.1, input: \"= -wheel_coordinate('cart')\", "
    law += "gain: '= gain', lead: '= lead', lag: '= lag'}"

    def moved(x):
        kept = [None, None]

        def push(place):
            x_last, y_last = (-place, -x[2] * place) if kept[0] is None else kept
            kept[:] = -place, lead_lag(-place, x_last, y_last, 0.1, *x[2:])
            return kept[1]

        return sampled(push, x)

    assert_near(rates(cart(values, law), values)[:2], jacobian(moved, [*values.values()])[:2])
    values = {"m": 2.0, "x0": 0.3, "rise": 0.4}
    law = (
        "{type: rate_limit, every: 0.1, input: \"= -3*wheel_coordinate('cart')\", rising: '= rise', falling: '= rise'}"
    )

    def limited(x):
        kept = [0.0]

        def push(place):
            kept[0] = rate_limited(-3.0 * place, kept[0], 0.1, x[2], x[2])
            return kept[0]

        return sampled(push, x)

    assert_near(rates(cart(values, law), values)[:2], jacobian(limited, [*values.values()])[:2])


@pytest.mark.slow  # compiles other expressions
def test_a_delay_of_an_output():
    values = {"m": 2.0, "x0": 0.3, "k": 1.4}
    text = cart(values, "{type: hold, every: 0.1, delay: 0.1, input: \"= -k*wheel_coordinate('cart')\"}")

    def moved(x):
        kept = [0.0]

        def push(place):
            found, kept[0] = kept[0], -x[2] * place
            return found

        return sampled(push, x)

    assert_near(rates(text, values)[:2], jacobian(moved, [*values.values()])[:2])


@pytest.mark.slow  # compiles other expressions
def test_random_errors_are_constant_draws():
    """The derivatives are those of displaced runs, which are linear in all but the mass."""
    values = {"m": 2.0, "x0": 0.3, "noise": 0.01, "walk": 0.02, "bias": 0.05}
    errors = ", errors: {coordinate: {noise: '= noise', random_walk: '= walk', bias: '= bias'}}"
    text = cart(values, "{type: hold, every: 0.1, input: \"= -1.4*wheel_coordinate('cart')\"}", errors=errors)
    found, scene = rates(text, values), Scene.from_text(text)
    for k, name in enumerate(values):
        assert np.allclose(found[:, k], differences(scene, name, 1e-3 * values[name]), rtol=1e-5, atol=1e-9), name


@pytest.mark.slow  # compiles other expressions
def test_a_reading_that_is_rounded_is_a_constant():
    values = {"m": 2.0, "x0": 0.3}
    errors = ", errors: {coordinate: {quantum: 0.05}}"
    text = cart(values, "{type: hold, every: 0.1, input: \"= -wheel_coordinate('cart')\"}", errors=errors)
    found, scene = rates(text, values), Scene.from_text(text)
    assert found[0, 1] == pytest.approx(1.0, abs=1e-12)  # x = x0 + what the constants push
    assert found[0, 0] == pytest.approx(differences(scene, "m", 1e-6)[0], rel=1e-6)


@pytest.mark.slow  # compiles a tree of four bodies
def test_a_shipped_satellite_beside_displaced_runs():
    """Readings of orientations and rates with noise, and three controllers at their limits."""
    scene = Scene.from_file(SCENES / "wheel_satellite.yaml", ["simulation.duration=8", "spin=0.035"])
    run = rigidsim.simulate(scene, derivatives=["spin", "lead"])
    assert run.content_hash == rigidsim.simulate(scene).content_hash
    for name, h in (("spin", 4e-6), ("lead", 6e-4)):
        found = differences(scene, name, h)
        assert np.allclose([*run.derivative(name).metrics.values()], found, rtol=1e-5), name


def test_what_is_still_refused(tmp_path):
    (tmp_path / "law.py").write_text("def push(t, inputs):\n    return -inputs['x']\n")
    law = "{type: python, call: law.py:push, every: 0.1, inputs: {x: \"= wheel_coordinate('cart')\"}}"
    (tmp_path / "s.yaml").write_text(cart({"m": 2.0, "x0": 0.3}, law))
    with pytest.raises(UsageError, match="what the controller 'push', a function of Python, gives has no derivatives"):
        rigidsim.simulate(tmp_path / "s.yaml", derivatives=["m"])
    law = "{type: hold, every: 0.1, input: \"= ahead('cart')\"}"
    text = cart({"m": 2.0, "x0": 0.3}, law).replace("{wheel:", "{ahead: {type: range, every: 0.1, longest: 3}, wheel:")
    with pytest.raises(UsageError, match=r"what the range finder 'cart\.sensors\.ahead' gives has no derivatives"):
        rigidsim.simulate(Scene.from_text(text), derivatives=["m"])
