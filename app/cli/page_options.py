"""The options of `hloscope run` for a page."""

from __future__ import annotations

import argparse

from .choices import positive_count


def add_page_options(command: argparse.ArgumentParser) -> None:
    """What says whether a page is written, and how large it may be."""
    command.add_argument(
        "--html",
        metavar="X.html",
        help="write the run as one page that opens from the disk, to step through it and to be passed on",
    )
    command.add_argument(
        "--html-budget",
        type=positive_count,
        metavar="BYTES",
        help="room for the values in that page, packed (default: so much that most pages have less than 1 MB)",
    )
