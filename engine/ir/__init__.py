"""A program as immutable data: types, attributes, operations and functions, each with its span."""
