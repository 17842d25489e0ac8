"""The kinds of loads, one module each: how it acts on the wrenches of bodies, and the energy it stores.

A kernel takes one load; the loop beside it goes over those that act in an era.
"""
