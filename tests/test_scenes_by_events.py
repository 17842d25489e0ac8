"""The shipped scenes with `contact: events` beside closed forms and equations of their own (DOP853), which share
neither equations of motion nor the search for events; and their orders of convergence.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipkinc

import rigidsim
from rigidsim.analysis.oracles import errors
from rigidsim.certify.certifying import certify
from rigidsim.cli.examples import shipped_scenes
from rigidsim.physics.quaternion import rotate
from rigidsim.report.contact import ContactSummary
from rigidsim.report.explain import BodyReport
from rigidsim.scene.hierarchy.collision_pairs import CollisionPairs
from support.rolling_motions import EXACT, UP, G, of_ellipsoid, of_sphere, rolled, slid


def simulated(name: str, *changes: str) -> rigidsim.Trajectory:
    """A shipped scene, with changes as of `--set`."""
    return rigidsim.simulate(rigidsim.Scene.from_file(shipped_scenes()[name], list(changes)))


def order(name: str, steps: tuple[float, float], error, *changes: str) -> tuple[float, np.ndarray]:
    """(the order of convergence, the errors) at two steps; `error` is a function of the trajectory."""
    found = np.array([error(simulated(name, f"simulation.step={h}", *changes)) for h in steps])
    return float(np.log(found[0] / found[1]) / np.log(steps[0] / steps[1])), found


def times_of(trajectory: rigidsim.Trajectory, body: str, cause: str) -> list[float]:
    return [event.time for event in trajectory.events if event.cause == cause and body in event.bodies]


BY_EVENTS = {
    "ball_rolls_on_turntable", "bicycle", "billiards_with_english", "bounces_to_rest", "brick_tips_or_slides",
    "eulers_disk", "loaded_ball", "rattleback", "rocking_block", "rocking_ellipsoid", "rod_off_a_table",
    "sphere_slides_then_rolls", "tippe_top",
}  # fmt: skip


def test_these_scenes_have_contact_by_events():
    scenes = {name: rigidsim.Scene.from_file(path) for name, path in shipped_scenes().items()}
    wished = {name for name, scene in scenes.items() if scene.simulation.contact.mode in ("events", "auto")}
    assert wished == BY_EVENTS
    for name in BY_EVENTS:
        assert CollisionPairs(scenes[name].hierarchy).summary["mode"] == "events"


@pytest.mark.parametrize("name", sorted(BY_EVENTS))
def test_they_leave_no_step_to_sub_steps(name):
    scene = rigidsim.Scene.from_file(shipped_scenes()[name])
    simulation = rigidsim.Simulation(scene)
    simulation.step(round(scene.simulation.duration / scene.simulation.step))
    assert not simulation.warnings


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(BY_EVENTS))
def test_no_other_way_to_write_them_refutes_them(name):
    found = certify(rigidsim.Scene.from_file(shipped_scenes()[name]))
    assert not found.is_refuted, [(way.name, way.verdict) for way in found.ways]


# --- in words and pictures


def test_an_instant_in_words(run):
    """Which shape of a body, what it did until then, and nothing of the method's error."""
    trajectory = run("tippe_top")
    meets = times_of(trajectory, "top", "impact")[0]
    told = str(BodyReport.of(trajectory, "top", meets)).split("\n\n")
    starts = f"at t = {meets:.9g} s: top "
    assert told[0].startswith(starts + "(shapes[1]) is struck by table\n")
    assert re.fullmatch(
        re.escape(starts + "(shapes[0]) no longer touches table; it slid for 1.76559 s and lost 0.0240")
        + r"\d* J to friction",
        told[1],
    )
    assert told[3] == starts + "(shapes[1]) begins to slide on table"
    trajectory = run("rod_off_a_table")
    told = str(BodyReport.of(trajectory, "rod", 0.175)).split("\n\n")
    assert told[0] == "at t = 0.176732348 s: rod begins to slide on table; it stuck for 0.176732 s"
    assert told[1] == "rod turns on a fixed point of table, since t = 0 s"
    assert str(BodyReport.of(trajectory, "rod", 0.3)) == "rod slides on table, since t = 0.176732348 s"


