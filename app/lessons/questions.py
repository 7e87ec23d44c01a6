"""Questions: their truths, computed from the recording, and the reply to each answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.provenance import Budget, Links, RecordedRun, Walking
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.run_location import RunLocation
from hloscope.engine.debugger.stepping import Outline, over
from hloscope.engine.errors import ExpressionError
from hloscope.engine.expressions import truth
from hloscope.engine.expressions.tree import Item, Named
from hloscope.engine.indexing.elements.element_sets import ElementSet

from ..present.typed_answers import EXACT, clean, digits_of, is_number, read_number, read_shape
from ..wire.lessons import AskBlock, LessonAnswer, LessonOption, LessonPlace, WrongAnswer
from .attributes import read_index, read_place, read_value
from .covers import covers, is_given
from .places import END, place_of, seen_from, track_of
from .resolver import Resolver
from .tree import Ask, At, LessonError, Wrong
from .values import (
    Number,
    Read,
    in_lesson,
    index_of,
    number_at,
    read_expression,
    reads_of,
    truth_at,
    value_at,
)

MOST_CELLS = 10_000
MOST_LOOKED = 20_000
"""Maximum positions at which a condition is evaluated."""
PROVENANCE_SECONDS = 10.0


@dataclass
class _Found:
    """A resolved question."""

    place: RunLocation | None
    """The position that shows the answer."""
    truth: LessonAnswer | None = None
    number: Number | None = None
    cells: list[list[int]] | None = None
    options: list[LessonOption] = field(default_factory=list)
    address: Address | None = None
    element: tuple[int, ...] | None = None
    reads: list[Read] = field(default_factory=list)
    shown: Read | None = None
    """The value to show there, if it is not the subject of the question."""


def resolve_question(resolver: Resolver, ask: Ask, id: str) -> AskBlock:
    """A question in the page's format; `LessonError`."""
    found = _KINDS[ask.kind](resolver, ask)
    wrong = [_wrong(resolver, ask, found, item) for item in ask.replies.wrong]
    _check_wrong(ask, found, wrong)
    address = found.address
    recording = resolver.recorded(ask.program, ask.line).recording
    assert recording is not None

    def html(text: str, inline: bool = True) -> str:
        return resolver.html(text, ask.line, ask.program, inline=inline)

    place = found.place
    shown = found.shown or (Read(address, found.element) if address else None)
    block: AskBlock = {
        "kind": "ask",
        "id": id,
        "ask": ask.kind,
        "html": html(ask.source, inline=False),
        "truth": found.truth,
        "number_kind": found.number.kind if found.number else None,
        "digits": _digits(ask, found.number),
        "options": found.options,
        "cells": found.cells,
        "wrong": wrong,
        "hints": [html(hint) for hint in ask.replies.hints],
        "right_html": html(ask.replies.right) if ask.replies.right else "",
        "run": resolver.number(ask.program),
        "process": address.process if address else ask.process,
        "address": str(address) if address else None,
        "value": recording.value_number(address) if address else None,
        "element": list(found.element) if found.element is not None else None,
        "hides": [],
        "place": _wire_place(resolver, ask, place, shown) if place else None,
    }
    block["hides"] = covers(resolver, ask, block, found.reads, place)
    return block


def _wire_place(resolver: Resolver, ask: Ask, place: RunLocation, shown: Read | None) -> LessonPlace:
    address, index = (shown.address, shown.index) if shown else (None, None)
    return resolver.wire_place(ask.program, place, _tab(ask), address, index)


def _digits(ask: Ask, number: Number | None) -> int | None:
    return digits_of(number.text, ask.digits) if number and number.kind == "float" else None


def _tab(ask: Ask) -> str | None:
    return {"cell": "provenance" if ask.of else "tensor", "step": None}.get(ask.kind, "tensor")


def _asked_at(resolver: Resolver, ask: Ask) -> RunLocation:
    return resolver.place(ask.program, ask.at or END, ask.process, ask.line)


def _shown_at(place: RunLocation, address: Address | None, asked: At | None) -> RunLocation:
    """The position that shows a value: just after its definition, or as the question states."""
    if asked is not None or address is None or address.kind != "s":
        return place
    outline = Outline.of(place.recording, address.process)
    return RunLocation(place.recording, address.process, over(outline, address.number))


# The kinds of questions.


def _number(resolver: Resolver, ask: Ask) -> _Found:
    place = _asked_at(resolver, ask)
    parsed = read_expression(ask.of, place.recording.program, ask.line)
    number = number_at(parsed, place, ask.line)
    if ask.digits is not None and number.kind != "float":
        raise LessonError(ask.line, f"`{ask.of}` is {number.text}: `digits` is for floats", "Leave it out.")
    reads = reads_of(parsed, place)
    one = reads[0] if _is_one(place.recording, reads) else None
    address = one.address if one else None
    return _Found(
        _shown_at(place, address, ask.at), number.text, number, None, [],
        address, one.index if one else None, reads,
    )  # fmt: skip


