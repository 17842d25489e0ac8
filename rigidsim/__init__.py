"""rigidsim: rigid bodies in a hierarchy of moving frames."""

from __future__ import annotations

from importlib import import_module

__version__ = "0.9.0"

# Public name -> its module, imported on first use to keep `rigidsim --help` fast.
_MODULE_OF = {
    "Scene": "rigidsim.scene",
    "Simulation": "rigidsim.simulation.single",
    "simulate": "rigidsim.simulation.batch",
    "Trajectory": "rigidsim.trajectory",
    "load": "rigidsim.trajectory.reader",
    "sweep": "rigidsim.sweeps.sweeping",
    "load_sweep": "rigidsim.sweeps.stored",
    "assemble_sweep": "rigidsim.sweeps.assembly",
    "Transform": "rigidsim.transform",
    "DynamicTransform": "rigidsim.transform",
    "TRS": "rigidsim.transform",
    "pairs": "rigidsim.structures",
    "distinct_pairs": "rigidsim.structures",
    "ContiguousList": "rigidsim.structures",
    "RigidsimError": "rigidsim.errors",
    "SceneError": "rigidsim.errors",
    "SimulationError": "rigidsim.errors",
    "SweepError": "rigidsim.errors",
}

# Public modules, also imported on first use.
_MODULES = {"dual": "rigidsim.structures.dual"}

__all__ = ["__version__", *sorted(_MODULE_OF), *_MODULES]


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'rigidsim' has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return __all__
