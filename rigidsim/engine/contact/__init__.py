"""Contact between bodies: a correction of the smooth step, which the integrator takes as if nothing touched.

A step with contact finds the pairs of shapes that may touch within it, the points at which they do, the impulses at
these points, and hands the resulting changes of position and velocity back to the tree.
"""
