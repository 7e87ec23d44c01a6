"""Runs that begin in the middle: the entry function split between two operations.

The first part returns the values that the second part reads. The second part is the program without the first
part's operations; their results that it reads become arguments of its entry function, with their names and
source locations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .errors import InputError
from .ir.attributes import Attribute
from .ir.module import Begin, Function, Module, Operation, Value
from .ir.types import TensorType, TokenType, TupleType, Type
from .limits import Limits
from .ops import op_table
from .outside_results import Bindings
from .program import BoundFunction, BoundOperation, BoundProgram
from .verifier import verify

Kind = Literal["computed", "constant", "given", "token"]
"""Source of a value: computed by the first part, a literal, bound by the user, or empty."""
MAIN = "main"


@dataclass(frozen=True)
class StartPosition:
    """The start of a run, before an operation of the entry function."""

    position: int
    """Number of operations of the entry function before it."""
    line: int
    note: str = ""
    """The reason for a difference from the requested position."""


@dataclass(frozen=True)
class ForwardedValue:
    """A value of the first part that the second part reads."""

    value: Value
    maker: BoundOperation
    index: int
    """Index among its results."""
    kind: Kind


@dataclass(frozen=True)
class Split:
    """An entry function in two parts."""

    program: BoundProgram
    function: BoundFunction
    start: StartPosition
    forwarded: tuple[ForwardedValue, ...]
    """In the order of creation."""
    needed: tuple[BoundOperation, ...]
    """The operations that the forwarded values depend on."""
    bound: tuple[ForwardedValue, ...]
    """Bound results that the first part reads, which become its arguments."""

    @property
    def computed(self) -> tuple[ForwardedValue, ...]:
        """The results of the first part, in order."""
        return tuple(found for found in self.forwarded if found.kind == "computed")

    def before(self) -> Module:
        """The first part as a program in the same language."""
        function, program = self.function.function, self.program
        assert function.body is not None
        block = function.body.block
        bound = tuple(found.value for found in self.bound)
        results = tuple(found.value for found in self.computed)
        operations = [found.operation for found in self.needed]
        if program.module.language == "hlo":  # HLO has a single root
            root = Value("%forwarded", TupleType(tuple(value.type for value in results)))
            operations.append(Operation("stablehlo.tuple", results, (root,), opcode="tuple"))
            results = (root,)
        operations.append(replace(block.operations[-1], operands=results, operand_spans=()))
        arguments = (*function.arguments, *bound)
        body = replace(block, arguments=arguments, operations=tuple(operations))
        main = replace(
            function,
            name=MAIN,
            visibility="public",
            arguments=arguments,
            result_types=tuple(value.type for value in results),
            body=replace(function.body, blocks=(body,)),
            argument_attributes=_longer(function, len(bound)),
            result_attributes=(),
        )
        others = (found for found in program.module.functions if found is not function and found.name != MAIN)
        return replace(program.module, functions=(*others, main))

    def rest(self, by: str, limits: Limits) -> BoundProgram:
        """The second part as a program with the text of the whole; `by` names the first engine."""
        function, module = self.function.function, self.program.module
        assert function.body is not None
        block = function.body.block
        begin = Begin(self.start.line, tuple(found.kind for found in self.forwarded), by)
        values = tuple(found.value for found in self.forwarded)
        arguments = (*function.arguments, *values)
        body = replace(block, arguments=arguments, operations=block.operations[self.start.position :])
        later = replace(
            function,
            arguments=arguments,
            body=replace(function.body, blocks=(body,)),
            argument_attributes=_longer(function, len(values)),
            begin=begin,
        )
        changed = tuple(later if found is function else found for found in module.functions)
        verified = verify(replace(module, functions=changed), op_table(), limits)
        if verified.program is None:
            problems = [found.message for found in verified.diagnostics if found.severity == "error"]
            raise InputError(f"@{function.name} cannot begin at line {self.start.line}: {problems[0]}")
        return verified.program

    def bindings_of(self, rest: BoundProgram, bindings: Bindings) -> Bindings:
        """The user's bindings, by the op numbers of the second part."""
        numbers = {id(bound.operation): bound.id for bound in rest.ops}
        places = {number: numbers.get(id(self.program.ops[number].operation)) for number in bindings}
        return {new: bindings[old] for old, new in places.items() if new is not None}


