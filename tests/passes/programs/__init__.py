"""Programs of JAX alone, from every part of its library, whose pipelines XLA dumps; only `dump.py` imports them, in a process of its own."""
