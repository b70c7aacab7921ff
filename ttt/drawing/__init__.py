"""Drawings of boards and of game trees, as SVG."""