def _longer(function: Function, count: int) -> tuple[Mapping[str, Attribute], ...]:
    """Argument attributes, extended for additional arguments; empty if there are none."""
    stated = function.argument_attributes
    return (*stated, *({} for _ in range(count))) if stated else ()


# Positions


def find_start(program: BoundProgram, function: BoundFunction, wanted: int | str) -> StartPosition:
    """Find the start for a line or a value name; raise `InputError` if there is none.

    Within a region, it is before the operation with that region. Within another function, it is before the
    first operation of the entry function that calls it, and the note says so.
    """
    if not any(found is function.function for found in program.module.functions):
        raise InputError(f"@{function.function.name} is in an inner module, where a run cannot begin later")
    bound = (
        _op_on_line(program, function, wanted)
        if isinstance(wanted, int)
        else _op_named(program, function, wanted)
    )
    position = _position_of(program, function, bound)
    line = program.line_of(program.blocks[function.block].operations[position].id)
    if bound.block == function.block:
        return StartPosition(position, line)
    inner = program.blocks[bound.block].function
    where = f"in @{inner}" if inner != function.function.name else "in a region"
    asked = program.line_of(bound.id)
    return StartPosition(
        position,
        line,
        f"line {asked} is {where}: the recording begins before line {line}, the last position of @{function.function.name} before it",
    )


def _op_on_line(program: BoundProgram, function: BoundFunction, line: int) -> BoundOperation:
    """The first operation on the line or, in the entry function, after it."""
    here = [bound for bound in program.ops if program.line_of(bound.id) == line]
    if here:
        return next((bound for bound in here if bound.block == function.block), here[0])
    later = [bound for bound in program.blocks[function.block].operations if program.line_of(bound.id) > line]
    lines = [program.line_of(bound.id) for bound in program.blocks[function.block].operations]
    if not later or line < program.module.source.line_and_column(function.function.span.start)[0]:
        raise InputError(
            f"no operation of @{function.function.name} is on line {line} or after it",
            hint=f"Its operations are on lines {min(lines)} to {max(lines)}.",
        )
    return min(later, key=lambda bound: program.line_of(bound.id))


def _op_named(program: BoundProgram, function: BoundFunction, name: str) -> BoundOperation:
    """The operation that makes a value of that name, preferably in the entry function."""
    wanted = "%" + name.strip().removeprefix("%")
    found = [
        program.ops[maker.op]
        for number, maker in program.makers.items()
        if maker.op is not None and program.values[number].name in (wanted, f"{wanted}#0")
    ]
    if not found:
        raise InputError(
            f"no operation makes {wanted}", hint="Name a value of the program, such as %5, or a line."
        )
    return next((bound for bound in found if bound.block == function.block), found[0])


def _position_of(program: BoundProgram, function: BoundFunction, wanted: BoundOperation) -> int:
    """The first operation of the entry function that is, contains or calls the wanted one."""
    for position, bound in enumerate(program.blocks[function.block].operations):
        if bound is wanted or (bound.id != wanted.id and wanted.id in _inside(program, bound)):
            return position
    raise InputError(
        f"@{function.function.name} never comes to line {program.line_of(wanted.id)}, which is in @{program.blocks[wanted.block].function}"
    )


