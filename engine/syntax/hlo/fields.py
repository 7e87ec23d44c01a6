"""Fields: attributes of HLO instructions and their properties, each with a reader and a printer."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from ...cursor import WORD
from ...ir.attribute_values import integers
from ...ir.attributes import (
    Attribute,
    BoolAttribute,
    DenseArrayAttribute,
    EnumAttribute,
    FloatAttribute,
    IntegerAttribute,
    StringAttribute,
    StructAttribute,
    SymbolAttribute,
)
from ...ir.element_types import ELEMENT_TYPES, F32
from ...ir.module import Operation
from ...ir.types import ScalarType
from ..text.float_text import float_bits
from .instruction_draft import Draft
from .values.hlo_cursor import HloCursor, quote

_REAL = re.compile(
    r"-?(?:inf|nan|[0-9]++(?:\.[0-9]*+)?+(?:[eE][-+]?[0-9]++)?+|\.[0-9]++(?:[eE][-+]?[0-9]++)?+)"
)
Written = Iterator[tuple[str, str]]
"""Names and texts of attributes, in order."""


class Field(Protocol):
    """An attribute of an opcode, or several attributes that form one property."""

    def read(self, draft: Draft) -> None:
        """Read the property from the text."""

    def write(self, operation: Operation) -> Written:
        """Yield the attributes that state the property."""


def integer(value: int, bits: int = 64) -> IntegerAttribute:
    """A signed integer of `bits` bits."""
    return IntegerAttribute(value, ScalarType(ELEMENT_TYPES[f"i{bits}"]))


def number_of(operation: Operation, name: str, default: int = 0) -> int:
    """The integer in a property, or `default`."""
    found = operation.properties.get(name)
    return found.value if isinstance(found, IntegerAttribute) else default


def numbers_of(operation: Operation, name: str) -> tuple[int, ...]:
    """The integers in a property; empty if there is none."""
    found = operation.properties.get(name)
    return tuple(map(int, found.values)) if isinstance(found, DenseArrayAttribute) else ()


def is_set(operation: Operation, name: str) -> bool:
    """Whether a property is `true`."""
    found = operation.properties.get(name)
    return isinstance(found, BoolAttribute) and found.value


def brace(values: tuple[int, ...]) -> str:
    """`{0,1}`."""
    return f"{{{','.join(map(str, values))}}}"


@dataclass(frozen=True)
class Numbers:
    """`dimensions={0,1}`. A missing attribute means an empty list, unless it is needed."""

    key: str
    name: str
    needed: bool = True

    def read(self, draft: Draft) -> None:
        found = draft.value(self.key, HloCursor.braced_integers)
        if found is None and self.needed:
            draft.fail(f"needs the attribute '{self.key}', such as {self.key}={{0}}")
        draft.properties[self.name] = integers(found or ())

    def write(self, operation: Operation) -> Written:
        yield self.key, brace(numbers_of(operation, self.name))


@dataclass(frozen=True)
class Single:
    """`dimensions={1}` with exactly one number, or `default` if the attribute is missing."""

    key: str
    name: str
    default: Callable[[Draft], int] | None = None

    def read(self, draft: Draft) -> None:
        found = draft.value(self.key, HloCursor.braced_integers)
        if found is None:
            if self.default is None:
                draft.fail(f"needs the attribute '{self.key}', such as {self.key}={{0}}")
            found = (self.default(draft),)
        if len(found) != 1:
            draft.fail_attribute(self.key, f"attribute '{self.key}' holds one number, not {len(found)}")
        draft.properties[self.name] = integer(found[0])

    def write(self, operation: Operation) -> Written:
        yield self.key, brace((number_of(operation, self.name),))


@dataclass(frozen=True)
class Integer:
    """`index=1`; a value equal to the default is not written."""

    key: str
    name: str
    bits: int = 64
    default: int | None = None

    def read(self, draft: Draft) -> None:
        found = draft.value(self.key, HloCursor.integer)
        if found is None:
            if self.default is None:
                draft.fail(f"needs the attribute '{self.key}', a number")
            found = self.default
        draft.properties[self.name] = integer(found, self.bits)

    def write(self, operation: Operation) -> Written:
        found = number_of(operation, self.name, self.default or 0)
        if found != self.default:
            yield self.key, str(found)


@dataclass(frozen=True)
class Flag:
    """`is_stable=true`; false if the attribute is missing."""

    key: str
    name: str
    always: bool = False
    """Whether XLA requires it even if it is false."""

    def read(self, draft: Draft) -> None:
        draft.properties[self.name] = BoolAttribute(draft.value(self.key, read_truth) or False)

    def write(self, operation: Operation) -> Written:
        if is_set(operation, self.name):
            yield self.key, "true"
        elif self.always:
            yield self.key, "false"


def read_truth(cursor: HloCursor) -> bool:
    """Read `true` or `false`."""
    if cursor.accept_word("true"):
        return True
    cursor.expect_word("false", " or 'true'")
    return False


@dataclass(frozen=True)
class Real:
    """`epsilon=0.001`."""

    key: str
    name: str

    def read(self, draft: Draft) -> None:
        found = draft.value(self.key, read_real)
        if found is None:
            draft.fail(f"needs the attribute '{self.key}', a number")
        bits = float_bits(found, F32)
        draft.properties[self.name] = FloatAttribute(bits, ScalarType(F32), found)

    def write(self, operation: Operation) -> Written:
        found = operation.properties.get(self.name)
        if isinstance(found, FloatAttribute):
            yield self.key, f"{found.value:.9g}"


def read_real(cursor: HloCursor) -> float:
    """Read a decimal number, `inf` or `nan`."""
    match = cursor.match(_REAL)
    return float(match[0]) if match else cursor.fail_expecting("a number")


@dataclass(frozen=True)
class Word:
    """`direction=LT`: a word for a value of a StableHLO enum, possibly spelled differently."""

    key: str
    name: str
    kind: str
    words: Mapping[str, str]
    """From HLO's word to StableHLO's."""
    default: str | None = None
    """HLO's word if the attribute is missing; an empty word omits the property."""

    def read(self, draft: Draft) -> None:
        word = draft.value(self.key, lambda cursor: cursor.word(f"a value of '{self.key}'"))
        if word is None:
            word = self.default
        if word == "":
            return
        if word is None:
            draft.fail(f"needs the attribute '{self.key}', one of {', '.join(self.words)}")
        if word not in self.words:
            draft.fail_attribute(
                self.key, f"unknown {self.key} '{word}'; expected one of {', '.join(self.words)}"
            )
        draft.properties[self.name] = EnumAttribute("stablehlo", self.kind, self.words[word])

    def write(self, operation: Operation) -> Written:
        found = operation.properties.get(self.name)
        if isinstance(found, EnumAttribute):
            yield self.key, next(word for word, value in self.words.items() if value == found.value)


