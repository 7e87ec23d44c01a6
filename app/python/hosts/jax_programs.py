"""Functions and program objects of JAX, at every stage on the way to XLA, with their inputs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from hloscope.engine.errors import InputError

from . import jax_adapter
from .host_program import HostArgument, HostCallback, HostProgram, Kind, Stage, with_notes
from .leaves import (
    Leaf,
    argument_of,
    has_value,
    is_array,
    is_traced,
    joining,
    leaves_of,
    names_of_tree,
    value_of,
)

_LOCATED_ARGUMENT = re.compile(r'%arg\d+: (?:(?!%arg\d+: ).)*?loc\("((?:[^"\\]|\\.)*)"')
INSTALL = "pip install 'hloscope[xla]'"


@dataclass(frozen=True)
class Call:
    """The arguments of a call, and the options of `jax.jit` for it."""

    arguments: Sequence[Any] = ()
    named: Mapping[str, Any] = field(default_factory=dict)
    jit: Mapping[str, Any] = field(default_factory=dict)
    """`static_argnums`, `static_argnames`: for a function that is not jitted yet."""
    gathers: bool = False
    """Whether the values of arguments are gathered from the hosts that have parts of them."""

    def of(self, leaves: Sequence[Leaf]) -> Call:
        """The same call of a function with these flat arguments."""
        return Call([leaf.value for leaf in leaves], gathers=self.gathers)

    @property
    def is_empty(self) -> bool:
        """Whether there are no arguments."""
        return not self.arguments and not self.named


def program_of_jax(kind: Kind, value: Any, call: Call, stage: Stage) -> HostProgram:
    """The program of an object of JAX, Equinox or Flax, or of any function that JAX can trace."""
    jax = import_jax()
    match kind:
        case "function":
            return _of_function(jax, value, call, stage)
        case "jitted":
            return _of_jitted(value, call, stage)
        case "traced":
            return _of_lowered(value.lower(), _names_of_traced(value), call, stage, value.fun_name)
        case "lowered":
            return _of_lowered(value, None, call, stage)
        case "wrapped_lowered":
            return _of_lowered(value.lowered, None, call, stage)
        case "compiled":
            return _of_compiled(value, call, stage)
        case "exported":
            return _of_exported(jax, value, call, stage)
        case "jaxpr":
            function = jax.extend.core.jaxpr_as_fun(value)
            given = call.arguments or value.in_avals
            lowered = jax.jit(function, keep_unused=True).lower(*given)
            return _of_lowered(lowered, list(value.jaxpr.debug_info.arg_names), call, stage, "jaxpr")
        case _:
            raise AssertionError(kind)


def import_jax() -> Any:
    """Import JAX; `InputError` if it is not installed."""
    try:
        import jax
        import jax.export
        import jax.extend
    except ImportError:
        raise InputError(
            "a function is traced by JAX, which is not installed", hint=f"Type `{INSTALL}`."
        ) from None
    _hide_ourselves()
    return jax


@cache
def _hide_ourselves() -> None:
    """Exclude our files from the source locations of ops, which are the user's."""
    from jax.extend import source_info_util

    source_info_util.register_exclusion(str(Path(__file__).parents[2]))


# Functions.


def _of_function(jax: Any, function: Callable[..., Any], call: Call, stage: Stage) -> HostProgram:
    leaves, tree = leaves_of(function, call.arguments, call.named)
    if call.jit or all(is_traced(leaf.value) for leaf in leaves):
        return _of_jitted(jax.jit(function, **call.jit), call, stage)
    return _of_leaves(jax, function, leaves, tree, stage, is_traced, call)


