"""The motion of bodies along the tree: kinematics, accelerations, the articulated-body algorithm, its response to
impulses.
"""
