"""JAX functions of many kinds, exported as StableHLO; each with arguments to run it on.

Only the oracle's process imports the modules here, since they need JAX.
"""
