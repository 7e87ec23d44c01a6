r"""Short forms of ops, and the words in which op classes state them.

A short form is a line of words separated by blanks, which the reader and the printer share:

| word                 | in the text                                                                    |
|----------------------|--------------------------------------------------------------------------------|
| `,` `:` `->` `dims =` | itself                                                                         |
| `operands`           | comma-separated values, possibly none                                           |
| `$name`              | the property `name`: a number, a list `[0, 1]`, a string, `@symbol`, `dense<…>` |
| `$name<kind>`        | a word, kept as `#dialect<kind word>` of the op's dialect                      |
| `$name<i32>`         | an integer of that type                                                        |
| `$name<symbol-name>` | `@name`, kept as a string                                                      |
| `$name<#sdy.mesh>`   | `<…>`, kept as the text `#sdy.mesh<…>`                                         |
| `$name<#sdy<axes>`   | `{…}` or `[…]`, kept as the text `#sdy<axes{…}>`                               |
| `$name<A\|B>`        | one of the words, kept as its number, an i32 unless it is `$name<A\|B:i64>`     |
| `name=`              | itself, without a blank after it                                               |
| `word\|other`        | either; the first is printed                                                   |
| `attr-dict`          | `{…}` with all attributes that no other word states; omitted if there are none  |
| `functional-type`    | `(operand types) -> result types`                                              |
| `same-type`          | one type for all operands and results; a functional type where they differ     |
| `select-type`        | the type of the predicate, then one for all others; or a functional type       |
| `pairwise-types`     | a type for each operand, which is also the type of the result at its position  |
| `operand-type`       | one type for all operands, or a type for each                                  |
| `operand-types`      | a type for each operand                                                        |
| `first-type`         | the first operand's type                                                       |
| `result-type`        | the only result's type                                                         |
| `result-types`       | one type, or types in parentheses                                              |
| `result:index`       | nothing: the result is of that type; `result:element` of the first operand's   |
| `slice-ranges`       | `[0:4:2, …]`: the properties `start_indices`, `limit_indices`, `strides`       |
| `exponent-mantissa`  | `e5m10`: the properties `exponent_bits` and `mantissa_bits`                    |
| `precision-config`   | `, precision = [DEFAULT, HIGH]`, or nothing: the property `precision_config`   |
| `overflow-flags`     | `overflow<nsw>`, or nothing: the property `overflowFlags`                      |
| `(, word … )?`       | all of it or nothing                                                           |
| `(word … )!`         | the same, of newer MLIR: read; printed in the generic form, which older reads  |
| `custom NAME`        | an irregular form, in `custom_forms.py`                                        |

Types that no word states come from the operands' definitions; without a word for results, an op
without operands has its property `value`'s type as result and any other op has no results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from ...ir.attributes import Attribute, DenseAttribute
from ...ir.module import Operation
from ..attributes.print_attributes import print_dictionary
from .form_attributes import read_property, write_property
from .form_types import IMPLIED, RESULT_WORDS, TYPE_WORDS, read_types, write_types
from .form_words import WORDS
from .operation_draft import Draft

Text = tuple[str, bool]
"""A printed text, and whether it is punctuation of the form."""


class Element(Protocol):
    """One word of a form."""

    @property
    def names(self) -> frozenset[str]:
        """The properties that it states."""

    def read(self, draft: Draft) -> None:
        """Read it into `draft`."""

    def write(self, operation: Operation, form: Form) -> list[Text] | None:
        """Its text for `operation`; `None` if the word cannot express it."""

    def comes_next(self, draft: Draft) -> bool:
        """Whether this word comes next."""


@dataclass(frozen=True)
class Literal:
    """A word or punctuation, written literally."""

    text: str
    names: frozenset[str] = frozenset()

    def read(self, draft: Draft) -> None:
        if not self.comes_next(draft):
            draft.reader.fail_expecting(f"'{self.text}'", hint=_hint(draft))
        if len(self.text) > 1 and self.text[-1] == "=":
            draft.reader.accept(self.text[:-1])
            draft.reader.expect("=")
        else:
            draft.reader.accept(self.text)

    def write(self, operation: Operation, form: Form) -> list[Text] | None:
        return [(self.text, True)]

    def comes_next(self, draft: Draft) -> bool:
        if self.text[0].isalpha():
            return draft.reader.peek_word() == self.text.removesuffix("=")
        return draft.reader.peek(self.text)

    def skip(self, draft: Draft) -> bool:
        """Skip it if it comes next."""
        return self.comes_next(draft) and draft.reader.accept(self.text.removesuffix("=") or "=")


@dataclass(frozen=True)
class Choice(Literal):
    """A word with an alternative spelling; the first one is printed."""

    other: str = ""

    def read(self, draft: Draft) -> None:
        self._spell(draft).read(draft)

    def comes_next(self, draft: Draft) -> bool:
        return self._spell(draft).comes_next(draft)

    def skip(self, draft: Draft) -> bool:
        return self._spell(draft).skip(draft)

    def _spell(self, draft: Draft) -> Literal:
        return Literal(self.other if draft.reader.peek_word() == self.other else self.text)


def _hint(draft: Draft) -> str | None:
    form = draft.op.short_form if draft.op else None
    return f"it is written {draft.name}{describe_form(form)}" if form else None


_STRICT = frozenset(("arith", "func", "shape", "tensor"))
"""The dialects of `is_strict`."""
_DESCRIBED = {
    "operands": "%operands",
    "operands?": "%operands",
    "attr-dict": "",
    "functional-type": "(types) -> types",
    "same-type": "type",
    "select-type": "predicate type, type",
    "pairwise-types": "types",
    "operand-type": "type",
    "operand-types": "types",
    "first-type": "type",
    **dict.fromkeys(IMPLIED, ""),
    "result-type": "type",
    "result-types": "types",
    "slice-ranges": "[start:limit:stride, …]",
    "exponent-mantissa": "e5m10",
    "precision-config": "",
    "overflow-flags": "",
}


def describe_form(short_form: str) -> str:
    """A short form for error messages: `%operands, dims = […] : (types) -> types`."""
    words = [_describe(word) for word in short_form.split()]
    return _join([(word, word in (",", "(", ")", "[", "]")) for word in words if word])


def _describe(word: str) -> str:
    if word.startswith("(") and len(word) > 1:
        return f"[{_describe(word[1:])}"
    if word.endswith((")?", ")!")):
        return f"{_describe(word[:-2])}]"
    if word.startswith("$"):
        return word[1:].partition("<")[0]
    return _DESCRIBED.get(word, word.partition("|")[0])


@dataclass(frozen=True)
class Operands:
    """`operands`."""

    names: frozenset[str] = frozenset()

    def read(self, draft: Draft) -> None:
        draft.operand_list()

    def write(self, operation: Operation, form: Form) -> list[Text] | None:
        return [(", ".join([value.name for value in operation.operands]), False)]

    def comes_next(self, draft: Draft) -> bool:
        return draft.reader.peek("%")


@dataclass(frozen=True)
class Property:
    """`$name<kind>`."""

    name: str
    kind: str
    names: frozenset[str]

    def read(self, draft: Draft) -> None:
        draft.properties[self.name] = read_property(draft, self.name, self.kind)

    def write(self, operation: Operation, form: Form) -> list[Text] | None:
        attribute = operation.properties.get(self.name)
        text = None if attribute is None else write_property(operation, attribute, self.name, self.kind)
        return None if text is None else [(text, False)]

    def comes_next(self, draft: Draft) -> bool:
        return draft.reader.peek_word() != "" or not self.kind.isidentifier()


@dataclass(frozen=True)
class AttributeDictionary:
    """`attr-dict`."""

    names: frozenset[str] = frozenset()

    def read(self, draft: Draft) -> None:
        draft.attribute_dictionary()

    def write(self, operation: Operation, form: Form) -> list[Text] | None:
        entries = other_attributes(operation, form.names)
        if not entries.keys() <= operation.attributes.keys() and is_strict(operation):
            return None
        return [(print_dictionary(entries), False)] if entries else []

    def comes_next(self, draft: Draft) -> bool:
        return draft.reader.peek("{") or draft.has_properties_next()


def is_strict(operation: Operation) -> bool:
    """Whether newer MLIR writes properties of the op's dialect in angle brackets, which older MLIR does not read."""
    return operation.name.partition(".")[0] in _STRICT


