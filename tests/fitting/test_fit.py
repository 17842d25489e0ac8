"""Fits: known numbers are found again, their standard deviations are right, and what data cannot tell is said."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

import rigidsim
from rigidsim.analysis.quantities import named
from rigidsim.cli.examples import shipped_scenes
from rigidsim.errors import UsageError
from rigidsim.fitting.estimate import FitResiduals
from rigidsim.fitting.residuals import interpolation
from rigidsim.fitting.written import text_with
from rigidsim.report.fit import FitReport
from rigidsim.scene import Scene
from rigidsim.sensitivities.varied import Varied

PENDULUM = """
format: rigidsim/1
parameters: {inertia: 0.012, stiffness: 0.8, start: 70 deg, g: 9.81}  # all known
simulation: {duration: 2, step: 5e-3, record_every: 0.01}
world: {gravity: [0, "= -g", 0]}
bodies:
  rod:
    mass: 0.5
    center_of_mass: [0, -0.15, 0]
    inertia: {principal: ["= inertia", 1e-4, "= inertia"]}
    motion: {hinge: {axis: [0, 0, 1], angle: "= start", spring: {stiffness: "= stiffness"}}}
"""
SIGMA = 2e-3
QUANTITIES = (
    *("rod.angle", "rod.angles.yaw", "kinetic_energy", "rod.kinetic_energy", "rod.rate[deg/s]", "rod.reaction_force.y"),
    *("rod.angular_momentum", '= angle("rod")*stiffness'),
)
STOP = PENDULUM.replace(
    'spring: {stiffness: "= stiffness"}',
    'limits: [-0.4, 3], restitution: "= bounce", spring: {stiffness: "= stiffness"}',
).replace("g: 9.81}", "g: 9.81, bounce: 0.6}")


def scene(text: str = PENDULUM, **changes) -> Scene:
    return Scene.from_text(text, overrides=[*changes.items()])


def measured(made: Scene, seed: int = 0, name: str = "rod.angle", sigma: float = SIGMA, every: int = 1) -> dict:
    run = rigidsim.simulate(made)
    values = named(run, name).of()[::every]
    return {"t": run.time[::every], "phi": values + sigma * np.random.default_rng(seed).standard_normal(len(values))}


def experiment(table: dict, **more) -> dict:
    return {"table": table, "columns": {"rod.angle": {"column": "phi", "sigma": SIGMA}}} | more


def deviations(fit, **true: float) -> np.ndarray:
    return np.array([(fit.values[name] - value) / fit.sigma[name] for name, value in true.items()])


def test_a_fit_finds_the_numbers_again():
    """Each is off by less than four of its standard deviations."""
    true = {"inertia": 0.012, "stiffness": 0.8, "start": np.radians(70.0)}
    start = scene(inertia=0.014, stiffness=1.0, start="65 deg")
    fit = rigidsim.fit(start, [experiment(measured(scene()))], [*true])
    assert np.abs(deviations(fit, **true)).max() < 4.0
    assert fit.dof == 201 - 3 and abs(fit.chi2 - fit.dof) < 5.0 * np.sqrt(2.0 * fit.dof)
    assert fit.scene.resolved()["parameters"]["stiffness"]["value"] == fit.values["stiffness"]


@pytest.mark.slow  # compiles stops
def test_a_fit_through_impacts():
    """Of 50 data sets, from numbers that are 5 to 10 % off. Measured: rms 1.13, 1.13, 1.12 of the numbers."""
    true = {"inertia": 0.012, "stiffness": 0.8, "bounce": 0.6}
    start = scene(STOP, inertia=0.0125, stiffness=0.85, bounce=0.55)
    fits = [rigidsim.fit(start, [experiment(measured(scene(STOP), seed))], [*true]) for seed in range(50)]
    z = np.array([deviations(one, **true) for one in fits])
    assert np.all(abs(np.mean(z**2, axis=0) - 1.0) < 4.0 * np.sqrt(2.0 / 50))


def test_what_the_data_cannot_tell_is_a_direction():
    """Without gravity only stiffness / inertia matters, the square of a frequency: both together are free."""
    free = scene(g=0.0)
    arm = 0.5 * 0.15**2  # of the axis
    fit = rigidsim.fit(free, [experiment(measured(free))], ["inertia", "stiffness"])
    (lost,) = fit.undetermined
    assert lost.sigma == np.inf and fit.sigma == {"inertia": np.inf, "stiffness": np.inf}
    # relative changes: stiffness goes as inertia + arm
    share = fit.values["inertia"] / (fit.values["inertia"] + arm)
    assert lost.parts["inertia"] * share == pytest.approx(lost.parts["stiffness"], rel=1e-6)
    assert fit.singular_values[-1] < 1e-9 * fit.singular_values[0]
    one = rigidsim.fit(free, [experiment(measured(free))], ["stiffness"])
    assert abs(one.values["stiffness"] - 0.8) < 5.0 * one.sigma["stiffness"] and one.undetermined == []


def test_experiments_share_numbers_and_have_own_ones():
    """Two starts, one clock that is off by 37 ms; both experiments say the same inertia."""
    late = measured(scene(start=0.5), 1)
    late["t"] = late["t"] - 0.037
    data = [
        experiment(measured(scene())),
        experiment(late, set={"start": 0.45}, vary=["start", "time_offset"], time_offset="40 ms"),
    ]
    data[1]["table"] = {name: column[5:-5] for name, column in late.items()}
    fit = rigidsim.fit(scene(inertia=0.013), data, ["inertia"])
    assert fit.names == ["inertia", "start of experiment 2", "time_offset of experiment 2"]
    true = {"inertia": 0.012, "start of experiment 2": 0.5, "time_offset of experiment 2": 0.037}
    assert np.abs(deviations(fit, **true)).max() < 4.0
    assert fit.sigma["time_offset of experiment 2"] < 5e-3
    alone = rigidsim.fit(scene(inertia=0.013), data[:1], ["inertia"])
    assert fit.sigma["inertia"] < alone.sigma["inertia"]


def test_priors_bounds_and_logarithms():
    data = [experiment(measured(scene()))]
    free = rigidsim.fit(scene(), data, ["stiffness"])
    tight = rigidsim.fit(scene(), data, {"stiffness": {"prior": [0.9, 1e-7]}})
    assert tight.values["stiffness"] == pytest.approx(0.9, abs=2e-5) and tight.dof == free.dof + 1
    middle = rigidsim.fit(scene(), data, {"stiffness": {"prior": [0.9, free.sigma["stiffness"]]}})
    # two estimates of one standard deviation: their mean, of which it is 1/sqrt(2)
    assert middle.values["stiffness"] == pytest.approx(0.5 * (0.9 + free.values["stiffness"]), abs=0.05 * 0.1)
    assert middle.sigma["stiffness"] == pytest.approx(free.sigma["stiffness"] / np.sqrt(2.0), rel=0.05)
    bound = rigidsim.fit(scene(stiffness=1.0), data, {"stiffness": {"bounds": [0.9, 2.0]}})
    assert bound.at_bounds == ["stiffness"] and bound.values["stiffness"] == pytest.approx(0.9, rel=1e-6)
    log = rigidsim.fit(scene(stiffness=0.1), data, {"stiffness": {"scale": "log", "bounds": [0.01, None]}})
    assert log.values["stiffness"] == pytest.approx(free.values["stiffness"], rel=1e-6)
    assert log.sigma["stiffness"] == pytest.approx(free.sigma["stiffness"], rel=1e-4)


def test_a_model_that_misses_something_is_told_from_noise():
    """The stiffness alone cannot give a start that is off by a degree."""
    right = FitReport("swing", rigidsim.fit(scene(), [experiment(measured(scene()))], ["stiffness"]))
    wrong = FitReport("swing", rigidsim.fit(scene(start="69 deg"), [experiment(measured(scene()))], ["stiffness"]))
    assert right.warnings == []
    assert [one.partition(" ")[0] for one in wrong.warnings] == ["residuals", "residuals"]
    assert "times their standard deviations" in wrong.warnings[0] and "resemble their neighbours" in wrong.warnings[1]


def test_a_robust_loss_bears_outliers():
    table = measured(scene())
    table["phi"][::20] += 0.5
    off = {loss: rigidsim.fit(scene(), [experiment(table)], ["stiffness"], loss=loss).values["stiffness"] - 0.8
           for loss in ("linear", "soft_l1", "huber", "cauchy")}  # fmt: skip
    assert all(abs(off[loss]) < 0.2 * abs(off["linear"]) for loss in ("soft_l1", "huber", "cauchy"))


def test_a_step_to_an_invalid_scene_is_shortened(monkeypatch):
    """From a damping that is far too large, the first steps lead to negative ones."""
    damped = PENDULUM.replace("spring: {", 'damping: "= damping", spring: {').replace(
        "g: 9.81}", "g: 9.81, damping: 0.01}"
    )
    tried, computed = [], FitResiduals.residuals
    monkeypatch.setattr(FitResiduals, "residuals", lambda self, x: tried.append(computed(self, x)) or tried[-1])
    fit = rigidsim.fit(scene(damped, damping=5.0), [experiment(measured(scene(damped)))], ["damping"])
    assert any(np.isinf(one).all() for one in tried)
    assert abs(fit.values["damping"] - 0.01) < 5.0 * fit.sigma["damping"]


def test_standard_deviations_that_are_not_given_are_estimated():
    table = measured(scene())
    fit = rigidsim.fit(scene(), [experiment(table, columns={"rod.angle": "phi"})], ["stiffness"])
    known = rigidsim.fit(scene(), [experiment(table)], ["stiffness"])
    assert fit.has_estimated_sigma and not known.has_estimated_sigma
    assert fit.sigmas[0][0][0] == pytest.approx(SIGMA, rel=5.0 / np.sqrt(2 * 201))
    assert fit.values["stiffness"] == pytest.approx(known.values["stiffness"], rel=1e-7)


def test_derivatives_of_quantities_beside_differences():
    """Central differences of runs err by 1e-10 of their second derivatives and by rounding over the step."""
    varied = Varied(scene(), ["inertia", "stiffness"], "test")
    run, steps = varied.run(varied.values), np.diag(1e-5 * varied.values)
    beside = [(varied.run(varied.values + step), varied.run(varied.values - step)) for step in steps]
    for name in QUANTITIES:
        wanted = named(run, name)
        rates = varied.rates(run, wanted)
        for k, (up, down) in enumerate(beside):
            found = (named(up, wanted.name).of() - named(down, wanted.name).of()) / (2.0 * steps[k, k])
            assert np.abs(found.reshape(len(run.time), -1) - rates[..., k]).max() < 1e-7 * np.abs(rates[..., k]).max()


def test_between_samples_a_cubic_stays_on_its_side_of_an_event():
    time, breaks = np.linspace(0.0, 1.0, 21), np.array([0.52])
    smooth = [np.polyval(np.random.default_rng(k).normal(size=4), time) for k in range(2)]
    values = np.where(time < 0.52, *smooth)
    asked = np.array([0.0, 0.013, 0.51, 0.53, 0.549, 0.8, 1.0])
    at, weights, slopes = interpolation(time, breaks, asked)
    polynomials = [np.poly1d(np.random.default_rng(k).normal(size=4)) for k in range(2)]
    exact = np.where(asked < 0.52, polynomials[0](asked), polynomials[1](asked))
    slope = np.where(asked < 0.52, polynomials[0].deriv()(asked), polynomials[1].deriv()(asked))
    np.testing.assert_allclose(np.sum(weights * values[at], axis=1), exact, atol=1e-13)
    np.testing.assert_allclose(np.sum(slopes * values[at], axis=1), slope, atol=1e-10)
    few = interpolation(time[:2], np.zeros(0), np.array([0.02]))
    assert np.sum(few[1]) == pytest.approx(1.0) and np.all(few[0] < 2)


def test_the_fitted_scene_keeps_its_text():
    text = text_with(scene(), [("inertia", 0.0119), ("start", "71.5 deg")])
    assert text == PENDULUM.replace("inertia: 0.012", "inertia: 0.0119").replace("70 deg", "71.5 deg")
    other = text_with(scene(g=9.8), [("inertia", 0.0119)])
    assert Scene.from_text(other) == scene(g=9.8, inertia=0.0119)


def test_a_shipped_fit_of_measurements_of_another_engine():
    """The numbers with which MuJoCo computed the angles."""
    fit = rigidsim.fit(shipped_scenes()["measured_swing"])
    true = {"inertia": 0.0042, "stiffness": 0.85, "damping": 0.012, "start": np.radians(68.0)}
    assert np.abs(deviations(fit, **true)).max() < 3.0
    assert abs(fit.chi2 - fit.dof) < 4.0 * np.sqrt(2.0 * fit.dof) and FitReport("", fit).warnings == []


def swings(length: float, drag: float, start: float, start_rate: float, zero: float, *, times) -> np.ndarray:
    """What an encoder shows of a pendulum with quadratic drag, by an integration of another program, degrees."""

    def rates(_t: float, state: np.ndarray) -> list[float]:
        angle, rate = state
        return [rate, -9.81 / length * np.sin(angle) - drag * length / 0.0157 * rate * abs(rate)]

    found = solve_ivp(rates, (0.0, times[-1]), [start, start_rate], t_eval=times, rtol=1e-9, atol=1e-10, max_step=0.01)
    return np.degrees(found.y[0] + zero)


def test_a_shipped_fit_of_a_measured_pendulum():
    """The optimum is that of SciPy, to a hundredth of a standard deviation. The author's model, tuned by hand to this
    swing, has I = m(L^2/12 + r^2/4) + 2 m(L/2)^2, the weight's moment 1.93 m g L/2 and a damping of 6.67e-4 N m s, with
    m = 95.7 g, L = 137 mm and r = 2 mm: an equivalent length of 82.8 mm, and a rate of decay of 0.64 1/s. A fit with
    viscous damping comes to 81.7 mm and 0.60 1/s, with larger residuals than drag.
    """
    path = shipped_scenes()["free_swing"]
    fit = rigidsim.fit(path)
    times, angles = np.loadtxt(path.with_suffix(".csv"), delimiter=",", skiprows=1, comments=("#", "time")).T
    values = np.array([*fit.values.values()])
    other = least_squares(lambda x: swings(*x, times=times) - angles, values * 1.01, x_scale=np.abs(values))
    assert np.abs((other.x - values) / [*fit.sigma.values()]).max() < 1e-2
    arm = 0.137**2 / 12 + 0.002**2 / 4 + 2 * 0.0685**2
    assert fit.values["length"] == pytest.approx(arm / (1.93 * 0.0685), rel=0.02)
    others = {name: {} for name in ("length", "viscous", "start", "start_rate", "zero")}
    changes = ["drag=0", "viscous=1e-4", ("fit.parameters", others)]
    viscous = rigidsim.fit(Scene.from_file(path, changes))
    decay = viscous.values["viscous"] / (0.0157 * viscous.values["length"] ** 2)
    assert decay == pytest.approx(0.0006666175 / (0.095715 * arm), rel=0.06)
    assert viscous.sigmas[0][0][0] > 1.3 * fit.sigmas[0][0][0]
    assert any("resemble their neighbours" in warning for warning in FitReport("", fit).warnings)


def test_the_fit_of_a_scene_file(tmp_path):
    table = measured(scene())
    lines = "".join(f"{t},{np.degrees(x)}\n" for t, x in zip(*table.values(), strict=True))
    (tmp_path / "swing.csv").write_text("t,phi\n" + lines)
    block = """fit:
  data: [{file: swing.csv, columns: {rod.angle: {column: phi, unit: deg, sigma: 0.115 deg}}}]
  parameters: {inertia: {bounds: [0.004, 0.05], scale: log}, stiffness: {prior: [0.8, 0.5]}}
