"""Programs of JAX, TensorFlow and PyTorch, with their inputs, as text and arrays.

No library is imported before the caller passes one of its objects, which implies that it is imported already.
"""
