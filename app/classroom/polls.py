"""Polls: validation of polls and answers, and their results."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..base.errors import ApiError
from ..present.typed_answers import DIGITS, NumberKind, clean, digits_of, is_number, read_number
from ..wire import rooms as wire
from ..wire.lessons import AskKind

FEWEST_SHOWN = 5
"""Minimum answers for showing them, so that none can be attributed to a member."""
MOST_BINS = 12
"""Maximum number of bins in a histogram."""
LARGEST_PLAIN = 10**15
"""Integers below this are written without an exponent."""


def check_poll(poll: wire.NewPoll) -> None:
    """Raise `ApiError` 422 if a poll is invalid, with what is missing."""
    kind, target = poll["kind"], poll["target"]
    wrong = None
    if kind in ("shape", "step"):
        wrong = f"Only questions of the room's lesson can ask for a {kind}."
    elif not poll["question"].strip():
        wrong = "A poll needs a question."
    elif kind == "choice" and len(poll["options"]) < 2:
        wrong = "A choice needs at least two options."
    elif kind != "choice" and poll["options"]:
        wrong = f"A poll of the kind {kind} has no options."
    elif kind == "number" and (target is None or target["element"] is None):
        wrong = "A number poll needs one element of a recorded value: choose one."
    elif kind == "cell" and target is None:
        wrong = "A poll for an element needs a recorded value: choose one."
    if wrong is not None:
        raise ApiError(422, "poll", wrong)


def read_answer(
    poll: wire.RoomPoll, value: wire.PollValue, shape: Sequence[int] | None, kind: NumberKind | None
) -> wire.PollValue:
    """The answer in its stored form; `ApiError` 422 with the expected form."""
    match poll["kind"], value:
        case "number", str() if label_of(value, kind) is not None:
            return clean(value)
        case "choice", int() if 0 <= value < len(poll["options"]):
            return value
        case "cell", list() if shape is not None and _is_inside(value, shape):
            return value
        case "shape", list():
            return value
        case "step", [_, _]:
            return value
    how = {
        "number": "true or false" if kind == "truth" else "a number, such as 3, -1.5e3, 1/3, NaN or inf",
        "choice": f"an option, from 0 to {len(poll['options']) - 1}",
        "cell": f"the index of an element of a value of shape {list(shape or [])}",
        "shape": "the sizes of a shape, such as [3, 4]",
        "step": "a process and the position before a step in it, such as [0, 12]",
    }
    raise ApiError(422, "answer", f"The answer to this poll is {how[poll['kind']]}.")


def _is_inside(index: Sequence[int], shape: Sequence[int]) -> bool:
    return len(index) == len(shape) and all(
        position < size for position, size in zip(index, shape, strict=True)
    )


def words_of(kind: AskKind, answer: Sequence[int]) -> str:
    """A shape or a position in the run as text."""
    if kind == "shape":
        return f"({', '.join(map(str, answer))})"
    process, step = answer
    return f"step {step}" + (f" of process {process}" if process else "")


def words_of_answer(poll: wire.RoomPoll, value: wire.PollValue) -> str:
    """An answer as text: an option by its words, an index or a shape by its numbers."""
    if poll["kind"] == "choice" and isinstance(value, int):
        return poll["options"][value]
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def label_of(typed: str, kind: NumberKind | None) -> str | None:
    """The label under which a number is counted; None if it is not a number."""
    if kind == "truth":
        return next((word for word in ("true", "false") if is_number("truth", DIGITS, word, typed)), None)
    number = read_number(typed)
    if number is None:
        return None
    if isinstance(number, float):
        return "NaN" if math.isnan(number) else "+Inf" if number > 0 else "-Inf"
    if number.denominator == 1 and abs(number) < LARGEST_PLAIN:
        return str(number.numerator)
    try:
        return _short_exponent(f"{float(number):.6g}")
    except OverflowError:
        return "+Inf" if number > 0 else "-Inf"


def _short_exponent(text: str) -> str:
    """Remove the plus sign and leading zeros of an exponent."""
    return re.sub(r"e([+-])0*(?=\d)", lambda found: "e" + found[1].strip("+"), text)


# Results.


def results(
    poll: wire.RoomPoll,
    answers: Mapping[str, wire.PollValue],
    truth: wire.PollTruth | None,
    members: int,
    kind: NumberKind | None = None,
) -> wire.PollResultsMessage:
    """The results of a poll; few answers are shown only if the class has few `members`."""
    found: wire.PollResultsMessage = {"type": "results", "poll": poll["id"], "count": len(answers)}
    if poll["revealed"]:
        found["truth"] = truth
    if len(answers) < FEWEST_SHOWN and not (poll["revealed"] and members < FEWEST_SHOWN):
        return found
    values = list(answers.values())
    match poll["kind"]:
        case "number":
            found["histogram"] = _histogram([str(value) for value in values], truth, kind)
        case "choice":
            counted = Counter(value for value in values if isinstance(value, int))
            found["choices"] = [counted[option] for option in range(len(poll["options"]))]
        case "shape" | "step":
            found["histogram"] = _counts(poll["kind"], [v for v in values if isinstance(v, list)], truth)
        case "cell":
            found["heat"] = _heat(value for value in values if isinstance(value, list))
    return found


def is_right(value: wire.PollValue, truth: wire.PollTruth) -> bool:
    """Whether an answer matches the recording; numbers are compared as in lessons."""
    match value:
        case str():
            shown, kind = truth["shown"], truth["number_kind"]
            if shown is None or kind is None:
                return False
            return is_number(kind, truth["digits"] or digits_of(shown, None), shown, value) is True
        case int():
            return value in truth["options"]
        case list():
            return value in truth["cells"]


def _histogram(
    values: list[str], truth: wire.PollTruth | None, kind: NumberKind | None
) -> wire.PollHistogram:
    labels = [label_of(value, kind) or value for value in values]
    counted = Counter(labels)
    wrong = {
        label for label, value in zip(labels, values, strict=True) if truth and not is_right(value, truth)
    }
    kept = sorted(counted, key=lambda text: (-counted[text], _order(text)))[:MOST_BINS]
    bins: list[wire.PollBin] = [
        {"label": text, "count": counted[text], "right": None if truth is None else text not in wrong}
        for text in sorted(kept, key=_order)
    ]
    return {"bins": bins, "other": len(values) - sum(item["count"] for item in bins)}


def _counts(kind: AskKind, values: list[list[int]], truth: wire.PollTruth | None) -> wire.PollHistogram:
    counted = Counter(map(tuple, values))
    kept = sorted(counted, key=lambda value: (-counted[value], value))[:MOST_BINS]
    bins: list[wire.PollBin] = [
        {
            "label": words_of(kind, value),
            "count": counted[value],
            "right": None if truth is None else is_right(list(value), truth),
        }
        for value in sorted(kept)
    ]
    return {"bins": bins, "other": len(values) - sum(item["count"] for item in bins)}


def _heat(cells: Iterable[list[int]]) -> list[wire.PollCell]:
    counted = Counter(tuple(cell) for cell in cells)
    return [{"element": list(cell), "count": count} for cell, count in sorted(counted.items())]


def _order(text: str) -> tuple[bool, float, str]:
    """Sort key: numbers in ascending order, then words."""
    number = _float(text)
    is_number = number is not None and not math.isnan(number)
    return not is_number, number if is_number and number is not None else 0.0, text


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
