"""Configurations and frontend attributes: strings, JSON and dictionaries of MLIR."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.errors import LimitError
from hloscope.engine.ir.attributes import (
    ArrayAttribute,
    Attribute,
    BoolAttribute,
    DictionaryAttribute,
    FloatAttribute,
    IntegerAttribute,
    StringAttribute,
    SymbolAttribute,
    UnitAttribute,
)
from hloscope.engine.ir.element_types import ELEMENT_TYPES, F64
from hloscope.engine.ir.types import ScalarType
from hloscope.engine.ops.custom_calls.configuration import settings_of
from hloscope.engine.syntax.hlo.attributes.backend_configs import (
    frontend_attributes,
    parse_config,
    print_frontend_attributes,
    read_config,
    read_frontend_attributes,
)
from tests.each import for_each

from .printing import print_config
from .reading import cursor, read, refused


def integer(value: int, type_name: str = "i64") -> IntegerAttribute:
    return IntegerAttribute(value, ScalarType(ELEMENT_TYPES[type_name]))


CONFIGS: dict[str, Attribute] = {
    '"abc"': StringAttribute("abc"),
    "'abc'": StringAttribute("abc"),
    '""': StringAttribute(""),
    '"a\\"b\\n\\101"': StringAttribute('a"b\nA'),
    "{}": DictionaryAttribute({}),
    '{"a":{"b":1}}': DictionaryAttribute({"a": DictionaryAttribute({"b": integer(1)})}),
    '{ "a" : true , "b":[1,null,"x"] }': DictionaryAttribute(
        {"a": BoolAttribute(True), "b": ArrayAttribute((integer(1), UnitAttribute(), StringAttribute("x")))}
    ),
    '{"a":"}"}': DictionaryAttribute({"a": StringAttribute("}")}),
    '{"a":18446744073709551615}': DictionaryAttribute({"a": integer((1 << 64) - 1, "ui64")}),
    "{uplo = 76 : ui8}": DictionaryAttribute({"uplo": integer(76, "ui8")}),
    '{"a b" = 1 : i32, u}': DictionaryAttribute({"a b": integer(1, "i32"), "u": UnitAttribute()}),
    '{a = "}", f = @g}': DictionaryAttribute({"a": StringAttribute("}"), "f": SymbolAttribute("g")}),
}
WRONG = {
    "abc": "a configuration is a string or a dictionary",
    "[1,2]": "a configuration is a string or a dictionary",
    '"abc': "this string is not closed",
    '"abc" "d"': "expected the end of the configuration, found '\"d\"'",
    '{"a":}': "this is not JSON: Expecting value: line 1 column 6 (char 5)",
    '{"a":1e}': "this is not JSON: Expecting ',' delimiter: line 1 column 7 (char 6)",
    '{"a":99999999999999999999}': "a number does not fit in 64 bits",
    "{a = }": "expected an attribute, found '}'",
    "{a = 1": "expected ',' or '}', found the end of the text",
    '{"a":' + "[" * 300 + "]" * 300 + "}": "nested more than 200 levels deep",
    "{a = " + "[" * 300 + "]" * 300 + "}": "nested more than 200 levels deep",
}


@for_each("text", CONFIGS)
def test_configurations(text: str) -> None:
    assert read_config(text) == CONFIGS[text]


def test_numbers_of_json() -> None:
    found = read_config('{"a":2.5,"b":1e3}')
    assert found == DictionaryAttribute({"a": floating(2.5), "b": floating(1000.0)})


def floating(value: float) -> FloatAttribute:
    bits = {2.5: 0x4004000000000000, 1000.0: 0x408F400000000000}[value]
    return FloatAttribute(bits, ScalarType(F64), value)


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_wrong_configurations(text: str) -> None:
    assert read_config(text) is None
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared
        parse_config(text)
    assert str(caught.value) == WRONG[text]


def test_numbers_of_very_many_digits() -> None:
    assert read_config(f'{{"a":{"9" * 5000}}}') is None
    assert read_config(f'{{"a":-{"9" * 30}}}') is None


@pytest.mark.parametrize("end", ["", "\\", '"', '"}'])
def test_very_many_quotes(end: str) -> None:
    """Reading takes time linear in the text."""
    quotes = '\\"' * 500_000
    assert read_config(f'{{"a":"{quotes}{end}') is None or end == '"}'
    read_frontend_attributes(f'{{a="{quotes}{end}')


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 63) - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=5), PLAIN, max_size=4))
def test_any_json(value: dict[str, Any]) -> None:
    found = read_config(json.dumps(value))
    assert isinstance(found, DictionaryAttribute)
    assert dict(settings_of([found])) == value
    assert read_config(print_config(found, as_json=True)) == found
    assert read_config(print_config(found)) == found


@given(st.text())
def test_any_string(text: str) -> None:
    assert read_config(print_config(StringAttribute(text))) == StringAttribute(text)


@given(st.text(alphabet='{}[]"a:=,1 \\', max_size=20))
def test_any_text_is_a_configuration_or_none(text: str) -> None:
    read_config(text)
    read_frontend_attributes(text)


def test_what_is_no_configuration() -> None:
    with pytest.raises(ValueError, match="a string or a dictionary"):
        print_config(integer(1))
    with pytest.raises(ValueError, match="JSON has numbers"):
        print_config(DictionaryAttribute({"a": SymbolAttribute("f")}), as_json=True)


# frontend_attributes

ATTRIBUTES = {
    "{}": {},
    '{a="b"}': {"a": "b"},
    "{a='b'}": {"a": "b"},
    '{ a = "b" , c.d-e="\\"f\\"" }': {"a": "b", "c.d-e": '"f"'},
    '{composite.name="foo.bar",composite.attributes={n = 1 : i32, t = "}"},composite.version="1"}': {
        "composite.name": "foo.bar",
        "composite.attributes": '{n = 1 : i32, t = "}"}',
        "composite.version": "1",
    },
    '{a={"j":[1,{"x":2}]},b="1"}': {"a": '{"j":[1,{"x":2}]}', "b": "1"},
}
WRONG_ATTRIBUTES = {
    "{a=b}": ("expected a string, or a dictionary, found 'b'", "b"),
    '{"a"="b"}': ('expected a name and its text, such as a="b", found \'"a"\'', '"a"'),
    '{a="b" c="d"}': ("expected ',' or '}', found 'c'", "c"),
    '{a="b",a="c"}': ("'a' is given twice", "a"),
    '"a"': ("expected '{', as in {a=\"b\"}, found '\"a\"'", '"a"'),
}


@pytest.mark.parametrize("text", ATTRIBUTES)
def test_frontend_attributes(text: str) -> None:
    assert read(frontend_attributes, text) == ATTRIBUTES[text]
    assert read_frontend_attributes(text) == ATTRIBUTES[text]


@pytest.mark.parametrize("text", WRONG_ATTRIBUTES)
def test_wrong_frontend_attributes(text: str) -> None:
    assert refused(frontend_attributes, text) == WRONG_ATTRIBUTES[text]
    assert read_frontend_attributes(text) == {}


def test_dictionaries_stand_without_quotes() -> None:
    attributes = {"a": '{m = #sdy.mesh<["x"=2]>}', "b": "{", "c": "d", "e": "{}{}", "f": "{'}'}"}
    text = print_frontend_attributes(attributes)
    assert text == """{a={m = #sdy.mesh<["x"=2]>},b="{",c="d",e="{}{}",f="{'}'}"}"""


NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,5}", fullmatch=True)


@given(st.dictionaries(NAMES, st.text(max_size=5) | st.text(alphabet='{}"/*', max_size=5)))
def test_any_frontend_attributes(attributes: dict[str, str]) -> None:
    assert read(frontend_attributes, print_frontend_attributes(attributes)) == attributes


def test_very_deep_frontend_attributes() -> None:
    text = f"{{a={'{' * 300}{'}' * 300}}}"
    with pytest.raises(LimitError):
        frontend_attributes(cursor(text))
    assert read_frontend_attributes(text) == {}
