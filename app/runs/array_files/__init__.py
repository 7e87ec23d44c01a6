"""Array files other than NumPy's: safetensors, PyTorch, and numbers as JSON or CSV.

The files are untrusted: sizes and offsets are checked against the contents, nothing is unpickled into objects, and values
are loaded lazily.
"""

from .forms import Form, form_of, open_arrays
from .stored import Header, ListedNumbers, StoredArray, array_spec

__all__ = ["Form", "Header", "ListedNumbers", "StoredArray", "array_spec", "form_of", "open_arrays"]
