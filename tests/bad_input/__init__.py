"""Wrong programs and their error messages."""
