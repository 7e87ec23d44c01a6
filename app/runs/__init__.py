"""Runs: from text and input specifications to a recording that grows a slice at a time."""
