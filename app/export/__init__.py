"""Recordings and sessions saved as one-file pages."""
