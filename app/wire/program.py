"""A program: its diagnostics, and the table that the browser steps with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from .numbers import JsonNumber

Language: TypeAlias = Literal["stablehlo", "hlo"]
OpCategory: TypeAlias = Literal[
    "collective", "contraction", "control", "elementwise", "movement", "other", "reduction"
]
"""Category of an op, shown by its mark."""

TextSpan = TypedDict("TextSpan", {"from": int, "to": int})
"""Offsets in UTF-16 units, as JavaScript counts."""


class Diagnostic(TextSpan):
    """An error, warning or note at a position; lines and columns count from 1. `label`: of the rule or limit."""

    line: int
    column: int
    severity: Literal["error", "warning", "note"]
    kind: str
    op: str | None
    label: str | None
    message: str
    hint: str | None


class GridSize(TypedDict):
    """The number of processes that run a program."""

    replicas: int
    partitions: int


class InputType(TypedDict):
    """The type of an input, in the program's language; `literal`: in MLIR, if that differs."""

    type: str
    literal: NotRequired[str]


class WholeType(InputType):
    """The type of a whole value of which an argument is a part."""

    shape: list[int | None] | None


class Outside(TypedDict):
    """A result from outside of the program: the op that requests it, its maker, and the line."""

    op: int
    maker: str
    line: int


class NamedInput(InputType):
    """An argument of a function, and its location in the user's own source."""

    name: str
    location: str | None


class Wanted(NamedInput):
    """An input of a run: an argument (`shape`, `whole`), or a result from outside of the program (`outside`)."""

    shape: NotRequired[list[int | None] | None]
    whole: NotRequired[WholeType | None]
    outside: NotRequired[Outside]


class Entry(TypedDict):
    """A function that a run can start with. The chosen one also lists the inputs and the grid of its run."""

    name: str
    arguments: Sequence[NamedInput | Wanted]
    results: list[str]
    outside: NotRequired[list[Wanted]]
    needed_grid: NotRequired[GridSize]
    user_queues: NotRequired[list[str]]


class CheckResult(TypedDict):
    """The diagnostics of a program, and its possible entry functions."""

    diagnostics: list[Diagnostic]
    entries: list[Entry]


class OpInfo(TextSpan):
    """An op of the program. `opcode`: its name in HLO text, empty for MLIR; `family`: its mark."""

    id: int
    name: str
    opcode: str
    family: OpCategory
    line: int
    column: int
    endLine: int
    operands: list[int]
    results: list[int]
    block: int
    regions: list[int]
    location: str | None
    summary: str


class TupleElement(TypedDict):
    """An element of a tuple, and its own elements."""

    type: str
    isTensor: bool
    elements: list[TupleElement] | None


class TypeInfo(TypedDict):
    """The type of a value. `layout`: an unusual memory layout, in words."""

    type: str
    layout: str
    elements: list[TupleElement] | None
    shape: list[int | None] | None
    elementType: str | None


class ValueInfo(TypeInfo):
    """A value of the program."""

    id: int
    name: str


class BlockInfo(TypedDict):
    """A block: its arguments are values, `opener` is the op whose region it is."""

    id: int
    function: str
    opener: int | None
    region: int
    arguments: list[int]
    ops: list[int]


class FunctionInfo(TextSpan):
    """A function or computation."""

    name: str
    block: int
    line: int


class BeginInfo(TypedDict):
    """The start of a program whose first operations are left out."""

    line: int
    by: str
    """The engine that computed the values before the start."""
    values: list[int]
    """The values from before the start: arguments of the entry function."""
    constants: list[int]
    """Constants from before the start, which are arguments too."""


class ProgramInfo(TypedDict):
    """The browser's table of a program, independent of any run.

    `parameters`: the line of each value with a parameter instruction in HLO text, or computed before a later start.
    `argumentNames`: names of arguments for readers, from the user's code, by value. `lines`: the ops that start on a line.
    """

    language: Language
    ops: list[OpInfo]
    values: list[ValueInfo]
    blocks: list[BlockInfo]
    functions: list[FunctionInfo]
    parameters: dict[str, int]
    argumentNames: dict[str, str]
    begin: BeginInfo | None
    lines: dict[str, list[int]]


