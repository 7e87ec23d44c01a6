"""All uses of undocumented JAX: one function for each, with a test for each.

If a version of JAX lacks one, `InputError` names it and the version. The caller, who passed a JAX object, has
imported JAX.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from itertools import count as counting
from types import SimpleNamespace
from typing import Any, NoReturn
from weakref import WeakSet

import numpy as np

from hloscope.engine.errors import InputError
from hloscope.engine.passes.protocol_buffers import Message

from ...xla.several_hosts import Hosts

_MOST_CLOSURES = 12
"""Maximum nesting depth of closures searched for a callback's name."""
_MODULE_ID = 5
"""The field of HloModuleProto with the number that XLA gives to the module's files."""
_NOT_IN_FILE_NAMES = re.compile(r"[/\\\[\] ]")
_PIECE = 1 << 24
"""Maximum bytes of a value of the key-value store of `jax.distributed`, whose messages are limited."""
_MOST_SECONDS = 600
"""Timeout for a message of another host."""
_RUNS = counting()
"""Numbers of the recordings on several hosts, which all hosts make in the same order."""
COMPILERS = ("backend_compile_and_load", "backend_compile")
"""Names, by version of JAX, of the function that passes a module to XLA."""


def _lacks(thing: str) -> NoReturn:
    import jax

    raise InputError(
        f"hloscope does not know how JAX {jax.__version__} {thing}",
        hint="Give the text of the program, as `lowered.as_text()` has it; hloscope is tested with JAX 0.10.",
    )


def kept_arguments(lowered: Any) -> frozenset[int]:
    """The flat numbers of the arguments that a `Lowered` keeps; the others are unused."""
    try:
        return frozenset(lowered._lowering.compile_args["kept_var_idx"])
    except (AttributeError, KeyError, TypeError):
        _lacks("says which arguments a program uses")


def kept_by_compiled(compiled: Any) -> frozenset[int]:
    """The same for a `Compiled`."""
    try:
        return frozenset(compiled._executable._kept_var_idx)
    except (AttributeError, TypeError):
        _lacks("says which arguments a compiled program uses")


def host_callbacks(lowered: Any) -> tuple[Callable[..., Sequence[Any]], ...]:
    """The Python functions that a program calls, by the index that its text has for each."""
    try:
        return tuple(lowered._lowering.compile_args["host_callbacks"])
    except (AttributeError, KeyError, TypeError):
        _lacks("keeps the callbacks of a program")


def callback_name(callback: Any) -> str:
    """The user's name of a `host_callbacks` function, or the format of a `jax.debug.print`."""
    seen: set[int] = set()
    waiting = [callback]
    while waiting and len(seen) < _MOST_CLOSURES:
        found = waiting.pop(0)
        if id(found) in seen:
            continue
        seen.add(id(found))
        if isinstance(found, partial) and found.args and isinstance(found.args[0], str):
            return f"jax.debug.print({found.args[0]!r})"
        inner = getattr(found, "callback_func", None)
        if inner is not None:
            return str(getattr(inner, "__qualname__", type(inner).__name__))
        if getattr(found, "__module__", "jax").partition(".")[0] not in ("jax", "jaxlib", "functools"):
            return str(getattr(found, "__qualname__", type(found).__name__))
        waiting += [cell for cell in _cells(found) if callable(cell)]
    return "a Python function"


def _cells(function: Any) -> Iterator[Any]:
    for cell in getattr(function, "__closure__", None) or ():
        try:
            yield cell.cell_contents
        except ValueError:  # empty
            continue


def hlo_text(lowered: Any) -> str:
    """The HLO that JAX passes to XLA, with all constants and source locations."""
    try:
        return str(lowered.compiler_ir("hlo").as_hlo_module().to_string(_print_options()))
    except AttributeError:
        return str(lowered.as_text("hlo"))


def optimized_text(compiled: Any) -> str:
    """The HLO after XLA's passes, with all constants, which `Compiled.as_text` leaves out."""
    try:
        (module,) = compiled.runtime_executable().hlo_modules()
        return str(module.to_string(_print_options()))
    except (AttributeError, ValueError):
        _lacks("prints what XLA has compiled")


