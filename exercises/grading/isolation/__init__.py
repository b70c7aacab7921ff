"""The sandbox in which submissions run, and how well it is isolated."""
