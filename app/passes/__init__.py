"""Dumps of XLA as programs to run: read from a folder or an archive, run after each pass, and compared."""
