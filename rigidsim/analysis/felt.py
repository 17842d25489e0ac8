"""What an accelerometer at the origin of a body feels, f = R_WB^T (a_WB - g(x)), from the equations of motion at each
sample, for bodies that are moved by forces, their parts, and what is prescribed on them.

The stepper's own routine computes it (`engine/outputs/asked.py`), as it does for metrics; here from what a trajectory
has, to rounding. With contact a_WB has the mean acceleration of the last step by contact, without impacts, which
follows from the recorded terms or contact points. In a planar scene the plane is felt, too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rigidsim.analysis.past import ONE_LANE, Numbers, SampleModel
from rigidsim.blueprints import blueprint_of
from rigidsim.engine.assembly.asked import asked_of
from rigidsim.engine.assembly.blueprint import AskedVector
from rigidsim.engine.assembly.constants import model_of
from rigidsim.engine.assembly.site import Site
from rigidsim.engine.model.arrays import Model, Samples, Scratch, make_samples, make_scratch
from rigidsim.engine.model.contact_layout import CONTACT_BODY, MATERIAL
from rigidsim.engine.model.layout import BODY, MEAN
from rigidsim.engine.time.stepper import observe_at
from rigidsim.errors import NotRecordedError
from rigidsim.jit.layouts import zeros
from rigidsim.physics.inertia import apply
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.vector import ZERO, add, cross, projection, rejection, scaled, sub
from rigidsim.quantities.vocabulary import Columns
from rigidsim.trajectory.chunks import windows_of
from rigidsim.trajectory.motion import columns
from rigidsim.trajectory.provenance import CALLBACKS
from rigidsim.trajectory.samples import Source
from rigidsim.trajectory.trajectory import sample_of
from rigidsim.trajectory.windows import WINDOW_BYTES


def felt_acceleration(source: Source, body: str) -> Columns:
    """What an accelerometer feels at the origin of a body at some samples, m/s^2, in its own axes. Raises
    NotRecordedError.
    """
    if CALLBACKS in source.whole.header.provenance:
        raise NotRecordedError("felt_acceleration needs all forces, and a callback's are not in the scene")
    accelerometer, wanted, rows = (
        Accelerometer(source.whole, body),
        np.arange(len(source.whole.time))[source.samples],
        [],
    )
    for window in windows_of(len(wanted), 32 * len(source.whole), WINDOW_BYTES):
        rows += accelerometer.during(wanted[window])
    return columns(np.array(rows, dtype=np.float64).reshape(len(rows), 3))


class _Arrays(NamedTuple):
    """What the routine takes while a tree holds."""

    model: Model
    state: np.ndarray
    scratch: Scratch
    samples: Samples


class Accelerometer:
    """The accelerometer at the origin of a body of a trajectory."""

    def __init__(self, trajectory: Any, body: str):
        self._trajectory, self._header = trajectory, trajectory.header
        self._blueprint = blueprint_of(self._header.scene)
        self._vector = AskedVector("felt_acceleration", self._blueprint.tree[body].frame)
        self._observe = observe_at.caller()
        self._of_tree: dict[tuple[int, Numbers], _Arrays] = {}

    def during(self, wanted: np.ndarray) -> list[tuple]:
        """What it feels at some samples, which are read together, m/s^2, body axes."""
        part = self._trajectory.part(wanted)
        states = ((sample, sample_of(part, k)) for k, sample in enumerate(wanted.tolist()))
        return [self._at(SampleModel(self._trajectory, sample, state)) for sample, state in states]

    def _at(self, past: SampleModel) -> tuple:
        model, state, scratch, samples = self._arrays(past)
        if model.contacts is not None:
            self._write_contact(past, model, scratch.contact_mean)
        state[:] = past.whole_state()
        phase = past.blueprint.schedule.phase(past.time)
        self._observe(0, past.time / model.step, phase, model, state, scratch, samples, 0, ONE_LANE)
        return tuple(samples.asked[0, 0])

    def _arrays(self, past: SampleModel) -> _Arrays:
        number = self._header.history.number_at(past.time), past.numbers
        if number not in self._of_tree:
            model = model_of(past.blueprint, past.tree)
            model = model._replace(
                metrics=None, sensing=None, asked=asked_of(past.blueprint, past.tree, [self._vector])
            )
            scratch = make_scratch(model, ONE_LANE)
            if model.contacts is not None:
                scratch = scratch._replace(contact_mean=zeros(len(model.contacts.body), MEAN.width))
            samples = make_samples(model, 1, False, ONE_LANE, local=False, ledger=False)
            self._of_tree[number] = _Arrays(model, zeros(*past.whole_state().shape), scratch, samples)
        return self._of_tree[number]

    def _write_contact(self, past: SampleModel, model: Model, means: np.ndarray) -> None:
        """The mean acceleration by contact in the last step of each free body with shapes."""
        has_terms = "terms/contact" in self._trajectory.arrays
        if has_terms and self._header.recorded_rows("terms/contact") is None:
            found = self._of_terms(past)
        else:
            found = self._of_points(past, model)
        contacts = model.contacts
        assert contacts is not None
        for row, mean in enumerate(means[: contacts.n_moved]):
            path = past.moved[CONTACT_BODY(contacts.body[row]).row].path
            MEAN(mean).a, MEAN(mean).alpha = found.get(path, (ZERO, ZERO))

    def _of_terms(self, past: SampleModel) -> dict[str, tuple]:
        found = {}
        terms = [self._trajectory.arrays[f"terms/{name}"][past.sample] for name in ("contact", "angular_contact")]
        for path in past.free:
            node = past.tree[path]
            q_WP = past.pose(node.parent)[1]
            found[path] = tuple(rotate(q_WP, tuple(map(float, term[node.index]))) for term in terms)
        return found

    def _of_points(self, past: SampleModel, model: Model) -> dict[str, tuple]:
        if not self._header.with_contacts:
            raise NotRecordedError("felt_acceleration needs the forces of contact; run with --contacts")
        plan = self._blueprint.contacts
        if plan is not None and plan.value[:, MATERIAL.rolling].any():
            raise NotRecordedError("felt_acceleration needs the moments of rolling friction; run with --terms")
        points = self._trajectory.contacts[past.sample]
        loads: dict[str, tuple] = {}
        bodies = self._header.bodies_of_shapes(self._header.tree_at(past.time))
        for first, second, point, force in zip(points.first, points.second, points.point, points.force, strict=True):
            for shape, sign in ((second, 1.0), (first, -1.0)):
                if bodies[shape] in past.free:
                    f_W = tuple(sign * float(x) for x in force)
                    center = Site(past.tree, past.tree[bodies[shape]].frame).moved_base_center()
                    arm = sub(tuple(map(float, point)), past.place(center))
                    f, tau = loads.get(bodies[shape], (ZERO, ZERO))
                    loads[bodies[shape]] = add(f, f_W), add(tau, cross(arm, f_W))
        return {path: self._mean(past, model, path, *load) for path, load in loads.items()}

    def _mean(self, past: SampleModel, model: Model, path: str, f_W: tuple, tau_W: tuple) -> tuple:
        """The accelerations of a free body by a force and a torque; none out of the plane of a planar scene."""
        node = past.tree[path]
        body, q_WB = BODY(model.body[past.tree.row(node)]), past.pose(node.frame)[1]
        for normal in filter(None, [self._blueprint.normal]):
            f_W, tau_W = rejection(normal, f_W), projection(normal, tau_W)
        return scaled(1.0 / body.mass, f_W), rotate(q_WB, apply(body.inverse, rotate_back(q_WB, tau_W)))
