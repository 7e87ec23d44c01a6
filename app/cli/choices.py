"""What may be chosen on the command line, for which no command has to be loaded."""

import argparse
import re

LANGUAGES = ("hlo", "stablehlo", "generic")
STYLES = ("xla", "xla-2024")
DIRECTIONS = {"output-to-input": (False,), "input-to-output": (True,), "both": (False, True)}
"""Whether maps are inverse, in the order in which they are printed."""


def find_style(text: str) -> str:
    """`seed` is what `xla-2024` was called before 0.1."""
    return "xla-2024" if text == "seed" else text


def port_number(text: str) -> int:
    """A port of the command line."""
    number = int(text)
    if not 0 <= number <= 65_535:
        raise argparse.ArgumentTypeError(f"a port is a number up to 65535, not {number}")
    return number


def positive_count(text: str) -> int:
    """A number of things of which there is at least one."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"there is at least one, not {number}")
    return number


def add_settings(command: argparse.ArgumentParser) -> None:
    """`--set NAME=VALUE`, which all commands have."""
    command.add_argument(
        "--set",
        dest="settings",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="change a setting, such as run_step_limit=5000000",
    )


def add_formats(command: argparse.ArgumentParser) -> None:
    """What `jax.export` leaves open, of all commands that take programs."""
    command.add_argument(
        "--size",
        metavar="NAME=N",
        type=named_size,
        action="append",
        default=[],
        help="of what jax.export has serialised, a size that it leaves open, such as b=8 (default: the smallest that it "
        "allows, from 2 on)",
    )
    command.add_argument(
        "--platform",
        metavar="NAME",
        help="of what jax.export has serialised for several platforms, the one to look at (default: cpu)",
    )


def named_size(text: str) -> tuple[str, int]:
    """`b=8`."""
    found = re.fullmatch(r"\s*(\w+)\s*=\s*(\d{1,18})\s*", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"a size is NAME=N, such as b=8, not {text}")
    return found[1], int(found[2])


def add_start_at(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--start-at",
        metavar="PLACE",
        help="begin at a line of the program, or at %%NAME, the operation that makes a value: XLA computes what comes before",
    )
