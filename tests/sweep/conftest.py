"""What the tests of plans share."""

from __future__ import annotations

import pytest

from rigidsim.scene import Scene
from sweep_scene import TEXT


@pytest.fixture
def read():
    """The scene with overrides."""
    return lambda overrides: Scene.from_text(TEXT, overrides=overrides)
