"""Notebooks that nbclient executes: what is kept in the file, for those who read it without a kernel."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.app.python.notebook.environment import own_folders, write_notebook

SECONDS = 300
WIDGET = "application/vnd.jupyter.widget-view+json"
MOST_OF_A_CELL = 300_000
TEXT = '''import hloscope, numpy as np
text = """func.func @main(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4x6xf32>
  %1 = stablehlo.log %0 : tensor<4x6xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}"""
x = np.linspace(-1, 3, 24, dtype=np.float32).reshape(4, 6)'''


def executed(python: Path, folder: Path, *cells: str) -> list[dict[str, Any]]:
    """What each cell has shown, by its types."""
    path = folder / "t.ipynb"
    write_notebook(path, *cells)
    command = [str(python), "-m", "jupyter", "execute", "--inplace", f"--timeout={SECONDS}", str(path)]
    done = subprocess.run(
        command, check=False, env=own_folders(folder), capture_output=True, text=True, timeout=SECONDS
    )
    assert done.returncode == 0, done.stderr[-4_000:]
    found: list[dict[str, Any]] = []
    for cell in json.loads(path.read_text())["cells"]:
        found.append({})
        for output in cell["outputs"]:
            found[-1].update(output.get("data", {}))
    return found


@pytest.mark.long
def test_objects_show_themselves(executing_python: Path, tmp_path: Path) -> None:
    shown = executed(
        executing_python, tmp_path, TEXT, "recording = hloscope.record(text, [x])\nrecording", 'recording["%1"]',
        'hloscope.maps(text, op="%2")', "recording.program", "view = recording.show()\nview",
        'view.select("%1", (1, 2))\nview.position, view.selection["address"]',
        "with hloscope.debug(text, x) as session:\n    display(session)\nhloscope.stop_local_server()",
    )  # fmt: skip
    html = ["".join(cell.get("text/html", "")) for cell in shown]
    words = (
        "",
        "first NaN: line 3, log",
        "-2.442",
        "(d0, d1) -> (d1, d0)",
        "stablehlo.transpose",
        "first NaN",
    )
    for number, word in enumerate(words):
        assert word in html[number].replace("&gt;", ">")
    assert all("<script" not in text and len(text) < MOST_OF_A_CELL for text in html)
    assert WIDGET in shown[5]
    assert "".join(shown[6]["text/plain"]) == "(2, '0.s1.0')"
    assert WIDGET in shown[7]
    assert "in hloscope</a>" in html[7]


@pytest.mark.oracle
def test_a_function_is_debugged_in_one_line(executing_python: Path, tmp_path: Path) -> None:
    """From a function of JAX to its steps, with the user's own line beside them; and no token in the file."""
    shown = executed(
        executing_python,
        tmp_path,
        "import jax, jax.numpy as jnp, hloscope\ndef loss(w, x):\n    return jnp.sum(jnp.log(w @ x))",
        "session = hloscope.debug(loss, -jnp.ones((2, 3)), jnp.ones(3))\nsession",
        "where = session.recording.origin_of_nan()\nsession.wait(60), session.recording[hloscope.Address.parse(where.address)].step.source",
        "list(hloscope.source_texts(session.recording.program).values())",
        "import pathlib\npathlib.Path('token').write_text(session._client.server.token)\nsession.close()\nhloscope.stop_local_server()",
    )
    assert WIDGET in shown[1]
    html = "".join(shown[1]["text/html"])
    assert "Recording of loss" in html
    assert "first NaN" in html
    assert "'done'" in "".join(shown[2]["text/plain"])
    assert ".py:3:" in "".join(shown[2]["text/plain"])  # the line of the cell
    assert "return jnp.sum(jnp.log(w @ x))" in "".join(shown[3]["text/plain"])
    token = (tmp_path / "token").read_text()
    assert token not in (tmp_path / "t.ipynb").read_text()
