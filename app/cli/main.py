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
from importlib import import_module
from pathlib import Path
from typing import Any

from hloscope.engine.errors import LimitError, ProgramError

from ..base.faults import sentence
from ..base.settings import Settings, SettingsError
from ..runs.chunks.outcome import FAULT
from ..runs.chunks.reading import Failure
from ..wire.surrogates import is_text

COMMANDS = {
    "serve": "open the debugger in a browser",
    "run": "run programs and print their results",
    "check": "say what is wrong with programs",
    "print": "print programs as text again",
    "maps": "say which elements each op reads",
    "findings": "say where NaN and infinities were born in a run, and what else went wrong",
    "compare": "say where two runs part: of two programs, two inputs, two grids, or a program and values in a file",
    "passes": "say which pass of XLA changed the values of a program",
    "reduce": "make a program that shows a fault as small as it can be",
    "lesson": "write, check, preview and export lessons",
    "dap": "step through programs from an editor, which speaks the Debug Adapter Protocol with this",
    "lsp": "read programs with an editor, which speaks the Language Server Protocol with this",
    "completion": "print a script that lets a shell complete commands, options and files",
    "doctor": "say what is installed, what is missing, and how to get it",
}
"""Every command, with a sentence for the help, in the order shown. A command is the module of its name in this folder."""
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code; no exception leaves it."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        _check_text(given)
        given = _with_command(given)
        options = parser(given[0]).parse_args(given)
        code: int = _module(options.command).run(options, Settings.load(options.settings))
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


def parser(wanted: str | None = None) -> argparse.ArgumentParser:
    """The command line's grammar; with `wanted` only that command has its options, and no other is loaded."""
    top = argparse.ArgumentParser(
        prog="hloscope",
        description="A step debugger and playground in the browser for StableHLO and XLA HLO tensor programs.",
        epilog="Without a command: serve. Exit codes: 0 well, 1 the program is wrong, 2 the command line, a file "
        "or an input is wrong, 3 a limit was reached; of serve also 4 the store cannot be read, 5 the data folder cannot "
        "be used, 6 the port is taken, 7 the token is too short; 70 a fault of hloscope, 130 interrupted.",
        allow_abbrev=False,
    )
    top.add_argument("--version", action=_PrintVersion, nargs=0, help="show the version and exit")
    commands = top.add_subparsers(dest="command", required=True, metavar=f"{{{','.join(COMMANDS)}}}")
    for name, help in COMMANDS.items():
        command = commands.add_parser(name, help=help, allow_abbrev=False)
        if wanted in (None, name):
            _module(name).add_options(command)
    return top


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


def _module(name: str) -> Any:
    """The module of a command, which has `add_options(command)` and `run(options, settings)`.

    Only the command on the line is imported: each loads what it needs, so a short command starts fast.
    """
    return import_module(f".{name}", __package__)


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
