"""rigidsim: rigid bodies in a hierarchy of moving frames."""

from __future__ import annotations

from importlib import import_module

__version__ = "0.25.0"

# Public name -> its module, imported on first use to keep `rigidsim --help` fast.
_MODULE_OF = {
    "Scene": "rigidsim.scene",
    "Simulation": "rigidsim.simulation.single",
    "simulate": "rigidsim.simulation.batch",
    "Trajectory": "rigidsim.trajectory",
    "load": "rigidsim.trajectory.reader",
    "sweep": "rigidsim.sweeps.sweeping",
    "load_sweep": "rigidsim.sweeps.stored",
    "fit": "rigidsim.fitting.estimate",
    "optimise": "rigidsim.fitting.optimise",
    "linearize": "rigidsim.sensitivities.linear",
    "equilibrium": "rigidsim.sensitivities.linear",
    "assemble_sweep": "rigidsim.sweeps.assembly",
    "plot": "rigidsim.plots.plotting",
    "view": "rigidsim.views.view",
    "video": "rigidsim.views.video",
    "export": "rigidsim.exports.exporting",
    "to_xarray": "rigidsim.exports.exporting",
    "to_pandas": "rigidsim.exports.exporting",
    "Transform": "rigidsim.transform",
    "DynamicTransform": "rigidsim.transform",
    "TRS": "rigidsim.transform",
    "pairs": "rigidsim.containers",
    "distinct_pairs": "rigidsim.containers",
    "ContiguousList": "rigidsim.containers",
    "RigidsimError": "rigidsim.errors",
    "SceneError": "rigidsim.errors",
    "SimulationError": "rigidsim.errors",
    "SweepError": "rigidsim.errors",
}

# How objects show themselves in notebooks, and what samples give that follows from the scene.
_INNER = {
    "html_of": "rigidsim.report.notebook",
    "felt_acceleration": "rigidsim.analysis.felt",
    "fit_figure": "rigidsim.plots.fit",
    "differentiated": "rigidsim.sensitivities.simulation",
}

# Public modules, also imported on first use.
_MODULES = {"dual": "rigidsim.containers.dual"}

__all__ = ["__version__", *sorted(_MODULE_OF), *_MODULES]


def __getattr__(name: str) -> object:
    module = _MODULE_OF.get(name) or _INNER.get(name)
    if name not in _MODULES and module is None:
        raise AttributeError(f"module 'rigidsim' has no attribute {name!r}")
    found = import_module(_MODULES[name]) if module is None else getattr(import_module(module), name)
    globals()[name] = found  # it is not asked for again
    return found


def __dir__() -> list[str]:
    return __all__
