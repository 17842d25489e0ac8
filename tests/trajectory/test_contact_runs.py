"""`run` on scenes with contact: what it records, and what it says at the end."""

from __future__ import annotations

import json

import numpy as np
import pytest
import yaml

import rigidsim
from contact_logs import SCENE, Touched
from rigidsim.cli import main
from rigidsim.engine.model import layout
from rigidsim.report.explain import BodyReport
from rigidsim.runner import run
from rigidsim.trajectory.contact_ledger import CAUSES, OTHERS, ContactLedger
from rigidsim.trajectory.fields import angular_terms, linear_terms

LEDGER = ContactLedger(-3, -2, -1, -0.5, 0, 0, -0.25, -0.25, kinetic_energy=100, left_out=2, unsettled=3)


class Worked(Touched):
    """With contact that has done -7 J of work."""

    contact_ledger = LEDGER

    def __init__(self, scene, **options):
        super().__init__(**options)

    def blocks(self, *options):
        """As those of a simulation."""
        for block in super().blocks(*options):
            block.ledger[:, layout.LEDGER.contact] = -7.0
            yield block


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """(exit code, stdout, stderr) of `run` with these options, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(*options: str, scene: dict = SCENE) -> tuple[int, str, str]:
        (tmp_path / "touched.yaml").write_text(yaml.safe_dump(scene))
        monkeypatch.setattr("sys.argv", ["rigidsim", "run", "touched.yaml", "-o", "a.h5", "--force", *options])
        with pytest.raises(SystemExit) as left:
            main()
        return int(left.value.code or 0), *capsys.readouterr()

    return call


def test_a_run_ends_with_what_struck_what(command, monkeypatch):
    monkeypatch.setattr(run, "Simulation", Worked)
    code, reported, warned = command("--contacts")
    assert code == 0
    summary = reported[reported.index("3 impacts") :].splitlines()
    assert summary[:12] == [
        "3 impacts, 1 touch began, 1 ended",
        "",
        "what contact did             energy, J",
        "  impacts, restitution              -3",
        "  impacts, friction                 -2",
        "  friction                          -1",
        "  damping                         -0.5",
        "  loads along displacements      -0.25",
        "  error of contact               -0.25  (0.0025 of the largest kinetic energy)",
        "  in all                            -7",
        "2 impacts too slow for restitution, treated as e = 0",
        "the impulses of 3 impacts through many bodies at once did not settle. Momentum is conserved, but how the"
        " bodies share it, and which rebound, is approximate. Compare with a run with half the step",
    ]
    assert [line.split() for line in summary[14:]] == [
        ["ball", "and", "car/wheel", "2", "5", "-4"],
        ["ball", "and", "floor", "1", "3", "-1"],
    ]
    with rigidsim.load("a.h5") as read:
        assert read.contacts.count.sum() == 4 and read.arrays["contacts/work"][-1] == -7.0
    assert "the error of contact is -0.25 J, 0.0025 of the largest kinetic energy, 100 J" in warned
    assert "use at most 0.006 s" in warned  # of 0.01 s: the error is of second order
    found = json.loads(command("--json")[1])["contact"]
    assert (found["impacts"], found["energy_in_impacts"], found["other_work"]) == (3, -5, -2)
    assert found["ledger"] == {name: getattr(LEDGER, name) for name in (*CAUSES, "work", *OTHERS)}
    with rigidsim.load("a.h5") as read:
        assert len(read.events.contact) == 5 and not read.header.with_contacts


def test_the_table_of_pairs_is_short(monkeypatch):
    """Of 100 pairs the eight with the largest impulses."""
    from rigidsim.engine.model import layout
    from rigidsim.report.contact import ContactSummary
    from rigidsim.report.sections import Report
    from rigidsim.trajectory.events import ContactEvents, no_side_rows
    from rigidsim.trajectory.fields import EVENT_COLUMNS

    class Balls:
        shapes = tuple(f"ball_{k}.shapes[0]" for k in range(101))

    columns = {c.name: np.zeros(c.shape(200), dtype=c.dtype) for c in EVENT_COLUMNS} | no_side_rows()
    columns["events/cause"][:] = layout.CAUSE_IMPACT
    columns["events/first"][:100], columns["events/second"][:100] = np.arange(100), 100
    columns["events/first"][100:], columns["events/second"][100:] = 100, np.arange(100)
    columns["events/impulse"][:, 1] = np.arange(200)
    summary = ContactSummary(ContactEvents(Balls, columns))
    assert len(summary.pairs) == 100 and {pair.impacts for pair in summary.pairs} == {2}
    lines = Report(*summary.sections()).text().splitlines()
    assert len(lines) == 2 + 8 + 1 and lines[-1] == "... and 92 more"
    assert lines[2].split() == ["ball_100", "and", "ball_99", "2", "199", "0"]


def test_without_contact_contacts_cannot_be_recorded(command):
    off = SCENE | {"simulation": SCENE["simulation"] | {"contact": "off"}}
    code, _, reported = command("--contacts", scene=off)
    assert code == 2 and "there are no contacts to record" in reported
    code, reported, _ = command()
    assert code == 0 and "impact" not in reported


DROP = {
    "format": "rigidsim/1",
    "simulation": {"duration": 0.4, "step": 0.005, "record_every": 0.05, "contact": "stepping"},
    "world": {"gravity": [0, 0, -9.81]},
    "bodies": {
        "ball": {
            "mass": 2,
            "position": [-3, 0, 0.5],
            "shapes": [{"type": "sphere", "radius": 0.1}],
            "material": {"restitution": 0.8},
        },
        "box": {"mass": 1, "position": [0, 0, 0.5], "shapes": [{"type": "box", "size": [1, 1, 1]}]},
        "floor": {"motion": "fixed", "shapes": [{"type": "plane"}]},
    },
}


def test_a_ball_that_bounces_beside_a_box_at_rest(tmp_path):
    """The ball falls by 0.4 m, for 0.2856 s, and arrives with 2.8014 m/s; 1 - 0.8^2 of its 7.848 J are lost."""
    trajectory = rigidsim.simulate(rigidsim.Scene.from_dict(DROP), terms=True, contacts=True)
    (impact,) = [event for event in trajectory.events if event.cause == "impact"]
    fall, speed = np.sqrt(2 * 0.4 / 9.81), np.sqrt(2 * 0.4 * 9.81)
    assert impact.bodies == ("ball", "floor") and impact.time == pytest.approx(fall, abs=1e-12)
    assert impact.energy == pytest.approx(-0.36 * 2 * 9.81 * 0.4, abs=1e-12)
    assert abs(impact.impulse[2]) == pytest.approx(1.8 * 2 * speed, abs=1e-12)
    assert impact.impulse[2] * impact.normal[2] > 0  # it pushes the second body away from the first
    begins = [event for event in trajectory.events if event.cause == "contact_begins"]
    assert [event.bodies for event in begins] == [("box", "floor")]
    # The box sinks to its level in the first steps; from then on its weight is carried.
    assert trajectory.contacts[8].on("box")["floor"] == pytest.approx([0, 0, 9.81], abs=1e-6)
    assert str(BodyReport.of(trajectory, "box", 0.4)).startswith("box rests on floor with 9.81 N\n")
    for total, terms in (("acceleration", linear_terms), ("angular_acceleration", angular_terms)):
        summed = sum(trajectory.arrays[term.name][:, :2] for term in terms(True, False))
        assert summed == pytest.approx(trajectory.arrays[f"terms/{total}"][:, :2], abs=1e-12)
    assert trajectory.arrays["contacts/work"] == pytest.approx(trajectory.diagnostic("work"), abs=1e-12)
    trajectory.save(tmp_path / "drop.h5")
    with rigidsim.load(tmp_path / "drop.h5") as read:
        assert read.events == trajectory.events and read.content_hash == trajectory.content_hash
