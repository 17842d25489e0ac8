"""Makes the pictures of the README and the gallery from the shipped scenes: `python docs/make_figures.py [NAME ...]`.

Needs matplotlib and scipy (extras `docs` and `test`). Lines are what rigidsim computes; open circles are closed forms
and published numbers. Of a path, the small dot is the beginning and the large one the end.
"""

from __future__ import annotations

import sys

import contact_figures
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
    body_rates,
    draw_closed_form,
    draw_path,
    history,
    legend,
    panels,
    save,
    thrown,
    turned,
)
from scipy.special import ellipj, ellipk, fresnel

import rigidsim

FT = 0.3048


def draw_balls(axes, table: rigidsim.Trajectory, frame: str) -> None:
    """The two balls of the turntable in one frame, and the table."""
    turn = np.linspace(0, 2 * np.pi, 200)
    axes.fill(1.2 * np.cos(turn), 1.2 * np.sin(turn), color=SHADE, zorder=0)
    for ball, color in (("let_go", RED), ("left_behind", BLUE)):
        draw_path(axes, getattr(table[f"table/{ball}"], frame).position[:, :2], color, ball)
    axes.set_aspect("equal")
    axes.set(xlim=(-5.2, 2.5), ylim=(-3.6, 6.6), xlabel="x, m", ylabel="y, m")


def draw_flips(axes, nut: rigidsim.Trajectory) -> None:
    """Body rates of the nut over time."""
    rates = body_rates(nut["nut"].world)
    for axis, color in zip((1, 0, 2), (INK, RED, BLUE), strict=True):
        axes.plot(nut.time, rates[:, axis], color=color, lw=1.6, label=f"$\\omega_{'xyz'[axis]}$")
    axes.set(title="the flipping intermediate axis, no torque", xlabel="t, s", ylabel="body rates, rad/s")
    axes.set_ylim(top=22)
    axes.legend(loc="upper right", frameon=False, ncols=3)


def overview():
    """The README's picture."""
    table = history("ball_on_turntable")
    figure, (world, local, flip) = panels(3, 11, 3.8, width_ratios=(1, 1, 1.4))
    draw_balls(world, table, "world")
    draw_balls(local, table, "local")
    world.set_title("two free balls in the world")
    local.set_title("seen from the turntable")
    draw_flips(flip, history("flipping_axis"))
    return figure


def flipping_axis():
    """Rates about the body's axes."""
    figure, axes = panels(1, 7.5, 3)
    draw_flips(axes, history("flipping_axis"))
    return figure


def shell_leaves_turret():
    """Height over distance in the world, and the path over the turret's plane."""
    shell = history("shell_leaves_turret")["tank/turret/shell"]
    figure, (world, local) = panels(2)
    draw_path(world, shell.world.position[:, 1:], RED)
    draw_closed_form(world, *thrown(shell.world, np.arange(0.25, 2, 0.25))[:, 1:].T, "parabola")
    legend(world, loc="lower left")
    world.set(title="in the world", xlabel="y, m", ylabel="z, m")
    draw_path(local, shell.local.position[:, :2], RED)
    local.set(title="seen from the turret", xlabel="x (ahead), m", ylabel="y (to the left), m")
    local.set_aspect("equal", adjustable="datalim")
    return figure


def ball_on_turntable():
    """Both balls in the world and on the table."""
    table = history("ball_on_turntable")
    figure, (world, local) = panels(2, height=4)
    draw_balls(world, table, "world")
    draw_balls(local, table, "local")
    world.set_title("in the world")
    local.set_title("seen from the table")
    legend(world, loc="lower left")
    return figure


def vehicle_on_earth():
    """How far it has come in the world, and its path over the ground."""
    trajectory = history("vehicle_on_earth")
    vehicle = trajectory["orbit/stars/earth/ground/vehicle"]
    figure, (world, local) = panels(2)
    way = np.linalg.norm(vehicle.world.position - vehicle.world.position[0], axis=1)
    world.plot(trajectory.time, way / 1e3, color=RED, lw=1.8)
    world.set(title="in the world", xlabel="t, s", ylabel="distance from the start, km", xticks=range(0, 21, 5))
    draw_path(local, vehicle.local.position[:, :2] * [100, 1], RED)
    t = np.arange(2, 20, 3)
    drift = 7.292115e-5 * np.sin(np.pi / 4) * 30 * t**2
    draw_closed_form(local, 100 * drift, 30 * t, "half the Coriolis term\ntimes $t^2$")
    local.set(title="seen from the ground", xlabel="to the east, cm", ylabel="to the north, m")
    legend(local, loc="lower right")
    return figure


