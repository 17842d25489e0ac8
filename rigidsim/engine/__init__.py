"""The numerical engine: arrays and loops over bodies. Each kernel loops over the lanes of one block and calls formulas.

A block is LANES worlds of one structure, stepped side by side. An array is `[body, component * LANES + lane]`, the lane
innermost, so that the loop over lanes becomes vector instructions. `lanes` is a tuple of LANES zeros: its length is
part of its type, hence a constant of the compiled code. Everything structural (tree, kinds, times) is shared by the
lanes.
"""
