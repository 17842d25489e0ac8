"""Grids, plans side by side, parts, seeds and digests; and the scene read with the values of a plan."""

from __future__ import annotations

import itertools
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigidsim.errors import SceneError, UsageError
from rigidsim.scene import Scene
from rigidsim.sweeps.layouts import MOST_RUNS
from rigidsim.sweeps.plan import make_plan, plan_of
from sweep_scene import TEXT

NAMES = ("a", "b.c", "d[0]", "e")
LISTS = st.lists(st.lists(st.integers(-5, 5), min_size=1, max_size=5), min_size=1, max_size=len(NAMES))


def rows(plan, runs=slice(None)) -> list[tuple]:
    return list(zip(*plan.values(runs).values(), strict=True))


@given(LISTS)
def test_a_grid_is_ordered_as_itertools_product(lists):
    plan = make_plan(vary=dict(zip(NAMES, lists, strict=False)))
    assert plan.runs == len(rows(plan))
    assert rows(plan) == list(itertools.product(*lists))


@given(LISTS)
def test_repeated_runs_are_counted(lists):
    plan = make_plan(vary=dict(zip(NAMES, lists, strict=False)))
    repeated = plan.runs - len(set(itertools.product(*lists)))
    expected = f"{repeated:,} of {plan.runs:,} runs have the same values as an earlier one"
    assert plan.notes == ((expected,) if repeated else ())


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["x", "y"])), min_size=1))
def test_side_by_side(pairs):
    numbers, words = map(list, zip(*pairs, strict=True))
    plan = make_plan(vary={"a": numbers, "b": words}, zip=True)
    assert rows(plan) == pairs
    assert bool(plan.notes) == (len(set(pairs)) < len(pairs))


def test_side_by_side_needs_equally_many():
    with pytest.raises(UsageError, match="side by side, but a has 3 and b 2; give all names equally many"):
        make_plan(vary={"a": [1, 2, 3], "b": [1, 2]}, zip=True)


PLANS = [
    {"vary": {"a": "0:1:7", "b": "log:1:100:5", "c": ["x", "y", [1, 2]]}},
    {"vary": {"a": "0 rpm:1 rpm:7", "b": list("abcdefg")}, "zip": True},
    *({"sample": f"{method}:16", "over": {"a": "uniform(0, 1)", "b": "normal(2 kg, 1 g)"}, "seed": 3}
      for method in ("sobol", "lhs", "random", "saltelli")),
]  # fmt: skip


@pytest.mark.parametrize("rule", PLANS, ids=str)
@settings(max_examples=settings().max_examples // 4)  # of each
@given(data=st.data())
def test_any_part_of_a_plan_has_the_bits_of_the_whole(rule, data):
    plan = make_plan(**rule)
    begin = data.draw(st.integers(0, plan.runs))
    end = data.draw(st.integers(begin, plan.runs))
    whole, part = plan.values(slice(None)), plan.values(range(begin, end))
    assert list(whole) == list(part) == list(plan.names)
    for name, values in part.items():
        assert list(values) == list(whole[name])[begin:end]
    assert list(plan.overrides(range(begin, end))) == list(plan.overrides(slice(None)))[begin:end]
    assert plan.seeds(range(begin, end)).tolist() == plan.seeds(slice(None)).tolist()[begin:end]


@given(st.integers(1, 300), st.integers(1, 40))
def test_parts_follow_each_other_and_differ_by_one_run_at_most(runs, parts):
    plan = make_plan(vary={"a": list(range(runs))})
    ranges = [plan.part(k, parts) for k in range(1, parts + 1)]
    assert list(itertools.chain(*ranges)) == list(range(runs))
    assert max(map(len, ranges)) - min(map(len, ranges)) <= 1


def test_parts_that_do_not_exist():
    plan = make_plan(vary={"a": [1, 2]})
    with pytest.raises(UsageError, match="part 4 of 3 does not exist; parts are numbered from 1 to 3"):
        plan.part(4, 3)
    with pytest.raises(UsageError, match="the number of the part must be an integer from 1"):
        plan.part(0, 3)


@pytest.mark.parametrize("runs", [range(0, 4, 2), range(3, 1, -1), range(-1, 2), range(9), slice(0, 4, 2)])
def test_values_are_for_consecutive_runs_of_the_plan(runs):
    with pytest.raises(UsageError, match="expected consecutive runs between 0 and 3"):
        make_plan(vary={"a": [1, 2, 3, 4]}).values(runs)


def test_a_large_grid_is_counted_and_not_built():
    tracemalloc.start()
    plan = make_plan(vary={"a": "0:1:1000000", "b": "0:1:1000"})
    assert plan.runs == 10**9
    assert plan.describe() == "1000000 x 1000 = 1000000000 runs: a 0 to 1 (1000000), b 0 to 1 (1000)"
    assert plan.digest and plan.notes == ()
    (last,) = rows(plan, range(10**9 - 1, 10**9))
    assert last == (1.0, 1.0)
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()
    with pytest.raises(UsageError, match="1,000,000,000 runs are more than 1,000,000; --yes runs them, --part 1/1000"):
        plan.chosen()
    assert plan.chosen(yes=True) == range(10**9)
    assert len(plan.chosen((1, 1000))) == MOST_RUNS


def test_a_grid_beyond_all_bounds():
    with pytest.raises(UsageError, match=r"1,000,000,000,000,000,000 runs is too large; the limit is 2\*\*53"):
        make_plan(vary={"a": "0:1:1000000000", "b": "0:1:1000000000"})


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("spin", "parameters.spin"), "'spin' and 'parameters.spin' are the same number; vary it once"),
        (("b.top.position[2]", "b.top.position.2"), "are the same number"),
        (("b.top", "b.top.mass"), "'b.top.mass' is a part of 'b.top'; vary only one of them"),
        (("b.top.position[2]", "b.top.position"), "is a part of"),
    ],
)
def test_two_names_of_one_number(names, message):
    with pytest.raises(UsageError, match=message):
        make_plan(vary={name: [1, 2] for name in names})
    assert make_plan(vary={"b.top": [1], "b.topmass": [2]}).runs == 1


