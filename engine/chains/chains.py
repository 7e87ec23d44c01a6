"""Links between leaves, composed through ops, blocks and functions."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import chain

from ..indexing import UNDEFINED, IndexMap, Runtime
from ..ir.module import Value
from ..ir.types import TensorType, Type
from ..ops.control_flow.control_flow import Branching, While
from ..ops.sharding.manual_computation import ManualComputation
from ..program import BoundBlock, BoundFunction, BoundOperation, BoundProgram
from .bodies import Body, block_results, bodies, body_blocks, has_bodies
from .crossings import argument_crossings, group, identity, map_links, result_crossings
from .folding import fold
from .forwarding import forwarded_leaf, own_maps
from .leaves import Leaf, leaf_shape, leaves, operand_leaves, result_leaves
from .loops import LoopLinks
from .sources import Sources, ValueSource, sources_of
from .unions import (
    Link,
    Links,
    Union,
    compose_links,
    everything,
    mark_undecided,
    normalize_link,
    rename_sources,
)


class Chains:
    """All links of one program, computed on demand.

    Links go from results to operands, with `inverse` from operands to results. `static_form` gives an op with
    the sizes known from a run. With `folds`, runtime variables that the program determines are substituted.
    `entry` is the function that runs, by default the program's entry; nothing is known of its arguments.
    """

    def __init__(
        self,
        program: BoundProgram,
        static_form: Callable[[int], BoundOperation] | None = None,
        *,
        folds: bool = False,
        entry: BoundFunction | None = None,
    ) -> None:
        self.program = program
        self.entry = entry or program.entry
        self.sources = Sources(program, self.entry)
        self.static_form, self.folds = static_form, folds
        self.answers: dict[int, object] = {}
        """Caller-owned results derived from the links of each op, cached alongside."""
        self._links_of_ops: dict[tuple[int, bool], Links] = {}
        self._links_of_blocks: dict[tuple[int, bool], Links] = {}
        self._open = tuple(bound.id for bound in program.ops if bound.dynamic) if static_form else ()
        self._shown: list[object] = []

    def refresh(self) -> None:
        """Discard composed links if the run has determined more sizes."""
        if not self._open or self.static_form is None:
            return
        found = [self.static_form(number) for number in self._open]
        shown = list(map(shown_sizes, found))
        if shown != self._shown:
            self._shown = shown
            self.program = program_with_sizes(self.program, found)
            self._links_of_ops.clear()
            self._links_of_blocks.clear()

    def operation(self, number: int) -> BoundOperation:
        """The op, in its static form if a run has determined its sizes."""
        return self.static_form(number) if self.static_form else self.program.ops[number]

    def operation_links(self, bound: BoundOperation, *, inverse: bool = False) -> Links:
        """Links from each result leaf of an op to its operand leaves and captured values.

        The operands may differ from those of the program's op.
        """
        self._make_ready([bound.id], inverse)
        if bound.operands == self.program.ops[bound.id].operands:
            return self._operation_links(bound.id, inverse)
        return self._compose_bodies(bound, inverse) if has_bodies(bound) else self._own_links(bound, inverse)

    def block_links(self, block: int, *, inverse: bool = False) -> Links:
        """Links from each leaf that a block returns to its arguments and captured values."""
        found = self.program.blocks[block]
        self._make_ready([op.id for op in found.operations], inverse)
        return self._block_links(found, inverse)

    def walk(self, reached: Union, block: BoundBlock, *, inverse: bool = False) -> Union:
        """Extend `reached` by all links through the ops of a block."""
        self._make_ready([op.id for op in block.operations], inverse)
        for bound in block.operations if inverse else reversed(block.operations):
            of_op = (
                self._operation_links(bound.id, inverse) if self._is_reached(bound, reached, inverse) else {}
            )
            for leaf, onwards in of_op.items():
                for link in reached.to(leaf):
                    reached.extend(compose_links(link, each) for each in onwards)
        return reached

    def captured_values(self, number: int) -> tuple[int, ...]:
        """The outer values that an op's regions capture, by number."""
        regions = self.program.ops[number].regions
        return tuple(sorted({value for each in regions for value in self._captured_by_blocks.get(each, ())}))

    @cached_property
    def _captured_by_blocks(self) -> Mapping[int, set[int]]:
        """The outer values that each block captures."""
        found: dict[int, set[int]] = {}
        makers = self.program.makers
        for bound in self.program.ops:
            for value in bound.operands:
                block: int | None = bound.block
                while block is not None and block != makers[value].block:
                    found.setdefault(block, set()).add(value)
                    opener = self.program.blocks[block].opener
                    block = None if opener is None else self.program.ops[opener].block
        return found

    def _is_reached(self, bound: BoundOperation, reached: Union, inverse: bool) -> bool:
        values = (*bound.operands, *self.captured_values(bound.id)) if inverse else bound.results
        return not reached.values.isdisjoint(values)

    def _make_ready(self, numbers: Iterable[int], inverse: bool) -> None:
        """Compose the links of inner blocks first, so that nesting in a program costs no Python frames."""
        waiting = [(number, False) for number in numbers]
        under_way: set[int] = set()
        while waiting:
            number, is_ready = waiting.pop()
            bound = self.program.ops[number]
            if (number, inverse) in self._links_of_ops or not has_bodies(bound):
                continue
            if is_ready:
                self._operation_links(number, inverse)
                under_way.discard(number)
            elif number in under_way:
                continue  # It runs itself, directly or indirectly: its links are unknown.
            else:
                under_way.add(number)
                waiting.append((number, True))
                for block in body_blocks(self.program, bound):
                    waiting.extend((op.id, False) for op in block.operations if has_bodies(op))

    def _operation_links(self, number: int, inverse: bool) -> Links:
        key = (number, inverse)
        if key not in self._links_of_ops:
            bound = self.operation(number)
            if has_bodies(bound):
                # Preliminary, for recursive ops in its bodies.
                self._links_of_ops[key] = self._unknown_links(bound, inverse)
                self._links_of_ops[key] = self._compose_bodies(bound, inverse)
            else:
                self._links_of_ops[key] = self._own_links(bound, inverse)
        return self._links_of_ops[key]

    def _own_links(self, bound: BoundOperation, inverse: bool) -> Links:
        operands, results = operand_leaves(self.program, bound), result_leaves(self.program, bound)
        maps = own_maps(self.program, bound, inverse=inverse)
        links = self._with_sources(bound, map_links(maps, results, operands, inverse=inverse))
        return group((start, self._fold(link)) for start, link in links)

    def _source_numbers(
        self, bound: BoundOperation, operands: tuple[Leaf, ...], used: set[int]
    ) -> dict[int, int]:
        """Sources for the numbers in the op's maps: its operands, then its auxiliary values."""
        return {
            number: self.sources.number(
                ValueSource(operands[number])
                if number < len(operands)
                else ValueSource(operation=bound.id, found=number - len(operands))
            )
            for number in used
        }

    def _unknown_links(self, bound: BoundOperation, inverse: bool) -> Links:
        outer = (*operand_leaves(self.program, bound), *leaves(self.program, self.captured_values(bound.id)))
        starts, ends = result_leaves(self.program, bound), outer
        if inverse:
            starts, ends = ends, starts
        return {start: tuple(Link(end, UNDEFINED) for end in ends) for start in starts}

    def _compose_bodies(self, bound: BoundOperation, inverse: bool) -> Links:
        if isinstance(bound.op.unpacked, While):
            return self._loop(bound, inverse=inverse).links()
        unions: dict[Leaf, Union] = {}
        for start, link in self._direct_links(bound, inverse):
            unions.setdefault(start, Union()).add(link)
        for start, links in self._body_links(bound, inverse):
            unions.setdefault(start, Union()).extend(links)
        return {start: tuple(union) for start, union in unions.items()}

    def _body_links(self, bound: BoundOperation, inverse: bool) -> Iterator[tuple[Leaf, Iterable[Link]]]:
        """Links through the op's bodies; those that not all branches have are undecided."""
        of_each: list[dict[Leaf, Union]] = []
        for body in bodies(self.program, bound):
            of_each.append({})
            for start, link in self._links_through(bound, body, inverse):
                of_each[-1].setdefault(start, Union()).add(link)
        for number, found in enumerate(of_each):
            for start, union in found.items():
                links: Iterable[Link] = union
                for other in (*of_each[:number], *of_each[number + 1 :]):
                    links = mark_undecided(links, other.get(start, ()))
                yield start, links

    def _direct_links(self, bound: BoundOperation, inverse: bool) -> Iterator[tuple[Leaf, Link]]:
        """Links outside bodies: from the branch index, and of operands that an async-start forwards."""
        if isinstance(bound.op.unpacked, Branching):
            yield from self._choice_links(bound, inverse)
        for result in result_leaves(self.program, bound):
            operand = forwarded_leaf(self.program, bound, result)
            if operand is None:
                continue
            start, end = (operand, result) if inverse else (result, operand)
            link = identity(self.program, end)
            if link is not None:
                yield start, link

    def _choice_links(self, bound: BoundOperation, inverse: bool) -> Iterator[tuple[Leaf, Link]]:
        """Every element of every result depends on the branch index."""
        decides = Leaf(bound.operands[0])
        for result in result_leaves(self.program, bound):
            shape = leaf_shape(self.program, result)
            if shape is not None:
                start, end = (decides, result) if inverse else (result, decides)
                yield start, Link(end, everything((), shape) if inverse else IndexMap.scalar(shape))

    def _links_through(self, bound: BoundOperation, body: Body, inverse: bool) -> Iterator[tuple[Leaf, Link]]:
        block_links = self._block_links(body.block, inverse)
        leaving = group(self._body_exits(bound, body, inverse))
        for start, entry in self._body_entries(bound, body, inverse):
            for link in block_links.get(entry.end, ()):
                inner = self.outside_view(bound, body.block, compose_links(entry, link))
                exits = leaving.get(link.end, ())
                yield from ((start, self._link_outside(bound, start, inner, each)) for each in exits)
                if not exits and not inverse:
                    yield start, inner

    def _link_outside(self, bound: BoundOperation, start: Leaf, inner: Link, leaving: Link) -> Link:
        """Continue `inner` by `leaving`; parts of a manual computation start elsewhere in each process."""
        op, place = bound.op.unpacked, inner.place
        if not isinstance(op, ManualComputation) or not isinstance(place, Runtime):
            return compose_links(inner, leaving)
        results, operands = result_leaves(self.program, bound), operand_leaves(self.program, bound)
        if start not in results or leaving.end not in operands:
            return compose_links(inner, leaving)  # from an operand or a captured value to a result
        operand, result = operands.index(leaving.end), results.index(start)
        holders, starts = op.holder_table(result), op.start_table(operand, result)
        sources = self._source_numbers(bound, operands, {holders, starts})
        if inner.map.runtimes[place.number].operand != sources[holders]:
            return compose_links(inner, leaving)  # a collective in the body has moved to another process
        index_map = op.compose_cut(inner.map, place, operand, sources[starts])
        link = normalize_link(leaving.end, index_map, place, inner.enclosing)
        return replace(link, undecided=inner.undecided)

    def entries(self, bound: BoundOperation) -> Links:
        """Links from an op's operand leaves and captured values to leaves in its bodies."""
        if not has_bodies(bound):
            return self._element_crossings(bound, inverse=True)
        if isinstance(bound.op.unpacked, While):
            return self._loop(bound, inverse=True).entries()
        of_bodies = (self._body_entries(bound, body, True) for body in bodies(self.program, bound))
        return group(chain.from_iterable(of_bodies))

    def exits(self, bound: BoundOperation) -> Links:
        """Links from the arguments of an op's bodies to its operand leaves and captured values."""
        if not has_bodies(bound):
            return self._element_crossings(bound, inverse=False)
        if isinstance(bound.op.unpacked, While):
            return self._loop(bound, inverse=False).exits()
        of_bodies = (self._body_exits(bound, body, False) for body in bodies(self.program, bound))
        return group(chain.from_iterable(of_bodies))

    def _element_crossings(self, bound: BoundOperation, *, inverse: bool) -> Links:
        """Links into or out of the body of an op with its own maps, such as reduce.

        Each run of the body processes other elements: every leaf is linked to all elements of the other side.
        """
        blocks = body_blocks(self.program, bound)
        starts = tuple(leaf for block in blocks for leaf in leaves(self.program, block.arguments))
        ends = operand_leaves(self.program, bound)
        if inverse:
            starts, ends = ends, starts
        return {start: tuple(self._enclosing_link(start, end) for end in ends) for start in starts}

    def _enclosing_link(self, start: Leaf, end: Leaf) -> Link:
        shapes = leaf_shape(self.program, start), leaf_shape(self.program, end)
        unknown = shapes[0] is None or shapes[1] is None
        return Link(end, UNDEFINED if unknown else everything(shapes[0] or (), shapes[1] or ()), None, True)

    def _body_entries(self, bound: BoundOperation, body: Body, inverse: bool) -> Iterator[tuple[Leaf, Link]]:
        if not inverse:
            yield from self._with_sources(bound, result_crossings(self.program, bound, body, inverse=False))
            return
        for leaf in leaves(self.program, self.captured_values(bound.id)):
            link = identity(self.program, leaf)  # captured values are the same inside
            if link is not None:
                yield leaf, link
        yield from self._with_sources(bound, argument_crossings(self.program, bound, body, inverse=True))

    def _body_exits(self, bound: BoundOperation, body: Body, inverse: bool) -> Iterator[tuple[Leaf, Link]]:
        crossings = result_crossings if inverse else argument_crossings
        return self._with_sources(bound, crossings(self.program, bound, body, inverse=inverse))

    def _with_sources(
        self, bound: BoundOperation, crossings: Iterable[tuple[Leaf, Link]]
    ) -> Iterator[tuple[Leaf, Link]]:
        """The crossings, with runtime variables read from the op's sources."""
        operands = operand_leaves(self.program, bound)
        for start, link in crossings:
            yield (
                start,
                rename_sources(link, link.end, self._source_numbers(bound, operands, sources_of(link.map))),
            )

    def _loop(self, bound: BoundOperation, *, inverse: bool) -> LoopLinks:
        self._make_ready([bound.id], inverse)
        condition, body = (self._block_links(block, inverse) for block in body_blocks(self.program, bound))
        captured = leaves(self.program, self.captured_values(bound.id))
        return LoopLinks(self.program, self.sources, bound, (condition, body), captured, inverse=inverse)

    def outside_view(self, bound: BoundOperation, block: BoundBlock, link: Link) -> Link:
        """A link of a body with runtime variables read from what the op's block sees."""
        used = sources_of(link.map)
        if not used:
            return link
        arguments: dict[Leaf, Leaf] = {}
        # The arguments of a loop's body change in each iteration.
        if has_bodies(bound) and not isinstance(bound.op.unpacked, While):
            for body in bodies(self.program, bound):
                pairs = body.arguments if body.block.id == block.id else ()
                arguments |= {inner: outer for inner, outer in pairs if self._is_forwarded(bound, inner)}
        names = self.sources.outside_numbers(used, bound, arguments, block)
        found = rename_sources(link, link.end, names)
        return self._fold(found) if names else found

    def _fold(self, link: Link) -> Link:
        """Substitute runtime variables that the program determines, if enabled."""
        if not self.folds or link.place is not None:
            return link
        return replace(link, map=fold(self.sources, link.map))

    def _is_forwarded(self, bound: BoundOperation, argument: Leaf) -> bool:
        """Whether an argument of a body is an unchanged operand; those of manual computations are parts."""
        return (
            not isinstance(bound.op.unpacked, ManualComputation) or leaf_shape(self.program, argument) == ()
        )

    def _block_links(self, block: BoundBlock, inverse: bool) -> Links:
        key = (block.id, inverse)
        if key not in self._links_of_blocks:
            gives = leaves(self.program, block_results(block))
            captured = sorted(self._captured_by_blocks.get(block.id, ()))
            takes = leaves(self.program, (*block.arguments, *captured))
            starts, ends = (takes, gives) if inverse else (gives, takes)
            self._links_of_blocks[key] = {
                start: self._links_from(start, block, frozenset(ends), inverse) for start in starts
            }
        return self._links_of_blocks[key]

    def _links_from(
        self, start: Leaf, block: BoundBlock, ends: frozenset[Leaf], inverse: bool
    ) -> tuple[Link, ...]:
        link = identity(self.program, start)
        if link is None:
            return ()
        reached = Union()
        reached.add(link)
        return tuple(found for found in self.walk(reached, block, inverse=inverse) if found.end in ends)


def program_with_sizes(program: BoundProgram, ops: Iterable[BoundOperation]) -> BoundProgram:
    """The program with the value types of `ops`, which are in static form."""
    values = list(program.values)
    for bound in ops:
        inferred = bound.op.infer()
        results = inferred if isinstance(inferred, tuple) else () if inferred is None else (inferred,)
        for numbers, types in ((bound.operands, bound.op.operand_types), (bound.results, results)):
            for number, found in zip(numbers, types, strict=False):
                values[number] = _with_type(values[number], found)
    return replace(program, values=tuple(values))


def shown_sizes(bound: BoundOperation) -> object:
    """The types and numbers that a run determined for an op, only for comparison."""
    return bound.op.operand_types, bound.op.infer(), getattr(bound.op, "numbers", None)


def _with_type(value: Value, found: Type) -> Value:
    stated = value.type
    if not isinstance(stated, TensorType) or stated.is_static:
        return value
    return replace(value, type=found) if isinstance(found, TensorType) and found.is_static else value
