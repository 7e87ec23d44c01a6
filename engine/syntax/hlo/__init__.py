"""Reads XLA's HLO text into the IR."""
