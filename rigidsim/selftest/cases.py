"""The cases: scenes in the folder `cases` with an oracle each; `description` names the source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rigidsim.scene import Scene
from rigidsim.selftest.references import EquatorialFall

FOLDER = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Known:
    """What a quantity should be, besides what the oracle of the scene says: its values `at` some times (s), (time) or
    (time, components), and the largest error that is allowed, in the unit of the quantity.
    """

    name: str
    at: Callable[[np.ndarray], np.ndarray]
    tolerance: float


@dataclass(frozen=True)
class Case:
    """A scene with its references. If it `is_refined`, it runs with its step, a half and a quarter of it."""

    name: str
    file: Path
    overrides: tuple[str, ...] = ()
    references: tuple[Known, ...] = ()
    is_refined: bool = True

    def scenes(self) -> list[Scene]:
        """The scene with each of its steps."""
        scene = Scene.from_file(self.file, self.overrides)
        divisors = (1, 2, 4) if self.is_refined else ()
        steps = [("simulation.step", scene.simulation.step / divisor) for divisor in divisors[1:]]
        return [scene, *(Scene.from_file(self.file, [*self.overrides, step]) for step in steps)]


def _case(name: str, *overrides: str, of: str = "", references: tuple[Known, ...] = ()) -> Case:
    return Case(name, FOLDER / f"{of or name}.yaml", overrides, references)


_FALL = EquatorialFall()
CASES = {
    case.name: case
    for case in (
        _case("free_top"),
        _case(
            "dzhanibekov",
            "i_1=0.3",
            "i_2=0.35",
            "i_3=0.4",
            "p=0.1",
            "q=15",
            "r=0.1",
            "simulation.step=0.01",
            of="free_top",
        ),
        _case("separatrix", "p=0.01", "q=1", "r=0.01", of="free_top"),
        _case("symmetric_top"),
        _case("heavy_top"),
        _case("involute"),
        _case("spin_up"),
        _case("nested_frames"),
        _case("oscillator"),
        _case("kepler"),
        _case(
            "dropped_sphere",
            references=(
                Known("sphere.distance", _FALL.distance, 3e-7),
                Known("sphere.position.y@parent", _FALL.east, 5e-7),
            ),
        ),
        _case("tumbling_brick"),
        _case("damped_spring"),
        _case("quadratic_drag"),
        _case("cancellation"),
        _case("elastic_impact"),
        _case("plastic_impact"),
        _case("oblique_impact"),
        _case("oblique_impact_rolling", "friction=0.5", of="oblique_impact"),
        _case("slide_to_roll"),
        _case("rolling_down"),
    )
}
"""Each case by its name."""


def shipped_case(name: str, file: Path) -> Case:
    """The case of a shipped scene with an oracle: it runs once, with its own step and tolerances."""
    return Case(name, file, is_refined=False)
