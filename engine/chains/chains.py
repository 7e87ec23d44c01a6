"""Links between leaves, by composition: through an op, through a block, through the functions that ops run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from ..indexing import UNDEFINED, IndexMap, Runtime
from ..ops.control_flow import Branching, While
from ..ops.manual_computation import ManualComputation
from ..program import BoundBlock, BoundFunction, BoundOperation, BoundProgram
from .bodies import Body, bodies, body_blocks, given, has_bodies, kept_operands, op_of
from .crossings import Crossings, argument_crossings, identity, result_crossings
from .folding import folded
from .leaves import Leaf, leaf_shape, leaves, operand_leaves, result_leaves
from .loops import LoopLinks
from .ordinary import own_maps
from .settling import open_ops, settled_program, shown_by
from .sources import Sources, ValueSource, sources_of
from .unions import Link, Union, behind, everything, left, renamed, undecided_but

Links = Mapping[Leaf, tuple[Link, ...]]
"""For each leaf that something goes from, where it goes."""


class Chains:
    """All links of one program, made as they are asked for.

    Links go from results to operands; with `inverse` from operands to results. `settled` gives an op with the
    sizes that a run has shown. With `folds`, runtime variables that the program determines are written out. `entry` is the function
    that runs, if it is not the program's own: nothing is known of what it is given.
    """

    def __init__(
        self,
        program: BoundProgram,
        settled: Callable[[int], BoundOperation] | None = None,
        *,
        folds: bool = False,
        entry: BoundFunction | None = None,
    ) -> None:
        self.program = program
        self.entry = entry or program.entry
        self.sources = Sources(program, self.entry)
        self.settled, self.folds = settled, folds
        self.asked: dict[int, object] = {}
        """For each op what was made of its links for who asked: kept as long as they are."""
        self._of_ops: dict[tuple[int, bool], Links] = {}
        self._of_blocks: dict[tuple[int, bool], Links] = {}
        self._open = open_ops(program) if settled else ()
        self._shown: list[object] = []

    def refresh(self) -> None:
        """Forgets what was composed if the run has shown more sizes since."""
        if not self._open or self.settled is None:
            return
        found = [self.settled(number) for number in self._open]
        shown = list(map(shown_by, found))
        if shown != self._shown:
            self._shown = shown
            self.program = settled_program(self.program, found)
            self._of_ops.clear()
            self._of_blocks.clear()

    def operation(self, number: int) -> BoundOperation:
        """The op, settled where a run has shown its sizes."""
        return self.settled(number) if self.settled else self.program.ops[number]

    def of_operation(self, number: int, *, inverse: bool = False) -> Links:
        """From each result leaf of an op to its operand leaves and the outer values that its bodies read."""
        self._make_ready([number], inverse)
        return self._of_operation(number, inverse)

    def of_operation_apart(self, bound: BoundOperation, *, inverse: bool = False) -> Links:
        """As `of_operation`, of an op that need not be the program's: its operands may be other values."""
        if bound.operands == self.program.ops[bound.id].operands:
            return self.of_operation(bound.id, inverse=inverse)
        self._make_ready([bound.id], inverse)
        return self._composed(bound, inverse) if has_bodies(bound) else self._own(bound, inverse)

    def of_block(self, block: int, *, inverse: bool = False) -> Links:
        """From each leaf that a block gives to its arguments and the outer values that it reads."""
        found = self.program.blocks[block]
        self._make_ready([op.id for op in found.operations], inverse)
        return self._of_block(found, inverse)

    def walk(self, reached: Union, block: BoundBlock, *, inverse: bool = False) -> Union:
        """All that is reached through the ops of a block by what is reached already: `reached`, which grows."""
        self._make_ready([op.id for op in block.operations], inverse)
        for bound in block.operations if inverse else reversed(block.operations):
            of_op = self._of_operation(bound.id, inverse) if self._is_met(bound, reached, inverse) else {}
            for leaf, onwards in of_op.items():
                for link in reached.to(leaf):
                    reached.extend(behind(link, each) for each in onwards)
        return reached

    @property
    def runners(self) -> Mapping[int, tuple[BoundOperation, ...]]:
        """For each block that ops run, those ops."""
        return self.sources.runners

    def captured(self, number: int) -> tuple[int, ...]:
        """The values around an op that its regions read, in order."""
        return self._captured_by_ops.get(number, ())

    def free_leaves(self, block: BoundBlock) -> tuple[Leaf, ...]:
        """The leaves that a block takes: its arguments, and the outer values that it reads."""
        return leaves(self.program, (*block.arguments, *self._captured.get(block.id, ())))

    @cached_property
    def _captured(self) -> Mapping[int, tuple[int, ...]]:
        """For each block the outer values that it reads, in the order of their numbers."""
        found: dict[int, set[int]] = {}
        makers = self.program.makers
        for bound in self.program.ops:
            for value in bound.operands:
                block: int | None = bound.block
                while block is not None and block != makers[value].block:
                    found.setdefault(block, set()).add(value)
                    opener = self.program.blocks[block].opener
                    block = None if opener is None else self.program.ops[opener].block
        return {block: tuple(sorted(values)) for block, values in found.items()}

    @cached_property
    def _captured_by_ops(self) -> Mapping[int, tuple[int, ...]]:
        found: dict[int, set[int]] = {}
        for block, values in self._captured.items():
            opener = self.program.blocks[block].opener
            if opener is not None:
                found.setdefault(opener, set()).update(values)
        return {op: tuple(sorted(values)) for op, values in found.items()}

    def _is_met(self, bound: BoundOperation, reached: Union, inverse: bool) -> bool:
        met = (*bound.operands, *self.captured(bound.id)) if inverse else bound.results
        return not reached.values.isdisjoint(met)

    def _make_ready(self, numbers: Iterable[int], inverse: bool) -> None:
        """Makes the links of all blocks that ops run, inner ones first: a program's depth costs no Python frames."""
        waiting = [(number, False) for number in numbers]
        under_way: set[int] = set()
        while waiting:
            number, is_ready = waiting.pop()
            bound = self.program.ops[number]
            if (number, inverse) in self._of_ops or not has_bodies(bound):
                continue
            if is_ready:
                self._of_operation(number, inverse)
                under_way.discard(number)
            elif number in under_way:
                continue  # It runs itself: of_operation meets the op while it is made, and says so.
            else:
                under_way.add(number)
                waiting.append((number, True))
                for block in body_blocks(self.program, bound):
                    waiting.extend((op.id, False) for op in block.operations if has_bodies(op))

    def _of_operation(self, number: int, inverse: bool) -> Links:
        key = (number, inverse)
        if key not in self._of_ops:
            bound = self.operation(number)
            if has_bodies(bound):
                self._of_ops[key] = self._unknown(bound, inverse)  # what an op that runs itself finds
                self._of_ops[key] = self._composed(bound, inverse)
            else:
                self._of_ops[key] = self._own(bound, inverse)
        return self._of_ops[key]

    def _own(self, bound: BoundOperation, inverse: bool) -> Links:
        operands, results = operand_leaves(self.program, bound), result_leaves(self.program, bound)
        found: dict[Leaf, list[Link]] = {}
        for item in own_maps(self.program, bound, inverse=inverse):
            start, end = results[item.result], operands[item.operand]
            if inverse:
                start, end = end, start
            index_map = item.map.with_operands(self._numbers(bound, operands, sources_of(item.map)))
            link = Link(end, index_map, item.place, item.enclosing, item.undecided)
            found.setdefault(start, []).append(self._written_out(link))
        return {start: tuple(links) for start, links in found.items()}

    def _numbers(self, bound: BoundOperation, operands: tuple[Leaf, ...], used: set[int]) -> dict[int, int]:
        """The sources that the op's maps mean: its operands, and behind them what it found out."""
        return {
            number: self.sources.number(
                ValueSource(operands[number])
                if number < len(operands)
                else ValueSource(operation=bound.id, found=number - len(operands))
            )
            for number in used
        }

    def _unknown(self, bound: BoundOperation, inverse: bool) -> Links:
        outer = (*operand_leaves(self.program, bound), *leaves(self.program, self.captured(bound.id)))
        starts, ends = result_leaves(self.program, bound), outer
        if inverse:
            starts, ends = ends, starts
        return {start: tuple(Link(end, UNDEFINED) for end in ends) for start in starts}

    def _composed(self, bound: BoundOperation, inverse: bool) -> Links:
        if isinstance(op_of(bound), While):
            captured = leaves(self.program, self.captured(bound.id))
            return self._loop(bound).links(*self._of_loop(bound, inverse), captured, inverse=inverse)
        unions: dict[Leaf, Union] = {}
        for start, link in self._ordinary_part(bound, inverse):
            unions.setdefault(start, Union()).add(link)
        for start, links in self._of_bodies(bound, inverse):
            unions.setdefault(start, Union()).extend(links)
        return {start: tuple(union) for start, union in unions.items()}

    def _of_bodies(self, bound: BoundOperation, inverse: bool) -> Iterator[tuple[Leaf, Iterable[Link]]]:
        """The links through the op's bodies. Of several branches one runs: what not all of them do is undecided."""
        of_each: list[dict[Leaf, Union]] = []
        for body in bodies(self.program, bound):
            of_each.append({})
            for start, link in self._through(bound, body, inverse):
                of_each[-1].setdefault(start, Union()).add(link)
        for number, found in enumerate(of_each):
            for start, union in found.items():
                links: Iterable[Link] = union
                for other in (*of_each[:number], *of_each[number + 1 :]):
                    links = undecided_but(links, other.get(start, ()))
                yield start, links

    def _ordinary_part(self, bound: BoundOperation, inverse: bool) -> Iterator[tuple[Leaf, Link]]:
        """What the op itself adds: the choice of a branch, and operands that an async-start hands on."""
        if isinstance(op_of(bound), Branching):
            yield from self._choice(bound, inverse)
        for result, operand in kept_operands(self.program, bound):
            start, end = (operand, result) if inverse else (result, operand)
            link = identity(self.program, end)
            if link is not None:
                yield start, link

    def _choice(self, bound: BoundOperation, inverse: bool) -> Iterator[tuple[Leaf, Link]]:
        """Every element of every result hangs on which branch runs."""
        decides = Leaf(bound.operands[0])
        for result in result_leaves(self.program, bound):
            shape = leaf_shape(self.program, result)
            if shape is not None:
                start, end = (decides, result) if inverse else (result, decides)
                yield start, Link(end, everything((), shape) if inverse else IndexMap.scalar(shape))

    def _through(self, bound: BoundOperation, body: Body, inverse: bool) -> Iterator[tuple[Leaf, Link]]:
        of_block = self._of_block(body.block, inverse)
        entering = self._entering(bound, body, inverse)
        leaving = self._leaving(bound, body, inverse)
        for start, entries in entering.items():
            for entry in entries:
                for link in of_block.get(entry.end, ()):
                    inner = self.seen_from(bound, body.block, behind(entry, link))
                    exits = leaving.get(link.end, ())
                    yield from ((start, self._left(bound, start, inner, each)) for each in exits)
                    if not exits and not inverse:
                        yield start, inner

    def _left(self, bound: BoundOperation, start: Leaf, inner: Link, leaving: Link) -> Link:
        """The link that goes on out of a body. Parts of a manual computation begin elsewhere in each process."""
        op, place = op_of(bound), inner.place
        if not isinstance(op, ManualComputation) or not isinstance(place, Runtime):
            return behind(inner, leaving)
        results, operands = result_leaves(self.program, bound), operand_leaves(self.program, bound)
        if start not in results or leaving.end not in operands:
            return behind(inner, leaving)  # from an operand, or a value around the op, to a result
        operand, result = operands.index(leaving.end), results.index(start)
        holders, starts = op.holder_table(result), op.start_table(operand, result)
        sources = self._numbers(bound, operands, {holders, starts})
        if inner.map.runtimes[place.number].operand != sources[holders]:
            return behind(inner, leaving)  # a collective op in the body has gone on to others
        index_map = op.cut_behind(inner.map, place, operand, sources[starts])
        return left(replace(inner, end=leaving.end), index_map)

    def entering(self, bound: BoundOperation, *, inverse: bool = False) -> Links:
        """From an op's result leaves to what its bodies give, in any iteration, and what lies behind that.

        From `inverse` from its operand leaves, and the outer values that its bodies read, to leaves in the bodies.
        """
        if not has_bodies(bound):
            return self._around_elements(bound, inverse, entering=True)
        if isinstance(op_of(bound), While):
            captured = leaves(self.program, self.captured(bound.id))
            return self._loop(bound).entering(*self._of_loop(bound, inverse), captured, inverse=inverse)
        found: dict[Leaf, tuple[Link, ...]] = {}
        for body in bodies(self.program, bound):
            for start, links in self._entering(bound, body, inverse).items():
                found[start] = (*found.get(start, ()), *links)
        return found

    def leaving(self, bound: BoundOperation, *, inverse: bool = False) -> Links:
        """From the arguments of an op's bodies to its operand leaves; from `inverse` from what they give to its results."""
        if not has_bodies(bound):
            return self._around_elements(bound, inverse, entering=False)
        if isinstance(op_of(bound), While):
            return self._loop(bound).leaving(*self._of_loop(bound, inverse), inverse=inverse)
        found: dict[Leaf, tuple[Link, ...]] = {}
        for body in bodies(self.program, bound):
            for start, links in self._leaving(bound, body, inverse).items():
                found[start] = (*found.get(start, ()), *links)
        return found

    def _around_elements(self, bound: BoundOperation, inverse: bool, *, entering: bool) -> Links:
        """Into the body of an op with maps of its own, such as reduce, and out of it.

        Each run of the body is for other elements: from each leaf of one side to all elements of the other.
        """
        blocks = body_blocks(self.program, bound)
        if entering != inverse:
            outer = result_leaves(self.program, bound)
            inner = tuple(leaf for block in blocks for leaf in leaves(self.program, given(block)))
        else:
            outer = operand_leaves(self.program, bound)
            inner = tuple(leaf for block in blocks for leaf in leaves(self.program, block.arguments))
        starts, ends = (outer, inner) if entering else (inner, outer)
        return {start: tuple(self._enclosing(start, end) for end in ends) for start in starts}

    def _enclosing(self, start: Leaf, end: Leaf) -> Link:
        shapes = leaf_shape(self.program, start), leaf_shape(self.program, end)
        unknown = shapes[0] is None or shapes[1] is None
        return Link(end, UNDEFINED if unknown else everything(shapes[0] or (), shapes[1] or ()), None, True)

    def _entering(self, bound: BoundOperation, body: Body, inverse: bool) -> Links:
        if not inverse:
            return self._sourced(bound, result_crossings(self.program, bound, body, inverse=False))
        arguments = self._sourced(bound, argument_crossings(self.program, bound, body, inverse=True))
        found = dict(self._captured_crossings(bound))
        for start, links in arguments.items():
            found[start] = (*found.get(start, ()), *links)
        return found

    def _leaving(self, bound: BoundOperation, body: Body, inverse: bool) -> Links:
        crossings = result_crossings if inverse else argument_crossings
        return self._sourced(bound, crossings(self.program, bound, body, inverse=inverse))

    def _sourced(self, bound: BoundOperation, crossings: Crossings) -> Links:
        """The crossings with their runtime variables read from the sources that the op's numbers mean."""
        operands = operand_leaves(self.program, bound)
        return {
            start: tuple(
                renamed(link, link.end, self._numbers(bound, operands, sources_of(link.map)))
                for link in links
            )
            for start, links in crossings.items()
        }

    def _loop(self, bound: BoundOperation) -> LoopLinks:
        condition, body = bodies(self.program, bound)
        return LoopLinks(self.program, self.sources, bound, condition, body)

    def _of_loop(self, bound: BoundOperation, inverse: bool) -> tuple[Links, Links]:
        """The links of a loop's condition and of its body."""
        self._make_ready([bound.id], inverse)
        condition, body = body_blocks(self.program, bound)
        return self._of_block(condition, inverse), self._of_block(body, inverse)

    def _captured_crossings(self, bound: BoundOperation) -> Links:
        """Outer values are themselves inside."""
        outer = leaves(self.program, self.captured(bound.id))
        return {leaf: (link,) for leaf in outer if (link := identity(self.program, leaf)) is not None}

    def seen_from(self, bound: BoundOperation, block: BoundBlock, link: Link) -> Link:
        """A link from one of an op's bodies, with its runtime variables read from what the op's own block sees."""
        used = sources_of(link.map)
        if not used:
            return link
        arguments: dict[Leaf, Leaf] = {}
        if has_bodies(bound) and not isinstance(
            op_of(bound), While
        ):  # whose arguments are others in each iteration
            for body in bodies(self.program, bound):
                pairs = body.arguments if body.block.id == block.id else ()
                arguments |= {inner: outer for inner, outer in pairs if self._is_handed_in(bound, inner)}
        names = self.sources.called(used, bound.id, arguments, self._apart(bound, block))
        found = renamed(link, link.end, names)
        return self._written_out(found) if names else found

    def _written_out(self, link: Link) -> Link:
        """With runtime variables that the program determines written out, if that is asked for."""
        if not self.folds or link.place is not None:
            return link
        return replace(link, map=folded(self.sources, link.map))

    def _is_handed_in(self, bound: BoundOperation, argument: Leaf) -> bool:
        """Whether an argument of a body is an operand as it is: those of manual computations are parts."""
        return not isinstance(op_of(bound), ManualComputation) or leaf_shape(self.program, argument) == ()

    def _apart(self, bound: BoundOperation, block: BoundBlock) -> frozenset[int]:
        """The blocks of a body that is a function of its own, whose values are others in each call."""
        if block.function == self.program.blocks[bound.block].function:
            return frozenset()
        return self._of_function.get(block.function, frozenset())

    @cached_property
    def _of_function(self) -> Mapping[str, frozenset[int]]:
        found: dict[str, set[int]] = {}
        for block in self.program.blocks:
            found.setdefault(block.function, set()).add(block.id)
        return {name: frozenset(blocks) for name, blocks in found.items()}

    def _of_block(self, block: BoundBlock, inverse: bool) -> Links:
        key = (block.id, inverse)
        if key not in self._of_blocks:
            gives = leaves(self.program, given(block))
            takes = self.free_leaves(block)
            starts, ends = (takes, gives) if inverse else (gives, takes)
            self._of_blocks[key] = {
                start: self._from(start, block, frozenset(ends), inverse) for start in starts
            }
        return self._of_blocks[key]

    def _from(self, start: Leaf, block: BoundBlock, ends: frozenset[Leaf], inverse: bool) -> tuple[Link, ...]:
        link = identity(self.program, start)
        if link is None:
            return ()
        reached = Union()
        reached.add(link)
        return tuple(found for found in self.walk(reached, block, inverse=inverse) if found.end in ends)
