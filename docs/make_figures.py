"""Makes the pictures of the README and the gallery from the shipped scenes: `python docs/make_figures.py`.

Needs matplotlib (extra `docs`).
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import matplotlib
import numpy as np

import rigidsim
from rigidsim.physics.quaternion import rotate, rotate_back

matplotlib.use("Agg")
from matplotlib import pyplot as plt

HERE = Path(__file__).parent
SCENES = HERE.parent / "scenes"
COLORS = ("#c2410c", "#1d4ed8", "#15803d", "#7c3aed")
TABLE, INK = "#e7e5e4", "#111827"


class Picture(NamedTuple):
    """Paths of some bodies in the world and from their parent: of the origin, or of the tip of a body axis."""

    bodies: tuple[str, ...]
    seen_from: str
    plane: tuple[int, int] = (0, 1)
    tip: tuple[float, float, float] | None = None
    equal: bool = True


GALLERY = {
    "shell_leaves_turret": Picture(("tank/turret/shell",), "the turret"),
    "vehicle_on_earth": Picture(("orbit/stars/earth/ground/vehicle",), "the ground", equal=False),
    "ball_on_turntable": Picture(("table/let_go", "table/left_behind"), "the table"),
    "box_in_falling_lift": Picture(("lift/box",), "the lift", (0, 2), equal=False),
    "satellite_despun_platform": Picture(("satellite/platform",), "the satellite", (0, 1), tip=(1.0, 0.0, 0.0)),
    "three_frames_deep": Picture(("ship/turntable/sled/box",), "the sled"),
    "gyroscope_constant_torque": Picture(("turning/wheel",), "the turning frame", (0, 1), tip=(0.0, 0.0, 1.0)),
    "billiard_on_a_train": Picture(("train/table/cue", "train/table/eight", "train/table/nine"), "the table"),
    "off_centre_thrust": Picture(("probe/nozzle",), "the probe"),
    "foucault_pendulum": Picture(("earth/hall/bob",), "the hall"),
    "ship_deck_in_seaway": Picture(("deck/container", "deck/crate"), "the deck", (1, 2), equal=False),
    "gravity_gradient_libration": Picture(("orbit/vertical/satellite",), "the vertical", tip=(1.0, 0.0, 0.0)),
    "payload_release": Picture(("arm", "arm/payload"), "its parent"),
    "kepler_from_rotating_planet": Picture(("earth/satellite",), "the turning Earth"),
}


def history(name: str) -> rigidsim.Trajectory:
    """A shipped scene's."""
    return rigidsim.simulate(rigidsim.Scene.from_file(SCENES / f"{name}.yaml"))


def path_of(motion, picture: Picture) -> np.ndarray:
    """(time, 2)."""
    points = motion.position
    if picture.tip:
        points = np.stack(np.broadcast_arrays(*rotate(tuple(motion.orientation.T), picture.tip)), axis=-1)
    return points[:, picture.plane]


def draw_paths(axes, trajectory: rigidsim.Trajectory, picture: Picture, frame: str) -> None:
    """All bodies of a picture in one frame, begin and end marked."""
    for body, color in zip(picture.bodies, COLORS, strict=False):
        path = path_of(getattr(trajectory[body], frame), picture)
        axes.plot(*path.T, color=color, lw=2)
        axes.plot(*path[0], "o", color=color, ms=5)
        axes.plot(*path[-1], "o", color=color, ms=8, mec="white", label=body.rsplit("/", 1)[-1])
    unit = "" if picture.tip else ", m"
    axes.set(xlabel="xyz"[picture.plane[0]] + unit, ylabel="xyz"[picture.plane[1]] + unit)
    if picture.tip:
        axes.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2))
    if picture.equal:
        axes.set_aspect("equal", adjustable="box" if picture.tip else "datalim")


def draw_rates(axes, trajectory: rigidsim.Trajectory, body: str) -> None:
    """Body rates over time."""
    motion = trajectory[body].world
    rates = rotate_back(tuple(motion.orientation.T), tuple(motion.angular_velocity.T))
    for axis, color in zip((1, 0, 2), (INK, *COLORS), strict=False):
        axes.plot(trajectory.time, rates[axis], color=color, lw=1.6, label=f"$\\omega_{'xyz'[axis]}$")
    axes.set(title="the flipping intermediate axis, no torque", xlabel="t, s", ylabel="body rates, rad/s")
    axes.set_ylim(top=22)
    axes.legend(loc="upper right", frameon=False, ncols=3)


def save(figure, name: str) -> None:
    """Write figures/NAME.png."""
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(HERE / "figures" / f"{name}.png", dpi=100)
    plt.close(figure)


def overview(table: rigidsim.Trajectory, nut: rigidsim.Trajectory) -> None:
    """The README's picture."""
    figure, (world, local, flip) = plt.subplots(1, 3, figsize=(11, 3.8), width_ratios=(1, 1, 1.25))
    turn = np.linspace(0, 2 * np.pi, 200)
    for axes, frame in ((world, "world"), (local, "local")):
        axes.fill(1.2 * np.cos(turn), 1.2 * np.sin(turn), color=TABLE, zorder=0)
        draw_paths(axes, table, GALLERY["ball_on_turntable"], frame)
        axes.set_aspect("equal", adjustable="box")
        axes.set(xlim=(-5.2, 2.5), ylim=(-3.6, 6.4))
    world.set_title("two free balls, seen from the world")
    local.set_title("the same, seen from the turntable")
    draw_rates(flip, nut, "nut")
    save(figure, "overview")


def main() -> None:
    """Write all pictures."""
    nut = history("flipping_axis")
    overview(history("ball_on_turntable"), nut)
    figure, axes = plt.subplots(figsize=(7.5, 3))
    draw_rates(axes, nut, "nut")
    save(figure, "flipping_axis")
    for name, picture in GALLERY.items():
        trajectory = history(name)
        figure, (world, local) = plt.subplots(1, 2, figsize=(7.5, 3.2))
        draw_paths(world, trajectory, picture, "world")
        draw_paths(local, trajectory, picture, "local")
        world.set_title("in the world")
        local.set_title(f"seen from {picture.seen_from}")
        if len(picture.bodies) > 1:
            local.legend(frameon=False, fontsize="small")
        save(figure, name)


if __name__ == "__main__":
    main()
