"""Triton kernels, computed from their own IR."""
