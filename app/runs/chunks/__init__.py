"""Program files, read in chunks, planned and run to the end; each chunk gets an exit code."""
