"""What goes wrong in a run without being asked for: values that are not finite, and where each of them was born."""

from ..ops.core.faults import FaultKind
from .finding import BadInput, Cause, Finding, Grade, Occurrence
from .log import FindingLog, Found, Place
from .sentences import WORDS, fault_words
from .watching import watch_run

__all__ = [
    "WORDS",
    "BadInput",
    "Cause",
    "FaultKind",
    "Finding",
    "FindingLog",
    "Found",
    "Grade",
    "Occurrence",
    "Place",
    "fault_words",
    "watch_run",
]
