"""What goes wrong in a run without being asked for: values that are not finite, and where each of them was born."""

from .finding import BadInput, Cause, Finding, Grade, Occurrence
from .log import FindingLog, Found
from .watching import watch_run

__all__ = ["BadInput", "Cause", "Finding", "FindingLog", "Found", "Grade", "Occurrence", "watch_run"]
