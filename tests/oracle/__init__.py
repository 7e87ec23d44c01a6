"""Comparisons with jaxlib: MLIR's parser and verifier, StableHLO's reference interpreter, XLA on CPU."""
