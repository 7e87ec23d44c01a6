"""The extension for VS Code: what it says agrees with the rest, and `make vscode` packs it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest

from hloscope.app.editors.launch import ARGUMENTS
from tests.editor_grammars import FOLDER, hlo, mlir, texts

ROOT = Path(__file__).parents[3]
EXTENSION = ROOT / "editors/vscode"


def test_the_grammars_are_those_of_the_tables() -> None:
    assert {name: (FOLDER / name).read_text("utf-8") for name in texts()} == texts(), (
        "python -m tests.editor_grammars writes them anew"
    )


@pytest.mark.parametrize(
    ("language", "line", "word", "name"),
    [
        ("mlir", "%0 = stablehlo.add %x, %y : tensor<2xf32>", "stablehlo.add", "support.function"),
        ("mlir", "func.func public @main() {", "public", "keyword.control"),
        ("mlir", "%0 : tensor<2x?xbf16>", "2x?xbf16", "storage.type"),
        ("hlo", "ROOT %r = f32[2]{0} reduce-window(%x), dimensions={1}", "reduce-window", "support.function"),
        ("hlo", "ROOT %r = f32[2]{0} reduce(%x), dimensions={1}", "dimensions", "variable.parameter"),
        ("hlo", "%x = f32[2,3]{1,0} parameter(0)", "f32[2,3]{1,0}", "storage.type"),
    ],
)
def test_a_word_gets_its_colour(language: str, line: str, word: str, name: str) -> None:
    rules = (mlir if language == "mlir" else hlo)()["patterns"]
    found = [
        rule["name"]
        for rule in rules
        if "match" in rule
        for hit in re.finditer(rule["match"], line)
        if hit[0] == word
    ]
    assert found == [name]


def test_a_launch_may_say_what_the_adapter_takes() -> None:
    contributes = json.loads((EXTENSION / "package.json").read_text("utf-8"))["contributes"]
    (debugger,) = contributes["debuggers"]
    assert set(debugger["configurationAttributes"]["launch"]["properties"]) == set(ARGUMENTS)
    assert {found["language"] for found in contributes["breakpoints"]} == {"mlir", "hlo"}


def test_words_of_the_editor_keep_their_signs() -> None:
    text = (EXTENSION / "language-configuration.json").read_text("utf-8")
    pattern = json.loads(text)["wordPattern"]
    assert re.findall(pattern, "%5#1 = stablehlo.add %x-y, @f") == ["%5#1", "stablehlo.add", "%x-y", "@f"]


@pytest.mark.long
def test_make_vscode_packs_the_extension(tmp_path: Path) -> None:
    found = subprocess.run(
        ["make", "vscode"], cwd=ROOT, capture_output=True, text=True, timeout=500, check=False
    )
    assert found.returncode == 0, found.stderr[-2000:]
    with ZipFile(ROOT / "dist/hloscope.vsix") as package:
        assert set(package.namelist()) == {
            *(
                "extension.vsixmanifest",
                "[Content_Types].xml",
                "extension/package.json",
                "extension/readme.md",
            ),
            *(
                "extension/LICENSE.txt",
                "extension/language-configuration.json",
                "extension/dist/extension.js",
            ),
            *("extension/dist/third-party-licences.txt", "extension/syntaxes/mlir.tmLanguage.json"),
            "extension/syntaxes/hlo.tmLanguage.json",
        }
        code = package.read("extension/dist/extension.js").decode()
        assert 'require("vscode")' in code
        assert "registerDebugAdapterDescriptorFactory" in code
        assert set(re.findall(r'require\("([^"]+)"\)', code)) <= {
            *(
                *("vscode", "path", "fs", "os", "net", "util", "url", "crypto", "child_process"),
                *("assert", "events"),
            ),
            *(
                "node:child_process",
                "node:path",
                "node:timers",
                "worker_threads",
                "buffer",
                "stream",
                "string_decoder",
            ),
        }
        assert "vscode-languageclient" in package.read("extension/dist/third-party-licences.txt").decode()