def other_attributes(operation: Operation, stated: frozenset[str]) -> dict[str, Attribute]:
    """Properties and attributes that are not in `stated`."""
    entries = {name: value for name, value in operation.properties.items() if name not in stated}
    return entries | dict(operation.attributes)


@dataclass(frozen=True)
class Types:
    """`functional-type` and the other words for types."""

    word: str
    names: frozenset[str] = frozenset()

    def read(self, draft: Draft) -> None:
        read_types(draft, self.word)

    def write(self, operation: Operation, form: Form) -> list[Text] | None:
        text = write_types(operation, self.word)
        return None if text is None else [(text, False)]

    def comes_next(self, draft: Draft) -> bool:
        return True


@dataclass(frozen=True)
class Special:
    """A word of `form_words.py`, with its own read and write functions."""

    word: str
    names: frozenset[str]

    def read(self, draft: Draft) -> None:
        WORDS[self.word].read(draft)

    def write(self, operation: Operation, form: Form) -> list[Text] | None:
        text = WORDS[self.word].write(operation)
        return None if text is None else [(text, text.startswith(","))]

    def comes_next(self, draft: Draft) -> bool:
        return True


@dataclass(frozen=True)
class Optional:
    """`(… )?`, or `(… )!` of newer MLIR."""

    elements: tuple[Element, ...]
    names: frozenset[str]
    is_newer: bool = False

    def read(self, draft: Draft) -> None:
        # A group without properties states operand types; it may be absent only without operands.
        if self.comes_next(draft) or (draft.operands and not self.names):
            for element in self.elements:
                element.read(draft)

    def write(self, operation: Operation, form: Form) -> list[Text] | None:
        present = operation.properties.keys() & self.names if self.names else operation.operands
        if present and self.is_newer:
            return None
        return _write(self.elements, operation, form) if present else []

    def comes_next(self, draft: Draft) -> bool:
        reader = draft.reader
        back, end = reader.position, reader.end
        fits = True
        for element in self.elements:
            if not isinstance(element, Literal):
                if element is self.elements[0]:  # only a word of an enum can begin a group
                    fits = element.comes_next(draft)
                break
            fits = fits and element.skip(draft)
        reader.position, reader.end = back, end
        return fits


