"""SVG drawings of boards and game trees."""
