"""docs/finding-a-miscompile.md and its like: what they say that commands print is what they print today."""

from __future__ import annotations

import re
import subprocess
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from unittest.mock import patch

import pytest

from hloscope.app.comparing import against
from hloscope.app.comparing.reducing import reduction
from hloscope.app.xla.engine import XlaEngine
from tests.browser.miscompile import shows_fault
from tests.server_process import ROOT
from tests.walkthrough import BLOCK, Walkthrough, read_walkthrough, run

from .planted import WrongRows

pytestmark = pytest.mark.oracle

NUMBER = r"\d[\d.]*(?:e[+-]\d+)?"
WRONG = (
    # Which earlier row it is whose value the wrong one gets depends on the number of processors.
    (re.compile(rf"\] is {NUMBER}, not"), "] is WRONG, not"),
    (re.compile(rf"{NUMBER} ULP"), "N ULP"),
    (re.compile(rf"but XLA gives {NUMBER};"), "but XLA gives WRONG;"),
    (re.compile(rf"\]: {NUMBER}, but it should be"), "]: WRONG, but it should be"),
    (re.compile(rf"compiled {NUMBER}"), "compiled WRONG"),
)
EXIT_CODES = {
    "hloscope compare rows.mlir --against xla --inputs rows.npz": 1,
    "python rows.reduced/reproduce.py": 1,
}
"""Of commands that find the fault; all others exit with 0."""


@pytest.fixture(scope="module")
def _jaxlib_of_the_page() -> None:
    """The page installs this version, and quotes the numbers of its passes."""
    if version("jaxlib") != "0.10.2":
        pytest.skip("the page is about jaxlib 0.10.2")


def walkthrough() -> Walkthrough:
    return read_walkthrough((ROOT / "docs" / "finding-a-miscompile.md").read_text("utf-8"), WRONG)


@dataclass(frozen=True)
class Reader:
    """Someone who has saved the files of the page in a folder. `engine`: the XLA of the commands."""

    folder: Path
    engine: type[XlaEngine]
    with_jax: bool
    """Whether jax itself has the fault; otherwise what jax alone prints is not compared."""
    ended: dict[str, subprocess.CompletedProcess[str]] = field(default_factory=dict)
    """Commands that have run: pages that quote the same command share one run."""
    python: dict[str, subprocess.CompletedProcess[str]] = field(default_factory=dict)
    """Programs that have run in the folder, for all readers: only `hloscope` has the planted fault."""

    def follow(self, page: Walkthrough) -> dict[str, str]:
        """Run what the page says; the differences by command."""
        return {line: differs for line, differs in self._differences(page) if differs}

    def _differences(self, page: Walkthrough) -> Iterator[tuple[str, str]]:
        for command in page.commands:
            ended = self.run(command.line)
            if self.with_jax or command.line.startswith("hloscope"):
                assert ended.returncode == EXIT_CODES.get(command.line, 0), ended.stderr
                yield command.line, page.differences(command, ended.stdout)

    def run(self, line: str) -> subprocess.CompletedProcess[str]:
        """How a command has ended."""
        ended = self.ended if line.startswith("hloscope") else self.python
        if line not in ended:
            with (
                patch.object(against, "XlaEngine", self.engine),
                patch.object(reduction, "XlaEngine", self.engine),
            ):
                ended[line] = run(line, self.folder)
        return ended[line]


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory, _jaxlib_of_the_page: None) -> Reader:
    """A reader whose XLA has the planted fault."""
    folder = tmp_path_factory.mktemp("planted")
    walkthrough().save(folder)
    return Reader(folder, WrongRows, with_jax=False)


@pytest.fixture(scope="module")
def reader(planted: Reader) -> Reader:
    """A reader of today, or that of the planted fault where jaxlib no longer has the real one."""
    if shows_fault(planted.run("python rows.py")):
        return Reader(planted.folder, XlaEngine, with_jax=True, python=planted.python)
    warnings.warn("the installed jaxlib no longer has jax-ml/jax#39103: it is planted", stacklevel=1)
    return planted


def test_the_page_quotes_what_is_printed(reader: Reader) -> None:
    page = walkthrough()
    assert len(page.commands) == 8
    assert reader.follow(page) == {}


def test_what_other_pages_quote_of_it(reader: Reader) -> None:
    assert reader.follow(walkthrough()) == {}
    reducing = read_walkthrough((ROOT / "docs" / "reducing.md").read_text("utf-8"), WRONG)
    assert len(reducing.commands) == 1
    assert reader.follow(reducing) == {}
    section = (ROOT / "docs" / "xla.md").read_text("utf-8").partition("## A real miscompile")[2]
    quoted = next(block for block in BLOCK.finditer(section) if not block["language"])
    line = "hloscope compare rows.mlir --against xla --inputs rows.npz"
    assert reader.follow(read_walkthrough(f"```\n$ {line}\n{quoted['text']}```\n", WRONG)) == {}


def test_what_stands_in_for_the_fault_is_found_in_the_same_way(planted: Reader) -> None:
    """Where XLA lacks the fault, the tests above follow the whole page with the one that stands in."""
    page = walkthrough()
    found = next(at for at, command in enumerate(page.commands) if command.line.startswith("hloscope"))
    assert planted.follow(replace(page, commands=page.commands[: found + 1])) == {}


def test_a_page_that_is_out_of_date_is_seen() -> None:
    page = read_walkthrough("```\n$ python x.py\none … three\n…\nfour, jaxlib 0.1\n```\n")
    (command,) = page.commands
    assert page.differences(command, "one two three\nand\nmore\nfour, jaxlib 0.2\n") == ""
    assert page.differences(command, "one two three\nfour, jaxlib 0.2\n") == ""
    assert "-one … three" in page.differences(command, "one two\nfour, jaxlib 0.2\n")
    assert page.differences(command, "one two three\nfour, jaxlib 0.2\nfive\n")
