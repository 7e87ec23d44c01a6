"""What the playground answers, inside a worker: what is wrong, or the program, its values and its maps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import LimitError, ProgramError
from hloscope.engine.frontend import load
from hloscope.engine.ir.types import TensorType
from hloscope.engine.limits import Limits
from hloscope.engine.program import BoundOperation, BoundProgram
from hloscope.engine.source import Source

from ..present import diagnostics
from ..workers.opening import Wanted, open_run
from .filling import Filled, filled
from .forms import Form, form_of
from .operands import PlaygroundLimits
from .pictures import picture
from .problems import Misfilled, Place, of_broken, of_error, problem
from .programs import Written, written

JSON = dict[str, Any]
FILE = "playground.mlir"


@dataclass(frozen=True)
class Effort:
    """How long the program may run."""

    steps: int
    milliseconds: int


def answer(parameters: JSON) -> JSON:
    """The answer to a request as the supervisor hands it on."""
    allowed = PlaygroundLimits(**parameters["allowed"])
    effort = Effort(parameters["steps"], parameters["milliseconds"])
    return answered(parameters["op"], parameters["state"], allowed, Limits(**parameters["limits"]), effort)


def answered(op: str, state: JSON, allowed: PlaygroundLimits, limits: Limits, effort: Effort) -> JSON:
    """The answer to a form: `problems`, tied to its fields; else the program, values and maps.

    Where the run itself fails there are maps, and problems too.
    """
    form = form_of(op)
    if form is None:
        return _nothing([problem(f"{op} has no form", None, [])])
    try:
        found = filled(form, state, allowed, limits)
        program = written(found)
    except Misfilled as misfilled:
        return _nothing([item.json() for item in misfilled.problems])
    except ProgramError as error:
        return _nothing([_told(form, error)])
    if found.unfit:
        return _nothing([item.json() for item in found.unfit])
    if (large := _too_large(program, allowed)) is not None:
        return _nothing([large])
    return _ran(found, program, allowed, limits, effort)


def _nothing(problems: list[JSON]) -> JSON:
    return {"problems": problems, "program": None, "picture": None}


def _told(form: Form, error: ProgramError) -> JSON:
    if isinstance(error, LimitError):
        return problem(error.message, error.label, [], error.hint)
    return of_error(form.op, list(form.operands), list(form.controls), error)


def _too_large(program: Written, allowed: PlaygroundLimits) -> JSON | None:
    for found in program.result_types:
        if isinstance(found, TensorType) and found.is_static and found.element_count > allowed.elements:
            count = f"the result would have {found.element_count:,} elements"
            message = f"{count}; playground_elements allows {allowed.elements:,}"
            return problem(message, "playground_elements", [Place("result", 0, "shape")])
    return None


def _ran(found: Filled, program: Written, allowed: PlaygroundLimits, limits: Limits, effort: Effort) -> JSON:
    source = Source(program.text, FILE)
    grid = {"replicas": found.replicas, "partitions": found.partitions}
    loaded = load(source, limits)
    answer: JSON = {
        "problems": [_diagnosis(found, item) for item in _errors(diagnostics(loaded.diagnostics, source))],
        "program": {
            "text": program.text,
            "inputs": program.inputs,
            "grid": grid if found.form.setup.grid else None,
        },
        "operands": [_described(operand.type) for operand in found.operands],
        "note": " ".join(found.notes),
        "picture": None,
    }
    if loaded.program is None:
        return answer
    bound = _bound(loaded.program, found.form)
    count = _elements(found, program)
    if count > allowed.run_elements:
        reason = f"so many are not computed (playground_run_elements allows {allowed.run_elements:,})"
        told = f"Operands and results have {count:,} elements in all; {reason}."
        answer["note"] = " ".join([*found.notes, told])
        return answer | {"picture": picture(found, loaded.program, bound, None, allowed)}
    recording, problems, note = _recorded(found, program, source, limits, effort)
    if problems:
        return answer | {"problems": problems}
    answer["note"] = " ".join(filter(None, [answer["note"], note]))
    return answer | {"picture": picture(found, loaded.program, bound, recording, allowed)}


def _elements(found: Filled, program: Written) -> int:
    """Of all operands and results of one process."""
    types = [*(operand.type for operand in found.operands), *program.result_types]
    return sum(type.element_count for type in types if isinstance(type, TensorType) and type.is_static)


def _recorded(
    found: Filled, program: Written, source: Source, limits: Limits, effort: Effort
) -> tuple[Recording | None, list[JSON], str]:
    """The run, if it came to its end; else what is wrong, or why so much is not computed."""
    grid = {"replicas": found.replicas, "partitions": found.partitions}
    opened = open_run(source, Wanted("main", program.inputs, [], grid), limits, "", 1)
    if opened.run is None:
        return None, *_ended(found, _errors(opened.result["diagnostics"]))
    recording = opened.run.recording
    state = recording.record(effort.steps, effort.milliseconds / 1000)
    if state.kind == "done":
        return recording, [], ""
    if state.diagnostic is None:
        return None, [], f"Nothing is computed: {state.reason} (trial_time_limit_ms, trial_step_limit)"
    return None, *_ended(found, diagnostics([state.diagnostic], source))


def _ended(found: Filled, told: Sequence[JSON]) -> tuple[list[JSON], str]:
    """What ended a run: problems of the form, or a limit, which leaves the maps as they are."""
    limits = [f"{item['message']} ({item['label']})." for item in told if item["kind"] == "limit"]
    others = [_diagnosis(found, item) for item in told if item["kind"] != "limit"]
    return others, "" if others else f"Nothing is computed: {' '.join(limits)}"


def _described(type: TensorType) -> JSON:
    """An operand as the program has it, what followed from the rest included."""
    return {"shape": list(type.sizes), "type": str(type.element_type)}


def _errors(told: Sequence[JSON]) -> list[JSON]:
    return [item for item in told if item["severity"] == "error"]


def _diagnosis(found: Filled, item: JSON) -> JSON:
    form = found.form
    if item["op"] in (None, form.op.name):
        return of_broken(form.op, *found.names(), item["label"], item["message"], item["hint"])
    bodies = [Place(name) for name, control in form.controls.items() if control.kind == "body"]
    first = [Place(name, 0, "type") for name in list(form.operands)[:1]]
    return problem(f"In the body, {item['op']}: {item['message']}", None, bodies + first, item["hint"])


def _bound(program: BoundProgram, form: Form) -> BoundOperation:
    """The operation that the form is about: constants come before it, and bodies behind."""
    return next(bound for bound in program.ops if bound.operation.name == form.op.name)
