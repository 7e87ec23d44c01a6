"""Index maps of an op."""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypeAliasType, TypedDict

MapDirection: TypeAlias = Literal["output-to-input", "input-to-output"]
ExpressionJson = TypeAliasType("ExpressionJson", "int | str | list[ExpressionJson]")
"""A number, the name of a variable (`d0`, `s0`, `rt0`), or a list that begins with the operation."""


class MappedTensorInfo(TypedDict):
    """An operand or result of maps: a value of the program, or the element of a tuple at `path`."""

    name: str
    type: str
    shape: list[int] | None
    elementType: str | None
    value: int | None
    path: list[int]


class RuntimeInfo(TypedDict):
    """A runtime variable: its operand, the position in it, and whether the op clamps it to the interval."""

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
    """A map between an operand and a result. `place`: the operand's process within the group of a collective."""

    operand: int
    result: int
    map: MapInfo
    place: ExpressionJson | None
    enclosing: bool
    undecided: bool


RewriteText = TypedDict(
    "RewriteText",
    {"rule": str, "sentence": str, "where": str, "before": str, "after": str, "xla-2024": list[str]},
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
    """The dimensions of a tensor that form a window."""

    dimensions: list[int]


class KernelPartner(TensorSide):
    """The tensor that is multiplied with a window, and the map to its elements."""

    map: MapInfo


class WindowPositions(TypedDict):
    """Window positions: each element of `of` has a window over the tensors `over`, with strides `base`."""

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
    """The specification's terms for each dimension."""

    operands: list[list[str]]
    results: list[list[str]]


class OpMapsInfo(BothWays):
    """The maps of an op. `found`: names of runtime values, numbered after the operands; `values`: maps of moved values."""

    op: str
    operands: list[MappedTensorInfo]
    found: list[str]
    results: list[MappedTensorInfo]
    roles: DimensionRoles
    parts: PictureParts
    values: BothWays | None


class PlaceInfo(TypedDict):
    """The addresses of a step's operands and results in a process, by the numbers of the values."""

    process: int
    step: int | None
    values: dict[str, str]
