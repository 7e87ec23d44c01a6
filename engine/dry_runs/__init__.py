"""Checks of a program's collectives before a run: a run of the collectives alone, on unknown values."""

from .collective_checks import check_collectives