def _is_one(recording: Recording, reads: Sequence[Read]) -> bool:
    """Whether all reads are of the same value in different processes: the question asks for the first, and the others would reveal it."""
    values = {recording.value_number(read.address) for read in reads}
    return len(values) == 1 and len({read.address.process for read in reads}) == len(reads)


def _choice(resolver: Resolver, ask: Ask) -> _Found:
    place = _asked_at(resolver, ask)
    options: list[LessonOption] = []
    reads: list[Read] = []
    for option in ask.replies.options:
        parsed = read_expression(option.expression, place.recording.program, option.line)
        right = truth_at(parsed, place, option.line)
        reads += reads_of(parsed, place)
        options.append(
            {
                "html": resolver.html(option.text, option.line, ask.program, inline=True),
                "says_html": resolver.html(option.says, option.line, ask.program, inline=True),
                "right": right,
            }
        )
    count = sum(option["right"] for option in options)
    if count != 1:
        which = [
            option.expression
            for option, made in zip(ask.replies.options, options, strict=True)
            if made["right"]
        ]
        told = f"{count} options are right: {', '.join(f'`{each}`' for each in which)}"
        raise LessonError(
            ask.line, told if count else "no option is right", "Exactly one is true of the run."
        )
    addresses = list(dict.fromkeys(read.address for read in reads if not is_given(place, read.address)))
    address = addresses[0] if len(addresses) == 1 else None
    return _Found(
        _shown_at(place, address, ask.at),
        None,
        None,
        None,
        options,
        address,
        None,
        list(dict.fromkeys(reads)),
    )


def _cell(resolver: Resolver, ask: Ask) -> _Found:
    place = _asked_at(resolver, ask)
    inside = seen_from(place, read_value(ask.inside, ask.line, "in"), ask.line)
    shape = place.recording.value(inside).shape
    made = _element_asked(place, ask) if ask.of else None
    if made:
        cells, reads = _read_cells(place, ask, made, inside), [made]
    else:
        cells, reads = _cells_where(place, ask, shape)
        reads = list(dict.fromkeys([Read(inside, None), *reads]))
    shown = _shown_at(place, made.address if made else inside, ask.at)
    if not cells.count:
        raise LessonError(ask.line, f"no element of {ask.inside} answers the question")
    if cells.is_full and cells.count > 1:
        raise LessonError(ask.line, f"every element of {ask.inside} answers the question, so none is wrong")
    if cells.count > MOST_CELLS:
        raise LessonError(
            ask.line, f"{cells.count:,} elements answer the question; at most {MOST_CELLS:,} may"
        )
    listed = [[int(at) for at in index] for index in cells.to_indices()]
    return _Found(shown, None, None, listed, [], inside, None, reads, made)


def _element_asked(place: RunLocation, ask: Ask) -> Read:
    """The value that `of` names, or the element of it."""
    tree = read_expression(ask.of, place.recording.program, ask.line).tree
    named = tree.operand if isinstance(tree, Item) else tree
    index = index_of(tree) if isinstance(tree, Item) else None
    if not isinstance(named, Named) or (isinstance(tree, Item) and index is None):
        raise LessonError(ask.line, f'of="{ask.of}" is not an element of a value', 'Write of="%2[1,0]".')
    address = seen_from(place, f"%{named.name}", ask.line)
    shape = place.recording.value(address).shape
    if index is None:
        return Read(address, None)
    plain = tuple(at + size if at < 0 else at for at, size in zip(index, shape, strict=False))
    is_there = len(index) == len(shape) and all(0 <= at < size for at, size in zip(plain, shape, strict=True))
    if not is_there:
        told = "×".join(map(str, shape)) or "a scalar"
        raise LessonError(ask.line, f'of="{ask.of}" is not an element: the value is {told}')
    return Read(address, plain)


def _read_cells(place: RunLocation, ask: Ask, made: Read, inside: Address) -> ElementSet:
    """The elements of a value from which one element, or all, of another is computed."""
    shape = place.recording.value(made.address).shape
    wanted = ElementSet.full(shape) if made.index is None else ElementSet.of_index(shape, made.index)
    links = Links(RecordedRun(place.recording))
    walk = Walking(links, made.address, wanted, Budget(PROVENANCE_SECONDS), forward=False).on()
    node = walk.nodes.get(inside)
    if node is None:
        raise LessonError(ask.line, f"{ask.of} reads no element of {ask.inside}")
    if not walk.complete:
        raise LessonError(ask.line, f"what {ask.of} is made of takes too long to find", "Take a smaller run.")
    return node.elements


def _cells_where(place: RunLocation, ask: Ask, shape: Sequence[int]) -> tuple[ElementSet, list[Read]]:
    """The elements where a condition holds, and what it reads."""
    parsed = read_expression(ask.when, place.recording.program, ask.line)
    found = np.asarray(value_at(parsed, place, ask.line))
    if found.dtype.kind != "b":
        raise LessonError(
            ask.line, f'when="{ask.when}" gives numbers, not truths', "Write a comparison: %2 > 1."
        )
    if found.shape != tuple(shape):
        told = "×".join(map(str, found.shape)) or "one truth"
        wanted = "×".join(map(str, shape)) or "a scalar"
        raise LessonError(ask.line, f'when="{ask.when}" is {told}, and {ask.inside} is {wanted}')
    return ElementSet.of_mask(tuple(shape), found), reads_of(parsed, place)


