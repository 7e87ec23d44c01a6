"""`hloscope lsp`, played by a client over standard input and output."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hloscope.app.base.settings import Settings
from hloscope.app.editors.language_server.outline import TOKEN_TYPES
from hloscope.app.editors.language_server.recordings import find_run
from tests.app.serving import new_session, serving, settled

from .lsp_client import LspClient, playing

ADD = """// 𝒇: adds
func.func @main(%x: tensor<2xf32>, %𝒚: tensor<2xf32>) -> tensor<2xf32> {
  %z = stablehlo.add %x, %x : tensor<2xf32>
  %w = func.call @twice(%z) : (tensor<2xf32>) -> tensor<2xf32>
  return %w : tensor<2xf32>
}
func.func private @twice(%a: tensor<2xf32>) -> tensor<2xf32> {
  %b = stablehlo.add %a, %a : tensor<2xf32>
  return %b : tensor<2xf32>
}
""".replace("%𝒚", "%y")
WRONG = """func.func @main(%a: tensor<2x1xi64>, %b: tensor<3x2xi64>) -> tensor<5x1xi64> {
  %0 = stablehlo.concatenate /* 𝒇 */ %a, %b, dim = 0 : (tensor<2x1xi64>, tensor<3x2xi64>) -> tensor<5x1xi64>
  return %0 : tensor<5x1xi64>
}
""".replace("/* 𝒇 */ ", "")
HLO = """HloModule m

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b)
}

ENTRY %main (x: f32[2,3]) -> f32[2] {
  %x = f32[2,3]{1,0} parameter(0)
  %zero = f32[] constant(0)
  ROOT %r = f32[2]{0} reduce(%x, %zero), dimensions={1}, to_apply=%sum
}
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LspClient]:
    with playing(f"data_dir={tmp_path_factory.mktemp('data')}") as found:
        yield found


def _places(found: Any) -> list[tuple[int, int, int]]:
    return [
        (
            each["range"]["start"]["line"],
            each["range"]["start"]["character"],
            each["range"]["end"]["character"],
        )
        for each in found
    ]


def _labels(found: Any) -> list[str]:
    return [each["label"] for each in found]


def test_a_well_formed_program_has_no_diagnostics(client: LspClient) -> None:
    assert client.open("file:///well.mlir", ADD) == []
    assert client.open("file:///well.hlo", HLO) == []


def test_diagnostics_carry_the_label_and_go_when_the_text_is_mended(client: LspClient) -> None:
    uri = "file:///wrong.mlir"
    (found,) = client.open(uri, WRONG)
    assert (found["code"], found["severity"], found["source"]) == ("C2", 1, "hloscope")
    assert found["codeDescription"]["href"].endswith("#concatenate")
    assert found["range"]["start"]["line"] == 1
    start = len(client.heard)
    edit = {
        "range": {"start": {"line": 0, "character": 41}, "end": {"line": 0, "character": 57}},
        "text": "tensor<3x1xi64>",
    }
    assert WRONG[41:57] == "tensor<3x2xi64>)"
    edit["range"]["end"]["character"] = 56  # type: ignore[index]
    second = {**edit, "range": {"start": {"line": 1, "character": 0}, "end": {"line": 2, "character": 0}},
              "text": "  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x1xi64>, tensor<3x1xi64>) -> tensor<5x1xi64>\n"}  # fmt: skip
    client.notify(
        "textDocument/didChange",
        {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [edit, second]},
    )
    assert client.diagnostics(uri, start) == []


def test_places_are_counted_in_units_of_utf_16(client: LspClient) -> None:
    text = 'func.func @main() attributes {a = "𝒇𝒇", b = c} { return }'
    (found,) = client.open("file:///utf.mlir", text)
    # Each of the two letters is two units.
    assert found["range"]["start"]["character"] == text.index("= c") + 2 + 2


def test_a_text_that_is_no_program_has_one_diagnostic(client: LspClient) -> None:
    (found,) = client.open("file:///broken.mlir", "func.func @main( {")
    assert found["code"] == "parse"
    assert client.at("hover", "file:///broken.mlir", 0, 3) is None
    assert client.ask("textDocument/documentSymbol", {"textDocument": {"uri": "file:///broken.mlir"}}) == []


