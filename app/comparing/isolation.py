"""Run each instruction of the optimised program alone on the operands of our recording."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from hloscope.engine.comparison.difference import Difference, join
from hloscope.engine.debugger.address import Address
from hloscope.engine.errors import ProgramError
from hloscope.engine.limits import Limits
from hloscope.engine.ops.core.values import is_tuple
from hloscope.engine.passes.instructions import HloText, Instruction, read_instructions

from ..processes.arrays import Array
from ..xla.engine import Overrides
from ..xla.failures import XlaFailed
from .budget import Budget
from .engines import SecondEngine
from .hlo_texts import alone
from .our_runs import OurRun, run_ours

_NOTHING_TO_RUN = frozenset(
    [
        "parameter",
        "constant",
        "get-tuple-element",
        "tuple",
        "bitcast",
        "while",
        "conditional",
        "after-all",
        "partition-id",
        "replica-id",
    ]
)
_PASSED_THROUGH = frozenset({"while", "conditional", "call"})
"""Opcodes whose frames XLA runs instruction by instruction; others are one kernel."""
MOST_EXECUTIONS = 3
"""Maximum executions checked of one instruction in a loop."""


@dataclass(frozen=True)
class Culprit:
    """An instruction of the optimised program that XLA computes wrongly in isolation."""

    instruction: Instruction
    text: str
    """The module of that instruction alone."""
    arguments: tuple[Array, ...]
    difference: Difference
    execution: int
    """The number of the execution, from 0."""


@dataclass(frozen=True)
class Isolation:
    """The outcome of running each instruction alone."""

    culprit: Culprit | None
    tried: int
    skipped: tuple[str, ...] = ()
    """Instructions that cannot run alone, with the reasons."""
    is_complete: bool = True
    """Whether the time sufficed for all."""


def isolate(
    engine: SecondEngine, text: str, run: OurRun, overrides: Overrides, limits: Limits, budget: Budget
) -> Isolation:
    """The first instruction that is wrong in isolation; `run` is our run of the optimised text."""
    found = read_instructions(text)
    skipped: list[str] = []
    tried = 0
    for instruction, execution, arguments in _suspects(found, run):
        if budget.is_spent:
            return Isolation(None, tried, tuple(skipped), is_complete=False)
        budget.tell(f"running %{instruction.name} alone, after {tried:,} others")
        module = alone(text, found, instruction)
        if module is None:
            continue
        try:
            ours = replace(run_ours(module, arguments, budget.within(limits)), device=run.device)
            theirs = engine.run(module, arguments, overrides, as_written=True)
        except (XlaFailed, ProgramError) as failure:
            skipped.append(f"%{instruction.name}: {failure}")
            continue
        difference = join(ours.compare(theirs))
        tried += 1
        if difference.is_different:
            culprit = Culprit(instruction, module, tuple(arguments), difference, execution)
            return Isolation(culprit, tried, tuple(skipped))
    return Isolation(None, tried, tuple(skipped))


def _suspects(found: HloText, run: OurRun) -> Iterator[tuple[Instruction, int, list[Array]]]:
    """The instructions that XLA runs separately, in order, with their distinct operands.

    Calls come last, because an error in a call is an error in the called computation.
    """
    calls = []
    for process, step, instruction, execution in _executions(found, run):
        arguments = _arguments(run, process, step, instruction)
        if arguments is None:
            continue
        if instruction.written.opcode == "call":
            calls.append((instruction, execution, arguments))
        else:
            yield instruction, execution, arguments
    yield from calls


def _executions(found: HloText, run: OurRun) -> Iterator[tuple[int, int, Instruction, int]]:
    """The process, step, instruction and number of each execution, process by process."""
    for process in run.processes:
        for step, instruction, execution in _executions_in(process, found, run):
            yield process, step, instruction, execution


def _executions_in(process: int, found: HloText, run: OurRun) -> Iterator[tuple[int, Instruction, int]]:
    program, track = run.recording.program, run.recording.tracks[process]
    names = _instructions_by_name(found)
    counts: dict[int, int] = {}
    for step, op in enumerate(track.op_column.tolist()):
        bound = program.ops[op]
        if not bound.results or not _runs_by_itself(run, bound.block):
            continue
        counts[op] = counts.get(op, -1) + 1
        instruction = names.get(program.values[bound.results[0]].name.removeprefix("%"))
        if (
            instruction is not None
            and instruction.written.opcode not in _NOTHING_TO_RUN
            and counts[op] < MOST_EXECUTIONS
        ):
            yield step, instruction, counts[op]


def _instructions_by_name(found: HloText) -> Mapping[str, Instruction]:
    return {instruction.name: instruction for instruction in reversed([*found.instructions.values()])}


def _runs_by_itself(run: OurRun, block: int) -> bool:
    """Whether the instructions of a block are not part of a kernel."""
    program = run.recording.program
    opener = program.blocks[block].opener
    while opener is not None:
        bound = program.ops[opener]
        if bound.operation.opcode not in _PASSED_THROUGH:
            return False
        opener = program.blocks[bound.block].opener
    return True


def _arguments(run: OurRun, process: int, step: int, instruction: Instruction) -> list[Array] | None:
    """The values of its distinct operands; `None` if one is a tuple, which cannot be passed."""
    addresses: dict[str, Address] = {}
    for name, address in zip(
        instruction.written.operands, run.bounds.run.operands(process, step), strict=False
    ):
        addresses.setdefault(name, address)
    values = [run.recording.value(address) for address in addresses.values()]
    return None if any(map(is_tuple, values)) else values
