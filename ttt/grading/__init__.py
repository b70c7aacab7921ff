"""The instructor's wing: judging and grading a whole class. What students get comes without it."""
