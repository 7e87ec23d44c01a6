"""What `hloscope passes` can be told on the command line."""

from __future__ import annotations

import argparse

from .choices import add_settings, positive_count


def add_passes(command: argparse.ArgumentParser) -> None:
    """Adds all of them."""
    command.add_argument(
        "dump", metavar="DIR", help="the folder that --xla_dump_to names, or a zip archive of it"
    )
    command.add_argument(
        "--module", metavar="RE", help="the modules whose names (module_0003.jit_f) hold this (default: all)"
    )
    command.add_argument(
        "--inputs",
        metavar="X.npz",
        help="arrays named in_0, 0, or as the argument; or one for each, in order (default: those of a snapshot in DIR, "
        "else made from the seed)",
    )
    command.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of inputs that are not given (default: 0)"
    )
    command.add_argument("--no-run", action="store_true", help="compare the texts alone")
    command.add_argument(
        "--json",
        action="store_true",
        help="print a line of JSON for each stage, and last the first that is wrong",
    )
    command.add_argument(
        "--jobs",
        type=positive_count,
        metavar="N",
        help="processes at the same time (default: one for each core)",
    )
    add_settings(command)
