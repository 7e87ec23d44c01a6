"""Options that several commands share, and the accepted names of their values."""

import argparse
import re

LANGUAGES = ("hlo", "stablehlo", "generic")
STYLES = ("xla", "xla-2024")
DIRECTIONS = {"output-to-input": (False,), "input-to-output": (True,), "both": (False, True)}
"""Whether maps are inverse, in the order in which they are printed."""


def find_style(text: str) -> str:
    """The style of a name; `seed` was the name of `xla-2024` before 0.1."""
    return "xla-2024" if text == "seed" else text


def add_address(command: argparse.ArgumentParser) -> None:
    """Add the address and the port of commands that serve."""
    command.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    command.add_argument(
        "--port",
        type=_port_number,
        default=None,
        help="port to listen on (default: 8765, or the next that is free)",
    )


def _port_number(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 65_535:
        raise argparse.ArgumentTypeError(f"a port is a number up to 65535, not {number}")
    return number


def positive_count(text: str) -> int:
    """A count of at least one."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"there is at least one, not {number}")
    return number


def add_settings(command: argparse.ArgumentParser) -> None:
    """Add `--set NAME=VALUE`, which all commands have."""
    command.add_argument(
        "--set",
        dest="settings",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="change a setting, such as run_step_limit=5000000",
    )


def add_formats(command: argparse.ArgumentParser) -> None:
    """Add the options for sizes that `jax.export` left open, for all commands with programs."""
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
    """Parse `b=8`."""
    found = re.fullmatch(r"\s*(\w+)\s*=\s*(\d{1,18})\s*", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"a size is NAME=N, such as b=8, not {text}")
    return found[1], int(found[2])


def add_start_at(command: argparse.ArgumentParser) -> None:
    """Add `--start-at`, for commands that record a run."""
    command.add_argument(
        "--start-at",
        metavar="PLACE",
        help="begin at a line of the program, or at %%NAME, the operation that makes a value: XLA computes what comes before",
    )


def add_files(command: argparse.ArgumentParser) -> None:
    """Add the programs, for commands that accept several."""
    command.add_argument("files", metavar="FILE", nargs="+", help="programs; - reads one from standard input")
    command.add_argument(
        "--split-input-file", action="store_true", help="each file holds programs, divided by // -----"
    )
    add_formats(command)


def add_programs(command: argparse.ArgumentParser) -> None:
    """Add the programs and their entry, for commands that print a line of JSON for each."""
    add_files(command)
    add_entry(command)
    command.add_argument("--json", action="store_true", help="print a line of JSON for each program")


def add_entry(command: argparse.ArgumentParser) -> None:
    """Add the function to run."""
    command.add_argument(
        "--entry", metavar="NAME", help="the function to run (default: main, or the only one)"
    )


def add_inputs(command: argparse.ArgumentParser) -> None:
    """Add the inputs of a run."""
    inputs = command.add_mutually_exclusive_group()
    inputs.add_argument(
        "--inputs",
        metavar="X.npz",
        help="arrays (.npz, .npy, .safetensors, .pt, .json or .csv) named in_0, 0, or as the argument; or one for each, in order. in_0@R,P is for process (R, P) of "
        "a grid alone; of an argument that is cut into parts the whole or the same part for all",
    )
    inputs.add_argument(
        "--input",
        metavar="VALUE",
        action="append",
        default=[],
        help="[NAME=]VALUE for the next argument, or the one named: a literal such as [[1, 2], [3, 4]], a file.npy (.safetensors, .pt, .json, .csv), "
        "or zeros, ones, iota, uniform, normal, the last two as normal:SEED*SCALE; NAME@R,P=VALUE for process (R, P), "
        "'apart normal' for another seed in each process, 'each 1 | 2 | 3' for a value of each",
    )
    command.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of inputs that are not given (default: 0)"
    )
    command.add_argument(
        "--bind",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="what code outside of the program gives: a value as in --input for a result (%%5), or for all results of "
        "a custom_call or function (@f); @f=skip goes past one without results; NAME:12 is that of line 12 alone",
    )


def add_grid(command: argparse.ArgumentParser) -> None:
    """Add size, results and queues of a grid of processes."""
    grid = command.add_argument_group("grids of processes")
    for name in ("replicas", "partitions"):
        grid.add_argument(
            f"--{name}",
            type=positive_count,
            metavar="N",
            help=f"number of {name} (default: as the program says)",
        )
    grid.add_argument(
        "--results",
        choices=("auto", "each", "joined"),
        default="auto",
        help="results of each process; joined where they are parts of a whole or all the same; or (auto) joined where "
        "that can be, else of each",
    )
    grid.add_argument(
        "--infeed",
        metavar="[R,P=]VALUE",
        action="append",
        default=[],
        help="put an item into the infeed queue, of all processes or of process (R, P): a value as in --input, several "
        "values of one item divided by ';', or a file.npz of items: item_0, item_1, …, of several values item_0_0, …",
    )
    grid.add_argument(
        "--host",
        dest="host_values",
        metavar="CHANNEL[@R,P]=VALUE",
        action="append",
        default=[],
        help="put an item, as in --infeed, into the queue from the host on a channel",
    )
