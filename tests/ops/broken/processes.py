"""Operations that break a rule of tuples, tokens, collective ops, or of what goes to another process."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hloscope.engine.ir.attributes import (
    Attribute,
    DenseArrayAttribute,
    DenseAttribute,
    StringAttribute,
    StructAttribute,
    UnitAttribute,
)
from hloscope.engine.ir.element_types import I32, I64
from hloscope.engine.ir.module import Block, Operation, Region, Value
from hloscope.engine.ir.types import FutureType, ScalarType, TokenType, TupleType, Type

from ..building import operation, region, tensor
from ..running import body_of
from .stating import Broken, constant, number

TOKEN = TokenType()
Make = Callable[..., Broken]

UNBREAKABLE = {
    ("all_reduce", "I5"): "a missing region is a rule of structure",
    ("reduce_scatter", "I6"): "a missing region is a rule of structure",
    ("all_to_all", "C6"): "how many processes there are is known when the program is run",
    ("send", "C6"): "the specification names the rule and does not state it",
    ("recv", "C6"): "the specification names the rule and does not state it",
}
"""Labels of ops that no operation of a text can break, and why."""


def rows(*found: tuple[int, ...]) -> DenseAttribute:
    """`dense<[[0, 1]]> : tensor<1x2xi64>`."""
    return constant(list(found), f"{len(found)}x{len(found[0])}xi64")


def channel(handle: int = 1, type: int = 0) -> StructAttribute:
    """`#stablehlo.channel_handle<…>`."""
    return StructAttribute("stablehlo", "channel_handle", {"handle": number(handle), "type": number(type)})


def stated(
    name: str,
    operands: list[Type],
    results: list[Type],
    regions: tuple[Region, ...] = (),
    **properties: Attribute,
) -> Operation:
    """An operation with values that are not all tensors."""
    return Operation(
        f"stablehlo.{name}",
        tuple(Value(f"a{k}", found) for k, found in enumerate(operands)),
        tuple(Value(f"r{k}", found) for k, found in enumerate(results)),
        properties,
        regions=regions,
    )


TEXT = StringAttribute("0")
NONE = constant([[]], "1x0xi64")
GROUP = rows((0, 1))
ADD = body_of("stablehlo.add", "f32")


def broken() -> Iterator[tuple[str, Broken]]:
    yield from _tuples()
    yield from _all_gather()
    yield from _all_reduce()
    yield from _reduce_scatter()
    yield from _all_to_all()
    yield from _one_operand()
    yield from _point_to_point("send", "I3", "I4", "I5", "I6", 3)
    yield from _point_to_point("recv", "I2", "I3", "I4", "I5", 2)
    yield from _feeds()
    yield from _asynchronous()


def _tuples() -> Iterator[tuple[str, Broken]]:
    element = tensor("2xf32")
    pair = TupleType((element, TOKEN))
    yield "tuple", ("I1", stated("tuple", [ScalarType(I32)], [TupleType((ScalarType(I32),))]))
    yield "tuple", ("C1", stated("tuple", [element], [pair]))
    yield "tuple", ("C1", stated("tuple", [element], [TupleType((tensor("2x1xf32"),))]))
    get = "get_tuple_element"
    yield get, ("I1", stated(get, [element], [element], index=number(0, I32)))
    yield get, ("I2", stated(get, [pair], [element], index=TEXT))
    yield get, ("I2", stated(get, [pair], [element], index=number(0)))
    yield get, ("C1", stated(get, [pair], [element], index=number(2, I32)))
    yield get, ("C1", stated(get, [pair], [element], index=number(-1, I32)))
    yield get, ("C2", stated(get, [pair], [element], index=number(1, I32)))
    yield get, ("C2", stated(get, [pair], [tensor("3xf32")], index=number(0, I32)))
    barrier = "optimization_barrier"
    yield barrier, ("C1", operation(barrier, ["2xf32"], ["3xf32"]))
    yield barrier, ("C1", operation(barrier, ["2xf32"], ["2xf64"]))
    yield barrier, ("", stated(barrier, [pair], [pair]))
    yield barrier, ("", operation(barrier, ["2x2xa8"], ["2x2xa8"]))
    yield barrier, ("", operation(barrier, ["2xf32"], ["2xf32", "2xf32"]))
    yield "after_all", ("I1", stated("after_all", [element], [TOKEN]))
    yield "after_all", ("", stated("after_all", [TOKEN], [element]))
    yield "create_token", ("", stated("create_token", [], [element]))
    for name in ("replica_id", "partition_id"):
        yield name, ("", operation(name, [], ["i32"]))
        yield name, ("", operation(name, [], ["1xui32"]))


def _gather(label: str, given: str = "2x3xf32", made: str = "4x3xf32", **properties: Attribute) -> Broken:
    base: dict[str, Attribute] = {"all_gather_dim": number(0), "replica_groups": GROUP}
    return label, operation("all_gather", [given], [made], (), **base | properties)


def _all_gather() -> Iterator[tuple[str, Broken]]:
    for wrong in (
        _gather("I1", "2x2xa8", "4x2xa8"),
        _gather("I2", all_gather_dim=TEXT),
        _gather("I3", replica_groups=TEXT),
        _gather("I3", replica_groups=constant([0, 1], "2xi64")),
        _gather("I3", replica_groups=constant([[0, 1]], "1x2xi32")),
        _gather("I4", channel_handle=number(1)),
        _gather("I5", use_global_device_ids=TEXT),
        _gather("C1", all_gather_dim=number(2)),
        _gather("C1", all_gather_dim=number(-1)),
        _gather("", "0x3xf32", "0x3xf32"),
        _gather("C2", replica_groups=rows((0, 0))),
        _gather("C3", replica_groups=NONE, use_global_device_ids=UnitAttribute(), channel_handle=channel()),
        _gather("C4", replica_groups=rows((0, 2))),
        _gather("C4", replica_groups=rows((0, 1), (2, -1))),
        _gather("C5", use_global_device_ids=UnitAttribute()),
        _gather("C5", use_global_device_ids=UnitAttribute(), channel_handle=channel(-1)),
        _gather("C6", made="5x3xf32"),
        _gather("C6", made="6x3xf32"),
        _gather("C6", made="4x4xf32"),
        _gather("C6", made="4x3xf64"),
        _gather("C6", made="3x3xf32", channel_handle=channel()),
    ):
        yield "all_gather", wrong


def _computations(label: str) -> Iterator[tuple[str, Region]]:
    yield label, region(["f32"], ["f32"])
    yield label, region(["2xf32", "2xf32"], ["2xf32"])
    yield label, region(["f32", "f64"], ["f32"])
    yield label, region(["f32", "f32"], ["f64"])
    yield label, region(["f32", "f32"], [])
    yield label, region(["i64", "i64"], ["i64"])


def _reduce(
    label: str, given: str = "2xf32", made: str = "2xf32", body: Region = ADD, **properties: Attribute
) -> Broken:
    base: dict[str, Attribute] = {"replica_groups": GROUP}
    return label, operation("all_reduce", [given], [made], [body], **base | properties)


def _all_reduce() -> Iterator[tuple[str, Broken]]:
    for wrong in (
        _reduce("I1", "2x2xa8", "2x2xa8"),
        _reduce("I2", replica_groups=TEXT),
        _reduce("I3", channel_handle=TEXT),
        _reduce("I4", use_global_device_ids=TEXT),
        _reduce("C1", replica_groups=rows((0, 1), (1, -1))),
        _reduce("C2", replica_groups=NONE, use_global_device_ids=UnitAttribute(), channel_handle=channel()),
        _reduce("C3", replica_groups=rows((1, 2))),
        _reduce("C3", replica_groups=rows((0, -2))),
        _reduce("C4", use_global_device_ids=UnitAttribute()),
        _reduce("C4", use_global_device_ids=UnitAttribute(), channel_handle=channel(0)),
        *(_reduce(label, body=body) for label, body in _computations("C5")),
        _reduce("C5", "2xf64", "2xf32"),
        _reduce("C6", made="3xf32"),
        _reduce("C7", made="2xf64"),
    ):
        yield "all_reduce", wrong


def _scatter(
    label: str, given: str = "4x3xf32", made: str = "2x3xf32", body: Region = ADD, **properties: Attribute
) -> Broken:
    base: dict[str, Attribute] = {"replica_groups": GROUP, "scatter_dimension": number(0)}
    return label, operation("reduce_scatter", [given], [made], [body], **base | properties)


def _reduce_scatter() -> Iterator[tuple[str, Broken]]:
    for wrong in (
        _scatter("I1", "4x2xa8", "2x2xa8"),
        _scatter("I2", scatter_dimension=TEXT),
        _scatter("I3", replica_groups=TEXT),
        _scatter("I4", channel_handle=TEXT),
        _scatter("I5", use_global_device_ids=TEXT),
        _scatter("C1", "3x3xf32"),
        _scatter("C2", scatter_dimension=number(2)),
        _scatter("C2", scatter_dimension=number(-1)),
        _scatter("", "0x3xf32", "0x3xf32"),
        _scatter("C3", replica_groups=rows((0, 0))),
        _scatter("C4", replica_groups=NONE, use_global_device_ids=UnitAttribute(), channel_handle=channel()),
        _scatter("C5", replica_groups=rows((0, 2))),
        _scatter("C5", replica_groups=rows((0, -1))),
        _scatter("C6", use_global_device_ids=UnitAttribute()),
        *(_scatter(label, body=body) for label, body in _computations("C7")),
        _scatter("C8", made="1x3xf32"),
        _scatter("C8", made="3x3xf32", channel_handle=channel()),
        _scatter("C8", made="2x2xf32"),
        _scatter("C9", made="2x3xf64"),
    ):
        yield "reduce_scatter", wrong


def _exchange(label: str, given: str = "2x4xf32", made: str = "4x2xf32", **properties: Attribute) -> Broken:
    names = ("split_dimension", "concat_dimension", "split_count")
    base: dict[str, Attribute] = dict(zip(names, (number(1), number(0), number(2)), strict=True))
    return label, operation(
        "all_to_all", [given], [made], (), **{**base, "replica_groups": GROUP} | properties
    )


def _all_to_all() -> Iterator[tuple[str, Broken]]:
    for wrong in (
        _exchange("I1", "2x4xa8", "4x2xa8"),
        _exchange("I2", split_dimension=TEXT),
        _exchange("I3", concat_dimension=TEXT),
        _exchange("I4", split_count=TEXT),
        _exchange("I5", replica_groups=TEXT),
        _exchange("I6", channel_handle=TEXT),
        _exchange("C1", split_dimension=number(2)),
        _exchange("C2", "2x5xf32"),
        _exchange("C3", concat_dimension=number(-1)),
        _exchange("C4", split_count=number(0)),
        _exchange("C5", replica_groups=rows((1, 1))),
        _exchange("C7", replica_groups=rows((0, 3))),
        _exchange("C8", replica_groups=rows((0, 1, 2))),
        _exchange("C8", split_count=number(4)),
        _exchange("C9", made="4x3xf32"),
        _exchange("C9", made="4x2xf64"),
        _exchange("C9", made="2x2xf32"),
    ):
        yield "all_to_all", wrong


def _one_operand() -> Iterator[tuple[str, Broken]]:
    def spread(label: str, made: str = "2xf32", given: str = "2xf32", **properties: Attribute) -> Broken:
        base: dict[str, Attribute] = {"replica_groups": rows((2, 1))}
        return label, operation("collective_broadcast", [given], [made], (), **base | properties)

    for wrong in (
        spread("I1", "2x2xa8", "2x2xa8"),
        spread("I2", replica_groups=TEXT),
        spread("I3", channel_handle=TEXT),
        spread("C1", replica_groups=rows((1, 1))),
        spread("C2", replica_groups=rows((1, -1))),
        spread("C3", "3xf32"),
        spread("C3", "2xf64"),
    ):
        yield "collective_broadcast", wrong

    def permute(label: str, made: str = "2xf32", given: str = "2xf32", **properties: Attribute) -> Broken:
        base: dict[str, Attribute] = {"source_target_pairs": rows((0, 1))}
        return label, operation("collective_permute", [given], [made], (), **base | properties)

    for wrong in (
        permute("I1", "2x2xa8", "2x2xa8"),
        permute("I2", source_target_pairs=constant([0, 1], "2xi64")),
        permute("I3", channel_handle=TEXT),
        *_pairs(permute),
        permute("C5", "3xf32"),
        permute("C5", "2xf64"),
    ):
        yield "collective_permute", wrong


def _pairs(make: Make) -> Iterator[Broken]:
    yield make("C1", source_target_pairs=rows((0, 1, 2)))
    yield make("C2", source_target_pairs=rows((0, 1), (0, 2)))
    yield make("C3", source_target_pairs=rows((0, 1), (2, 1)))
    yield make("C4", source_target_pairs=rows((0, -1)))


def _point_to_point(
    name: str, handle: str, channel_type: str, host: str, pairs: str, other: int
) -> Iterator[tuple[str, Broken]]:
    payload = tensor("2xf32")
    sends = name == "send"
    types: list[Type] = [payload, TOKEN]
    token: list[Type] = [TOKEN]

    def make(label: str, *wrong: Type, **properties: Attribute) -> Broken:
        changed = list(wrong) or types
        base: dict[str, Attribute] = {"channel_handle": channel(1, 1)}
        given, made = (changed, token) if sends else (token, changed)
        return label, stated(name, given, made, (), **base | properties)

    if sends:
        yield name, make("I1", TOKEN, TOKEN)
        yield name, make("I2", payload, payload)
    else:
        yield name, ("I1", stated(name, [payload], types, channel_handle=channel(1, 1)))
        yield name, make("", payload)
        yield name, make("", TOKEN, TOKEN)
        yield name, make("", tensor("?xf32"), TOKEN)
    yield name, make(handle, channel_handle=number(1))
    yield name, make(channel_type, channel_handle=channel(1, 0))
    yield name, make(channel_type, channel_handle=channel(1, other))
    yield name, make(host, is_host_transfer=TEXT)
    yield name, make(pairs, source_target_pairs=TEXT)
    for wrong in _pairs(make):
        yield name, wrong
    yield name, make("C5", channel_handle=channel(1, 5 - other))


def _feeds() -> Iterator[tuple[str, Broken]]:
    payload = tensor("2xf32")
    yield "infeed", ("I1", stated("infeed", [payload], [TOKEN]))
    yield "infeed", ("I2", stated("infeed", [TOKEN], [TOKEN], infeed_config=number(1)))
    yield "infeed", ("C1", stated("infeed", [TOKEN], []))
    yield "infeed", ("C2", stated("infeed", [TOKEN], [TOKEN, TOKEN]))
    yield "infeed", ("", stated("infeed", [TOKEN], [tensor("?xf32"), TOKEN]))
    yield "infeed", ("C3", stated("infeed", [TOKEN], [payload]))
    yield "outfeed", ("I1", stated("outfeed", [TOKEN, TOKEN], [TOKEN]))
    yield "outfeed", ("I2", stated("outfeed", [payload, payload], [TOKEN]))
    yield "outfeed", ("I3", stated("outfeed", [payload, TOKEN], [TOKEN], outfeed_config=number(1)))
    yield "outfeed", ("", stated("outfeed", [payload, TOKEN], [payload]))


def _asynchronous() -> Iterator[tuple[str, Broken]]:
    element = tensor("2xf32")
    future = FutureType((element,))

    def start(body: Region, made: Type = future, given: tuple[Type, ...] = (element,)) -> Broken:
        return "", stated("async_start", list(given), [made], (body,))

    for wrong in (
        start(region(["2xf32"], ["2xf32"])),
        start(_started("negate")),
        start(_started("slice", results=2)),
        start(_started("slice"), FutureType((tensor("3xf32"),))),
        start(_started("slice"), element),
        start(_started("slice"), given=(element, element)),
        start(_started("slice"), given=(tensor("3xf32"),)),
    ):
        yield "async_start", wrong
    two = FutureType((element, element))
    yield "async_done", ("", stated("async_done", [two], [element]))
    yield "async_done", ("", stated("async_done", [FutureType((element,))], [tensor("3xf32")]))
    yield "async_done", ("", stated("async_done", [element], [element]))
    by_row = tensor("2xa8")
    yield "async_done", ("", stated("async_done", [FutureType((by_row,))], [by_row]))


def _started(name: str, results: int = 1) -> Region:
    """A body with one op on its argument."""
    given, made = Value("b0", tensor("2xf32")), Value("b1", tensor("2xf32"))
    lists = (
        {key: DenseArrayAttribute(I64, values) for key, values in _WHOLE.items()} if name == "slice" else {}
    )
    inner = Operation(f"stablehlo.{name}", (given,), (made,), lists)
    end = Operation("stablehlo.return", (made,) * results, ())
    return Region((Block((given,), (inner, end)),))


_WHOLE = {"start_indices": (0,), "limit_indices": (2,), "strides": (1,)}
