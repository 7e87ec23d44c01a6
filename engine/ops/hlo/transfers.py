"""infeed, outfeed, send and recv as HLO text has them: in pairs, and with tuples that hold tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...indexing import OperandMap
from ...ir.types import TensorType, TokenType, TupleType, Type, parts
from ..collectives.collective_rules import ChannelHandle, blank_value, pair_constraints
from ..collectives.point_to_point import (
    Feed,
    PointToPoint,
    half_route,
    opaque_maps,
    pair_route,
    received_values,
)
from ..core import exchanges
from ..core.bases import identity_maps
from ..core.exchanges import Arrays, Arrived, Await, GridPosition, Receive, Route
from ..core.facets import Explanation, HloSpelling, Part, Section
from ..core.facets.findings import Findings
from ..core.op import Array, Ask, AskingOp, Constraint, no_cost
from ..core.process_groups import IdTable
from ..core.regions import type_agrees
from ..core.values import is_tuple, token, tuple_of
from .starts_and_ends import U32

TOKEN = TokenType()
VALUE, CONTEXT = 0, 1
"""Elements of the tuple that send and recv return."""


class InfeedExplanation(Explanation["Infeed"]):
    def returned_part(self, op: Infeed, result: int, path: tuple[int, ...] = ()) -> Part:
        """The result of a function that feeds the queue which is a part of the value: it returns the parts one by
        one.
        """
        return (path[1], ()) if len(path) > 1 else (0, ())


@dataclass(frozen=True)
class Infeed(Feed):
    """Takes a value from the queue that feeds the process, and returns it and a token.

    The value is a tensor, or a tuple of tensors; of an empty tuple nothing is taken. The user who runs
    the program fills the queue. `infeed_config` is for the implementation; here it has no effect. XLA
    operation semantics: Infeed.
    """

    name = "hlo.infeed"
    hlo = HloSpelling("infeed", "Infeed")
    section = Section(
        rules=(
            "The result is a tuple of a value and a token.",
            "The value is a tensor of known sizes, or a tuple of such.",
        )
    )
    sends = False
    explanation = InfeedExplanation()

    token: TokenType
    result: TupleType
    infeed_config: str = ""

    def constraints(self) -> Iterator[Constraint]:
        types = self.result.types
        fits = len(types) == 2 and types[1] == TOKEN
        yield "", fits, f"the result must be a tuple of a value and a token, not {self.result}"
        yield _is_payload("the value", types[0])

    @property
    def payload(self) -> tuple[Type, ...]:
        return parts(self.result.types[VALUE])

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(None, Receive(self.payload)) if self.payload else self.resume(None, ())

    def resume(self, state: Any, answer: Arrays | None) -> Ask | tuple[Array, ...]:
        return (tuple_of([_join_parts(self.result, received_values(answer, self.payload)), token()]),)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """Opaque: values of the queue come from elsewhere."""
        return opaque_maps(self.payload)


@dataclass(frozen=True)
class Outfeed(Feed):
    """Puts `operand` into the queue that the process feeds, and returns a token.

    The user who runs the program reads the queue, a tuple as its parts; an empty tuple adds nothing.
    `outfeed_shape`, the layout in which `operand` is passed on, changes no value; `outfeed_config` is for the
    implementation; here it has no effect. XLA operation semantics: Outfeed.
    """

    name = "hlo.outfeed"
    findings = Findings(moves_elements=True, sends_outside=True)
    hlo = HloSpelling("outfeed", "Outfeed")
    section = Section(
        rules=("`operand` is a tensor of known sizes, or a tuple of such.", "The result is a token.")
    )
    sends = True

    operand: Type
    token: TokenType
    outfeed_config: str = ""

    def constraints(self) -> Iterator[Constraint]:
        yield _is_payload("operand", self.operand)

    def infer(self) -> Type:
        return TOKEN

    @property
    def payload(self) -> tuple[Type, ...]:
        return parts(self.operand)

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        values = _parts_of(operands[0])
        return Ask(None, exchanges.Send(values)) if values else (token(),)

    def resume(self, state: Any, answer: Arrays | None) -> Ask | tuple[Array, ...]:
        return (token(),)


class Transfer(PointToPoint):
    """Common base of send and recv, which return (the value, the number of the transfer, a token)."""

    result: TupleType
    channel_handle: ChannelHandle | None
    is_host_transfer: bool
    source_target_pairs: IdTable | None

    def constraints(self) -> Iterator[Constraint]:
        yield is_transfer("the result", self.result)
        yield _is_payload("the value", self.result.types[VALUE])
        if self.source_target_pairs is not None:
            for _, fits, sentence in pair_constraints(self.source_target_pairs):
                yield "", fits, sentence

    @property
    def payload(self) -> tuple[Type, ...]:
        return parts(self.result.types[VALUE])

    def is_placeholder(self, path: tuple[int, ...]) -> bool:
        return path[:1] == (CONTEXT,)

    def route(self, place: GridPosition) -> Route | None:
        if self.is_host_transfer:
            return half_route(self, "host", place)
        if self.source_target_pairs is None:
            return half_route(self, "channel", place)
        return pair_route(self, self.source_target_pairs, place)

    def resume(self, state: Any, answer: Arrays | None) -> Ask | tuple[Array, ...]:
        """Return the tuple immediately; its outcome exists once an op has awaited the transfer's end."""
        value, context = state
        return (tuple_of([value, context, token()]),)


