"""send, recv, infeed and outfeed: a process hands values to another, to the host, or takes some.

An op says along which route its values go; the grid brings both ends together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Any, ClassVar

from ...errors import RunError
from ...indexing import UNDEFINED, OperandMap
from ...ir.attributes import ArrayAttribute, Attribute, IntegerAttribute
from ...ir.types import TensorType, TokenType, Type
from ..core import exchanges
from ..core.exchanges import Arrays, GridPosition, Receive, Route, RouteKind
from ..core.facets import HloSpelling, Rounding, Section
from ..core.facets.findings import Findings
from ..core.facets.rounding import GreatestErrorRounding
from ..core.kinds import ANY, holds
from ..core.op import Array, Ask, AskingOp, Constraint, Cost
from ..core.process_groups import Grid, IdTable, ProcessId, replicas_or_partitions
from ..core.regions import types_agree
from ..core.rules import format_list
from ..core.values import token
from .collective_rules import ChannelHandle, channel_id, pair_constraints, zeros

_MOST_TABLES = 256
"""Maximum number of tables of pairs cached with their peers in a grid."""


class ChannelType(IntEnum):
    """The kinds of ends of a channel."""

    DEVICE_TO_DEVICE = 1
    DEVICE_TO_HOST = 2
    HOST_TO_DEVICE = 3


class PointToPoint(AskingOp):
    """An op that hands values over, or takes some: it is at one end of a route."""

    findings = Findings(moves_elements=True)
    rounding: ClassVar[Rounding[Any]] = GreatestErrorRounding()

    sends: ClassVar[bool]
    """Whether it hands values over."""

    @property
    def payload(self) -> tuple[Type, ...]:
        """The types of the arrays that are handed over or taken."""
        raise NotImplementedError

    @property
    def channel(self) -> int:
        """The channel's id; 0 for none."""
        return channel_id(getattr(self, "channel_handle", None))

    def is_placeholder(self, path: tuple[int, ...]) -> bool:
        """Whether part `path` of its result is only a placeholder for the transfer."""
        return False

    def route(self, place: GridPosition) -> Route | None:
        """The two ends of the transfer; `None` if the process takes no part.

        `RunError` for ids of no process, and where nothing says who is at the other end.
        """
        raise NotImplementedError

    def mismatch(self, other: PointToPoint) -> str | None:
        """The mismatch between a send and its recv; `None` if they fit."""
        if types_agree(self.payload, other.payload):
            return None
        given, taken = (self, other) if self.sends else (other, self)
        return f"what is sent is {format_list(given.payload)}, but what is to be received {format_list(taken.payload)}"

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """Elements are moved; nothing is computed."""
        types = () if self.sends else self.payload
        return Cost(0, sum(found.byte_count for found in types if isinstance(found, TensorType)))


class Sending(PointToPoint):
    """An op that sends its `inputs`, and returns a token."""

    findings = Findings(moves_elements=True, sends_outside=True)
    sends = True
    inputs: tuple[TensorType, ...]

    @property
    def payload(self) -> tuple[Type, ...]:
        return self.inputs

    def constraints(self) -> Iterator[Constraint]:
        for number, found in enumerate(self.inputs):
            yield holds("I1", f"input {number}", found, ANY)

    def infer(self) -> Type:
        return TokenType()

    def resume(self, state: Any, answer: Arrays | None) -> Ask | tuple[Array, ...]:
        return (token(),)


class Receiving(PointToPoint):
    """An op that returns the values that it receives, and a token."""

    sends = False
    results: tuple[Type, ...]

    @property
    def payload(self) -> tuple[Type, ...]:
        return self.results[:-1]

    def resume(self, state: Any, answer: Arrays | None) -> Ask | tuple[Array, ...]:
        return (*received_values(answer, self.payload), token())

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """Opaque: the values were computed elsewhere."""
        return opaque_maps(self.results)


def half_route(op: PointToPoint, kind: RouteKind, place: GridPosition) -> Route:
    """A route of which the op knows its own end only: it is `kind` and the channel that find the other."""
    if op.sends:
        return Route(kind, op.channel, place.process, None)
    return Route(kind, op.channel, None, place.process)


def pair_route(op: PointToPoint, pairs: IdTable, place: GridPosition) -> Route | None:
    """The route from the source to the target of a pair, where the process is the op's end of one."""
    targets, sources = _partners(pairs, op.channel, place.grid)
    here = place.process
    there = (targets if op.sends else sources).get(here)
    if there is None:
        return None
    return Route("channel", op.channel, *((here, there) if op.sends else (there, here)))


