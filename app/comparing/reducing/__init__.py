"""Faults reduced to a minimal case: what is looked for, the search, and the reproducer that is written."""
