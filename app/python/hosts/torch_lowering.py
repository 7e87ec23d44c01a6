"""Run PyTorch graphs in JAX, op by op, with the user's source line and the module's scope."""

from __future__ import annotations

import _thread
import queue
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import CodeType, FunctionType
from typing import Any

from hloscope.engine.errors import InputError

from . import jax_adapter, torch_adapter
from .jax_programs import import_jax

_MOST_FRAMES = 8
"""Maximum number of user frames recorded for an op; JAX records ten."""


def lowered_graph(
    module: Any, inputs: Sequence[Any], constants: Mapping[int, Any], drawn: Sequence[str], name: str
) -> Any:
    """Lower a graph in JAX, called with arrays or shapes; a `Lowered`.

    `inputs` are those of the placeholders without `constants`, which are keyed by their numbers; after them
    those of the nodes in `drawn`, whose random numbers have been drawn already. Results that are not tensors
    are left out.
    """
    jax = import_jax()
    torch_adapter.import_torchax()
    runner = _runner()

    def called(*values: Any) -> Any:
        given = iter(values[: len(values) - len(drawn)])
        count = sum(node.op == "placeholder" for node in module.graph.nodes)
        placed = [constants[at] if at in constants else next(given) for at in range(count)]
        known = dict(zip(drawn, values[len(values) - len(drawn) :], strict=True))
        results = runner(module, known).run(*placed, enable_io_processing=False)
        flat = results if isinstance(results, tuple | list) else (results,)
        return tuple(result for result in flat if hasattr(result, "dtype"))

    def lower() -> Any:
        # PyTorch's default integers have 64 bits.
        with jax.enable_x64(True):
            whole = jax_adapter.inlined(jax.make_jaxpr(called)(*inputs))
            whole.__name__ = whole.__qualname__ = "".join(part if part.isalnum() else "_" for part in name)
            return jax.jit(whole).lower(*inputs)

    return _without_callers(lower)


def _without_callers(function: Callable[[], Any]) -> Any:
    """Call `function` in a separate thread, so that no other frames precede the graph's."""
    told: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()

    def work() -> None:
        try:
            told.put((function(), None))
        except BaseException as error:
            told.put((None, error))

    _thread.start_new_thread(work, ())
    found, error = told.get()
    if error is not None:
        raise error
    return found


@cache
def _runner() -> Any:
    """The class that runs a graph; created on demand, because PyTorch is imported on demand."""
    import torch.fx

    jax = import_jax()

    class Runner(torch.fx.Interpreter):  # type: ignore[misc]
        def __init__(self, module: Any, drawn: Mapping[str, Any]) -> None:
            super().__init__(module)
            self._drawn = drawn
            self.extra_traceback = False  # PyTorch would put it into messages

        def run_node(self, node: Any) -> Any:
            if node.name in self._drawn:
                return self._drawn[node.name]
            if node.op in ("placeholder", "output"):
                return super().run_node(node)
            run = super().run_node
            scope = "/".join([*torch_adapter.modules_of(node), node.name])
            with jax.named_scope(scope):
                return _at(torch_adapter.frames_of(node), lambda: _as_declared(run(node), node))

        def call_function(self, target: Any, arguments: Any, named: Any) -> Any:
            if not hasattr(target, "overloadpacket"):
                return _called(target, arguments, named)
            lowering = torch_adapter.lowering_of(target)
            return _called(lowering, arguments, named, target) if lowering is not None else None

        def get_attr(self, target: Any, arguments: Any, named: Any) -> Any:
            found = super().get_attr(target, arguments, named)
            return torch_adapter.array_of(found) if isinstance(found, torch.Tensor) else found

    return Runner


def _called(function: Callable[..., Any], arguments: Any, named: Any, target: Any = None) -> Any:
    try:
        return function(*arguments, **named)
    except InputError:
        raise
    except Exception as error:
        told = str(error).strip().partition("\n")[0]
        raise InputError(
            f"torchax cannot trace {target or function}: {type(error).__name__}: {told:.500}",
            hint="hloscope is tested with "
            + torch_adapter.TESTED.replace("==", " ").replace(" t", ", t", 1)
            + ".",
        ) from error


def _as_declared(result: Any, node: Any) -> Any:
    """A result cast to the dtype that PyTorch declares: torchax computes some in another."""
    declared = node.meta.get("val")
    if isinstance(result, tuple | list):
        if not isinstance(declared, tuple | list):
            return result
        return tuple(_cast(part, wanted) for part, wanted in zip(result, declared, strict=False))
    return _cast(result, declared)


def _cast(result: Any, declared: Any) -> Any:
    wanted = getattr(declared, "dtype", None)
    if wanted is None or not hasattr(result, "astype"):
        return result
    dtype = torch_adapter.jax_dtype(wanted)
    return result if result.dtype == dtype else result.astype(dtype)


def _at(frames: Sequence[torch_adapter.Frame], function: Callable[[], Any]) -> Any:
    """Call `function` as if from these source positions, so that JAX records them."""
    for frame in reversed(frames[-_MOST_FRAMES:]):
        function = _calling(frame, function)
    return function()


def _calling(frame: torch_adapter.Frame, function: Callable[[], Any]) -> Callable[[], Any]:
    def call() -> Any:
        return _caller(frame)(function)

    return call


@cache
def _caller(frame: torch_adapter.Frame) -> Callable[[Callable[[], Any]], Any]:
    """A one-line function at this source position that calls its argument."""
    code: CodeType = _ONE_LINE.replace(
        co_filename=frame.file,
        co_firstlineno=frame.line,
        co_name=frame.function,
        co_qualname=frame.function,
        co_linetable=_positions(len(_ONE_LINE.co_code) // 2, frame.columns),
    )
    return FunctionType(code, {}, frame.function)


def _positions(units: int, columns: tuple[int, int]) -> bytes:
    """The location table that maps all code units to these columns of the first line.

    The format is that of "Objects/locations.md" of CPython.
    """
    place = bytes(
        [0, 0, *_number(columns[0] + 1), *_number(columns[1] + 1)]
    )  # the same line, to the same line
    lengths = [8] * (units // 8) + ([units % 8] if units % 8 else [])
    return b"".join(bytes([0x80 | _LONG_FORM << 3 | length - 1]) + place for length in lengths)


def _number(value: int) -> list[int]:
    """A varint in groups of six bits, lowest first; all but the last are marked."""
    groups = [value & 63]
    while value := value >> 6:
        groups[-1] |= 64
        groups.append(value & 63)
    return groups


_LONG_FORM = 14
_ONE_LINE: CodeType = (lambda function: function()).__code__
