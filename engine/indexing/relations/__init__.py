"""Index maps as exact integer relations, with isl; import it separately."""
