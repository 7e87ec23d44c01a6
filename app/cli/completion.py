"""`hloscope completion`: shell completion of commands, options and files."""

import argparse
from collections.abc import Iterator

import shtab

from ..base.settings import Settings

_FILES = frozenset({"file", "files", "inputs", "outputs", "a", "b", "out", "dump"})
_FOLDERS = frozenset({"probe_dir", "folder"})


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    command.add_argument("shell", choices=("bash", "zsh", "fish"))
    command.set_defaults(settings=[])


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Print the shell's script, which completes without running hloscope."""
    from .main import parser as whole_parser

    parser = whole_parser()
    for action in _actions(parser):
        if action.dest in _FILES | _FOLDERS:
            completed = shtab.DIRECTORY if action.dest in _FOLDERS else shtab.FILE
            action.complete = completed  # type: ignore[attr-defined]
    print(shtab.complete(parser, shell=options.shell), end="")
    return 0


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in dict.fromkeys(action.choices.values()):
                yield from _actions(inner)
        else:
            yield action
