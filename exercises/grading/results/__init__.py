"""What comes of the grades: they are stored, reviewed, and written into pages and the sheets of platforms."""