def test_plans_in_more_than_one_way_or_none():
    over = {"x": "uniform(0, 1)"}
    for rule, message in (
        ({}, "no number varies; a plan has one of"),
        ({"vary": {"x": [1]}, "table": "t.csv"}, "both 'vary' and 'table' are given"),
        ({"vary": {"x": [1]}, "sample": "lhs:3", "over": over}, "both 'vary' and 'sample' are given"),
        ({"over": over}, "there is no 'sample'; add one"),
        ({"sample": "lhs:3"}, "'sample' needs distributions in 'over'"),
        ({"sample": "lhs:3", "over": over, "zip": True}, "'zip' does not go with 'sample'"),
        ({"vary": {"x": [1]}, "seed": -1}, "seed: must be at least 0, got -1"),
        ({"vary": [1]}, "vary: expected names with values, got a list"),
    ):
        with pytest.raises(UsageError, match=message):
            make_plan(**rule)


def test_arrays_make_the_same_plan_as_texts():
    texts = make_plan(vary={"a": "0:60:13", "b": "log:1e-3:1:7", "c": [1, 2, 5]})
    arrays = make_plan(vary={"a": np.linspace(0, 60, 13), "b": np.geomspace(1e-3, 1, 7), "c": np.array([1, 2, 5])})
    assert texts.digest == arrays.digest
    assert texts.describe() == arrays.describe()
    assert rows(texts) == rows(arrays)


def test_the_digest_depends_on_all_that_makes_the_runs():
    base = {"vary": {"a": "0:1:3", "b": [1, 2, 4]}}
    over = {"a": "uniform(0, 1)", "b": "normal(0, 1)"}
    plans = [
        base,
        base | {"zip": True},
        base | {"seed": 1},
        {"vary": {"b": [1, 2, 4], "a": "0:1:3"}},
        {"vary": {"a": "0:1:4", "b": [1, 2, 4]}},
        {"vary": {"a": "0:1:3", "b": ["1 kg", "2 kg", "4 kg"]}},
        {"vary": {"a": "0:1:3", "b": ["1", "2", "x"]}},
        {"sample": "lhs:3", "over": over},
        {"sample": "random:3", "over": over},
        {"sample": "lhs:3", "over": over | {"a": "uniform(0, 2)"}},
    ]
    assert len({make_plan(**rule).digest for rule in plans}) == len(plans)
    assert make_plan(**base).digest == make_plan(**base).digest


def test_no_two_runs_have_the_same_seed():
    plan = make_plan(vary={"a": "0:1:100000"}, seed=7)
    assert plan.seeds(slice(None)).dtype == np.uint64
    assert len(set(plan.seeds(slice(None)).tolist())) == plan.runs
    assert not set(plan.seeds(slice(None)).tolist()) & set(
        make_plan(vary={"a": "0:1:100000"}).seeds(slice(None)).tolist()
    )


def test_seeds_are_those_of_splitmix64():
    """The published generator (Vigna, splitmix64.c), in Python's integers."""

    def mixed(z):
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return z ^ z >> 31

    golden = 0x9E3779B97F4A7C15
    assert mixed(1234567 + golden) == 6457827717110365317  # its first output for the seed 1234567
    state = mixed(42 + golden)
    expected = []
    for _ in range(5):
        state = (state + golden) % 2**64
        expected.append(mixed(state))
    assert make_plan(vary={"a": "0:1:5"}, seed=42).seeds(slice(None)).tolist() == expected