def box_in_falling_lift():
    """Heights in the world; the box's path in the lift, and its x axis every half second."""
    trajectory = history("box_in_falling_lift")
    box = trajectory["lift/box"]
    figure, (world, local) = panels(2)
    for body, color in (("lift", FAINT), ("lift/box", RED)):
        height = trajectory[body].world.position[:, 2]
        world.plot(trajectory.time, height, color=color, lw=1.8, label=body.rsplit("/", 1)[-1])
    world.set(title="in the world", xlabel="t, s", ylabel="z, m", ylim=(0, 70))
    legend(world)
    place, axis = 100 * box.local.position[::50, (0, 2)], 3 * turned(box.local, X)[::50, (0, 2)]
    local.quiver(*place.T, *axis.T, color=GREY, angles="xy", scale_units="xy", scale=1, width=0.008)
    local.plot(*place.T, "o", color=GREY, ms=4)
    draw_path(local, 100 * box.local.position[:, (0, 2)], RED)
    local.set(title="seen from the lift", xlabel="x, cm", ylabel="z, cm", xlim=(38, 60), ylim=(144, 154))
    local.set(xticks=range(40, 61, 5), yticks=range(145, 156, 5))
    local.set_aspect("equal")
    return figure


def satellite_despun_platform():
    """Where the spin axis points, and the platform's rates in its own axes."""
    trajectory = history("satellite_despun_platform")
    platform = trajectory["satellite/platform"].world
    figure, (tilt, rates) = panels(2, width_ratios=(1, 1.3))
    axis, momentum = np.degrees(turned(platform, Z)), trajectory.angular_momentum[0]
    draw_path(tilt, axis[:251, :2], RED, "the satellite's axis, 0.5 s")
    tilt.plot(*np.degrees(momentum[:2] / momentum[2]), "+", color=INK, ms=9, label="the angular momentum")
    tilt.set(title="in the world", xlabel="tilt towards x, degrees", ylabel="tilt towards y, degrees")
    tilt.set(xlim=(-0.4, 1.6), ylim=(-0.8, 1.4))
    tilt.set_aspect("equal")
    legend(tilt, loc="upper center")
    first = trajectory.time <= 2
    rpm = body_rates(platform)[first] * 30 / np.pi
    for k, (color, label) in enumerate(((RED, "x"), (BLUE, "y"), (INK, "z (the satellite's axis)"))):
        rates.plot(trajectory.time[first], rpm[:, k], color=color, lw=1.6, label=label)
    period = 2 * np.pi * 80 / np.linalg.norm(momentum)
    draw_closed_form(rates, period * np.arange(4), np.ones(4), r"period $2\pi I_1/L$")
    rates.set(title="rates about the platform's axes", xlabel="t, s", ylabel="rate, rpm", ylim=(-1.2, 2.1))
    legend(rates, loc="upper right", ncols=2)
    return figure


def three_frames_deep():
    """The box, the ship and its centre of mass in the world; the box's coordinates on the sled, in its units."""
    trajectory = history("three_frames_deep")
    ship, box = trajectory["ship"].world, trajectory["ship/turntable/sled/box"]
    centre = (900 * np.array([0.2, -0.1, 0.05]) + 100 * np.array([0, 1.5, 0.3])) / 1000  # with the boss
    figure, (world, local) = panels(2)
    draw_path(world, box.world.position[:, :2], RED, "box")
    draw_path(world, ship.position[:, :2], FAINT, "ship's origin")
    draw_path(world, (ship.position + turned(ship, centre))[:, :2], BLUE, "ship's centre of mass")
    world.set(title="in the world", xlabel="x, m", ylabel="y, m", ylim=(-0.3, 4.2))
    legend(world, loc="upper left")
    for k, color in enumerate((RED, BLUE, GREEN)):
        local.plot(trajectory.time, box.local.position[:, k], color=color, lw=1.8, label="xyz"[k])
    local.set(title="the box, seen from the sled", xlabel="t, s", ylabel="place, sled's units of 0.5 m")
    legend(local)
    return figure


