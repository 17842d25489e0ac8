"""Free bodies in other engines, through their own multi-step calls, for ratios in one run."""

from __future__ import annotations

import numpy as np

MASS, INERTIA = 1.0, (1.0, 1.5, 2.0)
GRAVITY = (0.0, 0.0, -9.81)


class Mujoco:
    """MuJoCo, free joints only, its fourth-order Runge-Kutta."""

    name = "MuJoCo RK4"

    def __init__(self, rates: np.ndarray, step: float, inertia=INERTIA, gravity=GRAVITY):
        import mujoco

        self._step = mujoco.mj_step
        inertial = f'<inertial pos="0 0 0" mass="{MASS}" diaginertia="{_text(inertia)}"/>'
        bodies = "".join(f'<body pos="{3 * i} 0 0"><freejoint/>{inertial}</body>' for i in range(len(rates)))
        option = (
            f'<option timestep="{step}" gravity="{_text(gravity)}" integrator="RK4"><flag contact="disable"/></option>'
        )
        xml = f'<mujoco><size memory="400M"/>{option}<worldbody>{bodies}</worldbody></mujoco>'
        self._model = mujoco.MjModel.from_xml_string(xml)
        self._data = mujoco.MjData(self._model)
        self._data.qvel.reshape(len(rates), 6)[:, 3:] = rates

    def advance(self, n: int) -> None:
        """Take n steps."""
        self._step(self._model, self._data, nstep=n)

    def orientation(self) -> np.ndarray:
        """(w, x, y, z) of the first body."""
        return self._data.qpos[3:7].copy()


def _text(numbers) -> str:
    return " ".join(map(repr, map(float, numbers)))


class Exudyn:
    """Exudyn, rotation vectors on the Lie group, fourth-order Runge-Kutta."""

    name = "Exudyn LG-RK44"
    solver = "RK44"

    def __init__(self, rates: np.ndarray, step: float, inertia=INERTIA, gravity=GRAVITY):
        import exudyn
        from exudyn.utilities import RigidBodyInertia

        self._exudyn, self._container = exudyn, exudyn.SystemContainer()
        self._system = self._container.AddSystem()
        self._bodies = [
            self._system.CreateRigidBody(
                inertia=RigidBodyInertia(mass=MASS, inertiaTensor=np.diag(inertia)),
                referencePosition=[3.0 * i, 0, 0],
                initialAngularVelocity=list(rate),
                gravity=list(gravity),
                nodeType=exudyn.NodeType.RotationRotationVector,
            )
            for i, rate in enumerate(rates)
        ]
        self._system.Assemble()
        self._solver = getattr(exudyn.DynamicSolverType, self.solver)
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

    def orientation(self) -> np.ndarray:
        """(w, x, y, z) of the first body."""
        from scipy.spatial.transform import Rotation

        kind, now = self._exudyn.OutputVariableType.RotationMatrix, self._exudyn.ConfigurationType.Current
        matrix = np.array(self._system.GetObjectOutputBody(self._bodies[0], kind, [0, 0, 0], now)).reshape(3, 3)
        return Rotation.from_matrix(matrix).as_quat()[[3, 0, 1, 2]]


class ExudynOfSixthOrder(Exudyn):
    """The same with its Runge-Kutta method of order 6 in seven stages."""

    name = "Exudyn LG-RK67"
    solver = "RK67"


class Basilisk:
    """Basilisk's spacecraft without a force, modified Rodrigues parameters, fourth-order Runge-Kutta."""

    name = "Basilisk RK4"

    def __init__(self, rates: np.ndarray, step: float, inertia=INERTIA, gravity=(0.0, 0.0, 0.0)):
        from Basilisk.architecture import bskLogging
        from Basilisk.simulation import spacecraft, svIntegrators
        from Basilisk.utilities import SimulationBaseClass, macros

        if any(gravity):
            raise NotImplementedError("a uniform field is no model of Basilisk's")
        bskLogging.setDefaultLogLevel(bskLogging.BSK_WARNING)
        self._step = macros.sec2nano(step)  # a whole number
        self._simulation, self._crafts, self._n = SimulationBaseClass.SimBaseClass(), [], 0
        process = self._simulation.CreateNewProcess("process")
        process.addTask(self._simulation.CreateNewTask("task", self._step))
        for i, rate in enumerate(rates):
            craft = spacecraft.Spacecraft()
            craft.hub.mHub, craft.hub.IHubPntBc_B = MASS, np.diag(inertia).tolist()
            craft.hub.r_CN_NInit, craft.hub.v_CN_NInit = [[3.0 * i], [0.0], [0.0]], [[0.0]] * 3
            craft.hub.sigma_BNInit, craft.hub.omega_BN_BInit = [[0.0]] * 3, [[float(part)] for part in rate]
            method = svIntegrators.svIntegratorRK4(craft)
            craft.setIntegrator(method)
            self._simulation.AddModelToTask("task", craft)
            self._crafts.append((craft, method))
        self._simulation.InitializeSimulation()

    def advance(self, n: int) -> None:
        """Take n steps."""
        self._n += n
        self._simulation.ConfigureStopTime(self._n * self._step)
        self._simulation.ExecuteSimulation()

    def orientation(self) -> np.ndarray:
        """(w, x, y, z) of the first body."""
        sigma = np.array(self._crafts[0][0].scStateOutMsg.read().sigma_BN)
        square = sigma @ sigma
        return np.append(1 - square, 2 * sigma) / (1 + square)


PEERS = (Mujoco, Exudyn)
OF_HIGH_ORDER = (*PEERS, ExudynOfSixthOrder, Basilisk)
