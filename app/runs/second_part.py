"""The second part of a split run, which begins with values that were computed before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from hloscope.engine.errors import InputError
from hloscope.engine.ir.types import TupleType, Type
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.values import freeze, token, tuple_of
from hloscope.engine.outside_results import same_results
from hloscope.engine.program_split import ForwardedValue, Split, split_at

from .launching import RunPlan


def begin_again(plan: RunPlan, wanted: int | str, by: str, values: Mapping[str, Array]) -> RunPlan:
    """The run from a position on, with values that XLA has computed."""
    return begin_with_values(plan, split_at(plan.program, plan.function, wanted, plan.bindings), by, values)


def begin_with_values(plan: RunPlan, split: Split, by: str, values: Mapping[str, Array]) -> RunPlan:
    """The second part of a run. Raises `InputError` if a value is missing.

    Its additional arguments follow its own.
    """
    rest, start = split.rest(by, plan.limits), plan.launch()
    inputs = tuple(
        (*own, *(freeze(_value(found, plan, process, values)) for found in split.forwarded))
        for process, own in enumerate(start.inputs)
    )
    return replace(
        plan,
        program=rest,
        function=rest.functions[plan.function.function.name],
        bindings=split.bindings_of(rest, plan.bindings),
        made=replace(start, inputs=inputs),
    )


def _value(found: ForwardedValue, plan: RunPlan, process: int, values: Mapping[str, Array]) -> Array:
    match found.kind:
        case "token":
            return token()
        case "given":
            return same_results(plan.bindings, found.maker.id)[found.index]
        case "constant":
            made = found.maker.op.evaluate()
            return made[found.index] if isinstance(made, tuple) else made
        case "computed":
            names = iter(names_of(found, plan, process))
            return _put_together(found.value.type, names, values)


def _put_together(type: Type, names: Iterator[str], values: Mapping[str, Array]) -> Array:
    if isinstance(type, TupleType):
        return tuple_of([_put_together(part, names, values) for part in type.types])
    name = next(names)
    if name not in values:
        raise InputError(f"the values from before have none for {name}", hint="Have them computed again.")
    array, wanted = values[name], type.element_type.dtype  # type: ignore[attr-defined]
    return array if array.dtype == wanted else array.view(wanted)


def names_of(found: ForwardedValue, plan: RunPlan, process: int) -> Iterator[str]:
    """The names of a value's tensors in a file."""
    grid = plan.grid
    place = "@{},{}".format(*divmod(process, grid.num_partitions)) if grid.num_processes > 1 else ""
    if isinstance(found.value.type, TupleType):
        yield from (f"{found.value.name}.{number}{place}" for number in range(_tensors(found.value.type)))
    else:
        yield f"{found.value.name}{place}"


def _tensors(type: Type) -> int:
    return sum(map(_tensors, type.types)) if isinstance(type, TupleType) else 1