def gyroscope_constant_torque():
    """Azimuth of the wheel's axis, and what its angular acceleration in the turning frame is made of."""
    trajectory = history("gyroscope_constant_torque", terms=True)
    wheel = trajectory["turning/wheel"]
    figure, (azimuth, terms) = panels(2, width_ratios=(1, 1.2))
    for motion, color, label in (
        (wheel.world, RED, "in the world"),
        (wheel.local, BLUE, "seen from the turning frame"),
    ):
        axis = turned(motion, Z)
        angle = np.degrees(np.unwrap(np.arctan2(axis[:, 1], axis[:, 0])))
        azimuth.plot(trajectory.time, angle, color=color, lw=1.8, label=label)
    draw_closed_form(azimuth, 2 * np.pi / 0.981, 360, "one turn, 6.405 s")
    azimuth.set(xlabel="t, s", ylabel="azimuth of the axis, degrees", yticks=range(0, 541, 90), ylim=(-30, 700))
    legend(azimuth)
    names = ("angular_applied", "gyroscopic", "angular_transport", "angular_acceleration")
    values = [trajectory.arrays[f"terms/{name}"][100, trajectory.paths.index("turning/wheel"), 1] for name in names]
    labels = ("torque", "gyroscopic", "transport", "sum")
    bars = terms.bar(labels, values, color=(RED, BLUE, GREEN, INK))
    terms.bar_label(bars, [f"{value + 0:.1f}" for value in np.round(values, 1)], padding=2)
    terms.tick_params(axis="x", labelsize="small")
    terms.axhline(0, color=INK, lw=0.8)
    terms.set(title="about y of the turning frame", ylabel="angular acceleration, rad/s$^2$", ylim=(-130, 200))
    return figure


def billiard_on_a_train():
    """The balls over the ground and on the table."""
    trajectory = history("billiard_on_a_train")
    figure, (world, local) = panels(2)
    for ball, color in zip(("cue", "eight", "nine"), COLORS, strict=False):
        motion = trajectory[f"train/table/{ball}"]
        draw_path(world, motion.world.position[:, :2], color, ball)
        draw_path(local, motion.local.position[:, :2], color)
    world.set(title="in the world", xlabel="x, m", ylabel="y, m")
    local.set(title="seen from the table", xlabel="x, m", ylabel="y, m", xlim=(-1.15, 0.95))
    local.set_aspect("equal", adjustable="datalim")
    legend(world)
    return figure


def off_centre_thrust():
    """The probe's path and its axis every half second, its velocity, and its spin."""
    trajectory = history("off_centre_thrust")
    probe, burn, t = trajectory["probe"].world, trajectory.time <= 3, np.arange(0, 3.1, 0.5)
    thrust, spin_up = 20 / 50, 20 * 0.1 / 5
    figure, (path, velocity, spin) = panels(3, 10, 3.4, width_ratios=(1.4, 1, 1))
    place, nose = probe.position[::250], 0.35 * turned(probe, X)[::250]
    path.quiver(*place[:, :2].T, *nose[:, :2].T, color=GREY, angles="xy", scale_units="xy", scale=1, width=0.006)
    for part, color, label in ((burn, RED, "the engine burns"), (~burn, BLUE, "after 3 s")):
        path.plot(*probe.position[part, :2].T, color=color, lw=1.8, label=label)
        velocity.plot(*probe.velocity[part, :2].T, color=color, lw=1.8)
        spin.plot(trajectory.time[part], probe.angular_velocity[part, 2], color=color, lw=1.8)
    end = np.flatnonzero(burn)[-1]
    path.plot(*probe.position[end, :2], "o", color=INK, ms=6, zorder=3)
    path.annotate("3 s", probe.position[end, :2], (8, 4), textcoords="offset points")
    path.set(title="path, and the probe's x axis", xlabel="x, m", ylabel="y, m")
    path.set_aspect("equal", adjustable="datalim")
    legend(path)
    sine, cosine = fresnel(t * np.sqrt(spin_up / np.pi))
    scale = thrust * np.sqrt(np.pi / spin_up)
    draw_closed_form(velocity, scale * cosine, -scale * sine, "Fresnel integrals")
    velocity.plot(*probe.velocity[-1, :2], "o", color=BLUE, ms=8, mec="white")
    velocity.set(title="velocity", xlabel="$v_x$, m/s", ylabel="$v_y$, m/s")
    velocity.set_aspect("equal", adjustable="datalim")
    legend(velocity)
    draw_closed_form(spin, np.arange(7), -spin_up * np.minimum(np.arange(7), 3), "$-F l\\,t/I$ up to 3 s")
    spin.set(title="spin", xlabel="t, s", ylabel="rate about z, rad/s")
    legend(spin)
    return figure


