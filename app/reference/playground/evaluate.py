"""Evaluate a form in a worker: its problems, or its values, its maps, and how single elements come about; pictures of pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from hloscope.engine.debugger.address import result as result_address
from hloscope.engine.debugger.microscope import Microscope
from hloscope.engine.debugger.provenance import Links, RecordedRun
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import LimitError, ProgramError
from hloscope.engine.frontend import load
from hloscope.engine.ir.types import TensorType
from hloscope.engine.limits import DEFAULT_LIMITS, Limits
from hloscope.engine.program import BoundOperation, BoundProgram
from hloscope.engine.source import Source

from ...present.provenance import derivation_json
from ...present.source_offsets import diagnostics
from ...runs.opening import OpenParameters, Refusal, open_run
from ...wire.playground import (
    DerivedElements,
    FormProblemInfo,
    FormState,
    OperandType,
    PagePicture,
    PlaygroundAnswer,
)
from ...wire.program import Diagnostic, GridSize
from ...wire.provenance import Derivation
from ...wire.tasks import EvaluateForm
from .form_values import FormValues, fill_form
from .forms import Form, form_json, form_of
from .operands import PlaygroundLimits
from .pictures import picture, step_of
from .problems import FormPlace, InvalidForm, constraint_problem, of_error, problem
from .program_text import FormProgram, form_program

FILE = "playground.mlir"


@dataclass(frozen=True)
class Effort:
    """The limits of the program's run."""

    steps: int
    milliseconds: int


def evaluate_task(task: EvaluateForm) -> PlaygroundAnswer:
    """The response to a form in a server's request."""
    allowed, effort = PlaygroundLimits(task.elements), Effort(task.steps, task.milliseconds)
    return evaluate_form(task.op, task.state, allowed, Limits(**task.limits), effort, task.derive)


def evaluate_form(
    op: str, state: FormState, allowed: PlaygroundLimits, limits: Limits, effort: Effort,
    derive: DerivedElements | None = None,
) -> PlaygroundAnswer:  # fmt: skip
    """Evaluate a form: `problems`, tied to its fields; else the program, values and maps.

    If the run itself fails, there are maps and problems. `derive` requests derivations in place of maps.
    """
    form = form_of(op)
    if form is None:
        return _answer_problems([problem(f"{op} has no form", None, [])])
    try:
        found = fill_form(form, state, allowed, limits)
        program = form_program(found)
    except InvalidForm as misfilled:
        return _answer_problems([item.json() for item in misfilled.problems])
    except ProgramError as error:
        return _answer_problems([_problems_json(form, error)])
    if found.unfit:
        return _answer_problems([item.json() for item in found.unfit])
    if (large := _too_large(program, allowed)) is not None:
        return _answer_problems([large])
    return _run_form(found, program, allowed, limits, effort, derive)


def _answer_problems(problems: list[FormProblemInfo]) -> PlaygroundAnswer:
    return {"problems": problems, "program": None, "picture": None}


def _problems_json(form: Form, error: ProgramError) -> FormProblemInfo:
    if isinstance(error, LimitError):
        return problem(error.message, error.label, [], error.hint)
    return of_error(form.op, list(form.operands), list(form.controls), error)


def _too_large(program: FormProgram, allowed: PlaygroundLimits) -> FormProblemInfo | None:
    for found in program.result_types:
        if isinstance(found, TensorType) and found.is_static and found.element_count > allowed.elements:
            count = f"the result would have {found.element_count:,} elements"
            message = f"{count}; playground_elements allows {allowed.elements:,}"
            return problem(message, "playground_elements", [FormPlace("result", 0, "shape")])
    return None


def _run_form(
    found: FormValues, program: FormProgram, allowed: PlaygroundLimits, limits: Limits, effort: Effort,
    derive: DerivedElements | None,
) -> PlaygroundAnswer:  # fmt: skip
    source = Source(program.text, FILE)
    grid: GridSize = {"replicas": found.replicas, "partitions": found.partitions}
    loaded = load(source, limits)
    answer: PlaygroundAnswer = {
        "problems": [_diagnosis(found, item) for item in _errors(diagnostics(loaded.diagnostics, source))],
        "program": {
            "text": program.text,
            "inputs": program.inputs,
            "grid": grid if found.form.setup.grid else None,
        },
        "operands": [_operand_json(operand.type) for operand in found.operands],
        "note": " ".join(found.notes),
        "picture": None,
    }
    if loaded.program is None:
        return answer
    bound = _bind_operation(loaded.program, found.form)
    count = _elements(found, program)
    if count > allowed.run_elements:
        answer["note"] = " ".join([*found.notes, _too_many(count, allowed)])
        return (
            answer if derive else {**answer, "picture": picture(found, loaded.program, bound, None, allowed)}
        )
    recording, problems, note = _record(found, program, source, limits, effort)
    if problems:
        return {**answer, "problems": problems}
    answer["note"] = " ".join(filter(None, [*found.notes, note]))
    if derive is not None:
        return {**answer, "derivations": derivations(recording, bound.id, derive) if recording else []}
    return {**answer, "picture": picture(found, loaded.program, bound, recording, allowed)}


