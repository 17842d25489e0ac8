"""The cases: scenes in the folder `cases` with an oracle each; `description` names the source."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rigidsim.analysis.oracles import ClosedForm
from rigidsim.scene import Scene
from rigidsim.selftest.references import EquatorialFall

FOLDER = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Case:
    """A scene with its references. If it `is_refined`, it runs with its step, a half and a quarter of it."""

    name: str
    file: Path
    overrides: tuple[str, ...] = ()
    references: tuple[ClosedForm, ...] = ()
    is_refined: bool = True

    def scenes(self) -> list[Scene]:
        """The scene with each of its steps."""
        scene = Scene.from_file(self.file, self.overrides)
        divisors = (1, 2, 4) if self.is_refined else ()
        steps = [("simulation.step", scene.simulation.step / divisor) for divisor in divisors[1:]]
        return [scene, *(Scene.from_file(self.file, [*self.overrides, step]) for step in steps)]


_FALL = EquatorialFall()
REFERENCES = {
    "dropped_sphere": (
        ClosedForm("sphere.distance", (_FALL.distance,), 3e-7),
        ClosedForm("sphere.position.y@parent", (_FALL.east,), 5e-7),
    ),
}
"""What no expression gives: besides what the oracles of the scenes say."""
VARIANTS = {
    "dzhanibekov": ("free_top", "i_1=0.3 i_2=0.35 i_3=0.4 p=0.1 q=15 r=0.1 simulation.step=0.01"),
    "separatrix": ("free_top", "p=0.01 q=1 r=0.01"),
    "oblique_impact_rolling": ("oblique_impact", "friction=0.5"),
}
"""Cases that are another one with other values."""
NAMES = (
    "free_top", "dzhanibekov", "separatrix", "symmetric_top", "heavy_top", "involute", "spin_up", "nested_frames",
    "oscillator", "kepler", "dropped_sphere", "tumbling_brick", "damped_spring", "quadratic_drag", "cancellation",
    "elastic_impact", "plastic_impact", "oblique_impact", "oblique_impact_rolling", "slide_to_roll", "rolling_down",
)  # fmt: skip


def _case(name: str) -> Case:
    of, overrides = VARIANTS.get(name, (name, ""))
    return Case(name, FOLDER / f"{of}.yaml", tuple(overrides.split()), REFERENCES.get(name, ()))


CASES = {name: _case(name) for name in NAMES}
"""Each case by its name."""


def shipped_case(name: str, file: Path) -> Case:
    """The case of a shipped scene with an oracle: it runs once, with its own step and tolerances."""
    return Case(name, file, is_refined=False)
