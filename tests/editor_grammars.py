"""Write the grammars of the VS Code extension from the tables of the reader and the printer.

`python -m tests.editor_grammars` writes the files; `tests/app/editors/test_vscode.py` fails if they are out of date. They
list no ops, so that a new op needs no new grammar.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ops import op_table
from hloscope.engine.syntax.text.editor_tokens import KEYWORDS

FOLDER = Path(__file__).parent.parent / "editors/vscode/syntaxes"
Rule = dict[str, Any]
COMMON: tuple[Rule, ...] = (
    {"name": "comment.line.double-slash", "match": "//.*$"},
    {"name": "string.quoted.double", "begin": '"', "end": '"|$', "patterns": [{"match": r"\\."}]},
    {"name": "variable.other", "match": r"%[A-Za-z0-9_$.-]+(#[0-9]+)?"},
)
NUMBER: Rule = {
    "name": "constant.numeric",
    "match": r"(?<![\w.])-?(0x[0-9A-Fa-f]+|[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?)\b",
}


def _words(words: Iterable[str]) -> str:
    """A pattern of any of the words; a longer one comes before one that it begins with."""
    return "|".join(re.escape(word) for word in sorted(set(words), key=lambda word: (-len(word), word)))


def mlir() -> Rule:
    """StableHLO and the dialects beside it."""
    dialects = _words(name.partition(".")[0] for name in op_table() if "." in name)
    types = _words(name for name in ELEMENT_TYPES if name[0] != "s" or not name[1:].isdigit())
    rules: list[Rule] = [
        *COMMON,
        {"name": "entity.name.function", "match": r'@([A-Za-z0-9_$.-]+|"[^"]*")'},
        {"name": "entity.name.label", "match": r"\^[A-Za-z0-9_$.-]+"},
        {"name": "keyword.control", "match": rf"(?<![\w.$])({_words(KEYWORDS)})(?![\w$])"},
        {"name": "support.function", "match": rf"(?<![\w.#!$])({dialects})\.[A-Za-z_][\w$.]*"},
        {"name": "storage.type", "match": rf"![A-Za-z_][\w$.]*|\b(tensor|tuple|complex|token|index|none)\b|\b([0-9?]+x)*({types})\b"},
        {"name": "support.constant", "match": r"#[A-Za-z_][\w$.]*"},
        NUMBER,
    ]  # fmt: skip
    return {"name": "MLIR", "scopeName": "source.mlir", "patterns": rules}


def hlo() -> Rule:
    """HLO text, as XLA prints it."""
    types = _words([*ELEMENT_TYPES, "pred", "token", "opaque"])
    rules: list[Rule] = [
        *COMMON,
        {"name": "keyword.control", "match": r"\b(HloModule|ENTRY|ROOT)\b"},
        {"name": "storage.type", "match": rf"\b({types})(?=\[)(\[[^\]]*\])(\{{[^}}]*\}})?"},
        {"name": "support.function", "match": r"(?<![\w.%-])[a-z][a-z0-9-]*(?=\()"},
        {"name": "variable.parameter", "match": r"\b[a-z_]+(?==)"},
        {"name": "constant.language", "match": r"\b(true|false|nan|inf)\b"},
        NUMBER,
    ]  # fmt: skip
    return {"name": "HLO", "scopeName": "source.hlo", "patterns": rules}


def texts() -> dict[str, str]:
    """The files and what is in them."""
    found = {"mlir.tmLanguage.json": mlir(), "hlo.tmLanguage.json": hlo()}
    return {name: json.dumps(rule, indent=2) + "\n" for name, rule in found.items()}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in texts().items():
        (FOLDER / name).write_text(text, "utf-8")
