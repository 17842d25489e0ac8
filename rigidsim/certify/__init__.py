"""One scene, expressed in several ways that must give the same motion in the world."""
