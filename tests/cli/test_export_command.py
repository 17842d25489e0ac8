"""`rigidsim export` as it is typed."""

from __future__ import annotations

import csv

import numpy as np
import pytest
import xarray

import rigidsim
from spinning_brick import SAMPLES, remains

SWEEP = ("sweep", "scene.yaml", "--vary", "bodies.brick.mass=[1, 2, 5]", "--record", "0.5", "-q", "-o", "s.h5",
         "--metric", 'top== max(speed("brick"))')  # fmt: skip


@pytest.fixture
def ran(made):
    made("run.h5", "a.h5")


def test_the_format_follows_from_either_name(call, ran, workplace):
    assert call("export", "a.h5", "--to", "csv").out == f"a.csv: {(workplace / 'a.csv').stat().st_size / 1e3:.3g} kB\n"
    assert call("export", "a.h5", "-o", "b.csv", "-q") == (0, "", "")
    assert (workplace / "a.csv").read_bytes() == (workplace / "b.csv").read_bytes()
    assert call("export", "a.h5", "--to", "netcdf", "brick.speed").code == 0
    with rigidsim.load("a.h5") as trajectory, xarray.open_dataset("a.nc", engine="h5netcdf") as found:
        assert found.load().identical(trajectory.to_xarray("brick.speed"))
    assert remains(workplace) == {"scene.yaml", "a.h5", "a.csv", "b.csv", "a.nc"}


def test_csv_is_that_of_inspect_and_can_go_to_standard_output(call, ran):
    whole = call("export", "a.h5", "-o", "-")
    assert whole.err == ""
    assert whole.out == call("inspect", "a.h5", "--csv").out
    seen = call("export", "a.h5", "-o", "-", "--frame", "brick/mark")
    assert seen.out == call("inspect", "a.h5", "--csv", "--frame", "brick/mark").out
    header, *rows = csv.reader(call("export", "a.h5", "-o", "-", "mark.velocity").out.splitlines())
    assert header == ["time (s)", *(f"brick/mark.velocity.{axis} (m/s)" for axis in "xyz")]
    assert len(rows) == SAMPLES


def test_sweeps_are_tables_of_runs(call, workplace):
    """Numbers with their digits; NetCDF has the recorded arrays as well."""
    call(*SWEEP)
    assert call("export", "s.h5", "--to", "csv").code == 0
    assert call("export", "s.h5", "-o", "-").out == (workplace / "s.csv").read_text()
    header, *rows = csv.reader((workplace / "s.csv").read_text().splitlines())
    assert header == ["run", "bodies.brick.mass", "seed", "status", "error", "end_time (s)", "samples", "top (m/s)"]
    assert call("export", "s.h5", "--to", "netcdf").code == 0
    with rigidsim.load_sweep("s.h5") as sweep, xarray.open_dataset("s.nc", engine="h5netcdf") as found:
        assert [int(row[2]) for row in rows] == sweep.runs["seed"].tolist()
        assert [float(row[7]) for row in rows] == sweep.metrics["top"].tolist()
        known = sweep.to_xarray()
        assert set(found.coords) == set(known.coords)
        for name, variable in known.variables.items():
            assert np.array_equal(found[name].values, variable.values), name
            assert found[name].dims == variable.dims
        assert found.world_position.units == "m"
        assert found.title == sweep.description


def test_varied_numbers_keep_their_units(call, workplace):
    scene = (workplace / "scene.yaml").read_text().replace("bodies:", "parameters: {spin: 3 rpm}\nbodies:", 1)
    (workplace / "scene.yaml").write_text(scene.replace("[0.1, 2, 0.3]", '[0, 0, "= spin"]'))
    values = "spin=[1 rpm, 2.5 rpm]"
    done = call(
        "sweep", "scene.yaml", "--vary", values, "--vary", "bodies.brick.gravity=[true, false]", "-q", "-o", "s.h5"
    )
    assert done.code == 0
    header, *rows = csv.reader(call("export", "s.h5", "-o", "-").out.splitlines())
    assert header[:3] == ["run", "spin (rpm)", "bodies.brick.gravity"]
    assert [row[1:3] for row in rows] == [["1.0", "true"], ["1.0", "false"], ["2.5", "true"], ["2.5", "false"]]
    assert call("export", "s.h5", "--to", "netcdf").code == 0
    with xarray.open_dataset("s.nc", engine="h5netcdf") as found:
        assert found.spin.units == "rpm"
        assert list(found["bodies.brick.gravity"].values) == ["true", "false"] * 2


def test_files_that_are_there_or_not(call, ran, workplace):
    call("export", "a.h5", "--to", "csv", "-q")
    done = call("export", "a.h5", "--to", "csv")
    assert (done.code, "use --force" in done.err) == (5, True)
    assert call("export", "a.h5", "--to", "csv", "--force").code == 0
    (workplace / "notes.nc").write_text("mine")
    assert "overwrites NetCDF files only" in call("export", "a.h5", "-o", "notes.nc", "--force").err
