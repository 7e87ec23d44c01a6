"""The oracle's process: reads commands on standard input, answers on standard output.

A failure inside an interpreted program aborts the process, so nothing else may live in it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import jax
import numpy as np
from jax._src import xla_bridge
from jax._src.interpreters import mlir
from jaxlib import _jax, lapack
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import chlo, mhlo, stablehlo

from .frameworks.exporting import exported, exported_as_hlo, exported_for, op_by_op
from .framing import Array, read_message, write_message
from .grid_process import COMMANDS as GRID_COMMANDS
from .hlo_process import COMMANDS as HLO_COMMANDS
from .hlo_process import compile_options, prepare
from .many_threads import pretend
from .sharded.exporting import of_name, of_recipe
from .tilings_of_jax import boxes

Answer = tuple[dict[str, Any], list[Array]]
_CHLO_TO_STABLEHLO = "builtin.module(func.func(chlo-legalize-to-stablehlo,shape-legalize-to-stablehlo))"

_TO_MHLO = "builtin.module(stablehlo-legalize-to-hlo,func.func(chlo-legalize-to-hlo))"


def _parse(head: dict[str, Any], _: list[Array]) -> Answer:
    module = ir.Module.parse(head["text"])
    module.operation.verify()
    generic = module.operation.get_asm(print_generic_op_form=True)
    return {"generic": generic, "short": module.operation.get_asm()}, []


def _fold(head: dict[str, Any], _: list[Array]) -> Answer:
    """What MLIR computes while it compiles."""
    module = ir.Module.parse(head["text"])
    passmanager.PassManager.parse("builtin.module(canonicalize)").run(module.operation)
    return {"text": module.operation.get_asm()}, []


def _as_mhlo(head: dict[str, Any], _: list[Array]) -> Answer:
    """The program as MLIR prints it, and in MHLO, into which XLA's own passes turn it."""
    with mlir.make_ir_context() as context, ir.Location.unknown():
        mhlo.register_mhlo_dialect(context)
        module = ir.Module.parse(head["text"])
        given = module.operation.get_asm()
        if head.get("read_only"):
            return {"given": given, "mhlo": given}, []
        passmanager.PassManager.parse(_TO_MHLO).run(module.operation)
        return {"given": given, "mhlo": module.operation.get_asm()}, []


def _interpret(head: dict[str, Any], arrays: list[Array]) -> Answer:
    """Runs `main` on the reference interpreter; `seconds` is what the run alone took."""
    module = ir.Module.parse(head["text"])
    if "chlo." in head["text"]:
        passmanager.PassManager.parse(_CHLO_TO_STABLEHLO).run(module.operation)
    arguments = [ir.DenseElementsAttr.get(np.asarray(array, order="C")) for array in arrays]
    begin = perf_counter()
    results = stablehlo.eval_module(module, arguments)
    seconds = perf_counter() - begin
    return {"seconds": seconds}, [np.array(result) for result in results]


def _xla(head: dict[str, Any], arrays: list[Array]) -> Answer:
    """Compiles for the CPU and runs `repetitions` times; `seconds` has each run's time."""
    backend = xla_bridge.get_backend("cpu")
    module = ir.Module.parse(head["text"])
    devices = _jax.DeviceList(tuple(backend.devices()[:1]))
    begin = perf_counter()
    executable = backend.compile_and_load(module, devices, compile_options(head["text"]))
    compile_seconds = perf_counter() - begin
    buffers = [jax.device_put(array) for array in arrays]
    seconds = []
    results: list[Array] = []
    for _ in range(head.get("repetitions", 1)):
        begin = perf_counter()
        parts = executable.execute_sharded(buffers).disassemble_into_single_device_arrays()
        results = [np.asarray(part[0]) for part in parts]
        seconds.append(perf_counter() - begin)
    return {"seconds": seconds, "compile_seconds": compile_seconds}, results


def _export(head: dict[str, Any], _: list[Array]) -> Answer:
    """A program that JAX prints; its inputs and what XLA computes of them, one after the other."""
    text, inputs, results = exported(head["name"])
    return {"text": text, "inputs": len(inputs)}, [*inputs, *results]


def _export_hlo(head: dict[str, Any], _: list[Array]) -> Answer:
    """A program of JAX as StableHLO and as HLO before and after optimisation, or for another platform; inputs and results."""
    if "platform" in head:
        text, inputs, results = exported_for(head["name"], head["platform"])
        return {"texts": [text], "inputs": len(inputs)}, [*inputs, *results]
    texts, inputs, results = exported_as_hlo(head["name"])
    return {"texts": texts, "inputs": len(inputs)}, [*inputs, *results]


def _export_sharded(head: dict[str, Any], _: list[Array]) -> Answer:
    """A program for several devices, in three texts; its inputs, its results, and each device's part of these."""
    if "recipe" in head:
        found = of_recipe(head["recipe"], head["partitioner"])
    else:
        found = of_name(head["name"], head["partitioner"])
    arrays = (found.inputs, found.results, found.pieces, found.input_pieces)
    head = {"texts": found.texts, "counts": list(map(len, arrays))}
    return head, [array for part in arrays for array in part]


def _op_by_op(head: dict[str, Any], _: list[Array]) -> Answer:
    return {"seconds": op_by_op(head["name"], head["repetitions"])}, []


_COMMANDS: dict[str, Callable[[dict[str, Any], list[Array]], Answer]] = {
    "parse": _parse,
    "fold": _fold,
    "as_mhlo": _as_mhlo,
    "interpret": _interpret,
    "xla": _xla,
    "export": _export,
    "export_hlo": _export_hlo,
    "export_sharded": _export_sharded,
    "op_by_op": _op_by_op,
    "boxes": boxes,
    **HLO_COMMANDS,
    **GRID_COMMANDS,
}


def _answer(head: dict[str, Any], arrays: list[Array]) -> Answer:
    try:
        return _COMMANDS[head["command"]](head, arrays)
    except (ir.MLIRError, ValueError, RuntimeError) as error:
        return {"error": str(error)}, []


def _load_quantized_types(context: Any) -> None:
    """The dialect of quantized types has no Python module: reading an artifact loads it."""
    version = stablehlo.get_current_version()
    artifact = stablehlo.serialize_portable_artifact(ir.Module.parse("module {}"), version)
    stablehlo.deserialize_portable_artifact(context, artifact)


def main() -> None:
    """Answers until the pipe closes."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever else is printed must not meet the answers
    jax.config.update("jax_enable_x64", True)
    prepare()
    if "--many-threads" in sys.argv:
        pretend()
    lapack.prepare_lapack_call("potrf_ffi", np.float32)  # loads LAPACK, which XLA calls in vain otherwise
    context = mlir.make_ir_context()
    stablehlo.register_interpreter_dialect(context)
    stablehlo.register_stablehlo_passes()
    mhlo.register_mhlo_passes()
    assert chlo is not None  # imported for its dialect
    with context, ir.Location.unknown(context):
        _load_quantized_types(context)
        while True:
            try:
                head, arrays = read_message(sys.stdin.buffer)
            except EOFError:
                return
            write_message(answers, *_answer(head, arrays))


if __name__ == "__main__":
    main()
