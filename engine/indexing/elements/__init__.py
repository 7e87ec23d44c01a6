"""Exact sets of elements of one tensor, and their images under index maps."""
