"""Contact points in trajectories and simulations: recorded at samples, stored, reported."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

import rigidsim
from contact_logs import BALL, FLOOR, NAMES, SCENE, TOUCHING, WHEEL, Touched, history_of, log_of, points_of
from rigidsim.errors import FormatError, UsageError
from rigidsim.report.explain import BodyReport
from rigidsim.trajectory import Trajectory
from rigidsim.trajectory.fields import POINT_NAMES
from rigidsim.trajectory.writer import Writer


@pytest.fixture(scope="module")
def history():
    return history_of(contacts=True, terms=True)


@pytest.fixture
def file(history, tmp_path):
    history.save(tmp_path / "touched.h5")
    return tmp_path / "touched.h5"


def test_points_belong_to_their_samples(history):
    assert len(history.contacts) == 11 and history.contacts.count.tolist() == [0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 1]
    points = history.contacts[2]
    assert (len(points), points.time) == (2, history.time[2])
    assert points.shapes == [("car/wheel.shapes[0]", "floor.shapes[0]")] * 2
    assert points.force[:, 2].tolist() == [-6.0, -3.81] and points.normal.tolist() == [[0, 0, -1]] * 2
    assert points.point[:, 0].tolist() == [0, 1]
    assert history.contacts.at(0.31).force[0, 2] == -9.81 and len(history.contacts.at(0.9)) == 0
    assert [len(points) for points in history.contacts] == history.contacts.count.tolist()
    with pytest.raises(IndexError):
        _ = history.contacts[11]


def test_forces_on_a_body_and_friction(history):
    forces = history.contacts[2].on("car")
    assert forces.keys() == {"floor"} and forces["floor"] == pytest.approx([0, 0, 9.81], abs=1e-15)
    assert history.contacts[2].on("floor")["car"] == pytest.approx([0, 0, -9.81], abs=1e-15)
    assert history.contacts[2].on("ball") == {} and not history.contacts[2].friction.any()
    with pytest.raises(UsageError, match="there is no body 'bal'"):
        history.contacts[2].on("bal")
    slope = Trajectory(history.header, history.arrays | {"contacts/force": np.tile([3.0, 0, -4.0], (4, 1))})
    assert slope.contacts[3].friction.tolist() == [[3, 0, 0]]
    reported = str(BodyReport.of(slope, "car", 0.3))
    assert "with 5 N, of which 3 N are friction" in reported


def test_a_file_gives_back_the_points(history, file):
    with rigidsim.load(file) as read:
        assert read.header.with_contacts and read.content_hash == history.content_hash
        assert read.header.dataset_names == history.header.dataset_names
        for name in ("contacts/count", "contacts/work", *POINT_NAMES):
            np.testing.assert_array_equal(read.arrays[name], history.arrays[name], strict=True)
        assert read.contacts[10].on("ball")["car"].tolist() == [0, 0, -2]


def test_blocks_of_any_size_make_the_same_file(history, tmp_path):
    begins = np.concatenate([[0], np.cumsum(history.contacts.count)])
    with Writer(tmp_path / "b.h5", history.header, 1) as writer:
        for begin, end in ((0, 1), (1, 1), (1, 3), (3, 11)):
            rows = {False: slice(begin, end), True: slice(begins[begin], begins[end])}
            names = history.header.dataset_names
            writer.append_arrays({name: np.asarray(history.arrays[name])[rows[name in POINT_NAMES]] for name in names})
        writer.finish("complete", "", history.events)
    with rigidsim.load(tmp_path / "b.h5") as loaded, h5py.File(tmp_path / "b.h5") as raw:
        assert loaded.content_hash == loaded.stored_hash == history.content_hash
        assert raw["contacts/row"][()].tolist() == [0, 1, 2, 3]


def test_blocks_of_a_simulation_carry_the_points_of_their_samples(monkeypatch):
    from rigidsim.simulation import single

    monkeypatch.setattr(single, "chunk_rows", lambda *_: 3)
    simulation, counts = Touched(contacts=True, touching=TOUCHING[:2]), []
    for block in simulation.blocks():
        counts.append(block.contacts["contacts/count"].tolist())
        later = points_of(TOUCHING[2:3] if len(counts) == 1 else [])
        simulation._run.contact.add(log_of([]), later)
    assert counts == [[0, 0, 2], [1, 0, 0], [0, 0, 0], [0], [0]]
    assert all(block.contacts == {} for block in Touched().blocks())


def test_simulation_shows_the_present_points():
    simulation = Touched()
    assert len(simulation.contacts) == 1 and simulation.contacts.shapes == [(NAMES[BALL], NAMES[WHEEL])]
    assert repr(simulation.contacts) == "<ContactPoints: 1 points of 1 pairs of shapes, at 0 s>"
    assert NAMES[FLOOR] in simulation.contacts.names


def test_without_contact_there_is_nothing_to_record():
    off = SCENE | {"simulation": SCENE["simulation"] | {"contact": "off"}}
    for record in (rigidsim.Simulation, rigidsim.simulate):
        with pytest.raises(UsageError, match="there are no contacts to record: no two shapes"):
            record(rigidsim.Scene.from_dict(off), contacts=True)
    with pytest.raises(UsageError, match="there are no contacts to record"):
        rigidsim.simulate([rigidsim.Scene.from_dict(off)] * 2, contacts=True)
    with pytest.raises(UsageError, match="nothing touches in this scene: no two of its shapes can meet"):
        _ = rigidsim.simulate(rigidsim.Scene.from_dict(off)).contacts


@pytest.mark.parametrize(
    ("name", "rows", "words"),
    [
        ("contacts/count", np.full(11, 1), "does not match the number of contact points"),
        ("contacts/count", np.array([5, -1, *[0] * 9]), "does not match the number of contact points"),
        ("contacts/first", np.full(4, 3, dtype=np.int32), "refers to shapes that do not exist"),
        ("contacts/second", np.full(4, -1, dtype=np.int32), "refers to shapes that do not exist"),
    ],
)
def test_points_that_make_no_sense_are_refused(history, name, rows, words):
    changed = Trajectory(history.header, history.arrays | {name: rows})
    with pytest.raises(FormatError, match=words):
        _ = changed.contacts[2]


@pytest.mark.parametrize("name", ["contacts/count", "contacts/row", "contacts/force", "contacts/work"])
def test_a_damaged_table_is_refused(file, name):
    with h5py.File(file, "a") as raw:
        del raw[name]
    with pytest.raises(FormatError, match=f"{name} is missing"):
        rigidsim.load(file)


def test_terms_of_contact_are_there_where_shapes_can_touch(history):
    assert history.header.fields[-3].long_name == "force of contact / mass, in the last step"
    assert history["car"].term("contact").shape == history["car"].term("angular_contact").shape == (11, 3)
    total = next(field for field in history.header.fields if field.name == "terms/acceleration")
    assert total.long_name == "sum of applied to coriolis and contact"
    off = SCENE | {"simulation": SCENE["simulation"] | {"contact": "off"}}
    plain = rigidsim.simulate(rigidsim.Scene.from_dict(off), terms=True)
    assert "terms/contact" not in plain.arrays
    with pytest.raises(UsageError, match="there is no term 'contact'"):
        plain["car"].term("contact")


def test_explain_sums_the_term_of_contact(history):
    pushed = np.zeros((11, 10, 3))
    pushed[..., 2] = 2.0
    arrays = history.arrays | {
        "terms/contact": pushed,
        "terms/acceleration": pushed,
        "terms/angular_contact": 0 * pushed,
    }
    reported = str(BodyReport.of(Trajectory(history.header, arrays), "car", 0.2))
    assert "accelerates by 2 m/s2, mainly due to the contact term: force of contact / mass" in reported


GRAVITY = {"world": {"gravity": [0, 0, -9.81]}}


def test_what_rests_on_what():
    """The car is at rest: it is fixed, so to speak, by a plane that is made to carry it."""
    scene = SCENE | {"bodies": SCENE["bodies"] | {"car": SCENE["bodies"]["car"] | {"gravity": False}}} | GRAVITY
    history = history_of(scene=scene, contacts=True, touching=((2, WHEEL, FLOOR, -9.81), (10, WHEEL, FLOOR, -9.81)))
    car = "car rests on floor with 9.81 N"
    assert str(BodyReport.of(history, "car", 0.2)).endswith(car)
    assert str(BodyReport.of(history, "car/wheel", 0.2)).endswith(car)
    assert str(BodyReport.of(history, "floor", 0.2)).endswith("floor carries car with 9.81 N")
    assert "car moves on floor with 9.81 N" in str(BodyReport.of(history, "car", 1.0))
    (reported,) = BodyReport.of(history, "car", 0.2).as_dict()["contacts"]
    assert (reported["other"], reported["force"][2], reported["how"]) == ("floor", 9.81, "rests on")


def test_without_points_the_events_tell_what_touches(tmp_path):
    history = history_of()
    assert str(BodyReport.of(history, "car", 0.4)).endswith("car touches floor")
    with pytest.raises(UsageError, match="no acceleration terms"):
        BodyReport.of(history, "car", 1.0)


@pytest.mark.parametrize(("left", "words"), [(1e-12, "the body stays at rest"), (1e-6, "accelerates by 1e-06 m/s2")])
def test_what_the_solver_leaves_is_no_acceleration(history, left, words):
    pushed, rest = np.zeros((11, 10, 3)), np.zeros((11, 10, 3))
    pushed[..., 2], rest[..., 2] = 9.81, left
    terms = {"contact": pushed, "gravity": rest - pushed, "acceleration": rest, "angular_acceleration": rest}
    arrays = history.arrays | {f"terms/{name}": term for name, term in terms.items()}
    reported = str(BodyReport.of(Trajectory(history.header, arrays), "ball", 0.2))
    assert words in reported and ("angular velocity relative to world is constant" in reported) == (left == 1e-12)
