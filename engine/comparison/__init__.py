"""Values and runs compared: what differs, whether rounding explains it, and where two runs part."""
