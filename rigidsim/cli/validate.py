"""`rigidsim validate`: check scenes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from rigidsim.cli.arguments import STANDARD, read_scene, shown_name
from rigidsim.cli.console import print_error, print_result, print_warnings, strict_option
from rigidsim.errors import RigidsimError, SceneError
from rigidsim.report.wording import counted

if TYPE_CHECKING:
    from rigidsim.scene import Scene

NO_CONTACT: dict[str, Any] = {"mode": "off"}


class Verdict:
    """The result of one file: the scene, its warnings, also those about overlaps at the start, and what is chosen for
    contact; or the error that it was refused with.
    """

    def __init__(self, file: str, sets: tuple[str, ...], strict: bool):
        self.file, self.strict = shown_name(file), strict
        self.error: RigidsimError | None = None
        self.bodies: Counter[str] = Counter()
        self.warnings: Sequence[str] = ()
        self.contact_settings: Mapping[str, Any] = NO_CONTACT
        self.uncertain: dict[str, str] = {}
        try:
            scene = read_scene(file, sets)
            if scene.sweep is not None:
                from rigidsim.sweeps.sweeping import check_own_plan

                check_own_plan(scene)
        except RigidsimError as error:
            self.error = error
            return
        self.bodies, timing = Counter(body.kind for _, body, _ in scene.walk()), scene.simulation
        self.steps = None if timing.integrator.chooses else round(timing.duration / timing.step)
        chosen = f"{timing.duration:g} s {timing.pace}"
        self.extent = f"{self.steps} steps of {timing.step:g} s" if self.steps else chosen
        self.warnings, self.contact_settings = _start(scene)
        self.uncertain = {name: str(one) for name, one in scene.uncertain.items()}

    @property
    def exit_code(self) -> int:
        """The exit code of this file alone."""
        if self.error is not None:
            return self.error.exit_code
        return SceneError.exit_code if self.strict and self.warnings else 0

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON shows it."""
        if self.error is not None:
            problems = self.error.problems if isinstance(self.error, SceneError) else ()
            refused = {} if problems else {"error": str(self.error)}
            return {"valid": False, "problems": [problem.as_dict() for problem in problems], **refused}
        summary = {"bodies": self.bodies, "steps": self.steps, "contact_settings": dict(self.contact_settings)}
        summary |= {"uncertain": self.uncertain} if self.uncertain else {}
        return {"valid": not self.exit_code, "problems": [], **summary, "warnings": self.warnings}

    def __str__(self) -> str:
        if self.error is not None:
            count = len(self.error.problems) if isinstance(self.error, SceneError) else 0
            return f"{self.file}: invalid; {counted(count, 'error')}" if count else f"{self.file}: not read"
        if self.exit_code:
            return f"{self.file}: invalid; {counted(len(self.warnings), 'warning')}"
        kinds = ", ".join(f"{count} {kind}" for kind, count in self.bodies.items())
        return f"{self.file}: valid; {kinds}; {self.extent}"

    def report(self, alone: bool) -> None:
        """Print errors and warnings to stderr and one line to stdout, which an invalid file that is alone has not; a
        valid one that is alone has the values of contact, too.
        """
        if self.error is not None:
            print_error(self.error)
        else:
            print_warnings(self.warnings, self.strict)
        from rigidsim.report.contact import contact_lines

        if not (alone and self.exit_code):
            uncertain = [f"uncertain: {name}, {one}" for name, one in self.uncertain.items()]
            print_result("\n".join([str(self), *([*contact_lines(self.contact_settings), *uncertain] * alone)]))


@click.command(short_help="Check scenes without simulating them.")
@click.argument("scenes", metavar="SCENE...", nargs=-1, required=True, type=click.Path())
@click.option("--set", "sets", metavar="PATH=VALUE", multiple=True, help="Override a value: bodies.tank.mass=4e4")
@strict_option
@click.option("--json", "as_json", is_flag=True, help="Print the result and all problems as JSON.")
def validate(scenes, sets, strict, as_json):
    """Check each SCENE, a YAML file or - for standard input, and the plan of its sweep. Print all errors with file,
    line, column and a suggestion.

    Each file gets a line of its own; the exit code is the highest of all.
    """
    if scenes.count(STANDARD) > 1:
        raise click.UsageError("standard input can be given only once")
    verdicts, alone = [], len(scenes) == 1
    for scene in scenes:
        verdict = Verdict(scene, sets, strict)
        if verdict.error is not None and alone and not (as_json and isinstance(verdict.error, SceneError)):
            raise verdict.error
        if not as_json:
            verdict.report(alone)
        verdicts.append(verdict)
    if as_json:
        valid = not any(verdict.exit_code for verdict in verdicts)
        files = [{"file": verdict.file, **verdict.as_dict()} for verdict in verdicts]
        result = verdicts[0].as_dict() if alone else {"valid": valid, "files": files}
        print_result(json.dumps({"schema_version": 1, **result}))
    raise click.exceptions.Exit(max(verdict.exit_code for verdict in verdicts))


def _start(scene: Scene) -> tuple[tuple[str, ...], Mapping[str, Any]]:
    """The warnings about a scene and about overlaps at its start, and what is chosen for contact."""
    from rigidsim.scene.hierarchy.collision_pairs import CollisionPairs

    collision_pairs = CollisionPairs(scene.hierarchy)
    if not collision_pairs.is_on:
        return scene.warnings, collision_pairs.summary

    from rigidsim.runner.progress import Working
    from rigidsim.simulation.single import Simulation

    with Working("looking for overlaps"):
        return (*scene.warnings, *Simulation(scene).overlaps), collision_pairs.summary
