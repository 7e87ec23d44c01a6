"""The site that `make site` writes: the documents, the Python API, and lessons and examples to step through."""
