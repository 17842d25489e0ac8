"""The kinds of loads, one module each: how it acts on the wrenches of bodies, and the energy it stores.

A routine takes one load, in all lanes; `wrench.each` goes over those of a kind that act in an era.
"""
