"""Time: the kernels that step a block, and the run of a block with its reparentings."""
