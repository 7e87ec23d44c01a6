"""A program as immutable data: types, attributes, operations, functions, each with its span."""
