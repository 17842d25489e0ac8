"""Mistakes: each is answered quickly, in a sentence with its place, with the right exit code and no traceback."""

from __future__ import annotations

import json
import os
import shlex

import pytest

from spinning_brick import SCENE, remains
from support.effort import at_most_calls

MOST_CALLS = 5_000_000  # measured: 5000 in a warm process, more in one that first loads numpy, llvmlite and h5py

BOMB = "a0: &a0 [1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 10)
)
ON_WORLD = SCENE.replace("bodies:\n", "bodies:\n  table: {motion: {prescribed: {velocity: [1, 0, 0]}}, mass: 1}\n")
# Name -> text, place, words.
SCENES = {
    "unknown key": (SCENE.replace("    mass", "    mas"), "6:5", "unknown key 'mas'; did you mean 'mass'?"),
    "duplicate key": (SCENE.replace("    mass: 2", "    mass: 2\n    mass: 3"), "7:5", "line 6"),
    "nan": (SCENE.replace("mass: 2", "mass: .nan"), "6:11", "nan is not finite (inf or nan)"),
    "no mass": (SCENE.replace("mass: 2", "mass: 0"), "6:11", "a mass cannot be zero"),
    "impossible inertia": (SCENE.replace("[1, 2, 2.5]", "[1, 2, 3.5]"), "7:14", "3.5"),
    "order of a quaternion": (SCENE.replace("    mass", "    orientation: [1, 0, 0, 0]\n    mass"), "6:18", "wxyz"),
    "mass where it has no effect": (ON_WORLD, "5:56", "a prescribed node exerts no reaction"),
    "alias bomb": (BOMB, "7:10", "aliases stand for more than"),
    "deep nesting": ("[" * 300, "1:201", "nest"),
    "empty": ("", "", "the scene is empty"),
    "tab": (SCENE.replace("    mass", "\tmass"), "6:1", "indent with spaces"),
    "text for a number": (SCENE.replace("mass: 2", "mass: heavy"), "6:11", "expected a number"),
    "awkward step": (SCENE.replace("step: 0.01", "step: 0.03"), "3:33", "nearest steps"),
    "unknown integrator": (SCENE.replace("step:", "integrator: rk4, step:"), "3:39", "did you mean 'rkmk4'?"),
}


@pytest.fixture
def quick_call(call):
    """The command line, its work counted."""

    def answer(*arguments):
        with at_most_calls(MOST_CALLS):
            reported = call(*arguments)
        assert "Traceback" not in reported.err
        assert "internal" not in reported.err
        assert "\x1b" not in reported.err
        return reported

    return answer


@pytest.mark.parametrize(("text", "place", "words"), SCENES.values(), ids=SCENES)
def test_scene_is_refused(quick_call, workplace, text, place, words):
    (workplace / "bad.yaml").write_text(text)
    for command in ("run", "validate"):
        code, out, err = quick_call(command, "bad.yaml")
        assert (code, out) == (3, "")
        assert err.startswith(f"bad.yaml:{place}" if place else "bad.yaml")
        assert ": error[" in err
        assert words in err
    assert remains(workplace) == {"scene.yaml", "bad.yaml"}
    code, out, err = quick_call("validate", "--json", "bad.yaml")
    reported = json.loads(out)
    assert (code, err, reported["valid"]) == (3, "", False)
    assert f"{reported['problems'][0]['line']}:{reported['problems'][0]['column']}".startswith(
        place.split(":")[0] or "0"
    )
    assert any(words in f"{problem['message']}; {problem['hint']}" for problem in reported["problems"])


def test_a_trajectory_in_place_of_a_scene_is_told_so(quick_call, workplace):
    (workplace / "a.h5").write_bytes(b"\x89HDF\r\n\x1a\n")
    code, _, err = quick_call("validate", "a.h5")
    assert code == 3
    assert "a.h5:1:1: error[encoding] this is an HDF5 file, such as a trajectory, not a scene" in err


def test_impossible_inertia_names_the_inequality_and_by_how_much(quick_call, workplace):
    (workplace / "bad.yaml").write_text(SCENES["impossible inertia"][0])
    err = quick_call("validate", "bad.yaml").err
    assert "1 + 2" in err
    assert "3.5" in err
    assert "0.5" in err


def test_all_problems_at_once(quick_call, workplace):
    (workplace / "bad.yaml").write_text(SCENE.replace("mass: 2", "mass: -2").replace("title", "titel"))
    err = quick_call("validate", "bad.yaml").err
    assert "bad.yaml:2:1: error[unknown-key]" in err
    assert "bad.yaml:6:11: error[" in err


