"""Programs as large as real ones, made by code: speed is measured on them, in tests and in `tests/bench`."""

from .gpt2 import gpt2
from .optimised_hlo import optimised_hlo
from .production_hlo import production_hlo

__all__ = ["gpt2", "optimised_hlo", "production_hlo"]