def _of_leaves(
    jax: Any,
    function: Callable[..., Any],
    leaves: Sequence[Leaf],
    tree: Any,
    stage: Stage,
    is_dynamic: Callable[[Any], bool],
    call: Call,
) -> HostProgram:
    """Lower a function some of whose arguments are not arrays: these become constants."""
    chosen = [leaf for leaf in leaves if is_dynamic(leaf.value)]

    def called(*dynamic: Any) -> Any:
        values = iter(dynamic)
        merged = [next(values) if is_dynamic(leaf.value) else leaf.value for leaf in leaves]
        arguments, named = jax.tree_util.tree_unflatten(tree, merged)
        return function(*arguments, **named)

    called.__name__ = called.__qualname__ = _name_of(function)
    given = call.of(chosen)
    traced = _trace(jax.jit(called), given)
    names = [leaf.name for leaf in chosen]
    return _of_lowered(traced.lower(), names, given, stage, _name_of(function))


def _of_jitted(jitted: Any, call: Call, stage: Stage) -> HostProgram:
    if type(jitted).__module__.startswith("equinox"):
        leaves, tree = leaves_of(jitted.__wrapped__, call.arguments, call.named)
        return _of_leaves(import_jax(), jitted.__wrapped__, leaves, tree, stage, is_array, call)
    if type(jitted).__module__.startswith("flax"):
        return _of_wrapper(jitted, call, stage)
    traced = _trace(jitted, call)
    return _of_lowered(traced.lower(), _names_of_traced(traced), call, stage, traced.fun_name, jitted)


def _of_wrapper(jitted: Any, call: Call, stage: Stage) -> HostProgram:
    """Lower a function with its library's wrapper: its leaves are the user's, in the same order."""
    lowered = _explained(lambda: jitted.lower(*call.arguments, **call.named)).lowered
    leaves = [
        leaf for leaf in leaves_of(jitted.__wrapped__, call.arguments, call.named)[0] if is_traced(leaf.value)
    ]
    wanted = [info for _, info in names_of_tree(None, lowered.args_info)]
    if [tuple(getattr(leaf.value, "shape", ())) for leaf in leaves] != [tuple(info.shape) for info in wanted]:
        raise InputError(
            f"the arguments of {_name_of(jitted.__wrapped__)} are not those that {type(jitted).__module__.partition('.')[0]} has made of them",
            hint="Give a function of jax.jit, of arrays and trees of arrays.",
        )
    names = [leaf.name for leaf in leaves]
    found = _of_lowered(lowered, names, call.of(leaves), stage, _name_of(jitted.__wrapped__))
    # Before its own result it returns the new states of its modules.
    return replace(found, join=lambda results: found.join(results)[-1])


def _trace(jitted: Any, call: Call) -> Any:
    if not hasattr(jitted, "trace"):
        raise InputError(f"{type(jitted).__name__} is not a function that JAX traces")
    return _explained(lambda: jitted.trace(*call.arguments, **call.named))


def _explained(trace: Callable[[], Any]) -> Any:
    """The result of `trace`; if a function rejects its arguments, an error with a hint."""
    jax = import_jax()
    try:
        return trace()
    except jax.errors.ConcretizationTypeError as error:
        raise InputError(
            f"the function decides by the value of an argument, which JAX does not know while it traces: {_first_line(error)}",
            hint='Name such an argument: static_argnames="training".',
        ) from error


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def _name_of(function: Any) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _names_of_traced(traced: Any) -> list[str]:
    return list(traced.jaxpr.jaxpr.debug_info.arg_names)


# Lowered programs.


def _of_lowered(
    lowered: Any, names: list[str] | None, call: Call, stage: Stage, name: str = "", function: Any = None
) -> HostProgram:
    infos = names_of_tree(function, lowered.args_info)
    kept = jax_adapter.kept_arguments(lowered)
    flat = names or _names_of_text(lowered.as_text(debug_info=True), [told for told, _ in infos], kept)
    arguments = tuple(
        argument_of(flat[number], info, number in kept) for number, (_, info) in enumerate(infos)
    )
    text, inputs = _text_of(lowered, stage), _inputs_of(lowered, infos, flat, kept, call, function)
    callbacks = tuple(
        HostCallback(index, jax_adapter.callback_name(called), called)
        for index, called in enumerate(jax_adapter.host_callbacks(lowered))
    )
    unused = [argument for argument in arguments if not argument.used]
    named = _with_names(text, lowered, arguments) if names is not None and stage == "stablehlo" else text
    return HostProgram(
        with_notes(named, unused), name or _module_name(lowered), stage, arguments, inputs, callbacks,
        joining(lowered.out_info), lowered,
    )  # fmt: skip


