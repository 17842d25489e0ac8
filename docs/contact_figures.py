"""The pictures of the scenes in which bodies touch; see `make_figures`."""

from __future__ import annotations

import numpy as np
from drawing import (
    BLUE,
    COLORS,
    FAINT,
    GREEN,
    GREY,
    INK,
    RED,
    SHADE,
    VIOLET,
    X,
    Y,
    Z,
    draw_closed_form,
    draw_path,
    history,
    legend,
    panels,
    turned,
)
from matplotlib import patches
from scipy.spatial import ConvexHull

G = 9.81


def draw_box(axes, motion, k: int, size, across=(0, 2), **options) -> None:
    """The outline of a box at sample k, seen along a world axis."""
    corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * np.array(size) / 2
    frame = np.stack([turned(motion, axis)[k] for axis in (X, Y, Z)])
    seen = (motion.position[k] + corners @ frame)[:, across]
    axes.fill(*seen[ConvexHull(seen).vertices].T, **{"fc": "white", "ec": RED, "lw": 1, "zorder": 2} | options)


def draw_disc(axes, place, radius: float, **options) -> None:
    """A ball."""
    axes.add_patch(patches.Circle(place, radius, **{"fc": "white", "ec": RED, "lw": 1, "zorder": 2} | options))


def at_times(trajectory, times) -> list[int]:
    """The samples at these times."""
    return [int(np.argmin(np.abs(trajectory.time - time))) for time in times]


def box_on_incline():
    """Where both boxes are along the slope."""
    trajectory = history("box_on_incline")
    figure, axes = panels(1, 5.5, 3.2)
    t = np.arange(0.25, 2, 0.25)
    slides = G * (np.sin(np.radians(20)) - 0.2 * np.cos(np.radians(20)))
    for name, color in (("waxed", RED), ("rubber", BLUE)):
        axes.plot(trajectory.time, trajectory[f"incline/{name}"].local.position[:, 0], color=color, lw=1.8, label=name)
    draw_closed_form(axes, t, slides * t**2 / 2, "$g(\\sin\\theta-\\mu\\cos\\theta)\\,t^2/2$")
    axes.set(xlabel="t, s", ylabel="down the slope, m")
    legend(axes)
    return figure


def sphere_slides_then_rolls():
    """Speed of the centre and of the surface about it."""
    trajectory = history("sphere_slides_then_rolls")
    motion = trajectory["ball"].world
    figure, axes = panels(1, 5.5, 3.2)
    axes.plot(trajectory.time, motion.velocity[:, 0], color=RED, lw=1.8, label="centre")
    axes.plot(trajectory.time, 0.1 * motion.angular_velocity[:, 1], color=BLUE, lw=1.8, label="spin times radius")
    t, rolls = np.arange(0.05, 0.29, 0.05), 2 / (0.7 * G)
    draw_closed_form(axes, t, 1 - 0.1 * G * t)
    draw_closed_form(axes, t, 2.5 * 0.1 * G * t, None)
    draw_closed_form(axes, rolls, 5 / 7, None)
    axes.set(xlabel="t, s", ylabel="m/s", ylim=(0, 1.05))
    legend(axes)
    return figure


def box_and_ball_on_turntable():
    """Both from above, in the world and on the table."""
    trajectory = history("box_and_ball_on_turntable")
    figure, (world, table) = panels(2, height=4)
    circle = np.linspace(0, 2 * np.pi, 200)
    for axes, frame in ((world, "world"), (table, "table")):
        axes.fill(1.3 * np.cos(circle), 1.3 * np.sin(circle), color=SHADE, zorder=0)
        for path, color in (("table/box", BLUE), ("ball", RED)):
            draw_path(axes, trajectory[path].seen_from(frame).position[:, :2], color, path.rsplit("/", 1)[-1])
        axes.set_aspect("equal")
        axes.set(xlim=(-1.4, 1.4), ylim=(-1.4, 2.2), xlabel="x, m", ylabel="y, m")
    t = np.arange(1, 22, 2)
    draw_closed_form(world, 0.15 + 0.35 * np.cos(2 * t / 7), 0.35 * np.sin(2 * t / 7), "closed form of the ball")
    world.set_title("in the world")
    table.set_title("seen from the table")
    legend(world, loc="upper center")
    return figure


