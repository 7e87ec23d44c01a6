"""What `hloscope check` and `hloscope run` do."""

from .checking import check
from .reading import Failure
from .running import run

__all__ = ["Failure", "check", "run"]
