"""Meshes and shardings as data, and the tilings that they denote."""
