"""Programs in other forms than text: recognised by their contents, and converted to text.

The rest of the application needs only `read_program`. Importing this package loads nothing heavy.
"""