def test_modes_are_counted_and_marked(run):
    trajectory = run("rod_off_a_table")
    summary = ContactSummary(trajectory.events.contact)
    assert summary.as_dict()["modes"] == {"sliding": 1, "sticking": 1}
    lines = [line for section in summary.sections() for line in section.lines]
    assert lines[0].startswith(
        "0 impacts, 1 touch began, 1 ended; there began sliding 1 time, sticking 1 time; energy changed"
    )
    (axes,) = trajectory.plot("rod.angular_velocity.y").axes
    marks = {line.get_marker(): line.get_xdata().tolist() for line in axes.lines}
    assert marks[5] == times_of(trajectory, "rod", "sliding_begins")
    assert marks["x"] == times_of(trajectory, "rod", "contact_ends")


# --- rolling


def test_the_rattleback_turns_back(run):
    """It reverses its spin whole, and moves as the equations of rolling say, at order four. Errors at 1 and 0.5 ms:
    5.3e-5 and 3.3e-6 rad/s.
    """
    spun = run("rattleback")["stone"].world.angular_velocity[:, 2]
    assert spun[0] == -5.0
    assert spun.max() > 4.99
    a, b, c, low, D, tilt, times = 0.2, 0.03, 0.02, 0.01, -2e-5, np.radians(0.5), (0.0, 1.0, 2.0)
    q = np.array([np.cos(0.5 * tilt), np.sin(0.5 * tilt), 0, 0])
    start = np.hypot(b * np.sin(tilt), c * np.cos(tilt)) * UP - low * np.array([0, -np.sin(tilt), np.cos(tilt)])
    inertia = [[2e-4, D, 0], [D, 1.6e-3, 0], [0, 0, 1.7e-3]]
    exact = rolled(inertia, of_ellipsoid((a, b, c), centre=(0, 0, low)), q, [0, 0, -5.0], start, times)

    def error(trajectory):
        return np.abs(trajectory["stone"].world.angular_velocity - exact[:, 4:7]).max()

    p, found = order("rattleback", (1e-3, 5e-4), error, "simulation.duration=2", "simulation.record_every=1")
    assert found[1] < 1e-5
    assert p == pytest.approx(4, abs=0.2)


def test_the_loaded_ball_rolls_at_order_four():
    """Place of its middle and rate, by the equations of rolling."""
    com, radius, w, times = np.array([0.005, 0.008, -0.012]), 0.05, np.array([3.0, -2, 20]), (0.0, 1.0, 2.0)
    inertia = np.diag([4e-4, 5e-4, 6e-4]) / 0.5
    exact = rolled(inertia, of_sphere(radius, -com), [1.0, 0, 0, 0], w, radius * UP + com, times)
    middle = exact[:, 7:] - np.stack([rotate(tuple(q / np.linalg.norm(q)), tuple(com)) for q in exact[:, :4]])

    def error(trajectory):
        motion = trajectory["ball"].world
        return np.abs(np.c_[motion.position - middle, motion.angular_velocity - exact[:, 4:7]]).max()

    p, found = order("loaded_ball", (4e-3, 2e-3), error, "simulation.duration=2", "simulation.record_every=1")
    assert found[1] < 1e-5
    assert p == pytest.approx(4, abs=0.3)


# --- sliding


def test_the_tippe_top_slides_over_at_order_four(run):
    """Until it lifts off, by the equations of sliding; that is where its normal force vanishes. It ends on its peg."""
    up = np.array([rotate(tuple(q), tuple(UP))[2] for q in run("tippe_top")["top"].world.orientation])
    assert up[0] > 0.99
    assert up[-1] < -0.98
    radius, low, tilt, times = 0.02, 0.004, 0.1, (0.0, 0.5, 1.0)
    q, axis = np.array([np.cos(0.5 * tilt), np.sin(0.5 * tilt), 0, 0]), np.array([0, -np.sin(tilt), np.cos(tilt)])
    w, com = np.array([0, 0, 200.0]), -low * axis
    inertia = np.diag([0.41, 0.41, 0.4]) * radius**2
    exact = slid(inertia, of_sphere(radius, (0, 0, low)), 0.2, q, w, radius * UP + com, np.zeros(3), times)

    def error(trajectory):
        motion = trajectory["top"].world
        middle = motion.position + [rotate(tuple(q), (0.0, 0.0, -low)) for q in motion.orientation]
        return np.abs(np.c_[middle - exact[:, 7:10], radius * (motion.angular_velocity - exact[:, 4:7])]).max()

    p, found = order("tippe_top", (1e-3, 5e-4), error, "simulation.duration=1", "simulation.record_every=0.5")
    assert found[1] < 1e-6
    assert p == pytest.approx(4, abs=0.3)


