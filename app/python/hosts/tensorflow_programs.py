"""Programs of TensorFlow."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from hloscope.engine.errors import InputError

from .host_program import HostArgument, HostProgram, Stage, copied

_TENSORFLOW_STAGES = {"stablehlo": "stablehlo", "hlo": "hlo", "optimized": "optimized_hlo"}


def program_of_tensorflow(
    function: Any, arguments: Sequence[Any], named: dict[str, Any], stage: Stage
) -> HostProgram:
    """The program of a `tf.function(jit_compile=True)` or its concrete function.

    Captured variables come last.
    """
    if stage not in _TENSORFLOW_STAGES:
        raise InputError(
            f"TensorFlow gives no program of the stage '{stage}'", hint="Take stablehlo, hlo or optimized."
        )
    maker = function
    if not hasattr(function, "experimental_get_compiler_ir"):
        # A concrete function: TensorFlow compiles the graph of the tf.function.
        maker = import_module("tensorflow").function(function, jit_compile=True)
    concrete = maker
    if not hasattr(maker, "captured_inputs"):
        concrete = maker.get_concrete_function(*arguments, **named)
    given = list(arguments) + list(named.values())
    try:
        text = maker.experimental_get_compiler_ir(*arguments, **named)(stage=_TENSORFLOW_STAGES[stage])
    except (ValueError, AttributeError, TypeError) as error:
        raise InputError(
            f"TensorFlow does not give the program: {str(error).strip().partition(chr(10))[0]}",
            hint="Give a tf.function(jit_compile=True) and its arguments.",
        ) from error
    text = text.decode() if isinstance(text, bytes) else str(text)
    captured = [_captured_value(value) for value in concrete.captured_inputs]
    inputs = [copied(value.numpy() if hasattr(value, "numpy") else value) for value in given] + captured
    names = [f"args[{number}]" for number in range(len(arguments))] + list(named)
    names += [
        str(getattr(value, "name", f"captured[{number}]")) for number, value in enumerate(concrete.variables)
    ]
    names += [f"captured[{number}]" for number in range(len(names), len(inputs))]
    listed = tuple(
        HostArgument(name, value.shape, str(value.dtype)) for name, value in zip(names, inputs, strict=False)
    )
    return HostProgram(text, str(getattr(function, "__name__", "function")), stage, listed, tuple(inputs))


def _captured_value(captured: Any) -> Any:
    """The array behind a captured input, which is a handle in the case of a variable."""
    if str(getattr(captured, "dtype", "")) == "<dtype: 'resource'>":
        gen = import_module("tensorflow").raw_ops
        handle_data = getattr(captured, "_handle_data", None)
        dtype = handle_data.shape_and_type[0].dtype if handle_data is not None else None
        return copied(gen.ReadVariableOp(resource=captured, dtype=dtype).numpy())
    return copied(captured.numpy())