def _print_options() -> Any:
    try:
        from jaxlib import _hlo
    except ImportError:
        _lacks("prints HLO")
    options = _hlo.HloPrintOptions()
    options.print_large_constants = True
    return options


def refined_text(lowered: Any) -> str:
    """The StableHLO of a program with open sizes, refined by arguments, with assertions checked."""
    try:
        from jax._src.interpreters import mlir
        from jax._src.lib import _jax
        from jaxlib.mlir import ir

        data = mlir.module_to_bytecode(lowered.compiler_ir())
        options = {"enable_shape_assertions": True, "validate_static_shapes": True, "enable_shardy": True}
        refined = _jax.mlir.refine_polymorphic_shapes(data, **options)
        with mlir.make_ir_context():
            return str(ir.Module.parse(refined).operation.get_asm(enable_debug_info=True))
    except (ImportError, AttributeError, TypeError):
        _lacks("settles the open sizes of an export")


def device_order(compiled: Any) -> list[Any]:
    """The devices of a `Compiled`, in the order of its processes."""
    try:
        return list(compiled.runtime_executable().local_devices())
    except AttributeError:
        _lacks("orders the devices of a program")


def several_hosts(lowered: Any) -> Hosts | None:
    """The hosts of a program that `jax.distributed` runs on several; `None` if this process has all of its devices."""
    jax = sys.modules.get("jax")
    if jax is None or jax.process_count() == 1:
        return None
    owners = tuple(device.process_index for device in _devices_of(lowered))
    own = jax.process_index()
    return None if set(owners) == {own} else Hosts(owners, own, _KeyValueExchange(f"hloscope/{next(_RUNS)}"))


def _devices_of(lowered: Any) -> list[Any]:
    """The devices of a `Lowered`, in the order of its processes."""
    import jax

    try:
        arguments = lowered._lowering.compile_args
        shardings = (*arguments["in_shardings"], *arguments["out_shardings"])
        orders = [
            list(each._internal_device_list) for each in shardings if hasattr(each, "_internal_device_list")
        ]
        count = arguments["num_devices"]
    except (AttributeError, KeyError, TypeError):
        _lacks("orders the devices of a program")
    return next((order for order in orders if len(order) == count), jax.devices())[:count]


def results_on_hosts(lowered: Any, inputs: Sequence[Any]) -> tuple[str, dict[int, list[Any]]]:
    """The platform, and the results of each process of this host; every host calls this. `inputs` are whole."""
    import jax

    compiled = lowered.compile()
    try:
        shardings = compiled._executable._in_shardings
        run = compiled.runtime_executable().execute_sharded
    except AttributeError:
        _lacks("runs a program on several hosts")
    given = [
        jax.make_array_from_callback(np.shape(each), sharding, np.asarray(each).__getitem__)
        for each, sharding in zip(inputs, shardings, strict=True)
    ]
    numbers = {device: number for number, device in enumerate(_devices_of(lowered))}
    found: dict[int, list[Any]] = {
        number: [] for device, number in numbers.items() if device.process_index == jax.process_index()
    }
    for parts in run(given).disassemble_into_single_device_arrays():
        for part in parts:
            found[numbers[part.device]].append(np.asarray(part))
    return next(iter(numbers)).platform, found


