"""Long-running code: time limits, progress bars and worker processes."""
