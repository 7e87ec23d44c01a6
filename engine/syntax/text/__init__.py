"""Text: numbers, elements of constants, suggestions for misspelt names."""