@dataclass
class _KeyValueExchange:
    """Messages by the key-value store of `jax.distributed`, in pieces."""

    prefix: str

    @property
    def _store(self) -> Any:
        try:
            from jax._src.distributed import global_state

            return global_state.client
        except ImportError:
            _lacks("connects hosts")

    def send(self, key: str, data: bytes) -> None:
        starts = range(0, max(1, len(data)), _PIECE)
        for number, start in enumerate(starts):
            piece = len(starts).to_bytes(4, "little") + data[start : start + _PIECE]
            self._store.key_value_set_bytes(f"{self.prefix}/{key}/{number}", piece)

    def receive(self, key: str) -> bytes:
        first = self._piece(key, 0)
        count = int.from_bytes(first[:4], "little")
        return b"".join([first[4:], *(self._piece(key, number)[4:] for number in range(1, count))])

    def _piece(self, key: str, number: int) -> bytes:
        for _ in range(_MOST_SECONDS):
            # A short wait can be interrupted.
            with suppress(Exception):
                found: bytes = self._store.blocking_key_value_get_bytes(f"{self.prefix}/{key}/{number}", 1000)
                return found
        raise TimeoutError(f"{_MOST_SECONDS} s")

    def end(self) -> None:
        import jax

        with suppress(Exception):  # a host has failed: the messages are dropped with the job
            self._store.wait_at_barrier(f"{self.prefix}/end", _MOST_SECONDS * 1000)
            if jax.process_index() == 0:
                self._store.key_value_delete(f"{self.prefix}/")


def gathered(value: Any) -> Any:
    """An array that lies partly on other hosts, as a whole; every host calls this."""
    from jax.experimental.multihost_utils import process_allgather

    return process_allgather(value, tiled=True)


@contextmanager
def extra_xla_flags(options: Sequence[tuple[str, str | bool]]) -> Iterator[None]:
    """Have JAX pass these options to XLA with every compilation within the block."""
    from importlib import import_module

    compiler = import_module("jax._src.compiler")
    name = next((name for name in COMPILERS if hasattr(compiler, name)), None)
    if name is None:
        _lacks("hands a program to XLA")
    original: Callable[..., Any] = getattr(compiler, name)

    def compile_with_flags(*arguments: Any, **named: Any) -> Any:
        given = named["options"] if "options" in named else _options_of(arguments)
        given.env_option_overrides = [*given.env_option_overrides, *options]
        return original(*arguments, **named)

    setattr(compiler, name, compile_with_flags)
    try:
        yield
    finally:
        setattr(compiler, name, original)


def _options_of(arguments: tuple[Any, ...]) -> Any:
    return next(found for found in arguments if hasattr(found, "env_option_overrides"))


@contextmanager
def watched_executions(spy: Callable[[str, Sequence[Any]], None]) -> Iterator[None]:
    """Report the first execution of each program on several devices in the block to `spy`.

    It receives the module's name in a dump, `module_0003.jit_f`, and the whole arguments, before donation.
    """
    try:
        from jax._src.interpreters.pxla import ExecuteReplicated

        run = ExecuteReplicated.__call__
    except (ImportError, AttributeError):
        _lacks("executes a program")
    reported: WeakSet[Any] = WeakSet()

    def watching(program: Any, *arguments: Any) -> Any:
        # XLA writes snapshots of programs on one device; arguments of mutable arrays are not among `arguments`.
        if len(program._local_devices) > 1 and not program.mut and program not in reported:
            reported.add(program)
            kept = [value for number, value in enumerate(arguments) if number in program.kept_var_idx]
            spy(_name_in_dump(program.xla_executable), kept)
        return run(program, *arguments)

    ExecuteReplicated.__call__ = watching
    try:
        yield
    finally:
        ExecuteReplicated.__call__ = run


def _name_in_dump(executable: Any) -> str:
    (module,) = executable.hlo_modules()
    number = Message(module.as_serialized_hlo_module_proto()).number(_MODULE_ID)
    return f"module_{number:04}.{_NOT_IN_FILE_NAMES.sub('_', module.name)}"


Spy = Callable[[Any, Sequence[Any], Any], Callable[[Sequence[Any]], None] | None]
"""Receives each call of a jitted function before it runs: its info, flat arguments, function.

The function that it returns receives the flat results.
"""


@cache
def _user_context() -> Any:
    """A part of the cache key of compiled functions that does not change their meaning."""
    import jax

    return jax.make_user_context(None)


