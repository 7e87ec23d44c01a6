"""Random numbers, bit for bit as XLA makes them where the algorithm is stated."""

from ..core.registry import Family, ops_in
from . import random_numbers

FAMILIES = (Family("Random numbers", "other", ops_in(random_numbers)),)
