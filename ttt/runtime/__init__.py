"""What runs for long: limits of time, progress bars, and worker processes."""
