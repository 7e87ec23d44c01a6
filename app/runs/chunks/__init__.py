"""Programs read from files in chunks, planned and run to the end, with an exit code each."""
