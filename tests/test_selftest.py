"""`rigidsim selftest`: its references, and that it finds what is wrong."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest

from rigidsim.analysis.oracles import closed_forms
from rigidsim.errors import SimulationError
from rigidsim.physics.operations import VALUES
from rigidsim.report.selftest import SelftestReport
from rigidsim.scene import Scene
from rigidsim.scene.expressions import Expression, Time
from rigidsim.selftest.cases import CASES, FOLDER, Case, shipped_case
from rigidsim.selftest.checking import checks, observed_order
from rigidsim.selftest.references import FOOT, EquatorialFall, _value
from rigidsim.simulation.single import Simulation

SPECIAL = {
    **{name: lambda u, m, name=name: mpmath.re(mpmath.ellipfun(name, u, m=m)) for name in ("sn", "cn", "dn")},
    "elliptic_f": lambda angle, m: mpmath.re(mpmath.ellipf(angle, m)),
    "eccentric_anomaly": lambda mean, e: mpmath.findroot(lambda x: x - e * mpmath.sin(x) - mean, mean + 0.5 * e),
}
PUBLISHED = {
    "free_top": ("top.angular_velocity@body", 10, (-0.603470423093, -1.278993138548, 0.887726788216)),
    "dzhanibekov": ("top.angular_velocity@body", 10, (10.94623977, 4.428447306, 9.479853576)),
    "separatrix": ("top.angular_velocity@body", 10, (-0.87457343789, 0.48499618734, 0.50500122055)),
    "symmetric_top": ("top.angular_velocity@body", 1, (-2.357891378, -2.049475115, 3.1)),
    "involute": ("let_go.position@parent", 2, (1.4024480171, -1.7415910999, 0)),
    "spin_up": ("rest.position@parent", 2, (0.6967067093, -0.7173560909, 0)),
    "quadratic_drag": ("stone.velocity.z", 1, -7.5349847072),
    "oblique_impact": ("ball.velocity.x", 0.4, 2.64),
    "oblique_impact_rolling": ("ball.velocity.x", 0.4, 2.142857142857),
}
"""Numbers of the literature, or of an independent integration: quantity, time (s), values."""


def forms_of(case: Case):
    return closed_forms(Simulation(case.scenes()[0]).header)


@pytest.mark.parametrize("name", CASES)
def test_the_closed_forms_have_the_digits_that_their_tolerances_need(name):
    """Each expression, evaluated with forty digits at several times, differs by a tenth of its tolerance at most."""
    scene = CASES[name].scenes()[0]
    time = np.linspace(0, scene.simulation.duration, 7)[1:]
    with mpmath.workdps(40):
        for form in forms_of(CASES[name]).values():
            found = np.atleast_2d(form.at(time).T)
            for part, column in zip(form.parts, found, strict=True):
                if isinstance(part, Expression):
                    exact = [part.evaluate({Time(): mpmath.mpf(t)}, {**VALUES, **SPECIAL}) for t in time.tolist()]
                    assert max(abs(x - y) for x, y in zip(exact, column.tolist(), strict=True)) <= form.tolerance / 10


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_numbers(name):
    quantity, time, expected = PUBLISHED[name]
    found = forms_of(CASES[name])[quantity].at(np.array([float(time)]))[0]
    assert found == pytest.approx(expected, rel=2e-10, abs=1e-9)  # as many digits as were published


def test_the_nutation_of_the_heavy_top():
    """Its period and its lowest tilt, of the literature."""
    form = forms_of(CASES["heavy_top"])["top.axis_z.z"]
    period = 0.6854584973
    lowest = form.at(np.array([period / 2]))[0]
    assert math.acos(lowest) == pytest.approx(0.05455169, abs=1e-8)
    assert form.at(np.array([period]))[0] == pytest.approx(math.cos(0.05), abs=1e-11)


def test_the_dropped_sphere():
    """As NASA's simulators have it after 30 s, and as the equations of motion with forty digits."""
    fall, end = EquatorialFall(), np.array([30.0])
    assert (fall.distance(end)[0] - fall.radius) / FOOT == pytest.approx(15598.904352, abs=1e-6)
    assert fall.east(end)[0] / FOOT == pytest.approx(20.9995202, abs=1e-7)
    with mpmath.workdps(40):
        exact = EquatorialFall(*(mpmath.mpf(getattr(fall, name)) for name in ("gm", "j2", "radius", "rate", "height")))
        distance, longitude = exact.series()
        assert max(abs(x - y) for x, y in zip(distance, fall.series()[0], strict=True)) <= 1e-8
        swept = exact.rate * distance[0] ** 2
        height, angle = (lambda t, series=series: _value(series, t) for series in (distance, longitude))
        for t in (10, 30):
            r = height(t)
            pull = exact.gm / r**2 * (1 + 3 * exact.j2 / 2 * (exact.radius / r) ** 2)
            assert abs(mpmath.diff(height, t, 2) - (swept**2 / r**3 - pull)) <= 1e-14
            assert abs(mpmath.diff(angle, t) - swept / r**2) <= 1e-16


