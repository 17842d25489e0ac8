"""Trajectories and sweeps for other programs: CSV, NetCDF, xarray, pandas."""
