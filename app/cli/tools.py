"""The commands around the debugger: what editors and shells start, and what says whether all is there."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from ..base.settings import Settings
from ..runs.chunks.reading import Failure
from .choices import add_settings
from .lesson_options import add_lessons

TOOLS = ("lesson", "dap", "lsp", "completion", "doctor")


def add_tools(commands: Any) -> None:
    """Adds them to the command line."""
    said = "write, check, preview and export lessons"
    add_lessons(commands.add_parser("lesson", help=said, allow_abbrev=False))
    said = "step through programs from an editor, which speaks the Debug Adapter Protocol with this"
    add_settings(commands.add_parser("dap", help=said, allow_abbrev=False))
    said = "read programs with an editor, which speaks the Language Server Protocol with this"
    add_settings(commands.add_parser("lsp", help=said, allow_abbrev=False))
    said = "print a script that lets a shell complete commands, options and files"
    completion = commands.add_parser("completion", help=said, allow_abbrev=False)
    completion.add_argument("shell", choices=("bash", "zsh", "fish"))
    completion.set_defaults(settings=[])
    said = "say what is installed, what is missing, and how to get it"
    doctor = commands.add_parser("doctor", help=said, allow_abbrev=False)
    doctor.add_argument("--json", action="store_true", help="print what was found as JSON")
    add_settings(doctor)


def run_tool(
    options: argparse.Namespace, settings: Settings, parser: Callable[[], argparse.ArgumentParser]
) -> int:
    """Runs one; `parser` makes the whole command line's, which a shell is to know."""
    if options.command == "lesson":
        from .lesson_tools import run_lesson

        return run_lesson(options, settings)
    if options.command == "completion":
        from .completion import print_completion

        return print_completion(parser(), options.shell)
    if options.command == "doctor":
        from .doctor import doctor

        return doctor(options, settings)
    if options.command == "dap":
        from ..editors.debug_adapter.adapter import serve_standard_streams

        return serve_standard_streams(options.settings)
    return _serve_language(options.settings)


def _serve_language(settings: list[str]) -> int:
    try:
        import pygls  # noqa: F401
    except ImportError:
        raise Failure("the language server needs pygls: pip install 'hloscope[editors]'") from None
    from ..editors.language_server.server import serve_standard_streams

    return serve_standard_streams(settings)
