"""Readers of the files that XLA dumps between its passes."""
