"""Read regions, blocks and operations in MLIR's textual form.

A method that may read a region is a generator, run by `trampoline.run`: nesting costs no Python frames.
"""

import re
from dataclasses import dataclass

from ...cursor import BLOCK_NAME, VALUE_NAME, WORD
from ...errors import LimitError, ParseError, ProgramError
from ...ir.module import Block, Operation, Region, Value
from ...ir.types import Type
from ...limits import Limits
from ...source import OPS_BETWEEN_REPORTS, Source, Span
from ..attributes.read_locations import read_trailing_location
from ..attributes.text_reader import TextReader
from ..forms.control_forms import read_argument
from ..forms.custom_forms import custom_form
from ..forms.foreign_forms import FOREIGN_OPS
from ..forms.operation_draft import Draft, OpSyntax, OpTable
from ..forms.scopes import Scope
from ..forms.short_forms import compile_form
from ..text.recovery import Abandoned, LineStarts, Recovery
from ..text.suggestions import nearest
from ..text.trampoline import Steps
from .repeated_lines import MAX_LINES, Line, Template, template_of

MAX_RESULTS = 65_536
ISOLATED = ("func.func", "builtin.module")
"""Ops whose regions do not see the values around them."""
_ResultNames = list[tuple[str, int, Span]]
_NAMES = r"(%[^\s,:=%]++)(?::[0-9]++)?+(?:\s*+,\s*+%[^\s,:=%]++(?::[0-9]++)?+)*+(?:\s*+=(?!\s*+%)|[ \t]++(?=[a-z\"]))"
_LINES = LineStarts(
    operation=re.compile(rf'[ \t]*+(?:{_NAMES}|"[a-z_]\w*+\.|[a-z_]\w*+\.[a-z]|(?:return|call)\b)'),
    item=re.compile(
        r'[ \t]*+(?:"?func\.func\b|func[ \t]++@|"?builtin\.module\b|module\b|[#!]\w[^\s=]*+[ \t]*+=)'
    ),
)
_GENERIC_ITEMS = ('"func.func"', '"builtin.module"')
_DEFINITIONS = re.compile(rf"^[ \t]*+{_NAMES}", re.MULTILINE)


@dataclass(frozen=True)
class Mark:
    """The state of a reader between two operations of a block, or two items of a module."""

    brackets: int
    depth: int
    scope: Scope
    level: int


