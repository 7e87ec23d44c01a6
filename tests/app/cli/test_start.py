"""What commands load before they do anything: a short command must not wait for what it never uses."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """func.func @main(%a: tensor<3x4xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}"""
LISTED = """
import sys
from hloscope.app.cli.main import main
code = main(sys.argv[1:])
print(*sorted(sys.modules), sep="\\n", file=sys.stderr)
sys.exit(code)
"""


def loaded_by(*arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", LISTED, *arguments], capture_output=True, text=True, check=True
    )
    return set(done.stderr.split())


@pytest.mark.parametrize("command", [("maps",), ("maps", "--compose"), ("check",)])
def test_a_command_loads_what_it_uses(command: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "transpose.mlir"
    file.write_text(PROGRAM)
    loaded = loaded_by(*command, str(file))
    assert "hloscope.engine.chains" in loaded or command == ("check",)
    for name in ("scipy", "islpy", "fastapi", "uvicorn", "sqlalchemy", "importlib.metadata"):
        assert name not in loaded
    for name in (
        "hloscope.app.cli.run",
        "hloscope.app.cli.print",
        "hloscope.engine.builder",
    ):
        assert name not in loaded
