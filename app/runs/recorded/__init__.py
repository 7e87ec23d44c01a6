"""Steps, frames and values of a recording, found by name, line, source line or scope."""
