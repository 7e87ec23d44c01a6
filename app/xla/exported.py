"""Functions that `jax.export` has serialised, as programs of fixed shapes for one platform.

A serialised function is a module and a calling convention. `main` takes the index of the platform first if it was exported
for several, and open sizes as `?`. Only this module uses private parts of jax: `jax._src.export.serialization`
reads the calling convention, `refine_polymorphic_shapes` fixes sizes and checks the assertions on them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax._src.interpreters import mlir
from jaxlib import _jax
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

PLATFORM = "_platform_index"
GLOBAL = "jax.global_constant"
PROPOSED = (*range(2, 33), 64, 96, 128, 256)
"""Candidate sizes, tried in this order until the program's own assertions hold."""
NO_FLATBUFFERS = "the package flatbuffers is not installed"


@dataclass(frozen=True)
class ExportedFunction:
    """A serialised function."""

    name: str
    module: bytes
    """A portable artifact."""
    platforms: tuple[str, ...]
    shapes: tuple[tuple[Any, ...], ...]
    """Shapes of the module's arguments: sizes, numbers or jax's symbolic dimensions."""
    symbols: tuple[str, ...]
    """The names of the open sizes."""
    devices: int
    unused: int
    """Arguments of the function that the module lacks, because nothing reads them."""
    has_gradient: bool


def describe_exported(data: bytes) -> ExportedFunction:
    """The calling convention; names of custom pytree types do not matter, leaves are in order."""
    try:
        from jax._src.export import serialization
    except ImportError:
        raise ValueError(NO_FLATBUFFERS) from None
    serialization._deserialize_pytreedef = _flat_tree
    exported = jax.export.deserialize(bytearray(data))
    kept = exported.module_kept_var_idx
    shapes = tuple(tuple(exported.in_avals[index].shape) for index in kept)
    found: dict[str, None] = {}
    for size in (size for shape in shapes for size in shape if not isinstance(size, int)):
        found |= dict.fromkeys(sorted(size._get_vars()))
    return ExportedFunction(
        exported.fun_name,
        exported.mlir_module_serialized,
        tuple(exported.platforms),
        shapes,
        tuple(found),
        exported.nr_devices,
        len(exported.in_avals) - len(kept),
        exported.has_vjp(),
    )


def _flat_tree(_: Any, leaves: Sequence[Any] = ()) -> Any:
    return jax.tree_util.tree_structure((tuple(range(len(leaves))), {}))


def convert_exported(
    exported: ExportedFunction, module: Any, sizes: Mapping[str, int], platform: str
) -> tuple[Any, dict[str, Any]]:
    """The module for these sizes and this platform, and the choices made for unstated sizes.

    Raises `ValueError` if the function's own assertions refuse the sizes, or there is no such platform or size.
    """
    chosen = _platform(exported, platform)
    _check_names(exported, sizes)
    main = _function(module, "main")
    _name_arguments(module, main)
    _choose_platform(main, exported.platforms.index(chosen))
    found = dict(sizes)
    if exported.symbols:
        module, found = _with_sizes(exported, module, sizes)
    about = {
        "name": exported.name,
        "platforms": exported.platforms,
        "platform": chosen,
        "sizes": {name: found[name] for name in exported.symbols},
        "devices": exported.devices,
        "unused": exported.unused,
        "has_gradient": exported.has_gradient,
    }
    return module, about


def _platform(exported: ExportedFunction, wanted: str) -> str:
    if not wanted:
        return "cpu" if "cpu" in exported.platforms else exported.platforms[0]
    if wanted not in exported.platforms:
        raise ValueError(f"it was exported for {', '.join(exported.platforms)}, not for {wanted}")
    return wanted


def _check_names(exported: ExportedFunction, sizes: Mapping[str, int]) -> None:
    for name in sizes:
        if name not in exported.symbols:
            known = ", ".join(exported.symbols) or "none"
            raise ValueError(f"it leaves no size '{name}' open; those that it leaves open: {known}")


def _function(module: Any, name: str) -> Any:
    """The first function whose name starts so, if any; a module has meshes besides functions."""
    functions = (each for each in module.body.operations if each.operation.name == "func.func")
    return next((each for each in functions if each.name.value.startswith(name)), None)


def _name_arguments(module: Any, main: Any) -> None:
    """Copy argument names to `main` from the function that it wraps, after the sizes."""
    inner = _function(module, "_wrapped_jax_export_main")
    if inner is None:
        return
    ours, theirs = list(main.entry_block.arguments), list(inner.entry_block.arguments)
    for argument, named in zip(reversed(ours), reversed(theirs), strict=False):
        if "unknown" in str(argument.location):
            argument.set_location(named.location)


