"""A history with every kind of node, made once, in memory and as a file."""

from __future__ import annotations

import shutil

import pytest

import rigidsim
from every_node import SCENE


@pytest.fixture(scope="session")
def scene():
    return rigidsim.Scene.from_dict(SCENE)


@pytest.fixture(scope="session")
def history(scene):
    """In memory, with terms."""
    return rigidsim.simulate(scene, terms=True)


@pytest.fixture(scope="session")
def kept_file(history, tmp_path_factory):
    """The file of it, not to be changed."""
    path = tmp_path_factory.mktemp("history") / "a.h5"
    history.save(path)
    return path


@pytest.fixture
def file(kept_file, tmp_path):
    """A copy of the file, to be damaged."""
    return shutil.copyfile(kept_file, tmp_path / "a.h5")
