"""Scenes as environments for reinforcement learning, by the interface of gymnasium.

Actions are the controllers of the type `input`, observations what sensors measure, reward and end of an episode outputs
of other controllers. So the scene says all of it, and what is learned runs in a sweep as any controller does.
"""

from rigidsim.env.single import SceneEnv
from rigidsim.env.vector import SceneVectorEnv

__all__ = ["SceneEnv", "SceneVectorEnv"]
