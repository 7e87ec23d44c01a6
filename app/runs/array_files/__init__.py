"""Arrays in other files than NumPy's: safetensors, what PyTorch saves, and lists of numbers as JSON or CSV.

The files may be a stranger's: sizes and offsets are held against what is there, nothing is unpickled into objects, and a value is
read when it is asked for.
"""

from .forms import Form, form_of, open_arrays
from .stored import Header, ListedNumbers, StoredArray, array_spec

__all__ = ["Form", "Header", "ListedNumbers", "StoredArray", "array_spec", "form_of", "open_arrays"]