def foucault_pendulum():
    """One swing out of each quarter of an hour, and the azimuth of the swing's long axis."""
    trajectory = history("foucault_pendulum")
    bob, t = trajectory["earth/hall/bob"].local, trajectory.time
    rate, w = 7.292115e-5 * np.sin(np.radians(48.8462)), np.sqrt(9.81 / 67)
    figure, (hall, azimuth) = panels(2, height=2.6, width_ratios=(1.8, 1))
    for k, color in enumerate((INK, RED, BLUE, GREEN, VIOLET)):
        end = k * 900 if k else 2 * np.pi / w
        swing = (t > end - 2 * np.pi / w) & (t <= end)
        hall.plot(*bob.position[swing, :2].T, color=color, lw=1.2, label=f"{15 * k} min")
    hall.set(xlabel="to the east, m", ylabel="to the north, m", xlim=(-3.3, 3.3), ylim=(-1, 1.6))
    hall.set_aspect("equal")
    legend(hall, loc="upper right", ncols=5, handlelength=0.8, columnspacing=0.9)
    r = bob.position[:, 0] + 1j * bob.position[:, 1]
    u = bob.velocity[:, 0] + 1j * bob.velocity[:, 1] + 1j * rate * r  # in axes that do not turn about the vertical
    angle = np.degrees(np.unwrap(np.angle(r * r + u * u / (w * w)))) / 2
    azimuth.plot(t / 60, angle, color=RED, lw=1.8)
    quarter = np.arange(0, 61, 15)
    draw_closed_form(azimuth, quarter, -15.0410669 * np.sin(np.radians(48.8462)) * quarter / 60)
    azimuth.set(xlabel="t, min", ylabel="azimuth from east, degrees", xticks=quarter)
    legend(azimuth)
    return figure


def ship_deck_in_seaway():
    """The crate's first second in the world and from the deck; how far the container moves on the deck."""
    trajectory = history("ship_deck_in_seaway")
    crate, first = trajectory["deck/crate"], trajectory.time <= 1
    figure, (world, deck, container) = panels(3, 10, 3.4, width_ratios=(1, 1, 1.7))
    for axes, motion, frame in ((world, crate.world, "in the world"), (deck, crate.local, "seen from the deck")):
        draw_path(axes, motion.position[first, 1:], BLUE)
        axes.set(title=f"crate, {frame}", xlabel="y (to port), m", ylabel="z (up), m", xlim=(-6, -3.5))
    draw_closed_form(world, *thrown(crate.world, np.arange(0.2, 1, 0.2))[:, 1:].T, "parabola")
    legend(world, loc="upper left")
    deck.axhline(0, color=FAINT, lw=1)
    deck.text(-3.5, 0.1, "deck", ha="right", color=GREY, fontsize="small")
    moved = 100 * (trajectory["deck/container"].local.position - trajectory["deck/container"].local.position[0])
    for k, (color, label) in enumerate(((RED, "forward"), (BLUE, "to port"), (GREEN, "up"))):
        container.plot(trajectory.time, moved[:, k], color=color, lw=1.2, label=label)
    container.set(title="container, seen from the deck", xlabel="t, s", ylabel="displacement, cm", ylim=(-8, 9))
    legend(container, loc="upper right", ncols=3)
    return figure


