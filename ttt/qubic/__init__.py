"""4×4×4: forced wins, the proof that the first player wins, and the perfect player."""
