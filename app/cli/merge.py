"""`hloscope merge`: join the recordings of the hosts of a run into one."""

import argparse
from pathlib import Path

from ..base.settings import Settings
from ..runs.merged_runs import merge_runs
from .options import add_settings


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    command.add_argument(
        "files", metavar="FILE", nargs="+", help="the recordings that the hosts have saved, one each"
    )
    command.add_argument(
        "-o",
        "--output",
        metavar="X.npz",
        required=True,
        help="the file to write, which opens as any recording",
    )
    add_settings(command)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Write the file and print what it has."""
    print(merge_runs([Path(file) for file in options.files], Path(options.output), settings.limits()))
    return 0
