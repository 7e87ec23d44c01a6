"""Index maps of families of ops, in both directions: from shapes and attributes to maps."""