def gravity_gradient_libration():
    """Pitch over three revolutions with its closed form, and the small swing's cosine."""
    trajectory = history("gravity_gradient_libration")
    q, n = trajectory["orbit/vertical/satellite"].local.orientation, np.sqrt(3.986004418e14 / 7.0e6**3)
    w, tilt = n * np.sqrt(3 * (550 - 40) / 560), np.radians(40)
    turns = trajectory.time * n / (2 * np.pi)
    figure, axes = panels(1, 7.5, 3.2)
    axes.plot(turns, 40 * np.cos(w * trajectory.time), "--", color=FAINT, lw=1.4, label="rate of small swings")
    axes.plot(turns, np.degrees(2 * np.arctan2(q[:, 3], q[:, 0])), color=RED, lw=1.8, label="rigidsim")
    _, cn, dn, _ = ellipj(w * trajectory.time[::20], np.sin(tilt) ** 2)
    pitch = np.degrees(np.arcsin(np.sin(tilt) * cn / dn))
    draw_closed_form(axes, turns[::20], pitch, r"$\sin\theta = k\,\mathrm{cd}(\omega t\,|\,k^2)$")
    period = 4 * ellipk(np.sin(tilt) ** 2) / w * n / (2 * np.pi)
    axes.annotate("", (0, 49), (period, 49), arrowprops={"arrowstyle": "<->", "color": INK, "shrinkA": 0, "shrinkB": 0})
    axes.text(period / 2, 51, r"$4K(\sin^2 40°)/\omega$", ha="center", fontsize="small")
    axes.set(xlabel="t, revolutions of the orbit", ylabel="pitch from the vertical, degrees", ylim=(-48, 66))
    axes.set_yticks(range(-40, 41, 20))
    legend(axes, loc="upper right", ncols=3)
    return figure


def kapitza_pendulum():
    """Lean over time for a rate of the pivot at which the rod stands, and for one at which it falls."""
    figure, (stands, falls) = panels(2)
    for axes, w in ((stands, 60), (falls, 40)):
        trajectory = history("kapitza_pendulum", f"w={w}")
        up = turned(trajectory["pivot/rod"].local, Z)
        lean = np.degrees(np.unwrap(np.arctan2(up[:, 0], up[:, 2])))
        shown = trajectory.time <= (10 if w == 60 else 5)
        axes.plot(trajectory.time[shown], lean[shown], color=RED, lw=1.2)
        axes.set(title=f"w = {w} rad/s", xlabel="t, s", ylabel="lean from upright, degrees")
    slow = np.sqrt(6.0**2 / 2 - 9.81)
    t = np.linspace(0, 10, 400)
    stands.plot(t, 5 * np.cos(slow * t), "--", color=INK, lw=1, label=f"averaged motion, {slow:.2f} rad/s")
    stands.set_ylim(-6, 8)
    legend(stands, loc="upper right")
    falls.axhline(180, color=FAINT, lw=1)
    falls.text(0, 186, "hanging down", color=GREY, fontsize="small")
    falls.set(yticks=range(0, 361, 90))
    return figure


def car_crash():
    """How far each passenger moves in the car, and everyone's speed over the ground, in the first 0.4 s after it."""
    trajectory = history("car_crash")
    t = 1000 * (trajectory.time - 0.5)
    shown = (t >= -50) & (t <= 400)
    figure, (inside, ground) = panels(2, height=3.4)
    for body, color in (("car", FAINT), ("car/loose", RED), ("car/belted", BLUE), ("car/crated", GREEN)):
        motion, label = trajectory[body], body.rsplit("/", 1)[-1]
        if body != "car":
            moved = 100 * (motion.local.position - motion.local.position[0])[:, 0]
            inside.plot(t[shown], moved[shown], color=color, lw=1.8)
        ground.plot(t[shown], 3.6 * motion.world.velocity[shown, 0], color=color, lw=1.8, label=label)
    reduced, after = 75 * 1200 / 1275, np.arange(0, 0.4, 0.03)
    damping = 2000 / (2 * reduced)
    rate = np.sqrt(25000 / reduced - damping**2)
    held = 11 / rate * np.exp(-damping * after) * np.sin(rate * after)
    draw_closed_form(inside, 1000 * after, 100 * held)
    inside.axhline(60, color=INK, lw=1, ls="--", label="dashboard")
    inside.set(title="in the car", xlabel="time after the blow, ms", ylabel="displacement, cm", ylim=(-35, 105))
    ground.set(title="over the ground", xlabel="time after the blow, ms", ylabel="speed, km/h", ylim=(0, 72))
    legend(inside, loc="upper right")
    legend(ground, loc="upper right", ncols=2)
    return figure


