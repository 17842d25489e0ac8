"""Collision detection: which shapes may meet, and the nearest places of two shapes, at one time and in motion."""
