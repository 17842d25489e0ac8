"""The kinds of forces, one module each: keys in a scene, wrench on the bodies, stored energy.

A routine applies one load, in all lanes; `chain` calls it for all loads of a kind. Reading a scene needs this package,
too, so it imports nothing from the engine but the layout of rows.
"""