def test_definition_and_references_of_values_and_functions(client: LspClient) -> None:
    uri = "file:///go.mlir"
    client.open(uri, ADD)
    assert _places(client.at("definition", uri, 3, 25)) == [(2, 2, 4)]
    assert _places(client.at("definition", uri, 3, 18)) == [(6, 18, 24)]
    every = {"context": {"includeDeclaration": True}}
    assert _places(client.at("references", uri, 1, 17, **every)) == [(1, 16, 18), (2, 21, 23), (2, 25, 27)]
    others = {"context": {"includeDeclaration": False}}
    assert _places(client.at("references", uri, 6, 20, **others)) == [(3, 17, 23)]
    assert client.at("definition", uri, 0, 0) == []


def test_definition_and_references_in_hlo(client: LspClient) -> None:
    uri = "file:///go.hlo"
    client.open(uri, HLO)
    ((line, start, end),) = _places(client.at("definition", uri, 11, 66))
    assert (line, HLO.splitlines()[line][start:end].strip("%")) == (2, "sum")
    found = _places(client.at("references", uri, 10, 4, context={"includeDeclaration": True}))
    assert [line for line, _, _ in found] == [10, 11]


def test_values_and_functions_are_renamed(client: LspClient) -> None:
    uri = "file:///rename.mlir"
    client.open(uri, ADD)

    def rename(line: int, character: int, name: str) -> list[tuple[tuple[int, int, int], str]] | None:
        found = client.at("rename", uri, line, character, newName=name)
        edits = found["changes"][uri] if found else []
        return [(place, edit["newText"]) for edit in edits for place in _places([edit])] or None

    assert rename(1, 17, "%first") == [
        ((1, 16, 18), "%first"), ((2, 21, 23), "%first"), ((2, 25, 27), "%first")
    ]  # fmt: skip
    assert rename(3, 18, "double") == [((3, 17, 23), "@double"), ((6, 18, 24), "@double")]
    assert rename(7, 3, "%x") == [((7, 2, 4), "%x"), ((8, 9, 11), "%x")], "%x of another function stays apart"
    assert rename(1, 17, "z") is None, "%z is another value"
    assert rename(1, 17, "a b") is None
    assert rename(0, 0, "z") is None
    packs = "func.func @f(%i: tensor<i32>) -> tensor<i32> {\n  %r:2 = call @g(%i) : (tensor<i32>) -> (tensor<i32>, tensor<i32>)\n"
    client.open(
        uri,
        packs
        + "  return %r#1 : tensor<i32>\n}\nfunc.func private @g(tensor<i32>) -> (tensor<i32>, tensor<i32>)\n",
    )
    assert rename(1, 3, "pair") == [((1, 2, 4), "%pair"), ((2, 9, 13), "%pair#1")]
    client.open("file:///rename.hlo", HLO)
    found = client.at("rename", "file:///rename.hlo", 10, 4, newName="%other")["changes"][
        "file:///rename.hlo"
    ]
    assert [edit["range"]["start"]["line"] for edit in found] == [10, 11]


def test_hover_tells_of_ops_their_rules_and_of_values_their_types(client: LspClient) -> None:
    uri = "file:///hover.mlir"
    client.open(uri, WRONG)
    said = client.at("hover", uri, 1, 12)["contents"]["value"]
    assert "stablehlo.concatenate" in said
    assert "**C2**" in said
    assert "https://openxla.org/stablehlo/spec#concatenate" in said
    value = client.at("hover", uri, 2, 10)
    assert "%0: tensor<5x1xi64>" in value["contents"]["value"]
    assert "result of `stablehlo.concatenate`, line 2" in value["contents"]["value"]
    client.open("file:///named.mlir", ADD.replace("%x: tensor<2xf32>", '%x: tensor<2xf32> loc("p[0]")', 1))
    told = client.at("hover", "file:///named.mlir", 1, 17)["contents"]["value"]
    assert "the argument `p[0]` of the code, line 2" in told, told
    client.open("file:///hover.hlo", HLO)
    assert "reduce" in client.at("hover", "file:///hover.hlo", 11, 24)["contents"]["value"]


