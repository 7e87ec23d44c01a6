"""Pages of `docs/` that quote commands: what they print is what the page says. Pages that need JAX are in `tests/app/xla/`."""

from __future__ import annotations

from functools import reduce
from pathlib import Path

import pytest

from tests.server_process import ROOT
from tests.walkthrough import read_walkthrough, run

pytestmark = pytest.mark.more

LOG = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  %1 = stablehlo.log %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}
"""
BEFORE = LOG.replace("log", "exponential")
COLLECTIVES = (ROOT / "docs" / "collectives.md").read_text("utf-8")
STEP = (
    (ROOT / "docs" / "memory.md")
    .read_text("utf-8")
    .partition("four devices:\n\n```\n")[2]
    .partition("```")[0]
)
HALVED = {
    "f32[] ": "bf16[] ",
    "%g = f32": "%g = bf16",
    "%r = f32": "%r = bf16",
    "  ROOT %new": """  %c = f32[512,512]{1,0} convert(%r), metadata={op_name="convert" source_file="train.py" source_line=32}
  ROOT %new""",
    "subtract(%w, %r)": "subtract(%w, %c)",
}
"""What differs in `half.hlo` of docs/memory.md."""
INTEREST = (ROOT / "docs" / "precision.md").read_text("utf-8").partition("```mlir\n")[2].partition("```")[0]
FILES = {
    "interest.mlir": INTEREST,
    "step.hlo": STEP,
    "half.hlo": reduce(lambda text, pair: text.replace(*pair), HALVED.items(), STEP),
    "one_branch.mlir": COLLECTIVES.partition("```mlir\n")[2].partition("```")[0],
    "job.log": COLLECTIVES.partition("ends the job later:\n\n```\n")[2].partition("```")[0],
    "log.mlir": LOG,
    "before.mlir": BEFORE,
    "after.mlir": BEFORE.replace("add", "multiply"),
    "sign.mlir": """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.sign %x
    : tensor<3xf32>
  return %0 : tensor<3xf32>
}
""",
    "concatenate.mlir": """func.func @main(%x: tensor<2x3xf32>) -> tensor<5x3xf32> {
  %0 = stablehlo.concatenate %x, %x, dim = 2 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
""",
}
PAGES = (
    "agents",
    "architecture",
    "collectives",
    "command-line",
    "comparing",
    "design",
    "edge-values",
    "glossary",
    "memory",
    "precision",
)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_quotes_what_its_commands_print(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HLOSCOPE_DATA_DIR", str(tmp_path / "data"))
    page = read_walkthrough((ROOT / "docs" / f"{name}.md").read_text("utf-8"))
    for file, text in FILES.items():
        (tmp_path / file).write_text(text)
    assert page.commands
    for command in page.commands:
        ended = run(command.line, tmp_path)
        assert page.differences(command, ended.stdout + ended.stderr) == ""


def test_the_program_of_the_command_line_is_that_of_the_other_pages() -> None:
    assert LOG in (ROOT / "docs" / "command-line.md").read_text("utf-8")