def test_exponent_without_a_dot_is_a_number(quick_call, workplace):
    (workplace / "scene.yaml").write_text(SCENE.replace("mass: 2", "mass: 1e3"))
    code, out, _ = quick_call("validate", "scene.yaml")
    assert (code, out) == (0, "scene.yaml: valid; 1 free, 1 fixed; 100 steps of 0.01 s\n")


def test_valid_scene_as_json(quick_call):
    reported = json.loads(quick_call("validate", "--json", "scene.yaml").out)
    assert reported == {
        "schema_version": 1, "valid": True, "problems": [],
        "bodies": {"free": 1, "fixed": 1}, "steps": 100, "contact_settings": {"mode": "off"}, "warnings": [],
    }  # fmt: skip


# Exit code, what is typed, and words of the only line of the answer; a.h5 is a trajectory, s.h5 that of a sweep.
MISTAKES = """\
2 | run scene.yaml --set bodies.brik.mass=3 | there is no 'brik'; did you mean 'brick'?
2 | run scene.yaml --set bodies | is not of the form path=value
3 | run scene.yaml --set bodies.brick.mass=x | --set bodies.brick.mass=x: error[not-a-number] bodies.brick.mass
3 | run scene.yaml --step banana | --set simulation.step=banana: error[not-a-number]
3 | run scene.yaml --integrator rk4 | did you mean 'rkmk4'?
3 | run scene.yaml --integrator "{name: magnus, terms: 7}" | must be at most 4, got 7
2 | run scene.yaml --step | requires an argument
5 | run scene.yaml -o . | . is a folder; name a file, such as out.h5
5 | run scene.yaml -o nowhere/a.h5 | the folder nowhere does not exist
5 | run scene.yaml -o LONG | File name too long
5 | run scene.yaml -o notes | notes exists already; use --force to overwrite it, or use -o to write
5 | run scene.yaml -o notes --force | notes is not a trajectory, or it is damaged; --force
2 | run scene.yaml -o x.txt | -o x.txt: results are written as HDF5, not as .txt; name it x.h5; `rigidsim export` writes
2 | run scene.yaml -o A.CSV | name it A.h5; `rigidsim export` writes tables
2 | run scene.yaml -o scene.yaml --force | not as .yaml; name it scene.h5; scenes are named before -o
2 | sweep scene.yaml --vary RANGE -o s.csv | `rigidsim export` writes tables
5 | run scene.yaml -o /dev/null --force | /dev/null is not a regular file
2 | run scene.yaml --set bodies.brick.center_of_mass[-1]=3 | there is no 'center_of_mass'; set the whole value
2 | run scene.yaml --set bodies.brick.velocity[-1]=3 | '[-1]' is not an index into a list of 3
2 | run scene.yaml --set bodies..brick=3 | there is no name before '.brick'
2 | run scene.yaml --set [-1]=3 | there is no name before '[-1]'
2 | plot a.h5 velocity -o notes.png | 'velocity' is a quantity of a body; write BODY.velocity
2 | plot a.h5 zzz -o notes.png | there is no quantity 'zzz'; write BODY.position
2 | inspect a.h5 brick.velocity[-1] | cannot be given in '-1'; units: m/s
2 | inspect a.h5 brik.speed | did you mean 'brick'
2 | inspect a.h5 brick.sped | did you mean 'speed'
2 | inspect a.h5 brick | is a body; name one of its quantities
2 | inspect a.h5 brick.speed --at 2 | the time 2 s is outside the trajectory, 0 to 1 s
2 | inspect a.h5 brick.speed --at 0 --csv | leave these out
2 | inspect a.h5 brick.speed --csv | leave these out
2 | inspect a.h5 brick.speed --frame brick | a quantity names its own frame, as in ball.position@table
2 | inspect a.h5 "= sped('brick')" | unknown function 'sped'
2 | inspect a.h5 brick.terms.gravity | terms
2 | inspect a.h5 --at 2 | time 2.0 s is outside the trajectory, which covers 0 to 1 s
2 | inspect a.h5 --at nan | outside the trajectory
2 | inspect a.h5 --at soon | soon
2 | inspect a.h5 --frame brik | there is no body 'brik'; did you mean 'brick'?
2 | inspect a.h5 --frame brik --csv | there is no body 'brik'
2 | inspect a.h5 --csv --json | --csv and --json
2 | explain a.h5 brik --at 0 | there is no body 'brik'; did you mean 'brick'?
2 | explain terms.h5 brick/mark --at 0 | is not a free body
2 | explain terms.h5 brick --at 1.5 | time 1.5 s is outside the trajectory, which covers 0 to 1 s
2 | explain terms.h5 brick --at nan | time nan s is outside the trajectory
2 | explain a.h5 brick | --at
2 | diff a.h5 | Missing argument 'SECOND'
2 | export a.h5 | name the format with --to csv or --to netcdf, or the file with -o out.csv or -o out.nc
2 | export a.h5 -o - --to netcdf | NetCDF cannot be written to standard output; name a file with -o out.nc
2 | export a.h5 -o a.nc --to csv | -o a.nc: the name of a csv file must end with .csv
2 | export a.h5 -o a.txt | a.txt: the name must end with one of .csv, .nc, .nc4
2 | export a.h5 -o a.csv brick.sped | did you mean 'speed'
2 | export a.h5 -o a.csv --frame brik | there is no body 'brik'
2 | export a.h5 -o a.csv --frame brick brick.speed | choose one
2 | export a.h5 -o a.csv --events brick.speed | make different tables
2 | plot brick.speed | brick.speed is no file; name a trajectory first
2 | plot a.h5 brick.speed b.h5 | b.h5: files come before quantities
2 | plot a.h5 brik.speed | there is no body 'brik'; did you mean 'brick'?
2 | plot a.h5 brick.sped | did you mean 'speed'?
2 | plot a.h5 brick | 'brick' is a body; name one of its quantities, such as brick.speed
2 | plot a.h5 brick.terms | no terms were recorded; `rigidsim run scene.yaml --terms` records them
2 | plot a.h5 brick.contact_force | nothing touches in this scene
2 | plot a.h5 --against time | --against time: name the quantities to draw over it
2 | plot a.h5 --from 3 | the trajectory covers 0 to 1 s
2 | plot a.h5 --from soon | soon
2 | plot a.h5 --size 8 | --size 8: write width and height such as 8x5 (inches) or 20x12cm
2 | plot a.h5 --size 0x5 | --size 0x5
2 | plot a.h5 --size 900x5 | the size must be width and height, from 0.5 to 100 inches
2 | plot a.h5 --plane xx | the plane must be one of xy
2 | plot a.h5 -o a.jpg | a.jpg: the name must end with one of .png, .svg, .pdf
2 | plot a.h5 -o a.h5 | a.h5: the name must end with one of .png
5 | plot a.h5 -o none/a.png | the folder none does not exist
5 | plot none.h5 | none.h5 cannot be read: No such file
6 | plot scene.yaml | scene.yaml is not a trajectory; if it is a scene, rigidsim run scene.yaml makes one
2 | plot | Missing argument
2 | plot s.h5 tap | the sweep has no metric 'tap'; did you mean 'top'?
2 | plot s.h5 --over spin | --over spin: the sweep did not vary it; it varied bodies.brick.mass
2 | plot s.h5 --path brick | --path: not for the result file of a sweep
2 | plot s.h5 --from 0 | --from: not for the result file of a sweep
2 | plot s.h5 -o a.bmp | a.bmp: the name must end with one of .png, .svg, .pdf
2 | plot a.h5 s.h5 | s.h5 is the result file of a sweep, not a trajectory
2 | plot a.h5 --over mass | --over mass: a.h5 is not the result file of a sweep
2 | view a.h5 --frame brik | there is no body 'brik'; did you mean 'brick'?
2 | view a.h5 --follow brik | did you mean 'brick'?
2 | view a.h5 --from 0.5 --to 0.1 | there are no samples from 0.5 to 0.1 s; the trajectory covers
2 | view a.h5 --from 1e9 | the trajectory covers
2 | view a.h5 --fps 0 | fps must be a positive number, got 0.0
5 | view a.h5 -o a.h5 --force | a.h5 is a trajectory; --force overwrites such pages only
2 | view a.h5 -o a.png | a.png: the name must end with one of .html, .htm
5 | view a.h5 -o nowhere/a.html | the folder nowhere does not exist
5 | view a.h5 -o . | . is a folder; name a file, such as out.html
2 | video a.h5 -o a.avi | a.avi: the name must end with one of .gif, .mp4, .webm, .png
2 | video a.h5 -o a.png | one picture is a .png file with --at TIME; use both or neither
2 | video a.h5 -o a.gif --at 1 | one picture is a .png file with --at TIME
2 | video a.h5 --at 1 --to 1 | --at is the end of what a picture shows
2 | video a.h5 --trace brick --no-traces | --trace and --no-traces exclude each other
2 | video a.h5 --size big | --size big: write width and height in pixels, such as 1280x720
2 | video a.h5 --size 97x65 | even integers
2 | video a.h5 --camera left | --camera 'left': write two or three numbers
2 | video a.h5 --camera 1 | the camera must be azimuth and elevation
2 | video a.h5 --frame brck | did you mean 'brick'
2 | video a.h5 --to 7 | there is no motion from 0 to 7 s; the trajectory covers 0 to 1 s
2 | video a.h5 --fps 0 | fps must be a number from 0.1 to 240
2 | sweep scene.yaml | there is no plan: no number varies
2 | sweep scene.yaml --vary "bodies.brick.mass=[]" | makes zero runs
2 | sweep scene.yaml --vary bodies.brick.mass=1:2:0 | makes zero runs
2 | sweep scene.yaml --vary bodies.brik.mass=1:2:3 | did you mean 'brick'?
2 | sweep scene.yaml --vary bodies.brick.mass=1:2:1000000000 | 1,000,000,000 runs are more than 1,000,000; --yes
2 | sweep scene.yaml --vary bodies.brick.mass=1:2:100000000000000000000 | points are too many; the limit is 2**53
3 | sweep scene.yaml --vary "bodies.brick.mass=1 m:2 m:3" | 'm' is a unit of length, but mass (kg) is expected here
2 | sweep scene.yaml --vary "bodies.brick.mass=1 m:2 kg:3" | 'kg' is a unit of mass, but 'm' is one of length
2 | sweep scene.yaml --vary RANGE --part 1/5 | this part of the plan has no runs
3 | sweep scene.yaml --vary RANGE --record 0.003 | record_every
3 | sweep scene.yaml --vary RANGE --record 0 | --record 0 (the time between samples): error[not-positive]
2 | sweep scene.yaml --vary RANGE --record often | expected metrics, final, or the time between samples
3 | sweep scene.yaml --vary RANGE --record "1 kg" | record_every
2 | sweep scene.yaml --vary RANGE -o - | cannot be written to standard output
2 | sweep scene.yaml --vary RANGE -o "" | the name of the file is empty
2 | sweep scene.yaml --vary "metrics=[{a: = drift}, {b: = drift}]" | the names of metrics cannot vary
2 | sweep scene.yaml --vary "simulation.record=[[world], [local]]" | simulation.record cannot vary
2 | sweep scene.yaml --vary RANGE --resume --force | --force begins again, --resume continues
5 | sweep scene.yaml --vary RANGE -o no/where.h5 | the folder no does not exist
5 | sweep scene.yaml --vary RANGE -o notes --force | --force overwrites result files of sweeps only
6 | sweep scene.yaml --vary RANGE -o notes --resume | notes is not an HDF5 file
2 | run scene.yaml --metric top | --metric: 'top' is not of the form name=value, such as top='= max
2 | run scene.yaml --metric "top== drift" --metric "top== drift" | --metric: 'top' is given twice
3 | run scene.yaml --metric "top== max(sped('brick'))" | unknown function 'sped', at column 7
3 | run scene.yaml --metric "top== max(sped('brick'))" | --metric top== max(sped('brick')): error
3 | run scene.yaml --metric "top== max(speed('brik'))" | there is no body 'brik'
3 | run scene.yaml --metric "b-ad== drift" | a metric cannot be called 'b-ad'
2 | inspect a.h5 --metric "top== max(sped('brick'))" | unknown function 'sped', at column 7
2 | inspect a.h5 --metric "top== max(speed('brik'))" | there is no body 'brik'
2 | view scene.yaml --to 1 -o b.html | its trajectory: rigidsim run scene.yaml
2 | inspect a.h5 --metric 'top== max(speed("brick"))' --at 0.5 |
2 | inspect s.h5 tops | has no metric 'tops'; did you mean 'top'?
2 | inspect s.h5 brick.speed | metrics: top; rigidsim run SCENE --from s.h5 --index N
2 | inspect a.h5 --at inf |
2 | inspect a.h5 --at=-1e400 |
2 | run scene.yaml -o "" |
2 | export s.h5 --to csv brick.speed | are for one run
2 | export s.h5 --to csv --frame brick | are for one run
2 | export s.h5 --to csv --events | are for one run
2 | certify |
2 | compile | no scene was named; name some, or use --all for the example scenes
2 | selftest --case keppler | there is no case 'keppler'; did you mean 'kepler'?
2 | selftest --case zzz | the cases are free_top,
2 | rn | 'run'
2 | run scene.yaml --stp 1 | --step
2 | validate - - | only once
2 | validate --set bodies.brik.mass=3 scene.yaml | there is no 'brik'
"""