def test_a_recording_puts_ranges_and_pictures_into_hovers_and_hints(client: LspClient) -> None:
    uri = "file:///recorded.mlir"
    client.open(uri, ADD)
    told = client.ask(
        "workspace/executeCommand", {"command": "hloscope.record", "arguments": [uri, {"input": ["iota"]}]}
    )
    assert told.startswith("5 steps; the program has ended")
    said = client.at("hover", uri, 2, 3)["contents"]["value"]
    assert "`%z` = `f32[2]  [0, 2]`" in said
    (picture,) = re.findall(r"data:image/png;base64,([\w+/=]+)", said)
    assert base64.b64decode(picture).startswith(b"\x89PNG")
    arguments = [uri, {"inputs": "/nothing.npz"}]
    wrong = client.ask("workspace/executeCommand", {"command": "hloscope.record", "arguments": arguments})
    assert wrong == "the program cannot be run: cannot use /nothing.npz: no such file or directory"
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 20, "character": 0}}
    asked = {"textDocument": {"uri": uri}, "range": whole}
    assert _labels(client.ask("textDocument/inlayHint", asked)) == [
        ": f32[2]", "f32[2]  [0, 2]", ": f32[2]", "f32[2]  [0, 4]", ": f32[2]", "f32[2]  [0, 4]"
    ]  # fmt: skip
    # Once the text is another one, the recording says nothing.
    insert = {
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
        "text": "// x\n",
    }
    start = len(client.heard)
    client.notify(
        "textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [insert]}
    )
    client.diagnostics(uri, start)
    assert _labels(client.ask("textDocument/inlayHint", asked)) == [": f32[2]"] * 3


def test_a_program_that_cannot_be_run_is_not_recorded(client: LspClient) -> None:
    uri = "file:///cannot.mlir"
    client.open(uri, WRONG)
    told = client.ask("workspace/executeCommand", {"command": "hloscope.record", "arguments": [uri]})
    assert "C2" in told


def test_symbols_and_folds(client: LspClient) -> None:
    uri = "file:///symbols.mlir"
    client.open(uri, ADD)
    found = client.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert [(each["name"], [inner["name"] for inner in each["children"]]) for each in found] == [
        ("@main", ["%z", "%w"]), ("@twice", ["%b"])
    ]  # fmt: skip
    folds = client.ask("textDocument/foldingRange", {"textDocument": {"uri": uri}})
    assert [(fold["startLine"], fold["endLine"]) for fold in folds] == [(1, 4), (6, 8)]


def test_formatting_is_our_printer_and_loses_nothing(client: LspClient) -> None:
    uri = "file:///format.mlir"
    text = ADD.replace("  %z =", "      %z   =")
    client.open(uri, text)
    options = {"textDocument": {"uri": uri}, "options": {"tabSize": 2, "insertSpaces": True}}
    (edit,) = client.ask("textDocument/formatting", options)
    assert edit["newText"].startswith("// 𝒇: adds\n")
    assert "%z = stablehlo.add %x, %x : tensor<2xf32>\n" in edit["newText"]
    assert edit["range"]["start"] == {"line": 0, "character": 0}
    client.open("file:///again.mlir", edit["newText"])
    again = {**options, "textDocument": {"uri": "file:///again.mlir"}}
    assert client.ask("textDocument/formatting", again) == []
    client.open("file:///comments.mlir", ADD.replace("  return %w", "  // the end\n  return %w"))
    start = len(client.heard)
    kept = {**options, "textDocument": {"uri": "file:///comments.mlir"}}
    assert client.ask("textDocument/formatting", kept) == []
    told = client.wait(lambda message: message.get("method") == "window/showMessage", start)
    assert "comments would be lost" in told["params"]["message"]


def test_completion_offers_values_functions_ops_and_attributes(client: LspClient) -> None:
    uri = "file:///complete.mlir"
    client.open(uri, ADD)
    assert _labels(client.at("completion", uri, 3, 25)) == ["%z", "%y", "%x"]
    assert _labels(client.at("completion", uri, 4, 11)) == ["%w", "%z", "%y", "%x"]
    assert _labels(client.at("completion", uri, 3, 18)) == ["@main", "@twice"]
    assert "stablehlo.concatenate" in _labels(client.at("completion", uri, 2, 10))
    half = "func.func @main(%x: tensor<2xf32>) {\n  %0 = stablehlo.concatenate %x, %x, "
    client.open("file:///half.mlir", half)
    assert _labels(client.at("completion", "file:///half.mlir", 1, 37)) == ["dimension"]
    client.open("file:///complete.hlo", HLO)
    assert _labels(client.at("completion", "file:///complete.hlo", 11, 43)) == ["dimensions", "to_apply"]
    assert "reduce-window" in _labels(client.at("completion", "file:///complete.hlo", 11, 24))


