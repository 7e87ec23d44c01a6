"""infeed, outfeed, send and recv as HLO text has them: in pairs, and with tuples that hold tokens.

A run of one process has nobody at the other end. It stops at these ops and says what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ...indexing import UNDEFINED, OperandMap
from ...ir.types import TensorType, TokenType, TupleType, Type, parts
from ..collective_rules import ChannelHandle, channel_id, pair_constraints
from ..op import Array, Constraint, Op
from ..process_groups import IdTable
from ..regions import type_agrees
from ..values import token, tuple_of
from .identities import identity_maps
from .starting import U32

TOKEN = TokenType()


@dataclass(frozen=True)
class Infeed(Op):
    """Takes a value from the queue that feeds the process, and gives it and a token.

    The value is a tensor, or a tuple of tensors. A run stops here: it has no such queue. What `infeed_config`
    means is the implementation's business. XLA operation semantics: Infeed.
    """

    name = "hlo.infeed"
    hlo_opcode, xla_name = "infeed", "Infeed"
    input_labels: ClassVar = {}

    token: TokenType
    result: TupleType
    infeed_config: str = ""

    def constraints(self) -> Iterator[Constraint]:
        types = self.result.types
        fits = len(types) == 2 and types[1] == TOKEN
        yield "", fits, f"the result must be a tuple of a value and a token, not {self.result}"
        yield _is_payload("the value", types[0])

    def infer(self) -> Type:
        return self.result

    def unrunnable(self) -> str | None:
        if self.result.types[0] == TupleType(()):
            return None
        return "reads from an infeed queue, and this run has none"

    def evaluate(self, *operands: Array) -> Array:
        """Of an empty tuple nothing is read."""
        return tuple_of([tuple_of([]), token()])

    def index_maps(self) -> Iterator[OperandMap]:
        """Opaque: what comes from the queue was made elsewhere."""
        yield OperandMap(0, UNDEFINED)

    inverse_index_maps = index_maps


@dataclass(frozen=True)
class Outfeed(Op):
    """Puts `operand` into the queue that the process feeds, and gives a token.

    A run stops here: it has no such queue. In which layout `operand` is handed over, `outfeed_shape`, changes no
    value; what `outfeed_config` means is the implementation's business. XLA operation semantics: Outfeed.
    """

    name = "hlo.outfeed"
    hlo_opcode, xla_name = "outfeed", "Outfeed"
    input_labels: ClassVar = {}

    operand: Type
    token: TokenType
    outfeed_config: str = ""

    def constraints(self) -> Iterator[Constraint]:
        yield _is_payload("operand", self.operand)

    def infer(self) -> Type:
        return TOKEN

    def unrunnable(self) -> str | None:
        return "writes to an outfeed queue, and this run has none"


class Transfer(Op):
    """What send and recv share: both give (the value, a number by which XLA knows the transfer, a token)."""

    input_labels: ClassVar = {}
    result: TupleType
    channel_handle: ChannelHandle | None
    is_host_transfer: bool
    source_target_pairs: IdTable | None

    def constraints(self) -> Iterator[Constraint]:
        yield is_transfer("the result", self.result)
        yield _is_payload("the value", self.result.types[0])
        if self.source_target_pairs is not None:
            for _, fits, sentence in pair_constraints(self.source_target_pairs):
                yield "", fits, sentence

    def infer(self) -> Type:
        return self.result

    def partner(self) -> str:
        """Whom the op waits for, as the end of a sentence."""
        channel = f"channel {channel_id(self.channel_handle)}" if self.channel_handle else "no channel"
        if self.is_host_transfer:
            return f"the host at the other end of {channel}, and this run has none"
        return f"another process on {channel}, but this run has one process (1 replica x 1 partition)"


@dataclass(frozen=True)
class Send(Transfer):
    """Starts to send `operand` over a channel, to the host or to the process that receives from the channel.

    `send-done` waits until it has been received. A run of one process stops here: there is nobody to send to. XLA
    operation semantics: Send.
    """

    name = "hlo.send"
    hlo_opcode, xla_name = "send", "Send"

    operand: Type
    token: TokenType
    result: TupleType
    channel_handle: ChannelHandle | None = None
    is_host_transfer: bool = False
    source_target_pairs: IdTable | None = None

    def constraints(self) -> Iterator[Constraint]:
        yield from super().constraints()
        stated = self.result.types[0]
        sentence = f"element 0 of the result must be operand, {self.operand}, not {stated}"
        yield "", type_agrees(self.operand, stated), sentence

    def unrunnable(self) -> str | None:
        return f"sends to {self.partner()}"


@dataclass(frozen=True)
class Recv(Transfer):
    """Starts to receive a value over a channel, from the host or from the process that sends to the channel.

    `recv-done` waits for the value. A run of one process stops here: there is nobody to receive from. XLA
    operation semantics: Recv.
    """

    name = "hlo.recv"
    hlo_opcode, xla_name = "recv", "Recv"

    token: TokenType
    result: TupleType
    channel_handle: ChannelHandle | None = None
    is_host_transfer: bool = False
    source_target_pairs: IdTable | None = None

    def unrunnable(self) -> str | None:
        return f"receives from {self.partner()}"

    def index_maps(self) -> Iterator[OperandMap]:
        """Opaque: what is received was made elsewhere."""
        yield OperandMap(0, UNDEFINED)

    inverse_index_maps = index_maps


@dataclass(frozen=True)
class TransferDone(Op):
    """What the ends of both kinds of transfer share."""

    input_labels: ClassVar = {}

    operand: TupleType
    channel_handle: ChannelHandle | None = None
    is_host_transfer: bool = False

    def constraints(self) -> Iterator[Constraint]:
        yield is_transfer("operand", self.operand)


@dataclass(frozen=True)
class SendDone(TransferDone):
    """Waits until what `send` has started to send has been received, and gives a token.

    XLA operation semantics: SendDone.
    """

    name = "hlo.send_done"
    hlo_opcode, xla_name = "send-done", "SendDone"

    def infer(self) -> Type:
        return TOKEN

    def evaluate(self, *operands: Array) -> Array:
        return token()


@dataclass(frozen=True)
class RecvDone(TransferDone):
    """Waits for the value that `recv` has started to receive, and gives it and a token.

    XLA operation semantics: RecvDone.
    """

    name = "hlo.recv_done"
    hlo_opcode, xla_name = "recv-done", "RecvDone"

    def infer(self) -> Type:
        return TupleType((self.operand.types[0], TOKEN))

    def evaluate(self, *operands: Array) -> Array:
        return tuple_of([operands[0][0], token()])

    def index_maps(self) -> Iterator[OperandMap]:
        """Of the value: it is element 0 of both tuples."""
        return identity_maps(self.operand.types[0])

    def inverse_index_maps(self) -> Iterator[OperandMap]:
        return identity_maps(self.operand.types[0])


def is_transfer(name: str, found: TupleType) -> Constraint:
    """That a tuple is one that send and recv give."""
    fits = len(found.types) == 3 and found.types[1:] == (U32, TOKEN)
    return "", fits, f"{name} must be a tuple of a value, {U32} and a token, not {found}"


def _is_payload(name: str, found: Type) -> Constraint:
    """A tensor, or a tuple of tensors: tuples in tuples are not handed over."""
    tensors = all(isinstance(part, TensorType) and part.is_static for part in parts(found))
    return "", tensors, f"{name} must be a tensor or a tuple of tensors, of known sizes, not {found}"


OPS: tuple[type[Op], ...] = (Infeed, Outfeed, Send, SendDone, Recv, RecvDone)