def _shape(resolver: Resolver, ask: Ask) -> _Found:
    place = _asked_at(resolver, ask)
    address = seen_from(place, read_value(ask.of, ask.line, "of"), ask.line)
    value = place.recording.value(address)
    reads = [Read(address, None)]
    return _Found(_shown_at(place, address, ask.at), list(value.shape), None, None, [], address, None, reads)


def _step(resolver: Resolver, ask: Ask) -> _Found:
    recording = resolver.recorded(ask.program, ask.line).recording
    assert recording is not None
    track = track_of(recording, ask.process, ask.line)
    parsed = read_expression(ask.when, recording.program, ask.line)
    for position in range(1, min(track.step_count, MOST_LOOKED) + 1):
        place = RunLocation(recording, ask.process, position)
        try:
            holds = truth(parsed, place)
        except ExpressionError as error:
            if not _is_missing(error):
                raise in_lesson(error, ask.when, ask.line) from None
            holds = False
        if holds:
            # Both positions count: before the step that makes it true, and just after it.
            return _Found(place, [position - 1, position])
    raise LessonError(ask.line, f'when="{ask.when}" never holds in this run')


def _is_missing(error: ExpressionError) -> bool:
    """Whether the condition refers only to values that do not exist yet."""
    return "has no value here" in error.message or "there is no" in error.message


_KINDS: dict[str, Callable[[Resolver, Ask], _Found]] = {
    "number": _number,
    "choice": _choice,
    "cell": _cell,
    "shape": _shape,
    "step": _step,
}


# Wrong answers.


def _wrong(resolver: Resolver, ask: Ask, found: _Found, item: Wrong) -> WrongAnswer:
    html = resolver.html(item.text, item.line, ask.program, inline=True)
    return {"value": _wrong_value(resolver, ask, found, item), "html": html}


def _wrong_value(resolver: Resolver, ask: Ask, found: _Found, item: Wrong) -> LessonAnswer:
    if ask.kind == "number":
        return _wrong_number(resolver, ask, found, item)
    if ask.kind == "cell":
        index = read_index(item.value, item.line, "wrong")
        assert found.place is not None
        assert found.address is not None
        resolver.check_element(found.place, found.address, index, item.line)
        return list(index)
    if ask.kind == "shape":
        shape = read_shape(item.value)
        if shape is None:
            raise LessonError(item.line, f"`{item.value}` is not a shape", "Write `- wrong 3x4: text`.")
        return shape
    at = read_place({"at": item.value, "process": str(ask.process)}, item.line)
    recording = resolver.recorded(ask.program, ask.line).recording
    assert at is not None
    assert recording is not None
    return [place_of(recording, at, ask.process, item.line).step]


def _wrong_number(resolver: Resolver, ask: Ask, found: _Found, item: Wrong) -> str:
    assert found.number is not None
    text = item.value
    if item.quoted:
        place = _asked_at(resolver, ask)
        parsed = read_expression(text, place.recording.program, item.line)
        return number_at(parsed, place, item.line).text
    if found.number.kind == "truth":
        if clean(text) not in ("true", "false"):
            raise LessonError(item.line, f"the answer is true or false, not `{text}`")
        return clean(text)
    if read_number(text) is None:
        hint = 'An expression stands in quotes: `- wrong "%0[0]": text`.'
        raise LessonError(item.line, f"`{text:.60}` is not a number", hint)
    return clean(text)


def _check_wrong(ask: Ask, found: _Found, wrong: Sequence[WrongAnswer]) -> None:
    """Verify that wrong answers are wrong and distinct."""
    for item, answer in zip(ask.replies.wrong, wrong, strict=True):
        if _is_right(ask, found, answer["value"]):
            told = f", which is {answer['value']}," if item.quoted else ""
            raise LessonError(item.line, f"the wrong answer `{item.value}`{told} is right")
    for (item, one), other in (
        ((item, one), other)
        for number, (item, one) in enumerate(zip(ask.replies.wrong, wrong, strict=True))
        for other in wrong[:number]
    ):
        if one["value"] == other["value"]:
            raise LessonError(item.line, f"the wrong answer `{item.value}` appears twice")


def _is_right(ask: Ask, found: _Found, value: LessonAnswer) -> bool:
    if ask.kind == "number":
        assert found.number is not None
        assert isinstance(value, str)
        digits = _digits(ask, found.number) or EXACT
        return bool(is_number(found.number.kind, digits, found.number.text, value))
    if ask.kind == "cell":
        return value in (found.cells or [])
    if ask.kind == "step":
        assert isinstance(found.truth, list)
        return any(at in found.truth for at in value)
    return value == found.truth
