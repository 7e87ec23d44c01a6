"""docs/finding-a-miscompile.md and its like: what they say that commands print is what they print today."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.browser.miscompile import has_fault
from tests.server_process import ROOT
from tests.walkthrough import BLOCK, OWN, Walkthrough, read_walkthrough, run

pytestmark = pytest.mark.oracle

PLANTED = (sys.executable, "-m", "tests.app.xla.planted_command")
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


@pytest.fixture
def _jaxlib_of_the_page() -> None:
    """The page installs this version, and quotes the numbers of its passes."""
    if version("jaxlib") != "0.10.2":
        pytest.skip("the page is about jaxlib 0.10.2")


def walkthrough() -> Walkthrough:
    return read_walkthrough((ROOT / "docs" / "finding-a-miscompile.md").read_text("utf-8"), WRONG)


def follow(page: Walkthrough, folder: Path, hloscope: Sequence[str], with_jax: bool) -> dict[str, str]:
    """Run what the page says; the differences by command. Without `with_jax` the fault is not in what jax alone prints."""
    found = {}
    for command in page.commands:
        ended = run(command.line, folder, hloscope)
        if with_jax or command.line.startswith("hloscope"):
            assert ended.returncode == EXIT_CODES.get(command.line, 0), ended.stderr
            if differs := page.differences(command, ended.stdout):
                found[command.line] = differs
    return found


@pytest.mark.usefixtures("_jaxlib_of_the_page")
def test_the_page_quotes_what_is_printed(tmp_path: Path) -> None:
    page = walkthrough()
    page.save(tmp_path)
    assert len(page.commands) == 8
    if is_there := has_fault(tmp_path):
        hloscope = OWN
    else:
        warnings.warn("the installed jaxlib no longer has jax-ml/jax#39103: it is planted", stacklevel=1)
        hloscope = PLANTED
    assert follow(page, tmp_path, hloscope, is_there) == {}


@pytest.mark.usefixtures("_jaxlib_of_the_page")
def test_what_other_pages_quote_of_it(tmp_path: Path) -> None:
    walkthrough().save(tmp_path)
    hloscope = OWN if has_fault(tmp_path) else PLANTED
    run("python export.py", tmp_path)
    reducing = read_walkthrough((ROOT / "docs" / "reducing.md").read_text("utf-8"), WRONG)
    assert len(reducing.commands) == 1
    assert follow(reducing, tmp_path, hloscope, False) == {}
    section = (ROOT / "docs" / "xla.md").read_text("utf-8").partition("## A real miscompile")[2]
    quoted = next(block for block in BLOCK.finditer(section) if not block["language"])
    line = "hloscope compare rows.mlir --against xla --inputs rows.npz"
    page = read_walkthrough(f"```\n$ {line}\n{quoted['text']}```\n", WRONG)
    assert follow(page, tmp_path, hloscope, False) == {}


@pytest.mark.usefixtures("_jaxlib_of_the_page")
def test_what_stands_in_for_the_fault_is_found_in_the_same_way(tmp_path: Path) -> None:
    page = walkthrough()
    page.save(tmp_path)
    assert follow(page, tmp_path, PLANTED, False) == {}


def test_a_page_that_is_out_of_date_is_seen() -> None:
    page = read_walkthrough("```\n$ python x.py\none … three\n…\nfour, jaxlib 0.1\n```\n")
    (command,) = page.commands
    assert page.differences(command, "one two three\nand\nmore\nfour, jaxlib 0.2\n") == ""
    assert page.differences(command, "one two three\nfour, jaxlib 0.2\n") == ""
    assert "-one … three" in page.differences(command, "one two\nfour, jaxlib 0.2\n")
    assert page.differences(command, "one two three\nfour, jaxlib 0.2\nfive\n")
