"""What is wrong with a scene as a whole, though each part of it is well written."""
