"""Run HLO text by XLA's code generation alone, past all passes.

XLA calls a hook for a replacement module after its own passes. So a *carrier* of the same signature is compiled,
and the hook returns the intended module. The hook runs after copy insertion, which the module therefore skips:
results of programs with loops, and of programs that return a value twice, are right only if their text is of a later stage.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

import jaxlib


def _found(*names: str) -> Any:
    """The first of several modules that exists."""
    for name in names:
        with suppress(ImportError):
            return import_module(name)
    return None


# Before jaxlib 0.10.2 the one was a part of another module, and the other did not exist.
hlo = _found("jaxlib._hlo", "jaxlib._jax")
extension = _found("jax.extend.xla")

_substitutes: list[bytes] = []
"""At most one module, which replaces the compiled carrier."""
_NAMES = {
    "PRED": "i1",
    "C64": "complex<f32>",
    "C128": "complex<f64>",
    **{f"S{bits}": f"i{bits}" for bits in (2, 4, 8, 16, 32, 64)},
    **{f"U{bits}": f"ui{bits}" for bits in (2, 4, 8, 16, 32, 64)},
    **{name.upper(): name for name in ("bf16", "f16", "f32", "f64")},
    **{
        name.upper(): name
        for name in ("f8E5M2", "f8E4M3", "f8E4M3FN", "f8E3M4", "f8E4M3B11FNUZ", "f8E5M2FNUZ", "f8E4M3FNUZ")
    },
    **{name.upper(): name for name in ("f8E8M0FNU", "f4E2M1FN")},
}


def register() -> None:
    """Register the hook with XLA, after copy insertion and before its scheduler."""
    if extension is not None:
        extension.register_hlo_module_transformation(
            lambda _: _substitutes[0] if _substitutes else None, name="hloscope", platforms="cpu"
        )


@contextmanager
def carrier_of(text: str) -> Iterator[str]:
    """StableHLO of the signature of HLO text; compiling it within the block compiles that text."""
    if extension is None:
        raise ValueError(
            f"jaxlib {jaxlib.__version__} runs no HLO text as it is written; 0.10.2 is the first that does"
        )
    proto = hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
    _substitutes.append(proto)
    try:
        yield _carrier(hlo.XlaComputation(proto).program_shape())
    finally:
        _substitutes.clear()


def _carrier(signature: Any) -> str:
    found = signature.result_shape()
    results = list(found.tuple_shapes()) if found.is_tuple() else [found]
    parameters = ", ".join(f"%a{k}: {_type(shape)}" for k, shape in enumerate(signature.parameter_shapes()))
    types = ", ".join(map(_type, results))
    lines = [
        f"%r{k} = stablehlo.constant dense<{_element(shape)}> : {_type(shape)}"
        for k, shape in enumerate(results)
    ]
    names = ", ".join(f"%r{k}" for k in range(len(results)))
    end = f"return {names} : {types}" if results else "return"
    return f"func.func @main({parameters}) -> ({types}) {{\n" + "\n".join([*lines, end]) + "\n}\n"


def _type(shape: Any) -> str:
    sizes = "".join(f"{size}x" for size in shape.dimensions())
    return f"tensor<{sizes}{_NAMES[shape.xla_element_type().name]}>"


def _element(shape: Any) -> str:
    name = shape.xla_element_type().name
    if 0 in shape.dimensions():
        return ""
    if name == "PRED":
        return "true"
    if name.startswith("C"):
        return "(1.0, 0.0)"
    return "1.0" if name.startswith(("F", "BF")) else "1"
