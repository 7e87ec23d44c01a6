"""Lookup of a program's operations by the names of their results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from hloscope.engine.chains import run_blocks
from hloscope.engine.ir.types import TupleType
from hloscope.engine.program import BoundOperation, BoundProgram

from ...base.failure import Failure


def executed_blocks(program: BoundProgram, block: int) -> list[int]:
    """A block and the blocks that its ops execute, in order: called functions, branches, loops.

    Excludes the bodies of reduce and similar ops, whose ops have no values for single elements.
    """
    found: dict[int, None] = {}
    waiting = [block]
    while waiting:
        current = waiting.pop()
        if current in found:
            continue
        found[current] = None
        inner = [
            each.id for bound in program.blocks[current].operations for each in run_blocks(program, bound)
        ]
        waiting.extend(reversed(inner))
    return list(found)


def find_operations(
    program: BoundProgram, block: int, wanted: str
) -> list[tuple[BoundOperation, int | None]]:
    """The ops whose results have a name, with the number of the result if the name has one.

    `%x` and `x` are the same; `%x#1` is a separate result, or element 1 of a tuple; `@f:%x` is one of function
    `f`. Ops of the block itself come first. Raises `Failure` with similar names if there is none.
    """
    function, colon, name = wanted.rpartition(":")
    chosen = function.removeprefix("@")
    name = name.removeprefix("%")
    named = list(_names(program))
    if colon and chosen not in program.functions:
        near = _suggestion(chosen, program.functions)
        raise Failure(f"the program has no function @{chosen}{near}")
    found = [
        (bound, number)
        for known, bound, number in named
        if known == name and (not colon or program.blocks[bound.block].function == chosen)
    ]
    own = {program.blocks[block].function, chosen}
    here = [item for item in found if program.blocks[item[0].block].function in own]
    if here or found:
        return here or found
    arguments = (value for each in program.blocks for value in each.arguments)
    if name in {program.values[value].name.removeprefix("%") for value in arguments}:
        raise Failure(f"%{name} is an argument: no op computes it, so it reads nothing")
    near = _suggestion(name, dict.fromkeys(known for known, _, _ in named if not known.endswith("#0")), "%")
    raise Failure(f"no op of the program computes %{name}{near}")


def _suggestion(name: str, known: Iterable[str], sign: str = "@") -> str:
    near = get_close_matches(name, list(known), 3, 0.5)
    return f"; did you mean {' or '.join(f'{sign}{each}' for each in near)}?" if near else ""


def _names(program: BoundProgram) -> Iterator[tuple[str, BoundOperation, int | None]]:
    for bound in program.ops:
        results = bound.operation.results
        for number, value in enumerate(results):
            name = value.name.removeprefix("%")
            whole, hash_sign, _ = name.partition("#")
            if hash_sign:
                yield name, bound, number
                if number == 0:
                    yield whole, bound, None
                continue
            yield name, bound, None
            if isinstance(value.type, TupleType) and len(results) == 1:
                for element in range(len(value.type.types)):
                    yield f"{name}#{element}", bound, element
            elif len(results) == 1:
                yield f"{name}#0", bound, None
