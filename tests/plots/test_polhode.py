"""The polhode: a curve of constant energy on the sphere, drawn in the principal axes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from drawn_scenes import made
from rigidsim.analysis.quantities import named
from rigidsim.errors import UsageError
from rigidsim.plots.history import PlottedHistory, Request
from rigidsim.plots.polhode import PolhodePanel, _ordered, energy_curves, separatrices, view_of

MOMENTS = st.tuples(*[st.floats(0.5, 1.4)] * 3)


def panel_of(trajectory, body: str) -> PolhodePanel:
    return PolhodePanel(Request("polhode", PlottedHistory(trajectory, 0, "", slice(None)), body))


def test_the_path_is_on_the_sphere_at_constant_energy(tumbling):
    """2 T/L^2 = sum u_k^2/I_k; the integrator keeps both to 1e-8 here."""
    panel = panel_of(tumbling, "top")
    momentum = named(tumbling, "angular_momentum.norm").of()
    np.testing.assert_allclose(np.linalg.norm(panel.path, axis=1), 1.0, rtol=1e-12)
    assert panel.size == pytest.approx((momentum.min(), momentum.max()), rel=1e-9)
    spinning = named(tumbling, "top.kinetic_energy").of() - 0.5 * 2 * (1 + 0.04)
    np.testing.assert_allclose(panel.path**2 @ (1 / panel.moments), 2 * spinning / momentum**2, rtol=1e-8)
    assert panel.moments.tolist() == pytest.approx([1, 2, 3], rel=1e-12)
    np.testing.assert_allclose(panel.axes, np.eye(3), atol=1e-12)


def test_a_body_with_products_of_inertia_has_axes_of_its_own(tumbling):
    """The same body described in turned axes: the same curve in the principal axes, but for their signs and order."""
    turn = Rotation.from_euler("xyz", [0.3, -0.2, 0.4])
    inertia = turn.as_matrix() @ np.diag([1.0, 2, 3]) @ turn.as_matrix().T
    omega = turn.apply([0.05, 2, 0.1])
    tensor = ((inertia + inertia.T) / 2).tolist()
    body = {"mass": 2, "inertia": {"tensor": tensor}, "angular_velocity": omega.tolist()}
    scene = {"format": "rigidsim/1", "simulation": {"duration": 10, "step": 0.01}, "bodies": {"top": body}}
    panel = panel_of(made(scene), "top")
    assert sorted(panel.moments) == pytest.approx([1, 2, 3], rel=1e-9)
    plain, order = panel_of(tumbling, "top").path, np.argsort(panel.moments)
    np.testing.assert_allclose(np.abs(panel.path[:, order]), np.abs(plain), rtol=0, atol=1e-7)
    (axes,) = made(scene).plot("top.polhode").get_axes()
    assert [text.get_text().strip("−")[0] for text in axes.texts] == ["1", "2", "3"]


@given(MOMENTS, st.integers(0, 2**32 - 1))
def test_axes_in_order_diagonalise_the_inertia(moments, seed):
    axes = Rotation.random(random_state=seed).as_matrix()
    inertia = axes @ np.diag(moments) @ axes.T
    ordered, own = _ordered(np.array(moments), axes)
    np.testing.assert_allclose(ordered.T @ inertia @ ordered, np.diag(own), rtol=0, atol=1e-12)
    assert np.linalg.det(ordered) == pytest.approx(1.0, abs=1e-12)


@given(MOMENTS)
def test_curves_are_where_an_ellipsoid_cuts_the_sphere(moments):
    inverse = 1 / np.array(moments)
    for curve in energy_curves(np.array(moments)):
        np.testing.assert_allclose(np.sum(curve * curve, axis=1), 1.0, rtol=0, atol=1e-12)
        level = curve**2 @ inverse
        np.testing.assert_allclose(level, level[0], rtol=1e-12)
        assert inverse.min() < level[0] < inverse.max()
    for curve in separatrices(np.array(moments)):
        np.testing.assert_allclose(np.sum(curve * curve, axis=1), 1.0, rtol=0, atol=1e-12)
        np.testing.assert_allclose(curve**2 @ inverse, np.sort(inverse)[1], rtol=1e-12)


def test_of_symmetric_bodies_there_are_circles_and_no_separatrix():
    circles = list(energy_curves(np.array([2.0, 2.0, 3.0])))
    assert len(circles) == 8 and not list(separatrices(np.array([2.0, 2.0, 3.0])))
    assert all(np.ptp(circle[:, 2]) < 1e-12 for circle in circles)
    assert not list(energy_curves(np.ones(3)))


def test_the_view_is_a_rotation_towards_the_path(tumbling):
    path = panel_of(tumbling, "top").path
    for given_path in (path, -path, np.full((3, 3), np.nan)):
        view = view_of(given_path)
        np.testing.assert_allclose(view.T @ view, np.eye(3), atol=1e-15)
        assert np.linalg.det(view) == pytest.approx(1.0)
    assert (path @ view_of(path))[0, 2] > 0


def test_it_is_drawn_and_says_how_large_the_momentum_is(tumbling):
    (axes,) = tumbling.plot("top.polhode").get_axes()
    assert axes.get_title() == "polhode of top, |L| = 4.012 N m s"
    labels = [text.get_text().strip("−") for text in axes.texts]
    assert labels == ["x\n1 kg m²", "y\n2 kg m²", "z\n3 kg m²"]
    body = {"mass": 1, "inertia": {"principal": [1, 2, 3]}, "angular_velocity": [1, 0, 0],
            "forces": [{"torque": [1, 0, 0], "frame": "body"}]}  # fmt: skip
    scene = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.1}, "bodies": {"driven": body}}
    (axes,) = made(scene).plot("driven.polhode").get_axes()
    assert axes.get_title() == "polhode of driven, direction of L; |L| = 1 to 2 N m s"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"mass": 1, "inertia": "point"}, "a particle has no angular momentum of its own"),
        ({"mass": 1, "inertia": {"principal": [1, 2, 3]}}, "its angular momentum is zero"),
        ({"motion": "fixed"}, "is fixed: only free and jointed bodies have energy and momentum"),
    ],
)
def test_what_has_no_polhode(body, message):
    scene = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.1}, "bodies": {"a": body}}
    with pytest.raises(UsageError, match=message):
        made(scene).plot("a.polhode")
