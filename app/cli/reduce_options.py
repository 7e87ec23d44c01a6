"""What `hloscope reduce` can be told on the command line."""

from __future__ import annotations

import argparse


def add_reduce(command: argparse.ArgumentParser) -> None:
    """Adds them; those of inputs and settings are the same for all commands."""
    command.add_argument("file", metavar="FILE", help="the program; - reads it from standard input")
    what = command.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--check",
        metavar="TEXT",
        help="what must hold of each smaller program: 'differs from xla', 'crashes xla', 'a pass changes values' or 'nan'",
    )
    what.add_argument(
        "--shell",
        metavar="COMMAND",
        help="a shell command that succeeds, with the program on its standard input and as $PROGRAM, inputs as $INPUTS",
    )
    command.add_argument(
        "--entry", metavar="NAME", help="the function to reduce (default: main, or the only one)"
    )
    command.add_argument("--out", metavar="DIR", help="where to write the result (default: FILE.reduced)")
    command.add_argument(
        "--seconds", type=float, metavar="N", help="end the search after so long (default: when it is done)"
    )
    command.add_argument(
        "--check-seconds",
        type=float,
        default=60.0,
        metavar="N",
        help="how long XLA or the command may take for a program (default: %(default)g)",
    )
    command.add_argument("--xla-flags", default="", metavar="FLAGS", help="XLA_FLAGS of XLA's process")
    command.add_argument("--json", action="store_true", help="print what came of it as a line of JSON")
    command.set_defaults(replicas=None, partitions=None, infeed=[], host_values=[])