def billiard_break():
    """Paths of all balls from above, and where they come to lie."""
    trajectory = history("billiard_break")
    figure, axes = panels(1, 8, 4.2)
    axes.add_patch(patches.Rectangle((-1.27, -0.635), 2.54, 1.27, fc=SHADE, ec=GREY, zorder=0))
    for number in range(15):
        path = trajectory[f"balls/ball_{number}"].world.position[:, :2]
        axes.plot(*path.T, color=FAINT, lw=0.8)
        draw_disc(axes, path[-1], 0.028575, ec=COLORS[number % 4])
        draw_disc(axes, path[0], 0.028575, ec=FAINT, zorder=1)
    cue = trajectory["balls/cue"].world.position[:, :2]
    axes.plot(*cue.T, color=INK, lw=1.2)
    draw_disc(axes, cue[-1], 0.028575, fc=INK, ec=INK)
    axes.set_aspect("equal")
    axes.set(xlim=(-1.3, 1.3), ylim=(-0.67, 0.67), xlabel="x, m", ylabel="y, m")
    return figure


def stack_of_boxes():
    """How far each box is in the one below, and what presses on it."""
    trajectory = history("stack_of_boxes", contacts=True)
    figure, (depth, load) = panels(2)
    heights = np.array([0.5, *(trajectory[f"box_{k}"].world.position[-1, 2] for k in range(10))])
    level = np.arange(10)
    overlap = np.array([0.5 - heights[1], *(1 - np.diff(heights[1:]))])
    depth.barh(level, 1e3 * overlap, color=BLUE)
    depth.set(title="in the one below, after 10 s", xlabel="depth, mm", ylabel="box", yticks=level)
    below = ["floor", *(f"box_{k}" for k in range(9))]
    forces = [trajectory.contacts[-1].on(f"box_{k}")[below[k]][2] for k in level]
    load.barh(level, forces, color=RED)
    draw_closed_form(load, G * (10 - level), level, "weight above")
    load.set(title="force from below", xlabel="N", yticks=level)
    legend(load)
    return figure


def dominoes():
    """Four moments from the side."""
    trajectory = history("dominoes")
    names = ["first", *(f"domino_{k}" for k in range(19))]
    figure, rows = panels(1, 7.5, 4.2, rows=4, sharex=True)
    for axes, k in zip(rows, at_times(trajectory, (0, 0.3, 0.5, 1.2)), strict=True):
        for name in names:
            draw_box(axes, trajectory[name].world, k, (0.0075, 0.024, 0.048))
        axes.axhline(0, color=INK, lw=1)
        axes.set_aspect("equal")
        axes.set(xlim=(-0.02, 0.53), ylim=(-0.002, 0.055), yticks=[])
        axes.set_ylabel(f"{trajectory.time[k]:.1f} s", rotation=0, labelpad=18)
    rows[-1].set_xlabel("m")
    return figure


def crash_test():
    """Speeds in the world."""
    trajectory = history("crash_test")
    figure, axes = panels(1, 7.5, 3.4)
    for name, color in (("", INK), ("/balloon", VIOLET), ("/driver", RED), ("/passenger", BLUE), ("/parcel", GREEN)):
        speed = trajectory[f"car{name}"].world.velocity[:, 0]
        axes.plot(1e3 * trajectory.time, speed, color=color, lw=1.6, label=name[1:] or "car")
    crash = 3 * 3.6 / 50
    for when, what in ((crash, "wall"), (crash + 0.505 * 3.6 / 55, "windscreen meets balloon")):
        axes.axvline(1e3 * when, color=FAINT, lw=1, ls="--", zorder=0)
        axes.annotate(what, (1e3 * when, 15.5), (3, 0), textcoords="offset points", fontsize="small")
    axes.set(xlabel="t, ms", ylabel="speed in the world, m/s", xlim=(180, 360), ylim=(-6, 17))
    legend(axes, loc="center right", ncols=2)
    return figure


