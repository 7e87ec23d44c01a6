"""How fast the engine is, beside StableHLO's reference interpreter and XLA."""
