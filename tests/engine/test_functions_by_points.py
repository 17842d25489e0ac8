"""Tables as functions in expressions: against scipy, in all methods and lanes, in jets, derivatives and files."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline, PchipInterpolator

import rigidsim
from rigidsim.cli.examples import shipped_scenes
from rigidsim.scene import Scene
from rigidsim.scene.text.plain import as_yaml

EPS = np.finfo(float).eps
KNOTS = np.array([[0.0, 1.0], [0.3, 2.0], [0.7, 1.5], [1.0, 3.0]])
CURVES = {"cubic": CubicSpline(*KNOTS.T), "pchip": PchipInterpolator(*KNOTS.T)}


def scene(kind: str = "pchip", integrator: dict | str = "rkmk4", **table) -> Scene:
    """A ball on a spring whose stiffness is a table of its position, above a platform that a table moves."""
    return Scene.from_dict({
        "format": "rigidsim/1",
        "parameters": {"factor": 1.0},
        "tables": {"f": {"points": KNOTS.tolist(), "kind": kind} | table},
        "simulation": {"duration": 0.9, "integrator": integrator}
        | ({"step": 0.01} if integrator == "rkmk4" else {"record_every": 0.01}),
        "bodies": {
            "platform": {"motion": {"prescribed": {"position": ["= f(t)", 0, "= f(0.5*t)"]}}},
            "ball": {"mass": 1, "inertia": "point", "position": [0.9, 0, 0],
                     "forces": [{"force": ["= -factor*f(x)*x - 0.2*f(x)", 0, 0]}]},
        },
        "metrics": {"softest": "= min(f('ball.position.x'))"},
    })  # fmt: skip


@pytest.mark.parametrize("kind", ["linear", "cubic", "pchip"])
def test_values_are_those_of_scipy(kind):
    table = scene(kind).scope.tables["f"]
    x = np.linspace(0.0, 1.0, 113)
    expected = np.interp(x, *KNOTS.T) if kind == "linear" else CURVES[kind](x)
    np.testing.assert_allclose(table.at(x), expected, rtol=16 * EPS)  # a few sums of terms of size 3
    assert [table.at(float(one)) for one in x] == table.at(x).tolist()
    assert np.isnan(table.at(-1e-9)) and np.isnan(table.at(1.0 + 1e-9))


def test_beyond_the_ends():
    hold, extend = (scene("cubic", outside=word).scope.tables["f"] for word in ("hold", "extend"))
    assert (hold.at(-5.0), hold.at(9.0), hold.at(1.0)) == (1.0, 3.0, 3.0)
    x = np.array([-0.2, 1.3])
    np.testing.assert_allclose(extend.at(x), CURVES["cubic"](x), rtol=64 * EPS)  # the terms are up to ten times larger


@pytest.fixture(scope="module")
def run():
    return rigidsim.simulate(scene())


@pytest.mark.parametrize("kind", CURVES)
def test_a_prescribed_motion_has_exact_derivatives(kind, run):
    moved = run if kind == "pchip" else rigidsim.simulate(scene(kind))
    t, curve, motion = moved.time, CURVES[kind], moved["platform"].world
    for order, values in enumerate((motion.position, motion.velocity)):
        tolerance = 64 * EPS * 30.0**order  # the coefficients are up to thirty times larger with each derivative
        np.testing.assert_allclose(values[:, 0], curve(t, order), rtol=0, atol=tolerance)
        np.testing.assert_allclose(values[:, 2], 0.5**order * curve(0.5 * t, order), rtol=0, atol=tolerance)


def reference() -> float:
    """The position of the ball at the end, by scipy."""
    curve = PchipInterpolator(*KNOTS.T)
    found = solve_ivp(
        lambda t, y: (y[1], -curve(y[0]) * y[0] - 0.2 * curve(y[0])), (0, 0.9), (0.9, 0.0),
        method="DOP853", rtol=1e-12, atol=1e-14, max_step=1e-3,
    )  # fmt: skip
    return found.y[0, -1]


@pytest.mark.slow
def test_all_methods_agree_with_scipy(run):
    # The second derivative of pchip jumps at the points, where the error of a step is of its third order: 1e-6/6 times
    # the jump. Measured: rkmk4 2e-8, adaptive 2e-9, taylor 1e-12.
    expected = reference()
    assert abs(run["ball"].world.position[-1, 0] - expected) <= 2e-7
    for method, tolerance in (("adaptive", 2e-8), ("taylor", 1e-11)):
        other = rigidsim.simulate(scene(integrator={"name": method}))
        assert abs(other["ball"].world.position[-1, 0] - expected) <= tolerance


def test_lanes_keep_the_bits_and_a_metric_reads_a_table(run):
    factors = [1.0, 1.1, 1.3]
    given = Scene.from_dict(scene().resolved())
    assert given == scene()
    many = rigidsim.simulate([scene().with_overrides([f"factor={factor}"]) for factor in factors])
    assert many[0].content_hash == run.content_hash
    x = run["ball"].world.position[:, 0]
    assert run.metrics["softest"] == np.min(scene().scope.tables["f"].at(x)) == run.metric("= min(f(x('ball')))")


def test_interpreted_code_has_the_same_bits(run, monkeypatch):
    monkeypatch.setenv("RIGIDSIM_JIT", "off")
    short = rigidsim.simulate(scene().with_overrides(["simulation.duration=0.05"]))
    monkeypatch.undo()
    np.testing.assert_array_equal(short["ball"].world.position, run["ball"].world.position[: len(short.time)])


def test_derivatives_of_a_run():
    with_derivative = rigidsim.simulate(scene(), derivatives=["factor"])
    h = 1e-4
    ends = [
        rigidsim.simulate(scene().with_overrides([f"factor={1 + d!r}"]))["ball"].world.position[-1, 0] for d in (h, -h)
    ]
    found = with_derivative.derivative("factor")["ball"].world.position[-1, 0]
    assert abs(found - (ends[0] - ends[1]) / (2 * h)) <= 1e-6 * abs(found)  # of second order in h, and the kinks


def test_a_rocket_against_scipy():
    given = Scene.from_file(shipped_scenes()["sounding_rocket"])
    points = {name: np.array(table.written()["points"]) for name, table in given.tables.items()}
    density = PchipInterpolator(*points["density"].T)

    def rates(t, y, thrust):
        (z, v), mass = y, 100.0 - 3.0 * min(t, 20.0)
        drag = 0.02 * np.interp(abs(v), *points["drag_coefficient"].T) * density(min(max(z, 0.0), 80e3)) * v * v / 2
        return v, (thrust - np.sign(v) * drag) / mass - 9.80665

    state = [0.0, 0.0]
    for begin, end, thrust in ((0.0, 20.0, 7200.0), (20.0, 60.0, 0.0)):
        options = {"method": "DOP853", "rtol": 1e-11, "atol": 1e-9, "max_step": 0.1}
        state = solve_ivp(rates, (begin, end), state, args=(thrust,), **options).y[:, -1]
    run = rigidsim.simulate(given)
    # Measured 3e-4 m: at each point of a table a step of rkmk4 loses its order.
    assert abs(run["rocket"].world.position[-1, 2] - state[0]) <= 3e-8 * state[0]
    assert abs(run["rocket"].world.velocity[-1, 2] - state[1]) <= 1e-7 * state[1]


def test_a_run_that_leaves_its_table_says_so():
    with pytest.raises(rigidsim.SimulationError, match="beyond its ends a table gives nan"):
        rigidsim.simulate(scene().with_overrides(["bodies.ball.velocity=[2, 0, 0]"]))


FILES = {
    "none": (None, "No such file or directory"),
    "empty": ("", "a table needs two columns"),
    "header": ("x,y\n", "there are no rows below the first line"),
    "one": ("x,y\n1,2\n", "a table needs at least two points, got one"),
    "unnamed": ("1,2\n3,4\n", "the first line has numbers, not names"),
    "nan": ("x,y\n1,2\n3,nan\n", "line 3, column 'y': expected a finite number, got 'nan'"),
    "text": ("x,y\n1,2\n3,abc\n", "line 3, column 'y': expected a finite number, got 'abc'"),
    "short": ("x,y\n1,2\n3\n", "line 3: expected 2 cells as in the header, got 1"),
    "twice": ("x,y\n1,2\n1,4\n", "line 3 of 'a.csv': x = 1 is not above 1"),
    "unsorted": ("x,y\n2,2\n1,4\n", "line 3 of 'a.csv': x = 1 is not above 2"),
    "unit": ("x (kmm),y\n1,2\n2,4\n", "line 1, column 'x': 'kmm' is not a unit; did you mean 'mm'?"),
    "argument": ("x (s),y (N)\n1,2\n2,4\n", "'f' is a table over s, and this is in m"),
    "value": ("x (km),y (m)\n1,2\n4,4\n", "'m' is a unit of length, but force (N) is expected here"),
    "outside": ("x (km),y (N)\n1,2\n2,4\n", "3000.0 is outside the table 'f'"),
    "binary": ("\udcff\udcfe", "this is not UTF-8 text; save the table as CSV in UTF-8"),
    "long": ("x,y\n" + "".join(f"{k},1\n" for k in range(100_002)), "line 100002: more than 100000 rows"),
    "large": ("x,y\n" + "1,2\n" * 5_000_000, "is larger than 16 MiB"),
}


def refused(folder, table, **more):
    """The only problem of a scene in a folder with this table."""
    given = {
        "format": "rigidsim/1", "tables": {"f": table}, "simulation": {"duration": 1, "step": 0.1},
        "bodies": {"a": {"mass": 1, "inertia": "point", "forces": [{"force": ["= f(3 km)", 0, 0]}]}},
    } | more  # fmt: skip
    path = folder / "scene.yaml"
    path.write_text(as_yaml(given))
    with pytest.raises(rigidsim.SceneError) as caught:
        Scene.from_file(path)
    (only,) = caught.value.problems
    assert only.line > 0
    return f"{only.message}; {only.hint}"


@pytest.mark.parametrize("name", FILES)
def test_one_located_error_of_a_file(tmp_path, name):
    content, message = FILES[name]
    if content is not None:
        (tmp_path / "a.csv").write_bytes(content.encode(errors="surrogateescape"))
    assert message in refused(tmp_path, {"file": "a.csv"})


TWO = [[0, 1], [5000, 2]]
INLINE = [
    ({"points": [[0, 1]]}, "a table needs at least two points, got one"),
    ({"points": [[0, 1], [0, 2]]}, "point 2: x = 0 is not above 0"),
    ({"points": [[0, 1], ["1 s", "2 m"], [2, "a"]]}, "point 3, y: expected a number (length, m), got the text 'a'"),
    ({"points": 5}, "expected points"),
    ({}, "there is neither a file nor points"),
    ({"file": "a.csv", "points": TWO}, "both 'file' and 'points' are given"),
    ({"points": TWO, "kind": "spline"}, "spline is not known here"),
    ({"points": TWO, "x": "a"}, "columns are named of a file only"),
    ({"points": TWO, "units": ["km"]}, "expected the units of x and y"),
    ("a.csv", "expected a mapping"),
]


@pytest.mark.parametrize(("table", "message"), INLINE, ids=range(len(INLINE)))
def test_one_located_error_of_points(tmp_path, table, message):
    assert message in refused(tmp_path, table)


def test_names_and_sizes(tmp_path):
    assert "there is a parameter 'f'" in refused(tmp_path, {"points": TWO}, parameters={"f": 1})
    assert "there is a table 'f'" in refused(tmp_path, {"points": TWO}, let={"f": "= t"})
    taylor = {"duration": 1, "record_every": 0.1, "integrator": {"name": "taylor"}}
    many = {"points": [[k, k] for k in range(4000)]}
    assert "'taylor' takes tables of at most 100 pieces" in refused(tmp_path, many, simulation=taylor)


def test_the_file_of_a_run_has_the_table(tmp_path):
    (tmp_path / "a.csv").write_text("# from a balloon\nheight (km),skip,air [kg/m^3]\n0,,1.2\n1,,1.1\n5,,0.7\n")
    (tmp_path / "s.yaml").write_text(as_yaml({
        "format": "rigidsim/1", "tables": {"air": {"file": "a.csv", "x": "height", "y": "air"}},
        "simulation": {"duration": 0.1, "step": 0.1},
        "bodies": {"a": {"mass": 1, "inertia": "point", "let": {"rho": "= air(z + 500 m)"}}},
    }))  # fmt: skip
    rigidsim.simulate(tmp_path / "s.yaml").save(tmp_path / "s.h5")
    (tmp_path / "a.csv").unlink()
    with rigidsim.load(tmp_path / "s.h5") as trajectory:
        assert trajectory.metric("= final('a.rho')") == pytest.approx(1.15, rel=4 * EPS)
        assert trajectory.header.resolved["tables"]["air"]["points"] == [[0.0, 1.2], [1000.0, 1.1], [5000.0, 0.7]]