def test_colours_are_relative_places(client: LspClient) -> None:
    uri = "file:///colours.mlir"
    client.open(uri, ADD)
    data = client.ask("textDocument/semanticTokens/full", {"textDocument": {"uri": uri}})["data"]
    assert data[:10] == [0, 0, 11, 0, 0, 1, 0, 9, 8, 0]


def test_names_of_hlo_have_the_colour_of_values_without_a_sign(client: LspClient) -> None:
    text = (
        "HloModule m\n\nENTRY main.4 {\n  x.1 = f32[2] parameter(0)\n  ROOT add.2 = f32[2] add(x.1, x.1)\n}\n"
    )
    uri = "file:///plain.hlo"
    client.open(uri, text)
    data = client.ask("textDocument/semanticTokens/full", {"textDocument": {"uri": uri}})["data"]
    found, line, character = {}, 0, 0
    for down, right, length, kind, _ in zip(*[iter(data)] * 5, strict=True):
        line, character = line + down, right if down else character + right
        found[text.split("\n")[line][character : character + length]] = TOKEN_TYPES[kind]
    assert (found["add.2"], found["x.1"], found["add"], found["main.4"]) == (
        "variable",
        "variable",
        "method",
        "function",
    )


def test_every_example_is_served(client: LspClient) -> None:
    for path in sorted((Path(__file__).parents[3] / "app/reference/examples").glob("*.*l*")):
        if path.suffix not in (".mlir", ".hlo"):
            continue
        uri = path.as_uri()
        severities = [found["severity"] for found in client.open(uri, path.read_text("utf-8"))]
        assert severities == ([2] if path.stem == "deadlock" else []), path.name
        assert client.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        assert client.ask("textDocument/semanticTokens/full", {"textDocument": {"uri": uri}})["data"]
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


def test_the_run_that_the_local_server_keeps_is_attached(tmp_path: Path) -> None:
    inputs = [{"kind": "dense", "text": "[3, 4]"}, {"kind": "zeros", "seed": 0}]
    with serving(tmp_path) as server:
        session = new_session(server, ADD, entry="main", inputs=inputs)
        settled(server, session)
    with playing(f"data_dir={tmp_path}") as client:
        client.open("file:///kept.mlir", ADD)
        client.wait(lambda message: message.get("method") == "workspace/inlayHint/refresh")
        assert (
            "`%w` = `f32[2]  [12, 16]`" in client.at("hover", "file:///kept.mlir", 3, 3)["contents"]["value"]
        )
        client.open("file:///other.mlir", ADD.replace("%w", "%v"))
        assert "`%v` =" not in client.at("hover", "file:///other.mlir", 3, 3)["contents"]["value"]


def test_a_store_that_cannot_be_read_keeps_nothing(tmp_path: Path) -> None:
    settings = Settings(data_dir=str(tmp_path))
    assert find_run(ADD, "p.mlir", settings, settings.limits()) is None
    (tmp_path / "hloscope.sqlite").write_bytes(b"no store")
    assert find_run(ADD, "p.mlir", settings, settings.limits()) is None


def test_each_result_has_the_hint_of_its_type(client: LspClient) -> None:
    text = """func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %a, %b = "stablehlo.optimization_barrier"(%x, %c) : (tensor<2xf32>, tensor<i32>) -> (tensor<2xf32>, tensor<i32>)
  %0:2 = "stablehlo.optimization_barrier"(%a, %b) : (tensor<2xf32>, tensor<i32>) -> (tensor<2xf32>, tensor<i32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<i32>
}
"""
    client.open("file:///two.mlir", text)
    whole = {"start": {"line": 2, "character": 0}, "end": {"line": 4, "character": 0}}
    found = client.ask(
        "textDocument/inlayHint", {"textDocument": {"uri": "file:///two.mlir"}, "range": whole}
    )
    assert [(hint["position"]["line"], hint["position"]["character"], hint["label"]) for hint in found] == [
        (2, 4, ": f32[2]"), (2, 8, ": i32"), (3, 6, ": f32[2], i32")
    ]  # fmt: skip
