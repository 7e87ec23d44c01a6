"""The communication of a program before a run, in a run of the collectives alone, and in the logs of a job that hangs."""

from .collective_checks import check_collectives
from .hang_log import HangLog, explain_hang, read_hang_log