def payload_release():
    """Both paths in the world, broken where the payload changes its parent; the payload as the arm sees it."""
    trajectory = history("payload_release")
    payload = trajectory["arm/payload"]
    release = next(event.time for event in trajectory.events if event.cause == "reparent")
    free = np.array([payload.parent_at(t) == "" for t in trajectory.time])
    figure, (world, local) = panels(2, height=3.6)
    for body, color in (("arm", RED), ("arm/payload", BLUE)):
        path = trajectory[body].world.position[:, :2]
        world.plot(*path[~free].T, color=color, lw=1)
        draw_path(world, path[free], color, body.rsplit("/", 1)[-1])
    world.set(title="in the world", xlabel="x, m", ylabel="y, m")
    world.set_aspect("equal", adjustable="datalim")
    legend(world, loc="upper right")
    seen = payload.seen_from("arm").position[:, :2]
    draw_path(local, seen[free], BLUE)
    local.plot([-1, 1], [0, 0], color=RED, lw=4, solid_capstyle="butt", zorder=1)
    local.annotate(f"let go at {release:g} s", seen[~free][-1], (5, 6), textcoords="offset points", fontsize="small")
    local.set(title="the payload, seen from the arm", xlabel="x, m", ylabel="y, m")
    local.set_aspect("equal", adjustable="datalim")
    return figure


def kepler_from_rotating_planet():
    """The orbit in its own plane, and the track over the ground."""
    trajectory = history("kepler_from_rotating_planet")
    satellite, tilt = trajectory["earth/satellite"], np.radians(50)
    figure, (world, ground) = panels(2, 8.5, 3.4, width_ratios=(1, 1.3))
    turn = np.linspace(0, 2 * np.pi, 200)
    world.fill(6.371 * np.cos(turn), 6.371 * np.sin(turn), color=SHADE)
    world.text(0, 0, "Earth", ha="center", va="center", fontsize="small")
    in_plane = np.stack([satellite.world.position @ X, satellite.world.position @ (0, np.cos(tilt), np.sin(tilt))], -1)
    draw_path(world, in_plane / 1e6, RED)
    world.set(title="in the world, in the orbit's plane", xlabel="towards perigee, 1000 km", ylabel="across, 1000 km")
    world.set_aspect("equal", adjustable="datalim")
    x, y, z = satellite.local.position.T
    longitude, latitude = np.degrees(np.arctan2(y, x)), np.degrees(np.arctan2(z, np.hypot(x, y)))
    for piece in np.split(np.arange(len(x)), np.flatnonzero(np.abs(np.diff(longitude)) > 180) + 1):
        ground.plot(longitude[piece], latitude[piece], color=RED, lw=1.8)
    ground.plot(longitude[::400], latitude[::400], "o", color=INK, ms=5, zorder=3, label="perigees")
    for name, k, aside in (("1st", 0, -24), ("2nd", 400, -26), ("3rd", 800, 7)):
        ground.annotate(name, (longitude[k], latitude[k]), (aside, 2), textcoords="offset points", fontsize="small")
    legend(ground, loc="upper left")
    ground.set(title="over the ground", xlabel="longitude in the Earth's frame, degrees", ylabel="latitude, degrees")
    ground.set(xlim=(-180, 180), ylim=(-60, 60), xticks=range(-180, 181, 60), yticks=range(-60, 61, 20))
    ground.grid(color=SHADE)
    return figure


