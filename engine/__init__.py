"""The engine: text and arrays in, events and values out. It uses no web, files or threads."""