OpKind: TypeAlias = tuple[str, str, OpCategory]
"""`name`, `opcode` and `family` of an op."""


class Lists(TypedDict):
    """Lists of numbers, one after another: their lengths, and their items."""

    lengths: list[int]
    items: list[int]


class OpColumns(TypedDict):
    """Consecutive ops, one column for each of their fields; names and locations are numbers of rows of tables.

    `starts`, `lines`, `operands` and `results` are differences, which compress well: from the previous op of the window,
    or from the op's own number. `lengths`: of the ops' texts, as `starts` in UTF-16 units. `heights`: lines after the first.
    """

    kinds: list[OpKind]
    kind: list[int]
    locations: list[str | None]
    location: list[int]
    starts: list[int]
    lengths: list[int]
    lines: list[int]
    columns: list[int]
    heights: list[int]
    operands: Lists
    results: Lists
    blocks: list[int]
    regions: Lists


class ValueColumns(TypedDict):
    """Consecutive values: their names, and the numbers of their types in the table of types."""

    names: list[str]
    types: list[TypeInfo]
    type: list[int]


class BlockColumns(TypedDict):
    """Consecutive blocks without their ops, which name their blocks. `functions`: by number; `openers`: ops, -1 for none.

    Arguments are differences from the number of the block. `lines`: of the parameter instruction of each argument in HLO text,
    as differences from the one before; empty for MLIR.
    """

    functions: list[int]
    openers: list[int]
    regions: list[int]
    arguments: Lists
    lines: list[int]


class FunctionColumns(TypedDict):
    """Consecutive functions; `starts` and `lines` are differences from the one before, `lengths` are those of their texts."""

    names: list[str]
    blocks: list[int]
    starts: list[int]
    lengths: list[int]
    lines: list[int]


class ProgramHead(TypedDict):
    """What the table of a program has once; see `ProgramInfo`. `windows`: their number.

    `parameters` are here only those of a later start.
    """

    language: Language
    windows: int
    parameters: dict[str, int]
    argumentNames: dict[str, str]
    begin: BeginInfo | None


class ProgramWindow(TypedDict):
    """A part of a program's table as columns. The first one has the head."""

    head: ProgramHead | None
    ops: OpColumns
    values: ValueColumns
    blocks: BlockColumns
    functions: FunctionColumns


class SourceText(TypedDict):
    """A file of the user's own source: its lines, or the reason why they are not shown."""

    file: str
    lines: list[str] | None
    reason: str | None


class Frame(TypedDict):
    """A location in the user's own source, and its function."""

    function: str | None
    place: str


class ConstraintState(TypedDict):
    """A constraint of an op, and whether the op satisfies it."""

    label: str
    holds: bool
    message: str


class Cost(TypedDict):
    """The cost of an op, from its types alone."""

    flops: JsonNumber
    bytes: JsonNumber


class PrintedMap(TypedDict):
    """The maps of a pair of operand and result, by their names, as XLA prints them."""

    operand: str
    result: str
    text: str


class Attribute(TypedDict):
    """An attribute as the program spells it."""

    name: str
    text: str


class OpDetails(TypedDict):
    """The op panel's data. Maps are null above the maximum."""

    name: str
    documentation: str
    constraints: list[ConstraintState]
    cost: Cost
    maps: list[PrintedMap] | None
    inverse: list[PrintedMap] | None
    opName: str | None
    location: list[Frame]
    attributes: list[Attribute]
    url: str


class QuickRunResult(TypedDict):
    """A result of a step, as text."""

    name: str
    type: str
    text: str


class QuickRunStep(TypedDict):
    """The executions of one op at one tick, of all processes."""

    name: str
    line: int
    endLine: int
    depth: int
    results: list[QuickRunResult]
    printed: NotRequired[str]


class QuickRunEnd(TypedDict):
    """The end of a small run."""

    kind: Literal["recording", "done", "failed", "paused"]
    reason: str


class QuickRun(TypedDict):
    """A small program, run to the end; `state` is null if it may not run."""

    diagnostics: list[Diagnostic]
    steps: list[QuickRunStep]
    state: QuickRunEnd | None
