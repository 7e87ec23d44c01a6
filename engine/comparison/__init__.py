"""Comparison of values and runs: differences, rounding-error bounds, first divergence."""
