"""The reference of ops."""

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
    """An op with its family, and the opcodes of HLO text that map to it."""

    family: str
    reads: list[str]


class FamilyWord(TypedDict):
    """An opcode that is not an op."""

    name: str
    sentence: str


class OpFamily(TypedDict):
    """A family of related ops."""

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
    """A link to another description of an op."""

    text: str
    url: str


class PageAttribute(TypedDict):
    """An attribute of HLO text, and the op's input for it, if the name differs."""

    key: str
    input: str


class AttributeSentence(TypedDict):
    """An attribute of an op, and what it means."""

    name: str
    sentence: str


class ExampleProgram(TypedDict):
    """The worked example of an op."""

    title: str
    description: str
    text: str
    file: str


PageText = TypedDict("PageText", {"words": str, "xla": str, "xla-2024": str})
"""A map in words and formulas."""


class AlikePair(TypedDict):
    """An operand and a result; the result is null if there is only one."""

    operand: str
    result: str | None


class PageMap(AlikePair):
    """The maps of a pair both ways, and the pairs with the same maps."""

    reads: PageText | None
    goes: PageText | None
    alike: list[AlikePair]


class ExampleMaps(TypedDict):
    """Reads of the example; `no_maps`: why there are no maps; `unread`: operands without effect."""

    maps: list[PageMap]
    no_maps: str | None
    unread: list[str]


class ExampleForms(TypedDict):
    """The forms of an op in its examples: short and generic form, and HLO text."""

    example: ExampleProgram | None
    hlo_example: ExampleProgram | None
    short: str | None
    generic: str | None
    written: str | None


class OpPage(OpEntry, ExampleForms, ExampleMaps):
    """The contents of an op's page."""

    family_name: str
    family: str
    paragraphs: list[str]
    constraints: list[RuleRow]
    read_as: str | None
    attributes: list[PageAttribute]
    sentences: list[AttributeSentence]
    links: list[PageLink]
    inputs: list[LabelledRow]
    results: list[LabelledRow]
    signature: str


class ExampleQuestion(TypedDict):
    """A question of an op's page about the run of its example, and the answer.

    `truth` is in the page's spelling of values; `digits`: the required significant digits of a float.
    """

    kind: Literal["number", "index", "shape", "choice"]
    text: str
    truth: str
    options: list[str]
    digits: int | None