@contextmanager
def watched_calls(spy: Spy) -> Iterator[None]:
    """Report every outermost call of a jitted function in the block to `spy`, before donation.

    `info.params` has the `jaxpr` and the `name`, `info.arg_names` the names. Each called function is compiled
    once more.
    """

    try:
        from jax._src import core, pjit

        run, fast = pjit._run_python_pjit, pjit._get_fastpath_data
        primitive, inner = pjit.jit_p, pjit.jit_p.impl
        mark = _user_context()
        is_outermost = core.trace_state_clean
    except (ImportError, AttributeError):
        _lacks("calls a jitted function: use hloscope.watch(f) instead")

    is_telling = False

    def tell(listener: Callable[..., Any], *about: Any) -> Any:
        """Call a listener; calls that the listener makes itself are not reported."""
        nonlocal is_telling
        is_telling = True
        try:
            return listener(*about)
        finally:
            is_telling = False

    def watching(info: Any, flat: Sequence[Any], function: Any, arguments: Any, named: Any) -> Any:
        if is_telling or not is_outermost():
            return run(info, flat, function, arguments, named)
        told = tell(spy, info, flat, function)
        found = run(info, flat, function, arguments, named)
        if told is not None:
            tell(told, found[1])
        return found

    def watching_inner(*flat: Any, **params: Any) -> Any:
        """A call that `vmap` or `grad` makes outside of any `jit`."""
        if is_telling:
            return inner(*flat, **params)
        told = tell(spy, SimpleNamespace(params=params, arg_names=None, out_tree=None), flat, None)
        found = inner(*flat, **params)
        if told is not None:
            tell(told, found)
        return found

    pjit._run_python_pjit, pjit._get_fastpath_data = watching, lambda *_, **__: None
    primitive.impl = watching_inner
    try:
        with mark("hloscope"):
            yield
    finally:
        pjit._run_python_pjit, pjit._get_fastpath_data = run, fast
        primitive.impl = inner


def call_of(info: Any) -> Mapping[str, Any]:
    """The jaxpr, the name, the argument names and the result tree of a reported call."""
    try:
        params = info.params
        return {
            "jaxpr": params["jaxpr"],
            "name": params["name"],
            "arguments": info.arg_names,
            "out_tree": info.out_tree,
        }
    except (AttributeError, KeyError):
        _lacks("describes a call")


def is_eager_op(function: Any) -> bool:
    """Whether a call is a JAX function outside of any `jit`: `jnp.log`, or a single op."""
    module = getattr(function, "__module__", None) or ""
    return bool(getattr(function, "_apply_primitive", False)) or module.partition(".")[0] in ("jax", "jaxlib")


_INNER = {"jit": "jaxpr", "pjit": "jaxpr", "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr"}
"""Primitives that call another jaxpr exactly once, with the parameter that holds it."""


def inlined(closed: Any) -> Callable[..., list[Any]]:
    """A jaxpr with its calls inlined: JAX's own functions become part of the calling op.

    Each op within such a call has the source location of the call, not the one where JAX happened to trace it
    first.
    """
    try:
        from jax._src import core, source_info_util

        at = source_info_util.user_context
    except (ImportError, AttributeError):
        _lacks("says where an op comes from")

    def run(jaxpr: Any, constants: Sequence[Any], given: Sequence[Any], caller: Any, scope: Any) -> list[Any]:
        known = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*constants, *given), strict=True))

        def read(variable: Any) -> Any:
            return variable.val if isinstance(variable, core.Literal) else known[variable]

        for equation in jaxpr.eqns:
            told = equation.source_info
            place, names = caller or told.traceback, scope + told.name_stack
            values = [read(variable) for variable in equation.invars]
            inner = equation.params.get(_INNER.get(equation.primitive.name, ""))
            if inner is not None:
                found = run(inner.jaxpr, inner.consts, values, place, names)
            else:
                params = equation.primitive.get_bind_params(equation.params)
                with at(place, name_stack=names), equation.ctx.manager:
                    made = equation.primitive.bind(*values, **params)
                found = made if equation.primitive.multiple_results else [made]
            known.update(zip(equation.outvars, found, strict=True))
        return [read(variable) for variable in jaxpr.outvars]

    def called(*given: Any) -> list[Any]:
        return run(closed.jaxpr, closed.consts, given, None, source_info_util.current_name_stack())

    return called
