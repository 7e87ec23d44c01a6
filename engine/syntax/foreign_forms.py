"""Short forms of dialects whose ops the engine need not know: JAX prints them in its programs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ForeignOp:
    """An op that is only read and printed."""

    name: str
    short_form: str
    inherent: frozenset[str] = frozenset()
    aliases: tuple[str, ...] = ()

    def inherent_attributes(self) -> frozenset[str]:
        """The names of its properties."""
        return self.inherent


_OPS = (
    ForeignOp(
        "sdy.mesh", "$sym_name<symbol-name> = $mesh<#sdy.mesh> attr-dict", frozenset(["sym_name", "mesh"])
    ),
    ForeignOp("sdy.return", "operands attr-dict (: operand-types)?"),
    ForeignOp(
        "sdy.sharding_constraint",
        "operands $sharding<#sdy.sharding> attr-dict : same-type",
        frozenset(["sharding"]),
    ),
    ForeignOp(
        "sdy.manual_computation",
        "custom manual_computation",
        frozenset(["in_shardings", "out_shardings", "manual_axes"]),
    ),
)
FOREIGN_OPS = {op.name: op for op in _OPS}
