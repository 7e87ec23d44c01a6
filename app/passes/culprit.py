"""Find the culprit: the first instruction after a pass that differs from its predecessor.

Both texts are run with all values, and differences count beyond rounding. The difference must reach a wrong
result, through other instructions that differ or are new.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from hloscope.engine.comparison.difference import Difference
from hloscope.engine.comparison.judge import Judge
from hloscope.engine.comparison.matching import match_programs
from hloscope.engine.debugger.address import Address, result
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ops.core.values import is_tuple
from hloscope.engine.passes.flow import Flow
from hloscope.engine.passes.instructions import HloText, Instruction
from hloscope.engine.passes.text_changes import TextChanges

from ..processes.arrays import Array

_FORWARDING = ("tuple", "get-tuple-element", "parameter", "while", "call", "conditional", "bitcast", "copy")
"""Opcodes that forward values: their contents are compared where they were computed."""
_SILENT = ("tuple", "get-tuple-element", "parameter", "while", "conditional", "call", "fusion")
"""Opcodes whose values are compared only if nothing inside them differs."""


_NONE = Difference("same_bits")
_MOVING = ("get-tuple-element", "slice", "reshape", "transpose", "bitcast", "copy")


@dataclass(frozen=True)
class Culprit:
    """The culprit: the instruction after the pass, its predecessor, and the worst element."""

    after: str
    before: str
    difference: Difference
    process: int


@dataclass(frozen=True)
class Executed:
    """A run, with the instruction that each step executed."""

    recording: Recording
    text: HloText
    lines: Mapping[int, str] = field(repr=False)

    @classmethod
    def of(cls, recording: Recording, text: HloText) -> Executed:
        """The run of a text."""
        return cls(recording, text, {found.line: key for key, found in text.instructions.items()})

    @cached_property
    def keys(self) -> tuple[str | None, ...]:
        """The instruction of each operation of the program."""
        program = self.recording.program
        return tuple(self.lines.get(program.line_of(bound.id)) for bound in program.ops)

    def steps(self, process: int) -> Iterator[tuple[int, str]]:
        """The steps of a process, each with the key of its instruction."""
        track = self.recording.tracks[process]
        for step in range(track.step_count):
            if (key := self.keys[track.op_of(step)]) is not None:
                yield step, key

    def value(self, address: Address) -> Array | None:
        """A value of the run; `None` if it was not kept."""
        try:
            return self.recording.value(address)
        except KeyError:
            return None


class Search:
    """The search for the culprit in two runs of consecutive texts."""

    def __init__(self, before: Executed, after: Executed, changes: TextChanges, judge: Judge) -> None:
        self._before, self._after, self._changes, self._judge = before, after, changes, judge
        self._differing: dict[str, tuple[int, Culprit]] = {}
        """The step at which each instruction after the pass first differed, and the difference."""
        self._unknown: set[str] = set()
        """Instructions after the pass whose values may differ by no more than rounding."""
        self._by_value = _match_values(before, after, changes)
        self._flow = Flow(after.text)

    def _origin(self, key: str) -> str | None:
        """The instruction before the pass that matches one after it: by text, else also by value."""
        return self._changes.origin(key) or self._by_value.get(key)

    def find(self, wrong_results: Sequence[int]) -> Culprit | None:
        """The first culprit that reaches one of the numbered results; `None` if there is none."""
        for process in range(min(len(self._before.recording.tracks), len(self._after.recording.tracks))):
            self._compare_process(process)
        reached = self._reaching(wrong_results)
        found = [item for key, item in self._differing.items() if key in reached]
        if not found:
            return None
        _, culprit = min(found, key=lambda item: item[0])
        return self._inside(self._made(culprit))

    # Values

    def _compare_process(self, process: int) -> None:
        old = _by_key(self._before.steps(process))
        new = _by_key(self._after.steps(process))
        for key, steps in new.items():
            if key in self._differing:
                continue
            origin = self._origin(key)
            found = None
            if origin is not None and self._may_be_culprit(key, origin):
                found = self._first_difference(key, origin, steps, old.get(origin, ()), process)
            if found is not None or self._opcode(key) == "tuple":
                found = self._moved_operand(key, new, old, process) or found
            if found is not None:
                self._differing[key] = found

    def _may_be_culprit(self, key: str, origin: str) -> bool:
        """Whether an instruction can be a culprit: copies that a pass inserted forward values too.

        An original value that nothing confirms convicts no instruction.
        """
        opcode = self._opcode(key)
        is_forwarding = opcode == "copy" and self._before.text.instructions[origin].written.opcode != "copy"
        return opcode not in _SILENT and not is_forwarding and key not in self._changes.unconfirmed

    def _opcode(self, key: str) -> str:
        return self._after.text.instructions[key].written.opcode

    def _first_difference(
        self, key: str, origin: str, steps: Sequence[int], others: Sequence[int], process: int
    ) -> tuple[int, Culprit] | None:
        """The first time that an instruction's value differs from its match's at the same time."""
        # If a loop has fewer or more iterations than before, the common ones are compared.
        for step, other in zip(steps, others, strict=False):
            difference = self._difference(result(other, process=process), result(step, process=process))
            if difference.is_different:
                return step, Culprit(key, origin, difference, process)
            if not difference.is_fine:
                self._unknown.add(key)
        return None

    def _difference(self, before: Address, after: Address) -> Difference:
        """The difference of two values; none if their types differ or one was not kept."""
        one, other = self._before.value(before), self._after.value(after)
        if one is None or other is None or is_tuple(one) != is_tuple(other):
            return _NONE
        if is_tuple(one):
            return self._difference_of_parts(before, after, min(len(one), len(other)))
        if one.shape != other.shape or one.dtype != other.dtype:
            return _NONE
        return self._judge.difference(before, one, other, None)

    def _difference_of_parts(self, before: Address, after: Address, count: int) -> Difference:
        """The first certain difference of two tuples, else the first that is unknown."""
        parts = [
            self._difference(before._replace(path=(*before.path, k)), after._replace(path=(*after.path, k)))
            for k in range(count)
        ]
        return max(parts, key=lambda found: (found.is_different, not found.is_fine), default=_NONE)

    def _moved_operand(
        self, key: str, new: Mapping[str, list[int]], old: Mapping[str, list[int]], process: int
    ) -> tuple[int, Culprit] | None:
        """An operand replaced by another earlier instruction: whatever was between them is gone."""
        for operand, wanted in self._moved_slots(key):
            steps, others = new.get(operand, ()), old.get(wanted, ())
            found = self._first_difference(operand, wanted, steps, others, process)
            if found is not None and operand not in self._differing and not self._is_swap(key, operand, old):
                return new[key][0], found[1]
        return None

    def _is_swap(self, key: str, operand: str, old: Mapping[str, list[int]]) -> bool:
        """Whether an instruction's operands were swapped; the instruction is then the culprit."""
        origin = self._changes.matched.get(key)
        if origin is None or self._opcode(key) == "tuple":
            return False
        before = self._before.text
        others = [
            before.find(name, before.instructions[origin].computation)
            for name in before.instructions[origin].written.operands
        ]
        value = self._first_value(self._after, operand, _by_key(self._after.steps(0)))
        known = [self._first_value(self._before, other, old) for other in others if other is not None]
        return value is not None and any(
            found is not None and found.shape == value.shape and found.tobytes() == value.tobytes()
            for found in known
        )

    def _first_value(self, run: Executed, key: str, steps: Mapping[str, list[int]]) -> Array | None:
        return run.value(result(steps[key][0])) if steps.get(key) else None

    def _moved_slots(self, key: str) -> Iterator[tuple[str, str]]:
        origin = self._changes.matched.get(key)
        if origin is None:
            return
        after, before = self._after.text.instructions[key], self._before.text.instructions[origin]
        if len(after.written.operands) != len(before.written.operands):
            return
        known = {*self._changes.matched.values(), *self._changes.replaced.values()}
        operands = zip(self._flow.operands(after), Flow(self._before.text).operands(before), strict=True)
        for operand, wanted in operands:
            if operand is None or wanted is None or self._origin(operand) == wanted:
                continue
            if wanted not in known or after.written.opcode == "tuple":
                yield operand, wanted

    # Propagation to a result

    def _reaching(self, wrong_results: Sequence[int]) -> set[str]:
        """The instructions through which a difference reaches a wrong result, walking backward.

        They differ, may differ, are new, or forward values.
        """
        text = self._after.text
        callers = _callers(text)
        waiting = self._result_instructions(wrong_results)
        seen: set[str] = set()
        while waiting:
            key = waiting.pop()
            if key in seen:
                continue
            seen.add(key)
            waiting += [found for found in self._sources(key, callers) if self._may_pass(found)]
        return seen

    def _may_pass(self, key: str) -> bool:
        """Whether a difference may propagate through an instruction."""
        if key in self._differing or key in self._unknown:
            return True
        written = self._after.text.instructions[key].written
        is_new = self._origin(key) is None
        return is_new or written.opcode in _FORWARDING or bool(written.called)

    def _result_instructions(self, wrong_results: Sequence[int]) -> list[str]:
        text = self._after.text
        root = text.roots.get(text.entry)
        if root is None:
            return []
        written = text.instructions[root].written
        if written.opcode != "tuple":
            return [root]
        names = [name for at, name in enumerate(written.operands) if at in wrong_results] or written.operands
        found = (text.find(name, text.entry) for name in names)
        # The root itself may have the wrong operand.
        return [root, *(key for key in found if key is not None)]

    def _sources(self, key: str, callers: Mapping[str, Sequence[str]]) -> Iterator[str]:
        text = self._after.text
        found = text.instructions[key]
        for name in found.written.operands:
            operand = text.find(name, found.computation)
            if operand is not None:
                yield operand
        for computation in found.written.called:
            if computation in text.roots:
                yield text.roots[computation]
        if found.written.opcode == "parameter":
            for caller in callers.get(found.computation, ()):
                yield from _operands(text, text.instructions[caller])
                yield from (
                    text.roots[name]
                    for name in text.instructions[caller].written.called
                    if name in text.roots
                )

    # Replacements of an instruction

    def _made(self, culprit: Culprit) -> Culprit:
        """The new instruction behind a forwarded value that selects or computes it wrongly."""
        key = self._flow.source(culprit.after)
        if self._origin(key) is not None:
            return culprit
        wanted = next(iter(_by_key(self._before.steps(culprit.process)).get(culprit.before, ())), None)
        value = None if wanted is None else self._before.value(result(wanted, process=culprit.process))
        while self._opcode(key) in _MOVING:
            operand = self._flow.operands(self._after.text.instructions[key])[0]
            if operand is None or self._origin(operand) is not None or self._holds(operand, value, culprit):
                break
            key = operand
        return replace(culprit, after=key)

    def _holds(self, key: str, wanted: Array | None, culprit: Culprit) -> bool:
        """Whether the right elements are a contiguous part of an instruction's result."""
        steps = _by_key(self._after.steps(culprit.process)).get(key)
        value = self._after.value(result(steps[0], process=culprit.process)) if steps else None
        if value is None or wanted is None or is_tuple(wanted):
            return False
        parts = list(value) if is_tuple(value) else [value]
        return any(has_window(part, wanted) for part in parts)

    # Bodies that run on whole arrays

    def _inside(self, culprit: Culprit) -> Culprit:
        """The changes in an instruction's body, if none of it was executed separately."""
        text = self._after.text
        if culprit.after in self._changes.changed or culprit.after in self._changes.replaced:
            return culprit
        members = [key for name in _bodies(text, culprit.after) for key in text.computations.get(name, ())]
        known = self._changes.changed | self._changes.replaced.keys()
        touched = [key for key in members if key in known and self._opcode(key) != "parameter"]
        if not touched:
            return culprit
        return replace(culprit, after=touched[0], before=self._origin(touched[0]) or culprit.before)


