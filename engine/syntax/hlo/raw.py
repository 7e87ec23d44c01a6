"""First pass over HLO text: computations and instructions, with attributes as spans.

The meaning of an attribute depends on the opcode, and a computation may follow its use. So this pass only
records positions, and `build.py` builds operations once all names are known.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ...errors import LimitError, ParseError, ProgramError, StructureError
from ...ir.attributes import Attribute
from ...ir.types import Type
from ...limits import Limits
from ...source import NOWHERE, OPS_BETWEEN_REPORTS, Source, Span, packed_span
from ..text.recovery import Abandoned, LineStarts, Recovery
from ..text.trampoline import Steps
from .stated_attributes import COMPUTATIONS, NOTHING, StatedAttributes, stated_in
from .values.hlo_cursor import HloCursor
from .values.read_literals import read_literal
from .values.read_shapes import ShapeReader, looks_like_shape

_NAME = r"%?[A-Za-z_][A-Za-z0-9_.-]*+"
_HEAD = re.compile(rf"(ROOT\s++)?({_NAME})\s*+=\s*+")
_OPCODE = re.compile(r"([a-z][a-z0-9_-]*+)\s*+\(")
_OPERANDS = re.compile(rf"\s*+({_NAME}(?:\s*+,\s*+{_NAME})*+)?+\s*+\)(?=[\s,}}]|\Z)")
_OPERAND = re.compile(_NAME)
_USUAL = re.compile(
    rf"(ROOT\s++)?({_NAME})\s*+=\s*+([a-z][a-z0-9]*+\[[0-9,]*+\](?:\{{[^{{}}/]*+\}})?+|\([^()/]*+\))\ "
    rf"([a-z][a-z0-9_-]*+)\((?:({_NAME}(?:,\ {_NAME})*+)|([0-9]{{1,9}})|[0-9a-z.+-]++)\)"
)
"""An instruction as XLA prints it, up to its attributes; others are read part by part."""
_ELEMENT = re.compile(r"#([0-9]{1,9})(?![0-9])")
"""The element of a tuple, after the tuple's name."""
_ATTRIBUTE = re.compile(r",\s*+([A-Za-z_][A-Za-z0-9_.-]*+)=")
_VALUE = re.compile(
    r"""\{(?:[^{}"'/]++|"(?:[^"\\\n]++|\\.)*+")*+\}(?=[,\s}])|%?[A-Za-z0-9_.|+-]++(?=[,\n}])|"(?:[^"\\\n]++|\\.)*+"(?=[,\s}])"""
)
_STRING = r'"(?:[^"\\\n]++|\\.)*+"'
_NESTED = 6
"""Depth of the brackets in attributes as XLA prints them: a backend configuration."""


def _braced(depth: int) -> str:
    """The expression of a value in braces, with brackets in it up to this depth."""
    flat = rf"""[^(){{}}\[\]"'/\n]++|{_STRING}"""
    inside = flat
    for _ in range(depth - 1):
        inside = rf"{flat}|\{{(?:{inside})*+\}}|\[(?:{inside})*+\]"
    return rf"\{{(?:{inside})*+\}}"


_USUAL_ATTRIBUTE = re.compile(rf", ([a-z_-]++)=({_braced(_NESTED)}|%?[A-Za-z0-9_.|+-]++|{_STRING})(?=,|\Z)")
"""An attribute as XLA prints it, in the rest of a line."""
_CONFIG = ", backend_config="
_USUAL_CONFIG = re.compile(_braced(_NESTED))
_WITHOUT_DIGITS = str.maketrans("", "", "0123456789")
_PARAMETER = re.compile(rf"({_NAME}): ([a-z][a-z0-9]*+\[[0-9,]*+\](?:\{{[^{{}}/]*+\}})?+)(?=[,)])")
"""A parameter of a signature as XLA prints it."""
_NEXT_LINE = re.compile(r"(?:\n[ \t]*+)++(?=[%}A-Z_a-z])(?!T\()")
"""What ends a line, if the next one does not go on with the attributes, as one that begins with a bracket or `T(` may."""
MAX_ATTRIBUTES = 4_000
"""Maximum length of the attributes that are remembered."""
MAX_LITERAL = 40
"""Maximum length of a constant that is remembered."""
MAX_REMEMBERED = 20_000
"""Maximum number of lists of attributes, and of constants, that are remembered at a time."""
_INLINE = re.compile(rf"(\{{\s*+)?\{{\s*+(?:ROOT\b|{_NAME}\s*+=)")
"""A computation, or the first one in a list."""
_NUMBER = re.compile(r"[0-9]{1,9}(?![0-9])")
_PARENTHESIS = re.compile(r"\s*+\(")


