"""What goes wrong in a run: each kind of finding with its rule, its sentence and its grade, and the log of a recording.

`kind.py` says what a kind declares, `kinds.py` lists all. Whether the wrong elements of a recorded run do harm is followed by
`debugger/grading/`.
"""

from .finding import BadInput, Cause, Fault, FaultKind, FaultTally, Finding, Grade, Harm, Occurrence
from .kinds import KINDS, checked_ops, glances, ops_checked_in_loops
from .log import FindingLog, StepLocation, start_log
from .sentences import fault_words
