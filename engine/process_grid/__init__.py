"""Runs a program on a grid of processes: the scheduler, rendezvous, channels, queues, and why a run stands still."""

from .grid_run import GridRun
from .launch import Launch, QueueKey
from .results import results_of, results_on_grid
from .story import Standstill, Story

__all__ = ["GridRun", "Launch", "QueueKey", "Standstill", "Story", "results_of", "results_on_grid"]
