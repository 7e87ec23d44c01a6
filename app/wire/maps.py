"""Index maps of an op."""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypeAliasType, TypedDict

MapDirection: TypeAlias = Literal["output-to-input", "input-to-output"]
ExpressionJson = TypeAliasType("ExpressionJson", "int | str | list[ExpressionJson]")
"""A number, the name of a variable (`d0`, `s0`, `rt0`), or a list that begins with the operation."""


class MappedTensorInfo(TypedDict):
    """An operand or result that maps speak of: a value of the program, or by `path` a part of one that is a tuple."""

    name: str
    type: str
    shape: list[int] | None
    elementType: str | None
    value: int | None
    path: list[int]


class RuntimeInfo(TypedDict):
    """A runtime variable: which operand it is read from and where, and whether it is clamped into its interval."""

    interval: tuple[int, int]
    operand: int
    map: MapInfo
    clamped: bool


class MapInfo(TypedDict):
    """A map with its domain; intervals are inclusive."""

    kind: Literal["normal", "undefined", "empty"]
    results: list[ExpressionJson]
    dimensions: list[tuple[int, int]]
    ranges: list[tuple[int, int]]
    runtimes: list[RuntimeInfo]
    constraints: list[tuple[ExpressionJson, tuple[int, int]]]


class OperandMapInfo(TypedDict):
    """A map between an operand and a result. `place`: in which process of a collective's group the operand is."""

    operand: int
    result: int
    map: MapInfo
    place: ExpressionJson | None
    enclosing: bool
    undecided: bool


RewriteText = TypedDict(
    "RewriteText",
    {
        "rule": str,
        "sentence": str,
        "where": str,
        "before": str,
        "after": str,
        "xla-2024": list[str],
    },
)
"""A step of the simplifier, in both styles."""

MapTexts = TypedDict(
    "MapTexts",
    {
        "words": str,
        "xla": str,
        "xla-2024": str,
        "rewrites": list[RewriteText],
        "hedges": list[str],
        "direction": MapDirection,
        "operand": int,
        "result": int,
    },
)
"""The maps of a pair of operand and result in one direction, in words and as XLA prints them."""


class BothWays(TypedDict):
    """Maps from results to operands, and back."""

    maps: list[OperandMapInfo]
    inverse: list[OperandMapInfo]
    texts: list[MapTexts]


class TensorSide(TypedDict):
    """An operand or result, by its number."""

    side: Literal["operand", "result"]
    number: int


class MovingWindow(TensorSide):
    """The dimensions of a tensor that make a window."""

    dimensions: list[int]


class KernelPartner(TensorSide):
    """The tensor whose elements are multiplied with those in a window, and which of them."""

    map: MapInfo


class WindowPositions(TypedDict):
    """The positions of windows: each element of `of` has one over the tensors `over`, which lie `base` apart."""

    of: TensorSide
    over: list[TensorSide]
    base: list[int]
    map: MapInfo
    partner: NotRequired[KernelPartner]


class PictureParts(TypedDict):
    """The op's properties for a picture. `window` moves over `target`; `indices` locates it."""

    kind: Literal[
        "gather", "scatter", "dynamic_slice", "dynamic_update_slice", "window", "pad", "contraction", "other"
    ]
    window: NotRequired[MovingWindow]
    target: NotRequired[TensorSide]
    indices: NotRequired[int]
    windowPositions: NotRequired[WindowPositions]


class DimensionRoles(TypedDict):
    """The specification's words for each dimension."""

    operands: list[list[str]]
    results: list[list[str]]


class OpMapsInfo(BothWays):
    """The maps of an op. `found`: what a run finds out, read behind the operands; `values`: where values come from alone."""

    op: str
    operands: list[MappedTensorInfo]
    found: list[str]
    results: list[MappedTensorInfo]
    roles: DimensionRoles
    parts: PictureParts
    values: BothWays | None


class PlaceInfo(TypedDict):
    """Where a process keeps the operands and results of a step, by the numbers of the values."""

    process: int
    step: int | None
    values: dict[str, str]
