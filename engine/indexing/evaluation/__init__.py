"""Index maps at points: arrays of indices, factors that share no variable, counts."""
