"""Run a program on a grid of processes: scheduler, rendezvous, channels, queues, deadlock reports."""

from .deadlock import DeadlockError, DeadlockReport
from .grid_run import GridRun
from .launch import Launch, QueueKey
from .run_results import results_of, results_on_grid
