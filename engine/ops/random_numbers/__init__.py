"""Random numbers, bit for bit as XLA makes them where the algorithm is stated."""

from __future__ import annotations

from ..core.registry import Family
from . import random_numbers

FAMILIES = (Family("Random numbers", "other", (*random_numbers.OPS,)),)
