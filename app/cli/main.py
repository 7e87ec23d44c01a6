"""The command `hloscope`.

    hloscope [serve] [FILE]     open the debugger in a browser, with a program or a folder that XLA dumped
    hloscope run FILE…          run programs and print their results
    hloscope check FILE…        say what is wrong with programs
    hloscope print FILE…        print programs as text, HLO as StableHLO too
    hloscope maps FILE…         say which elements each op reads
    hloscope findings FILE…     say where NaN and infinities were born, and what else went wrong
    hloscope compare A B        say where two runs part: of programs, inputs, grids, or values in a file
    hloscope passes DIR         say which pass of XLA changed the values of a program, by what XLA dumped
    hloscope reduce FILE        make a program that shows a fault as small as it can be
    hloscope lesson             write, check, preview and export lessons
    hloscope dap                step through programs from an editor: the Debug Adapter Protocol on standard input and output
    hloscope lsp                diagnostics, hovers, completion, … in an editor: the Language Server Protocol
    hloscope completion SHELL   a script that lets bash, zsh or fish complete commands, options and files
    hloscope doctor             say what is installed, what is missing, and how to get it

It exits with

    0     all is well
    1     a program is wrong, went wrong while it ran, or failed a check of its own; of findings, something does harm; of passes, one
          changed values beyond rounding; of compare, the runs differ by more than that
    2     the command line, a file or an input is wrong
    3     a limit stopped the program; the message names it, `--set NAME=VALUE` changes it
    4     the store cannot be read: it is damaged, emptied, or of another version
    5     the data folder or its disk cannot be used: no right to write, no room, not there
    6     nothing can listen on the port: it is taken, or not this machine's
    7     the token that was given is too short to protect anything, or cannot stand in an address
    70    a fault of hloscope's own; the other programs (this one has the status `fault`) run all the same
    130   interrupted by Ctrl-C
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from hloscope.engine.errors import LimitError, ProgramError

from ..base.faults import sentence
from ..base.settings import Settings, SettingsError
from ..runs.chunks.outcome import FAULT
from ..runs.chunks.reading import Failure
from ..wire.surrogates import is_text
from .choices import (
    DIRECTIONS,
    LANGUAGES,
    STYLES,
    add_formats,
    add_settings,
    add_start_at,
    find_style,
    positive_count,
)
from .compare_options import add_compare
from .page_options import add_page_options
from .pass_options import add_passes
from .reduce_options import add_reduce
from .serving import add_serve, run_serve
from .tools import TOOLS, add_tools, run_tool

COMMANDS = ("serve", "run", "check", "print", "maps", "findings", "compare", "passes", "reduce", *TOOLS)
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code; no exception leaves it."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        _check_text(given)
        code = _dispatch(parser().parse_args(_with_command(given)))
        sys.stdout.flush()  # here, where it is noticed that nobody reads any more
        return code
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has seen enough; the interpreter must not complain when it closes it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Failure as failure:
        return _complain(str(failure), failure.code)
    except ProgramError as error:
        hint = f"\n        hint: {error.hint}" if error.hint else ""
        return _complain(f"{error.message}{hint}", 3 if isinstance(error, LimitError) else 2)
    except SettingsError as error:
        return _complain(str(error), 2)
    except OSError as error:
        return _complain(_file_sentence(error), 2)
    except Exception as fault:
        if os.environ.get("HLOSCOPE_TRACEBACK"):
            raise
        return _complain(f"{sentence(fault)} (HLOSCOPE_TRACEBACK=1 shows where)", FAULT)


def parser() -> argparse.ArgumentParser:
    """The command line's grammar."""
    top = argparse.ArgumentParser(
        prog="hloscope",
        description="A step debugger and playground in the browser for StableHLO and XLA HLO tensor programs.",
        epilog="Without a command: serve. Exit codes: 0 well, 1 the program is wrong, 2 the command line, a file "
        "or an input is wrong, 3 a limit was reached; of serve also 4 the store cannot be read, 5 the data folder cannot "
        "be used, 6 the port is taken, 7 the token is too short; 70 a fault of hloscope, 130 interrupted.",
        allow_abbrev=False,
    )
    top.add_argument("--version", action=_PrintVersion, nargs=0, help="show the version and exit")
    commands = top.add_subparsers(
        dest="command",
        required=True,
        metavar="{serve,run,check,print,maps,findings,compare,passes,reduce,lesson,dap,lsp,completion,doctor}",
    )
    add_serve(commands.add_parser("serve", help="open the debugger in a browser", allow_abbrev=False))
    _add_run(commands.add_parser("run", help="run programs and print their results", allow_abbrev=False))
    _add_check(commands.add_parser("check", help="say what is wrong with programs", allow_abbrev=False))
    _add_print(commands.add_parser("print", help="print programs as text again", allow_abbrev=False))
    _add_maps(commands.add_parser("maps", help="say which elements each op reads", allow_abbrev=False))
    said = "say where NaN and infinities were born in a run, and what else went wrong"
    _add_findings(commands.add_parser("findings", help=said, allow_abbrev=False))
    said = (
        "say where two runs part: of two programs, two inputs, two grids, or a program and values in a file"
    )
    _add_compare(commands.add_parser("compare", help=said, allow_abbrev=False))
    said = "say which pass of XLA changed the values of a program"
    add_passes(commands.add_parser("passes", help=said, allow_abbrev=False))
    said = "make a program that shows a fault as small as it can be"
    _add_reduce(commands.add_parser("reduce", help=said, allow_abbrev=False))
    add_tools(commands)
    return top


