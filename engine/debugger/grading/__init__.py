"""The grades of a recording's findings: which of them do harm, and where their wrong elements came from."""

from .origins import fault_address
from .report import FindingReport