def test_the_rod_slips_and_leaves_the_edge_at_the_right_instants(run):
    """Turning on the edge, then sliding along itself, each integrated to an event by itself."""
    length, b, mu, start, tilt = 1.0, 0.01, 0.4, 0.15, 0.01
    moment = (length**2 + 4 * b * b) / 12

    def turning(s):
        alpha = (start * G * np.cos(s[0]) + b * G * np.sin(s[0])) / (moment + start**2 + b * b)
        N = G * np.cos(s[0]) - b * s[1] ** 2 - start * alpha
        return alpha, N, b * alpha - start * s[1] ** 2 - G * np.sin(s[0])

    def force(s):
        return (G * np.cos(s[0]) - 2 * s[3] * s[1] - b * s[1] ** 2) / (1 + s[2] * (s[2] + b * mu) / moment)

    def sliding(_t, s):
        alpha = (s[2] + b * mu) * force(s) / moment
        return [s[1], alpha, s[3], s[2] * s[1] ** 2 + G * np.sin(s[0]) - mu * force(s) - b * alpha]

    def slips(_t, s):
        return mu * turning(s)[1] + turning(s)[2]

    def leaves(_t, s):
        return force(s)

    slips.terminal = leaves.terminal = True
    one = solve_ivp(lambda _, s: [s[1], turning(s)[0]], (0, 1), [tilt, 0], events=slips, **EXACT)
    two = solve_ivp(sliding, (one.t[-1], 1), [*one.y[:, -1], start, 0], events=leaves, **EXACT)

    def error(trajectory):
        instants = [*times_of(trajectory, "rod", "sliding_begins"), *times_of(trajectory, "rod", "contact_ends")]
        rate = trajectory["rod"].world.angular_velocity[-1, 1]
        return np.abs(np.array([*instants, rate]) - [one.t[-1], two.t[-1], two.y[1, -1]]).max()

    assert error(run("rod_off_a_table")) < 1e-6
    p, _ = order("rod_off_a_table", (0.01, 0.005), error)
    assert p == pytest.approx(4, abs=0.5)


def test_a_brick_tips_and_another_one_slides(run):
    """In the plane: the angle, and the place of the middle, by equations of their own, stuck and sliding."""
    half, tall, tilt, mu, end = 0.1, 0.3, 0.05, 0.25, 0.7
    arm, moment = np.hypot(half, tall), (half**2 + tall**2) / 3

    def stuck(s):
        alpha = G * arm * np.sin(s[0]) / (moment + arm**2)
        a_x = arm * (alpha * np.cos(s[0]) - s[1] ** 2 * np.sin(s[0]))
        return alpha, a_x, G - arm * (alpha * np.sin(s[0]) + s[1] ** 2 * np.cos(s[0]))

    def slips(_t, s):
        return mu * stuck(s)[2] - abs(stuck(s)[1])

    slips.terminal = True
    one = solve_ivp(lambda _, s: [s[1], stuck(s)[0]], (0, end), [tilt, 0], events=slips, **EXACT)
    sign = np.sign(stuck(one.y[:, -1])[1])  # of the force of friction, against the slip

    def sliding(_t, s):
        """Angle, its rate, place of the middle, its velocity; z = arm cos(angle)."""
        way = arm * np.sin(s[0]) - sign * mu * arm * np.cos(s[0])
        N = (G - arm * s[1] ** 2 * np.cos(s[0])) / (1 + arm * np.sin(s[0]) * way / moment)
        return [s[1], N * way / moment, s[3], sign * mu * N]

    begin = [*one.y[:, -1], arm * np.sin(one.y[0, -1]), arm * np.cos(one.y[0, -1]) * one.y[1, -1]]
    two = solve_ivp(sliding, (one.t[-1], end), begin, **EXACT)
    exact = [one.t[-1], two.y[2, -1], arm * np.cos(two.y[0, -1])]

    def error(trajectory):
        (slipped,) = times_of(trajectory, "slides", "sliding_begins")
        x, _, z = trajectory["slides"].world.position[-1]
        return np.abs(np.array([slipped, x, z]) - exact).max()

    assert error(run("brick_tips_or_slides")) < 1e-7
    p, _ = order("brick_tips_or_slides", (0.01, 0.005), error)
    assert p == pytest.approx(4, abs=0.5)


