"""What tests of the playground share: forms filled in, answers, values."""

import copy
from base64 import b64decode
from typing import Any

import numpy as np

from hloscope.app.reference.playground.evaluate import Effort, evaluate_form
from hloscope.app.reference.playground.forms import form_json, form_list
from hloscope.app.reference.playground.operands import PlaygroundLimits
from hloscope.engine.limits import Limits

JSON = dict[str, Any]
ALLOWED = PlaygroundLimits(1 << 24)
LIMITS = Limits(session_memory_bytes=64 << 20, op_flops=10**9)
OPS = [item["name"] for family in form_list() for item in family["ops"] if "why" not in item]
"""Those that have a form."""


def form(op: str) -> JSON:
    """The form of an op as the page reads it; its dialect is left out, here and below."""
    found: Any = form_json(f"stablehlo.{op}")
    assert found is not None
    return dict(found)


def filled(op: str, operands: JSON | None = None, /, **fields: Any) -> JSON:
    """What an op's form holds at first, with other fields and, for operands, other parts of their tensors."""
    state: JSON = copy.deepcopy(form(op)["first"])
    for name, changes in (operands or {}).items():
        for index, change in enumerate(changes):
            if index < len(state["operands"][name]):
                state["operands"][name][index] |= change
            else:
                state["operands"][name].append({"shape": None, "type": None, "values": "iota"} | change)
    state["fields"] |= fields
    return state


def play(op: str, state: Any = None) -> JSON:
    """The answer to what is filled in, or to what the form holds at first."""
    state = form(op)["first"] if state is None else state
    return {**evaluate_form(f"stablehlo.{op}", state, ALLOWED, LIMITS, Effort(1000, 2000))}


def played(op: str, operands: JSON | None = None, /, **fields: Any) -> JSON:
    """The answer to what `filled` gives."""
    return play(op, filled(op, operands, **fields))


def value_of(found: JSON) -> Any:
    """The array that an answer has."""
    kind = {"f": "f", "i": "i", "u": "u"}[found["dtype"][0]]
    raw = np.frombuffer(b64decode(found["data"]), f"<{kind}{int(found['dtype'][1:]) // 8}")
    return raw.reshape((*found["shape"], *([2] if found["components"] == 2 else [])))


def result(answer: JSON, number: int = 0, process: int = 0) -> Any:
    """A result as the answer has it."""
    return value_of(answer["picture"]["inline"]["results"][number][process])


def the_problem(answer: JSON) -> JSON:
    """The only thing that is wrong."""
    assert len(answer["problems"]) == 1, answer["problems"]
    found: JSON = answer["problems"][0]
    assert answer["picture"] is None
    return found


def marked(problem: JSON) -> list[tuple[str, str]]:
    """The fields that a problem speaks of, and which part of each."""
    return [(field["name"], field["part"]) for field in problem["fields"]]
