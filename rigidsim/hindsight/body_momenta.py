"""Energy and momenta of one free body with what is fixed to it, from its motion and the scene."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from rigidsim.errors import UsageError
from rigidsim.physics.frames import stretch
from rigidsim.physics.mass import Lump
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import angular_momentum as spin
from rigidsim.physics.rigid_body import kinetic_energy as energy
from rigidsim.physics.rigid_body import momentum, point_velocity
from rigidsim.trajectory.motion import columns, rows
from rigidsim.trajectory.trajectory import Trajectory


def kinetic_energy(trajectory: Trajectory, path: str) -> np.ndarray:
    """m v_WC^2/2 + omega.L/2, J, (time); NaN while the body is not free. Raises UsageError if it never is."""

    def of(lump: Lump, q, omega_W, v_WC):
        return energy(lump.mass, lump.inertia, v_WC, rotate_back(q, omega_W))

    return _by_spans(trajectory, path, of, ())


def linear_momentum(trajectory: Trajectory, path: str) -> np.ndarray:
    """m v_WC, N s, world axes, (time, 3); see `kinetic_energy`."""
    return _by_spans(trajectory, path, lambda lump, q, omega_W, v_WC: rows(momentum(lump.mass, v_WC)), (3,))


def angular_momentum(trajectory: Trajectory, path: str) -> np.ndarray:
    """R I_B omega_B about the centre of mass, N m s, world axes, (time, 3); see `kinetic_energy`."""

    def of(lump: Lump, q, omega_W, v_WC):
        return rows(rotate(q, spin(lump.inertia, rotate_back(q, omega_W))))

    return _by_spans(trajectory, path, of, (3,))


def _by_spans(trajectory: Trajectory, path: str, of: Callable, shape: tuple[int, ...]) -> np.ndarray:
    """`of` in each span of samples with one tree, with the body's mass then and its motion as columns."""
    header, world = trajectory.header, trajectory[path].world
    require_free(trajectory, path)
    q, omega_W, v_WB = (columns(a) for a in (world.orientation, world.angular_velocity, world.velocity))
    found = np.full((len(trajectory.time), *shape), np.nan)
    for number, samples in header.spans(trajectory.time):
        if header.trees()[number][1][header.row_of[path]].kind != "free":
            continue
        lump = lump_of(trajectory, path, number, samples)
        turn, rate, v = (tuple(part[samples] for part in each) for each in (q, omega_W, v_WB))
        r = stretch(turn, float(header.scale[header.row_of[path]]), lump.center)
        found[samples] = of(lump, turn, rate, point_velocity(v, rate, r))
    return found


def lump_of(trajectory: Trajectory, path: str, number: int = 0, samples=...) -> Lump:
    """The mass of a free body with what is fixed to it, in its own coordinates and axes, while a tree holds (its number
    among `trajectory.header.trees()`), which it does at these samples. Raises UsageError if the body is not free then.
    """
    if trajectory.header.trees()[number][1][trajectory.header.row_of[path]].kind != "free":
        require_free(trajectory, path)
        raise UsageError(f"'{path}' is not free from the start; it has no energy and momentum of its own until then")
    if number == 0:
        tree = _first_tree(trajectory.header.scene_resolved)
    else:
        from rigidsim.hindsight.past import SampleModel

        tree = SampleModel(trajectory, int(np.arange(len(trajectory.time))[samples][0])).tree
    return tree.composite(tree.by_path[path]).mass


@lru_cache(maxsize=4)
def _first_tree(resolved: str):
    from rigidsim.engine.building.bodies import tree_of
    from rigidsim.engine.building.known import scene_from

    return tree_of(scene_from(resolved))


def require_free(trajectory: Trajectory, path: str, what: str = "energy and momentum") -> None:
    """Raise UsageError if a body is never free, and so never has this."""
    header, row = trajectory.header, trajectory.header.row_of[path]
    if all(places[row].kind != "free" for _, places in header.trees()):
        carrier = header.carrier_at(path, 0.0)
        hint = f"ask for '{carrier}', which carries it" if carrier else "no free body carries it"
        raise UsageError(f"'{path}' is {header.kinds[row]}: only free bodies have {what}; {hint}")
