"""The oracle's commands about HLO text: XLA parses and prints it, its verifier judges it, its CPU backend runs it.

A module runs in one of two ways. Either XLA's importer makes StableHLO and MHLO of it, which XLA compiles as
what any framework hands over; layouts are lost on the way. Or the module takes the place of another one of the
same signature when XLA has optimised that: then it runs as it is written, layouts and fusions included, if the
backend knows all its ops. XLA's verifier looks at the module in between.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import jax
import numpy as np
from jax._src import compiler, xla_bridge
from jax.extend import xla as extension
from jaxlib import _hlo, _jax

from .framing import Array
from .quick import with_emitters

Answer = tuple[dict[str, Any], list[Array]]
VERIFIED = "during context ["
"""Part of each message of XLA's verifier."""
_MLIR_NAMES = {
    "PRED": "i1",
    "C64": "complex<f32>",
    "C128": "complex<f64>",
    **{f"S{bits}": f"i{bits}" for bits in (2, 4, 8, 16, 32, 64)},
    **{f"U{bits}": f"ui{bits}" for bits in (2, 4, 8, 16, 32, 64)},
    **{
        name.upper(): name for name in ("bf16", "f16", "f32", "f64", "f8E5M2", "f8E4M3", "f8E4M3FN", "f8E3M4")
    },
    **{name.upper(): name for name in ("f8E4M3B11FNUZ", "f8E5M2FNUZ", "f8E4M3FNUZ", "f8E8M0FNU", "f4E2M1FN")},
}
_substitutes: list[bytes] = []
"""At most one: the module that takes the place of what is compiled."""
_stopping: list[bool] = []
"""Whether to compile no farther than to the verifier: some modules keep the backend busy for ever."""


_NEEDS_EMITTERS = re.compile(r"fnuz|cbrt|clamp.*i1>|pred\S* clamp\(", re.IGNORECASE)
"""What quick compilation lacks or gets wrong: denormals and NaN of some types, cube roots of f64, clamped booleans."""


def parse_hlo(head: dict[str, Any], _: list[Array]) -> Answer:
    """XLA's own print of the module."""
    module = _hlo.hlo_module_from_text(head["text"])
    options = _hlo.HloPrintOptions()
    options.print_large_constants = True
    return {"text": module.to_string(options)}, []


def print_hlo(head: dict[str, Any], _: list[Array]) -> Answer:
    """HLO text of a program of StableHLO, in one of the styles that XLA prints in."""
    computation = _jax.mlir.mlir_module_to_xla_computation(
        head["text"], use_tuple_args=False, return_tuple=False
    )
    options = _hlo.HloPrintOptions
    chosen = {"plain": options, "short": options.short_parsable, "canonical": options.canonical}[
        head["style"]
    ]()
    chosen.print_large_constants = True
    return {"text": computation.get_hlo_module().to_string(chosen)}, []


def verify_hlo(head: dict[str, Any], _: list[Array]) -> Answer:
    """`refused`: what XLA's verifier says, or `None`; whether the backend could run the module is another matter."""
    module = _hlo.hlo_module_from_text(head["text"])
    _stopping.append(True)
    try:
        _exchanged(module, head["text"])
    except RuntimeError as error:
        return {"refused": str(error) if VERIFIED in str(error) else None}, []
    finally:
        _stopping.clear()
    return {"refused": None}, []


def hlo_opcodes(_: dict[str, Any], __: list[Array]) -> Answer:
    """XLA's own list, in its own spelling: `kAddDependency`."""
    return {"names": [name for name in dir(_hlo.HloOpcode) if name.startswith("k")]}, []


