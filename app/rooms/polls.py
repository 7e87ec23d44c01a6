"""Polls: whether a poll can be asked, what an answer to it is, and what comes of all answers."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..errors import ApiError
from ..wire.rooms import (
    NewPoll,
    PollBin,
    PollCell,
    PollHistogram,
    PollResultsMessage,
    PollTruth,
    PollValue,
    RoomPoll,
)

FEWEST_SHOWN = 5
"""Of fewer answers nobody sees which they were: one could tell whose."""
MOST_BINS = 12
DIGITS = 3
"""Significant digits to which a float is guessed."""
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,4})?")
NAMED = {
    "nan": "NaN", "inf": "+Inf", "+inf": "+Inf", "infinity": "+Inf", "∞": "+Inf", "+∞": "+Inf", "-inf": "-Inf",
    "-infinity": "-Inf", "-∞": "-Inf", "true": "true", "yes": "true", "false": "false", "no": "false",
}  # fmt: skip


def check_poll(poll: NewPoll) -> None:
    """Raises `ApiError` 422, with what is missing."""
    kind, target = poll["kind"], poll["target"]
    wrong = None
    if not poll["question"].strip() and poll["lesson_ask"] is None:
        wrong = "A poll has a question."
    elif kind == "choice" and len(poll["options"]) < 2:
        wrong = "A choice has two options or more."
    elif kind != "choice" and poll["options"]:
        wrong = f"A poll of the kind {kind} has no options."
    elif kind == "number" and (target is None or target["element"] is None):
        wrong = "A number is asked of one element of a recorded value: choose one."
    elif kind == "cell" and target is None:
        wrong = "An element is clicked on in a recorded value: choose one."
    if wrong is not None:
        raise ApiError(422, "poll", wrong)


def read_answer(poll: RoomPoll, value: PollValue, shape: Sequence[int] | None) -> PollValue:
    """The answer as it is kept; `ApiError` 422 says how one is given."""
    match poll["kind"], value:
        case "number", str():
            return read_number(value)
        case "choice", int() if 0 <= value < len(poll["options"]):
            return value
        case "cell", list() if shape is not None and _is_inside(value, shape):
            return value
    how = {
        "number": "a number, such as 3, -1.5e3, NaN, inf or true",
        "choice": f"an option, from 0 to {len(poll['options']) - 1}",
        "cell": f"the index of an element of a value of shape {list(shape or [])}",
    }
    raise ApiError(422, "answer", f"The answer to this poll is {how[poll['kind']]}.")


def _is_inside(index: Sequence[int], shape: Sequence[int]) -> bool:
    return len(index) == len(shape) and all(place < size for place, size in zip(index, shape, strict=True))


def read_number(typed: str) -> str:
    """A number as answers are counted: without signs and zeros that say nothing."""
    text = re.sub(r"(?<=\d)[,_](?=\d)", "", typed.strip().lower().replace("\N{MINUS SIGN}", "-"))
    if text in NAMED:
        return NAMED[text]
    if not NUMBER.fullmatch(text):
        raise ApiError(
            422, "answer", f"'{typed}' is no number.", hint="Type one such as 3, -1.5e3, NaN, inf or true."
        )
    return _shown(text)


def _shown(text: str) -> str:
    if re.fullmatch(r"[+-]?\d+", text):
        return str(int(text))
    number = float(text)
    if math.isinf(number):
        return "+Inf" if number > 0 else "-Inf"
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else f"{number:.6g}"


# What comes of them.


def results(
    poll: RoomPoll, answers: Mapping[str, PollValue], truth: PollTruth | None, members: int
) -> PollResultsMessage:
    """Of all answers; `members` are in the class, which decides whether so few answers may be shown."""
    found: PollResultsMessage = {"type": "results", "poll": poll["id"], "count": len(answers)}
    if poll["revealed"]:
        found["truth"] = truth
    if len(answers) < FEWEST_SHOWN and not (poll["revealed"] and members < FEWEST_SHOWN):
        return found
    values = list(answers.values())
    match poll["kind"]:
        case "number":
            found["histogram"] = _histogram([str(value) for value in values], truth)
        case "choice":
            counted = Counter(value for value in values if isinstance(value, int))
            found["choices"] = [counted[option] for option in range(len(poll["options"]))]
        case "cell":
            found["heat"] = _heat(value for value in values if isinstance(value, list))
    return found


def is_right(value: PollValue, truth: PollTruth) -> bool:
    """Whether an answer is what is recorded."""
    match value:
        case str():
            return truth["shown"] is not None and is_same_number(value, truth["shown"])
        case int():
            return value in truth["options"]
        case list():
            return value in truth["cells"]


def is_same_number(answer: str, shown: str) -> bool:
    """Whether an answer is the recorded element: an integer exactly, a float in its first three digits."""
    if re.fullmatch(r"[+-]?\d+", shown):
        return answer == str(int(shown))
    if shown in ("true", "false"):
        return answer in ((shown, "1") if shown == "true" else (shown, "0"))
    if answer in ("true", "false"):
        return False
    typed, truth = _float(answer), _float(shown)
    if typed is None or truth is None or not (math.isfinite(typed) and math.isfinite(truth)):
        return answer == shown
    unit = 10.0**-DIGITS if truth == 0 else 10.0 ** (math.floor(math.log10(abs(truth))) - DIGITS + 1)
    return abs(typed - truth) <= unit * (1 + 1e-9)


def _histogram(values: list[str], truth: PollTruth | None) -> PollHistogram:
    counted = Counter(values)
    kept = sorted(counted, key=lambda text: (-counted[text], _order(text)))[:MOST_BINS]
    bins: list[PollBin] = [
        {"label": text, "count": counted[text], "right": None if truth is None else is_right(text, truth)}
        for text in sorted(kept, key=_order)
    ]
    return {"bins": bins, "other": len(values) - sum(item["count"] for item in bins)}


def _heat(cells: Iterable[list[int]]) -> list[PollCell]:
    counted = Counter(tuple(cell) for cell in cells)
    return [{"element": list(cell), "count": count} for cell, count in sorted(counted.items())]


def _order(text: str) -> tuple[bool, float, str]:
    """Numbers in rising order, then words."""
    number = _float(text)
    is_number = number is not None and not math.isnan(number)
    return not is_number, number if is_number and number is not None else 0.0, text


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
