"""The special functions of oracles against mpmath."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from rigidsim.analysis import special

EPS = np.finfo(float).eps


@pytest.mark.parametrize("m", [0.0, 1e-9, 0.3, 0.999974605754, 1.0, 1.7, 5.0])
@pytest.mark.parametrize("name", ["sn", "cn", "dn"])
def test_jacobis_functions(name, m):
    """Their error is that of the argument, eps |sqrt(m) u|, grown at most by the rates of change of the function in the
    landen transformations of scipy: measured 4 times that.
    """
    u = np.linspace(-65, 65, 14)
    with mpmath.workdps(30):
        expected = [float(mpmath.re(mpmath.ellipfun(name, mpmath.mpf(x), m=mpmath.mpf(m)))) for x in u.tolist()]
    error = np.abs(getattr(special, name)(u, m) - expected)
    assert error.max() <= 16 * EPS * 65 * max(1.0, m)


@pytest.mark.parametrize("m", [0.0, 0.3, 0.99997, 1.0, 1.7, 5.0])
def test_the_elliptic_integral_is_the_inverse_of_sn(m):
    angle = np.linspace(-0.9, 0.9, 7) * np.arcsin(1 / max(1.0, np.sqrt(m)))
    with mpmath.workdps(30):
        expected = [float(mpmath.re(mpmath.ellipf(mpmath.mpf(x), mpmath.mpf(m)))) for x in angle.tolist()]
    assert np.allclose(special.elliptic_f(angle, m), expected, rtol=8 * EPS, atol=8 * EPS)
    assert np.allclose(special.sn(special.elliptic_f(angle, m), m), np.sin(angle), rtol=0, atol=32 * EPS)


def test_fresnels_integrals():
    a = np.linspace(-4, 4, 9)
    assert np.allclose(special.fresnel_s(a), [float(mpmath.fresnels(x)) for x in a.tolist()], rtol=0, atol=8 * EPS)
    assert np.allclose(special.fresnel_c(a), [float(mpmath.fresnelc(x)) for x in a.tolist()], rtol=0, atol=8 * EPS)


@pytest.mark.parametrize("e", [0.0, 0.1, 0.6, 0.95, 0.999])
def test_keplers_equation_is_solved(e):
    """Rounding M gives an error of E that is eps |M| dE/dM, at most eps |M|/(1 - e)."""
    anomaly = np.linspace(-30, 30, 1001)
    found = special.eccentric_anomaly(anomaly - e * np.sin(anomaly), e)
    assert np.abs(found - anomaly).max() <= 4 * EPS * 31 / (1 - e)


def test_numbers_give_numbers_and_nan_outside_the_domain():
    with np.errstate(all="ignore"):
        assert all(isinstance(f(0.5, 0.25), float) for f in (special.sn, special.elliptic_f, special.eccentric_anomaly))
        assert np.isnan(special.sn(1.0, -1.0)) and np.isnan(special.eccentric_anomaly(1.0, 1.5))
        assert np.isnan(special.elliptic_f(1.5, 4.0))
