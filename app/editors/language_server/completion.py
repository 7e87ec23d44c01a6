"""Completions at a position: values, functions, ops, and attributes of the current op."""

import re
from collections.abc import Iterator

from lsprotocol.types import CompletionItem, CompletionItemKind

from hloscope.engine.ops import op_table
from hloscope.engine.syntax.hlo.opcodes import forms_of_opcodes

from ...present.types import type_text
from ...reference import op_page
from ...reference.opcodes import op_of_opcode
from .analysis import Analysis

_BEHIND = re.compile(r"[%@]?[A-Za-z0-9_$.-]*\Z")
_MLIR_OP = re.compile(r'(?:^|=)\s*"?([A-Za-z_][\w$]*\.[\w$.]+)', re.MULTILINE)
_HLO_OPCODE = re.compile(r"=\s*\(?[\w\[\],{}:/* ()]*?\s([a-z][a-z0-9-]*)\(")
_HLO_BEGIN = re.compile(r"=\s*(?:\([^()]*\)|[\w]+\[[^\]]*\](?:\{[^}]*\})?)\s+[a-z-]*\Z")
_MLIR_BEGIN = re.compile(r'(?:^\s*|=\s*)"?[\w$.]*\Z')
MOST_VALUES = 500


def completions(analysis: Analysis, offset: int) -> list[CompletionItem]:
    """The matching completions, nearest values first."""
    begin = analysis.text.rfind("\n", 0, offset) + 1
    before = analysis.text[begin:offset]
    word = _BEHIND.search(before)
    text = word[0] if word else ""
    if text.startswith("@"):
        return [_function(name) for name in sorted({f.name for f in analysis.functions()})]
    if text.startswith("%"):
        return list(_values(analysis, offset - len(text)))
    if (_HLO_BEGIN if analysis.is_hlo else _MLIR_BEGIN).search(before):
        return list(_opcodes() if analysis.is_hlo else _ops())
    return list(_attributes(analysis, before, offset))


def _function(name: str) -> CompletionItem:
    return CompletionItem(f"@{name}", kind=CompletionItemKind.Function)


def _values(analysis: Analysis, offset: int) -> Iterator[CompletionItem]:
    """Values defined earlier in the function, latest first; words if the text does not parse."""
    function = next(
        (found for found in analysis.functions() if found.span.start <= offset <= found.span.end), None
    )
    language = analysis.module.language if analysis.module else "stablehlo"
    if function is None:
        words = {
            analysis.text[start:end]
            for start, end, kind in analysis.tokens
            if kind == "value" and end < offset
        }
        yield from (CompletionItem(word, kind=CompletionItemKind.Variable) for word in sorted(words))
        return
    inside = [op for op in analysis.operations if function.span.start <= op.span.start < offset]
    around = [
        region for op in inside for region in op.regions if region.span.start < offset <= region.span.end
    ]
    found = [
        *function.arguments,
        *(value for op in inside if op.span.end < offset for value in op.results),
        *(value for region in around for block in region.blocks for value in block.arguments),
    ]
    latest = sorted(found, key=lambda value: -value.span.start)[:MOST_VALUES]
    for number, value in enumerate(latest):
        yield CompletionItem(
            value.name,
            kind=CompletionItemKind.Variable,
            detail=type_text(value.type, language),
            sort_text=f"{number:05}",
        )


def _ops() -> Iterator[CompletionItem]:
    for name, op in op_table().items():
        if op.name == name and not name.startswith("hlo."):
            yield CompletionItem(name, kind=CompletionItemKind.Method, detail=_sentence(name))


def _opcodes() -> Iterator[CompletionItem]:
    for opcode in sorted(forms_of_opcodes()):
        detail = _sentence(op_of_opcode(opcode) or "")
        yield CompletionItem(opcode, kind=CompletionItemKind.Method, detail=detail)


def _sentence(name: str) -> str | None:
    page = op_page(name)
    return page["sentence"] if page else None


def _attributes(analysis: Analysis, before: str, offset: int) -> Iterator[CompletionItem]:
    """The missing attributes of the op at the cursor."""
    if analysis.is_hlo:
        opcode = _HLO_OPCODE.search(before)
        forms = forms_of_opcodes().get(opcode[1], ()) if opcode else ()
        names = {key for form in forms for key in form.keys}
        separator = "="
    else:
        written = [found[1] for found in _MLIR_OP.finditer(analysis.text[max(0, offset - 4000) : offset])]
        op = op_table().get(written[-1]) if written else None
        names = set(op.inherent_attributes()) if op else set()
        separator = " = "
    for name in sorted(names):
        if not re.search(rf"\b{re.escape(name)}\s*=", before):
            yield CompletionItem(
                name, kind=CompletionItemKind.Property, insert_text=f"{name}{separator}", detail="attribute"
            )
