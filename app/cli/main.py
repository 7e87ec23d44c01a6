"""The command `hloscope`.

Exit codes:

    0     success
    1     a program is invalid, failed while it ran, or one of its `check` ops failed; `findings`: a finding is harmful;
          `passes`, `compare`: values differ beyond rounding
    2     the command line, a file or an input is invalid
    3     a limit stopped the program; the message names it, and `--set NAME=VALUE` changes it
    4     the store cannot be read: it is damaged, was emptied, or has another version
    5     the data folder cannot be used: it is missing, read-only, or its disk is full
    6     the port is taken, or the address is not one of this machine
    7     the token is too short, or has characters that an address cannot have
    8     `compare`, `passes`: unknown
    9     the Ray cluster cannot be used, or was lost
    70    a bug in hloscope; the remaining programs still run, and this one has the status `fault`
    130   interrupted by Ctrl-C
"""

import argparse
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from typing import Any, NoReturn

from hloscope.engine.errors import LimitError, ProgramError

from ..base.failure import FAULT, Failure, file_sentence
from ..base.faults import sentence
from ..base.loading import loading
from ..base.settings import Settings, SettingsError
from ..base.versions import installed_version
from ..wire.surrogates import is_text

COMMANDS = {
    "serve": "start the server and open the debugger in a browser",
    "run": "run programs and print their results",
    "check": "report errors in programs, without running them",
    "print": "print programs as text, for instance HLO as StableHLO",
    "maps": "print which elements each op reads",
    "findings": "list where NaN and infinities were born in a run, and other findings",
    "precision": "run a program beside itself in more digits, and name the op that loses them",
    "compare": "find where two runs diverge: two programs, inputs or grids, a file of values, or XLA",
    "passes": "find the pass of XLA that changed the values of a program",
    "profile": "print the time, bytes and floating-point operations of each op of a run",
    "memory": "print what fills the memory at its peak, and the bytes that collectives move",
    "reduce": "shrink a program that shows a fault",
    "bundle": "save a recording with the values that XLA computed, to open it without the device",
    "merge": "join the recordings of the hosts of a run into one",
    "lesson": "write, check, preview and export lessons",
    "dap": "serve the Debug Adapter Protocol: an editor steps through programs",
    "mcp": "serve the Model Context Protocol: an agent runs programs and asks about their values",
    "lsp": "serve the Language Server Protocol: diagnostics, hovers and completion in an editor",
    "export": "write everything that a server holds to one archive",
    "import": "put everything of such an archive into an empty store",
    "completion": "print a completion script for a shell",
    "doctor": "print what is installed, what is missing, and how to install it",
}
"""The commands in the order of the help, with a description. Each is the module of its name in this folder; a keyword of Python has `_` behind it."""
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; raises nothing."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        _check_text(given)
        given = _with_command(given)
        options, rest = parser(given[0]).parse_known_args(given)
        if rest:
            raise Failure(_with_help(f"{given[0]} does not take {rest[0]}", f"hloscope {given[0]}"))
        code: int = _module(options.command).run(options, Settings.load(options.settings))
        sys.stdout.flush()  # raises BrokenPipeError here if the reader is gone
        return code
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # The reader closed the pipe, as `head` does; keep the interpreter from reporting it at exit.
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
        return _complain(file_sentence(error), 2)
    except Exception as fault:
        if os.environ.get("HLOSCOPE_TRACEBACK"):
            raise
        return _complain(f"{sentence(fault)} (HLOSCOPE_TRACEBACK=1 shows where)", FAULT)


def parser(wanted: str | None = None) -> argparse.ArgumentParser:
    """The parser of the command line; `wanted` loads the options of that command only."""
    top = _Parser(
        prog="hloscope",
        description="A step debugger and playground in the browser for StableHLO and XLA HLO tensor programs.",
        epilog="The default command is serve. Exit codes: 0 success; 1 the program is invalid or failed; 2 the command "
        "line, a file or an input is invalid; 3 a limit was reached; 4 the store cannot be read; 5 the data folder "
        "cannot be used; 6 the port is taken; 7 the token is too short; 8 compare and passes: unknown; 9 the Ray "
        "cluster cannot be used; 70 a bug in hloscope; 130 interrupted.",
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
    """Refuse arguments that are not UTF-8: Python decodes them to lone surrogates, which no file can hold."""
    for argument in given:
        if not is_text(argument):
            raise Failure(f"the argument {argument!a} is not UTF-8: rename the file, or write it as UTF-8")


def _with_command(given: list[str]) -> list[str]:
    """Add the default command `serve`, as in `hloscope --port 9000` or `hloscope file.mlir`."""
    if given and (given[0] in COMMANDS or given[0] in ("-h", "--help", "--version")):
        return given
    is_program = not given or given[0].startswith("-") or Path(given[0]).exists()
    if not is_program:
        near = get_close_matches(given[0], COMMANDS, 1)
        meant = f": did you mean {near[0]}?" if near else ""
        raise Failure(_with_help(f"'{given[0]:.200}' is neither a command nor a file{meant}", "hloscope"))
    return ["serve", *given]


def _module(name: str) -> Any:
    """The module of a command, which has `add_options(command)` and `run(options, settings)`.

    Only the requested command is imported, so that each starts fast.
    """
    with loading():
        return import_module(f".{name}_" if iskeyword(name) else f".{name}", __package__)


def _complain(message: str, code: int) -> int:
    print(f"hloscope: {message}", file=sys.stderr)
    return code


def _with_help(message: str, command: str) -> str:
    return f"{message}\n        hint: `{command} --help` explains the command line"


class _Parser(argparse.ArgumentParser):
    """Reports a wrong command line in the form of all other errors."""

    def error(self, message: str) -> NoReturn:
        raise Failure(_with_help(message, self.prog))


class _PrintVersion(argparse.Action):
    """Print the version, which is looked up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"hloscope {installed_version() or '(not installed)'}")
        parser.exit()
