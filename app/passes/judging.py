"""Python numbers of worst elements."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..present.differences import Number

Array = NDArray[Any]


def plain_number(value: Any) -> Number:
    """A number as a Python number."""
    found = value.item() if isinstance(value, np.generic) else value
    return found if isinstance(found, bool | int | float | complex | str) or found is None else float(found)
