"""Program reduction: delta debugging over results, ops, regions, shapes and values."""
