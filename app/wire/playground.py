"""The playground: forms of ops, and the answers to filled-in forms."""

from __future__ import annotations

from typing import Any, NotRequired, TypeAlias

from typing_extensions import TypedDict

from .maps import OpMapsInfo
from .numbers import WireType
from .program import GridSize
from .provenance import Derivation
from .sessions import InputSpec

FieldValue: TypeAlias = Any
"""The value of a form's field; the field's `kind` determines its type."""


class FormTensorInfo(TypedDict):
    """A tensor of a form; null: inferred from the other fields."""

    shape: list[int | None] | None
    type: str | None
    values: NotRequired[str | list[str]]


class FormState(TypedDict):
    """The contents of a form."""

    operands: dict[str, list[FormTensorInfo]]
    fields: dict[str, FieldValue]


OperandField = TypedDict(
    "OperandField",
    {
        "name": str,
        "label": str,
        "says": str,
        "types": list[str],
        "many": bool,
        "scalars": bool,
        "with": str,
        "holdsPlaces": bool,
    },
)
"""An operand of a form, or a group of any number of operands (`many`)."""


class FormField(TypedDict):
    """A field of a form."""

    name: str
    label: str
    says: str
    sentence: str
    kind: str
    of: str
    choices: list[str]
    least: int | None
    group: str
    types: list[str]


class FormPreset(TypedDict):
    """An example to fill in."""

    title: str
    sentence: str
    state: FormState


class OpForm(TypedDict):
    """The form of an op; `rules` are its constraints by their labels."""

    op: str
    opPage: str
    operands: list[OperandField]
    fields: list[FormField]
    equallyMany: list[str]
    first: FormState
    presets: list[FormPreset]
    rules: dict[str, str]


class FormEntry(TypedDict):
    """An op in the list of forms; `why`: the reason for a missing form."""

    name: str
    sentence: str
    why: NotRequired[str]


class FormFamily(TypedDict):
    """A family of related ops."""

    name: str
    title: str
    ops: list[FormEntry]


class FieldPlace(TypedDict):
    """A field of the form, one tensor of several, and a part of it."""

    name: str
    index: int
    part: str


class FormProblemInfo(TypedDict):
    """The error, and the affected fields, starting with the one to mark."""

    message: str
    label: str | None
    hint: str | None
    fields: list[FieldPlace]


class InlineValue(TypedDict):
    """A value as base64 of its little-endian elements."""

    dtype: WireType
    components: int
    shape: list[int]
    data: str


class InlineValues(TypedDict):
    """For each tensor its value in every process; null if unknown or above `most` elements."""

    most: int
    operands: list[list[InlineValue | None]]
    results: list[list[InlineValue | None]]
    found: list[list[InlineValue | None]]


class PlaygroundPicture(OpMapsInfo):
    """Maps with values. `awaited`: for each process those that a map's `place` counts."""

    processes: list[list[int]]
    awaited: list[list[int]]
    inline: InlineValues


class FormProgramInfo(TypedDict):
    """The program of a form."""

    text: str
    inputs: list[InputSpec]
    grid: GridSize | None


class OperandType(TypedDict):
    """An operand as the program has it."""

    shape: list[int]
    type: str


class PagePicture(TypedDict):
    """The picture of an op's page: its form, and the answer to the first example."""

    form: OpForm
    answer: PlaygroundAnswer


class DerivedElements(TypedDict):
    """Elements of a result of one process, whose derivations are requested."""

    process: int
    result: int
    elements: list[list[int]]


class PlaygroundAnswer(TypedDict):
    """The program of a form, or the problem with it; `derivations`, if they were requested, in place of `picture`."""

    problems: list[FormProblemInfo]
    program: FormProgramInfo | None
    picture: PlaygroundPicture | None
    operands: NotRequired[list[OperandType]]
    note: NotRequired[str]
    derivations: NotRequired[list[Derivation]]
