"""A page of `docs/` as a reader follows it: its files are saved, its commands are run, and what they print is held against the page.

A program is a block of Python behind "Save this as `name.py`". A command is a line that begins with `$`, what it prints
follows. `…` on the page stands for what is left out: within a line for any characters, alone for any lines.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path
from unittest.mock import patch

from hloscope.app.cli.main import main
from tests.server_process import ROOT

BLOCK = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
SAVED = re.compile(r"[Ss]ave this as `([\w.]+)`[^`]*\Z")
LEFT_OUT = "…"
SECONDS = 240

VARYING = (
    (re.compile(r"\bmodule_\d{4}\b"), "module_NNNN"),  # other processes have compiled something before
    (re.compile(r"\b(jax|jaxlib|Python) \d+(\.\w+)+"), r"\1 VERSION"),
    (re.compile(r"in [\d.]+ s and \d+ checks"), "in N s and N checks"),
)
"""What differs from one run to the next, or from one version to the next."""


@dataclass(frozen=True)
class Command:
    """What is typed, and the lines that the page says are printed."""

    line: str
    printed: tuple[str, ...]


@dataclass(frozen=True)
class Walkthrough:
    """The files and commands of a page, in its order. `varying` are patterns beside `VARYING`."""

    files: dict[str, str]
    commands: tuple[Command, ...]
    varying: Sequence[tuple[re.Pattern[str], str]] = field(default=())

    def save(self, folder: Path) -> None:
        """Write the files."""
        for name, text in self.files.items():
            (folder / name).write_text(text)

    def differences(self, command: Command, output: str) -> str:
        """What the page says and what was printed, where they differ, as a diff; empty if they agree."""
        wanted = [self._plain(line) for line in command.printed]
        found = [self._plain(line) for line in output.splitlines()]
        if re.fullmatch("".join(_patterns(wanted)), "".join(f"{line}\n" for line in found)):
            return ""
        return "\n".join(unified_diff(wanted, found, "the page", command.line, lineterm=""))

    def _plain(self, line: str) -> str:
        for pattern, instead in (*VARYING, *self.varying):
            line = pattern.sub(instead, line)
        return line.rstrip()


def read_walkthrough(text: str, varying: Sequence[tuple[re.Pattern[str], str]] = ()) -> Walkthrough:
    """The files and commands of a page of Markdown."""
    files = {}
    commands: list[Command] = []
    for block in BLOCK.finditer(text):
        saved = SAVED.search(text[: block.start()])
        if block["language"] == "python" and saved:
            files[saved[1]] = block["text"]
        elif not block["language"] and block["text"].startswith("$ "):
            commands += _commands(block["text"])
    return Walkthrough(files, tuple(commands), varying)


def run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A command in a folder: a program of Python in a process of its own, `hloscope` in this one."""
    program, *arguments = shlex.split(line)
    places = os.pathsep.join([str(ROOT / "app" / "public"), str(ROOT)])
    given = {"PYTHONPATH": places, "JAX_PLATFORMS": "cpu"}
    if program == "hloscope":
        out, errors = io.StringIO(), io.StringIO()
        with patch.dict(os.environ, given), chdir(folder), redirect_stdout(out), redirect_stderr(errors):
            code = main(arguments)
        return subprocess.CompletedProcess(line, code, out.getvalue(), errors.getvalue())
    assert program == "python"
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def _commands(block: str) -> Iterator[Command]:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, *printed = part.rstrip("\n").split("\n")
        yield Command(line, tuple(printed))


def _patterns(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if line == LEFT_OUT:
            yield r"(?:[^\n]*\n)*?"
        else:
            yield r"[^\n]*".join(map(re.escape, line.split(LEFT_OUT))) + r"\n"
