"""Links to other descriptions of an op."""

from __future__ import annotations

from hloscope.engine.ops.core.op import Op

from ..wire.reference import PageLink

_SPECIFICATION = "https://openxla.org/stablehlo/spec"
_OPERATIONS = "https://openxla.org/xla/operation_semantics"
_OPCODES = "https://github.com/openxla/xla/blob/main/xla/hlo/ir/hlo_opcode.h"
"""XLA's list of all opcodes, including those without operation semantics."""
_DIALECTS = {
    "stablehlo": ("the StableHLO dialect", "https://openxla.org/stablehlo/generated/stablehlo"),
    "chlo": ("the CHLO dialect", "https://openxla.org/stablehlo/generated/chlo"),
    "func": ("MLIR's func dialect", "https://mlir.llvm.org/docs/Dialects/Func/"),
    "shape": ("MLIR's shape dialect", "https://mlir.llvm.org/docs/Dialects/ShapeDialect/"),
    "tensor": ("MLIR's tensor dialect", "https://mlir.llvm.org/docs/Dialects/TensorOps/"),
    "arith": ("MLIR's arith dialect", "https://mlir.llvm.org/docs/Dialects/ArithOps/"),
    "sdy": ("the Shardy dialect", "https://openxla.org/shardy/sdy_dialect"),
}


def links_of(op: type[Op], *, in_specification: bool) -> list[PageLink]:
    """Sentences that end with a link: prefix, link text and address."""
    dialect, _, mnemonic = op.name.partition(".")
    found: list[PageLink] = []
    if in_specification:
        found.append(
            {"text": f"{mnemonic} in the StableHLO specification", "url": f"{_SPECIFICATION}#{mnemonic}"}
        )
    elif dialect in _DIALECTS:
        name, url = _DIALECTS[dialect]
        found.append({"text": f"{mnemonic} in {name}", "url": url})
    if op.hlo.xla_name:
        text = f"{op.hlo.xla_name} in XLA's operation semantics"
        found.append({"text": text, "url": f"{_OPERATIONS}#{op.hlo.xla_name.lower()}"})
    elif op.hlo.opcode and dialect == "hlo":
        found.append({"text": f"{op.hlo.opcode} among XLA's opcodes", "url": _OPCODES})
    return found