def test_all_pass_with_the_order_of_the_integrator():
    found = [check for case in CASES.values() for check in checks(case)]
    assert [check for check in found if not check.has_passed] == []
    orders = {check.case for check in found if check.order is not None}
    assert orders >= {"free_top", "symmetric_top", "heavy_top", "nested_frames", "kepler", "dropped_sphere"}
    assert all(check.source for check in found)
    assert str(SelftestReport(found)).endswith(f"{len(CASES)} cases, {len(found)} quantities: all passed")


@pytest.mark.parametrize(
    "wrong",
    ["simulation.integrator=magnus2", "world.gravity.gm=1.0000001", "bodies.planet.children.moon.position[1]=1e-6"],
)
def test_what_is_wrong_fails(wrong):
    case = replace(CASES["kepler"], overrides=(wrong,))
    assert not all(check.has_passed for check in checks(case))


def test_a_method_of_lower_order_fails_though_it_is_within_the_tolerance():
    (check, *_) = checks(CASES["involute"])
    assert check.has_passed and not replace(check, order=2.0).has_passed
    assert not replace(check, error=math.nan).has_passed and not replace(check, error=None).has_passed


def test_a_run_that_fails_is_reported(monkeypatch):
    def fail(_scene):
        raise SimulationError("the state is not finite at t = 1 s")

    monkeypatch.setattr("rigidsim.selftest.checking.simulate", fail)
    report = SelftestReport(list(checks(CASES["kepler"])))
    assert not report.has_passed
    assert "not finite at t = 1 s" in str(report) and "1 failed" in str(report)
    json.dumps(report.as_dict())


@pytest.mark.parametrize(
    ("errors", "order"),
    [
        ([1.6e-3, 1e-4, 6.25e-6], 4.0),
        ([1.6e-7, 1e-8, 1e-13], 4.0),
        ([1e-13, 1e-14, 1e-14], None),
        ([0.0, 0.0, 0.0], None),
        ([None, None, None], None),
        ([math.inf, 1e-3, 1e-4], None),
    ],
)
def test_observed_order(errors, order):
    assert observed_order(errors, 1.0) == (order and pytest.approx(order))


def test_every_scene_in_the_folder_is_a_case():
    assert {case.file for case in CASES.values()} == set(FOLDER.glob("*.yaml"))
    assert all(Scene.from_file(file).description for file in FOLDER.glob("*.yaml"))


def test_a_shipped_scene_is_compared_with_its_own_tolerances():
    from rigidsim.cli.examples import shipped_scenes

    found = list(checks(shipped_case("ball_on_turntable", shipped_scenes()["ball_on_turntable"])))
    assert len(found) == 3 and all(check.has_passed and check.order is None for check in found)
