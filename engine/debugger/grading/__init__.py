"""What a recording's findings come to: which of them do harm, and where what was bad came from."""

from .places import fault_address
from .report import FindingReport

__all__ = ["FindingReport", "fault_address"]
