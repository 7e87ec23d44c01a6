"""after_all and create_token: values that hold nothing, and only say what comes before what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...ir.types import TokenType, Type
from ..core.op import Array, Op
from ..core.values import token


@dataclass(frozen=True)
class AfterAll(Op):
    """Gives a token that there is once all of `inputs` are there. Specification: after_all."""

    name = "stablehlo.after_all"
    short_form = "operands attr-dict : same-type"
    hlo_opcode = "after-all"
    hlo_note = "Without operands it makes a token."
    xla_name = "AfterAll"

    inputs: tuple[TokenType, ...]

    def infer(self) -> Type:
        return TokenType()

    def evaluate(self, *operands: Array) -> Array:
        return token()


@dataclass(frozen=True)
class CreateToken(Op):
    """Gives a token that waits for nothing: `after_all` of no tokens, which has replaced it."""

    name = "stablehlo.create_token"
    short_form = "attr-dict : result-type"
    hlo_opcode = "after-all"
    xla_name = "AfterAll"
    input_labels: ClassVar = {}

    def infer(self) -> Type:
        return TokenType()

    def evaluate(self, *operands: Array) -> Array:
        return token()


OPS: tuple[type[Op], ...] = (AfterAll, CreateToken)
