"""Measurements on a device that jax finds, on a machine that has little more than jax."""