def run_hlo(head: dict[str, Any], arrays: list[Array]) -> Answer:
    """The results of the entry computation, tuples taken apart; `emitted` says in which way it is run."""
    compiled = _emitted if head["emitted"] else _compiled
    if "rng-get-and-update-state" in head["text"]:  # which an executable goes on with when it runs again
        compiled.cache_clear()
    executable = compiled(head["text"])
    results = executable.execute_sharded([jax.device_put(array) for array in arrays])
    return {}, [np.asarray(part[0]) for part in results.disassemble_into_single_device_arrays()]


@lru_cache(maxsize=16)
def _compiled(text: str) -> Any:
    module = _hlo.hlo_module_from_text(text)
    computation = _hlo.XlaComputation(module.as_serialized_hlo_module_proto())
    return _compile(_jax.mlir.xla_computation_to_mlir_module(computation), text)


@lru_cache(maxsize=16)
def _emitted(text: str) -> Any:
    return _exchanged(_hlo.hlo_module_from_text(text), text)


def _exchanged(module: Any, text: str) -> Any:
    """Compiles another module of the same signature, whose place this one takes."""
    with in_the_place_of(module) as host:
        return _compile(host, text)


@contextmanager
def in_the_place_of(module: Any) -> Iterator[str]:
    """The text of a module of the same signature: whoever compiles it now has compiled `module`."""
    proto = module.as_serialized_hlo_module_proto()
    _substitutes.append(proto)
    try:
        yield _host(_hlo.XlaComputation(proto).program_shape())
    finally:
        _substitutes.clear()


def _compile(module: str, text: str) -> Any:
    backend = xla_bridge.get_backend("cpu")
    devices = _jax.DeviceList(tuple(backend.devices()[:1]))
    return backend.compile_and_load(module, devices, compile_options(text))


def compile_options(text: str) -> Any:
    """The options with which a program of this text is compiled for one device."""
    options = compiler.get_compile_options(1, 1)
    if _NEEDS_EMITTERS.search(text):
        options.env_option_overrides = list(with_emitters().items())
    return options


def _host(signature: Any) -> str:
    """A module of the same signature that returns constants."""
    found = signature.result_shape()
    results = list(found.tuple_shapes()) if found.is_tuple() else [found]
    arguments = ", ".join(f"%a{k}: {_mlir(shape)}" for k, shape in enumerate(signature.parameter_shapes()))
    types = ", ".join(map(_mlir, results))
    lines = [
        f"%r{k} = stablehlo.constant dense<{_one(shape)}> : {_mlir(shape)}" for k, shape in enumerate(results)
    ]
    names = ", ".join(f"%r{k}" for k in range(len(results)))
    end = f"return {names} : {types}" if results else "return"
    return f"func.func @main({arguments}) -> ({types}) {{\n" + "\n".join([*lines, end]) + "\n}\n"


def _mlir(shape: Any) -> str:
    sizes = "".join(f"{size}x" for size in shape.dimensions())
    return f"tensor<{sizes}{_element(shape)}>"


def _element(shape: Any) -> str:
    return _MLIR_NAMES[shape.xla_element_type().name]


def _one(shape: Any) -> str:
    if 0 in shape.dimensions():
        return ""
    element = _element(shape)
    if element.startswith("complex"):
        return "(1.0, 0.0)"
    return "true" if element == "i1" else "1" if "i" in element else "1.0"


def _exchange(_: bytes) -> bytes | None:
    return _substitutes[-1] if _substitutes else None


def _stop(_: bytes) -> bytes | None:
    if _stopping:
        raise RuntimeError("verified")
    return None


def prepare() -> None:
    """To be called once, before anything is compiled."""
    extension.register_hlo_module_transformation(_exchange, name="exchange", platforms="cpu")
    late = extension.PipelineStage.POST_SCHEDULER
    extension.register_hlo_module_transformation(_stop, name="stop", stage=late, platforms="cpu")


COMMANDS = {
    "parse_hlo": parse_hlo,
    "print_hlo": print_hlo,
    "verify_hlo": verify_hlo,
    "run_hlo": run_hlo,
    "hlo_opcodes": hlo_opcodes,
}
