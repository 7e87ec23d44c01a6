"""An HLO instruction while it is converted to an operation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn, TypeVar

from ...errors import ParseError, StructureError
from ...ir.attributes import Attribute, SymbolAttribute
from ...ir.locations import Location
from ...ir.module import Function, Operation, Region, Value
from ...ir.types import Type
from ...source import Span
from ..text.suggestions import nearest
from .raw import RawInstruction, RawReader
from .values.hlo_cursor import HloCursor

Found = TypeVar("Found")
RETURN = "stablehlo.return"


@dataclass(slots=True)
class Draft:
    """The parts of an operation, filled by the form of the opcode."""

    raw: RawInstruction
    reader: RawReader
    operands: Sequence[Value]
    functions: dict[str, Function]
    """Computations built so far."""
    name: str = ""
    """Name of the op that the instruction denotes."""
    properties: dict[str, Attribute] = field(default_factory=dict)
    regions: list[Region] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    """Attributes that the form has read."""
    names_computations: bool = False
    """Whether the form has read the name of a computation that is no region."""
    region_keys: list[str] = field(default_factory=list)
    """The attribute of each region that `region` appended."""
    callees: dict[str, str] = field(default_factory=dict)
    """The properties that name a computation, each with its attribute."""

    def has(self, key: str) -> bool:
        """Whether the text states attribute `key`."""
        return key in self.raw.stated.texts

    def value(self, key: str, read: Callable[[HloCursor], Found]) -> Found | None:
        """Apply `read` to attribute `key`; `None` if the text does not state it."""
        if not self.has(key):
            return None
        span = self.raw.stated.span(key, self.raw.origin)
        self.used.add(key)
        reader = self.reader
        reader.move(span.start)
        found = read(reader)
        if reader.end < span.end and reader.position < span.end:
            reader.fail_expecting(f"the end of attribute '{key}'")
        return found

    def text(self, key: str) -> str | None:
        """The text of attribute `key`."""
        text = self.raw.stated.texts.get(key)
        if text is not None:
            self.used.add(key)
        return text

    def others(self) -> Mapping[str, Attribute]:
        """Attributes that the form has not read, as text."""
        return self.raw.stated.others(self.used)

    def operation(self, results: tuple[Value, ...], location: Location | None = None) -> Operation:
        """Build the operation."""
        raw = self.raw
        return Operation(
            self.name,
            tuple(self.operands),
            results,
            self.properties,
            self.others(),
            tuple(self.regions),
            span=raw.span,
            name_span=raw.opcode_span,
            operand_spans=tuple([operand.span for operand in raw.operands]),
            location=location,
            opcode=raw.opcode,
        )

    def keep(self, key: str) -> None:
        """Keep attribute `key` as text too, because the property does not preserve all of it."""
        self.used.discard(key)

    def type(self) -> Type:
        """The declared shape."""
        if self.raw.type is None:
            self.fail(f"state the shape of '{self.raw.opcode}': name = f32[2,3] {self.raw.opcode}(…)")
        return self.raw.type

    # Computations

    def computation(self, key: str) -> Function:
        """The computation that attribute `key` names."""
        found = self.computations(key)
        if len(found) != 1:
            self.fail_attribute(key, f"attribute '{key}' names {len(found)} computations, not one")
        return found[0]

    def computations(self, key: str) -> list[Function]:
        """The computations that attribute `key` names: a name, or `{a, b}`."""
        self.names_computations = True
        named = self.functions.get(self.raw.stated.texts.get(key, "").removeprefix("%"))
        if named is not None:
            self.used.add(key)
            return [named]
        inline = self.raw.inline.get(key)
        if inline is not None:
            self.used.add(key)
            return [self.functions[name] for name in inline]
        names = self.value(key, read_names)
        if names is None:
            self.fail(f"needs the attribute '{key}', which names a computation")
        return [self._function(name, span) for name, span in names]

    def _function(self, name: str, span: Span) -> Function:
        found = self.functions.get(name)
        if found is not None:
            return found
        if name in self.reader.computations:
            message = f"computation {name} calls itself, directly or indirectly"
            raise StructureError(message, span, hint="computations of HLO cannot be recursive; use while")
        hint = nearest(name, self.reader.computations)
        raise StructureError(f"computation {name} is not defined", span, hint=hint)

    def region(self, key: str) -> None:
        """Append the computation that attribute `key` names as the next region."""
        names_others = self.names_computations
        function = self.computation(key)
        self.regions.append(self.body(function, self.raw.stated.span(key, self.raw.origin)))
        self.names_computations = names_others
        self.region_keys.append(key)

    def callee(self, key: str, name: str) -> None:
        """State the computation that attribute `key` names as property `name`."""
        names_others = self.names_computations
        self.properties[name] = SymbolAttribute(self.computation(key).name)
        self.names_computations = names_others
        self.callees[name] = key

    @staticmethod
    def body(function: Function, span: Span) -> Region:
        """A computation's body as a region of the instruction."""
        assert function.body
        return Region(function.body.blocks, span, function.name)

    # Errors

    def fail_attribute(self, key: str, message: str, hint: str | None = None) -> NoReturn:
        """Raise an error about attribute `key`."""
        raise ParseError(message, self.raw.attributes[key], hint=hint)

    def fail(self, message: str, hint: str | None = None) -> NoReturn:
        """Raise an error about the instruction."""
        raise StructureError(message, self.raw.opcode_span, op=self.raw.opcode, hint=hint)


def root_operation(value: Value, span: Span, root: Span) -> Operation:
    """The terminator of a computation, which HLO does not write; placed at `span`."""
    return Operation(RETURN, (value,), (), span=span, name_span=span, operand_spans=(root,), opcode="return")


def read_names(cursor: HloCursor) -> list[tuple[str, Span]]:
    """Read a computation's name, or several in braces, each with its span."""

    def computation_name() -> tuple[str, Span]:
        start = cursor.position
        return cursor.name("a computation's name"), cursor.span_from(start)

    return cursor.list_of("{", computation_name) if cursor.peek("{") else [computation_name()]
