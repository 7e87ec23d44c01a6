"""Debugger core: recordings, stepping in both directions, provenance."""
