"""Sessions, their runs and links; opening a session starts a worker."""
