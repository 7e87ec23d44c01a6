"""Compare our results with those of XLA or any other engine, and locate the divergence."""
