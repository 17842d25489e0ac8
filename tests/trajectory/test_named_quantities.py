"""Quantities by name: against the Python API, against the diagnostics of the run, and in windows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import rigidsim
from contact_logs import history_of
from every_node import SCENE
from rigidsim.analysis.colours import colour_of, colours
from rigidsim.analysis.quantities import named, names
from rigidsim.errors import NotRecordedError, UsageError
from rigidsim.plots.history import PlottedHistory
from rigidsim.plots.requests import RequestReader
from rigidsim.trajectory.stored_chunks import StoredChunks

LOAD = "deck/crane/load"


@pytest.fixture(scope="module")
def touched():
    return history_of(contacts=True, terms=True)


def rotation(motion) -> Rotation:
    """Orientations as scipy knows them."""
    return Rotation.from_quat(motion.orientation.copy(), scalar_first=True)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        (f"{LOAD}.position", lambda t: t[LOAD].world.position),
        ("load.position", lambda t: t[LOAD].world.position),
        ("crane/load.position.y@world", lambda t: t[LOAD].world.position[:, 1]),
        (f"{LOAD}.velocity@parent", lambda t: t[LOAD].local.velocity),
        (f"{LOAD}.local.velocity.z", lambda t: t[LOAD].local.velocity[:, 2]),
        (f"{LOAD}.world.angular_velocity", lambda t: t[LOAD].world.angular_velocity),
        ("load.position.x@deck", lambda t: t[LOAD].seen_from("deck").position[:, 0]),
        ("load.orientation.w@hook", lambda t: t[LOAD].seen_from("deck/crane/hook").orientation[:, 0]),
        ("load.speed", lambda t: np.linalg.norm(t[LOAD].world.velocity, axis=1)),
        ("load.velocity.norm", lambda t: np.linalg.norm(t[LOAD].world.velocity, axis=1)),
        ("load.distance@deck", lambda t: np.linalg.norm(t[LOAD].seen_from("deck").position, axis=1)),
        ("load.angular_speed@parent", lambda t: np.linalg.norm(t[LOAD].local.angular_velocity, axis=1)),
        ("load.terms.coriolis", lambda t: t[LOAD].term("coriolis")),
        ("load.acceleration.x", lambda t: t[LOAD].term("acceleration")[:, 0]),
        ("time", lambda t: t.time),
        ("work", lambda t: t.diagnostic("work")),
        ("total_energy", lambda t: t.total_energy),
        ("energy_drift", lambda t: t.total_energy - t.total_energy[0]),
        ("angular_momentum.z", lambda t: t.angular_momentum[:, 2]),
        ('= 2 * v_x("deck") + t', lambda t: 2 * t["deck"].world.velocity[:, 0] + t.time),
        (f'= x("{LOAD}", "deck") - x("world")', lambda t: t[LOAD].seen_from("deck").position[:, 0]),
    ],
)
def test_names_are_what_the_python_api_gives(history, name, read):
    np.testing.assert_allclose(named(history, name).of(), read(history), rtol=1e-15, atol=0)


def test_vectors_in_other_axes_are_rotated(history):
    """Against rotation matrices of scipy, to rounding."""
    body, parent = rotation(history[LOAD].world), rotation(history["deck/crane"].world)
    velocity, term = history[LOAD].world.velocity.copy(), history[LOAD].term("centrifugal").copy()
    close = {"rtol": 0, "atol": 1e-13}
    np.testing.assert_allclose(named(history, "load.velocity@body").of(), body.inv().apply(velocity), **close)
    np.testing.assert_allclose(named(history, "load.terms.centrifugal@world").of(), parent.apply(term), **close)
    own = (body.inv() * parent).apply(term)
    np.testing.assert_allclose(named(history, "load.terms.centrifugal@body").of(), own, **close)
    for k, axis in enumerate("xyz"):
        np.testing.assert_allclose(named(history, f"load.axis_{axis}").of(), body.as_matrix()[:, :, k], **close)
    angles = named(history, "load.angles")
    assert angles.components == ("roll", "pitch", "yaw")
    np.testing.assert_allclose(angles.of()[:, ::-1], body.as_euler("ZYX"), rtol=0, atol=1e-12)


@pytest.mark.parametrize("made", ["history", "touched"])
def test_energies_and_momenta_of_bodies_add_up_to_those_of_the_run(made, request):
    """Also where a reparenting changes what is fixed to a body."""
    trajectory = request.getfixturevalue(made)
    free = [path for path in trajectory if f"{path}.kinetic_energy" in names(trajectory)]
    for name, of_run in (("kinetic_energy", "kinetic_energy"), ("linear_momentum", "linear_momentum"),
                         ("angular_momentum", "spin_angular_momentum")):  # fmt: skip
        total = sum(named(trajectory, f"{path}.{name}").of() for path in free)
        np.testing.assert_allclose(total, trajectory.diagnostic(of_run), rtol=1e-12, atol=1e-12)
    own = named(trajectory, f"{free[0]}.angular_momentum@body").of()
    turned = rotation(trajectory[free[0]].world).inv().apply(named(trajectory, f"{free[0]}.angular_momentum").of())
    np.testing.assert_allclose(own, turned, rtol=0, atol=1e-12)


def test_a_body_that_is_joined_to_another_has_no_energy_of_its_own_then():
    scene = SCENE | {"reparent": [{"body": LOAD, "to": "deck", "motion": "fixed", "time": 1}]}
    trajectory = rigidsim.simulate(rigidsim.Scene.from_dict(scene))
    load, deck = (named(trajectory, f"{path}.kinetic_energy").of() for path in (LOAD, "deck"))
    joined = trajectory.time >= 1
    assert np.isnan(load[joined]).all() and not np.isnan(load[~joined]).any()
    np.testing.assert_allclose(np.nan_to_num(load) + deck, trajectory.diagnostic("kinetic_energy"), rtol=1e-12)


def test_forces_of_contact_are_those_of_the_contact_points(touched):
    for body in ("car", "car/wheel", "ball", "floor"):
        for name, forces in (("contact_force", lambda p: p.force), ("friction_force", lambda p: p.friction)):
            expected = [sum(p.on(body, forces(p)).values(), np.zeros(3)) for p in touched.contacts]
            np.testing.assert_allclose(named(touched, f"{body}.{name}").of(), expected, rtol=0, atol=1e-14)
    for other in ("floor", "car"):
        expected = [p.on("ball", p.force).get(other, np.zeros(3)) for p in touched.contacts]
        np.testing.assert_allclose(named(touched, f"ball.contact_force({other})").of(), expected, rtol=0, atol=1e-14)
    one = named(touched, "ball.friction_force(floor).norm")
    assert (one.label, one.unit) == ("ball |friction of floor|", "N")
    assert named(touched, "contact_count").of().tolist() == touched.contacts.count.tolist()
    assert named(touched, "wheel.contact_force").of().any()


@pytest.mark.parametrize("made", ["history", "touched"])
@pytest.mark.parametrize("samples", [slice(2, 7), slice(None, None, 3), slice(5, 5)])
def test_some_samples_are_the_same_numbers(made, samples, request, tmp_path):
    """In memory and from a file, in every quantity."""
    trajectory = request.getfixturevalue(made)
    trajectory.save(tmp_path / "a.h5")
    with rigidsim.load(tmp_path / "a.h5") as stored:
        assert names(stored) == names(trajectory)
        for name in names(trajectory):
            whole = named(trajectory, name)
            for source in (trajectory, stored):
                part = named(source, name)
                assert (part.label, part.unit, part.components) == (whole.label, whole.unit, whole.components)
                np.testing.assert_array_equal(part.of(samples), whole.of()[samples])


def test_of_a_file_only_the_chunks_of_the_body_are_read(tmp_path, monkeypatch):
    """Twenty bodies are in three chunks."""
    bodies = {f"b{k}": {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "position": [k, 0, 0]} for k in range(20)}
    scene = {"format": "rigidsim/1", "simulation": {"duration": 50, "step": 0.01}, "bodies": bodies}
    rigidsim.simulate(rigidsim.Scene.from_dict(scene)).save(tmp_path / "a.h5")
    read, stored = [], StoredChunks._stored
    monkeypatch.setattr(StoredChunks, "_stored", lambda chunks, number: read.append(number) or stored(chunks, number))
    with rigidsim.load(tmp_path / "a.h5") as trajectory:
        rows = trajectory.arrays["world/position"]._chunks.chunks[0]
        n_row = -(-len(trajectory.time) // rows)
        named(trajectory, "b17.position.x").of()
        of_bodies = [number for number in read if len(number) == 3]
        assert len(of_bodies) == n_row and len({number[1] for number in of_bodies}) == 1
        read.clear()
        named(trajectory, "b17.speed@b16").of(slice(0, 10))
        assert len(read) == 1 + 8 and {number[0] for number in read} == {0}  # time; four quantities of two bodies


@pytest.mark.parametrize(
    ("name", "label", "unit"),
    [
        ("load.position.x", "load position x", "m"),
        ("load.velocity@parent", "load velocity, relative to its parent", "m/s"),
        ("load.angular_velocity.norm@body", "load |angular velocity|, in its own axes", "rad/s"),
        ("load.speed@hook", "load speed, seen from hook", "m/s"),
        ("load.terms.coriolis", "load coriolis term", "m/s²"),
        ("load.acceleration@world", "load acceleration, in world axes", "m/s²"),
        ("kinetic_energy", "kinetic energy", "J"),
        ("= t / 2", "t / 2", "s"),
    ],
)
def test_labels_and_units(history, name, label, unit):
    found = named(history, name)
    assert (found.label, found.unit) == (label, unit)


def test_lengths_have_the_unit_of_the_frame():
    brick = {"mass": 1, "inertia": {"principal": [1, 1, 1]}}
    bodies = {"map": {"motion": "fixed", "scale": 0.5, "children": {"a.b": brick}}}
    trajectory = rigidsim.simulate(
        rigidsim.Scene.from_dict({"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.1}, "bodies": bodies})
    )
    units = [named(trajectory, f"a.b.{name}").unit for name in ("speed", "speed@parent", "position@map", "speed@a.b")]
    assert units == ["m/s", "0.5 m/s", "0.5 m", "0.5 m/s"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("lod.speed", "there is no body 'lod'; did you mean 'load'"),
        ("load.sped", "there is no quantity 'sped' of a body; did you mean 'speed'"),
        ("load.speed.x", "has no component 'x'"),
        ("load.speed(deck)", "'speed' is of one body; omit '(deck)'"),
        ("load.velocity.w", "has no component 'w'; there are x, y, z"),
        ("load.orientation.norm", "'orientation' has no component 'norm'"),
        ("load.velocity@dek", "there is no body 'dek'; did you mean 'deck'"),
        ("load.position@body", "'position' has no frame 'body'; there are world, parent, the path of a body"),
        ("load.terms.coriolis@deck", "has no frame 'deck'; there are parent, world, body"),
        ("load.world.velocity@deck", "has two frames; omit '.world' or '@deck'"),
        ("load.terms.corolis", "did you mean 'terms.coriolis'"),
        ("load.weight", "there are position, orientation, velocity"),
        ("load", "'load' is a body; name one of its quantities, such as load.speed"),
        ("kinetic", "there is no quantity 'kinetic'; did you mean 'kinetic_energy'"),
        ("crane.kinetic_energy", "'deck/crane' is prescribed: only free and jointed bodies"),
        ("beacon.linear_momentum", "'beacon' is fixed: only free and jointed bodies"),
        ("load.contact_force", "nothing touches in this scene"),
        ("= speed('lod')", "there is no body 'lod'"),
        ("= speed('load", "the expression"),
        ("= max(speed('deck'))", "the expression"),
        ("", "there is no quantity ''"),
        (3, "a quantity must be a string"),
    ],
)
def test_a_wrong_name_is_explained(history, name, message):
    with pytest.raises(UsageError, match=message.replace("(", r"\(").replace(")", r"\)")):
        named(history, name).of()


def test_ends_of_paths_must_be_unique():
    brick = {"mass": 1, "inertia": {"principal": [1, 1, 1]}}
    bodies = {"a": brick | {"children": {"wheel": brick}}, "b": brick | {"children": {"wheel": brick}}}
    scene = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.1}, "bodies": bodies}
    trajectory = rigidsim.simulate(rigidsim.Scene.from_dict(scene))
    assert named(trajectory, "b/wheel.speed").name == "b/wheel.speed"
    with pytest.raises(UsageError, match="'wheel' is ambiguous: a/wheel, b/wheel"):
        named(trajectory, "wheel.speed").of()


def test_what_was_not_recorded_is_no_quantity():
    record = {"simulation": SCENE["simulation"] | {"record": [{"bodies": [LOAD], "of": ["world/position"]}]}}
    trajectory = rigidsim.simulate(rigidsim.Scene.from_dict(SCENE | record))
    found = names(trajectory)
    assert f"{LOAD}.position" in found and "beacon.speed" in found
    assert not {f"{LOAD}.speed", "deck.position", "kinetic_energy", f"{LOAD}.terms.coriolis"} & set(found)
    for name in ("deck.position", "work"):
        with pytest.raises(NotRecordedError, match="record"):
            named(trajectory, name).of()


def test_each_body_has_a_colour():
    assert colours(["a", "a/b"]) == {"a": colour_of(0), "a/b": colour_of(1)}
    assert len({colour_of(k) for k in range(7)}) == 7 and colour_of(7) == colour_of(0)
    assert all(len(colour_of(k)) == 7 and int(colour_of(k)[1:], 16) >= 0 for k in range(7))


def test_a_body_with_the_name_of_a_quantity_of_the_run_hides_it_not():
    """Alone the name is that of the run; with a quantity of bodies behind it, that of the body."""
    body = {"mass": 2, "inertia": "point", "velocity": [3, 0, 0]}
    scene = {"format": "rigidsim/1", "simulation": {"duration": 0.1, "step": 0.05}, "bodies": {"kinetic_energy": body}}
    history = rigidsim.simulate(rigidsim.Scene.from_dict(scene))
    np.testing.assert_allclose(named(history, "kinetic_energy").of(), 9.0, rtol=1e-14)
    np.testing.assert_allclose(named(history, "kinetic_energy.speed").of(), 3.0, rtol=1e-14)


def test_parts_that_are_not_free_have_no_acceleration_of_their_own():
    """It is not recorded, which is no reason for an empty picture."""
    part = {"mass": 1, "inertia": {"principal": [0.1, 0.1, 0.1]}, "motion": "fixed"}
    arm = {"motion": {"prescribed": {"angular_velocity": [0, 0, 1]}}}
    cart = {"mass": 2, "inertia": {"principal": [1, 1, 1]}, "children": {"rider": part, "arm": arm}}
    simulation = {"duration": 0.1, "step": 0.01}
    scene = rigidsim.Scene.from_dict({"format": "rigidsim/1", "simulation": simulation, "bodies": {"cart": cart}})
    trajectory = rigidsim.simulate(scene, terms=True)
    for name, kind in (("rider", "fixed"), ("arm", "prescribed")):
        for key in ("acceleration", "angular_acceleration.x", "terms.euler@world"):
            with pytest.raises(UsageError) as caught:
                named(trajectory, f"{name}.{key}").of()
            words = "only free and jointed bodies have recorded accelerations and their terms"
            assert str(caught.value) == f"'cart/{name}' is {kind}: {words}; ask for 'cart', which moves it"
        with pytest.raises(UsageError, match="only free and jointed bodies have energy and momentum"):
            named(trajectory, f"{name}.kinetic_energy").of()
    requests = RequestReader(PlottedHistory(trajectory, 0, "", slice(None))).requests("*.acceleration")
    assert [one.quantities[0].body for one in requests] == ["cart"]
