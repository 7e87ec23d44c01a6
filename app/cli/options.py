"""Options that several commands share, and the accepted names of their values."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import replace
from math import inf, nan
from typing import TYPE_CHECKING

from ..base.failure import Failure
from ..base.settings import Settings
from ..xla.failures import XlaFailed

if TYPE_CHECKING:
    from ..runs.launching import RunPlan

LANGUAGES = ("hlo", "stablehlo", "generic")

OPERANDS = ("before", "after", "dump")
"""Values of the command line that have no option."""


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
        help="port to listen on (default: the first free one from 8765)",
    )


def _port_number(text: str) -> int:
    """Parse a port."""
    number = _whole(text)
    if not 0 <= number <= 65_535:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to 65535, not {number}")
    return number


def refuse_options(options: argparse.Namespace, names: Sequence[str], why: str) -> None:
    """Refuse the options and operands of these names."""
    for name in names:
        if getattr(options, name):
            told = getattr(options, name) if name in OPERANDS else f"--{name.replace('_', '-')}"
            raise Failure(f"{why}: remove {told}")


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text:.60}' is not a whole number") from None


def positive_count(text: str) -> int:
    """Parse a count of at least 1."""
    number = _whole(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"the number must be at least 1, not {number}")
    return number


def duration(text: str) -> float:
    """Parse a number of seconds, 0 or more."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = nan
    if not 0 <= seconds < inf:
        raise argparse.ArgumentTypeError(f"'{text:.60}' is not a number of seconds, 0 or more")
    return seconds


def add_settings(command: argparse.ArgumentParser) -> None:
    """Add `--set NAME=VALUE` and `--settings FILE`, which all commands have."""
    command.add_argument(
        "--set",
        dest="settings",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="change a setting, such as run_step_limit=20000000",
    )
    command.add_argument(
        "--settings",
        dest="settings",
        metavar="FILE",
        action="append",
        default=[],
        type="settings_file={}".format,
        help="change the settings that a TOML file names, each as name = value; the environment and --set come after it",
    )


def add_formats(command: argparse.ArgumentParser) -> None:
    """Add the options for sizes that `jax.export` left open, for all commands with programs."""
    command.add_argument(
        "--size",
        metavar="NAME=N",
        type=named_size,
        action="append",
        default=[],
        help="set a symbolic dimension of a file of jax.export, such as b=8 (default: the smallest allowed size that is "
        "at least 2)",
    )
    command.add_argument(
        "--platform",
        metavar="NAME",
        help="the platform to use of a file that jax.export wrote for several (default: cpu)",
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
        help="start at this line, or at the op that computes %%NAME; XLA computes everything before it",
    )


def add_on(command: argparse.ArgumentParser, what: str = "record the values that XLA computes") -> None:
    """Add `--on`, for commands that record a run."""
    command.add_argument(
        "--on",
        metavar="ENGINE",
        help=f"{what}: xla or cpu, gpu, tpu, device (the default device of jax), also with flags: "
        "'gpu:xla_gpu_deterministic_ops=true'",
    )
    command.add_argument(
        "--strict",
        action="store_true",
        help="record the program that XLA compiles, after all of its passes, each instruction and fusion as XLA compiles "
        "it; with --on cpu",
    )


def with_executor(plan: RunPlan, options: argparse.Namespace) -> RunPlan:
    """The run on the engine of `--on`. Raises `Failure` if there is no such device."""
    if not options.on:
        if options.strict:
            raise Failure("--strict records what XLA compiles: name where with --on cpu")
        return plan
    # Only runs on another engine load these.
    from ..comparing.on_device import executor_on
    from ..comparing.strict import strict_plan

    try:
        most = Settings.load(options.settings).compilation_cache_bytes
        executor = executor_on(options.on, plan.grid.num_processes, strict=options.strict, cache_bytes=most)
        return strict_plan(plan, executor) if options.strict else replace(plan, executor=executor)
    except XlaFailed as failure:
        raise Failure(f"--on {options.on}: {failure}") from None


def add_files(command: argparse.ArgumentParser) -> None:
    """Add the program files, for commands that accept several."""
    command.add_argument("files", metavar="FILE", nargs="+", help="program files; - reads standard input")
    command.add_argument(
        "--split-input-file", action="store_true", help="split each file into programs at lines // -----"
    )
    add_formats(command)


def add_programs(command: argparse.ArgumentParser) -> None:
    """Add program files, `--entry` and `--json`, for commands that print a line of JSON per program."""
    add_files(command)
    add_entry(command)
    command.add_argument("--json", action="store_true", help="print one line of JSON per program")


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
        help="a file of arrays (.npz, .npy, .safetensors, .pt, .json or .csv), named in_0, 0 or like the arguments, or "
        "else in their order. in_0@R,P is for process (R, P) only. For a sharded argument, give the whole array or one "
        "shard for all processes",
    )
    inputs.add_argument(
        "--input",
        metavar="VALUE",
        action="append",
        default=[],
        help="[NAME=]VALUE for the next argument, or the one named: a literal such as [[1, 2], [3, 4]], a file (.npy, "
        ".safetensors, .pt, .json, .csv), or zeros, ones, iota, uniform or normal (also normal:SEED*SCALE). On a grid, "
        "NAME@R,P=VALUE is for process (R, P), 'apart normal' uses a different seed in each process, and "
        "'each 1 | 2 | 3' lists one value per process",
    )
    command.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="seed of the inputs that hloscope makes up (default: 0)",
    )
    command.add_argument(
        "--bind",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="supply results of code that hloscope cannot run: a value as in --input for the result %%5, or for all results "
        "of the custom_call or function @f; @f=skip skips a call without results; NAME:12 applies to line 12 only",
    )


def add_grid_size(command: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add the options for the size of a grid; returns their group."""
    grid = command.add_argument_group("grids of processes")
    for name in ("replicas", "partitions"):
        grid.add_argument(
            f"--{name}",
            type=positive_count,
            metavar="N",
            help=f"number of {name} (default: from the program)",
        )
    return grid


def add_grid(command: argparse.ArgumentParser) -> None:
    """Add the options for grids: their size, results and queues."""
    grid = add_grid_size(command)
    grid.add_argument(
        "--results",
        choices=("auto", "each", "joined"),
        default="auto",
        help="how results are printed: each process separately; joined from shards or equal results; auto joins where "
        "possible (default)",
    )
    grid.add_argument(
        "--infeed",
        metavar="[R,P=]VALUE",
        action="append",
        default=[],
        help="add an item to the infeed queue of all processes or of process (R, P): a value as in --input, several "
        "values separated by ';', or an .npz of items named item_0, item_1, … (item_0_0, … if an item has several "
        "values)",
    )
    grid.add_argument(
        "--host",
        dest="host_values",
        metavar="CHANNEL[@R,P]=VALUE",
        action="append",
        default=[],
        help="add an item, as in --infeed, to the queue from the host on a channel",
    )
