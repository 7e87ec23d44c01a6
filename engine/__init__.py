"""The execution engine: text and arrays in, events and values out. No web, no files, no threads."""
