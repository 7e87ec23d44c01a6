"""Two optimised texts of one program: the instructions that XLA launches in one and not in the other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from hloscope.engine.passes.instructions import HloText, Instruction, Written, read_instructions
from hloscope.engine.passes.text_changes import TextChanges, compare_texts

_SEQUENCES = frozenset({"while", "conditional", "call", "async-start"})
"""Opcodes whose computations XLA runs instruction by instruction; others are one kernel."""
_FREE = frozenset({"parameter", "constant", "get-tuple-element", "tuple", "bitcast"})
"""Opcodes that compute nothing."""
_TARGET = re.compile(r'custom_call_target="([^"]*)"')
_FUSION = re.compile(r'"kind":"(\w+)"|kind=(\w+)')


@dataclass(frozen=True)
class OptimisedTexts:
    """What XLA launches in two texts; instructions of a loop or a branch count once."""

    changes: TextChanges

    @classmethod
    def of(cls, before: str, after: str) -> OptimisedTexts:
        """Match two texts."""
        return cls(compare_texts(read_instructions(before), read_instructions(after)))

    @cached_property
    def counts(self) -> Mapping[str, tuple[int, int]]:
        """The number of instructions of each op name whose number differs, in the first text and in the second."""
        before, after = (
            Counter(op_name(text.instructions[key].written) for key in keys)
            for text, keys in ((self.changes.before, self._before), (self.changes.after, self._after))
        )
        names = sorted(before.keys() | after.keys())
        return {name: (before[name], after[name]) for name in names if before[name] != after[name]}

    @cached_property
    def went(self) -> tuple[Instruction, ...]:
        """Instructions of the first text only."""
        found, kept = self.changes.before.instructions, {old for old, _ in self._pairs}
        return tuple(found[key] for key in self._before if key not in kept)

    @cached_property
    def appeared(self) -> tuple[Instruction, ...]:
        """Instructions of the second text only."""
        found, kept = self.changes.after.instructions, {new for _, new in self._pairs}
        return tuple(found[key] for key in self._after if key not in kept)

    @cached_property
    def changed(self) -> tuple[tuple[Instruction, Instruction], ...]:
        """Instructions of both that differ in shape, layout, attributes, operands or bodies."""
        before, after = self.changes.before.instructions, self.changes.after.instructions
        return tuple((before[old], after[new]) for old, new in self._pairs if self._differ(old, new))

    def _differ(self, old: str, new: str) -> bool:
        body = {*_body(self.changes.after, new)}
        return not self.changes.changed.isdisjoint({new, *body}) or {
            self.changes.matched.get(key) for key in body
        } != {*_body(self.changes.before, old)}

    @cached_property
    def _pairs(self) -> list[tuple[str, str]]:
        """The keys of matched instructions that both texts launch under one op name."""
        known, before, after = set(self._before), self.changes.before, self.changes.after
        matched = ((self.changes.matched.get(new), new) for new in self._after)
        return [
            (old, new)
            for old, new in matched
            if old in known
            and op_name(before.instructions[old].written) == op_name(after.instructions[new].written)
        ]

    @cached_property
    def _before(self) -> list[str]:
        return list(_launched(self.changes.before))

    @cached_property
    def _after(self) -> list[str]:
        return list(_launched(self.changes.after))


def op_name(written: Written) -> str:
    """The opcode, with the kind of a fusion and the target of a custom call."""
    if written.opcode == "custom-call" and (target := _TARGET.search(written.attributes)):
        return f"custom-call {target[1]}"
    if written.opcode == "fusion" and (kind := _FUSION.findall(written.attributes)):
        return f"fusion {''.join(kind[-1])}"
    return written.opcode


def _launched(text: HloText) -> Iterator[str]:
    """The keys of the instructions that XLA launches, computation by computation."""
    waiting, seen = [text.entry], set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for key in text.computations.get(name, ()):
            written = text.instructions[key].written
            if written.opcode not in _FREE:
                yield key
            if written.opcode in _SEQUENCES:
                waiting += written.called


def _body(text: HloText, key: str) -> Iterator[str]:
    """The keys of the instructions of a kernel, such as a fusion."""
    written = text.instructions[key].written
    if written.opcode in _SEQUENCES:
        return
    for name in written.called:
        for inner in text.computations.get(name, ()):
            if text.instructions[inner].written.opcode not in _FREE:
                yield inner
            yield from _body(text, inner)
