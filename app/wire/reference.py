"""The reference of ops."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict


class OpEntry(TypedDict):
    """An op in a list."""

    name: str
    sentence: str
    url: str
    opcode: str | None
    xla_name: str | None
    hlo_note: str | None


class ListedOp(OpEntry):
    """An op with its family, and the opcodes of HLO text that are read as it."""

    family: str
    reads: list[str]


class FamilyWord(TypedDict):
    """An opcode that is no op."""

    name: str
    sentence: str


class OpFamily(TypedDict):
    """Ops that belong together."""

    name: str
    title: str
    ops: list[OpEntry]
    words: list[FamilyWord]


class LabelledRow(TypedDict):
    """An input or result: label, name and kind."""

    label: NotRequired[str]
    name: str
    type: str


class RuleRow(TypedDict):
    """A constraint; formulas are between backticks."""

    label: str
    text: str


class PageLink(TypedDict):
    """Where else an op is described."""

    text: str
    url: str


class PageAttribute(TypedDict):
    """An attribute of HLO text, and the input that it is, where that has another name."""

    key: str
    input: str


class ExampleProgram(TypedDict):
    """The worked example of an op."""

    title: str
    description: str
    text: str
    file: str


PageText = TypedDict("PageText", {"words": str, "xla": str, "xla-2024": str})
"""A map in words and formulas."""


class AlikePair(TypedDict):
    """An operand and a result; the result is null where there is but one."""

    operand: str
    result: str | None


class PageMap(AlikePair):
    """The maps of a pair both ways, and the pairs that have the same."""

    reads: PageText | None
    goes: PageText | None
    alike: list[AlikePair]


class ExampleMaps(TypedDict):
    """What is read in the example; `no_maps`: why that cannot be said; `unread`: operands that no result depends on."""

    maps: list[PageMap]
    no_maps: str | None
    unread: list[str]


class ExampleForms(TypedDict):
    """How an op is written in its examples: in its short and generic form, and in HLO text."""

    example: ExampleProgram | None
    hlo_example: ExampleProgram | None
    short: str | None
    generic: str | None
    written: str | None


class OpPage(OpEntry, ExampleForms, ExampleMaps):
    """All that the page of an op says."""

    family_name: str
    family: str
    paragraphs: list[str]
    constraints: list[RuleRow]
    read_as: str | None
    attributes: list[PageAttribute]
    links: list[PageLink]
    inputs: list[LabelledRow]
    results: list[LabelledRow]
    signature: str


class ExampleQuestion(TypedDict):
    """What the page of an op asks about the run of its example, and the answer.

    `truth` is written as the page writes values; `digits`: so many significant digits of a float will do.
    """

    kind: Literal["number", "index", "shape", "choice"]
    text: str
    truth: str
    options: list[str]
    digits: int | None