@lru_cache(_MOST_TABLES)
def _partners(
    pairs: IdTable, channel: int, grid: Grid
) -> tuple[Mapping[ProcessId, ProcessId], Mapping[ProcessId, ProcessId]]:
    """A table from sources to targets, and one from targets to sources; `RunError` for ids of no process."""
    # The specification does not say of send and recv, which always have a channel, what the ids are. They are
    # those of collective_permute; where there is but one partition, only replicas can be meant.
    strategy = replicas_or_partitions(channel if grid.num_partitions > 1 else 0)
    pairs.check("source_target_pairs", strategy, grid, "C4")
    found = [(source, target) for source, target in strategy.groups(pairs.rows, grid)]
    return dict(found), {target: source for source, target in found}


def received_values(answer: Arrays | None, types: tuple[Type, ...]) -> Arrays:
    """The values that have come, zeros where the process takes no part; `RunError` if they are not of `types`."""
    wanted = [found for found in types if isinstance(found, TensorType)]
    if answer is None:
        return tuple(map(zeros, wanted))
    fits = len(answer) == len(wanted) and all(
        value.shape == found.sizes and value.dtype == found.element_type.dtype
        for value, found in zip(answer, wanted, strict=True)
    )
    if not fits:
        shown = format_list(f"{value.dtype}{format_list(value.shape)}" for value in answer)
        raise RunError(f"the received values are {shown}, but the op expects {format_list(types)}")
    return answer


class Transfer(PointToPoint):
    """Common base of send and recv."""

    host_channel: ClassVar[ChannelType]
    """The type of a channel whose other end is the host."""
    channel_handle: ChannelHandle
    is_host_transfer: bool
    source_target_pairs: IdTable | None

    def channel_constraints(self) -> Iterator[Constraint]:
        """C1 to C5, and that the type of the channel is one that the op can have."""
        stated = self.channel_handle.type
        wanted = self.host_channel if self.is_host_transfer else ChannelType.DEVICE_TO_DEVICE
        allowed = (ChannelType.DEVICE_TO_DEVICE, self.host_channel)
        choices = " or ".join(f"{found.value} ({found.name})" for found in allowed)
        yield "I4", stated in allowed, f"the type of the channel must be {choices}, not {stated}"
        transfer = "true" if self.is_host_transfer else "false"
        sentence = f"the channel must be {wanted.name} ({wanted.value}), since is_host_transfer is {transfer}"
        yield "C5", stated == wanted, sentence
        if self.source_target_pairs is not None:
            yield from pair_constraints(self.source_target_pairs)

    def route(self, place: GridPosition) -> Route | None:
        if self.is_host_transfer:
            return half_route(self, "host", place)
        pairs = self.source_target_pairs
        if pairs is None or not pairs.rows:
            noun = "to whom it sends" if self.sends else "from whom it receives"
            message = f"nothing says {noun}: source_target_pairs names no pair of processes"
            raise RunError(message, hint="add source_target_pairs, or make it a host transfer")
        return pair_route(self, pairs, place)


def payload_constraints(results: tuple[Type, ...], labels: tuple[str, str, str]) -> Iterator[Constraint]:
    """There is a result, all but the last are tensors of known sizes, the last is a token."""
    some, tensors, last = labels
    yield some, len(results) > 0, "needs at least one result, a token"
    for number, found in enumerate(results[:-1]):
        yield tensors, isinstance(found, TensorType), f"result {number} must be a tensor, not {found}"
        known = isinstance(found, TensorType) and found.is_static
        yield "", known, f"result {number} must have known sizes, not {found}"
    yield last, isinstance(results[-1], TokenType), f"the last result must be a token, not {results[-1]}"


@dataclass(frozen=True)
class Send(Sending, Transfer):
    """Sends `inputs` over a channel, to the host or to the target of the process' pair, and returns a token.

    It waits until they have been received; a process that is the source of no pair continues immediately. The pairs
    are of partitions (in each replica), or of replicas without a channel or with only one partition. Without a host
    and without pairs the specification leaves the behaviour open: a run stops there. The host receives immediately:
    for the user who runs the program, or, if processes that `interpreter.run_parallel` has started with the sender
    receive from the host on the channel, for these. Specification: send.
    """

    name = "stablehlo.send"
    hlo = HloSpelling(
        "send", "Send", note="It returns a tuple of the data, a number and a token, which `send-done` ends."
    )
    host_channel = ChannelType.DEVICE_TO_HOST
    section = Section(
        input_labels={
            "inputs": "I1",
            "token": "I2",
            "channel_handle": "I3",
            "is_host_transfer": "I5",
            "source_target_pairs": "I6",
        }
    )

    inputs: tuple[TensorType, ...]
    token: TokenType
    channel_handle: ChannelHandle
    is_host_transfer: bool = False
    source_target_pairs: IdTable | None = None

    def constraints(self) -> Iterator[Constraint]:
        yield from super().constraints()
        yield from self.channel_constraints()

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(None, exchanges.Send(operands[:-1]))


