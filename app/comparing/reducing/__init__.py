"""Reduce faults to a minimal case: checks, the search, and the reproducer script."""
