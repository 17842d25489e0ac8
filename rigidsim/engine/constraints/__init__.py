"""Constraint rows, their matrix J M^-1 J^T and their multipliers: loops and couplings, contacts on trees, contacts that
last.
"""
