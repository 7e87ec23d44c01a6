"""What runs on Windows: the engine, the Python API and the commands that need no server load no module that only POSIX has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
WITHOUT_POSIX = """
import os, sys
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None
for name in ("fork", "getppid", "killpg", "setsid"):
    vars(os).pop(name, None)

import hloscope
from hloscope.app.cli.main import main

program, lesson = sys.argv[1:]
for command in (
    ["run", program, "--html", "softmax.html"],
    ["check", program],
    ["print", program],
    ["maps", program],
    ["findings", program],
    ["lesson", "check", lesson],
    ["doctor"],
):
    assert main(command) == 0, command
text = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }"
assert hloscope.record(text, [[1, 2]]).state.kind == "done"
"""


def test_commands_and_the_python_api_without_a_server(tmp_path: Path) -> None:
    program = ROOT / "app/reference/examples/softmax.mlir"
    lesson = ROOT / "app/lessons/texts/en/reading-a-program.md"
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_POSIX, str(program), str(lesson)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
