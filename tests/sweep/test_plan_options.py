"""The options of a plan on the command line, and what they load."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys

import click
import pytest

from rigidsim.cli.plan_options import QUOTING, plan_from, plan_options
from rigidsim.errors import SceneError, UsageError
from rigidsim.scene import Scene
from rigidsim.sweeps.plan import make_plan
from sweep_scene import TEXT

BLOCK = 'sweep: {sample: "lhs:8", over: {spin: "uniform(20, 40)"}, seed: 5}\n'


@click.command(help=QUOTING)
@plan_options
@click.pass_obj
def planned(scene, part, yes, **options):
    """A command that shows the runs it would do."""
    plan = plan_from(scene, **options)
    return plan, plan.chosen(part, yes)


def call(text: str, scene: str = TEXT):
    return planned.main(shlex.split(text), standalone_mode=False, obj=Scene.from_text(scene))


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ("--vary spin=0:60:13", {"vary": {"spin": "0:60:13"}}),
        ("--vary spin='0 rpm:60 rpm:13' --seed 3", {"vary": {"spin": "0 rpm:60 rpm:13"}, "seed": 3}),
        ("--vary 'b=[1, 2, 5]' --vary a=log:1:8:4", {"vary": {"b": [1, 2, 5], "a": "log:1:8:4"}}),
        ("--vary 'b=[1, 2]' --vary 'a=[x, 2 kg]' --zip", {"vary": {"b": [1, 2], "a": ["x", "2 kg"]}, "zip": True}),
        ("--sample sobol:8 --over 'a=uniform(20 rpm, 40 rpm)' --over 'b=normal(0.1,0.01)'",
         {"sample": "sobol:8", "over": {"a": "uniform(20 rpm, 40 rpm)", "b": "normal(0.1, 0.01)"}}),
    ],
)  # fmt: skip
def test_options_make_the_plan(options, rule):
    plan, chosen = call(options)
    assert plan.digest == make_plan(**rule).digest
    assert chosen == range(plan.runs)
    assert call(options, TEXT + BLOCK)[0].digest == plan.digest


def test_a_table_and_a_part(tmp_path):
    (tmp_path / "runs.csv").write_text("spin\n" + "\n".join(map(str, range(10))))
    plan, chosen = call(f"--table {tmp_path / 'runs.csv'} --part 2/3")
    assert (plan.runs, chosen) == (10, range(3, 6))


def test_the_block_of_the_scene_is_the_plan_without_options():
    block = {"sample": "lhs:8", "over": {"spin": "uniform(20, 40)"}}
    assert call("", TEXT + BLOCK)[0].digest == make_plan(**block, seed=5).digest
    assert call("--seed 6", TEXT + BLOCK)[0].digest == make_plan(**block, seed=6).digest


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("", "there is no plan: no number varies; use --vary spin=0:60:13"),
        ("--vary spin", "--vary: 'spin' is not of the form name=value, such as spin=0:60:13"),
        ("--vary =0:1:2", "--vary: '=0:1:2' is not of the form name=value"),
        ("--vary a=0:1:2 --vary a=0:1:3", "--vary: 'a' is given twice"),
        ("--vary a=0:1", "vary a: expected start:stop:count"),
        ("--over 'a=uniform(0, 1)'", "there is no 'sample'"),
        ("--sample lhs:3 --over a", r"--over: 'a' is not of the form name=value, such as 'spin=uniform\(20, 40\)'"),
        ("--vary a=0:1:2 --table t.csv", "both 'vary' and 'table' are given"),
        ("--zip", "no number varies"),
        ("--vary a=0:1:3000000", "3,000,000 runs are more than 1,000,000; --yes runs them, --part 1/3 only a part"),
        *((f"--vary a=0:1:9 --part {part}", "--part: expected K/N with K from 1 to N, such as 3/10, got")
          for part in ("0/3", "4/3", "1", "a/b", "1/0", "-1/3")),
    ],
)  # fmt: skip
def test_errors(options, message):
    with pytest.raises(UsageError, match=message) as caught:
        call(options)
    assert "\n" not in str(caught.value)


def test_a_list_that_is_no_yaml_has_the_message_of_set():
    with pytest.raises(SceneError, match=r"--vary a=\[1, 2: error\[syntax\]"):
        call("--vary 'a=[1, 2'")


def test_a_confirmation():
    assert call("--vary a=0:1:3000000 --yes")[1] == range(3_000_000)
    assert len(call("--vary a=0:1:3000000 --part 2/3")[1]) == 1_000_000


@pytest.mark.parametrize("shell", [shell for shell in ("bash", "zsh") if shutil.which(shell)])
def test_the_shells_pass_the_examples_of_the_help_on(shell):
    """`0 rpm:60 rpm:13`, brackets and parentheses reach the program as they are."""
    lines = [line.rsplit("   ", 1)[0].strip() for line in QUOTING.splitlines() if line.startswith("--")]
    assert len(lines) == 6
    program = "import sys; print('|'.join(sys.argv[1:]))"
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(program)} {' '.join(lines)}"
    done = subprocess.run([shell, "-c", command], capture_output=True, text=True, check=True)
    given = done.stdout.strip().split("|")
    assert given[:4] == ["--vary", "spin=0:60:13", "--vary", "spin=0 rpm:60 rpm:13"]
    assert {"bodies.top.mass=[1, 2, 5]", "bodies.top.position[2]=0:1:5", "spin=uniform(20 rpm, 40 rpm)"} <= set(given)


def test_help_shows_all_options_and_the_quoting():
    text = planned.get_help(click.Context(planned))
    for option in ("--vary", "--zip", "--table", "--sample", "--over", "--seed", "--part", "--yes"):
        assert option in text
    assert all(line in text for line in QUOTING.splitlines()[1:])
