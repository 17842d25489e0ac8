"""Writes docs/api.md from the docstrings of the public names: `python docs/make_api.py`."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module

import marked
import rigidsim

GROUPS = {
    "Scenes": ("Scene", "SceneError", "rigidsim.errors.Problem"),
    "Running": ("simulate", "Simulation", "SimulationError", "RigidsimError"),
    "Trajectories": (
        "load", "Trajectory", "rigidsim.trajectory.State", "rigidsim.trajectory.BodyHistory",
        "rigidsim.trajectory.JointHistory",
        "rigidsim.trajectory.motion.Motion", "rigidsim.trajectory.events.Event",
        "rigidsim.trajectory.events.Protected", "rigidsim.trajectory.events.Carried",
        "rigidsim.trajectory.events.Events", "rigidsim.trajectory.events.ContactEvent",
        "rigidsim.trajectory.events.ContactEvents", "rigidsim.trajectory.contact_points.ContactHistory",
        "rigidsim.trajectory.contact_points.ContactPoints",
    ),
    "Pictures and files": ("plot", "view", "rigidsim.views.view.View", "video", "export", "to_xarray", "to_pandas"),
    "Sweeps": (
        "sweep", "load_sweep", "assemble_sweep", "rigidsim.sweeps.stored.Sweep",
        "rigidsim.sweeps.sensitivity.SobolIndices", "rigidsim.sweeps.plan.make_plan", "rigidsim.sweeps.plan.Plan",
        "SweepError",
    ),
    "Fits, optima, linear motion": (
        "fit", "rigidsim.fitting.estimate.Fit", "optimise", "rigidsim.fitting.optimise.Optimum",
        "linearize", "equilibrium", "rigidsim.sensitivities.linear.LinearModel",
    ),
    "Environments": ("rigidsim.env.SceneEnv", "rigidsim.env.SceneVectorEnv"),
    "Oracles": (
        "rigidsim.analysis.oracles.errors", "rigidsim.analysis.oracles.OracleError",
        "rigidsim.analysis.oracles.reference",
    ),
    "Transforms": ("Transform", "DynamicTransform", "TRS"),
    "Structures": ("dual", "pairs", "distinct_pairs", "ContiguousList"),
}  # fmt: skip
NOT_MADE = (
    "Scene",
    "Trajectory",
    "State",
    "BodyHistory",
    "JointHistory",
    "Events",
    "ContactEvents",
    "ContactHistory",
    "ContactPoints",
    "Sweep",
    "Plan",
    "View",
)
"""Classes whose objects come from functions."""
LIBRARY = ("model_post_init", "model_config", "model_fields")
"""Members that pydantic puts into its models."""
GUIDE = """\
The names below are public. `rigidsim` imports its names on first use. Values are in SI units and radians, and
quaternions are scalar first.

```python
import rigidsim

trajectory = rigidsim.simulate("scenes/payload_release.yaml", terms=True)
payload = trajectory["arm/payload"]  # one body: BodyHistory
payload.world.position  # (time, 3), m, in the world; payload.local relative to its parent
payload.seen_from("arm").velocity  # relative to another body
payload.world.at(0.123).position  # between samples
trajectory.to_pandas("payload.speed", "payload.position.x@arm")  # quantities of plots by name; of a joint "door.rate"
trajectory["arm"].term("coriolis")  # (time, 3), m/s2: a part of its acceleration, recorded with terms=True

trajectory.events  # impulses, reparentings and the events of contact, in order of time
[(event.time, event.cause, event.energy) for event in trajectory.events if event.concerns("arm/payload")]
trajectory.events.contact.time  # the events of contact as columns, for many of them

trajectory.diagnostic("kinetic_energy")  # (time,), J; also potential_energy, work and the momenta
trajectory.total_energy  # kinetic + potential - work
trajectory.angular_momentum  # (time, 3), N m s
```

Many scenes are run at once, sixteen in SIMD lanes. A `Simulation` is advanced by steps:

