"""Runs a program on a grid of processes: the scheduler, rendezvous, channels, queues, and reports of deadlocks."""

from .deadlock import DeadlockError, DeadlockReport
from .grid_run import GridRun
from .launch import Launch, QueueKey
from .run_results import results_of, results_on_grid

__all__ = [
    "DeadlockError",
    "DeadlockReport",
    "GridRun",
    "Launch",
    "QueueKey",
    "results_of",
    "results_on_grid",
]
