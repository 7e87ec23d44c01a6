"""The options of `hloscope lesson`."""

from __future__ import annotations

import argparse

from .choices import add_settings, port_number

ACTIONS = ("new", "check", "preview", "export")


def add_lessons(command: argparse.ArgumentParser) -> None:
    """Adds what one can do with lessons."""
    actions = command.add_subparsers(dest="action", required=True, metavar=f"{{{','.join(ACTIONS)}}}")
    _add_new(actions.add_parser("new", help="write a lesson to begin with", allow_abbrev=False))
    _add_check(actions.add_parser("check", help="say what is wrong with lessons", allow_abbrev=False))
    said = "show a lesson in a browser, anew whenever one of its files is saved"
    _add_preview(actions.add_parser("preview", help=said, allow_abbrev=False))
    said = "write a lesson with its recordings as one HTML file"
    _add_export(actions.add_parser("export", help=said, allow_abbrev=False))


def _add_new(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", metavar="NAME", help="what it is called: small letters, digits, hyphens")
    command.add_argument(
        "--dir", dest="folder", metavar="DIR", default=".", help="where to write it (default: here)"
    )
    add_settings(command)


def _add_check(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "files", metavar="FILE", nargs="*", help="lessons (default: all that come with hloscope)"
    )
    command.add_argument("--json", action="store_true", help="print a line of JSON for each file")
    add_settings(command)


def _add_preview(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help="the lesson")
    command.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    command.add_argument(
        "--port",
        type=port_number,
        default=None,
        help="port to listen on (default: 8765, or the next that is free)",
    )
    command.add_argument("--no-browser", action="store_true", help="print the address, open nothing")
    add_settings(command)


def _add_export(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "file", metavar="LESSON", help="a file, or the name of a lesson that comes with hloscope"
    )
    command.add_argument("-o", "--out", metavar="X.html", help="the file to write (default: NAME.html, here)")
    command.add_argument(
        "--language", metavar="LANG", help="of a lesson that is translated, such as de (default: its first)"
    )
    command.add_argument(
        "--server",
        metavar="URL",
        help="where a hloscope is, for exercises and links; without one they are text",
    )
    add_settings(command)
