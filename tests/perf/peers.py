"""Free bodies in other engines, through their own multi-step calls, for ratios in one run."""

from __future__ import annotations

import numpy as np

MASS, INERTIA = 1.0, (1.0, 1.5, 2.0)


class Mujoco:
    """MuJoCo, free joints only, its fourth-order Runge-Kutta."""

    name = "MuJoCo RK4"

    def __init__(self, rates: np.ndarray, step: float):
        import mujoco

        self._step = mujoco.mj_step
        moments = " ".join(map(str, INERTIA))
        inertial = f'<inertial pos="0 0 0" mass="{MASS}" diaginertia="{moments}"/>'
        bodies = "".join(f'<body pos="{3 * i} 0 0"><freejoint/>{inertial}</body>' for i in range(len(rates)))
        option = f'<option timestep="{step}" integrator="RK4"><flag contact="disable"/></option>'
        xml = f'<mujoco><size memory="400M"/>{option}<worldbody>{bodies}</worldbody></mujoco>'
        self._model = mujoco.MjModel.from_xml_string(xml)
        self._data = mujoco.MjData(self._model)
        self._data.qvel.reshape(len(rates), 6)[:, 3:] = rates

    def advance(self, n: int) -> None:
        """Take n steps."""
        self._step(self._model, self._data, nstep=n)


class Exudyn:
    """Exudyn, rotation vectors on the Lie group, fourth-order Runge-Kutta."""

    name = "Exudyn LG-RK44"

    def __init__(self, rates: np.ndarray, step: float):
        import exudyn
        from exudyn.utilities import RigidBodyInertia

        self._container = exudyn.SystemContainer()
        self._system = self._container.AddSystem()
        for i, rate in enumerate(rates):
            self._system.CreateRigidBody(
                inertia=RigidBodyInertia(mass=MASS, inertiaTensor=np.diag(INERTIA)),
                referencePosition=[3.0 * i, 0, 0],
                initialAngularVelocity=list(rate),
                gravity=[0, 0, -9.81],
                nodeType=exudyn.NodeType.RotationRotationVector,
            )
        self._system.Assemble()
        self._solver = exudyn.DynamicSolverType.RK44
        self._settings = exudyn.SimulationSettings()
        self._settings.timeIntegration.verboseMode = 0
        self._settings.solutionSettings.writeSolutionToFile = False
        # Without it one dense mass matrix is inverted for all bodies together.
        self._settings.timeIntegration.explicitIntegration.computeMassMatrixInversePerBody = True
        if len(rates) >= 10:
            self._settings.linearSolverType = exudyn.LinearSolverType.EigenSparse
        self._step, self._time = step, 0.0

    def advance(self, n: int) -> None:
        """Take n steps."""
        integration = self._settings.timeIntegration
        integration.startTime, integration.endTime = self._time, self._time + n * self._step
        integration.numberOfSteps = n
        self._system.SolveDynamic(self._settings, solverType=self._solver, updateInitialValues=True, showHints=False)
        self._time += n * self._step


PEERS = (Mujoco, Exudyn)
