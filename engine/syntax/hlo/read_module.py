"""Read a whole program in HLO text: header, tables, computations."""

import re

from ...errors import ParseError, ProgramError
from ...ir.attributes import Attribute, OpaqueAttribute
from ...ir.module import Module
from ...limits import Limits
from ...source import OnProgress, Source, Span
from ..text.recovery import Abandoned, Recovery
from ..text.trampoline import Steps, run
from .build import Builder, Infer
from .raw import RawComputation, RawInstruction, RawReader
from .stack_tables import StackTables, read_tables

TABLES = ("FileNames", "FunctionNames", "FileLocations", "StackFrames")
STACK_TABLES = "stack_tables"
"""The module attribute that holds the tables as text."""
_HLO = re.compile(
    r"""(?:[ \t\r\n]++|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)*+
    (?:HloModule\b
    |ENTRY\b
    |(?:ROOT[ \t]++)?%?[A-Za-z_][A-Za-z0-9_.-]*+[ \t]*+=[ \t]*+\(?[a-z][a-z0-9]*+\[
    |%?[A-Za-z_][A-Za-z0-9_.-]*+[ \t]*+\((?:%?[A-Za-z_][A-Za-z0-9_.-]*+[ \t]*+:|[ \t]*+\)[ \t]*+->)
    |%?[A-Za-z_][A-Za-z0-9_.-]*+[ \t]*+\{[ \t\r\n]*+(?:ROOT[ \t]++)?%?[A-Za-z_][A-Za-z0-9_.-]*+[ \t]*+=[ \t]*+\(?[a-z][a-z0-9]*+\[
    )""",
    re.VERBOSE,
)


def looks_like_hlo(text: str) -> bool:
    """Whether a text is HLO rather than MLIR, by its beginning."""
    return _HLO.match(text) is not None


def parse_hlo(
    source: Source,
    infer: Infer,
    limits: Limits,
    recovery: Recovery | None = None,
    on_progress: OnProgress | None = None,
) -> Module:
    """Parse a program in HLO text; raises `ProgramError` at the first error, unless `recovery` collects them.

    `infer` supplies the shapes that a text may omit.
    """
    reader = _ModuleReader(source, limits, recovery)
    reader.on_progress = on_progress
    run(reader.module())
    functions = Builder(reader, reader.tables, infer).all_functions()
    return Module(functions, reader.name_of_module, reader.attributes, source=source, language="hlo")


class _ModuleReader(RawReader):
    """Reads the whole text; `Builder` builds the computations."""

    def __init__(self, source: Source, limits: Limits, recovery: Recovery | None) -> None:
        super().__init__(source, limits, recovery)
        self.name_of_module = ""
        self.attributes: dict[str, Attribute] = {}
        self.tables = StackTables()

    def module(self) -> Steps[None]:
        """Read the whole text."""
        if self.accept_word("HloModule"):
            self._header()
        if self.peek_word() in TABLES:
            self._tables()
        if not self.at_end and self._is_lone():
            yield from self._read_instruction()
        while not self.at_end:
            start, mark = self.position, self.mark()
            try:
                yield self.computation()
            except ProgramError as error:
                self.skip_computation(error, start, mark)
        if not self.computations:
            if self.recovery and self.recovery.errors:
                raise Abandoned("the module has no computation")
            hint = "a program has at least one computation: ENTRY main { ROOT x = f32[] parameter(0) }"
            end = Span(len(self.text), len(self.text))
            raise ParseError("the module has no computation", end, hint=hint)

    def _header(self) -> None:
        if not self.peek(","):
            self.name_of_module = self.name("the module's name")
        stated: dict[str, Span] = {}
        self._attributes(stated)
        self.attributes = {
            key: OpaqueAttribute(self.text[span.start : span.end]) for key, span in stated.items()
        }

    def _tables(self) -> None:
        start = self.position
        self.tables = read_tables(self)
        self.attributes[STACK_TABLES] = OpaqueAttribute(self.text[start : self.end])

    # An instruction without a computation around it

    def _is_lone(self) -> bool:
        """Whether an instruction, not a computation, begins here."""
        back, end = self.position, self.end
        self.accept_word("ROOT")
        name = self.peek_name()
        if name:
            self.name("a name")
        found = bool(name) and self.peek("=")
        self.move(back)
        self.end = end
        return found

    def _read_instruction(self) -> Steps[None]:
        """Read one instruction; operands stated with their shapes become parameters."""
        into = RawComputation("entry", Span(self.position, self.position), is_entry=True)
        self._add(into)
        yield from self.instruction(into)
        (instruction,) = into.instructions[-1:]
        known = {raw.name for raw in into.instructions}
        parameters: dict[str, RawInstruction] = {}
        for raw in into.instructions:
            for operand in raw.operands:
                if operand.name not in known and operand.name not in parameters and operand.type is not None:
                    parameters[operand.name] = RawInstruction(
                        operand.name,
                        operand.span,
                        operand.type,
                        "parameter",
                        operand.span,
                        number=len(parameters),
                        span=operand.span,
                    )
        into.instructions[:0] = parameters.values()
        into.span = instruction.span
        into.end = Span(instruction.span.end, instruction.span.end)
