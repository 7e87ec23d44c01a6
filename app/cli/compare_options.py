"""What `hloscope compare` can be told on the command line, besides inputs and grids."""

from __future__ import annotations

import argparse

from ..comparing.budget import SECONDS
from .choices import positive_count


def add_compare(command: argparse.ArgumentParser) -> None:
    """Adds all of them."""
    command.add_argument("before", metavar="A", help="a program")
    command.add_argument(
        "after",
        metavar="B",
        nargs="?",
        help="another program; an .npz of named values, as hloscope.save_run writes it; or a folder of probes with an "
        "index.csv (default: the same program, on other inputs or another grid)",
    )
    command.add_argument(
        "--against",
        metavar="ENGINE",
        help="in the place of B: xla, that of the CPU; gpu, tpu, or device for what jax finds by itself; flags behind any of them, "
        "such as 'xla:xla_disable_hlo_passes=fusion'; jaxlib==VERSION; or a file as B is. Where XLA differs beyond rounding, the first value that does is looked for, and what is guilty",
    )
    command.add_argument(
        "--seconds",
        type=positive_count,
        default=int(SECONDS),
        metavar="N",
        help="with --against an engine: how long to look for what is guilty (default: %(default)s)",
    )
    command.add_argument(
        "--save-values",
        metavar="Y.npz",
        help="with --against an engine: write its results and intermediate values by name, to be compared later",
    )
    command.add_argument(
        "--tolerance",
        metavar="R[,A]",
        help="an error that is called rounding, to the magnitude of each element, and an absolute one (default: what "
        "rounding may do to that value)",
    )
    command.add_argument("--all", action="store_true", help="list all pairs that differ")
    command.add_argument(
        "--json",
        action="store_true",
        help="print a line of JSON for each pair that differs, last the verdict",
    )
    command.add_argument(
        "--entry", metavar="NAME", help="the function to run (default: main, or the only one)"
    )
    command.add_argument("--other-entry", metavar="NAME", help="the function of the second run")
    command.add_argument(
        "--other-inputs", metavar="X.npz", help="the inputs of the second run (default: the same)"
    )
    for name in ("replicas", "partitions"):
        command.add_argument(
            f"--other-{name}", type=positive_count, metavar="N", help=f"number of {name} of the second run"
        )
