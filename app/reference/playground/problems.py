"""Problems of a form, and the fields that cause them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hloscope.engine.errors import ProgramError
from hloscope.engine.ops.core.dynamic_op import DynamicOp
from hloscope.engine.ops.core.field_plans import field_plans
from hloscope.engine.ops.core.op import Op

from ...base.errors import as_sentence
from ...wire.playground import FieldPlace, FormProblemInfo
from ..specification import section_of

_WORD = re.compile(r"[a-z_]+")
_INPUT = re.compile(r"I\d+")


@dataclass(frozen=True)
class FormPlace:
    """A field of a form: the number of an operand, and its `shape`, `type` or `values`."""

    name: str
    index: int = 0
    part: str = ""

    def json(self) -> FieldPlace:
        """The field in the page's format."""
        return {"name": self.name, "index": self.index, "part": self.part}


class FormProblem(Exception):
    """A field has a value that no program can express; the message is a sentence."""

    def __init__(self, place: FormPlace, message: str, limit: str | None = None) -> None:
        super().__init__(message)
        self.place, self.message, self.limit = place, message, limit

    def json(self) -> FormProblemInfo:
        """The problem in the page's format."""
        return problem(self.message, self.limit, [self.place])


class InvalidForm(Exception):
    """The form cannot become a program; `problems` has all invalid fields."""

    def __init__(self, problems: Sequence[FormProblem]) -> None:
        super().__init__("; ".join(found.message for found in problems))
        self.problems = list(problems)


def problem(
    message: str, label: str | None, places: list[FormPlace], hint: str | None = None
) -> FormProblemInfo:
    """A problem, its label, and its fields, the one to mark first."""
    first = message.partition(" ")[0]
    # Names of fields stay in lower case.
    named = "_" in first or "." in first or any(place.name == first for place in places)
    sentence = as_sentence(message)
    return {
        "message": message[:1] + sentence[1:] if named else sentence,
        "label": label,
        "hint": hint,
        "fields": [place.json() for place in places],
    }


def of_error(op: type[Op], operands: list[str], fields: list[str], error: ProgramError) -> FormProblemInfo:
    """A violated constraint, tied to fields of the form."""
    return constraint_problem(op, operands, fields, error.label, error.message, error.hint)


def constraint_problem(
    op: type[Op],
    operands: list[str],
    fields: list[str],
    label: str | None,
    message: str,
    hint: str | None = None,
) -> FormProblemInfo:
    """A violated constraint, by its label and sentence, with its fields in the form."""
    names = fields_of(op, operands, fields, label or "", message)
    dynamic = _static_operands(op)
    parts = {name: "values" if name in dynamic else _part(message, label) for name in operands}
    places = [
        FormPlace(name, 0, parts.get(name, _part(message, label) if name == "result" else ""))
        for name in names
    ]
    return problem(message, label, places, hint)


def fields_of(op: type[Op], operands: list[str], fields: list[str], label: str, message: str) -> list[str]:
    """The fields of a rule: attributes before operands, those of its sentence before its text's."""
    said = [*_input(op, label), *_names(message.lower()), *_names(_text_of(op, label))]
    known = list(dict.fromkeys(name for word in said for name in _known_names(word, operands, fields)))
    if "result" in said and "result" not in fields:
        known += [name for name in _static_operands(op) if name not in known]
    found = [name for name in known if name in fields] + [name for name in known if name in operands]
    return found or [name for name in fields if name.endswith("_config")] or list(_static_operands(op))


def _part(message: str, label: str | None) -> str:
    """The part of an operand to mark: its element type if the rule concerns it, else its shape."""
    about_types = re.search(r"element type|must hold|holds |must be (?:a )?tensor|must be of", message)
    return "type" if about_types or (label and _INPUT.fullmatch(label)) else "shape"


def _known_names(word: str, operands: list[str], fields: list[str]) -> list[str]:
    singular = {name.removesuffix("s"): name for name in operands}
    if word in operands or word in fields:
        return [word]
    if word in singular:
        return [singular[word]]
    if word == "output":
        return [name for name in fields if name == "result"]
    if word in ("channel_handle", "channel"):
        return [name for name in fields if name == "channel_id"]
    if word in ("grid", "replicas", "processes", "groups"):
        return [name for name in ("replica_groups", "source_target_pairs") if name in fields]
    return []


def _static_operands(op: type[Op]) -> tuple[str, ...]:
    """The operands whose values determine the op."""
    return op.dynamic_fields if issubclass(op, DynamicOp) else ()


def _names(text: str) -> list[str]:
    return _WORD.findall(text)


def _input(op: type[Op], label: str) -> list[str]:
    """The names of the inputs with a label."""
    if not _INPUT.fullmatch(label):
        return []
    found = [name for name, known in (op.section.input_labels or {}).items() if known == label]
    return found or [plan.name for plan in field_plans(op) if plan.label == label]


def _text_of(op: type[Op], label: str) -> str:
    section = section_of(op)
    rows = section.constraints if section else []
    return next((row["text"] for row in rows if row["label"] == label), "")