@dataclass(frozen=True)
class Recv(Receiving, Transfer):
    """Receives values over a channel, from the host or from the source of the process' pair, and a token.

    A process that is the target of no pair gets zeros, as in collective_permute. The pairs name processes as in
    send. The host sends the items of the user who runs the program; then, among processes that
    `interpreter.run_parallel` has started, those that any of them has sent to it on the channel, in order (those of
    the process itself only if no other process can continue). Where the specification says that a channel from the
    host is of type DEVICE_TO_HOST, it is HOST_TO_DEVICE, as in MLIR's verifier. Specification: recv.
    """

    name = "stablehlo.recv"
    hlo = HloSpelling(
        "recv",
        "Recv",
        note="It returns a tuple of the data, a number and a token; `recv-done` takes the data out.",
    )
    host_channel = ChannelType.HOST_TO_DEVICE
    section = Section(
        input_labels={
            "token": "I1",
            "channel_handle": "I2",
            "is_host_transfer": "I4",
            "source_target_pairs": "I5",
        }
    )

    token: TokenType
    channel_handle: ChannelHandle
    is_host_transfer: bool = False
    source_target_pairs: IdTable | None = None
    results: tuple[Type, ...] = ()

    def constraints(self) -> Iterator[Constraint]:
        for label, *rest in self.channel_constraints():
            yield "I3" if label == "I4" else label, *rest  # type: ignore[misc]
        yield from payload_constraints(self.results, ("", "", ""))

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(None, Receive(self.payload))


class Feed(PointToPoint):
    """Common base of infeed and outfeed: the other end is a queue."""

    def route(self, place: GridPosition) -> Route | None:
        return half_route(self, "feed", place)


def _dimensions(layout: Attribute) -> list[int] | None:
    """The integers of a layout; `None` if it is not a list of integers."""
    elements = layout.elements if isinstance(layout, ArrayAttribute) else (layout,)
    found = [element.value for element in elements if isinstance(element, IntegerAttribute)]
    return found if len(found) == len(elements) else None


@dataclass(frozen=True)
class Infeed(Receiving, Feed):
    """Takes values from the queue that feeds the process, and returns them and a token.

    The user who runs the program fills the queue. An infeed that returns only a token takes nothing.
    `infeed_config` is for the implementation; here it has no effect. `layout` states the memory layout of each
    value. Specification: infeed.
    """

    name = "stablehlo.infeed"
    hlo = HloSpelling(
        "infeed",
        "Infeed",
        note="It takes a token and returns a tuple of the data and a token; data of several parts are a tuple in it.",
    )
    section = Section(input_labels={"token": "I1", "infeed_config": "I2"})

    token: TokenType
    infeed_config: str = ""
    layout: ArrayAttribute | None = None
    results: tuple[Type, ...] = ()

    def constraints(self) -> Iterator[Constraint]:
        yield from payload_constraints(self.results, ("C1", "C2", "C3"))
        if self.layout is None:
            return
        layouts: tuple[Attribute, ...] = self.layout.elements
        count = len(self.results) - 1
        yield "", len(layouts) == count, f"layout is of {len(layouts)} values, the op has {count}"
        for number, found in enumerate(layouts):
            yield "", _dimensions(found) is not None, f"layout {number} must be a list of integers"

    def cautions(self) -> Iterator[Constraint]:
        layouts = self.layout.elements if self.layout is not None else ()
        for number, (found, type) in enumerate(zip(layouts, self.payload, strict=False)):
            sentence = f"layout {number} must list the dimensions of {type}, each once"
            listed = sorted(_dimensions(found) or ())
            yield "", isinstance(type, TensorType) and listed == list(range(type.rank)), sentence

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(None, Receive(self.payload)) if self.payload else (token(),)


@dataclass(frozen=True)
class Outfeed(Sending, Feed):
    """Puts `inputs` into the queue that the process feeds, and returns a token.

    The user who runs the program reads the queue; the process does not wait for that. `outfeed_config` is for the
    implementation; here it has no effect. Specification: outfeed.
    """

    name = "stablehlo.outfeed"
    hlo = HloSpelling("outfeed", "Outfeed", note="It takes the data, of several parts a tuple, and a token.")

    inputs: tuple[TensorType, ...]
    token: TokenType
    outfeed_config: str = ""

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(None, exchanges.Send(operands[:-1])) if self.inputs else (token(),)


def opaque_maps(results: tuple[Type, ...]) -> Iterator[OperandMap]:
    """Between the token and each tensor: nothing is known."""
    for number, found in enumerate(results):
        if isinstance(found, TensorType):
            yield OperandMap(0, UNDEFINED, number)