class SendExplanation(Explanation["Send"]):
    def forwarded_operand(self, op: Send, result: int, path: tuple[int, ...] = ()) -> Part | None:
        return (0, path[1:]) if path and path[0] == VALUE else None


@dataclass(frozen=True)
class Send(Transfer):
    """Starts to send `operand` over a channel: to the host, or to the process that receives from the channel.

    `send-done` waits until it has been received. With pairs of source and target, which XLA keeps in the frontend
    attribute `_xla_send_recv_source_target_pairs`, each source sends to its target, and a process that is no
    source sends nothing. The pairs are of partitions (in each replica), or of replicas without a channel or with only
    one partition. XLA operation semantics: Send.
    """

    name = "hlo.send"
    findings = Findings(moves_elements=True, sends_outside=True)
    hlo = HloSpelling("send", "Send")
    sends = True
    section = Section(
        rules=(
            "The result is a tuple of a value, a scalar of u32 and a token.",
            "The value is a tensor of known sizes, or a tuple of such.",
            "The type of the value is that of `operand`.",
        )
    )
    explanation = SendExplanation()

    operand: Type
    token: TokenType
    result: TupleType
    channel_handle: ChannelHandle | None = None
    is_host_transfer: bool = False
    source_target_pairs: IdTable | None = None

    def constraints(self) -> Iterator[Constraint]:
        yield from super().constraints()
        stated = self.result.types[VALUE]
        sentence = f"element 0 of the result must be operand, {self.operand}, not {stated}"
        yield "", type_agrees(self.operand, stated), sentence

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        value, _ = operands
        context = _new_context()
        return Ask((value, context), exchanges.Send(_parts_of(value), (context,)))

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """The identity from the value, element 0 of the tuple, to the operand."""
        return identity_maps((self.operand,))


@dataclass(frozen=True)
class TransferDone(AskingOp):
    """Common base of send-done and recv-done: each waits for the transfer of the number in the tuple."""

    findings = Findings(moves_elements=True)

    operand: TupleType
    channel_handle: ChannelHandle | None = None
    is_host_transfer: bool = False

    def constraints(self) -> Iterator[Constraint]:
        yield is_transfer("operand", self.operand)

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(operands[0][VALUE], Await(operands[0][CONTEXT]))

    cost = no_cost


