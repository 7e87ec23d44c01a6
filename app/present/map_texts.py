"""Index maps as text for the command line: headings, values' names, and what runtime variables are read from."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from hloscope.engine.chains import Chains, Leaf, leaf_name, leaf_type
from hloscope.engine.indexing import OperandMap, Style, print_operand_map, simplify
from hloscope.engine.ir.layouts import Layout
from hloscope.engine.ir.module import Operation
from hloscope.engine.ir.types import TensorType, Type
from hloscope.engine.ops import op_table
from hloscope.engine.program import BoundProgram
from hloscope.engine.syntax import NotHlo, print_operation
from hloscope.engine.syntax.hlo.hlo_printer import print_instruction
from hloscope.engine.syntax.hlo.values.print_shapes import print_shape

TITLE_CHARACTERS = 600
"""So long a line on an op may be: a constant of a program may have megabytes."""


@dataclass(frozen=True)
class MapGroup:
    """All maps between one operand and one result in one direction, which are a union."""

    inverse: bool
    operand: int
    operand_name: str
    result: int
    result_name: str
    items: Sequence[OperandMap]
    is_outer: bool = False
    """Whether it is no operand, but a value around the op that its regions read."""
    is_part: bool = False
    """Whether it is a part of a tuple."""

    @property
    def given(self) -> str:
        """The operand as XLA's tools call it; a part of a tuple by its name, too."""
        if self.is_outer:
            return f"outer value {self.operand_name}"
        return f"operand id = {self.operand}{f' {self.operand_name}' if self.is_part else ''}"


def group_maps(
    maps: Iterable[OperandMap],
    operands: Sequence[str],
    results: Sequence[str],
    *,
    inverse: bool,
    operand_count: int | None = None,
    parts: Container[int] = (),
) -> Iterator[MapGroup]:
    """The maps of each pair, in the order of results and operands; from `inverse` the other way round.

    What comes behind `operand_count` are no operands, but values around the op that its regions read. `parts` are the
    operands that are parts of tuples.
    """
    groups: dict[tuple[int, int], list[OperandMap]] = {}
    for item in maps:
        groups.setdefault((item.operand, item.result), []).append(item)
    order = sorted(groups, key=lambda pair: pair if inverse else (pair[1], pair[0]))
    for operand, result in order:
        names = operands[operand], results[result]
        is_outer = operand_count is not None and operand >= operand_count
        items = groups[operand, result]
        yield MapGroup(inverse, operand, names[0], result, names[1], items, is_outer, operand in parts)


def print_groups(groups: Sequence[MapGroup], style: Style, describe: Callable[[int], str]) -> Iterator[str]:
    """The lines of all groups of one op."""
    several = len({group.result for group in groups}) > 1
    for inverse in (False, True):
        chosen = [group for group in groups if group.inverse is inverse]
        if style is Style.XLA_2024:
            for group in chosen:
                yield document_heading(group, several)
                yield from map_lines(group.items, style, describe)
        else:
            yield from _current(chosen, several, inverse, describe)


def document_heading(group: MapGroup, several: bool) -> str:
    """`output -> input 0, %p0:`."""
    output = f"output {group.result}" if several else "output"
    given = group.given if group.is_outer else f"input {group.operand}, {group.operand_name}"
    return f"{given} -> {output}:" if group.inverse else f"{output} -> {given}:"


def _current(
    groups: Sequence[MapGroup], several: bool, inverse: bool, describe: Callable[[int], str]
) -> Iterator[str]:
    """`operand id = k ` and the map, as XLA prints the maps of an instruction."""
    last = None
    for group in groups:
        output = f"output id = {group.result}"
        outer, inner = (group.given, output) if inverse else (output, group.given)
        if outer != last:
            direction = "input to output" if inverse else "output to input"
            yield f"{direction}, {outer}:" if inverse or several else f"{direction}:"
        last = outer
        first, *rest = map_lines(group.items, Style.CURRENT, describe)
        yield f"{inner} {first}"
        yield from rest


def as_xla_prints(items: Iterable[OperandMap]) -> list[OperandMap]:
    """The maps simplified, variables of one value too: XLA's tools print them so, whatever the op."""
    return [item.with_placed(simplify(item.placed)) for item in items]


def map_lines(items: Iterable[OperandMap], style: Style, describe: Callable[[int], str]) -> Iterator[str]:
    """The maps of a union, each once, with the process that it speaks of and how far it is certain."""
    yield from dict.fromkeys(_map_text(item, style, describe) for item in items)


def _map_text(item: OperandMap, style: Style, describe: Callable[[int], str]) -> str:
    text = print_operand_map(item, style, describe)
    return "\n".join([text, *reservations(item)])


WIDER = "over-approximation: may hold elements that no run reads"
UNDECIDED = "data-dependent: whether a run reads it depends on the branch taken or the trip count"


def reservations(item: OperandMap) -> Iterator[str]:
    """What keeps the map from being exactly what every run reads."""
    if item.enclosing:
        yield WIDER
    if item.undecided:
        yield UNDECIDED


def title(operation: Operation) -> str:
    """The op as the program's language writes it, on one line; long constants and tables without their middle."""
    if operation.opcode:
        return _without_middle(print_instruction(operation))
    text = print_operation(operation, op_table()).strip()
    first, _, rest = text.partition("\n")
    return _without_middle(f"{first} …" if rest else first)


def _without_middle(text: str) -> str:
    """The beginning says which op it is, the end of what types."""
    kept = TITLE_CHARACTERS // 2
    return text if len(text) <= TITLE_CHARACTERS else f"{text[:kept]} … {text[-kept:]}"


def source_text(chains: Chains, style: Style, number: int) -> str:
    """A source of chains, with the calls that it is in."""
    source = chains.sources.source(number)
    if source.leaf is None:
        return chains.sources.name(number)
    text = value_text(chains.program, source.leaf, style)
    name = leaf_name(chains.program, source.leaf)
    return text + chains.sources.name(number).removeprefix(name)


def value_text(program: BoundProgram, leaf: Leaf, style: Style) -> str:
    """`of1 = s32[] parameter(1)` in the style of 2024, `parameter(1)` or `%of1` in XLA's; `%i : tensor<i32>` of MLIR."""
    name = leaf_name(program, leaf)
    made = program.makers.get(leaf.value)
    is_hlo = program.module.language == "hlo"
    is_parameter = made is not None and made.op is None
    if not is_hlo:
        return f"{name} : {leaf_type(program, leaf)}" if style is Style.XLA_2024 else name
    if style is not Style.XLA_2024 or leaf.path or made is None:
        return f"parameter({made.index})" if is_parameter and made and not leaf.path else name
    if is_parameter:
        shape = print_shape(_laid_out(leaf_type(program, leaf)))
        return f"{name.removeprefix('%')} = {shape} parameter({made.index})"
    assert made.op is not None
    try:
        return _without_middle(print_instruction(program.ops[made.op].operation)).replace("%", "")
    except NotHlo:
        return name


def _laid_out(found: Type) -> Type:
    """The type with the layout that a text without one means: row-major."""
    if isinstance(found, TensorType) and found.rank and found.layout is None:
        return replace(found, layout=Layout(tuple(reversed(range(found.rank)))))
    return found
