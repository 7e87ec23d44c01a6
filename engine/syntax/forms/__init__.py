"""Short forms of operations: what each op writes in place of its attributes and types."""
