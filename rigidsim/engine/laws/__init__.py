"""The kinds of forces, one module each: how it is written, how it acts on the wrenches of bodies, what it stores.

A routine takes one load, in all lanes; `chain` goes over those of a kind that act in an era. Reading a scene needs this
package, too: it imports nothing else of the engine but the layout of rows.
"""