@dataclass(frozen=True)
class Form:
    """A compiled short form."""

    elements: tuple[Element, ...]
    names: frozenset[str]
    """The properties that it states outside `attr-dict`."""

    def read(self, draft: Draft) -> None:
        """Read the text after the op's name."""
        for element in self.elements:
            element.read(draft)

    def write(self, operation: Operation) -> str | None:
        """Print the text after the op's name; `None` if the form cannot express the operation."""
        if not self._can_express(operation):
            return None
        texts = _write(self.elements, operation, self)
        return None if texts is None else _join(texts)

    def _can_express(self, operation: Operation) -> bool:
        if operation.regions or (operation.operands and not self._has(Operands)):
            return False
        if not operation.properties.keys().isdisjoint(operation.attributes):
            return False
        if any(isinstance(element, Types) and element.word in RESULT_WORDS for element in self.elements):
            return True
        value = operation.properties.get("value")
        implied = [value.type] if isinstance(value, DenseAttribute) and not operation.operands else []
        return [result.type for result in operation.results] == implied

    def _has(self, kind: type) -> bool:
        return any(isinstance(element, kind) for element in self.elements)


def _write(elements: Sequence[Element], operation: Operation, form: Form) -> list[Text] | None:
    texts: list[Text] = []
    for element in elements:
        written = element.write(operation, form)
        if written is None:
            return None
        texts.extend(written)
    return texts


def _join(texts: list[Text]) -> str:
    """Join texts with blanks, except around brackets and before commas."""
    line = ""
    for text, punctuation in texts:
        tight = (punctuation and text[:1] in (",", "(", ")", "[", "]")) or line[-1:] in ("(", "[")
        tight = tight or (line[-1:] == "=" and line[-2:] != " =")
        line += text if tight or not text else f" {text}"
    return line


@cache
def compile_form(short_form: str) -> Form:
    """Compile the words of `short_form`."""
    elements, rest = _elements(short_form.split())
    assert not rest, f"unbalanced group in the short form {short_form!r}"
    return Form(elements, frozenset[str]().union(*(element.names for element in elements)))


def _elements(words: list[str]) -> tuple[tuple[Element, ...], list[str]]:
    elements: list[Element] = []
    while words:
        word, words = words[0], words[1:]
        if word.startswith("(") and len(word) > 1:
            is_newer = next(each for each in words if each.endswith((")?", ")!"))).endswith("!")
            inner, words = _elements([word[1:], *words])
            names = frozenset[str]().union(*(element.names for element in inner))
            elements.append(Optional(inner, names, is_newer))
        elif word.endswith((")?", ")!")):
            elements += [_element(word[:-2])] if len(word) > 2 else []
            return tuple(elements), words
        else:
            elements.append(_element(word))
    return tuple(elements), words


def _element(word: str) -> Element:
    if word in ("operands", "operands?"):
        return Operands()
    if word == "attr-dict":
        return AttributeDictionary()
    if word in TYPE_WORDS:
        return Types(word)
    if word in WORDS:
        return Special(word, WORDS[word].names)
    if word.startswith("$"):
        name, _, kind = word[1:].partition("<")
        return Property(name, kind.removesuffix(">"), frozenset([name]))
    first, _, other = word.partition("|")
    return Choice(first, frozenset(), other) if other else Literal(word)
