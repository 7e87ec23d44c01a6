"""What `hloscope check`, `hloscope maps`, `hloscope print` and `hloscope run` do."""

from .checking import check
from .maps import DIRECTIONS, STYLES, maps
from .outcome import FAULT
from .printing import LANGUAGES, reprint
from .reading import Failure, read_source
from .running import run

__all__ = [
    "DIRECTIONS",
    "FAULT",
    "LANGUAGES",
    "STYLES",
    "Failure",
    "check",
    "maps",
    "read_source",
    "reprint",
    "run",
]
