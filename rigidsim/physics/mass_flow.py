"""A body that loses mass: what flows from the centre of a tank to a nozzle, and leaves there.

Each particle of the tank moves to the nozzle on a straight line that is fixed in the body, in steady flow. Newton's law
for the particles inside gives, with the rate mu at which mass leaves, c the centre of the tank, e the nozzle and the
velocity u relative to the nozzle (Thomson, Introduction to Space Dynamics, 1961, 7.10; Eke, Dynamics of variable mass
systems, NASA CR-1998-208246):

m a = F - mu u - 2 mu omega x (e - c), and about the centre of mass, with the inertia K of a kilogram of the tank,
I alpha + omega x I omega = tau - e x mu u - mu (e + c) x (omega x (e - c)) + mu K omega,

a being the acceleration of the point of the body at the centre of mass. So the Coriolis force acts half at the nozzle
and half at the centre of the tank; with the couple mu K omega it makes the jet damping.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.inertia import apply
from rigidsim.physics.rigid_body import kinetic_energy
from rigidsim.physics.vector import cross, scaled


@formula
def exhaust_force(rate, speed, direction):
    """Thrust mu u e of mass that leaves at a rate (kg/s) and a speed (m/s) against the unit vector `direction`, N."""
    return scaled(rate * speed, direction)


@formula
def flow_force(rate, omega, way):
    """Half the Coriolis force of a flow along `way` (m) in a body with the rate omega (rad/s): -mu omega x way, N."""
    return scaled(-rate, cross(omega, way))


@formula
def flow_torque(rate, inertia, omega):
    """The couple mu K omega that is left where mass leaves a body, K (m^2) being the inertia of a kilogram, N m."""
    return scaled(rate, apply(inertia, omega))


@formula
def lost_power(rate, inertia, v, omega, stored):
    """Minus the rate at which energy leaves the tank, W: mu times the kinetic energy of a kilogram in it, whose centre
    has the velocity v (m/s), and its potential energy `stored` (J/kg).
    """
    return -rate * (kinetic_energy(1.0, inertia, v, omega) + stored)
