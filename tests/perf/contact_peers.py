"""Piles in other engines, through their own calls for many steps where they have them: one thread, sleeping off.

Each has its planes as it has them: half spaces, or wide boxes where there are none. None has rolling friction.
"""

from __future__ import annotations

import os

os.environ.setdefault("RAYON_NUM_THREADS", "1")  # read when rapier's library is loaded

import numpy as np

from piles import GRAVITY, STEP, Pile

WIDE, THICK = 50.0, 1.0  # half sizes of boxes that stand for planes, m


class Box3d:
    """Box3D, single precision, through the wheel robox3d: one call for many steps."""

    name = "Box3D"

    def __init__(self, pile: Pile):
        import robox3d.core.world as box3d
        from robox3d.core.batch import BodyGroup

        self._world = box3d.World(gravity=(0, 0, -GRAVITY), substeps=4, worker_count=1)
        for normal, offset in pile.planes:
            half = tuple(THICK if c else WIDE for c in normal)
            place = tuple(c * (offset - THICK) for c in normal)
            self._world.create_body(position=place, kind="static").add_box(half, friction=pile.friction)
        self._group = BodyGroup([self._body(pile, tuple(place)) for place in pile.places])

    def _body(self, pile: Pile, place: tuple):
        body = self._world.create_body(position=place)
        if pile.kind == "sphere":
            body.add_sphere(pile.size, density=1.0, friction=pile.friction)
        else:
            body.add_box((pile.size,) * 3, density=1.0, friction=pile.friction)
        body.set_mass_data(1.0, (0, 0, 0), np.diag([pile.moment] * 3))
        return body

    def advance(self, n: int) -> None:
        """Take n steps."""
        self._world.step_n(n, STEP)

    def motion(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities, (body, 3)."""
        return self._group.poses().astype(float)[:, :3], self._group.velocities().astype(float)[:, :3]


class Rapier:
    """Rapier, single precision, default solver."""

    name = "Rapier"

    def __init__(self, pile: Pile):
        import rapier3d as rapier

        self._world = rapier.PhysicsWorld(gravity=(0, 0, -GRAVITY))
        self._world.integration_parameters.dt = STEP
        for normal, offset in pile.planes:
            place = tuple(c * offset for c in normal)
            plane = rapier.Collider.halfspace(normal).translation(place)
            self._world.add_collider(plane.friction(pile.friction))
        mass = rapier.MassProperties((0, 0, 0), 1.0, (pile.moment,) * 3)
        sizes = (pile.size,) if pile.kind == "sphere" else (pile.size,) * 3
        make = rapier.Collider.ball if pile.kind == "sphere" else rapier.Collider.cuboid
        self._handles = []
        for place in pile.places:
            body = rapier.RigidBody.dynamic().translation(tuple(place)).can_sleep(False)
            collider = make(*sizes).mass_properties(mass).friction(pile.friction)
            self._handles.append(self._world.add_body(body, [collider]))

    def advance(self, n: int) -> None:
        """Take n steps."""
        for _ in range(n):
            self._world.step()

    def motion(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities, (body, 3)."""
        bodies = [self._world.rigid_bodies[handle] for handle in self._handles]
        return (
            np.array([body.translation.to_tuple() for body in bodies]),
            np.array([body.linvel.to_tuple() for body in bodies]),
        )


class Mujoco:
    """MuJoCo, `implicitfast`, conjugate gradients: its Newton solver takes ten times as long for the spheres."""

    name = "MuJoCo CG"

    def __init__(self, pile: Pile):
        import mujoco

        self._step = mujoco.mj_step
        friction = f'friction="{pile.friction} 0 0" condim="3"'
        planes = "".join(
            f'<geom type="plane" size="0 0 1" pos="{_text(np.multiply(normal, offset))}" zaxis="{_text(normal)}" '
            f"{friction}/>"
            for normal, offset in pile.planes
        )
        size = _text([pile.size] * (1 if pile.kind == "sphere" else 3))
        inertial = f'<inertial pos="0 0 0" mass="1" diaginertia="{_text([pile.moment] * 3)}"/>'
        geometry = f'<geom type="{pile.kind}" size="{size}" {friction}/>'
        bodies = "".join(f'<body pos="{_text(place)}"><freejoint/>{inertial}{geometry}</body>' for place in pile.places)
        option = f'<option timestep="{STEP}" integrator="implicitfast" solver="CG" gravity="0 0 {-GRAVITY}"/>'
        xml = f'<mujoco><size memory="1G"/>{option}<worldbody>{planes}{bodies}</worldbody></mujoco>'
        self._model = mujoco.MjModel.from_xml_string(xml)
        self._data = mujoco.MjData(self._model)

    def advance(self, n: int) -> None:
        """Take n steps."""
        self._step(self._model, self._data, nstep=n)

    def motion(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities, (body, 3)."""
        return self._data.qpos.reshape(-1, 7)[:, :3].copy(), self._data.qvel.reshape(-1, 6)[:, :3].copy()


class Bullet:
    """Bullet, double precision, one call a step. It multiplies the frictions of a pair."""

    name = "Bullet"

    def __init__(self, pile: Pile):
        import pybullet

        self._bullet, self._client = pybullet, pybullet.connect(pybullet.DIRECT)
        pybullet.setTimeStep(STEP)
        pybullet.setGravity(0, 0, -GRAVITY)
        friction = pile.friction**0.5
        for normal, offset in pile.planes:
            plane = pybullet.createCollisionShape(pybullet.GEOM_PLANE, planeNormal=normal)
            wall = pybullet.createMultiBody(0, plane, basePosition=[c * offset for c in normal])
            pybullet.changeDynamics(wall, -1, lateralFriction=friction)
        if pile.kind == "sphere":
            shape = pybullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=pile.size)
        else:
            shape = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=[pile.size] * 3)
        self._bodies = [pybullet.createMultiBody(1.0, shape, basePosition=list(place)) for place in pile.places]
        for body in self._bodies:
            pybullet.changeDynamics(
                body, -1, linearDamping=0, angularDamping=0, lateralFriction=friction, rollingFriction=0,
                spinningFriction=0, localInertiaDiagonal=[pile.moment] * 3,
            )  # fmt: skip

    def advance(self, n: int) -> None:
        """Take n steps."""
        for _ in range(n):
            self._bullet.stepSimulation()

    def motion(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities, (body, 3)."""
        places = [self._bullet.getBasePositionAndOrientation(body)[0] for body in self._bodies]
        return np.array(places), np.array([self._bullet.getBaseVelocity(body)[0] for body in self._bodies])

    def __del__(self):
        if hasattr(self, "_client"):
            self._bullet.disconnect(self._client)


def _text(values) -> str:
    return " ".join(str(float(value)) for value in values)


PEERS = (Box3d, Rapier, Mujoco, Bullet)