```python
import rigidsim

mass = "bodies.tank.mass={}"
tanks = [
    rigidsim.Scene.from_file("scenes/shell_leaves_turret.yaml", [mass.format(m)]) for m in range(30000, 50000, 1000)
]
trajectories = rigidsim.simulate(tanks, threads=2)
trajectories[0].save("shell.h5", force=True)

simulation = rigidsim.Simulation(tanks[0])
simulation.step(10)
simulation.state["tank"].world.position
```

The keys of a [scene](scene/index.md) are attributes in SI units: `scene.simulation.step`, `scene.bodies["arm"].mass`.
`explain` and `inspect` on the command line print the same results, and [the file](trajectory-format.md) has them as
HDF5. Functions that take a trajectory first are also its methods: `trajectory.plot()` is `rigidsim.plot(trajectory)`.
The same holds for scenes and sweeps. In a notebook, these and states show themselves as tables."""


def as_written(text: str) -> str:
    """A docstring in Markdown, unaltered."""
    return f"```text\n{text}\n```"


def found(name: str) -> object:
    """A public name, or one by its full path."""
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute) if module else getattr(rigidsim, name)


def members(owner: type) -> Iterator[tuple[str, object]]:
    """The public methods and properties of a class and of its bases in this package, bases first."""
    every: dict[str, object] = {}
    for base in reversed(owner.__mro__):
        if base.__module__.startswith("rigidsim"):
            every |= {name: member for name, member in vars(base).items() if not name.startswith("_")}
    documented = {name: member for name, member in every.items() if inspect.getdoc(member) and name not in LIBRARY}
    for name, member in documented.items():
        if name in rigidsim.__all__:
            continue  # a function of the package
        if isinstance(member, property | staticmethod | classmethod) or inspect.isfunction(member):
            yield name, member
        elif hasattr(member, "func") and inspect.isfunction(member.func):
            yield name, property(member.func)  # cached


def signature(function: Callable) -> str:
    """The arguments of a function as its source has them."""
    (tree,) = ast.parse(inspect.cleandoc("\n" + inspect.getsource(function))).body
    arguments = [argument for argument in tree.args.args if argument.arg not in ("self", "cls")]
    tree.args.args = arguments
    returned = f" -> {ast.unparse(tree.returns)}" if tree.returns else ""
    return f"({ast.unparse(tree.args)}){returned}"


def described(name: str, member: object) -> str:
    """A method or a property: how it is called, and its docstring."""
    if isinstance(member, property):
        head, text = f"`.{name}`", inspect.getdoc(member)
    else:
        function = getattr(member, "__func__", member)
        head, text = f"`.{name}{signature(function)}`", inspect.getdoc(function)
    return f"#### {head}\n\n{as_written(text)}\n"


def made_of(owner: type) -> str:
    """The arguments that make an object of a class; none are shown where only the program makes it."""
    made = vars(owner).get("__init__")
    if is_dataclass(owner):
        return f"({', '.join(field.name for field in fields(owner) if not field.name.startswith('_'))})"
    return "" if made is None or owner.__name__ in NOT_MADE else signature(made)


def section(name: str, shown: str = "") -> str:
    """A public name: a class with its members, a function, or a module with its names."""
    public, shown = found(name), shown or name.rpartition(".")[2]
    arguments, parts = "", []
    if inspect.ismodule(public):
        parts = [section(f"{public.__name__}.{key}", f"{shown}.{key}") for key in public.__all__]
    elif inspect.isfunction(public):
        arguments = signature(public)
    else:
        arguments = made_of(public)
        parts = [described(key, member) for key, member in members(public)]
    return "\n".join([f"### `{shown}{arguments}`\n\n{as_written(inspect.getdoc(public))}\n", *parts])


def document() -> str:
    """The whole page."""
    head = f"# The Python API\n\nMade by `python docs/make_api.py` from the docstrings.\n\n{GUIDE}\n"
    groups = ["\n".join([f"## {group}\n", *map(section, names)]) for group, names in GROUPS.items()]
    return "\n".join([head, *groups])


def documents() -> dict[str, str]:
    """The page by its name."""
    return {"api.md": document()}


if __name__ == "__main__":
    marked.write(documents())
