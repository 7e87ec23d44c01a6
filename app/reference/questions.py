"""Questions at the end of op pages, with answers computed from the worked example's run.

The question depends on what the op does: which element it moves, how many it reads, its result for an edge
value, an element, a shape; for an op that only forwards, the forwarded value; for all others, the next step.
The first kind that suits the example is used, so the question of a page never changes.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import prod
from typing import Literal, TypeVar

import numpy as np

from hloscope.engine.indexing import BoundMap
from hloscope.engine.ops.core.op import Array

from ..present.numbers import exact_number
from ..wire.reference import ExampleQuestion
from .edge_values import edge_question
from .example import shown_text
from .example_run import Index, Tensor, Use, opener_in_example, uses_in_example

A = TypeVar("A")
Kind = Literal["number", "index", "shape", "choice"]
MOST_ELEMENTS = 512
"""Maximum elements of a result among which a question is chosen."""
MOST_READ = 1 << 12
LONGEST_ANSWER = 8
"""Maximum characters of a number to be entered."""
MOST_OPTIONS = 4
ZEROS = ("0", "-0", "false", "0+0i")


@cache
def question_of(name: str) -> ExampleQuestion:
    """The question on an op's page; `LookupError` if its example does not run the op."""
    text = shown_text(name)
    uses = uses_in_example(text, name)
    for ask in KINDS:
        for use in uses:
            found = ask(use)
            if found is not None:
                return found
    return _region(text, name)


def _question(
    kind: Kind, text: str, truth: str, *, options: Sequence[str] = (), digits: int | None = None
) -> ExampleQuestion:
    return {"kind": kind, "text": text, "truth": truth, "options": list(options), "digits": digits}


# Elements read


def _reads(use: Use, *, all_kinds: bool = False) -> ExampleQuestion | None:
    """Ask which element of an operand a result element reads, if it is not obvious."""
    for operand, maps in _by_operand(use):
        if operand.array.ndim == 0 or operand.array.size < 2:
            continue
        single = [(at, read[0]) for at, read in _elements_read(use, maps) if len(read) == 1]
        moved = [(at, read) for at, read in single if at != read and (any(read) or all_kinds)]
        if moved:
            at, read = _middle(moved, _how_far)
            asked = _named(use.results[0], at)
            text = f"{_on_line(use)}, which element of `{operand.name}` does {asked} depend on?"
            return _question("index", text, _index(read))
    return None


def _first_is_read(use: Use) -> ExampleQuestion | None:
    """Like `_reads`, where it can only be the first element."""
    return _reads(use, all_kinds=True)


def _how_far(pair: tuple[Index, Index]) -> tuple[int, int]:
    """Difficulty of seeing the source of an element."""
    at, read = pair
    return len(set(read)), int(np.count_nonzero(read)) + int(np.count_nonzero(at))


def _count(use: Use) -> ExampleQuestion | None:
    """Ask how many operand elements a result element depends on, preferably at an edge."""
    best: tuple[int, Tensor, Index, int] | None = None
    for operand, maps in _by_operand(use):
        counts = [(at, len(read)) for at, read in _elements_read(use, maps)]
        if not counts or max(count for _, count in counts) < 2:
            continue
        most = max(count for _, count in counts)
        fewer = [pair for pair in counts if 1 < pair[1] < most]
        at, count = _middle(
            fewer or [pair for pair in counts if pair[1] == most], lambda pair: (len(pair[0]),)
        )
        interest = 2 * bool(fewer) + (count != operand.array.size)
        if best is None or interest > best[0]:
            best = (interest, operand, at, count)
    if best is None:
        return None
    _, operand, at, count = best
    asked = _named(use.results[0], at)
    text = f"{_on_line(use)}, how many elements of `{operand.name}` does {asked} depend on?"
    return _question("number", text, str(count))


def _by_operand(use: Use) -> Iterator[tuple[Tensor, list[BoundMap]]]:
    found: dict[int, list[BoundMap]] = {}
    for number, bound in use.readers():
        found.setdefault(number, []).append(bound)
    if use.results and use.results[0].array.size:
        yield from (
            (use.operands[number], maps) for number, maps in found.items() if number < len(use.operands)
        )


def _elements_read(use: Use, maps: Sequence[BoundMap]) -> Iterator[tuple[Index, list[Index]]]:
    """Elements of the first result with those that each reads; empty if not exact."""
    shape = use.results[0].array.shape
    for number in range(min(prod(shape), MOST_ELEMENTS)):
        at = tuple(map(int, np.unravel_index(number, shape))) if shape else ()
        read: set[Index] = set()
        for each in maps:
            found = each.elements(np.array(at, np.int64), MOST_READ)
            if not found.complete:
                return
            read |= {tuple(map(int, element)) for element in found.indices}
        yield at, sorted(read)


# Values.


def _edge(use: Use) -> ExampleQuestion | None:
    found = edge_question(use)
    if found is None:
        return None
    given, truth, options = found
    values = " and ".join(f"`{name}` is {_shown(text)}" for name, text in given)
    text = f"{_on_line(use)}, what is `{use.results[0].name}` where {values}?"
    return _question("choice", text, truth, options=options)


def _shown(text: str) -> str:
    return {"Infinity": "+Inf", "-Infinity": "-Inf"}.get(text, text)


def _element(use: Use, *, any_value: bool = False) -> ExampleQuestion | None:
    """Ask for a result element, preferably one that differs from the operands at its index."""
    if use.has_lanes:
        return None
    for made in use.results:
        found = _asked_element(made, [operand.array for operand in use.operands], any_value)
        if found is not None:
            return _value(f"{_on_line(use)}, what is {_named(made, found[0])}{_whose(use)}?", found[1])
    return None


