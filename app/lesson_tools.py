"""`hloscope lesson`: new, check, preview, export."""

from __future__ import annotations

import argparse

from .blas import share_products
from .commands import lessons
from .settings import Settings


def run_lesson(options: argparse.Namespace, settings: Settings) -> int:
    """Does what is asked for, and gives the exit code."""
    share_products(settings.blas_thread_count())
    if options.action == "new":
        return lessons.new(options)
    if options.action == "check":
        return lessons.check(options, settings)
    raise AssertionError(options.action)
