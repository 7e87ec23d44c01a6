"""Sessions, their runs and links; a worker is started when a session is opened."""
