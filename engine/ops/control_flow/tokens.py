"""after_all and create_token: values that hold nothing, and only say what comes before what."""

from dataclasses import dataclass, replace

from ...ir.types import TokenType, Type
from ..core.facets import HloSpelling, Section
from ..core.op import Array, Op
from ..core.values import token


class TokenOp(Op):
    """An op whose result is a token."""

    hlo = HloSpelling("after-all", "AfterAll")

    def infer(self) -> Type:
        return TokenType()

    def evaluate(self, *operands: Array) -> Array:
        return token()


@dataclass(frozen=True)
class AfterAll(TokenOp):
    """Returns a token that waits for all of `inputs`. Specification: after_all."""

    name = "stablehlo.after_all"
    short_form = "operands attr-dict : same-type"
    hlo = replace(TokenOp.hlo, note="Without operands it makes a token.")

    inputs: tuple[TokenType, ...]


@dataclass(frozen=True)
class CreateToken(TokenOp):
    """Returns a token that waits for nothing; `after_all` of no tokens has replaced it."""

    name = "stablehlo.create_token"
    short_form = "attr-dict : result-type"
    section = Section(input_labels={})
