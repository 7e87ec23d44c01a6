"""Index maps as exact relations of integers, with isl; imported by who needs it."""
