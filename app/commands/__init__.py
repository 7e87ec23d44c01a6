"""What `hloscope check`, `hloscope print` and `hloscope run` do."""

from .checking import check
from .printing import LANGUAGES, reprint
from .reading import Failure
from .running import run

__all__ = ["LANGUAGES", "Failure", "check", "reprint", "run"]
