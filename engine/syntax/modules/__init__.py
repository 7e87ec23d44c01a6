"""Whole MLIR modules: operations, functions and regions, read and printed."""
