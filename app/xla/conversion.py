"""Convert programs in binary forms to text, inside XLA's process.

It runs in that process alone: MLIR's bytecode reader and XLA's protocol buffers are native code, and the
bytes are untrusted.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jaxlib
import numpy as np
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from ..processes.arrays import Array
from .emitted import hlo
from .exported import convert_exported, describe_exported

Answer = tuple[dict[str, Any], list[Array]]
MOST_WORDS = 1000


def convert(head: Mapping[str, Any], arrays: list[Array]) -> Answer:
    """The text of the program in the first array, of the kind in `head`, and facts about it."""
    (data,) = arrays
    text, about = CONVERSIONS[head["kind"]](data.tobytes(), head)
    return {"about": about}, [np.frombuffer(text.encode(), np.uint8)]


def _bytecode(data: bytes, _: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    with mlir.make_ir_context():
        return print_module(ir.Module.parse(data)), {}


def _artifact(data: bytes, _: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    with mlir.make_ir_context() as context:
        return print_module(_deserialize(context, data)), {}


def _export(data: bytes, head: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    with mlir.make_ir_context() as context:
        exported = describe_exported(data)
        module = _deserialize(context, exported.module)
        converted, about = convert_exported(exported, module, head["sizes"], head["platform"])
        return print_module(converted), about


def _hlo_module(data: bytes, _: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    options = hlo.HloPrintOptions()
    options.print_large_constants = True
    return hlo.HloModule.from_serialized_hlo_module_proto(data).to_string(options), {}


CONVERSIONS: Mapping[str, Callable[[bytes, Mapping[str, Any]], tuple[str, dict[str, Any]]]] = {
    "mlir_bytecode": _bytecode,
    "portable_artifact": _artifact,
    "jax_export": _export,
    "hlo_module": _hlo_module,
}


def print_module(module: Any) -> str:
    """The text of an MLIR module, with its locations and all constants."""
    return str(module.operation.get_asm(enable_debug_info=True))


def _deserialize(context: Any, artifact: bytes) -> Any:
    """The module of a portable artifact. Raises `ValueError` with StableHLO's message.

    StableHLO writes the message to standard error alone.
    """
    with _standard_error() as words:
        try:
            return stablehlo.deserialize_portable_artifact(context, artifact)
        except ValueError as error:
            told = words().strip() or str(error)
            newest = f"jaxlib {jaxlib.__version__} reads StableHLO up to {stablehlo.get_current_version()}"
            raise ValueError(f"{told} ({newest})") from None


@contextlib.contextmanager
def _standard_error() -> Iterator[Callable[[], str]]:
    """Capture native code's standard error, at most `MOST_WORDS` bytes."""
    with tempfile.TemporaryFile() as kept:
        before = os.dup(2)
        os.dup2(kept.fileno(), 2)
        try:
            yield lambda: os.pread(kept.fileno(), MOST_WORDS, 0).decode(errors="replace")
        finally:
            os.dup2(before, 2)
            os.close(before)
