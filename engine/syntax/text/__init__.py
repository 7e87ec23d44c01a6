"""Text: a cursor, numbers, elements of constants, suggestions for misspelt names."""
