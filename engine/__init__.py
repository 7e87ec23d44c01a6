"""The engine: text and arrays in, events and values out. It knows no web, no files and no threads."""
