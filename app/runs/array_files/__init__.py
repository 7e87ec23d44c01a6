"""Array files other than NumPy's: safetensors, PyTorch, and numbers as JSON or CSV.

The files are untrusted: sizes and offsets are checked against the contents, nothing is unpickled into objects, and values
are loaded lazily.
"""
