"""send, recv, infeed and outfeed: a process hands values to another, to the host, or takes some.

A run of one process has nobody at the other end. It stops at these ops and says what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

from ..indexing import UNDEFINED, OperandMap
from ..ir.attributes import ArrayAttribute, Attribute
from ..ir.types import TensorType, TokenType, Type
from .collective_rules import ChannelHandle, pair_constraints
from .kinds import ANY, holds
from .op import Constraint, Op
from .process_groups import IdTable


class ChannelType(IntEnum):
    """What is at the ends of a channel."""

    DEVICE_TO_DEVICE = 1
    DEVICE_TO_HOST = 2
    HOST_TO_DEVICE = 3


class PointToPoint(Op):
    """What send and recv share."""

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

    def partner(self) -> str:
        """Whom the op waits for, as the end of a sentence."""
        channel = f"channel {self.channel_handle.handle}"
        if self.is_host_transfer:
            return f"the host at the other end of {channel}, and this run has none"
        if self.source_target_pairs is None or not self.source_target_pairs.rows:
            return f"another process on {channel}, but source_target_pairs names none"
        return f"another process on {channel}, but this run has one process (1 replica x 1 partition)"


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
class Send(PointToPoint):
    """Sends `inputs` over a channel, to the host or to the targets of `source_target_pairs`, and gives a token.

    A run of one process stops here: there is nobody to send to. Without a host and without pairs the specification
    leaves open what happens. Specification: send.
    """

    name = "stablehlo.send"
    hlo_opcode = "send"
    hlo_note = "It gives a tuple of the data, a number and a token, which `send-done` ends."
    xla_name = "Send"
    host_channel = ChannelType.DEVICE_TO_HOST
    input_labels: ClassVar = {
        "inputs": "I1",
        "token": "I2",
        "channel_handle": "I3",
        "is_host_transfer": "I5",
        "source_target_pairs": "I6",
    }

    inputs: tuple[TensorType, ...]
    token: TokenType
    channel_handle: ChannelHandle
    is_host_transfer: bool = False
    source_target_pairs: IdTable | None = None

    def constraints(self) -> Iterator[Constraint]:
        for number, found in enumerate(self.inputs):
            yield holds("I1", f"input {number}", found, ANY)
        yield from self.channel_constraints()

    def infer(self) -> Type:
        return TokenType()

    def unrunnable(self) -> str | None:
        return f"sends to {self.partner()}"


@dataclass(frozen=True)
class Recv(PointToPoint):
    """Receives values over a channel, from the host or from the sources of `source_target_pairs`, and a token.

    A run of one process stops here: there is nobody to receive from. Where the specification says that a channel
    from the host is of type DEVICE_TO_HOST, it is HOST_TO_DEVICE, as MLIR's verifier has it. Specification: recv.
    """

    name = "stablehlo.recv"
    hlo_opcode = "recv"
    hlo_note = "It gives a tuple of the data, a number and a token; `recv-done` takes the data out."
    xla_name = "Recv"
    host_channel = ChannelType.HOST_TO_DEVICE
    input_labels: ClassVar = {
        "token": "I1",
        "channel_handle": "I2",
        "is_host_transfer": "I4",
        "source_target_pairs": "I5",
    }

    token: TokenType
    channel_handle: ChannelHandle
    is_host_transfer: bool = False
    source_target_pairs: IdTable | None = None
    results: tuple[Type, ...] = ()

    def constraints(self) -> Iterator[Constraint]:
        for label, *rest in self.channel_constraints():
            yield "I3" if label == "I4" else label, *rest  # type: ignore[misc]
        yield from payload_constraints(self.results, ("", "", ""))

    def unrunnable(self) -> str | None:
        return f"receives from {self.partner()}"

    def index_maps(self) -> Iterator[OperandMap]:
        """Opaque: what is received was made elsewhere."""
        return opaque_maps(self.results)

    inverse_index_maps = index_maps


@dataclass(frozen=True)
class Infeed(Op):
    """Takes values from the queue that feeds the process, and gives them and a token.

    A run stops here: it has no such queue. What `infeed_config` means is the implementation's business; `layout`
    says how each value lies in memory. Specification: infeed.
    """

    name = "stablehlo.infeed"
    hlo_opcode = "infeed"
    hlo_note = (
        "It takes a token and gives a tuple of the data and a token; data of several parts are a tuple in it."
    )
    xla_name = "Infeed"
    input_labels: ClassVar = {"token": "I1", "infeed_config": "I2"}

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
        lists = all(isinstance(found, ArrayAttribute) for found in layouts)
        yield "", lists, "layout must be a list of lists of dimensions"

    def unrunnable(self) -> str | None:
        return "reads from an infeed queue, and this run has none"

    def index_maps(self) -> Iterator[OperandMap]:
        """Opaque: what comes from the queue was made elsewhere."""
        return opaque_maps(self.results)

    inverse_index_maps = index_maps


@dataclass(frozen=True)
class Outfeed(Op):
    """Puts `inputs` into the queue that the process feeds, and gives a token.

    A run stops here: it has no such queue. What `outfeed_config` means is the implementation's business.
    Specification: outfeed.
    """

    name = "stablehlo.outfeed"
    hlo_opcode = "outfeed"
    hlo_note = "It takes the data, of several parts a tuple, and a token."
    xla_name = "Outfeed"

    inputs: tuple[TensorType, ...]
    token: TokenType
    outfeed_config: str = ""

    def constraints(self) -> Iterator[Constraint]:
        for number, found in enumerate(self.inputs):
            yield holds("I1", f"input {number}", found, ANY)

    def infer(self) -> Type:
        return TokenType()

    def unrunnable(self) -> str | None:
        return "writes to an outfeed queue, and this run has none"


def opaque_maps(results: tuple[Type, ...]) -> Iterator[OperandMap]:
    """Between the token and each tensor: nothing is known."""
    for number, found in enumerate(results):
        if isinstance(found, TensorType):
            yield OperandMap(0, UNDEFINED, number)


OPS: tuple[type[Op], ...] = (Send, Recv, Infeed, Outfeed)
