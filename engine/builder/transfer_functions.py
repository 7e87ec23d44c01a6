"""Functions that send and receive, and random numbers: what is not of the program alone."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir.attributes import Attribute
from ..ir.element_types import ELEMENT_TYPES
from ..ir.types import TensorType, TokenType, TupleType
from .collective_functions import channel
from .constants import Constants
from .control import Control
from .elementwise_functions import Elementwise
from .handles import Operand, XlaOp, check_shape_with_layout
from .property_attributes import boolean, enum
from .shape_text import ShapeLike, tensor_of, type_of

U32, U64 = (TensorType((), ELEMENT_TYPES[name]) for name in ("ui32", "ui64"))


class Transfers(Elementwise, Constants, Control):
    """Channels between processes, and generators of random numbers."""

    def send(self, operand: XlaOp, handle: int) -> XlaOp:
        """Sends the operand over channel `handle`, and waits until it is sent: `T -> token`."""
        return self.send_with_tokens(operand, self.create_token(), handle)

    def send_with_tokens(self, operand: XlaOp, token: XlaOp, handle: int) -> XlaOp:
        """`send` after a token: `T, token -> token`."""
        return self.send_done(self.create_send(operand, token, handle))

    def send_to_host(
        self, operand: XlaOp, token: XlaOp, shape_with_layout: ShapeLike | None, handle: int
    ) -> XlaOp:
        """`send_with_tokens` to the host: `T, token -> token`."""
        check_shape_with_layout(shape_with_layout, operand, "send")
        context = self.create_send(operand, token, handle, is_host_transfer=True)
        return self.send_done(context, is_host_transfer=True)

    def create_send(
        self, operand: XlaOp, token: XlaOp, channel_id: int, is_host_transfer: bool = False
    ) -> XlaOp:
        """Begins to send: `T, token -> (T, u32[], token)`, which `send_done` takes."""
        result = TupleType((self.own(operand, "send").type, U32, TokenType()))
        properties = _transfer(channel_id, is_host_transfer)
        return self.emit("hlo.send", (operand, token), properties, result=result)

    def send_done(self, context: XlaOp, is_host_transfer: bool = False) -> XlaOp:
        """Waits until what `create_send` has begun is sent: `(T, u32[], token) -> token`."""
        return self.emit("hlo.send_done", (context,), self._of_start(context, is_host_transfer))

    def recv(self, shape: ShapeLike, handle: int) -> XlaOp:
        """Receives data of `shape` over channel `handle`."""
        return self.get_tuple_element(self.recv_with_tokens(self.create_token(), shape, handle), 0)

    def recv_with_tokens(self, token: XlaOp, shape: ShapeLike, handle: int) -> XlaOp:
        """`recv` after a token: `token -> (shape, token)`."""
        return self.recv_done(self.create_recv(shape, token, handle))

    def recv_to_host(self, token: XlaOp, shape: ShapeLike, handle: int) -> XlaOp:
        """`recv_with_tokens` from the host: `token -> (shape, token)`."""
        context = self.create_recv(shape, token, handle, is_host_transfer=True)
        return self.recv_done(context, is_host_transfer=True)

    def recv_from_host(self, token: XlaOp, shape: ShapeLike, handle: int) -> XlaOp:
        """The same as `recv_to_host`, under the name that XlaBuilder has for it."""
        return self.recv_to_host(token, shape, handle)

    def create_recv(
        self, shape: ShapeLike, token: XlaOp, channel_id: int, is_host_transfer: bool = False
    ) -> XlaOp:
        """Begins to receive: `token -> (shape, u32[], token)`, which `recv_done` takes."""
        result = TupleType((type_of(shape), U32, TokenType()))
        properties = _transfer(channel_id, is_host_transfer)
        return self.emit("hlo.recv", (token,), properties, result=result)

    def recv_done(self, context: XlaOp, is_host_transfer: bool = False) -> XlaOp:
        """Waits for what `create_recv` has begun to receive: `(T, u32[], token) -> (T, token)`."""
        return self.emit("hlo.recv_done", (context,), self._of_start(context, is_host_transfer))

    def _of_start(self, context: XlaOp, is_host_transfer: bool) -> dict[str, Attribute]:
        """What the end of a transfer repeats of its beginning."""
        start = next((op for op in self._operations if op.results[0] is self.own(context).value), None)
        found = start.properties.get("channel_handle") if start else None
        stated: dict[str, Attribute] = {} if found is None else {"channel_handle": found}
        return {**stated, "is_host_transfer": boolean(is_host_transfer)}

    # Random numbers

    def rng_uniform(self, a: Operand, b: Operand, shape: ShapeLike) -> XlaOp:
        """Random numbers from `a` up to but not `b`, which are scalars of the shape's element type."""
        return self._random("UNIFORM", a, b, shape)

    def rng_normal(self, mu: Operand, sigma: Operand, shape: ShapeLike) -> XlaOp:
        """Random numbers with mean `mu` and standard deviation `sigma`, scalars of the shape's element type."""
        return self._random("NORMAL", mu, sigma, shape)

    def _random(self, distribution: str, a: Operand, b: Operand, shape: ShapeLike) -> XlaOp:
        result = tensor_of(shape)
        operands = [self.like(given, result.element_type, "rng") for given in (a, b)]
        properties = {"rng_distribution": enum("rng_distribution", distribution)}
        return self.emit("hlo.rng", operands, properties, result=result)

    def rng_bernoulli(self, mean: Operand, shape: ShapeLike) -> XlaOp:
        """1 with the probability `mean`, an f32 scalar, and 0 otherwise: `T[] -> u32[d0, …]`.

        Older XLA has it; it is made of `rng_uniform` and a comparison.
        """
        wanted = tensor_of(shape)
        element_type = mean.element_type if isinstance(mean, XlaOp) else ELEMENT_TYPES["f32"]
        drawn = self.rng_uniform(
            self.literal(0, element_type),
            self.literal(1, element_type),
            TensorType(wanted.shape, element_type),
        )
        return self.convert_element_type(self.lt(drawn, mean), "u32")

    def rng_bit_generator(self, algorithm: str, initial_state: XlaOp, shape: ShapeLike) -> XlaOp:
        """Random bits that follow from `initial_state` alone: `u64[n] -> (u64[n], shape)`, the new state first.

        `algorithm` is RNG_DEFAULT, RNG_THREE_FRY or RNG_PHILOX. The state of THREE_FRY is `u64[2]`, a key and a
        counter; PHILOX also takes `u64[3]`.
        """
        name = algorithm.upper().removeprefix("RNG_")
        properties = {"rng_algorithm": enum("rng_algorithm", name)}
        result = TupleType((initial_state.type, tensor_of(shape)))
        return self.emit("stablehlo.rng_bit_generator", (initial_state,), properties, result=result)

    def rng_get_and_update_state(self, delta: int, shape: ShapeLike = "u64[2]") -> XlaOp:
        """The state of a generator that the run keeps, to which `delta` is added after it was read: `u64[2]`."""
        return self.emit("hlo.rng_get_and_update_state", (), result=tensor_of(shape), delta=delta)


def _transfer(number: int, is_host_transfer: bool) -> Mapping[str, Attribute]:
    return {**channel(number), "is_host_transfer": boolean(is_host_transfer)}
