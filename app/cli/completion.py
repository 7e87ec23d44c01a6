"""`hloscope completion`: what a shell has to know to complete commands, options and files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import shtab

_FILES = frozenset({"file", "files", "inputs", "outputs", "a", "b", "out", "dump"})
_FOLDERS = frozenset({"probe_dir", "folder"})


def print_completion(parser: argparse.ArgumentParser, shell: str) -> int:
    """Prints the shell's script for `parser`; nothing of hloscope runs when a key is pressed."""
    for action in _actions(parser):
        if action.dest in _FILES | _FOLDERS:
            completed = shtab.DIRECTORY if action.dest in _FOLDERS else shtab.FILE
            action.complete = completed  # type: ignore[attr-defined]
    print(shtab.complete(parser, shell=shell), end="")
    return 0


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in dict.fromkeys(action.choices.values()):
                yield from _actions(inner)
        else:
            yield action