class OperationReader(TextReader):
    """Reads operations; the reader of functions and modules is a subclass."""

    def __init__(
        self, source: Source, op_table: OpTable, limits: Limits, recovery: Recovery | None = None
    ) -> None:
        super().__init__(source, limits)
        self.recovery = recovery
        """Collects errors; without it, the first one ends the reading."""
        self.op_table = op_table
        self.scope = Scope()
        self._ops = 0
        self._templates: dict[tuple[str, ...], Template] = {}
        self._unnamed = 0
        self._unnamed_prefix = ""

    def op_name(self, name: str) -> str | None:
        """The canonical name of the op that the text calls `name`; `None` if it is unknown."""
        known = self._known_syntax(name)
        return None if known is None else known.name

    def _known_syntax(self, name: str) -> OpSyntax | None:
        return self.op_table.get(name) or FOREIGN_OPS.get(name)

    # Regions and blocks

    def region(self, arguments: tuple[Value, ...] | None = None) -> Steps[Region]:
        """Read `{…}`; with `arguments`, its first block has these and no label."""
        start = self.position
        self.enter("{", ", which opens the region")
        self.scope.open()
        blocks: list[Block] = []
        if arguments is not None or not (self.peek("^") or self.peek("}")):
            blocks.append((yield self._block("", arguments or (), start)))
        while self.peek("^"):
            label_start = self.position
            label, label_arguments = self._label()
            blocks.append((yield self._block(label, label_arguments, label_start)))
        self.leave(", an operation or a block")
        self.scope.close()
        return Region(tuple(blocks), self.span_from(start))

    def _label(self) -> tuple[str, tuple[Value, ...]]:
        match = self.match(BLOCK_NAME)
        if not match:
            self.fail_expecting("a block's name, such as ^bb0")
        draft = Draft("", None, self, self.scope, Span(0, 0))
        arguments = tuple(self.list_of("(", lambda: read_argument(draft))) if self.peek("(") else ()
        self.expect(":", " after the block's name and arguments")
        return match[0], arguments

    def _block(self, label: str, arguments: tuple[Value, ...], start: int) -> Steps[Block]:
        for argument in arguments:
            self.scope.define(argument.name, (argument,), self)
        operations: list[Operation] = []
        text, mark = self.text, self.mark()
        while self.position < len(text) and text[self.position] not in "}^":
            start = self.position
            try:
                operation = self._repeated_operation() or (yield self.operation())
            except ProgramError as error:
                self._skip_operation(error, start, mark)
            else:
                if operation is not None:
                    operations.append(operation)
        return Block(arguments, tuple(operations), label, self.span_from(start))

    # Recovery from errors

    def mark(self) -> Mark:
        """The state to return to after an error."""
        return Mark(len(self._open), self.depth, self.scope, self.scope.level)

    def _return_to(self, mark: Mark, start: int, error: ProgramError) -> Recovery:
        """Report an error and restore the state before it; raises the error again if none are collected."""
        if self.recovery is None:
            raise error
        if not isinstance(error, Abandoned):
            self.recovery.report(error)
        self.recovery.skip(start)
        del self._open[mark.brackets :]
        self.depth, self.scope = mark.depth, mark.scope
        self.scope.close_to(mark.level)
        return self.recovery

    def _skip_operation(self, error: ProgramError, start: int, mark: Mark) -> None:
        """Report an error and move on to the next operation of the block, or to the block's end."""
        if self.text.startswith(_GENERIC_ITEMS, start):
            self.skip_item(error, start, mark)
            return
        self._return_to(mark, start, error)
        following = (
            None
            if isinstance(error, Abandoned)
            else _LINES.next_operation(self.text, start, self.innermost())
        )
        if following is None:
            raise Abandoned(error.message, error.span)
        line = self.text.rfind("\n", 0, start) + 1
        for names in _DEFINITIONS.finditer(self.text, line, following):
            for name in VALUE_NAME.findall(names[0]):
                self.scope.lose(name)
        self.move(following)

    def skip_item(self, error: ProgramError, start: int, mark: Mark) -> None:
        """Report an error and move on to the next function of the module, or to the module's end."""
        recovery = self._return_to(mark, start, error)
        following = _LINES.next_item(self.text, start, self.innermost())
        recovery.skip_symbols(self.text[start : self.text.find("\n", start)])
        if following is None:
            raise Abandoned(error.message, error.span)
        self.move(following)

    # Operations

    def operation(self) -> Steps[Operation | None]:
        """Read one operation with its results, regions and location.

        `None` if its types depend on an operation with an error.
        """
        start = self.position
        self._count_op(start)
        names = self._result_names() if self.peek("%") else []
        if self.peek('"'):
            draft = self._generic_draft()
            draft.result_count = sum(count for _, count, _ in names) if names else None
            yield self._read_generic(draft)
        else:
            draft, op = self._short_draft()
            draft.result_count = sum(count for _, count, _ in names) if names else None
            assert op.short_form is not None
            custom = custom_form(op.short_form)
            if custom is None:
                compile_form(op.short_form).read(draft)
            else:
                steps = custom.read(draft, self._region_of)
                if steps is not None:
                    yield steps
        types = draft.finish()
        results = self._define_results(names, types, start)
        if not self.scope.is_sound and not draft.is_known(types):
            assert self.recovery
            self.recovery.skip(start)
            return None
        end = self.end
        found = draft.operation(results, start, read_trailing_location(self))
        self._remember(Line(self.text, start), draft, [count for _, count, _ in names], end)
        return found

    def _remember(self, line: Line, draft: Draft, counts: list[int], end: int) -> None:
        template = template_of(line, draft, counts, end, self._follower())
        if template is not None:
            if len(self._templates) >= MAX_LINES:
                self._templates.clear()
            self._templates[line.texts] = template

    def _follower(self) -> str:
        return self.text[self.position : self.position + 1]

    def _repeated_operation(self) -> Operation | None:
        """Read an operation whose line differs from an earlier one only in names; else `None`, and nothing is read."""
        start, end = self.position, self.end
        line = Line(self.text, start)
        template = self._templates.get(line.texts)
        operands = None if template is None else self._operands(line, template)
        if template is None or operands is None:
            return None
        self.move(line.end)
        location = read_trailing_location(self)
        if self._follower() != template.follower:
            self.position, self.end = start, end
            return None
        self._count_op(start)
        span, spans = self.span_from(start), line.spans()
        names = list(zip(line.names, template.counts, spans, strict=False))
        regions = template.regions(line, self.scope)
        return Operation(
            template.name,
            operands,
            self._define_results(names, template.result_types, start),
            template.properties,
            template.attributes,
            regions,
            span=span,
            name_span=template.name_span(line, spans),
            operand_spans=tuple([spans[index] for index in template.operands]),
            location=location,
        )

    def _operands(self, line: Line, template: Template) -> tuple[Value, ...] | None:
        """The operands, if they are defined and of the types that the earlier line has."""
        found: list[Value] = []
        for index, wanted in zip(template.operands, template.operand_types, strict=True):
            value = self.scope.find(line.names[index])
            if value is None or (value.type is not wanted and value.type != wanted):
                return None
            found.append(value)
        return tuple(found)

    def _region_of(self, draft: Draft, arguments: tuple[Value, ...] | None) -> Steps[Region]:
        return self.region(arguments)

    def _count_op(self, start: int) -> None:
        self._ops += 1
        if self._ops > self.limits.max_ops:
            span = Span(start, start + 1)
            message = f"the program has more than {self.limits.max_ops:,} operations"
            raise LimitError(message, span, label="max_ops")
        if self.on_progress and not self._ops % OPS_BETWEEN_REPORTS:
            self.on_progress("reading", start)

    def _result_names(self) -> _ResultNames:
        names: _ResultNames = []
        while True:
            start = self.position
            match = self.match(VALUE_NAME)
            if not match:
                self.fail_expecting("a result's name, such as %0", here=True)
            span = Span(start, match.end())
            count = self._pack_size(start) if self.accept(":") else 1
            names.append((match[0], count, span))
            if not self.accept(","):
                break
        self.expect("=", " and an operation")
        return names

    def _pack_size(self, start: int) -> int:
        count = self.integer("the number of results")
        if not 0 < count <= MAX_RESULTS:
            self.fail(f"a pack has 1 to {MAX_RESULTS:,} results", start)
        return count

    def _define_results(self, names: _ResultNames, types: list[Type], start: int) -> tuple[Value, ...]:
        if not names:
            return tuple(Value(self._unused_name(), found, Span(start, start)) for found in types)
        results: list[Value] = []
        for name, count, span in names:
            found = types[len(results) : len(results) + count]
            if count == 1:
                pack: tuple[Value, ...] = (Value(name, found[0], span),)
            else:
                pack = tuple(Value(f"{name}#{number}", t, span) for number, t in enumerate(found))
            self.scope.define(name, pack, self)
            results += pack
        return tuple(results)

    def _unused_name(self) -> str:
        """A new name for a result that the text does not name."""
        if not self._unnamed_prefix:
            self._unnamed_prefix = "%unused"
            while self._unnamed_prefix in self.text:
                self._unnamed_prefix += "_"
        self._unnamed += 1
        return f"{self._unnamed_prefix}{self._unnamed}"

    # The short form

    def _short_draft(self) -> tuple[Draft, OpSyntax]:
        start = self.position
        match = WORD.match(self.text, start)
        if not match:
            hint = "a comment begins with //" if self.peek("#") else None
            self.fail_expecting("an operation", hint, closing=True, here=True)
        op = self._known_syntax(match[0])
        span = Span(start, match.end())
        if op is None or op.short_form is None:
            raise self._unknown_op(match[0], span, op)
        self.move(match.end())
        return Draft(op.name, op, self, self.scope, span), op

    def _unknown_op(self, name: str, span: Span, op: OpSyntax | None) -> ParseError:
        generic = f'"{op.name if op else name}"(%operands) : (types) -> types'
        if op is not None:
            return ParseError(
                f"'{name}' has no short form here", span, hint=f"write it in the generic form: {generic}"
            )
        return ParseError(f"unknown op '{name}'", span, hint=self._hint_for(name))

    def _hint_for(self, name: str) -> str | None:
        dialect, dot, mnemonic = name.partition(".") if "." in name else ("", "", name)
        prefix = dialect + dot
        siblings = [known.removeprefix(prefix) for known in self.op_table if known.startswith(prefix)]
        near = nearest(mnemonic, siblings, prefix=prefix, likeness=0.65)
        if near is not None:
            return near
        if name == "HloModule":
            return "this is HLO text; only StableHLO can be read here"
        if not dot:
            return "a program is a module, or functions: func.func @main() { … }"
        twin = next((known for known in self.op_table if known.partition(".")[2] == mnemonic), None)
        if twin is not None:
            return f"did you mean '{twin}'?"
        if siblings:
            return "the page /ops lists the ops that this version runs"
        return OTHER_DIALECTS.get(dialect, f"ops of the dialect '{dialect}' are unknown")

    # The generic form

    def _generic_draft(self) -> Draft:
        start = self.position
        name = self.string()
        span = self.span_from(start)
        if not name:
            self.fail("an op's name is empty", start)
        op = self._known_syntax(name)
        return Draft(op.name if op else name, op, self, self.scope, span)

    def _read_generic(self, draft: Draft) -> Steps[None]:
        """Read `(%0) [^bb1] <{…}> ({…}) {…} : (…) -> …`, after the name."""
        self.enter("(", " and the operands")
        draft.operand_list()
        self.leave(" or ',' and an operand")
        if self.peek("["):
            draft.successors = tuple(self.list_of("[", self._successor))
        if self.peek("<"):
            draft.property_dictionary()
        if self.peek("("):
            yield self._regions(draft)
        draft.attribute_dictionary()
        self.expect(":", " and the types of operands and results")
        draft.functional_type()

    def _successor(self) -> str:
        match = self.match(BLOCK_NAME)
        return match[0] if match else self.fail_expecting("a block's name, such as ^bb1")

    def _regions(self, draft: Draft) -> Steps[None]:
        self.enter("(")
        draft.regions.append((yield self._own_region(draft)))
        while self.accept(","):
            draft.regions.append((yield self._own_region(draft)))
        self.leave(" or ',' and a region")

    def _own_region(self, draft: Draft) -> Steps[Region]:
        if draft.name not in ISOLATED:
            own: Region = yield self.region()
            return own
        outer, self.scope = self.scope, Scope()
        region: Region = yield self.region()
        self.scope = outer
        return region


OTHER_DIALECTS = {
    "mpmd": "hloscope does not run the dialect 'mpmd', whose programs consist of fragments for several meshes: "
    "give it the StableHLO of one fragment",
    "vhlo": "this is VHLO, the form in which StableHLO is stored: give hloscope the portable artifact itself, or the "
    "StableHLO that stablehlo-translate --deserialize makes of it",
}
"""Hints for operations of dialects that hloscope does not run."""
