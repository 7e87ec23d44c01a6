"""Meshes and shardings as data: what texts and attributes state, and the tilings that they mean."""