@pytest.mark.parametrize("mistake", MISTAKES.splitlines())
def test_call_is_refused(quick_call, made, workplace, mistake):
    for kind, name in (("run.h5", "a.h5"), ("terms.h5", "terms.h5"), ("sweep.h5", "s.h5")):
        made(kind, name)
    for name in ("notes", "notes.png"):
        (workplace / name).write_text("mine")
    before = {path: path.read_bytes() for path in workplace.iterdir()}
    code, typed, words = mistake.split(" |")
    words_typed = typed.replace("RANGE", "bodies.brick.mass=1:2:3").replace("LONG", "x" * 300)
    answer = quick_call(*shlex.split(words_typed))
    assert (answer.code, answer.out) == (int(code), "")
    assert words.strip() in answer.err
    assert {path: path.read_bytes() for path in workplace.iterdir() if path.name != "outputs"} == before


NO_FILES = {
    "nowhere": (5, "nowhere cannot be read: No such file or directory"),
    ".": (5, "is a folder"),
    "/dev/null": (5, "is not a regular file"),
    "pipe": (5, "is not a regular file"),
    "x" * 300: (5, "File name too long"),
    "scene.yaml": (6, "scene.yaml is not a trajectory; if it is a scene, rigidsim run scene.yaml makes one"),
    "s.h5": (2, "s.h5 is the result file of a sweep, not a trajectory"),
}
# Commands and what they want besides a trajectory.
READERS = {
    "inspect": (), "explain": ("brick", "--at", "0"), "diff": ("a.h5",), "export": ("--to", "csv"), "view": (),
    "video": (),
}  # fmt: skip


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("name", NO_FILES)
def test_trajectory_is_refused(quick_call, made, workplace, command, name):
    if (name == "s.h5" and command in ("inspect", "export")) or (command == "view" and name in (".", "scene.yaml")):
        return  # which they show, or refuse in other words
    made("run.h5", "a.h5")
    made("sweep.h5", "s.h5")
    os.mkfifo(workplace / "pipe")
    code, words = NO_FILES[name]
    answer = quick_call(command, name, *READERS[command])
    assert (answer.code, answer.out) == (code, "")
    assert words in answer.err


