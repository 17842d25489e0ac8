"""Metrics: closed forms, the same bits in every way of computing them, and what does not change them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import rigidsim
from rigidsim.analysis.quantities import named
from rigidsim.blueprints import build_world
from rigidsim.engine.assembly.lanes import LANES, structure
from rigidsim.engine.time.run import BlockRun
from rigidsim.quantities.vocabulary import OF_BODIES, OF_RUN, OF_RUN_METERED, TERM
from rigidsim.simulation.single import Simulation

G, HEIGHT, STEP, STEPS = 9.81, 2.0, 0.01, 100


def falling(metrics: dict[str, str], **simulation) -> rigidsim.Scene:
    """A ball that falls from HEIGHT, and a point on the x axis at sin(2 pi t)."""
    shaken = {"prescribed": {"position": ["= sin(2*pi*t)", 0, 0]}}
    return rigidsim.Scene.from_dict(
        {
            "format": "rigidsim/1",
            "parameters": {"height": HEIGHT},
            "simulation": {"duration": STEPS * STEP, "step": STEP} | simulation,
            "world": {"gravity": [0, 0, -G]},
            "bodies": {
                "ball": {"mass": 1, "inertia": "point", "position": [0, 0, "= height"]},
                "shaker": {"motion": shaken},
            },
            "metrics": metrics,
        }
    )


def tree(metrics: dict[str, str], k: float = 0.0) -> rigidsim.Scene:
    """Scaled, turning and free frames in each other, an impulse, two reparentings; numbers depend on k."""
    brick = {"mass": 2, "inertia": {"principal": [1, 2, 2.5]}, "angular_velocity": [1 + k, 0.3, 2]}
    return rigidsim.Scene.from_dict(
        {
            "format": "rigidsim/1",
            "parameters": {"k": k, "when": 0.08 + 0.01 * k},
            "simulation": {"duration": 0.2, "step": 0.01, "record_every": 0.03},
            "world": {"gravity": [0, 0, -G]},
            "bodies": {
                "deck": {
                    "motion": {"prescribed": {"angular_velocity": [0, 0.2, 1]}},
                    "position": [1, 0, 0],
                    "scale": 0.5,
                    "children": {
                        "crate": brick | {"position": [1, "= k", 0.5], "scale": 3},
                        "pole": {"position": [0, 0, 1], "children": {"flag": brick | {"position": [0, 1, 0]}}},
                    },
                },
                "ball": {
                    "mass": 1,
                    "inertia": "point",
                    "impulses": [{"time": 0.105, "impulse": [1, 0, 0]}, {"time": 0.105, "impulse": [0, 1, 0]}],
                },
            },
            "reparent": [
                {"body": "deck/crate", "to": "ball", "time": 0.06},
                {"body": "deck/crate", "to": "deck/pole", "time": 0.12},
            ],
            "metrics": metrics,
        }
    )


def by_kernel(scenes: list[rigidsim.Scene], n_lane: int) -> np.ndarray:
    """(metric, scene) without any samples recorded."""
    worlds = [build_world(scene) for scene in scenes]
    run = BlockRun(worlds, n_lane)
    run.advance(worlds[0].blueprint.n_step)
    return run.metrics()[:, : len(scenes)]


def bits(values) -> list[str]:
    """Equal for equal bits, NaN included."""
    return [float(value).hex() for value in values]


# --- closed forms


def test_a_falling_ball():
    found = rigidsim.simulate(
        falling(
            {
                "top_speed": "= max(speed('ball'))",
                "lowest": "= min(z('ball'))",
                "last": "= final(v_z('ball'))",
                "hit": "= first(z('ball') < 0)",
                "speed_at_hit": "= first(speed('ball'), z('ball') <= 0)",
                "halfway": "= at(0.505, v_z('ball'))",
                "mean_speed": "= mean(speed('ball'))",
                "never": "= first(z('ball') > 3)",
                "at_once": "= first(z('ball') > 1)",
                "gain": "= final(speed('ball')) / max(speed('ball')) - 1",
                "ratio": "= height/2",
            }
        )
    ).metrics
    hit = math.sqrt(2 * HEIGHT / G)
    assert found["top_speed"] == pytest.approx(G, rel=1e-13)
    assert found["lowest"] == pytest.approx(HEIGHT - G / 2, rel=1e-13)
    assert found["last"] == pytest.approx(-G, rel=1e-13)
    # A parabola lies within g h^2/8 of its chord, which is crossed at the speed g t.
    assert abs(found["hit"] - hit) <= 1.01 * G * STEP * STEP / 8 / (G * hit)
    assert found["hit"] != hit
    assert found["speed_at_hit"] == pytest.approx(G * found["hit"], rel=1e-13)  # linear in t
    assert found["halfway"] == pytest.approx(-G * 0.505, rel=1e-13)
    assert found["mean_speed"] == pytest.approx(G / 2, rel=1e-13)
    assert math.isnan(found["never"])
    assert (found["at_once"], found["gain"], found["ratio"]) == (0.0, 0.0, 1.0)


def test_the_rms_of_a_sine():
    """Over a whole period of N steps the squares of the N + 1 samples add up to N/2: the first and the last are 0."""
    found = rigidsim.simulate(falling({"rms": "= rms(x('shaker'))", "mean": "= mean(x('shaker')^2)"})).metrics
    assert found["rms"] == pytest.approx(math.sqrt(STEPS / 2 / (STEPS + 1)), rel=1e-14)
    assert found["rms"] == pytest.approx(math.sqrt(found["mean"]), rel=1e-15)


def test_an_integral_and_times_of_extremes():
    """The trapezoidal rule is exact for what is linear in t; the shaker is largest after a quarter of its period."""
    metrics = {"fallen": "= integral(v_z('ball'))", "highest": "= time_of_max(x('shaker'))",
               "lowest": "= time_of_min(x('shaker'))", "late": "= time_of_max(t)"}  # fmt: skip
    found = rigidsim.simulate(falling(metrics))
    assert found.metrics["fallen"] == pytest.approx(-G / 2, rel=1e-13)
    assert found.header.metric_units["fallen"] == "m" and found.header.metric_units["highest"] == "s"
    x = found["shaker"].world.position[:, 0]
    assert found.metrics["highest"] == found.time[np.argmax(x)] and found.metrics["lowest"] == found.time[np.argmin(x)]
    assert found.metrics["late"] == found.time[-1]


def test_drift_is_that_of_the_report():
    from rigidsim.report.drift import drift_of

    trajectory = rigidsim.simulate(tree({"drift": "= drift"}))
    energy = next(drift for drift in drift_of(trajectory) if drift.name == "energy")
    assert 0 < trajectory.metrics["drift"] == energy.relative


@pytest.mark.parametrize(
    ("condition", "when"),
    [
        ("z('ball') < 1 or z('ball') < 1.5", 1.5),
        ("z('ball') < 1 and z('ball') < 1.5", 1.0),
        ("not z('ball') >= 1", 1.0),
        ("1 > z('ball')", 1.0),
        ("if(z('ball') < 1, 1, 0) == 1", None),
    ],
)
def test_conditions_are_crossed_where_their_comparisons_are(condition, when):
    """In both ways the height at that moment is the one compared with; a jump has no crossing but at a sample."""
    found = rigidsim.simulate(falling({"height": f"= first(z('ball'), {condition})", "t": f"= first({condition})"}))
    if when is not None:
        assert found.metrics["height"] == pytest.approx(when, rel=1e-14)
    else:
        assert round(found.metrics["t"] / STEP) * STEP == pytest.approx(found.metrics["t"], rel=1e-15)


def test_times_of_samples_and_between():
    """`at` is exact at a sample, also at the last one, and linear between two."""
    times = (0.0, 0.03, 0.045, 0.19, 0.2)
    metrics = {f"m{k}": f"= at({t}, v_x('deck/crate'))" for k, t in enumerate(times)}
    trajectory = rigidsim.simulate(tree(metrics))
    v = trajectory["deck/crate"].world.velocity[:, 0]
    assert trajectory.time == pytest.approx([0, 0.03, 0.06, 0.09, 0.12, 0.15, 0.18, 0.2])
    expected = np.interp(times, trajectory.time, v)
    assert list(trajectory.metrics.values()) == pytest.approx(expected, rel=1e-13)
    assert trajectory.metrics["m0"] == v[0] and trajectory.metrics["m4"] == v[-1]


def test_events_are_counted():
    names = ("impulses", "reparentings", "contacts", "impacts")
    metrics = {name: f"= count('{name}')" for name in names}
    assert list(rigidsim.simulate(tree(metrics)).metrics.values()) == [2, 2, 0, 0]
    early = Simulation(tree(metrics))
    early.step(7)
    assert list(early.metrics.values()) == [0, 1, 0, 0]


def test_contacts_are_counted_by_body():
    """Two balls fall, on a floor and on a step of a crate; by the ends of paths, with all below a body."""
    ball = {"mass": 1, "shapes": [{"type": "sphere", "radius": 0.1}], "material": {"restitution": 0.8}}
    step = {"position": [3, 0, 0.2], "shapes": [{"type": "box", "size": [1, 1, 0.2]}]}
    counts = {f"{events}_{body}": f"= count('{events}', '{body}')"
              for events in ("contacts", "impacts") for body in ("floor", "step", "crate", "one", "two")}  # fmt: skip
    scene = rigidsim.Scene.from_dict(
        {
            "format": "rigidsim/1",
            "simulation": {"duration": 1, "step": 0.01},
            "world": {"gravity": [0, 0, -G]},
            "bodies": {
                "floor": {"shapes": [{"type": "plane"}]},
                "crate": {"children": {"step": step}},
                "one": ball | {"position": [0, 0, 0.5]},
                "two": ball | {"position": [3, 0, 0.9]},
            },
            "metrics": counts | {"all": "= count('impacts')", "begun": "= count('contacts')"},
        }
    )
    trajectory = rigidsim.simulate(scene)
    found = trajectory.metrics
    for body in ("floor", "crate", "crate/step", "one", "two"):
        of = [event for event in trajectory.events if any(f"{path}/".startswith(f"{body}/") for path in event.bodies)]
        short = body.rpartition("/")[2]
        assert found[f"impacts_{short}"] == sum(event.cause == "impact" for event in of) > 0
        assert found[f"contacts_{short}"] == sum(event.cause == "contact_begins" for event in of)
    assert found["impacts_one"] + found["impacts_two"] == found["all"]
    assert found["begun"] == sum(event.cause == "contact_begins" for event in trajectory.events)
    assert [trajectory.metric(text) for text in trajectory.header.metrics.values()] == list(found.values())
    early, late = Simulation(scene), Simulation(scene)
    early.step(60)
    assert 0 < early.metrics["all"] < found["all"]
    for _ in late.blocks():
        pass
    assert late.metrics == found


# --- the same bits in every way

BODIES = ("ball", "deck", "deck/crate", "deck/pole", "deck/pole/flag")
QUANTITIES = ("x", "y", "z", "v_x", "v_y", "v_z", "speed", "omega_x", "omega_z", "q_w", "q_x", "q_z")


@st.composite
def at_a_sample(draw, depth: int = 2) -> str:
    """An expression of the values at a sample; of numbers alone one operation at most, finite unless k is zero. As it
    adds anything to anything, no unit is sure: each is multiplied by a plain number.
    """
    kind = draw(st.sampled_from(("state", "state", "t", "number", "call", "infix") if depth else ("state", "t")))
    inner = at_a_sample(depth=depth - 1)
    if kind == "state":
        seen = draw(st.sampled_from((*BODIES, "world")))
        return f'1*{draw(st.sampled_from(QUANTITIES))}("{draw(st.sampled_from(BODIES))}", "{seen}")'
    if kind == "number":
        return draw(st.sampled_from(("0.3", "k", "2")))
    if kind == "call":
        return f"{draw(st.sampled_from(('sin', 'exp', 'abs', 'sqrt', 'floor', 'atan')))}({draw(inner)})"
    if kind == "infix":
        return f"({draw(inner)} {draw(st.sampled_from('+-*/'))} {draw(inner)})"
    return "1*t"


FOLDED = ("max", "min", "mean", "rms", "integral", "time_of_max", "time_of_min", "final")


@st.composite
def of_a_run(draw) -> str:
    """A metric."""
    value, kind = draw(at_a_sample()), draw(st.sampled_from((*FOLDED, "at", "first")))
    if kind == "at":
        return f"at(when, {value})"
    if kind == "first":
        compared = draw(st.sampled_from(("<", "<=", ">", "==")))
        return f"first({value}, {draw(at_a_sample())} {compared} {draw(at_a_sample())})"
    return f"{kind}({value})"


@pytest.mark.slow
@settings(deadline=None, max_examples=15)  # each is six runs
@given(st.lists(of_a_run(), min_size=1, max_size=4))
@example(["max(0.3 / k)"])
def test_kernel_and_trajectory_have_the_same_bits(texts):
    """With one lane and sixteen, and from the samples of a trajectory in columns."""
    metrics = {f"m{k}": f"= {text} + k*drift" for k, text in enumerate(texts)}
    scenes = [tree(metrics, k) for k in (0.1, 0.3)]  # a scene refuses 0.3 / 0
    together = by_kernel(scenes, LANES)
    for lane, scene in enumerate(scenes):
        history = rigidsim.simulate(scene)
        expected = bits(history.metric(metric) for metric in scene.resolved()["metrics"].values())
        assert bits(history.metrics.values()) == expected
        assert bits(together[:, lane]) == bits(by_kernel([scene], 1)[:, 0]) == expected


SEEN_FROM = ("parent", "ball", "deck/pole/flag")


def every_quantity(body: str) -> list[str]:
    """All that a metric can read of a body and of the run, by the names that tables and plots have for it."""
    diagnostics = [OF_RUN[name] for name in OF_RUN_METERED if name != "contact_work"]
    found = [f"{one.name}{part and '.'}{part}" for one in diagnostics for part in one.accepts or ("",)]
    found += ["total_energy", "angular_momentum.y", "time"]
    for name, one in OF_BODIES.items():
        if one.needs not in ("", TERM) or "contact" in name or "joint" in name:
            continue
        frames = (*one.frames, *SEEN_FROM[1:]) if one.is_seen else one.frames
        found += [f"{body}.{name}{part and '.'}{part}@{frame}" for frame in frames for part in one.accepts or ("",)]
    return list(dict.fromkeys(found))


def test_every_quantity_has_the_same_bits_in_a_run_and_in_its_trajectory():
    """Across reparentings, in scaled and turning frames, with one lane and sixteen."""
    names = every_quantity("deck/crate")
    assert len(names) > 300
    metrics = {f"m{n}": f'= final("{name}") + mean("{name}")' for n, name in enumerate(names)}
    scenes = [tree(metrics, k) for k in (0.1, 0.3)]
    together = by_kernel(scenes, LANES)
    for lane, scene in enumerate(scenes):
        history = rigidsim.simulate(scene, terms=True)
        values = [named(history, name).of() for name in names]
        expected = [one[-1] + math.fsum(one) / len(one) for one in values]
        np.testing.assert_allclose(together[:, lane], expected, rtol=1e-12, atol=1e-12)
        again = bits(history.metric(metric) for metric in scene.resolved()["metrics"].values())
        assert bits(together[:, lane]) == bits(history.metrics.values()) == again


EVERY = {
    "a": "= max(speed('deck/crate', 'ball')) + k",
    "b": "= mean(q_x('deck/pole/flag', 'deck/crate')) + drift",
    "c": "= at(when, x('deck/crate', 'deck'))",
    "d": "= first(when*y('ball'), z('ball') < -0.05)",
    "e": "= count('impulses') + rms(omega_x('deck/crate', 'deck/pole/flag'))",
    "f": "= rms('deck/crate.felt_acceleration.norm') + k*max('flag.felt_acceleration.y@world')",
    "g": "= max('deck/crate.acceleration.x@body') + mean('flag.terms.centrifugal.norm')",
}


def test_sixteen_side_by_side_are_as_alone():
    scenes = [tree(EVERY, 0.1 * k) for k in range(LANES)]
    assert len({structure(build_world(scene)) for scene in scenes}) == 1
    together, alone = by_kernel(scenes, LANES), [by_kernel([scene], 1)[:, 0] for scene in scenes]
    assert len({tuple(bits(column)) for column in together.T}) == LANES
    assert np.array_equal(together.T, alone)
    assert [list(t.metrics.values()) for t in rigidsim.simulate(scenes)] == together.T.tolist()


def sliding(metrics: dict[str, str], k: float = 0.0) -> rigidsim.Scene:
    """A crate with a tray on a turning disc, against a wall that is fixed to it; the tray is let go, and lands."""
    stuff, box = {"friction": 0.4}, {"type": "box", "size": [1, 1, 0.5]}
    tray = {
        "mass": 1,
        "position": [0, 0, 0.3],
        "shapes": [{"type": "box", "size": [0.4, 0.4, 0.05]}],
        "motion": "fixed",
    }
    crate = {"mass": 5, "position": [0, 0, 0.25], "velocity": [1.5 + k, 0, 0], "shapes": [box | {"material": stuff}]}
    wall = {"position": [0.7, 0, 0], "shapes": [{"type": "box", "size": [0.1, 2, 2]}]}
    disc = {"motion": {"prescribed": {"angular_velocity": [0, 0, 0.5]}}, "children": {"wall": wall}}
    return rigidsim.Scene.from_dict(
        {
            "format": "rigidsim/1",
            "simulation": {"duration": 0.3, "step": 0.005, "record_every": 0.01},
            "world": {"gravity": [0, 0, -G]},
            "bodies": {
                "disc": disc | {"shapes": [{"type": "plane", "material": stuff}]},
                "crate": crate | {"children": {"tray": tray}},
            },
            "reparent": [{"body": "crate/tray", "to": "world", "time": 0.15, "motion": "free"}],
            "metrics": metrics,
        }
    )


FORCES = [
    f"{name}.{part}{frame}"
    for name in ("crate.contact_force", "crate.contact_force(disc)", "tray.contact_force(crate)",
                 "crate.friction_force(tray)", "disc.friction_force", "crate.acceleration", "tray.terms.contact")
    for frame in ("@world", "@body")
    for part in ("x", "z", "norm")
]  # fmt: skip


@pytest.mark.slow
def test_forces_of_contact_have_the_same_bits_in_a_run_and_in_its_trajectory():
    """By the body that exerts them, while the tray is a part of the crate and then; in slices, and after a resume."""
    scene = sliding({f"m{n}": f'= final("{name}") + rms("{name}")' for n, name in enumerate(FORCES)})
    history = rigidsim.simulate(scene, contacts=True, terms=True)
    of_run = bits(history.metrics.values())
    assert of_run == bits(history.metric(metric) for metric in scene.resolved()["metrics"].values())
    for n, name in enumerate(FORCES):
        values = named(history, name).of()
        expected = values[-1] + np.sqrt(np.mean(values**2))
        assert history.metrics[f"m{n}"] == pytest.approx(expected, rel=1e-12, abs=1e-12) or np.isnan(expected)
    whole, begun, resumed = (Simulation(scene) for _ in range(3))
    whole.step(whole.n_step)
    begun.step(41)
    resumed.resume(begun.checkpoint(), begun.events)
    resumed.step(resumed.n_step - 41)
    assert bits(whole.metrics.values()) == bits(resumed.metrics.values()) == of_run


def test_what_carries_a_body_exerts_its_weight():
    """The crate with its tray, 6 kg, presses on the disc, which presses back; friction is 0.4 of that at each corner,
    in directions that differ by up to a tenth of a radian because the disc turns.
    """
    words = {
        "weight": "disc.contact_force(crate).z",
        "carried": "crate.contact_force.z",
        "rubs": "disc.friction_force.norm",
    }
    found = rigidsim.simulate(sliding({name: f"= at(0.05, '{word}')" for name, word in words.items()})).metrics
    assert found["weight"] == pytest.approx(-6 * G, rel=1e-6) and found["carried"] == -found["weight"]
    assert 0.395 < found["rubs"] / (6 * G) < 0.4


def test_equal_numbers_do_not_change_the_structure():
    one, other = (tree({"m": f"= final(x('ball') + {a}) + final(x('ball') + 1)"}) for a in (1, 2))
    assert structure(build_world(one)) == structure(build_world(other))


def test_a_block_that_begins_again_forgets():
    worlds = [build_world(falling({"a": f"= max(z('ball')) + {k}", "b": "= drift"})) for k in range(2)]
    run = BlockRun(worlds[:1], 1)
    for world in worlds:
        run.begin_again(world.model, world.state.copy())
        run.advance(STEPS)
        assert run.metrics()[0, 0] == HEIGHT + float(world is worlds[1])


def test_metrics_do_not_depend_on_slices_or_on_what_is_recorded():
    scene = tree(EVERY)
    whole = Simulation(scene)
    for _ in whole.blocks():
        pass
    pieces = Simulation(scene)
    for n in (1, 5, 2, 3, 9):
        pieces.step(n)
        place = pieces._run.place()
        before = bits(pieces.metrics.values())
        pieces._run.advance(1)
        pieces._run.go_back(place)
        assert bits(pieces.metrics.values()) == before
    assert bits(pieces.metrics.values()) == bits(whole.metrics.values())


def test_a_metric_changes_no_sample():
    assert rigidsim.simulate(tree(EVERY)).content_hash == rigidsim.simulate(tree({})).content_hash


def test_without_metrics_there_is_nothing():
    scene = tree({})
    assert build_world(scene).model.metrics is None
    assert rigidsim.simulate(scene).metrics == {} and by_kernel([scene], 1).shape == (0, 1)


def test_the_metrics_of_a_run_that_fails_cover_what_it_recorded():
    metrics = {"reached": "= final(t)", "size": "= max(abs(x('ball')))"}
    scene = falling(metrics).resolved()
    scene["bodies"]["ball"]["forces"] = [{"force": ["= 1e9*x^3 + 1", 0, 0]}]
    with pytest.raises(rigidsim.SimulationError) as caught:
        rigidsim.simulate(rigidsim.Scene.from_dict(scene))
    kept = caught.value.trajectory
    assert 0 < kept.metrics["reached"] == kept.time[-1] < 1
    assert kept.metrics["size"] == np.abs(kept["ball"].world.position[:, 0]).max()
