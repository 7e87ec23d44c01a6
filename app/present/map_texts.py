"""Index maps as text for the command line: headings, value names, runtime variable sources."""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from hloscope.engine.chains import Chains, Leaf, leaf_name, leaf_type
from hloscope.engine.indexing import OperandMap, Style, by_pair, print_operand_map, simplify
from hloscope.engine.ir.layouts import Layout
from hloscope.engine.ir.module import Operation
from hloscope.engine.ir.types import TensorType, Type
from hloscope.engine.ops import op_table
from hloscope.engine.program import BoundProgram
from hloscope.engine.syntax import NotHlo, print_operation
from hloscope.engine.syntax.hlo.hlo_printer import print_instruction
from hloscope.engine.syntax.hlo.values.print_shapes import print_shape

TITLE_CHARACTERS = 600
"""Maximum characters of an op's title; a constant may have megabytes."""


@dataclass(frozen=True)
class MapGroup:
    """The union of all maps between one operand and one result in one direction."""

    inverse: bool
    operand: int
    operand_name: str
    result: int
    result_name: str
    items: Sequence[OperandMap]
    is_outer: bool = False
    """Whether it is a value around the op that the op's regions read, not an operand."""
    is_part: bool = False
    """Whether it is a part of a tuple."""

    @property
    def given(self) -> str:
        """The operand's name in XLA's tools; a part of a tuple also has its own name."""
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
    """The maps of each pair, ordered by result and operand; with `inverse`, the other way round.

    Numbers from `operand_count` on are no operands, but values around the op that its regions read. `parts` are
    the operands that are parts of tuples.
    """
    groups = by_pair(maps)
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
    """`operand id = k ` and the map, in the format in which XLA prints an instruction's maps."""
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
    """Simplify the maps, including variables of one value, as XLA's tools do before printing."""
    return [item.with_placed(simplify(item.placed)) for item in items]


def map_lines(items: Iterable[OperandMap], style: Style, describe: Callable[[int], str]) -> Iterator[str]:
    """The maps of a union without repeats, each with its process and its reservations."""
    yield from dict.fromkeys(_map_text(item, style, describe) for item in items)


def _map_text(item: OperandMap, style: Style, describe: Callable[[int], str]) -> str:
    text = print_operand_map(item, style, describe)
    return "\n".join([text, *reservations(item)])


WIDER = "over-approximation: may hold elements that no run reads"
UNDECIDED = "data-dependent: whether a run reads it depends on the branch taken or the trip count"


def reservations(item: OperandMap) -> Iterator[str]:
    """The reasons why the map is not exactly what every run reads."""
    if item.enclosing:
        yield WIDER
    if item.undecided:
        yield UNDECIDED


def title(operation: Operation) -> str:
    """The op in the program's language, on one line; long constants and tables are shortened."""
    if operation.opcode:
        return _without_middle(print_instruction(operation))
    text = print_operation(operation, op_table()).strip()
    first, _, rest = text.partition("\n")
    return _without_middle(f"{first} …" if rest else first)


def _without_middle(text: str) -> str:
    """Cut the middle: the start names the op, the end its types."""
    kept = TITLE_CHARACTERS // 2
    return text if len(text) <= TITLE_CHARACTERS else f"{text[:kept]} … {text[-kept:]}"


def source_text(chains: Chains, style: Style, number: int) -> str:
    """A source of chains, with the calls around it."""
    source = chains.sources.source(number)
    if source.leaf is None:
        return chains.sources.name(number)
    text = value_text(chains.program, source.leaf, style)
    name = leaf_name(chains.program, source.leaf)
    return text + chains.sources.name(number).removeprefix(name)


def value_text(program: BoundProgram, leaf: Leaf, style: Style) -> str:
    """The text of a value in either style.

    `of1 = s32[] parameter(1)` in the style of 2024, `parameter(1)` or `%of1` in XLA's;
    `%i : tensor<i32>` of MLIR.
    """
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
    """The type with an explicit row-major layout, which a text without a layout means."""
    if isinstance(found, TensorType) and found.rank and found.layout is None:
        return replace(found, layout=Layout(tuple(reversed(range(found.rank)))))
    return found