def _text_of(lowered: Any, stage: Stage) -> str:
    match stage:
        case "stablehlo":
            return str(lowered.as_text(debug_info=True))
        case "hlo":
            return jax_adapter.hlo_text(lowered)
        case _:
            return jax_adapter.optimized_text(lowered.compile())


def _with_names(text: str, lowered: Any, arguments: Sequence[HostArgument]) -> str:
    """The text with the user's argument names, if the function was lowered under others."""
    old = _names_in(text)
    new = [argument.name for argument in arguments if argument.used]
    if len(old) != len(new):
        return text
    for before, after in zip(old, new, strict=True):
        if before != after:
            text = text.replace(f'loc("{before}"', f'loc("{_escaped(after)}"')
    return text


def _names_in(text: str) -> list[str]:
    """The names in the locations of the arguments of `@main`."""
    for function in ("private @_wrapped_jax_export_main(", "public @main("):
        head = next((line for line in text.splitlines() if f"func.func {function}" in line), "")
        if found := _LOCATED_ARGUMENT.findall(head.partition(") -> ")[0]):
            return list(found)
    return []


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', "\\22")


def _module_name(lowered: Any) -> str:
    try:
        name = str(lowered.compiler_ir().operation.attributes["sym_name"]).strip('"')
    except (AttributeError, KeyError):
        return "program"
    return name.removeprefix("jit_")


def _inputs_of(
    lowered: Any, infos: Sequence[tuple[str, Any]], names: Sequence[str], kept: frozenset[int], call: Call,
    function: Any,
) -> tuple[Any, ...] | None:  # fmt: skip
    """The values of the program's arguments; `InputError` if they differ from the lowered ones."""
    if call.is_empty and infos:
        return None
    given = _dynamic_leaves(lowered, names, call, function)
    if not all(map(has_value, given)):
        return None
    return tuple(
        value_of(leaf, names[number], info.dtype, gathers=call.gathers)
        for number, (leaf, (_, info)) in enumerate(zip(given, infos, strict=True))
        if number in kept
    )


def _dynamic_leaves(lowered: Any, names: Sequence[str], call: Call, function: Any) -> list[Any]:
    """The leaves of a call without static arguments, which the program's own tree lacks."""
    jax = import_jax()
    whole = (tuple(call.arguments), dict(call.named))
    if jax.tree_util.tree_structure(whole) == lowered.in_tree:
        return list(jax.tree_util.tree_leaves(whole))
    leaves, _ = leaves_of(function, call.arguments, call.named)
    if len(leaves) == len(names):
        return [leaf.value for leaf in leaves]
    by_name = {leaf.name: leaf.value for leaf in leaves}
    if not set(names) <= set(by_name):
        raise InputError(
            f"the program takes {', '.join(names) or 'no arrays'}, and {', '.join(by_name) or 'nothing'} is given",
            hint="Give what the function was lowered with, without static arguments.",
        )
    return [by_name[name] for name in names]


def program_of_call(
    jaxpr: Any, flat: Sequence[Any], name: str, names: Sequence[str] | None, out_tree: Any
) -> HostProgram:
    """The program of an observed call: its jaxpr, with its arguments."""
    jax = import_jax()
    lowered = jax.jit(jax.extend.core.jaxpr_as_fun(jaxpr), keep_unused=True).lower(*flat)
    known = list(names) if names is not None and len(names) == len(flat) else None
    found = _of_lowered(lowered, known, Call(flat), "stablehlo", name)
    if out_tree is None:
        return found
    return replace(found, join=joining(jax.tree_util.tree_unflatten(out_tree, list(lowered.out_info))))


