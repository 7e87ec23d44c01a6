"""Dumps of XLA's passes that the server keeps: read, examined and listed; independent of HTTP."""
