"""Analysis of a text: its program, and the words with the same meaning."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from hloscope.engine.communication import check_collectives
from hloscope.engine.frontend import Loaded, load
from hloscope.engine.ir.module import Function, Module, Operation, Value, walk
from hloscope.engine.limits import Limits
from hloscope.engine.program import BoundProgram
from hloscope.engine.source import Source, Span
from hloscope.engine.syntax import looks_like_hlo, tokens


@dataclass(frozen=True)
class Mention:
    """A word that denotes a value or function; equal `key`s denote the same one."""

    span: Span
    key: tuple[Literal["value", "function"], Hashable]
    defines: bool = False

    @property
    def kind(self) -> Literal["value", "function"]:
        """The kind of its referent."""
        return self.key[0]


class Analysis:
    """The analysis of one text; each part is computed on demand."""

    def __init__(self, text: str, name: str, limits: Limits) -> None:
        self.text, self.source = text, Source(text, name)
        self.is_hlo = looks_like_hlo(text)
        self.loaded: Loaded = load(self.source, limits)
        program = self.loaded.program
        collectives = (
            check_collectives(program, program.entry, limits=limits) if program and program.entry else ()
        )
        self.diagnostics = (*self.loaded.diagnostics, *collectives)

    @property
    def module(self) -> Module | None:
        """The parsed program; `None` if the text does not parse."""
        return self.loaded.module

    @property
    def program(self) -> BoundProgram | None:
        """The program, if it may run."""
        return self.loaded.program

    @cached_property
    def tokens(self) -> Sequence[tuple[int, int, str]]:
        """Start, end and kind of each token."""
        return tokens(self.text)

    def token_at(self, offset: int) -> tuple[int, int, str] | None:
        """The token at an offset, or the one that ends there."""
        place = bisect_right(self.tokens, offset, key=lambda token: token[0]) - 1
        if place < 0 or self.tokens[place][1] < offset:
            return None
        return self.tokens[place]

    def functions(self) -> Iterator[Function]:
        """All functions, including those of inner modules."""
        for _, module in self.module.all_modules() if self.module else ():
            yield from module.functions

    @cached_property
    def operations(self) -> Sequence[Operation]:
        """All operations, in the order of the text."""
        found = [op for function in self.functions() if function.body for op in walk(function.body)]
        return sorted(found, key=lambda operation: operation.span.start)

    def operation_at(self, offset: int) -> Operation | None:
        """The innermost operation around an offset."""
        place = bisect_right(self.operations, offset, key=lambda operation: operation.span.start) - 1
        while place >= 0:
            if self.operations[place].span.end >= offset:
                return self.operations[place]
            place -= 1
        return None

    @cached_property
    def mentions(self) -> Sequence[Mention]:
        """All words that denote values or functions, in order."""
        found = [*self._values(), *self._functions()]
        return sorted(found, key=lambda mention: (mention.span.start, -mention.span.end))

    @cached_property
    def by_key(self) -> Mapping[Hashable, Sequence[Mention]]:
        """The words by their referent."""
        found: defaultdict[Hashable, list[Mention]] = defaultdict(list)
        for mention in self.mentions:
            found[mention.key].append(mention)
        return found

    def mention_at(self, offset: int) -> Mention | None:
        """The word at an offset."""
        place = bisect_right(self.mentions, offset, key=lambda mention: mention.span.start) - 1
        if place >= 0 and self.mentions[place].span.end >= offset:
            return self.mentions[place]
        return None

    def _values(self) -> Iterator[Mention]:
        for function in self.functions():
            yield from (self._defined(value) for value in function.arguments if value.span.end)
        for operation in self.operations:
            yield from (self._defined(value) for value in operation.results if value.span.end)
            for value, span in zip(operation.operands, operation.operand_spans, strict=False):
                yield Mention(span, self._key(value))
            for region in operation.regions:
                if not region.function:
                    arguments = (value for block in region.blocks for value in block.arguments)
                    yield from (self._defined(value) for value in arguments if value.span.end)

    def _defined(self, value: Value) -> Mention:
        return Mention(value.span, self._key(value), defines=True)

    @staticmethod
    def _key(value: Value) -> tuple[Literal["value", "function"], Hashable]:
        # Results of one operation are defined by one word: `%0:2`.
        return ("value", value.span.start) if value.span.end else ("value", id(value))

    def _functions(self) -> Iterator[Mention]:
        names = {function.name: function for function in self.functions()}
        for start, end, kind in self.tokens:
            name = self.text[start:end].strip('@%"')
            if name in names and kind in (("value", "name", "operation") if self.is_hlo else ("symbol",)):
                own = names[name].name_span
                defines = own.start <= start < max(own.end, own.start + 1)
                if not self.is_hlo or defines or self._is_called(start):
                    yield Mention(Span(start, end), ("function", name), defines)

    def _is_called(self, start: int) -> bool:
        """Whether HLO text names a computation: `to_apply=%add`, `branch_computations={%a, %b}`."""
        before = self.text[max(0, start - 400) : start].rstrip(" ,")
        return before.endswith(("=", "{")) or "_computations={" in before.rpartition("}")[2]
