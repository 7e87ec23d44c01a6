"""Facts of a program's text for dry runs: which ops communicate, and what each branch executes."""

from functools import cached_property

from ..ops.collectives.collective_rules import CollectiveOp
from ..ops.collectives.point_to_point import PointToPoint
from ..ops.control_flow.control_flow import Branching, While
from ..ops.core.process_groups import Grid
from ..ops.dialects.interpreter_dialect import RunParallel
from ..program import BoundFunction, BoundOperation, BoundProgram

Signature = tuple[object, ...]
_MAX_EXCHANGES = 1000
"""Maximum number of exchanges of a block that are compared; calls of calls may make any number."""


class Communication:
    """The communicating ops of `function` and their conditions."""

    def __init__(self, program: BoundProgram, function: BoundFunction) -> None:
        self.program = program
        self._function = function
        self._captured: dict[int, tuple[int, ...]] = {}
        self._sequences: dict[int, tuple[BoundOperation, ...]] = {}
        self._open: set[int] = set()

    @cached_property
    def reachable(self) -> frozenset[int]:
        """The ops of the function, its regions and callees, and of functions that it starts on other grids."""
        return self.program.reachable_ops(self._function)

    @cached_property
    def launches(self) -> tuple[tuple[Grid, frozenset[int]], ...]:
        """The grids that reachable ops start functions on, each with the ops of these functions."""
        found = []
        for op in sorted(self.reachable):
            bound = self.program.ops[op]
            if isinstance(bound.op, RunParallel):
                block = self.program.blocks[bound.block]
                names = {name for row in bound.op.grid_of_names for name in row}
                functions = [self.program.find_callee(block, name) for name in sorted(names)]
                ops = (self.program.reachable_ops(each, RunParallel) for each in functions)
                found.append((bound.op.grid, frozenset[int]().union(*ops)))
        return tuple(found)

    def grids_of(self, op: int, grid: Grid) -> list[Grid]:
        """The grids on which an op runs; `grid` is that of the function."""
        return [each for each, ops in self.launches if op in ops] or [grid]

    @cached_property
    def exchanges(self) -> tuple[BoundOperation, ...]:
        """The reachable collective ops, sends and receives, in the order of the text."""
        reachable = sorted(self.reachable)
        return tuple(self.program.ops[op] for op in reachable if is_exchange(self.program.ops[op]))

    @cached_property
    def communicating(self) -> frozenset[int]:
        """The ops that communicate, wait for communication, or hold or call such ops."""
        found: set[int] = set()
        blocks: set[int] = set()
        size = -1
        while size < len(found):
            size = len(found)
            for op in sorted(self.reachable, reverse=True):  # regions before the ops that hold them
                bound = self.program.ops[op]
                if is_exchange(bound) or not blocks.isdisjoint(self.blocks_of(bound)):
                    found.add(op)
                    blocks.add(bound.block)
        return frozenset(found)

    @cached_property
    def unconditional(self) -> frozenset[int]:
        """The ops that every run of the function executes."""
        found, waiting, seen = set(), [self._function.block], {self._function.block}
        while waiting:
            for bound in self.program.blocks[waiting.pop()].operations:
                found.add(bound.id)
                if isinstance(bound.op.unpacked, Branching | While):
                    continue
                waiting += [block for block in self.blocks_of(bound) if block not in seen]
                seen.update(self.blocks_of(bound))
        return frozenset(found)

    def blocks_of(self, bound: BoundOperation) -> tuple[int, ...]:
        """The blocks that an op runs: its regions and its callees' bodies."""
        callees = () if bound.op.outside else bound.op.callees()
        caller = self.program.blocks[bound.block]
        called = (self.program.find_callee(caller, callee.name).block for callee in callees)
        return (*bound.regions, *called)

    def captured(self, bound: BoundOperation) -> tuple[int, ...]:
        """The values that the regions of an op read from around it."""
        if bound.id not in self._captured:
            inside = [block for block in bound.regions if self.program.blocks[block].opener is not None]
            read: dict[int, None] = {}
            defined: set[int] = set()
            while inside:
                block = self.program.blocks[inside.pop()]
                defined.update(block.arguments)
                for each in block.operations:
                    read.update(dict.fromkeys(each.operands))
                    defined.update(each.results)
                    inside += [b for b in each.regions if self.program.blocks[b].opener is not None]
            self._captured[bound.id] = tuple(value for value in read if value not in defined)
        return self._captured[bound.id]

    def exchanges_in(self, block: int) -> tuple[BoundOperation, ...]:
        """The first exchanges that a block executes, in order, with those of its regions and callees."""
        waiting = [block]
        while waiting:  # the depth of a program must cost no Python frames
            current = waiting[-1]
            inner = [b for op in self._communicating_in(current) for b in self.blocks_of(op)]
            missing = [b for b in inner if b not in self._sequences and b not in self._open]
            if current not in self._sequences and missing:
                self._open.add(current)
                waiting += missing
                continue
            self._sequences.setdefault(current, self._sequence(current))
            waiting.pop()
        return self._sequences[block]

    def _communicating_in(self, block: int) -> list[BoundOperation]:
        operations = self.program.blocks[block].operations
        return [bound for bound in operations if bound.id in self.communicating]

    def _sequence(self, block: int) -> tuple[BoundOperation, ...]:
        found: list[BoundOperation] = []
        for bound in self._communicating_in(block):
            found += [bound] if is_exchange(bound) else []
            for inner in self.blocks_of(bound):
                found += self._sequences.get(inner, ())  # a function that calls itself has none yet
        return tuple(found[:_MAX_EXCHANGES])

    def branches_differ(self, bound: BoundOperation) -> bool:
        """Whether the regions of an op communicate differently."""
        return len(set(map(self.signature, bound.regions))) > 1

    def signature(self, block: int) -> Signature:
        """The communication of a block as peers compare it: ops, channels and groups."""
        found: list[object] = []
        for bound in self.exchanges_in(block):
            op = bound.op.unpacked
            groups = getattr(op, "replica_groups", None) or getattr(op, "source_target_pairs", None)
            found.append((op.name, getattr(op, "channel", 0), groups, op.operand_types))
        return tuple(found)


def is_exchange(bound: BoundOperation) -> bool:
    """Whether an op is a collective op, a send or receive, or waits for one that was started."""
    op = bound.op
    return isinstance(op.unpacked, CollectiveOp | PointToPoint) or op.findings.awaits_outcomes
