"""Words, shapes and literals of HLO text, read and printed."""
