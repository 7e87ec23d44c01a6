"""What commands load before they do anything: a short command must not wait for what it never uses."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """func.func @main(%a: tensor<3x4xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}"""
LISTED = """
import sys
from hloscope.app.cli.main import main
for command in (["check"], ["maps"], ["maps", "--compose"]):
    assert main([*command, sys.argv[1]]) == 0
print(*sorted(sys.modules), sep="\\n", file=sys.stderr)
"""


def test_a_command_loads_what_it_uses(tmp_path: Path) -> None:
    file = tmp_path / "transpose.mlir"
    file.write_text(PROGRAM)
    command = [sys.executable, "-c", LISTED, str(file)]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stderr.split()
    assert "hloscope.engine.chains" in loaded
    for name in ("scipy", "islpy", "fastapi", "uvicorn", "sqlalchemy", "importlib.metadata"):
        assert name not in loaded
    for name in (
        "hloscope.app.cli.run",
        "hloscope.app.cli.print",
        "hloscope.engine.builder",
    ):
        assert name not in loaded
