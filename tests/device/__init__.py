"""Measurements on a device that jax finds, one module for each: `python -m tests.device PART`."""