@pytest.mark.parametrize("command", ["run", "validate", "certify"])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nowhere.yaml", "No such file"),
        (".", "is a directory"),
        ("pipe", "not a regular file"),
        ("x" * 300, "too long"),
    ],
)
def test_scene_that_is_no_file(quick_call, workplace, command, name, words):
    os.mkfifo(workplace / "pipe")
    answer = quick_call(command, name)
    assert (answer.code, answer.out) == (5, "")
    assert words in answer.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--debug", "run", "nowhere.yaml"],
        ["run", "--debug", "nowhere.yaml"],
        ["run", "nowhere.yaml", "--debug"],
        ["inspect", "nowhere.h5", "--debug"],
        ["examples", "copy", "nothing", "--debug"],
        ["examples", "--debug", "copy", "nothing"],
    ],
)
def test_debug_shows_the_traceback_wherever_it_stands(call, arguments):
    assert call(*arguments).err.startswith("Traceback")
    assert not call(*(a for a in arguments if a != "--debug")).err.startswith("Traceback")


def test_debug_shows_the_traceback(call):
    answer = call("--debug", "run", "nowhere.yaml")
    assert answer.code == 5
    assert "Traceback" in answer.err
    assert "error: nowhere.yaml cannot be read" in answer.err


def test_bug_of_ours_is_owned_up_to(call, monkeypatch):
    monkeypatch.setattr("rigidsim.scene.Scene.from_file", lambda *_: 1 / 0)
    code, out, err = call("validate", "scene.yaml")
    assert (code, out) == (70, "")
    assert (
        err == "internal error: ZeroDivisionError: division by zero\n"
        "this is a bug in rigidsim; --debug shows the traceback\n"
    )