"""
    (tmp_path / "swing.yaml").write_text(PENDULUM + block)
    fit = rigidsim.fit(tmp_path / "swing.yaml")
    assert fit.dof == 201 + 1 - 2 and np.abs(deviations(fit, inertia=0.012, stiffness=0.8)).max() < 4.0
    again = Scene.from_dict(Scene.from_file(tmp_path / "swing.yaml").resolved())
    assert again.fit.written() == Scene.from_file(tmp_path / "swing.yaml").fit.written()


def refused(message: str, data, vary=("inertia",), **settings) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        rigidsim.fit(scene(), data, vary if isinstance(vary, dict) else list(vary), **settings)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t,psi\n0,1\n", "no column is called as a quantity of the run; name the column"),
        (
            "x,rod.angle\n0,1\n",
            r"of times; name it with time: clock, or --time clock; there are x, rod.angle",
        ),
        ("t,rod.angle\n0,1\n0.2,nan\n", r"swing.csv:3:2: nan is not a measurement; leave the cell empty"),
        ("t,rod.angle\n0,1\n0.2,one\n", r"swing.csv:3:2: expected a number, got 'one'"),
        ("t,rod.angle\n0,1\n0.2,1\n0.1,1\n", r"swing.csv:4:1: the time 0.1 s is before that of the line above"),
        ("t,rod.angle\n0,1\n,1\n", r"swing.csv:3:1: the time of these measurements is missing"),
        ("t,rod.angle\n0,1\n1.5,1\n2.5,1\n3,1\n", r"rod.angle at t = 2.5 s \(and 1 more\) is outside of the run"),
        ("t,rod.angle\n0,1,2\n", r"swing.csv:2: expected 2 cells as in the header, got 3"),
        ("t,rod.angle\n", "there are no measurements below the header"),
        ("", "the table is empty"),
        ("t,rod.angle[kg]\n0,1\n", "the unit 'kg' of the column 'rod.angle' is none of rod.angle"),
        ("t,rod.angle[rad]\n# noise\n0,1\n0.1,1,2\n", r"swing.csv:4: expected 2 cells as in the header, got 3"),
        ("t,rod.angle (kg)\n0,1\n", "the unit 'kg' of the column 'rod.angle' is none of rod.angle; units: rad, "),
        ("t (kg),rod.angle\n0,1\n", "swing.csv: 'kg' is not a unit of time"),
        ("t,rod.position\n0,1\n", r"rod.position has 3 components; name one component, such as rod.position.x"),
        ("t,rod.angle\n0,\n1,\n", "the column 'rod.angle' that measures rod.angle is empty"),
    ],
)
def test_bad_data_have_one_located_error(tmp_path, text, message):
    (tmp_path / "swing.csv").write_text(text)
    refused(message, tmp_path / "swing.csv")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"columns": {"rod.angle": {"column": "phj"}}}, "no column 'phj' that measures rod.angle; did you mean 'phi'"),
        ({"columns": {"rod.angle": {"column": "phi", "unit": "kg"}}}, "the unit 'kg' of the column 'phi' is none"),
        ({"columns": {"rod.angle": {"column": "phi", "sigma": "2 kg"}}}, "the unit 'kg' of the column 'phi' is"),
        ({"columns": {"rod.angle": {"column": "phi", "sigma": 0}}}, "a standard deviation must be greater than zero"),
        ({"columns": {"rod.angle": {"column": "phi", "sigma": "dphi"}}}, "no column 'dphi' of standard deviations"),
        ({"columns": {"rod.angel": "phi"}}, "there is no quantity 'angel' of a body"),
        ({"columns": {"bar.angle": "phi"}}, "bar"),
        ({"time_unit": "kg"}, "'kg' is not a unit of time"),
        ({"vary": ["nothing"]}, "'nothing' is not in the scene"),
        ({"colums": {}}, "unknown key 'colums'"),
    ],
)  # fmt: skip
def test_bad_settings_have_one_error(more, message):
    refused(message, [experiment({"t": [0.0, 0.1], "phi": [1.0, 1.1]}, **more)])


def test_other_refusals():
    table = {"t": [0.0, 0.1], "phi": [1.0, 1.1]}
    refused("is outside of its bounds", [experiment(table)], {"inertia": {"bounds": [0.02, 0.05]}})
    close = {"inertia": {"bounds": ["20 kg*m^2", None]}}
    refused(r" = 0.012 kg\*m\^2 of the scene is outside of its bounds \[20 kg\*m\^2, null\]",
            [experiment(table, set={"inertia": "0.012 kg*m^2"})], close)  # fmt: skip
    refused("the lower bound 2 is not below the upper one", [experiment(table)], {"inertia": {"bounds": [2, 1]}})
    refused("no number is estimated", [experiment(table)], [])
    refused("^fit: vary: 'nothing' is not in the scene", [experiment(table)], ["nothing"])
    refused("expected a mapping with file or table", [3])
    refused(r"data\['phi'\]\[1\] is nan", [experiment({"t": [0.0, 0.1], "phi": [1.0, np.nan]})])
    refused("the columns have shapes", [experiment({"t": [0.0], "phi": [1.0, 2.0]})])
    log = {"stiffness": {"scale": "log"}}
    refused("is 0 in the scene, which has no logarithm", [experiment(table, set={"stiffness": 0})], log)
    with pytest.raises(UsageError, match="there is nothing to fit"):
        rigidsim.fit(scene())


def test_rows_without_end_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("rigidsim.fitting.data.MOST_ROWS", 100)
    (tmp_path / "swing.csv").write_text("t,rod.angle\n" + "0,1\n" * 101)
    refused("swing.csv:102: a fit takes at most 100 rows", tmp_path / "swing.csv")