def ball_in_tumbling_box():
    """Where the ball goes in the box, and who has the energy."""
    trajectory = history("ball_in_tumbling_box")
    figure, (inside, energy) = panels(2, width_ratios=(1, 1.4))
    first = trajectory.time <= 5
    inside.plot(*trajectory["box/ball"].local.position[first, :2].T, color=RED, lw=1)
    inside.add_patch(patches.Rectangle((-0.5, -0.4), 1, 0.8, fc="none", ec=INK))
    inside.set_aspect("equal")
    inside.set(title="the ball in the box, 5 s", xlabel="x, m", ylabel="y, m", xlim=(-0.55, 0.55), ylim=(-0.45, 0.45))
    ball = 0.25 * (trajectory["box/ball"].world.velocity ** 2).sum(axis=1)
    ball += 0.5 * 0.4 * 0.5 * 0.01 * (trajectory["box/ball"].world.angular_velocity ** 2).sum(axis=1)
    kinetic = trajectory.diagnostic("kinetic_energy")
    for values, color, label in ((kinetic, INK, "both"), (ball, RED, "ball"), (kinetic - ball, BLUE, "box")):
        energy.plot(trajectory.time, values, color=color, lw=1.4, label=label)
    energy.set(title="kinetic energy", xlabel="t, s", ylabel="J", ylim=(0, None))
    legend(energy, ncols=3)
    return figure


def marbles_in_drum():
    """Two rates, seen along the axis."""
    figure, pair = panels(2, 7, 3.6)
    for axes, rate in zip(pair, (2, 12), strict=True):
        trajectory = history("marbles_in_drum", f"rate={rate}", "simulation.duration=6")
        corners = np.arange(13) * np.pi / 6 + np.pi / 12 - rate * trajectory.time[-1]
        wall = 0.3 / np.cos(np.pi / 12)
        axes.fill(wall * np.cos(corners), wall * np.sin(corners), fc=SHADE, ec=INK)
        for path in trajectory:
            if path.startswith("marble"):
                place = trajectory[path].world.position[-1]
                draw_disc(axes, place[[0, 2]], 0.03, ec=COLORS[int(path.rsplit("_")[-1]) % 4], alpha=0.8)
        axes.set_aspect("equal")
        axes.set(title=f"{rate} rad/s, after 6 s", xlabel="x, m", xlim=(-0.33, 0.33), ylim=(-0.33, 0.33))
    pair[0].set_ylabel("z, m")
    return figure


def crates_on_ship_deck():
    """Where the crates are on the deck, and how it rolls."""
    trajectory = history("crates_on_ship_deck")
    figure, (way, roll) = panels(1, 7.5, 4.2, rows=2, sharex=True, height_ratios=(2, 1))
    for name, color in (("iced", RED), ("wooden", BLUE), ("upper", GREEN)):
        place = trajectory[f"deck/{name}"].local.position
        way.plot(trajectory.time, place[:, 1], color=color, lw=1.6, label=name)
    way.axhspan(7.5, 8.2, color=SHADE)
    way.axhspan(-8.2, -7.5, color=SHADE)
    way.set(ylabel="across the deck, m", ylim=(-8.2, 8.2))
    legend(way, loc="lower right", ncols=3)
    roll.plot(trajectory.time, 15 * np.sin(0.7 * trajectory.time), color=INK, lw=1.4)
    roll.set(xlabel="t, s", ylabel="roll, degrees")
    return figure


def spheres_in_a_box():
    """Three moments from the side, and the largest speed."""
    trajectory = history("spheres_in_a_box")
    figure, axes = panels(4, 11, 3.4, width_ratios=(1, 1, 1, 1.4))
    at = trajectory.arrays["world/position"][:, 1:]
    for side, k in zip(axes, at_times(trajectory, (0, 0.5, 10)), strict=False):
        for number in np.argsort(-at[k, :, 1]):
            shade = COLORS[number % 4]
            draw_disc(side, at[k, number][[0, 2]], 0.1, ec="white", fc=shade, lw=0.3)
        side.set_aspect("equal")
        side.set(title=f"{trajectory.time[k]:.1f} s", xlabel="x, m", xlim=(-1, 1), ylim=(0, 2.4))
    fastest = np.linalg.norm(trajectory.arrays["world/velocity"], axis=2).max(axis=1)
    axes[3].semilogy(trajectory.time, fastest, color=RED, lw=1.6)
    axes[3].set(title="the fastest sphere", xlabel="t, s", ylabel="m/s")
    axes[0].set_ylabel("z, m")
    return figure


FIGURES = (
    box_on_incline,
    sphere_slides_then_rolls,
    box_and_ball_on_turntable,
    billiard_break,
    stack_of_boxes,
    dominoes,
    crash_test,
    ball_in_tumbling_box,
    marbles_in_drum,
    crates_on_ship_deck,
    spheres_in_a_box,
)
