"""The process that XLA runs in: reads questions from a socket, answers them, and may die of any of them.

It needs jax, NumPy and nothing else of ours than how arrays travel, so that it also runs in the environment of another jaxlib.
"""

from __future__ import annotations

import os
import resource
import socket
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import jax
import jaxlib
import numpy as np
from jaxlib import _jax
from jaxlib import xla_client as xc

from ..workers.confine import die_with_parent
from ..workers.framing import Channel, Frame
from . import emitted
from .arrays import Array, pack_arrays, unpack_arrays
from .emitted import hlo

Answer = tuple[dict[str, Any], list[Array]]
Overrides = tuple[tuple[str, Any], ...]
KEPT_EXECUTABLES = 16


def main(arguments: list[str]) -> None:
    """`child SOCKET PARENT ADDRESS_SPACE`: answer until the socket is closed; bytes of address space, 0 for no limit."""
    number, parent, address_space = map(int, arguments)
    die_with_parent(parent)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if address_space:
        resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    emitted.register()
    with socket.socket(fileno=number) as connection:
        channel = Channel(connection)
        while (frame := channel.receive()) is not None:
            message, arrays = _answer(frame)
            heads, buffers = pack_arrays(arrays)
            channel.send({**message, "arrays": heads}, buffers)


def _answer(frame: Frame) -> Answer:
    head = frame.message
    try:
        return QUESTIONS[head["question"]](head, unpack_arrays(head["arrays"], frame.buffers))
    except MemoryError:
        return {"out_of_memory": True}, []
    except Exception as error:
        if "RESOURCE_EXHAUSTED" in str(error) or "Out of memory" in str(error):
            return {"out_of_memory": True}, []
        return {"refused": str(error).strip() or type(error).__name__}, []


def _versions(_: Mapping[str, Any], __: list[Array]) -> Answer:
    platform = jax.devices()[0].platform
    return {"jax": jax.__version__, "jaxlib": jaxlib.__version__, "platform": platform}, []


def _run(head: Mapping[str, Any], arrays: list[Array]) -> Answer:
    """The results of a program on one device."""
    return {}, _results(_compiled(head["text"], _overrides(head)), arrays)


def _run_emitted(head: Mapping[str, Any], arrays: list[Array]) -> Answer:
    """The results of HLO text as it is written."""
    return {}, _results(_compiled_as_written(head["text"], _overrides(head)), arrays)


def _optimize(head: Mapping[str, Any], _: list[Array]) -> Answer:
    """What XLA's passes make of a program, constants whole."""
    (module,) = _compiled(head["text"], _overrides(head)).hlo_modules()
    options = hlo.HloPrintOptions()
    options.print_large_constants = True
    return {"text": module.to_string(options)}, []


QUESTIONS: Mapping[str, Callable[[Mapping[str, Any], list[Array]], Answer]] = {
    "versions": _versions,
    "run": _run,
    "run_emitted": _run_emitted,
    "optimize": _optimize,
}


def _overrides(head: Mapping[str, Any]) -> Overrides:
    return tuple((name, value) for name, value in head.get("overrides", {}).items())


def _results(executable: Any, arrays: list[Array]) -> list[Array]:
    results = executable.execute_sharded([jax.device_put(array) for array in arrays])
    return [np.asarray(parts[0]) for parts in results.disassemble_into_single_device_arrays()]


@lru_cache(maxsize=KEPT_EXECUTABLES)
def _compiled(text: str, overrides: Overrides) -> Any:
    return _compile(_as_stablehlo(text), overrides)


@lru_cache(maxsize=KEPT_EXECUTABLES)
def _compiled_as_written(text: str, overrides: Overrides) -> Any:
    with emitted.carrier_of(text) as carrier:
        return _compile(carrier, overrides)


def _as_stablehlo(text: str) -> str | bytes:
    if not text.lstrip().startswith("HloModule"):
        return text
    proto = hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
    converted: bytes = _jax.mlir.hlo_to_stablehlo(proto)
    return converted


def _compile(program: str | bytes, overrides: Overrides) -> Any:
    options = xc.CompileOptions()
    options.env_option_overrides = list(overrides)
    client = jax.devices()[0].client
    return client.compile_and_load(program, _jax.DeviceList(tuple(jax.devices()[:1])), options)


if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    main(sys.argv[1:])
