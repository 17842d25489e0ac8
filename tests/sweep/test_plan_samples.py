"""Samples follow their distributions, are the same for the same seed, and saltelli's order is that of scipy."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rigidsim.errors import UsageError
from rigidsim.scene import Scene
from rigidsim.scene.values.samples import FAMILIES, METHODS, read_distribution
from rigidsim.sweeps.plan import make_plan
from rigidsim.sweeps.sampling import FROZEN, LARGEST, SMALLEST, quantiles
from rigidsim.sweeps.sweeping import contents_of
from sweep_scene import TEXT

# The distribution functions of the textbooks, by our arguments.
FUNCTIONS = {
    "uniform(-2, 3)": lambda x: (x + 2) / 5,
    "loguniform(0.1, 10)": lambda x: np.log(x / 0.1) / np.log(100),
    "normal(1, 2)": lambda x: 0.5 * (1 + np.vectorize(math.erf)((x - 1) / 2 / math.sqrt(2))),
    "truncated_normal(0, 1, 0, 100)": lambda x: np.vectorize(math.erf)(x / math.sqrt(2)),
    "lognormal(3, 0.5)": lambda x: 0.5 * (1 + np.vectorize(math.erf)(np.log(x / 3) / 0.5 / math.sqrt(2))),
    "triangular(0, 1, 3)": lambda x: np.where(x < 1, x**2 / 3, 1 - (3 - x) ** 2 / 6),
    "exponential(2)": lambda x: 1 - np.exp(-x / 2),
    "weibull(3, 2)": lambda x: 1 - np.exp(-((x / 2) ** 3)),
    "beta(1, 3, 10, 20)": lambda x: 1 - (1 - (x - 10) / 10) ** 3,
}
LEVELS = np.linspace(0.001, 0.999, 101)


def values(rule, over=None, **more) -> np.ndarray:
    plan = make_plan(sample=rule, over=over or {"a": "uniform(0, 1)", "b": "uniform(0, 1)"}, **more)
    return np.array(list(plan.values(slice(None)).values()))


def test_each_family_has_its_distribution_of_scipy():
    assert set(FROZEN) == set(FAMILIES) == {text.partition("(")[0] for text in FUNCTIONS}


@pytest.mark.parametrize("text", FUNCTIONS)
def test_quantiles_are_those_of_the_textbook(text):
    """To the conditioning of the closed forms: log(x) and erf near 1 lose two or three digits."""
    distribution = read_distribution(text)
    assert FUNCTIONS[text](quantiles(distribution, LEVELS)) == pytest.approx(LEVELS, abs=1e-13)
    assert np.isfinite(quantiles(distribution, np.array([0.0, SMALLEST, LARGEST, 1.0]))).all()
    assert read_distribution(str(distribution)) == distribution


@pytest.mark.parametrize("method", METHODS)
def test_a_sample_is_spread_as_its_method_promises(method):
    points = values(f"{method}:64")[:, :64]  # of saltelli, the matrix A
    cells = np.sort(np.floor(points * 64), axis=1)
    if method in ("sobol", "lhs", "saltelli"):
        assert (cells == np.arange(64)).all()  # one in each of 64 slices
    if method in ("sobol", "saltelli"):
        squares = np.floor(points[0] * 8) * 8 + np.floor(points[1] * 8)
        assert sorted(squares) == list(range(64))  # one in each of 8 x 8 squares
    if method == "random":
        assert len(set(cells[0])) < 64


@pytest.mark.parametrize("method", METHODS)
def test_a_sample_depends_on_its_seed_only(method):
    one = values(f"{method}:16", seed=1)
    assert (one == values(f"{method}:16", seed=1)).all()
    assert (one != values(f"{method}:16", seed=2)).any()
    assert (values(f"{method}:16") == values(f"{method}:16", seed=0)).all()


# From scipy 1.17 on x86-64; uniform numbers need no elementary functions.
PINNED = {
    "sobol:4": [0.6024873972637579, 0.0006055067060515285, 0.45342456188518554, 0.9298182922648266],
    "lhs:4": [0.5142656117792801, 0.31941435283754366, 0.8942559093712574, 0.23583068949234953],
    "random:4": [0.6369616873214543, 0.04097352393619469, 0.8132702392002724, 0.6066357757671799],
}


@pytest.mark.parametrize("rule", PINNED)
def test_a_sample_is_the_same_on_every_machine(rule):
    assert values(rule)[0].tolist() == PINNED[rule]


def test_random_numbers_do_not_repeat():
    points = values("random:1000")
    assert len(set(points.ravel().tolist())) == points.size
    assert abs(np.corrcoef(points)[0, 1]) < 5 / math.sqrt(1000)


def ishigami(x):
    return np.sin(x[0]) + 7 * np.sin(x[1]) ** 2 + 0.1 * x[2] ** 4 * np.sin(x[0])


def test_saltelli_has_the_order_of_scipys_sobol_indices():
    """Ishigami's function, whose indices are known in closed form. Over 30 seeds the root mean square of the errors is
    at most 0.005, for the points that scipy draws itself, too; 0.025 is five times that.
    """
    count, names = 4096, ("a", "b", "c")
    plan = make_plan(sample=f"saltelli:{count}", over=dict.fromkeys(names, "uniform(= -pi, = pi)"))
    assert plan.runs == count * 5
    results = ishigami(np.array(list(plan.values(slice(None)).values()))).reshape(5, 1, count)
    indices = stats.sobol_indices(func={"f_A": results[0], "f_B": results[1], "f_AB": results[2:]}, n=count)
    assert indices.first_order == pytest.approx([0.3139, 0.4424, 0.0], abs=0.025)
    assert indices.total_order == pytest.approx([0.5576, 0.4424, 0.2437], abs=0.025)


@settings(max_examples=settings().max_examples // 4)
@given(st.integers(1, 5), st.integers(0, 4))
def test_saltelli_exchanges_one_column_in_each_block(d, power):
    count = 2**power
    columns = values(f"saltelli:{count}", {f"x{i}": "uniform(0, 1)" for i in range(d)}).reshape(d, d + 2, count)
    a, b = columns[:, 0], columns[:, 1]
    assert (a != b).all()
    for exchanged in range(d):
        block = columns[:, 2 + exchanged]
        for i in range(d):
            assert (block[i] == (b if i == exchanged else a)[i]).all()


def test_quantities_of_distributions():
    over = {"a": "uniform(20 rpm, 240 deg/s)", "b": "lognormal(2 kg, 0.1)", "c": "normal(0, 1)"}
    plan = make_plan(sample="lhs:50", over=over)
    assert plan.units == {"a": "rpm", "b": "kg", "c": ""}
    spins = plan.values(slice(None))["a"]
    assert 20 < spins.min() < 21 and 39 < spins.max() < 40
    ((_, text), *_), *_ = plan.overrides(slice(0, 1))
    assert text == f"{spins.tolist()[0]!r} rpm"
    expected = "50 runs, a lhs sample: a uniform(20 rpm, 40 rpm), b lognormal(2 kg, 0.1), c normal(0, 1)"
    assert plan.describe() == expected


def test_sobol_advises_a_power_of_two():
    over = {"a": "uniform(0, 1)"}
    (note,) = make_plan(sample="sobol:1000", over=over).notes
    assert note.endswith("sobol:512 or sobol:1024 is better than sobol:1000")
    assert make_plan(sample="sobol:1024", over=over).notes == ()
    assert make_plan(sample="lhs:1000", over=over).notes == ()
    assert values("sobol:5").shape == (2, 5)  # and makes any other number without a warning


@pytest.mark.parametrize(
    ("sample", "over", "message"),
    [
        ("sobl:8", "uniform(0, 1)", "sample: sobl is not a method of sampling; did you mean 'sobol'"),
        ("halton:8", "uniform(0, 1)", "there are sobol, lhs, random, saltelli"),
        ("sobol", "uniform(0, 1)", "expected a method and a number of points, sobol:1024"),
        ("sobol:x", "uniform(0, 1)", "expected a method and a number of points"),
        (8, "uniform(0, 1)", "expected a method and a number of points"),
        ("lhs:0", "uniform(0, 1)", "a sample of 0 points makes zero runs"),
        ("saltelli:100", "uniform(0, 1)", "need a power of two; write saltelli:64 or saltelli:128"),
        ("sobol:8589934592", "uniform(0, 1)", r"more than the 2\*\*32 points"),
        ("lhs:8", "unifrm(0, 1)", "over x: unifrm is not a distribution; did you mean 'uniform'"),
        ("lhs:8", "20, 40", r"expected a distribution such as uniform\(20, 40\), got 20, 40"),
        ("lhs:8", 3, "expected a distribution such as uniform"),
        ("lhs:8", "uniform(0)", r"uniform\(low, high\) has 2 arguments, got 1"),
        ("lhs:8", "exponential(1, 2)", r"exponential\(mean\) has 1 argument, got 2"),
        ("lhs:8", "uniform(1, 0)", r"uniform\(low, high\) needs low < high"),
        ("lhs:8", "normal(0, 0)", "needs deviation > 0"),
        ("lhs:8", "loguniform(0, 1)", "needs 0 < low < high"),
        ("lhs:8", "triangular(0, 2, 1)", "needs low <= mode <= high"),
        ("lhs:8", "uniform(0, b)", "expected a number, got the text 'b'"),
        ("lhs:8", "uniform(0, 1 rmp)", "'rmp' is not a unit; did you mean 'rpm'"),
        ("lhs:8", "uniform(0, 1 rpm)", "'0' has no unit, but '1 rpm' has one"),
        ("lhs:8", "uniform(0 kg, 1 rpm)", "'rpm' is a unit of angular velocity, but 'kg' is one of mass"),
        ("lhs:8", "lognormal(2 kg, 1 kg)", r"'sigma' of lognormal\(median, sigma\) is a plain number, got '1 kg'"),
        ("lhs:8", "uniform(-1.7e308, 1.7e308)", "too far apart"),
    ],
)
def test_what_is_no_sample(sample, over, message):
    with pytest.raises(UsageError, match=message) as caught:
        make_plan(sample=sample, over={"x": over})
    assert "\n" not in str(caught.value)


def test_more_numbers_than_sobols_sequence_has_dimensions():
    with pytest.raises(UsageError, match="at most 21201; random:8 has no limit"):
        make_plan(sample="saltelli:8", over={f"x{i}": "uniform(0, 1)" for i in range(11_000)})


def test_a_plan_that_would_fill_the_memory_is_refused_at_once():
    """A Latin hypercube is made as a whole; sobol and random are not, and name themselves."""
    over = {"spin": "uniform(0, 1)"}
    begin = time.perf_counter()
    with pytest.raises(UsageError) as caught:
        make_plan(sample="lhs:2000000000", over=over)
    assert time.perf_counter() - begin < 1.0
    assert str(caught.value) == (
        "lhs:2000000000: a Latin hypercube is made as a whole, of at most 10,000,000 points;"
        " sobol:2000000000 and random:2000000000 have no such limit"
    )
    with pytest.raises(UsageError, match=r"lhs:10000000: .* needs 3e\+04 GB of memory, .* sobol:10000000 and random"):
        make_plan(sample="lhs:10000000", over={f"x{k}": "uniform(0, 1)" for k in range(100_000)})
    for method in ("sobol", "random", "lhs"):
        plan = make_plan(sample=f"{method}:{10**7 if method == 'lhs' else 2 * 10**9}", over=over)
        assert plan.runs >= 10**7 and plan.notes is not None


def test_plans_of_any_size_take_no_memory(monkeypatch):
    """A range that stays where it is has one value; it is not made to be counted."""
    plan = make_plan(vary={"spin": "5:5:3000000000", "size": "2:2:3000000000"}, zip=True)
    assert plan.notes == ("2,999,999,999 of 3,000,000,000 runs have the same values as an earlier one",)
    plan = make_plan(vary={"spin": "5:5:300000", "size": "1:2:300000", "pull": [1, 2]})
    assert plan.notes == ("179,999,400,000 of 180,000,000,000 runs have the same values as an earlier one",)
    monkeypatch.setattr("rigidsim.sweeps.extents.MOST_AT_ONCE", 99)
    plan = make_plan(vary={"simulation.duration": "1:2:100"})
    with pytest.raises(UsageError, match="the bodies and times of all 100 runs have to be known before the first"):
        contents_of(Scene.from_text(TEXT), plan, "final")


def test_a_table_that_is_too_long_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("rigidsim.sweeps.plan.MOST_AT_ONCE", 3)
    (tmp_path / "runs.csv").write_text("spin\n1\n2\n3\n")
    assert make_plan(table=tmp_path / "runs.csv").runs == 3
    (tmp_path / "runs.csv").write_text("spin\n1\n2\n3\n4\n")
    with pytest.raises(UsageError, match=r"runs\.csv:5: a table is read as a whole, of at most 3 runs; .*sobol"):
        make_plan(table=tmp_path / "runs.csv")