def _inside(program: BoundProgram, bound: BoundOperation) -> set[int]:
    """The operations that run within an operation."""
    seen: set[int] = set()
    waiting = [bound]
    while waiting:
        current = waiting.pop()
        block = program.blocks[current.block]
        callees = () if current.op.outside else current.op.callees()
        called = [program.find_callee(block, callee.name).block for callee in callees]
        for number in (*current.regions, *called):
            inner = [found for found in program.blocks[number].operations if found.id not in seen]
            seen |= {found.id for found in inner}
            waiting += [found for found in inner if found.regions or found.op.callees()]
    return seen


# Forwarded values


def split_at(program: BoundProgram, function: BoundFunction, wanted: int | str, bindings: Bindings) -> Split:
    """Split the entry function at a line or value, or earlier if values cannot be forwarded."""
    start = find_start(program, function, wanted)
    operations = program.blocks[function.block].operations
    makers = {number: (bound, index) for bound in operations for index, number in enumerate(bound.results)}
    positions = {bound.id: position for position, bound in enumerate(operations)}
    asked, stuck = start.position, ""
    while True:
        forwarded = _alive(program, operations, makers, positions, start.position, bindings)
        held = next(
            (
                found
                for found in forwarded
                if found.kind == "computed" and not _can_be_forwarded(found.value.type)
            ),
            None,
        )
        if held is None:
            break
        stuck = stuck or f"{held.value.name} is a {held.value.type}, which only the run itself can have"
        start = replace(start, position=positions[held.maker.id])
    if start.position != asked:
        line = program.line_of(operations[start.position].id)
        told = f"{stuck}: the recording begins before line {line}"
        start = replace(start, line=line, note="; ".join(filter(None, [start.note, told])))
    computed = {found.maker.id for found in forwarded if found.kind == "computed"}
    needed = _cone(program, operations[: start.position], computed, bindings)
    _check_outside(program, needed)
    read = {number for bound in needed for number in program.values_read(bound)}
    outside = tuple(
        ForwardedValue(program.values[number], bound, index, "given")
        for number, (bound, index) in makers.items()
        if number in read and bound.id in bindings
    )
    return Split(program, function, start, forwarded, tuple(needed), outside)


def _check_outside(program: BoundProgram, needed: Sequence[BoundOperation]) -> None:
    for bound in needed:
        if bound.op.outside is not None:
            raise InputError(
                f"what comes before needs {bound.op.outside}, line {program.line_of(bound.id)}, which code outside the program makes",
                hint="Give its result to the run, or begin before it.",
            )


def _alive(
    program: BoundProgram,
    operations: Sequence[BoundOperation],
    makers: Mapping[int, tuple[BoundOperation, int]],
    positions: Mapping[int, int],
    position: int,
    bindings: Bindings,
) -> tuple[ForwardedValue, ...]:
    """The values that are alive at a position."""
    read = {number for bound in operations[position:] for number in program.values_read(bound)}
    return tuple(
        ForwardedValue(
            program.values[number], bound, index, _kind_of(bound, program.values[number].type, bindings)
        )
        for number, (bound, index) in makers.items()
        if number in read and positions[bound.id] < position
    )


def _kind_of(bound: BoundOperation, type: Type, bindings: Bindings) -> Kind:
    if isinstance(type, TokenType):
        return "token"
    if bound.id in bindings:
        return "given"
    return "constant" if bound.op.traits.is_constant and bound.op.outside is None else "computed"


def _can_be_forwarded(type: Type) -> bool:
    if isinstance(type, TupleType):
        return all(map(_can_be_forwarded, type.types))
    return isinstance(type, TensorType) and None not in type.shape


def _cone(
    program: BoundProgram, operations: Sequence[BoundOperation], wanted: set[int], bindings: Bindings
) -> list[BoundOperation]:
    """The operations that the wanted values depend on, in order, without bound ones."""
    needed, read = [], set[int]()
    for bound in reversed(operations):
        if bound.id not in bindings and (bound.id in wanted or not read.isdisjoint(bound.results)):
            needed.append(bound)
            read |= set(program.values_read(bound))
    return needed[::-1]