def test_each_run_is_the_scene_with_its_values_set(read):
    plan = make_plan(vary={"spin": "0 rpm:60 rpm:4", "bodies.top.mass": [1, 2.5], "simulation.integrator": ["magnus"]})
    plan.check(read)
    spins, masses = np.linspace(0, 60, 4), [1, 2.5]
    for overrides, (spin, mass) in zip(
        plan.overrides(slice(None)), itertools.product(spins.tolist(), masses), strict=True
    ):
        typed = [f"spin={spin} rpm", f"bodies.top.mass={mass}", "simulation.integrator=magnus"]
        assert read(overrides) == read(typed)


@pytest.mark.parametrize(
    ("vary", "code", "message"),
    [
        ({"spin": "0 kg:1 kg:3"}, "unit", "a unit of mass"),
        ({"spin": ["1 rpm"], "bodies.top.mass": "1 m:2 m:3"}, "unit", "'m' is a unit of length, but mass"),
        ({"bodies.top.mas": [1, 2]}, "unknown-key", "unknown key 'mas'; did you mean 'mass'"),
        ({"spni": [1, 2]}, "unknown-key", "did you mean 'spin'"),
        ({"bodies.top.mass": ["heavy", 2]}, "not-a-number", "got the text 'heavy'"),
        ({"bodies.top.mass": [2, "heavy"], "spin": [1, 2]}, "not-a-number", "--set bodies.top.mass=heavy"),
        ({"spin": [1, 2], "simulation.integrator": ["rkmk4", "magnsu"]}, "integrator", "did you mean 'magnus'"),
        ({"bodies.top.mass": [[1, 2]]}, "not-a-number", "got a list"),
        ({"bodies.top.velocity": [[1, 2, 3], [1, 2]]}, "length", "expected 3 values"),
        ({"bodies.top.mass": ["= 2*sise"]}, "expression", "sise"),
    ],
)
def test_values_that_do_not_fit_are_one_problem_before_anything_runs(read, vary, code, message):
    with pytest.raises(SceneError) as caught:
        make_plan(vary=vary).check(read)
    (problem,) = caught.value.problems
    assert problem.code == code
    assert message in str(problem)


def test_a_path_that_is_not_there(read):
    with pytest.raises(UsageError, match=r"cannot set 'bodys\.top\.mass': there is no 'bodys'; did you mean 'bodies'"):
        make_plan(vary={"bodys.top.mass": [1, 2]}).check(read)


def test_a_value_out_of_bounds_is_no_problem_of_the_plan(read):
    """Its run fails alone."""
    make_plan(vary={"bodies.top.mass": "-1:1:3", "size": [0, 100]}).check(read)


def test_few_scenes_are_read_to_check_a_plan(read):
    runs = []
    plan = make_plan(vary={"spin": "0:60:1000", "bodies.top.mass": list(range(1, 1000)), "title": ["a", "b", "a"]})
    plan.check(lambda overrides: runs.append(dict(overrides)["title"]) or read(overrides))
    assert runs == ["a", "b"]


def test_the_block_of_a_scene_is_the_same_plan():
    block = 'sweep: {vary: {spin: "0 rpm:60 rpm:13", bodies.top.mass: [1, 2, 5]}, zip: false, seed: 4}\n'
    scene = Scene.from_text(TEXT + block)
    plan = make_plan(vary={"spin": "0 rpm:60 rpm:13", "bodies.top.mass": [1, 2, 5]}, seed=4)
    assert plan_of(scene.sweep).digest == plan.digest
    assert plan.describe() == "13 x 3 = 39 runs: spin 0 to 60 rpm (13), bodies.top.mass 1, 2, 5"
    assert repr(plan) == f"<Plan: {plan.describe()}>"


def test_a_range_of_python_is_its_integers():
    for values in (range(3), range(5, 6), range(10, 0, -3), range(0, 10**15, 7)):
        plan = make_plan(vary={"spin": values})
        assert plan.runs == len(values)
        found = plan.values(range(max(0, plan.runs - 3), plan.runs))["spin"]
        assert found.tolist() == list(values[-3:])
    assert make_plan(vary={"spin": range(5)}).digest == make_plan(vary={"spin": [0, 1, 2, 3, 4]}).digest
    with pytest.raises(UsageError, match="vary spin: the list is empty"):
        make_plan(vary={"spin": range(0)})
    for values in ({1, 2}, iter([1, 2])):
        with pytest.raises(
            UsageError, match=r"vary spin: an object of type .* is not allowed; give a list or an array"
        ):
            make_plan(vary={"spin": values})