def _add_run(command: argparse.ArgumentParser) -> None:
    _add_programs(command)
    _add_inputs(command)
    _add_grid(command)
    command.add_argument(
        "--outputs",
        metavar="Y.npz",
        help="write the results as arrays out_0, out_1, …; where processes differ as out_0@R,P",
    )
    command.add_argument(
        "--probe-dir", metavar="DIR", help="write what interpreter.probe keeps, and an index.csv"
    )
    add_start_at(command)
    add_page_options(command)
    add_settings(command)


def _add_findings(command: argparse.ArgumentParser) -> None:
    _add_programs(command)
    _add_inputs(command)
    _add_grid(command)
    command.add_argument(
        "--seconds",
        type=float,
        default=0.0,
        metavar="N",
        help="follow what was found for so long, to see whether it does harm (default: some seconds)",
    )
    add_settings(command)


def _add_compare(command: argparse.ArgumentParser) -> None:
    add_compare(command)
    add_formats(command)
    _add_inputs(command)
    _add_grid(command)
    add_settings(command)


def _add_reduce(command: argparse.ArgumentParser) -> None:
    add_reduce(command)
    add_formats(command)
    _add_inputs(command)
    add_settings(command)


def _add_inputs(command: argparse.ArgumentParser) -> None:
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


def _add_grid(command: argparse.ArgumentParser) -> None:
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


def _add_check(command: argparse.ArgumentParser) -> None:
    _add_programs(command)
    add_settings(command)


def _add_print(command: argparse.ArgumentParser) -> None:
    _add_files(command)
    command.add_argument(
        "--as",
        dest="language",
        choices=LANGUAGES,
        help="hlo, stablehlo, or generic, StableHLO in MLIR's generic form (default: the program's own language)",
    )
    command.set_defaults(json=False)
    add_settings(command)


def _add_maps(command: argparse.ArgumentParser) -> None:
    _add_programs(command)
    command.add_argument(
        "--op",
        metavar="%NAME",
        help="the op whose result has this name (%%5, 5, %%5#1 for one result, @f:%%5 in function f); default: all ops",
    )
    command.add_argument(
        "--direction",
        choices=tuple(DIRECTIONS),
        default="output-to-input",
        help="from each result to the elements that it reads, from each operand to those that read it, or both "
        "(default: %(default)s)",
    )
    command.add_argument(
        "--style",
        type=find_style,
        choices=STYLES,
        default="xla",
        help="xla: exact, in one line, as XLA's tools print today; xla-2024: as its document of 2024, one bound a line, "
        "with one map for each operand that encloses what it reads (default: %(default)s)",
    )
    command.add_argument(
        "--compose",
        action="store_true",
        help="from the function's results, or those of the op, all the way to the function's arguments",
    )
    add_settings(command)


def _add_files(command: argparse.ArgumentParser) -> None:
    command.add_argument("files", metavar="FILE", nargs="+", help="programs; - reads one from standard input")
    command.add_argument(
        "--split-input-file", action="store_true", help="each file holds programs, divided by // -----"
    )
    add_formats(command)


def _add_programs(command: argparse.ArgumentParser) -> None:
    _add_files(command)
    command.add_argument(
        "--entry", metavar="NAME", help="the function to run (default: main, or the only one)"
    )
    command.add_argument("--json", action="store_true", help="print a line of JSON for each program")


def _check_text(given: list[str]) -> None:
    """Bytes that are not UTF-8 become halves of surrogate pairs, which no file, store or page could say again."""
    for argument in given:
        if not is_text(argument):
            raise Failure(f"the argument {argument!a} is not UTF-8: rename the file, or write it as UTF-8")


def _with_command(given: list[str]) -> list[str]:
    """`hloscope`, `hloscope --port 9000` and `hloscope file.mlir` all serve."""
    if given and (given[0] in COMMANDS or given[0] in ("-h", "--help", "--version")):
        return given
    # A word that is no file is more likely a command spelled wrong.
    is_program = bool(given) and (given[0] == "-" or given[0].startswith("--") or Path(given[0]).exists())
    return ["serve", *given] if not given or is_program else given


def _dispatch(options: argparse.Namespace) -> int:
    settings = Settings.load(options.settings)
    if options.command in TOOLS:
        return run_tool(options, settings, parser)
    if options.command == "check":
        from .checking import check

        return check(options, settings.limits())
    if options.command == "run":
        from ..base.blas import share_products
        from .running import run

        share_products(settings.blas_thread_count())
        return run(options, settings.limits())
    if options.command == "findings":
        from ..base.blas import share_products
        from .findings import findings

        share_products(settings.blas_thread_count())
        return findings(options, settings.limits())
    if options.command == "compare":
        from ..base.blas import share_products
        from .comparing_engines import compare

        share_products(settings.blas_thread_count())
        return compare(options, settings.limits())
    if options.command == "maps":
        from .maps import maps

        return maps(options, settings.limits())
    if options.command == "passes":
        from .passes import passes

        return passes(options, settings.limits(), settings.worker_rlimit_as_bytes)
    if options.command == "reduce":
        from ..base.blas import share_products
        from .reduce import reduce

        share_products(settings.blas_thread_count())
        return reduce(options, settings.limits())
    if options.command == "print":
        from .printing import reprint

        return reprint(options, settings.limits())
    return run_serve(options, settings)


def _complain(message: str, code: int) -> int:
    print(f"hloscope: {message}", file=sys.stderr)
    return code


def _file_sentence(error: OSError) -> str:
    reason = (error.strerror or str(error)).lower()
    return f"cannot use {error.filename}: {reason}" if error.filename else reason


class _PrintVersion(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"hloscope {_version()}")
        parser.exit()


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # which is slow to load

    try:
        return version("hloscope")
    except PackageNotFoundError:
        return "(not installed)"
