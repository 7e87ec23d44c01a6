"""Programs of other libraries (JAX, TensorFlow, PyTorch), with the values they are called with, as text and arrays.

None of the libraries is imported before one of its objects has been given: whoever has such an object has imported it.
"""
