"""Types and attributes of MLIR, read and printed."""
