"""Runs: from text and input specifications to a recording that grows in slices."""
