"""Detect the library of an object from the names of its type, without an import."""

from __future__ import annotations

from typing import Any, Literal

Kind = Literal[
    "function", "jitted", "traced", "lowered", "compiled", "exported", "jaxpr", "wrapped_lowered", "torch", "tensorflow"
]  # fmt: skip
_JAX_STAGES: dict[str, Kind] = {"Traced": "traced", "Lowered": "lowered", "Compiled": "compiled"}


def kind_of(value: Any) -> Kind | None:
    """The library of `value`; `None` for text, bytes, paths, parsed programs and non-callables."""
    module, name = type(value).__module__ or "", type(value).__name__
    library = module.partition(".")[0]
    if library in ("jax", "jaxlib"):
        if name in _JAX_STAGES:
            return _JAX_STAGES[name]
        if name == "Exported":
            return "exported"
        if name in ("ClosedJaxpr", "Jaxpr") and hasattr(value, "consts"):  # one class since jax 0.12
            return "jaxpr"
    if name == "Lowered" and hasattr(value, "lowered"):  # of Equinox and of Flax's NNX
        return "wrapped_lowered"
    if library == "torch" and name == "ExportedProgram":
        return "torch"
    if library == "tensorflow" and hasattr(value, "experimental_get_compiler_ir"):
        return "tensorflow"
    if library == "tensorflow" and name in ("ConcreteFunction", "AtomicFunction"):
        return "tensorflow"
    if not callable(value) or isinstance(value, type):
        return None
    return "jitted" if hasattr(value, "lower") and hasattr(value, "__wrapped__") else "function"
