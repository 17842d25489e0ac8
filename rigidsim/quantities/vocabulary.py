"""All that can be read of a run by name, each declared once: words, components, unit, frames, and how it is read.

What follows from the motion of a body is a formula of this motion, which reads a trajectory and, compiled, the samples
of a run. Other vectors of a body have axes of their own, in which the stepper writes them and a trajectory has them; a
formula turns them into those that are asked for. The rest is read of a *source*, some samples of a trajectory
(`trajectory/samples.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from rigidsim.physics import rigid_body
from rigidsim.physics.elementary import arc_tangent, sqrt
from rigidsim.physics.functions import arc_sine, larger, smaller
from rigidsim.physics.quaternion import canonical, conjugate, product, rotate, rotate_back
from rigidsim.physics.vector import norm
from rigidsim.tree.joints import NAMES, OF_TANKS
from rigidsim.tree.nodes import WORLD

XYZ, WXYZ, ANGLES = ("x", "y", "z"), ("w", "x", "y", "z"), ("roll", "pitch", "yaw")
NORM = "norm"
"""In place of a component of a vector: its length."""
PARENT, BODY = "parent", "body"
FRAMES = (WORLD, PARENT, BODY)
MOTION = ("position", "orientation", "velocity", "angular_velocity")
"""The motion of a frame relative to another: p, q, v, omega."""
MASS = "mass"
"""Mass (kg), centre of mass (m) and inertia (kg m^2) of a free body with what is fixed to it, in its own axes."""
VECTOR, IN_PARENT = "vector", "orientation relative to the parent"
"""A vector that does not follow from the motion, in axes of its own; q_PB, which turns those of the parent."""
OF_MASS, OF_TERMS = "energy and momentum", "recorded accelerations and their terms"
"""What only bodies that forces move have, in words."""
TERM, DIAGNOSTIC, CONTACT, SCENE = "terms", "diagnostics", "contacts", "scene"
JOINT, REACTION, LOOP = "coordinates of joints", "reactions of joints", "reactions of loops"
"""What a quantity needs besides the motion of the bodies: records, or the forces of the scene."""
Columns = tuple[Any, ...]
"""One array (time) for each component."""


class Formula(NamedTuple):
    """A formula of some of p, q, v, omega and mass of a body, or of a vector, and how many numbers it gives."""

    needs: tuple[str, ...]
    of: Callable[..., tuple]
    width: int

    def given(self, parts: Callable[[str], Any]) -> tuple:
        """The formula, given a function that finds each of them by its name."""
        return self.of(*map(parts, self.needs))

    @property
    def length(self) -> Formula:
        """The length of this vector."""
        return Formula(self.needs, lambda *given: (norm(self.of(*given)),), 1)

    @property
    def in_body_axes(self) -> Formula:
        """This vector of the world in the axes of the body."""
        return Formula(("orientation", *self.needs), lambda q, *given: rotate_back(q, self.of(*given)), 3)


@dataclass(frozen=True)
class Quantity:
    """A quantity of a body, or of the whole run if it has no frames.

    `unit` has L for the unit of length of the frame and is empty for pure numbers; `frames` are those that it can have,
    the first if none is written, and `is_seen` whether it can be seen from other bodies too. `needs` is what has to be
    recorded for it, `of_free` what messages call it if only bodies that forces move have it.

    It is read by a formula of the motion, `formula`, or else by `read(source, body)`: a vector of a body in its `axes`,
    one of the frames.
    """

    name: str
    words: str
    components: tuple[str, ...]
    unit: str
    frames: tuple[str, ...] = ()
    is_seen: bool = False
    formula: Formula | None = None
    read: Callable[..., Columns] | None = None
    axes: str = ""
    needs: str = ""
    of_free: str = ""

    @property
    def default(self) -> str:
        """The frame if none is written; empty for the whole run."""
        return self.frames[0] if self.frames else ""

    def columns(self, source, body: str, frame: str, *other: str) -> Columns:
        """The components at the samples of a source; of a force of contact perhaps by one `other` body. Raises
        NotRecordedError.
        """
        read = self.read
        if read is not None and not self.axes:
            return read(source, body)
        formula = self.formula_in(frame)
        if MASS in formula.needs:
            return source.by_mass(formula, body)

        def part(name: str) -> Columns:
            if name == VECTOR and read is not None:
                return read(source, body, *other)
            if name == IN_PARENT:
                return tuple(source.motion(body, PARENT).orientation.T)
            return tuple(getattr(source.motion(body, WORLD if self.axes else frame), name).T)

        return formula.given(part)

    def formula_in(self, frame: str, component: str = "") -> Formula:
        """The formula in a frame; of the length if that is the component."""
        if self.axes:
            found = TURNS[self.axes, frame]
        else:
            assert self.formula is not None
            found = self.formula.in_body_axes if frame == BODY else self.formula
        return found.length if component == NORM else found

    @property
    def accepts(self) -> tuple[str, ...]:
        """The components that can be asked for."""
        return (*self.components, NORM) if self.components == XYZ else self.components


def component_of(columns: Columns, one: Quantity, component: str) -> Any:
    """One component of what was read, or the length of all."""
    if component == NORM:
        x, y, z = columns
        return sqrt(x * x + y * y + z * z)
    return columns[one.components.index(component) if component else 0]


def _angles(q) -> tuple:
    """Roll, pitch and yaw: rotations about x, y and z of the frame, in this order."""
    w, x, y, z = q
    roll = arc_tangent(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    pitch = arc_sine(larger(-1.0, smaller(1.0, 2 * (w * y - z * x))))
    return (roll, pitch, arc_tangent(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))


def _velocity_of_mass(q, v, omega, mass) -> tuple:
    return rigid_body.point_velocity(v, omega, rotate(q, mass[1]))


def _energy(q, v, omega, mass) -> tuple:
    return (rigid_body.kinetic_energy(mass[0], mass[2], _velocity_of_mass(q, v, omega, mass), rotate_back(q, omega)),)


def _momentum(q, v, omega, mass) -> tuple:
    return rigid_body.momentum(mass[0], _velocity_of_mass(q, v, omega, mass))


def _spin(q, omega, mass) -> tuple:
    return rotate(q, rigid_body.angular_momentum(mass[2], rotate_back(q, omega)))


def _turn(axes: str, frame: str) -> Formula:
    """What turns a vector from its own axes into those of another frame."""
    if axes == frame:
        return Formula((VECTOR,), lambda x: x, 3)
    if (axes, frame) == (PARENT, WORLD):
        needs = (IN_PARENT, "orientation", VECTOR)
        return Formula(needs, lambda q_PB, q_WB, x: rotate(product(q_WB, conjugate(q_PB)), x), 3)
    q = IN_PARENT if axes == PARENT else "orientation"
    return Formula((q, VECTOR), rotate if axes == BODY else rotate_back, 3)


TURNS = {(axes, frame): _turn(axes, frame) for axes in FRAMES for frame in FRAMES if axes == frame or frame != PARENT}
"""What turns vectors from their own axes into those of other frames."""


def _of_motion(name: str, words: str, components: tuple, unit: str, needs: tuple, of: Callable) -> Quantity:
    frames = FRAMES if name in ("velocity", "angular_velocity") else (WORLD, PARENT)
    return Quantity(name, words, components, unit, frames, True, Formula(needs, of, max(1, len(components))))


def _of_mass(name: str, words: str, components: tuple, unit: str, needs: tuple, of: Callable) -> Quantity:
    frames, formula = (WORLD, BODY) if components else (WORLD,), Formula((*needs, MASS), of, max(1, len(components)))
    return Quantity(name, words, components, unit, frames, formula=formula, of_free=OF_MASS)


def _term(name: str) -> Quantity:
    """A term of the acceleration; velocity and acceleration of the centre of mass are recorded with the terms."""
    sums = {"velocity": "velocity of its centre of mass", "acceleration": "acceleration",
            "angular_acceleration": "angular acceleration"}  # fmt: skip
    angular = name.startswith("angular") or name == "gyroscopic"
    return Quantity(
        f"terms.{name}", sums.get(name, f"{name.replace('_', ' ')} term"), XYZ,
        "rad/s²" if angular else "m/s" if name == "velocity" else "m/s²", (PARENT, WORLD, BODY), needs=TERM,
        read=lambda source, body: source.term(name, body), axes=PARENT, of_free=OF_TERMS,
    )  # fmt: skip


def _of_contact(name: str, words: str) -> Quantity:
    def read(source, body, *other):
        return source.contact_force(name, body, *other)

    return Quantity(name, words, XYZ, "N", (WORLD, BODY), read=read, axes=WORLD, needs=CONTACT)


def _diagnostic(name: str, words: str, unit: str, components: tuple = ()) -> Quantity:
    return Quantity(name, words, components, unit, read=lambda source, *_: source.diagnostic(name), needs=DIAGNOSTIC)


def _of_joint(name: str) -> Quantity:
    """A coordinate of a joint, its rate, or what its motor does; the unit of these depends on the joint."""
    word, _, number = name.partition("_")
    unit, words = {"angle": "rad", "displacement": "L"}.get(word, ""), f"joint {word}{number and f' {number}'}"
    if name in OF_TANKS:
        unit, words = dict(zip(OF_TANKS, (("kg", "mass"), ("kg/s", "rate of mass")), strict=True))[name]
    return Quantity(
        name,
        words,
        (),
        unit,
        (PARENT,),
        needs=JOINT,
        read=lambda source, body: source.coordinate(name, body),
        axes=PARENT,
    )


def _reaction(name: str, words: str, unit: str) -> Quantity:
    return Quantity(
        f"reaction_{name}", words, XYZ, unit, (PARENT, WORLD, BODY), needs=REACTION,
        read=lambda source, body: source.reaction(name, body), axes=PARENT,
    )  # fmt: skip


def _of_loop(name: str, words: str, unit: str) -> Quantity:
    return Quantity(
        f"loop_{name}", words, XYZ, unit, (WORLD,), needs=LOOP,
        read=lambda source, loop: source.of_loop(name, loop), axes=WORLD,
    )  # fmt: skip


def _axis(letter: str, axis: tuple) -> Quantity:
    def of(q):
        return rotate(q, axis)

    return _of_motion(f"axis_{letter}", f"{letter}-axis direction", XYZ, "", ("orientation",), of)


TERMS = ("velocity", "acceleration", "applied", "gravity", "linear", "euler", "centrifugal", "coriolis",
         "angular_acceleration", "angular_applied", "gyroscopic", "angular_parent", "angular_transport",
         "contact", "angular_contact", "joint", "angular_joint")  # fmt: skip
"""The terms of a body that forces move, in the order in which a sample has them."""
FRICTION = "friction_force"
_BODIES = (
    _of_motion("position", "position", XYZ, "L", ("position",), lambda p: p),
    _of_motion("orientation", "orientation", WXYZ, "", ("orientation",), lambda q: q),
    _of_motion("velocity", "velocity", XYZ, "L/s", ("velocity",), lambda v: v),
    _of_motion("angular_velocity", "angular velocity", XYZ, "rad/s", ("angular_velocity",), lambda omega: omega),
    _of_motion("speed", "speed", (), "L/s", ("velocity",), lambda v: (norm(v),)),
    _of_motion("angular_speed", "angular speed", (), "rad/s", ("angular_velocity",), lambda omega: (norm(omega),)),
    _of_motion("distance", "distance", (), "L", ("position",), lambda p: (norm(p),)),
    _of_motion("angles", "angle", ANGLES, "rad", ("orientation",), _angles),
    _axis("x", (1.0, 0.0, 0.0)),
    _axis("y", (0.0, 1.0, 0.0)),
    _axis("z", (0.0, 0.0, 1.0)),
    _of_mass("kinetic_energy", "kinetic energy", (), "J", ("orientation", "velocity", "angular_velocity"), _energy),
    _of_mass("linear_momentum", "momentum", XYZ, "N s", ("orientation", "velocity", "angular_velocity"), _momentum),
    _of_mass("angular_momentum", "angular momentum", XYZ, "N m s", ("orientation", "angular_velocity"), _spin),
    *map(_of_joint, NAMES),
    _reaction("force", "force of the joint", "N"),
    _reaction("torque", "torque of the joint", "N m"),
    _of_loop("force", "force of the loop", "N"),
    _of_loop("torque", "torque of the loop", "N m"),
    *map(_term, TERMS),
    _of_contact("contact_force", "contact force"),
    _of_contact(FRICTION, "friction"),
    Quantity(
        "felt_acceleration",
        "felt acceleration",
        XYZ,
        "m/s²",
        (BODY, WORLD),
        needs=SCENE,
        read=lambda source, body: source.felt_acceleration(body),
        axes=BODY,
    ),
)
_RUN = (
    Quantity("time", "time", (), "s", read=lambda source, *_: (source.time,)),
    _diagnostic("kinetic_energy", "kinetic energy", "J"),
    _diagnostic("potential_energy", "potential energy", "J"),
    _diagnostic("work", "work", "J"),
    _diagnostic("total_energy", "energy minus work", "J"),
    _diagnostic("energy_drift", "energy drift", "J"),
    _diagnostic("linear_momentum", "momentum", "N s", XYZ),
    _diagnostic("angular_momentum", "angular momentum", "N m s", XYZ),
    _diagnostic("spin_angular_momentum", "spin angular momentum", "N m s", XYZ),
    _diagnostic("orbital_angular_momentum", "orbital angular momentum", "N m s", XYZ),
    Quantity("contact_count", "contact points", (), "", read=lambda source, *_: source.contact_count(), needs=CONTACT),
    Quantity("contact_work", "work of contact", (), "J", read=lambda source, *_: source.contact_work(), needs=CONTACT),
)
OF_BODIES = {one.name: one for one in _BODIES}
"""The quantities of a body by name."""
OF_RUN = {one.name: one for one in _RUN}
"""The quantities of a whole run by name."""
SAME_AS = {"acceleration": "terms.acceleration", "angular_acceleration": "terms.angular_acceleration"}
"""Shorter names."""
CANONICAL = "canonical_orientation"
"""What expressions call q_w, q_x, q_y, q_z: of q and -q, which are the same orientation, the one with w >= 0."""
READ = {
    **OF_BODIES,
    CANONICAL: _of_motion(CANONICAL, "orientation", WXYZ, "", ("orientation",), lambda q: canonical(q)),
}
"""The quantities of a body that expressions can read."""


def _metered() -> dict[tuple[str, bool, bool], Formula]:
    found = {}
    for one in (one for one in READ.values() if one.formula):
        for frame in sorted({BODY if frame == BODY else WORLD for frame in one.frames}, reverse=True):
            for component in ("", NORM) if NORM in one.accepts else ("",):
                found[one.name, component == NORM, frame == BODY] = one.formula_in(frame, component)
    return found


OF_RUN_METERED = ("kinetic_energy", "potential_energy", "work", "linear_momentum", "spin_angular_momentum",
                  "orbital_angular_momentum", "contact_work")  # fmt: skip
"""What a compiled metric reads of the whole run; others are sums of these."""
METERED = _metered()
"""What a compiled metric reads of a motion: the name of the quantity, whether its length is meant, and whether it is in
the body's own axes.
"""
TURNED = {(*axes, is_norm): one.length if is_norm else one for axes, one in TURNS.items() for is_norm in (False, True)}
"""What it reads of other vectors: their own axes, those that are asked for, and whether the length is meant."""
