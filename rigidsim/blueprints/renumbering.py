"""The blueprints of a scene whose numbers change during a run: those of the scene as it is read with other numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from rigidsim.engine.assembly.blueprint import Blueprint
from rigidsim.scene.changing import Changing, Leaves, differing, leaves_of
from rigidsim.scene.prepare.overrides import address
from rigidsim.scene.read import Scene, changed_scene
from rigidsim.scene.resolved import resolved_scene


@dataclass
class Renumbered:
    """The scenes that follow from one by what it sets during a run, each read when it is first needed."""

    changing: Changing
    build: Callable[[Scene], Blueprint]
    _scenes: dict[tuple[int, ...], Scene] = field(default_factory=dict)

    def __reduce__(self) -> tuple:
        return Renumbered, (self.changing, self.build)

    def blueprint(self, numbers: tuple[int, ...]) -> Blueprint:
        """See `Renumbering`; raises SceneError."""
        return self._scene(numbers).once(self.build)

    def changed(self, before: tuple[int, ...], after: tuple[int, ...]) -> tuple[tuple[str, str], ...]:
        """See `Renumbering`."""
        old, new = (self._scene(numbers).once(_leaves) for numbers in (before, after))
        return tuple((address(path), json.dumps(new.get(path))) for path in differing(old, new) if path in new)

    def _scene(self, numbers: tuple[int, ...]) -> Scene:
        if numbers not in self._scenes:
            self._scenes[numbers] = changed_scene(self.changing.changed(numbers))
        return self._scenes[numbers]


def _leaves(scene: Scene) -> Leaves:
    return leaves_of(resolved_scene(scene))
