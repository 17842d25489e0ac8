"""Robots of other programs as scenes: URDF and the core of MJCF (`rigidsim import`)."""

from __future__ import annotations

from pathlib import Path

from rigidsim.imports.elements import read_elements
from rigidsim.imports.mjcf import mjcf_robot
from rigidsim.imports.robot import Robot
from rigidsim.imports.urdf import urdf_robot


def read_robot(path: Path, folder: Path, base: str = "fixed", within: Path | None = None) -> Robot:
    """The robot in a URDF or MJCF file, for a scene in a folder; the root link of URDF is `fixed` to the world or
    `free`. Files that it names are opened only in the folder `within`, which is that of the file if it is None.
    Raises SceneError with the line of what is wrong, StorageError.
    """
    root = read_elements(path)
    if root.tag == "robot":
        return urdf_robot(root, folder, base, within)
    if root.tag == "mujoco":
        return mjcf_robot(root, folder, within)
    raise root.error("format", f"{root} is neither <robot> (URDF) nor <mujoco> (MJCF)")
