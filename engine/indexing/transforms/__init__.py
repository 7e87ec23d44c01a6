"""Maps made of maps: composed, variables removed, run-time offsets substituted."""
