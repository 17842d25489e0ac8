"""The textbook: every formula once, on numbers and tuples of numbers.

The same text runs on floats, NumPy columns, mpmath numbers and, compiled, in the stepper's lanes. Vectors are tuples
(x, y, z), quaternions (w, x, y, z), symmetric tensors (xx, yy, zz, xy, xz, yz). SI units and radians throughout.

Notation (Drake's monogram): W world, P parent, B body, C the body's centre of mass. `p_PB` is the position of B from P,
expressed in P; a suffix names other axes (`omega_WB_B`). d = J_WP p_PB is the arm from the parent's origin in world
axes.
"""