def north_east_down(positions) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Over the equator: height above it (ft), way to the east from the prime meridian (ft), and the rows north, east,
    down, (time, 3, 3).
    """
    x, y, _ = positions.T / FT
    longitude, r = np.arctan2(y, x), np.hypot(x, y)
    s, c, nil = np.sin(longitude), np.cos(longitude), np.zeros_like(longitude)
    axes = np.stack([nil, nil, nil + 1, -s, c, nil, -c, -s, nil], axis=-1).reshape(-1, 3, 3)
    return r - 20925646.3255, r * longitude, axes


def nesc_dropped_sphere():
    """Height and drift, with the numbers of NASA TM-2015-218675 at 30 s."""
    trajectory = history("nesc_dropped_sphere")
    height, east, _ = north_east_down(trajectory["earth/sphere"].local.position)
    figure, (fall, drift) = panels(2)
    for axes, values, published in ((fall, height / 1000, 15.59890435), (drift, east, 20.99952)):
        axes.plot(trajectory.time, values, color=RED, lw=1.8, label="rigidsim")
        draw_closed_form(axes, 30, published, "NASA TM-2015-218675")
        axes.set_xlabel("t, s")
    fall.set(ylabel="altitude, 1000 ft", ylim=(14, 31))
    drift.set_ylabel("to the east, ft")
    legend(fall, loc="lower left")
    legend(drift, loc="upper left")
    return figure


def nesc_tumbling_brick():
    """Body rates and attitude, with the numbers of NASA TM-2015-218675 at 30 s."""
    trajectory = history("nesc_tumbling_brick")
    world, local = trajectory["earth/brick"].world, trajectory["earth/brick"].local
    frame = north_east_down(local.position)[2]
    nose, side, belly = (np.einsum("tij,tj->ti", frame, turned(local, axis)) for axis in (X, Y, Z))
    yaw, pitch, roll = np.arctan2(nose[:, 1], nose[:, 0]), -np.arcsin(nose[:, 2]), np.arctan2(side[:, 2], belly[:, 2])
    figure, (rates, attitude) = panels(2, 8.5, 3.4)
    published = "NASA TM-2015-218675"
    names = ("about x", "about y", "about z")
    for values, end, color, name in zip(
        np.degrees(body_rates(world)).T, (12.61839, -17.39747, 31.11959), COLORS, names, strict=False
    ):
        rates.plot(trajectory.time, values, color=color, lw=1.6, label=name)
        draw_closed_form(rates, 30, end, published if name == names[-1] else None)
    names = ("yaw", "pitch", "roll")
    for values, end, color, name in zip(
        np.degrees([yaw, pitch, roll]), (-4.28936, -3.81965, -56.15131), COLORS, names, strict=False
    ):
        jumps = np.abs(np.diff(values, prepend=values[0])) > 180
        attitude.plot(trajectory.time, np.where(jumps, np.nan, values), color=color, lw=1.6, label=name)
        draw_closed_form(attitude, 30, end, None)
    rates.set(title="rates about the brick's axes", xlabel="t, s", ylabel="rate, degrees/s", ylim=(-30, 68))
    attitude.set(
        title="from north, east and down",
        xlabel="t, s",
        ylabel="angle, degrees",
        ylim=(-185, 260),
        yticks=range(-180, 181, 90),
    )
    legend(rates, loc="upper left", ncols=2)
    legend(attitude, loc="upper left", ncols=3)
    return figure


FIGURES = (
    overview,
    flipping_axis,
    shell_leaves_turret,
    ball_on_turntable,
    vehicle_on_earth,
    box_in_falling_lift,
    satellite_despun_platform,
    three_frames_deep,
    gyroscope_constant_torque,
    billiard_on_a_train,
    off_centre_thrust,
    foucault_pendulum,
    ship_deck_in_seaway,
    gravity_gradient_libration,
    kapitza_pendulum,
    car_crash,
    payload_release,
    kepler_from_rotating_planet,
    nesc_dropped_sphere,
    nesc_tumbling_brick,
)


def main(names: list[str]) -> None:
    """Write the pictures of these names, or all."""
    for figure in (*FIGURES, *contact_figures.FIGURES):
        if not names or figure.__name__ in names:
            save(figure(), figure.__name__)


if __name__ == "__main__":
    main(sys.argv[1:])
