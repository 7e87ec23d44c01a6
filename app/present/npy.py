"""A value as a `.npy` file that plain NumPy reads.

Types that NumPy does not have are saved as their bits: bf16 as uint16, f8, f6 and f4 as uint8. Integers of less
than a byte are saved by value, as int8 or uint8. `view(ml_dtypes.bfloat16)` restores the numbers.
"""

from io import BytesIO

import numpy as np
from numpy.lib import format as npy_format

from .elements import Array


def npy_bytes(array: Array) -> bytes:
    """The whole value, in row-major order."""
    plain = as_plain(array)
    stream = BytesIO()
    npy_format.write_array_header_1_0(stream, npy_format.header_data_from_array_1_0(plain))
    return stream.getvalue() + plain.tobytes()


def as_plain(array: Array) -> Array:
    """`array` with a dtype of NumPy's own, row-major."""
    contiguous = np.ascontiguousarray(array).reshape(array.shape)
    if array.dtype.type.__module__ == "numpy":
        return contiguous
    if "int" in array.dtype.name:
        return contiguous.astype(np.uint8 if array.dtype.name.startswith("u") else np.int8)
    return contiguous.view(f"u{array.dtype.itemsize}")
