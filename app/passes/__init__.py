"""Run XLA's dumps: read from a folder or an archive, run after each pass, and compared."""