@dataclass(frozen=True)
class Text:
    """`custom_call_target="f"`, or a word without quotes, as a string."""

    key: str
    name: str
    quote: bool = True
    needed: bool = False

    def read(self, draft: Draft) -> None:
        found = draft.value(self.key, read_text)
        if found is None and self.needed:
            draft.fail(f"needs the attribute '{self.key}'")
        if found is not None:
            draft.properties[self.name] = StringAttribute(found)

    def write(self, operation: Operation) -> Written:
        found = operation.properties.get(self.name)
        if isinstance(found, StringAttribute):
            yield self.key, quote(found.value) if self.quote else found.value


def read_text(cursor: HloCursor) -> str:
    """Read a string, or a word."""
    if cursor.peek('"') or cursor.peek("'"):
        return cursor.hlo_string()
    match = cursor.match(WORD)
    return match[0] if match else cursor.fail_expecting("a string or a word")


def words(*values: str) -> dict[str, str]:
    """Words that HLO and StableHLO spell alike."""
    return {value: value for value in values}


@dataclass(frozen=True)
class Parsed:
    """An attribute with its own reader and printer; default values are not written."""

    key: str
    name: str
    reader: Callable[[HloCursor], Attribute | None]
    printer: Callable[[Attribute], str]
    is_default: Callable[[Attribute], bool] | None = None

    def read(self, draft: Draft) -> None:
        found = draft.value(self.key, self.reader)
        if found is not None:
            draft.properties[self.name] = found

    def write(self, operation: Operation) -> Written:
        found = operation.properties.get(self.name)
        if found is not None and not (self.is_default and self.is_default(found)):
            yield self.key, self.printer(found)


@dataclass(frozen=True)
class Body:
    """`to_apply=name`: a computation that is a region of the op."""

    key: str
    position: int = 0

    def read(self, draft: Draft) -> None:
        draft.region(self.key)

    def write(self, operation: Operation) -> Written:
        yield self.key, f"%{operation.regions[self.position].function}"


@dataclass(frozen=True)
class Callee:
    """`calls=name`: a computation that the op calls."""

    key: str
    name: str

    def read(self, draft: Draft) -> None:
        draft.callee(self.key, self.name)

    def write(self, operation: Operation) -> Written:
        found = operation.properties.get(self.name)
        if isinstance(found, SymbolAttribute):
            yield self.key, f"%{found.root}"


@dataclass(frozen=True)
class Set:
    """A property without text, for a rule in which XLA differs from StableHLO."""

    name: str
    value: Attribute

    def read(self, draft: Draft) -> None:
        draft.properties[self.name] = self.value

    def write(self, operation: Operation) -> Written:
        return iter(())


@dataclass(frozen=True)
class Struct:
    """Lists and numbers in HLO that form one attribute of StableHLO: `#stablehlo.gather<…>`."""

    name: str
    mnemonic: str
    lists: Mapping[str, str]
    """From HLO's key to the parameter that is a list; all are optional."""
    single: Mapping[str, str]
    """From HLO's key to the parameter that is a number."""

    def read(self, draft: Draft) -> None:
        parameters: dict[str, Attribute] = {}
        for key, parameter in self.lists.items():
            parameters[parameter] = integers(draft.value(key, HloCursor.braced_integers) or ())
        for key, parameter in self.single.items():
            found = draft.value(key, HloCursor.integer)
            if found is None:
                draft.fail(f"needs the attribute '{key}', a number")
            parameters[parameter] = integer(found)
        draft.properties[self.name] = StructAttribute("stablehlo", self.mnemonic, parameters)

    def write(self, operation: Operation) -> Written:
        found = operation.properties.get(self.name)
        if not isinstance(found, StructAttribute):
            return
        for key, parameter in self.lists.items():
            value = found.parameters.get(parameter)
            listed = tuple(map(int, value.values)) if isinstance(value, DenseArrayAttribute) else ()
            if listed or key in _ALWAYS:
                yield key, brace(listed)
        for key, parameter in self.single.items():
            value = found.parameters.get(parameter)
            yield key, str(value.value if isinstance(value, IntegerAttribute) else 0)


_ALWAYS = frozenset(
    (
        *("offset_dims", "collapsed_slice_dims", "start_index_map"),
        *("update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims"),
    )
)
"""Lists that XLA writes even if they are empty."""