ELEMENT_OPCODE = "get-tuple-element"
_LINES = LineStarts(
    operation=re.compile(
        rf"[ \t]*+(?:ROOT[ \t]++)?(?:{_NAME}[ \t]*+=[ \t]*+\(?[a-z]|{_NAME}[ \t]++\(?[a-z]\w*+\[)"
    ),
    item=re.compile(rf"[ \t]*+(?:ENTRY\b|{_NAME}[ \t]*+(?:\([^=\n]*\)[ \t]*+->[^=\n]*)?\{{[ \t]*+(?:\n|\Z))"),
)
Mark = tuple[int, int]
"""The number of open brackets and the nesting depth, to return to after an error."""


_NO_INLINE: Mapping[str, tuple[str, ...]] = MappingProxyType({})


@dataclass(slots=True)
class RawOperand:
    """A name, or an instruction written in place of a name."""

    name: str
    span: Span
    type: Type | None = None
    """The shape, if the operand states it."""


@dataclass(slots=True)
class RawInstruction:
    """One instruction as stated in the text."""

    name: str
    name_span: Span
    type: Type | None
    opcode: str
    opcode_span: Span
    operands: list[RawOperand] = field(default_factory=list)
    stated: StatedAttributes = NOTHING
    """The attributes."""
    origin: int = 0
    """The position from which the places of the attributes count."""
    inline: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: _NO_INLINE)
    """Generated names of the computations written inside an attribute."""
    literal: Attribute | None = None
    """The value of a constant."""
    number: int | None = None
    """The number of a parameter."""
    is_root: bool = False
    span: Span = NOWHERE
    has_error: bool = False
    """Whether only its name and its shape could be read."""
    states_shapes: bool = False
    """Whether its operands may state their shapes."""

    @property
    def attributes(self) -> dict[str, Span]:
        """Span of each attribute's value."""
        return self.stated.spans(self.origin)


@dataclass(slots=True)
class RawComputation:
    """A computation with its instructions in text order."""

    name: str
    name_span: Span
    instructions: list[RawInstruction] = field(default_factory=list)
    elements: dict[str, None] = field(default_factory=dict)
    """Names `tuple#1` of operands that are elements of a tuple."""
    is_entry: bool = False
    is_inline: bool = False
    """Whether it is written inside an instruction, in place of its name."""
    parameters: list[tuple[str, Type, Span]] | None = None
    """The parameters in the signature, if there is one."""
    result: Type | None = None
    result_span: Span = NOWHERE
    attributes: dict[str, Span] = field(default_factory=dict)
    span: Span = NOWHERE
    end: Span = NOWHERE
    """Span of the closing brace."""
    lost: frozenset[str] = frozenset()
    """Names of instructions of which not even the shape could be read."""
    has_errors: bool = False
    """Whether some of its instructions could not be read."""