def _match_values(before: Executed, after: Executed, changes: TextChanges) -> dict[str, str]:
    """Pairs of instructions that the texts alone do not match: from after the pass to before it."""
    free = set(changes.added), set(changes.removed)
    if not all(free):
        return {}
    programs = before.recording.program, after.recording.program
    found: dict[str, str] = {}
    for pair in match_programs(*programs, (before.recording, after.recording)).pairs:
        old, new = before.keys[pair.before], after.keys[pair.after]
        if old in free[1] and new in free[0] and old is not None and new is not None:
            found[new] = old
    return found


def has_window(whole: Array, part: Array) -> bool:
    """Whether an array is a block of another one of the same rank and type."""
    if (
        whole.ndim != part.ndim
        or whole.dtype != part.dtype
        or any(np.less(whole.shape, part.shape))
        or not part.size
    ):
        return False
    windows = np.lib.stride_tricks.sliding_window_view(whole, part.shape)
    found = np.ones(windows.shape[: whole.ndim], np.bool_)
    for index in np.ndindex(part.shape):
        found &= windows[(..., *index)] == part[index]
        if not found.any():
            return False
    return True


def _by_key(steps: Iterator[tuple[int, str]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for step, key in steps:
        found.setdefault(key, []).append(step)
    return found


def _operands(text: HloText, found: Instruction) -> Iterator[str]:
    for name in found.written.operands:
        operand = text.find(name, found.computation)
        if operand is not None:
            yield operand


def _callers(text: HloText) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, instruction in text.instructions.items():
        for name in instruction.written.called:
            found.setdefault(name, []).append(key)
    return found


def _bodies(text: HloText, key: str) -> list[str]:
    """The computations that an instruction calls, directly and indirectly."""
    waiting = list(text.instructions[key].written.called)
    found: list[str] = []
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.append(name)
        for member in text.computations.get(name, ()):
            waiting += text.instructions[member].written.called
    return found