def _any_element(use: Use) -> ExampleQuestion | None:
    """Like `_element`, where all are zero."""
    return _element(use, any_value=True)


def _handed_on(use: Use) -> ExampleQuestion | None:
    """Ask for an operand element, for an op without tensor results."""
    if use.results or use.has_lanes:
        return None
    for operand in use.operands:
        found = _asked_element(operand, [], False)
        if found is not None:
            asked = _named(operand, found[0])
            return _value(f"When line {use.line} of the example runs, what is {asked}, an operand?", found[1])
    return None


def _asked_element(tensor: Tensor, operands: Sequence[Array], any_value: bool) -> tuple[Index, object] | None:
    """An index and its element; `None` if none can be entered, or zeros are excluded."""
    array = tensor.array
    choices: list[tuple[Index, object]] = []
    for number in range(min(array.size, MOST_ELEMENTS)):
        at = tuple(map(int, np.unravel_index(number, array.shape))) if array.ndim else ()
        if _can_be_typed(array[at]) and (any_value or exact_number(array[at]) not in ZEROS):
            choices.append((at, array[at]))
    if not choices:
        return None
    texts = [exact_number(value) for _, value in choices]

    def interest(choice: tuple[Index, object]) -> tuple[int, int, int, int]:
        at, value = choice
        text = exact_number(value)
        is_new = all(each.shape != array.shape or exact_number(each[at]) != text for each in operands)
        is_rare = int(text not in ("1", "true")) + int(texts.count(text) == 1)
        return int(text not in ZEROS), int(is_new), is_rare, int(any(at))

    return _middle(choices, interest)


def _can_be_typed(value: object) -> bool:
    text = exact_number(value)
    if isinstance(value, (complex, np.complexfloating)):
        return len(text) <= 2 * LONGEST_ANSWER
    return len(text) <= LONGEST_ANSWER and "e" not in text


def _value(text: str, value: object) -> ExampleQuestion:
    truth = exact_number(value)
    if truth in ("true", "false"):
        return _question("choice", text, truth, options=["false", "true"])
    if isinstance(value, (complex, np.complexfloating)):
        return _question("choice", text, truth, options=_like_complex(complex(value)))
    is_integer = not isinstance(value, (float, np.floating)) and truth.lstrip("-").isdigit()
    return _question("number", text, truth, digits=None if is_integer else 3)


def _like_complex(value: complex) -> list[str]:
    """The number and likely mistakes: mirrored, negated, parts swapped."""
    near = (value, value.conjugate(), -value, complex(value.imag, value.real), -value.conjugate(), value + 1)
    # Exclude signed zeros, which look the same.
    texts = [exact_number(np.complex64(each + 0)) for each in dict.fromkeys(each + 0 for each in near)]
    return sorted(dict.fromkeys(texts))


# Without an element to ask for


def _shape(use: Use) -> ExampleQuestion | None:
    if use.has_lanes:
        return None
    made = max(use.results, key=lambda tensor: tensor.array.ndim, default=None)
    if made is None or made.array.ndim == 0:
        return None
    text = f"{_on_line(use)}, what is the shape of `{made.name}`{_whose(use)}?"
    return _question("shape", text, "x".join(map(str, made.array.shape)))


def _next(use: Use) -> ExampleQuestion | None:
    """Ask which op the process runs next."""
    track, ops = use.recording.tracks[use.process], use.recording.program.ops
    is_last = use.step + 1 >= track.step_count
    truth = "none: it is the last step" if is_last else ops[track.op_of(use.step + 1)].operation.name
    text = f"After line {use.line} of the example{_whose(use)}, which op is the next step?"
    return _question(
        "choice", text, truth, options=_ops_to_choose(truth, [bound.operation.name for bound in ops])
    )


def _region(text: str, name: str) -> ExampleQuestion:
    """Ask which op a region belongs to, for an op in a body that the run does not step through."""
    found = opener_in_example(text, name)
    if found is None:
        raise LookupError(f"the example of {name} does not run it")
    program, bound, opener = found
    truth, line = opener.operation.name, program.line_of(bound.id)
    asked = f"Line {line} of the example is in a region. Which op does the region belong to?"
    return _question(
        "choice", asked, truth, options=_ops_to_choose(truth, [each.operation.name for each in program.ops])
    )


def _ops_to_choose(truth: str, names: Sequence[str]) -> list[str]:
    others = dict.fromkeys([*names, "stablehlo.add", "stablehlo.while", "func.call"])
    return sorted([truth, *(name for name in others if name != truth)][:MOST_OPTIONS])


def _on_line(use: Use) -> str:
    return f"On line {use.line} of the example"


def _whose(use: Use) -> str:
    track = use.recording.tracks[use.process]
    if len(use.recording.tracks) == 1 or (len(use.recording.launch_groups) > 1 and track.launch_group == 0):
        return ""
    replica, partition = track.process
    return f" in process ({replica}, {partition})"


def _named(tensor: Tensor, at: Index) -> str:
    return f"element [{_index(at)}] of `{tensor.name}`" if at else f"`{tensor.name}`"


def _index(at: Index) -> str:
    return ", ".join(map(str, at))


def _middle(
    choices: Sequence[tuple[Index, A]], interest: Callable[[tuple[Index, A]], tuple[int, ...]]
) -> tuple[Index, A]:
    """The middle one of the most interesting choices; the first and the last are guessed."""
    best = max(map(interest, choices))
    kept = [choice for choice in choices if interest(choice) == best]
    return kept[len(kept) // 2]


KINDS: tuple[Callable[[Use], ExampleQuestion | None], ...] = (
    *(_edge, _reads, _count, _element, _first_is_read),
    *(_shape, _handed_on, _any_element, _next),
)
"""Kinds of questions, most instructive first."""