# --- impacts


def test_the_block_rocks_as_housner_says(run):
    """The energy above the balance E = m g arm (1 - cos(alpha)) is multiplied by r at each impact; a half swing from
    and back to the floor is twice the quarter period of a pendulum that stands on its head.
    """
    half, tall, tilt = 0.1, 0.4, 0.15
    alpha, arm = np.arctan2(half, tall), np.hypot(half, tall)
    r, p = (1 - 1.5 * np.sin(alpha) ** 2) ** 2, np.sqrt(0.75 * G / arm)
    cosines = np.cos(alpha) + r ** np.arange(12) * (np.cos(alpha - tilt) - np.cos(alpha))
    m = 0.5 * (1 + cosines)  # the squares of the moduli, cos^2 of half the angles at which it turns back
    falls = (ellipkinc(0.5 * np.pi, m) - ellipkinc(np.arcsin(np.cos(0.5 * alpha) / np.sqrt(m)), m)) / p
    exact = falls[0] + 2 * np.append(0.0, np.cumsum(falls[1:]))

    def error(trajectory):
        return np.abs(np.array(times_of(trajectory, "block", "impact")[:12]) - exact).max()

    trajectory = run("rocking_block")
    lost = np.array([event.energy for event in trajectory.events if event.cause == "impact"])
    assert lost[1:] / lost[:-1] == pytest.approx(r, rel=1e-8)
    assert error(trajectory) < 1e-7
    order_found, _ = order("rocking_block", (0.02, 0.01), error)
    assert order_found == pytest.approx(4, abs=0.5)


def test_english_at_the_cushion_and_on_the_cloth(run):
    """Each phase in closed form: the hop off the cushion ends on the cloth, where friction of the landing, then that of
    sliding, act against the slip, until the ball rolls.
    """
    radius, e, rubber, cloth, v, side = 0.028575, 0.8, 0.15, 0.2, 1.5, 60.0
    meets = (1.27 - radius - 0.27) / v
    velocity, w = np.array([v, 0, 0]), np.array([0, v / radius, side])

    def friction(push, normal):
        """The change of velocity and rate by an impulse (over the mass) at the point -radius normal."""
        return push, 2.5 / radius**2 * np.cross(-radius * normal, push)

    def slip(normal):
        u = velocity + np.cross(w, -radius * normal)
        return u - (u @ normal) * normal

    for normal, pressed, mu, after in ((-np.array([1.0, 0, 0]), (1 + e) * v, rubber, 0.0), (UP, None, cloth, None)):
        if after is None:  # the landing
            pressed, flown = velocity[2], 2 * velocity[2] / G
            velocity = velocity - G * flown * UP
        u = slip(normal)
        assert np.linalg.norm(u) * 2 / 7 > mu * pressed  # it slips on
        dv, dw = friction(-mu * pressed * u / np.linalg.norm(u), normal)
        velocity, w = velocity + pressed * normal + dv, w + dw
    u = slip(UP)
    rolls = meets + flown + 2 * np.linalg.norm(u) / (7 * cloth * G)
    trajectory = run("billiards_with_english")
    found = trajectory["balls/english"].world
    # 64 roundings of the largest terms.
    assert times_of(trajectory, "balls/english", "impact") == pytest.approx([meets, meets + flown], abs=3e-14)
    assert times_of(trajectory, "balls/english", "rolling_begins")[-1] == pytest.approx(rolls, abs=3e-14)
    assert found.velocity[-1] == pytest.approx(velocity - 2 / 7 * u, abs=3e-14)
    dw = friction(-2 / 7 * u, UP)[1]
    assert found.angular_velocity[-1] == pytest.approx(w + dw, abs=2e-12)


def test_eulers_disk_moves_steadily_to_1e_9():
    """Place of its middle, m, and its rates, relative to the largest, by the closed form; of order four."""

    def error(trajectory):
        found = {each.name: each.error for each in errors(trajectory)}
        rate = np.hypot(*(found[f"disc.angular_velocity.{k}"] for k in "xy"))
        return max(found["disc.position"], rate / np.linalg.norm(trajectory["disc"].world.angular_velocity[0]))

    p, found = order("eulers_disk", (4e-4, 2e-4), error, "simulation.record_every=4e-3")
    assert found[1] < 1e-9
    assert p == pytest.approx(4, abs=0.3)
