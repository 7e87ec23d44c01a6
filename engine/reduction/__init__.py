"""Programs made smaller while they keep what somebody looks for: delta debugging over results, ops, regions, shapes and values."""
