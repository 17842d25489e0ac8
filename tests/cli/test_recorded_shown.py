"""`simulation.record` from the shell: what is left out is blank or derived, and the right exit code where it is not."""

from __future__ import annotations

import csv
import io
import json

import pytest

import rigidsim

SCENE = """\
format: rigidsim/1
simulation: {duration: 0.2, step: 0.01}
bodies:
  ship:
    mass: 5
    inertia: {principal: [1, 2, 2.5]}
    angular_velocity: [0.1, 0, 1]
    children:
      mast: {position: [0, 0, 2]}
      crate: {mass: 1, inertia: {principal: [1, 1, 1]}, position: [1, 0, 0], velocity: [0.1, 0, 0]}
"""


@pytest.fixture
def run(call, workplace):
    """Run the scene with a selection and return the answer."""
    (workplace / "ship.yaml").write_text(SCENE)

    def answer(record: str, *options: str):
        return call("run", "ship.yaml", "-o", "a.h5", "--force", "--set", f"simulation.record={record}", *options)

    return answer


def table(text: str) -> dict[tuple[float, str], dict[str, str]]:
    return {(float(row["time (s)"]), row["body"]): row for row in csv.DictReader(io.StringIO(text))}


def test_the_summary_of_a_run_has_everything(run):
    whole, part = (json.loads(run(record, "--json").out) for record in ("[local, world, diagnostics]", "[]"))
    for key in ("drift", "last", "samples"):
        assert whole[key] == part[key]


def test_inspect_shows_what_is_known(run, call):
    assert run("[world/position, {bodies: ship/*, of: orientation}]").code == 0
    shown = call("inspect", "a.h5")
    assert shown.code == 0 and not shown.err
    assert "what is blank was not recorded (simulation.record: [world/position, {bodies: [ship/*]" in shown.out
    assert "energies and momenta were not recorded" in shown.out
    assert "orientation [1] of 2 bodies" in shown.out
    found = json.loads(call("inspect", "a.h5", "--json").out)
    ship, mast, crate = found["last"]["bodies"]
    assert ship["orientation"] is None and len(ship["position"]) == 3 and ship["velocity"] is None
    assert len(mast["orientation"]) == len(crate["orientation"]) == 4
    assert [body["speed"] for body in found["bodies"]] == [None] * 3
    assert [body["distance"] is None for body in found["bodies"]] == [False] * 3
    assert found["drift"] == {} and found["warnings"] == []
    by_name = {dataset["name"]: dataset for dataset in found["datasets"]}
    assert by_name["local/orientation"]["bodies"] == ["ship/mast", "ship/crate"]
    assert "bodies" not in by_name["world/position"] and "world/velocity" not in by_name


def test_csv_and_tables_are_those_of_the_whole_where_all_can_be_derived(run, call):
    answers = []
    for record in ("[local, world, diagnostics]", "[world]"):
        run(record)
        every = [
            call("inspect", "a.h5", *more) for more in (["--csv"], ["--csv", "--frame", "ship"], ["--at", "0.105"])
        ]
        assert [answer.code for answer in every] == [0, 0, 0]
        answers.append([answer.out for answer in every])
    whole, part = answers
    assert part[0] == whole[0] and part[2] == whole[2]
    one, other = table(part[1]), table(whole[1])
    assert one.keys() == other.keys()
    for row in one:
        assert all(
            name in ("time (s)", "body") or float(cell) == pytest.approx(float(other[row][name]), abs=1e-14)
            for name, cell in one[row].items()
        )


def test_csv_is_empty_where_nothing_is_known(run, call):
    run("[{bodies: ship, of: world/position}]")
    found = table(call("inspect", "a.h5", "--csv").out)
    assert found[0.2, "ship"]["x (m)"] and not found[0.2, "ship"]["qw"]
    assert not any(found[0.2, "ship/crate"][name] for name in ("x (m)", "qw", "vx (m/s)", "omega_z (rad/s)"))


def test_without_any_motion_there_is_one_sentence(run, call):
    run("[diagnostics]")
    shown = call("inspect", "a.h5")
    assert shown.code == 0 and "at t = 0.2 s: no motion was recorded (simulation.record: [diagnostics])" in shown.out
    assert "energy drift" in shown.out
    for more in (["--at", "0.1"], ["--at", "0.105"]):
        shown = call("inspect", "a.h5", *more)
        assert shown.code == 0 and "no motion was recorded" in shown.out
    refused = call("inspect", "a.h5", "--csv")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == "error: no motion was recorded (simulation.record: [diagnostics])\n"
    # The mast is fixed to the ship, which the scene says.
    shown = call("inspect", "a.h5", "--csv", "--frame", "ship")
    assert shown.code == 0 and table(shown.out)[0.2, "ship/mast"]["z (m)"] == "2.0"


def test_explain_without_the_motion_has_the_terms(run, call):
    run("[{bodies: ship/crate, of: terms}]")
    shown = call("explain", "a.h5", "ship/crate", "--at", "0.1")
    assert shown.code == 0 and "coriolis" in shown.out
    assert "the parts of each force are unknown: local.position of 'ship' was not recorded" in shown.out
    assert json.loads(call("explain", "a.h5", "ship/crate", "--at", "0.1", "--json").out)["forces"] == []
    refused = call("explain", "a.h5", "ship", "--at", "0.1")
    assert refused.code == 2 and "the terms of 'ship' were not recorded" in refused.err


def test_explain_with_the_motion_of_one_frame_is_as_with_all(run, call):
    answers = []
    for record in ("[local, world, terms]", "[world, terms]"):
        run(record)
        answers.append(call("explain", "a.h5", "ship/crate", "--at", "0.1").out)
    assert "cent" in answers[0] and answers[0] == answers[1]


STIFF = """\
format: rigidsim/1
simulation: {duration: 1, step: 0.1}
bodies:
  bob:
    mass: 1
    inertia: point
    position: [1, 0, 0]
    velocity: [1, 0, 0]
    forces: [{type: spring, to: world, stiffness: 100}]
"""


@pytest.mark.parametrize(
    ("record", "cause"),
    [
        ("[local]", "likely cause: the spring to world (bob, forces[0]) on 'bob'"),
        ("[]", "its cause is unknown, because local.position of 'bob' was not recorded"),
    ],
)
def test_a_drift_is_warned_of_with_its_cause_if_that_can_be_seen(call, workplace, record, cause):
    (workplace / "stiff.yaml").write_text(STIFF)
    how = ("--set", f"simulation.record={record}")
    answer = call("run", "stiff.yaml", "-o", "a.h5", "--force", "-q", *how)
    assert answer.code == 0 and "the energy drifted" in answer.err and cause in answer.err
    assert call("run", "stiff.yaml", "-o", "a.h5", "--force", "-q", "--strict", *how).code != 0


def test_the_option_adds_terms(run):
    run("[world]", "--terms")
    with rigidsim.load("a.h5") as read:
        assert read.header.with_terms and "local/position" not in read.header.dataset_names