def _choose_platform(main: Any, index: int) -> None:
    attributes = list(main.arg_attrs)
    if not attributes or GLOBAL not in attributes[0] or attributes[0][GLOBAL].value != PLATFORM:
        return
    block = main.entry_block
    with ir.InsertionPoint.at_block_begin(block), ir.Location.unknown():
        number = stablehlo.constant(ir.DenseElementsAttr.get(np.array(index, np.int32)))
    block.arguments[0].replace_all_uses_with(number)
    block.erase_argument(0)
    _set_type(main, attributes[1:])


def _set_type(main: Any, attributes: Sequence[Any]) -> None:
    inputs = [argument.type for argument in main.entry_block.arguments]
    main.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, main.type.results))
    main.arg_attrs = ir.ArrayAttr.get(list(attributes))


def _with_sizes(
    exported: ExportedFunction, module: Any, given: Mapping[str, int]
) -> tuple[Any, dict[str, int]]:
    """The module with the given sizes, or with the first candidates that its assertions accept."""
    data = mlir.module_to_bytecode(module)
    problem = ""
    for sizes in _proposals(exported.symbols, given):
        try:
            return _refined(exported, ir.Module.parse(data), sizes), sizes
        except Exception as error:  # jaxlib's exception classes have no public common base
            problem = problem or str(error)
    stated = ", ".join(f"{name}={size}" for name, size in given.items())
    free = [name for name in exported.symbols if name not in given]
    others = f", whatever of {PROPOSED[0]} to {PROPOSED[-1]} is taken for {', '.join(free)}" if free else ""
    raise ValueError(f"it does not take {stated or 'any sizes'}{others}: {_told(problem)}")


def _proposals(symbols: Sequence[str], given: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Candidate sizes: first distinct ones per name, easier to tell apart, then equal ones."""
    free = [name for name in symbols if name not in given]
    if not free:
        yield {**given}
        return
    for first in PROPOSED:
        yield {**given, **{name: first + number for number, name in enumerate(free)}}
        if len(free) > 1:
            yield {**given, **dict.fromkeys(free, first)}


def _refined(exported: ExportedFunction, module: Any, sizes: Mapping[str, int]) -> Any:
    main = _function(module, "main")
    block = main.entry_block
    attributes = list(main.arg_attrs)
    arguments = list(block.arguments)[len(block.arguments) - len(exported.shapes) :]
    with ir.InsertionPoint.at_block_begin(block), ir.Location.unknown():
        for argument, shape in zip(arguments, exported.shapes, strict=True):
            _fix_shape(argument, [_number(size, sizes) for size in shape])
    _set_type(main, attributes)
    refined = _jax.mlir.refine_polymorphic_shapes(
        mlir.module_to_bytecode(module),
        enable_shape_assertions=True,
        validate_static_shapes=True,
        enable_shardy=True,
    )
    found = ir.Module.parse(refined)
    _leave_out_leftovers(found)
    return found


def _leave_out_leftovers(module: Any) -> None:
    """Remove redundant conversions of `_fix_shape`, and constants of assertions alone."""
    main = _function(module, "main")
    for operation in list(main.entry_block.operations):
        if operation.operation.name == "stablehlo.constant" and not list(operation.results[0].uses):
            operation.erase()
            continue
        if operation.operation.name != "stablehlo.convert":
            continue
        (before,), (after,) = operation.operands, operation.results
        if before.type == after.type and str(operation.location) == "loc(unknown)":
            after.replace_all_uses_with(before)
            operation.erase()


def _fix_shape(argument: Any, shape: Sequence[int]) -> None:
    """Give an argument a fixed shape, and convert it for the ops that read an open one."""
    before = argument.type
    if not isinstance(before, ir.RankedTensorType) or before.has_static_shape:
        return
    argument.set_type(ir.RankedTensorType.get(shape, before.element_type))
    converted = ir.Operation.create("stablehlo.convert", results=[before], operands=[argument])
    argument.replace_all_uses_except(converted.result, converted)


def _number(size: Any, sizes: Mapping[str, int]) -> int:
    return size if isinstance(size, int) else int(size._evaluate(dict(sizes)))


def _told(problem: str) -> str:
    """The function's own message about sizes, without its frame."""
    found = re.search(r"(?:Input shapes|Expected|Found|Division)[^\n]*", problem)
    words = (found[0] if found else problem).partition(" Using the following polymorphic")[0]
    return words.partition(" Please see")[0].strip()
