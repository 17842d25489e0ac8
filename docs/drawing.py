"""What the pictures of the gallery have in common: colours, axes, paths, where they are saved."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np

import rigidsim
from rigidsim.physics.quaternion import rotate, rotate_back

matplotlib.use("Agg")
from matplotlib import pyplot as plt

HERE = Path(__file__).parent
SCENES = HERE.parent / "scenes"
RED, BLUE, GREEN, VIOLET = COLORS = ("#c2410c", "#1d4ed8", "#15803d", "#7c3aed")
SHADE, FAINT, GREY, INK = "#e7e5e4", "#a8a29e", "#57534e", "#111827"
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def history(name: str, *changes: str, **recorded: bool) -> rigidsim.Trajectory:
    """A shipped scene's, with changes as of `--set`; `terms` and `contacts` may be recorded."""
    return rigidsim.simulate(rigidsim.Scene.from_file(SCENES / f"{name}.yaml", changes), **recorded)


def turned(motion, axis) -> np.ndarray:
    """A body axis in the frame of the motion, (time, 3)."""
    return np.stack(np.broadcast_arrays(*rotate(tuple(motion.orientation.T), axis)), axis=-1)


def body_rates(motion) -> np.ndarray:
    """Angular velocity in the body's own axes, (time, 3), rad/s."""
    return np.stack(rotate_back(tuple(motion.orientation.T), tuple(motion.angular_velocity.T)), axis=-1)


def panels(count: int, width: float = 7.5, height: float = 3.2, rows: int = 1, **options):
    """A figure and its axes, `count` in a row."""
    return plt.subplots(rows, count, figsize=(width, height), **options)


def draw_path(axes, points, color: str, label: str | None = None) -> None:
    """A path (time, 2), begin and end marked."""
    axes.plot(*points.T, color=color, lw=1.8)
    axes.plot(*points[0], "o", color=color, ms=4)
    axes.plot(*points[-1], "o", color=color, ms=8, mec="white", label=label)


def draw_closed_form(axes, x, y, label: str | None = "closed form", color: str = INK) -> None:
    """Open circles."""
    axes.plot(x, y, "o", mfc="none", mec=color, ms=5, mew=1.2, label=label, zorder=3)


def thrown(motion, t) -> np.ndarray:
    """Where a stone is at these times that begins as this motion does, (time, 3)."""
    t = np.asarray(t)[:, None]
    return motion.position[0] + motion.velocity[0] * t + np.array([0, 0, -9.81]) * t**2 / 2


def legend(axes, **options) -> None:
    """Without a frame, in small type."""
    axes.legend(frameon=False, fontsize="small", **options)


def save(figure, name: str) -> None:
    """Write figures/NAME.png."""
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout(w_pad=2)
    figure.savefig(HERE / "figures" / f"{name}.png", dpi=100)
    plt.close(figure)
