"""Makes the pictures of the README and the documents from the shipped scenes: `python docs/make_figures.py`.

Needs matplotlib (extra `docs`).
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np

import rigidsim

matplotlib.use("Agg")
from matplotlib import pyplot as plt

HERE = Path(__file__).parent
SCENES = HERE.parent / "scenes"
LET_GO, LEFT_BEHIND, TABLE = "#c2410c", "#1d4ed8", "#e7e5e4"


def turntable(axes, trajectory: rigidsim.Trajectory, frame: str) -> None:
    """Both balls in one frame, with the table's rim."""
    turn = np.linspace(0, 2 * np.pi, 200)
    axes.fill(1.2 * np.cos(turn), 1.2 * np.sin(turn), color=TABLE, zorder=0)
    for name, color in (("let_go", LET_GO), ("left_behind", LEFT_BEHIND)):
        path = getattr(trajectory[f"table/{name}"], frame).position[:301]
        axes.plot(path[:, 0], path[:, 1], color=color, lw=2)
        axes.plot(*path[0, :2], "o", color=color, ms=5)
        axes.plot(*path[-1, :2], "o", color=color, ms=8, mec="white")
    axes.set(aspect="equal", xlim=(-2.9, 2.9), ylim=(-3.5, 3.5), xlabel="x, m")


def main() -> None:
    """Write figures/overview.png."""
    table = rigidsim.simulate(rigidsim.Scene.from_file(SCENES / "ball_on_turntable.yaml"))
    nut = rigidsim.simulate(rigidsim.Scene.from_file(SCENES / "flipping_axis.yaml"))
    figure, (world, local, flip) = plt.subplots(1, 3, figsize=(11, 3.8), width_ratios=(1, 1, 1.25))
    turntable(world, table, "world")
    turntable(local, table, "local")
    world.set(title="two free balls, seen from the world", ylabel="y, m")
    local.set(title="the same, seen from the turntable")
    rate = np.einsum("tij,ti->tj", rotation_matrices(nut["nut"].world.orientation), nut["nut"].world.angular_velocity)
    for axis, color in zip((1, 0, 2), ("#111827", "#c2410c", "#1d4ed8"), strict=True):
        flip.plot(nut.time, rate[:, axis], color=color, lw=1.6, label=f"$\\omega_{'xyz'[axis]}$")
    flip.set(title="the flipping intermediate axis, no torque", ylim=(-17, 22))
    flip.set(xlabel="t, s", ylabel="body rates, rad/s")
    flip.legend(loc="upper right", frameon=False, ncols=3)
    for axes in (world, local, flip):
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(HERE / "figures" / "overview.png", dpi=110)


def rotation_matrices(wxyz: np.ndarray) -> np.ndarray:
    """(time, 3, 3) from (time, 4)."""
    from rigidsim.physics.quaternion import to_matrix

    return np.moveaxis(np.array(to_matrix(tuple(wxyz.T))), -1, 0)


if __name__ == "__main__":
    main()