# Compiled and exported programs.


def _of_compiled(compiled: Any, call: Call, stage: Stage) -> HostProgram:
    if stage != "optimized":
        raise InputError(
            f"a Compiled no longer has a program of the stage '{stage}', only XLA's result",
            hint='Take stage="optimized", or give what it was compiled from, `jax.jit(f).lower(…)`.',
        )
    infos = names_of_tree(None, compiled.args_info)
    kept = jax_adapter.kept_by_compiled(compiled)
    names = [name for name, _ in infos]
    arguments = tuple(argument_of(name, info, number in kept) for number, (name, info) in enumerate(infos))
    inputs = _inputs_of(compiled, infos, names, kept, call, None)
    text = jax_adapter.optimized_text(compiled)
    unused = [argument for argument in arguments if not argument.used]
    return HostProgram(
        with_notes(text, unused),
        _hlo_name(text),
        stage,
        arguments,
        inputs,
        (),
        joining(compiled.out_info),
        compiled,
    )


def _hlo_name(text: str) -> str:
    return text.removeprefix("HloModule ").partition(",")[0].strip().removeprefix("jit_") or "program"


def _of_exported(jax: Any, exported: Any, call: Call, stage: Stage) -> HostProgram:
    tree = jax.tree_util.tree_unflatten(exported.in_tree, exported.in_avals)
    infos = names_of_tree(None, tree)
    is_open = any(not isinstance(size, int) for aval in exported.in_avals for size in aval.shape)
    if is_open and call.is_empty:
        raise InputError(
            f"{exported.fun_name} is exported with open sizes: {', '.join(str(aval) for aval in exported.in_avals)}",
            hint="Give arguments, or jax.ShapeDtypeStruct of those sizes.",
        )
    given = call if not call.is_empty else Call(*tree)
    lowered = _explained(lambda: jax.jit(exported.call).lower(*given.arguments, **given.named))
    settled = jax_adapter.refined_text(lowered) if is_open else None
    if settled is not None and stage != "stablehlo":
        raise InputError(
            f"an export with open sizes is shown as stablehlo, not as {stage}",
            hint=f'Export {exported.fun_name} with the sizes of the arguments for stage="{stage}".',
        )
    flat = [value for _, value in names_of_tree(None, (tuple(given.arguments), dict(given.named)))]
    kept = frozenset(exported.module_kept_var_idx)
    in_program = jax_adapter.kept_arguments(lowered)
    names = _names_of_text(exported.mlir_module(), [name for name, _ in infos], kept)
    arguments = tuple(
        argument_of(names[number], value, number in in_program)
        for number, value in enumerate(_described(jax, flat))
    )
    inputs = None if call.is_empty and infos else _inputs_of(lowered, infos, names, in_program, call, None)
    return HostProgram(
        _with_names(settled or _text_of(lowered, stage), lowered, arguments), exported.fun_name, stage, arguments, inputs, (),
        joining(lowered.out_info), lowered,
    )  # fmt: skip


def _described(jax: Any, leaves: Sequence[Any]) -> list[Any]:
    return [jax.typeof(leaf) if has_value(leaf) else leaf for leaf in leaves]


def _names_of_text(text: str, names: Sequence[str], kept: frozenset[int]) -> list[str]:
    """The argument names in a text, and those of `names` that it leaves out."""
    told = _names_in(text)
    if len(told) != len(kept):
        return list(names)
    known = iter(told)
    return [next(known) if number in kept else name for number, name in enumerate(names)]


def program_of_lowered(
    lowered: Any, names: Sequence[str], call: Call, stage: Stage, name: str
) -> HostProgram:
    """The program of a `Lowered` of flat arguments with these names."""
    return _of_lowered(lowered, list(names), call, stage, name)
