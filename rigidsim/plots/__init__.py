"""Figures of trajectories, drawn by matplotlib without a display. The only package that imports it."""

from rigidsim.errors import UsageError

try:
    import matplotlib  # noqa: F401
except ImportError:
    raise UsageError('plotting needs matplotlib; install it with: pip install "rigidsim[plot]"') from None