@dataclass(frozen=True)
class SendDone(TransferDone):
    """Waits until the value of `send` has been received, and returns a token.

    XLA operation semantics: SendDone.
    """

    name = "hlo.send_done"
    hlo = HloSpelling("send-done", "SendDone")
    section = Section(
        rules=("`operand` is a tuple of a value, a scalar of u32 and a token.", "The result is a token.")
    )

    def infer(self) -> Type:
        return TOKEN

    def resume(self, state: Any, answer: Arrived) -> Ask | tuple[Array, ...]:
        return (token(),)


@dataclass(frozen=True)
class Recv(Transfer):
    """Starts to receive a value over a channel: from the host, or from the process that sends to the channel.

    `recv-done` waits for the value, which is zeros until then. With pairs, as of `send`, each target receives from
    its source, and a process that is no target receives nothing: it keeps the zeros. XLA operation semantics: Recv.
    """

    name = "hlo.recv"
    hlo = HloSpelling("recv", "Recv")
    sends = False
    section = Section(
        rules=(
            "The result is a tuple of a value, a scalar of u32 and a token.",
            "The value is a tensor of known sizes, or a tuple of such.",
        )
    )

    token: TokenType
    result: TupleType
    channel_handle: ChannelHandle | None = None
    is_host_transfer: bool = False
    source_target_pairs: IdTable | None = None

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        values = tuple(blank_value(found).view() for found in self.payload)
        context = _new_context()
        return Ask((_join_parts(self.result, values), context), Receive(self.payload, (*values, context)))

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """Opaque: received values come from elsewhere."""
        return opaque_maps(self.payload)


class RecvDoneExplanation(Explanation["RecvDone"]):
    def origin(self, op: RecvDone, result: int, path: tuple[int, ...] = ()) -> Part | None:
        """The received value is that of recv, operand 0."""
        return (0, path) if path[:1] == (VALUE,) else None


@dataclass(frozen=True)
class RecvDone(TransferDone):
    """Waits for the value that `recv` has started to receive, and returns it and a token.

    XLA operation semantics: RecvDone.
    """

    name = "hlo.recv_done"
    hlo = HloSpelling("recv-done", "RecvDone")
    section = Section(
        rules=(
            "`operand` is a tuple of a value, a scalar of u32 and a token.",
            "The result is a tuple of that value and a token.",
        )
    )
    explanation = RecvDoneExplanation()

    def infer(self) -> Type:
        return TupleType((self.operand.types[VALUE], TOKEN))

    def resume(self, state: Any, answer: Arrived) -> Ask | tuple[Array, ...]:
        """The received value; for a process that receives nothing, the value in the tuple."""
        if answer.outputs is None:
            return (tuple_of([state, token()]),)
        values = received_values(answer.outputs, parts(self.operand.types[VALUE]))
        return (tuple_of([_join_parts(self.operand, values), token()]),)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """The identity between the values, element 0 of both tuples."""
        return identity_maps((self.operand.types[VALUE],))


def is_transfer(name: str, found: TupleType) -> Constraint:
    """Constraint: a tuple has the type of a send's or recv's result."""
    fits = len(found.types) == 3 and found.types[1:] == (U32, TOKEN)
    return "", fits, f"{name} must be a tuple of a value, {U32} and a token, not {found}"


def _is_payload(name: str, found: Type) -> Constraint:
    """Constraint: a tensor, or a tuple of tensors, which are not tuples themselves."""
    tensors = all(isinstance(part, TensorType) and part.is_static for part in parts(found))
    return "", tensors, f"{name} must be a tensor or a tuple of tensors, of known sizes, not {found}"


def _new_context() -> Array:
    """The identity of a transfer: a new array with 0, the placeholder of its end."""
    return np.zeros((), np.uint32)


def _parts_of(value: Array) -> Arrays:
    return tuple(value) if is_tuple(value) else (value,)


def _join_parts(whole: TupleType, values: Sequence[Array]) -> Array:
    """The value that element 0 of `whole` is, from its parts."""
    return tuple_of(values) if isinstance(whole.types[VALUE], TupleType) else values[0]