class RawReader(HloCursor):
    """Reads computations."""

    def __init__(self, source: Source, limits: Limits, recovery: Recovery | None = None) -> None:
        super().__init__(source, limits)
        self.recovery = recovery
        """Collects errors; without it, the first one ends the reading."""
        self.shapes = ShapeReader()
        self.computations: dict[str, RawComputation] = {}
        self.stated: dict[str, StatedAttributes] = {}
        """The attributes of earlier instructions, by the rest of the line after the operands."""
        self.configs: set[str] = set()
        """Backend configurations as XLA prints them, without their digits."""
        self.literals: dict[tuple[int, str], tuple[Type, Attribute]] = {}
        """Short constants, by the `id` of their type and their text, with the type, which keeps its `id`."""
        self.names: dict[str, str] = {}
        """Names in the current computation without their `%`, interned by their spelling."""
        self.words: dict[str, str] = {}
        """Opcodes and names of attributes: all instructions share one string."""
        self._count = 0
        self._unnamed = 0

    # Recovery from errors

    def mark(self) -> Mark:
        """The state to return to after an error."""
        return len(self._open), self.depth

    def report(self, error: ProgramError, start: int) -> Recovery:
        """Report an error in what begins at `start`; raises it again if none are collected."""
        if self.recovery is None:
            raise error
        self.recovery.skip(start)
        if not isinstance(error, Abandoned):
            self.recovery.report(error)
        return self.recovery

    def skip(self, start: int) -> None:
        """Record that what begins at `start` is not read because of an error elsewhere."""
        assert self.recovery
        self.recovery.skip(start)

    def _return_to(self, mark: Mark) -> None:
        del self._open[mark[0] :]
        self.depth = mark[1]

    def _skip_instruction(self, error: ProgramError, start: int, mark: Mark, into: RawComputation) -> None:
        """Report an error and move on to the next instruction of the computation, or to its end."""
        self.report(error, start)
        self._return_to(mark)
        following = (
            None
            if isinstance(error, Abandoned)
            else _LINES.next_operation(self.text, start, self.innermost())
        )
        if following is None:
            raise Abandoned(error.message, error.span)
        into.has_errors = True
        self.move(start)
        if match := self.match(_HEAD):
            self._keep_shape(match, into)
        self._return_to(mark)
        self.move(following)

    def _keep_shape(self, match: re.Match[str], into: RawComputation) -> None:
        """Keep name and shape of an instruction that has an error after them."""
        name, span = match[2].lstrip("%"), Span(match.start(2), match.end(2))
        try:
            shape = self.shapes.read(self) if looks_like_shape(self) else None
        except ProgramError:
            shape = None
        if shape is None:
            into.lost |= {name}
        else:
            kept = RawInstruction(name, span, shape, "", span, is_root=match[1] is not None, has_error=True)
            into.instructions.append(kept)

    def skip_computation(self, error: ProgramError, start: int, mark: Mark) -> None:
        """Report an error and move on to the next computation."""
        recovery = self.report(error, start)
        self._return_to(mark)
        following = _LINES.next_item(self.text, start, None)
        line = self.text[start : self.text.find("\n", start)]
        if name := re.search(_NAME, line.removeprefix("ENTRY")):
            recovery.symbols.add(name[0].lstrip("%"))
            known = self.computations.get(name[0].lstrip("%"))
            if known is not None and known.name_span.start >= start:
                del self.computations[known.name]
        if following is None or following == start:
            raise Abandoned(error.message, error.span)
        self.move(following)

    def computation(self) -> Steps[RawComputation]:
        """Read `[ENTRY] name [(parameters) -> result] { … }`."""
        start = self.position
        is_entry = self.accept_word("ENTRY")
        if not self.peek_name():
            self.fail_expecting("a computation", here=True)
        name_start = self.position
        name = self.name("a computation's name")
        found = RawComputation(name, self.span_from(name_start), is_entry=is_entry)
        if self.peek("("):
            found.parameters = self.list_of("(", self._parameter)
            self.expect("->", " and the shape of the result")
            result_start = self.position
            found.result = self.shapes.read(self)
            found.result_span = self.span_from(result_start)
        self._add(found)
        self.names.clear()
        yield self.body(found)
        self._attributes(found.attributes)
        found.span = self.span_from(start)
        return found

    def _parameter(self) -> tuple[str, Type, Span]:
        return self._usual_parameter() or self._any_parameter()

    def _usual_parameter(self) -> tuple[str, Type, Span] | None:
        start = self.position
        match = _PARAMETER.match(self.text, start)
        known = self.shapes.known.get(match[2]) if match else None
        if match is None or known is None:
            return None
        self.move(match.end())
        return match[1].removeprefix("%"), known, Span(start, match.end())

    def _any_parameter(self) -> tuple[str, Type, Span]:
        start = self.position
        name = self.name("a parameter's name")
        self.expect(":", " and the parameter's shape")
        found = self.shapes.read(self)
        return name, found, self.span_from(start)

    def _add(self, found: RawComputation) -> None:
        known = self.computations.get(found.name)
        if known is not None:
            line, _ = self.source.line_and_column(known.name_span.start)
            message = f"computation {found.name} is defined twice, first on line {line}"
            raise StructureError(message, found.name_span, hint="give one of them another name")
        self.computations[found.name] = found

    def body(self, into: RawComputation) -> Steps[None]:
        """Read `{ instructions }`."""
        start = self.position
        self.enter("{", ", which opens the computation")
        mark = self.mark()
        while not self.peek("}"):
            if self.at_end:
                self.fail_expecting("an instruction or '}'", closing=True)
            instruction = self.position
            try:
                if not self._usual_line(into):
                    yield from self.instruction(into)
            except ProgramError as error:
                self._skip_instruction(error, instruction, mark, into)
        if not into.instructions and not into.has_errors:
            raise StructureError(f"computation {into.name} has no instruction", into.name_span)
        brace = self.position
        self.leave()
        into.end = Span(brace, brace + 1)
        into.span = self.span_from(start)

    # Instructions

    def instruction(self, into: RawComputation) -> Steps[None]:
        """Read `[ROOT] name = [shape] opcode(operands), attributes` into a computation."""
        start = self.position
        found = self._any_instruction(into)
        if not self._has_usual_attributes(found):
            yield from self._instruction_attributes(found)
        if self.accept(","):
            hint = "as in dimensions={1,0}: no blank before the '=', and braces around lists"
            self.fail_expecting("an attribute, name=value", hint)
        self._append(found, start, into)

    def _append(self, found: RawInstruction, start: int, into: RawComputation) -> None:
        found.span = self.span_from(start)
        into.instructions.append(found)
        if self.on_progress and not self._count % OPS_BETWEEN_REPORTS:
            self.on_progress("reading", start)

    def _usual_line(self, into: RawComputation) -> bool:
        """Read an instruction on a line as XLA prints it; nothing is read of others, whose attributes have another form."""
        before, start, count = self.end, self.position, self._count
        found = self._usual_instruction()
        if found is None:
            return False
        if not self._has_usual_attributes(found):
            self.end, self.position, self._count = before, start, count
            return False
        self._append(found, start, into)
        return True

    def _has_usual_attributes(self, found: RawInstruction) -> bool:
        """Read the attributes of a line as XLA prints them, or as those of an earlier instruction; or read nothing."""
        start, text = self.end, self.text
        line_end = text.find("\n", start)
        following = _NEXT_LINE.match(text, line_end) if start <= line_end <= start + MAX_ATTRIBUTES else None
        if following is None:
            return False
        written = text[start:line_end]
        stated = self.stated.get(written) or self._usual_attributes(written)
        if stated is None:
            return False
        found.stated, found.origin = stated, start
        self.end, self.position = line_end, following.end()
        return True

    def _usual_attributes(self, written: str) -> StatedAttributes | None:
        """The attributes of a text, unless one has another form, is given twice, or contains a computation."""
        words, config = self.words, self._usual_config(written)
        listed = written if config is None else written[: -len(_CONFIG) - len(config)]
        texts = {words.setdefault(key, key): text for key, text in _USUAL_ATTRIBUTE.findall(listed)}
        between = len(", =") * len(texts)
        if between + sum(map(len, texts)) + sum(map(len, texts.values())) != len(listed):
            return None
        if config is not None and texts.setdefault("backend_config", config) is not config:
            return None
        stated = StatedAttributes(texts)
        if any(texts[key].startswith("{") for key in stated.computations):
            return None
        if self.depth + _NESTED > self.limits.max_nesting:
            return None
        if len(self.stated) >= MAX_REMEMBERED:
            self.stated.clear()
        self.stated[written] = stated
        return stated

    def _usual_config(self, written: str) -> str | None:
        """The backend configuration at the end of a line, if it differs in digits only from one that was matched."""
        start = written.find(_CONFIG)
        if start < 0:
            return None
        config = written[start + len(_CONFIG) :]
        kind = config.translate(_WITHOUT_DIGITS)
        if kind not in self.configs:
            if "\\" in kind or _USUAL_CONFIG.fullmatch(config) is None or len(self.configs) >= MAX_REMEMBERED:
                return None
            self.configs.add(kind)
        return config

    def _instruction_attributes(self, found: RawInstruction) -> Steps[None]:
        start = found.origin = self.end
        spans: dict[str, Span] = {}
        while match := self.match(_ATTRIBUTE):
            inline = self._is_inline(match[1])
            if inline:
                yield self._inline(found, spans, match[1], is_list=inline[1] is not None)
            else:
                self._value(spans, match)
        found.stated = stated_in(self.text, spans, start)

    def _named(self, start: int, end: int) -> list[RawOperand]:
        return [
            RawOperand(self._shared_name(name[0]), Span(*name.span()))
            for name in _OPERAND.finditer(self.text, start, end)
        ]

    def _usual_operands(self, start: int, end: int) -> list[RawOperand]:
        found = []
        for written in self.text[start:end].split(", "):
            end = start + len(written)
            found.append(RawOperand(self._shared_name(written), packed_span(start << 32 | end)))
            start = end + len(", ")
        return found

    def _shared_name(self, written: str) -> str:
        """The name without its `%`, as one object for all its uses in a computation."""
        known = self.names.get(written)
        if known is None:
            known = self.names[written] = written.removeprefix("%")
        return known

    def _usual_instruction(self) -> RawInstruction | None:
        """Read an instruction of a known shape with one expression; `end` is then before its attributes."""
        text = self.text
        match = _USUAL.match(text, self.position)
        if match is None or self._count >= self.limits.max_ops:
            return None
        root, name, shape, opcode, operands, number = match.groups()
        stated = self.shapes.known.get(shape)
        literal = None
        if opcode == "constant":
            literal = self.literals.get((id(stated), text[match.end(4) + 1 : match.end() - 1]))
            if literal is None:
                return None
            operands = number = None
        elif stated is None or (number is None if opcode == "parameter" else operands is None):
            return None
        self._count += 1
        name_start, opcode_start = match.start(2), match.start(4)
        found = RawInstruction(
            self._shared_name(name),
            packed_span(name_start << 32 | name_start + len(name)),
            stated,
            self.words.setdefault(opcode, opcode),
            packed_span(opcode_start << 32 | opcode_start + len(opcode)),
            is_root=root is not None,
        )
        if literal is not None:
            found.literal = literal[1]
        elif operands is None:
            found.number = int(number)
        else:
            found.operands = self._usual_operands(*match.span(5))
        self.end = match.end()
        return found

    def _any_instruction(self, into: RawComputation) -> RawInstruction:
        match = self.match(_HEAD)
        if not match:
            self.fail_expecting("an instruction, name = shape opcode(…)", here=True)
        span = Span(match.start(2), match.end(2))
        stated = self.shapes.read(self) if looks_like_shape(self) else None
        found = RawInstruction(match[2].lstrip("%"), span, stated, *self._opcode())
        found.is_root = match[1] is not None
        self._operands(found, into)
        return found

    def _opcode(self) -> tuple[str, Span]:
        self._count += 1
        if self._count > self.limits.max_ops:
            message = f"the program has more than {self.limits.max_ops:,} instructions"
            raise LimitError(message, Span(self.position, self.position + 1), label="max_ops")
        match = _OPCODE.match(self.text, self.position)
        if not match:
            hint = (
                "shapes are written as f32[2,3]" if self.text.startswith("tensor<", self.position) else None
            )
            self.fail_expecting("an opcode and '('", hint)
        self.move(match.end(1))
        return match[1], Span(match.start(1), match.end(1))

    def _operands(self, found: RawInstruction, into: RawComputation) -> None:
        """Read `(…)` after the opcode, usually names."""
        if found.opcode == "constant":
            self.enter("(")
            if found.type is None:
                found.type = self._shape_inside()
            start = self.end
            found.literal = read_literal(self, found.type)
            self.leave()
            self._remember_literal(found.type, self.text[start : self.end - 1], found.literal)
            return
        if found.opcode == "parameter":
            self.enter("(")
            found.number = (
                int(match[0])
                if (match := self.match(_NUMBER))
                else self.fail_expecting("its number", "parameters are numbered from 0")
            )
            self.leave()
            return
        opening = _PARENTHESIS.match(self.text, self.position)
        plain = _OPERANDS.match(self.text, opening.end()) if opening else None
        if plain is None:
            self._any_operands(found, into)
            return
        if plain[1] is not None:
            found.operands = self._named(*plain.span(1))
        self.move(plain.end())

    def _remember_literal(self, stated: Type, written: str, literal: Attribute) -> None:
        if len(written) <= MAX_LITERAL:
            if len(self.literals) >= MAX_REMEMBERED:
                self.literals.clear()
            self.literals[id(stated), written] = stated, literal

    def _shape_inside(self) -> Type:
        if not looks_like_shape(self):
            self.fail_expecting("the constant's shape before 'constant'")
        return self.shapes.read(self)

    def _any_operands(self, found: RawInstruction, into: RawComputation) -> None:
        found.states_shapes = True
        for _ in self.each("("):
            found.operands.append(self._operand(into))

    def _operand(self, into: RawComputation) -> RawOperand:
        """Read `[shape] name`, or `[shape] opcode(operands)`."""
        start = self.position
        stated = self.shapes.read(self) if looks_like_shape(self) else None
        if not _OPCODE.match(self.text, self.position):
            return self._named_operand(stated, into)
        self.deepen(start)
        self._unnamed += 1
        nested = RawInstruction(
            f"{into.name}.nested.{self._unnamed}", Span(start, start), stated, *self._opcode()
        )
        self._operands(nested, into)
        self.depth -= 1
        nested.span = nested.name_span = self.span_from(start)
        into.instructions.append(nested)
        return RawOperand(nested.name, nested.span, stated)

    def _named_operand(self, stated: Type | None, into: RawComputation) -> RawOperand:
        """Read `name`, or `name#1`: an element of a tuple, for which a get-tuple-element is inserted."""
        start = self.position
        name = self.name("an operand")
        while element := self.match(_ELEMENT):
            index, span, taken = Span(element.start(1), element.end(1)), self.span_from(start), name
            name = f"{taken}#{int(element[1])}"
            if name not in into.elements:
                into.elements[name] = None
                operand = RawOperand(taken, Span(start, element.start()))
                taking = RawInstruction(name, span, None, ELEMENT_OPCODE, span, [operand], span=span)
                taking.stated = stated_in(self.text, {"index": index})
                into.instructions.append(taking)
        return RawOperand(name, self.span_from(start), stated)

    # Attributes

    def _attributes(self, into: dict[str, Span]) -> None:
        """Read any number of `, name=value`."""
        while match := self.match(_ATTRIBUTE):
            self._value(into, match)

    def _value(self, into: dict[str, Span], match: re.Match[str]) -> None:
        name = match[1]
        if name in into:
            raise ParseError(f"attribute '{name}' is given twice", Span(match.start(1), match.end(1)))
        value = self.match(_VALUE)
        into[name] = Span(value.start(), value.end()) if value else self.skip_value()

    def _is_inline(self, name: str) -> re.Match[str] | None:
        return _INLINE.match(self.text, self.position) if name in COMPUTATIONS else None

    def _inline(
        self, found: RawInstruction, spans: dict[str, Span], attribute: str, is_list: bool
    ) -> Steps[None]:
        start = self.position
        names = []
        for _ in self.each("{") if is_list else (None,):
            inner = self._unnamed_computation(f"{found.name}.{attribute}")
            yield self.body(inner)
            names.append(inner.name)
        spans[attribute] = self.span_from(start)
        found.inline = {**found.inline, attribute: tuple(names)}

    def _unnamed_computation(self, name: str) -> RawComputation:
        place = Span(self.position, self.position + 1)
        stem = name
        while name in self.computations:
            self._unnamed += 1
            name = f"{stem}.{self._unnamed}"
        found = RawComputation(name, place, is_inline=True)
        self._add(found)
        return found
