"""Hover text: an op and its rules, or a value and its recorded data."""

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from hloscope.engine.ir.locations import argument_name
from hloscope.engine.ir.module import Function, Operation, Value
from hloscope.engine.small_pictures import picture_of
from hloscope.engine.source import Span

from ...present.html.pictures import coloured, marked, png
from ...present.types import type_text
from ...reference import op_page
from ...wire.reference import OpPage
from .analysis import Analysis, Mention
from .recordings import Attached

PICTURE_ELEMENTS = 1 << 22
"""Maximum elements of a value for which a hover draws a picture."""


def hover(analysis: Analysis, attached: Attached | None, offset: int) -> tuple[str, Span] | None:
    """Markdown, and the word that it describes."""
    if mention := analysis.mention_at(offset):
        return "\n\n".join(_about(analysis, attached, mention)), mention.span
    token = analysis.token_at(offset)
    if token is None or token[2] not in ("operation", "name", "keyword"):
        return None
    span = Span(token[0], token[1])
    word = analysis.text[span.start : span.end]
    operation = analysis.operation_at(offset)
    is_op = operation is not None and operation.name_span.start <= span.start < operation.name_span.end
    page = op_page(operation.name if operation and is_op else word) if is_op or "." in word else None
    return ("\n\n".join(_op(page)), span) if page else None


def _op(page: OpPage) -> Iterator[str]:
    """The op's description, its signature, the specification's rules, and links."""
    yield f"**{page['name']}**: {page['sentence']}"
    yield f"`{page['signature']}`"
    rules = [f"- {_label(rule['label'])}{rule['text']}" for rule in page["constraints"]]
    if rules:
        yield "\n".join(rules)
    if links := [f"[{link['text']}]({link['url']})" for link in page["links"]]:
        yield " · ".join(links)


def _label(label: str) -> str:
    return f"**{label}** " if label else ""


def _about(analysis: Analysis, attached: Attached | None, mention: Mention) -> Iterator[str]:
    if mention.kind == "function":
        function = next(found for found in analysis.functions() if found.name == mention.key[1])
        yield f"```mlir\n{_function(analysis, function)}\n```"
        return
    values = _values(analysis, mention)
    language = analysis.module.language if analysis.module else "stablehlo"
    yield (
        "```mlir\n"
        + "\n".join(f"{value.name}: {type_text(value.type, language)}" for value in values)
        + "\n```"
    )
    if place := _place(analysis, mention):
        yield place
    if attached is not None and values:
        yield from _recorded(attached, values)


def _function(analysis: Analysis, function: Function) -> str:
    language = analysis.module.language if analysis.module else "stablehlo"
    arguments = ", ".join(f"{value.name}: {type_text(value.type, language)}" for value in function.arguments)
    results = ", ".join(type_text(found, language) for found in function.result_types)
    return f"@{function.name}({arguments}) -> ({results})"


def _values(analysis: Analysis, mention: Mention) -> list[Value]:
    """The values of a word: `%0` of `%0:2 = …` has two, and `%0#1` is one of them."""
    start = mention.key[1]
    found = [value for value, _ in _defined(analysis) if value.span.end and value.span.start == start]
    word = analysis.text[mention.span.start : mention.span.end]
    named = [value for value in found if value.name == word]
    return named or found


def _defined(analysis: Analysis) -> Iterator[tuple[Value, Operation | None]]:
    for function in analysis.functions():
        yield from ((value, None) for value in function.arguments)
    for operation in analysis.operations:
        yield from ((value, operation) for value in operation.results)
        for region in operation.regions:
            if not region.function:
                yield from ((value, operation) for block in region.blocks for value in block.arguments)


def _place(analysis: Analysis, mention: Mention) -> str | None:
    """The op that defines it, and its line."""
    start = mention.key[1]
    for value, operation in _defined(analysis):
        if value.span.start == start and value.span.end:
            line, _ = analysis.source.line_and_column(value.span.start)
            own = operation is not None and operation.span.start <= start and value in operation.results
            label = argument_name(value.location)
            named = f"the argument `{label}` of the code" if label else "an argument"
            what = f"result of `{operation.spelled}`" if operation and own else named
            place = operation.location.innermost if operation and own and operation.location else None
            code = f", from `{place.file}:{place.line}`" if place else ""
            return f"{what}, line {line}{code}"
    return None


def _recorded(attached: Attached, values: list[Value]) -> Iterator[str]:
    """The range and picture of its last execution."""
    for number, known in enumerate(attached.recording.program.values):
        if not any(known.span == value.span and known.name == value.name for value in values):
            continue
        shown = attached.last(number)
        if shown is None:
            yield f"`{known.name}` has not been made in the recording ({attached.told})"
            continue
        times = f" (the last of {shown.count:,})" if shown.count > 1 else ""
        yield f"`{known.name}` = `{shown.line}`{times}"
        if 1 < shown.array.size <= PICTURE_ELEMENTS:
            yield f"![{known.name}]({picture_address(shown.array)})"


def picture_address(array: Any) -> str:
    """`data:image/png;base64,…` with a square for each cell of the thumbnail."""
    picture = picture_of(array)
    return f"data:image/png;base64,{b64encode(png(marked(picture.pixels), coloured(picture)[1])).decode()}"