def _too_many(count: int, allowed: PlaygroundLimits) -> str:
    most = f"{allowed.run_elements:,}, a sixteenth of the setting playground_elements"
    return f"Operands and results have {count:,} elements in all; an op with more than {most}, is not run."


def _elements(found: FormValues, program: FormProgram) -> int:
    """The number of elements in all operands and results of one process."""
    types = [*(operand.type for operand in found.operands), *program.result_types]
    return sum(type.element_count for type in types if isinstance(type, TensorType) and type.is_static)


def _record(
    found: FormValues, program: FormProgram, source: Source, limits: Limits, effort: Effort
) -> tuple[Recording | None, list[FormProblemInfo], str]:
    """A completed run; else its problems, or the limit that prevents it."""
    grid: GridSize = {"replicas": found.replicas, "partitions": found.partitions}
    opened = open_run(source, OpenParameters("main", program.inputs, [], grid), limits)
    if isinstance(opened, Refusal):
        return None, *_end_json(found, _errors(opened.result["diagnostics"]))
    recording = opened.run.recording
    state = recording.record(effort.steps, effort.milliseconds / 1000)
    if state.kind == "done":
        return recording, [], ""
    if state.diagnostic is None:
        return None, [], f"Nothing is computed: {state.reason} (trial_time_limit_ms, trial_step_limit)"
    return None, *_end_json(found, diagnostics([state.diagnostic], source))


def _end_json(found: FormValues, told: Sequence[Diagnostic]) -> tuple[list[FormProblemInfo], str]:
    """The end of a run: problems of the form, or a limit, which does not affect the maps."""
    limits = [f"{item['message']} ({item['label']})." for item in told if item["kind"] == "limit"]
    others = [_diagnosis(found, item) for item in told if item["kind"] != "limit"]
    return others, "" if others else f"Nothing is computed: {' '.join(limits)}"


def _operand_json(type: TensorType) -> OperandType:
    """An operand of the program, including inferred parts."""
    return {"shape": list(type.sizes), "type": str(type.element_type)}


def _errors(told: Sequence[Diagnostic]) -> list[Diagnostic]:
    return [item for item in told if item["severity"] == "error"]


def _diagnosis(found: FormValues, item: Diagnostic) -> FormProblemInfo:
    form = found.form
    if item["op"] in (None, form.op.name):
        return constraint_problem(form.op, *found.names(), item["label"], item["message"], item["hint"])
    bodies = [FormPlace(name) for name, control in form.controls.items() if control.kind == "body"]
    first = [FormPlace(name, 0, "type") for name in list(form.operands)[:1]]
    return problem(f"In the body, {item['op']}: {item['message']}", None, bodies + first, item["hint"])


def _bind_operation(program: BoundProgram, form: Form) -> BoundOperation:
    """The form's operation, bound; constants come before it, bodies after."""
    return next(bound for bound in program.ops if bound.operation.name == form.op.name)


def derivations(recording: Recording, op: int, wanted: DerivedElements) -> list[Derivation]:
    """The derivation of each wanted element that exists, in their order."""
    process = wanted["process"]
    step = step_of(recording, process, op) if process < len(recording.tracks) else None
    if step is None:
        return []
    address = result_address(step, wanted["result"], process)
    links = Links(RecordedRun(recording))
    try:
        type = recording.type_of(address)
    except (KeyError, IndexError):
        return []
    sizes = links.run.shape(address) if isinstance(type, TensorType) else ()
    indices = [tuple(index) for index in wanted["elements"] if _is_inside(index, sizes)]
    microscope = Microscope(links)
    return [derivation_json(links.run, address, microscope.derivation(address, index)) for index in indices]


def _is_inside(index: list[int], sizes: tuple[int, ...]) -> bool:
    return len(index) == len(sizes) and all(at < size for at, size in zip(index, sizes, strict=True))


MOST_KEPT = 256
"""Maximum number of pictures kept; more than there are ops with a form."""
_ELEMENTS = PlaygroundLimits(1 << 16)
_EFFORT = Effort(1000, 2000)


@lru_cache(MOST_KEPT)
def picture_of(op: str) -> PagePicture | None:
    """The form of an op and the answer to its first example; `None` without a form."""
    form = form_json(op)
    if form is None:
        return None
    answer = evaluate_form(op, form["first"], _ELEMENTS, DEFAULT_LIMITS, _EFFORT)
    return {"form": form, "answer": answer} if answer["picture"] else None
