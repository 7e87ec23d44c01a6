"""Shardings of a whole program: of its inputs, its results, and each value of a run."""
