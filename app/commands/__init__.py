"""What `hloscope check`, `hloscope maps`, `hloscope print` and `hloscope run` do."""

from .checking import check
from .maps import DIRECTIONS, STYLES, maps
from .printing import LANGUAGES, reprint
from .reading import Failure
from .running import run

__all__ = ["DIRECTIONS", "LANGUAGES", "STYLES", "Failure", "check", "maps", "reprint", "run"]
