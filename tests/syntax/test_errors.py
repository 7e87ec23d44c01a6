"""Message, position and hint of errors: `⟦ ⟧` encloses the span that the error must point at."""

from __future__ import annotations

import pytest

from hloscope.engine.errors import LimitError, ParseError, ProgramError, StructureError
from hloscope.engine.limits import Limits
from hloscope.engine.source import Source
from hloscope.engine.syntax import parse_attribute, parse_module
from tests.each import for_each

from .op_table import OP_TABLE
from .reading import HEADER, read

IN_A_FUNCTION: list[tuple[type[ProgramError], str, str, str | None]] = [
    # Ops and values
    (
        ParseError,
        "%0 = ⟦stablehlo.ad⟧ %a, %a : tensor<2xf32>",
        "unknown op 'stablehlo.ad'",
        "did you mean 'stablehlo.add'?",
    ),
    (
        ParseError,
        "%0 = ⟦foo.bar⟧ %a",
        "unknown op 'foo.bar'",
        "ops of the dialect 'foo' are unknown",
    ),
    (
        ParseError,
        "%0 = ⟦mpmd.transfer⟧ %a",
        "unknown op 'mpmd.transfer'",
        "hloscope does not run the dialect 'mpmd', whose programs consist of fragments for several meshes: give it the "
        "StableHLO of one fragment",
    ),
    (
        ParseError,
        "%0 = stablehlo.add %a, ⟦a⟧ : tensor<2xf32>",
        "expected an operand, found 'a'",
        "did you mean '%a'?",
    ),
    (ParseError, "⟦#⟧ a comment", "expected an operation, found '#'", "a comment begins with //"),
    (
        ParseError,
        "%0 = ⟦stablehlo.gather⟧ %a",
        "'stablehlo.gather' has no short form here",
        'write it in the generic form: "stablehlo.gather"(%operands) : (types) -> types',
    ),
    (ParseError, '⟦""⟧() : () -> ()', "an op's name is empty", None),
    (
        StructureError,
        "%0 = stablehlo.add %a, ⟦%aa⟧ : tensor<2xf32>",
        "%aa is not defined",
        "did you mean '%a'?",
    ),
    (
        StructureError,
        "%0 = stablehlo.add %a, ⟦%1⟧ : tensor<2xf32>\n%1 = stablehlo.negate %a : tensor<2xf32>",
        "%1 is used before it is defined, on line 3",
        "move the definition above its first use",
    ),
    (
        StructureError,
        "%0 = stablehlo.add %a, ⟦%b⟧ : tensor<2xf32>",
        "%b is tensor<2xi32>, but its type is stated as tensor<2xf32>",
        "it is defined on line 1",
    ),
    (
        StructureError,
        "⟦%a⟧ = stablehlo.negate %a : tensor<2xf32>",
        "%a is defined twice, first on line 1",
        "give it another name: a value is never changed",
    ),
    (StructureError, "%0 = stablehlo.negate ⟦%a#1⟧ : tensor<2xf32>", "%a has 1 value; there is no #1", None),
    (
        StructureError,
        "%0, %1 = ⟦stablehlo.negate⟧ %a : (tensor<2xf32>) -> tensor<2xf32>",
        "2 names for 1 result",
        None,
    ),
    (StructureError, '%0 = ⟦"x.y"⟧() : () -> ()', "1 name for 0 results", "leave out the names and '='"),
    (
        StructureError,
        "%0 = stablehlo.reshape %a : ⟦(tensor<2xf32>, i1) -> i1⟧",
        "1 operand, but 2 types",
        None,
    ),
    (
        StructureError,
        "%0 = stablehlo.while(⟦%a⟧ = %a) : tensor<2xf32> cond {} do {}",
        "%a is defined twice, first on line 1",
        "give it another name: a value is never changed",
    ),
    (StructureError, "%0 = stablehlo.negate ⟦%0⟧ : tensor<2xf32>", "%0 is used in its own definition", None),
    (
        ParseError,
        "%0 = ⟦stablehlo.adn⟧ %a, %a : tensor<2xf32>",
        "unknown op 'stablehlo.adn'",
        "did you mean 'stablehlo.add'?",
    ),
    (
        ParseError,
        "⟦%⟧é = stablehlo.negate %a : tensor<2xf32>",
        "expected a result's name, such as %0, found '%'",
        None,
    ),
    (ParseError, "⟦0⟧ = stablehlo.negate %a : tensor<2xf32>", "expected an operation, found '0'", None),
    (ParseError, "⟦%0:0⟧ = stablehlo.negate %a : tensor<2xf32>", "a pack has 1 to 65,536 results", None),
    # Forms
    (
        ParseError,
        "%0 = stablehlo.add %a, %a⟦⟧",
        "expected ':', found the end of the line",
        "it is written stablehlo.add %operands : type",
    ),
    (
        ParseError,
        "%0 = stablehlo.add %a ⟦%a⟧ : tensor<2xf32>",
        "expected ':', found '%a'",
        "it is written stablehlo.add %operands : type",
    ),
    (
        ParseError,
        "%0 = stablehlo.transpose %a, ⟦dim⟧ = [0]",
        "expected 'dims', found 'dim'",
        "it is written stablehlo.transpose %operands, dims = permutation : (types) -> types",
    ),
    (
        ParseError,
        "%0 = stablehlo.reshape %a : ⟦tensor⟧<2xf32>",
        "expected '(' and the types of the operands, found 'tensor'",
        "the types look like (tensor<2xf32>) -> tensor<2xf32>",
    ),
    (
        ParseError,
        "return %a⟦⟧",
        "expected ':', found the end of the line",
        "it is written func.return %operands [: types]",
    ),
    (
        ParseError,
        "%0 = call ⟦f⟧() : () -> ()",
        "expected the function's name, which starts with '@', found 'f'",
        None,
    ),
    (
        ParseError,
        '%0 = "x.y"(%a ⟦:⟧ () -> ()',
        "expected ')' or ',' and an operand, found ':'",
        "the '(' opened on line 2 is not closed",
    ),
    (
        ParseError,
        '"x.y"() ({\n "x.z"() : () -> ()\n⟦)⟧ : () -> ()',
        "expected an operation, found ')'",
        "the '{' opened on line 2 is not closed",
    ),
    (ParseError, "%0 = stablehlo.slice %a [0:1:⟦]⟧", "expected the range's stride, found ']'", None),
    (
        ParseError,
        "%0 = stablehlo.dot_general %a, %a ⟦:⟧",
        "expected ', contracting_dims = […] x […]', found ':'",
        None,
    ),
    (
        ParseError,
        "%0 = stablehlo.convolution(%a, %a) dim_numbers = ⟦[b, 0, 0, f]⟧x",
        "the input's dimension numbers must be 0, 1, b, f, in any order",
        None,
    ),
    (
        ParseError,
        "%0 = stablehlo.reduce(%a init: %a) applies ⟦stablehlo.foo⟧ across dimensions = [0] : () -> ()",
        "unknown op 'stablehlo.foo'",
        None,
    ),
    (
        ParseError,
        "%0 = stablehlo.compare LT ⟦%a⟧, %a",
        "expected ',', found '%a'",
        "it is written stablehlo.compare comparison_direction, %operands [, compare_type] : (types) -> types",
    ),
    # Types
    (
        ParseError,
        "%0 = stablehlo.negate %a : tensor<2x⟦f33⟧>",
        "'f33' is not an element type of tensors",
        "did you mean 'f32'?",
    ),
    (
        ParseError,
        "%0 = stablehlo.negate %a : ⟦tensr⟧<2xf32>",
        "'tensr' is not a type",
        "did you mean 'tensor'?",
    ),
    (
        ParseError,
        "%0 = stablehlo.negate %a : tensor<2xf32⟦⟧",
        "expected '>', which closes the tensor type, found the end of the line",
        "the '<' opened on line 2 is not closed",
    ),
    (
        ParseError,
        "%0 = stablehlo.negate %a : tensor<⟦2⟧,3xf32>",
        "expected an element type, such as f32, found '2'",
        "write x after each size, as in tensor<2x3xf32>",
    ),
    (ParseError, "%0 = stablehlo.negate %a : ⟦!foo⟧", "!foo is not defined", None),
    (
        ParseError,
        "%0 = stablehlo.iota dim = 0 : tensor<?xf32, ⟦#stablehlo.bounds<2, 3>⟧>",
        "2 bounds for a tensor of 1 dimensions",
        None,
    ),
    (
        ParseError,
        "%0 = stablehlo.iota dim = 0 : tensor<2x!quant.uniform<i8:f32⟦>⟧>",
        "expected ',' and the scale, found '>'",
        None,
    ),
    # Literals
    (
        ParseError,
        "%0 = stablehlo.constant dense<⟦300⟧> : tensor<2xi8>",
        "300 does not fit in i8",
        "its values are -128 to 127",
    ),
    (
        ParseError,
        "%0 = stablehlo.constant dense<[1, ⟦-1⟧]> : tensor<2xui8>",
        "-1 does not fit in ui8",
        "its values are 0 to 255",
    ),
    (
        ParseError,
        "%0 = stablehlo.constant dense<⟦[1, 2, 3]⟧> : tensor<2xi8>",
        "the literal has 3 elements, tensor<2xi8> has 2",
        None,
    ),
    (
        ParseError,
        "%0 = stablehlo.constant dense<⟦[[1, 2]]⟧> : tensor<2x2xi8>",
        "the literal has 2 elements (1x2), tensor<2x2xi8> has 4",
        None,
    ),
    (
        ParseError,
        "%0 = stablehlo.constant dense<⟦[1, 2]⟧> : tensor<1x2xi8>",
        "the literal's shape is 2, its type's is 1x2",
        None,
    ),
    (
        ParseError,
        "%0 = stablehlo.constant dense<[[1, 2], ⟦[3]⟧]> : tensor<2x2xi8>",
        "this list has 1 element, those before it have 2",
        None,
    ),
    (
        ParseError,
        "%0 = stablehlo.constant dense<[[1, 2], ⟦3⟧]> : tensor<2x2xi8>",
        "found a value where the previous elements are lists",
        None,
    ),
    (
        ParseError,
        "%0 = stablehlo.constant dense<[1, ⟦[⟧3]]> : tensor<2x2xi8>",
        "found a list where the previous elements are values",
        None,
    ),
    (
        ParseError,
        "%0 = stablehlo.constant dense<[1, ⟦2.5⟧]> : tensor<2xi8>",
        "'2.5' is not an integer, which i8 needs",
        None,
    ),
    (
        ParseError,
        "%0 = stablehlo.constant dense<[1, ⟦x⟧]> : tensor<2xf32>",
        "'x' is not a number, which f32 needs",
        None,
    ),
    (
        ParseError,
        "%0 = stablehlo.constant dense<[⟦1 2⟧]> : tensor<2xf32>",
        "'1 2' is not a number, which f32 needs",
        None,
    ),
    (
        ParseError,
        "%0 = stablehlo.constant dense<[1, ⟦nan⟧]> : tensor<2xf32>",
        "'nan' is not a number, which f32 needs",
        "write its bits: infinity is 0x7F800000 and NaN 0x7FC00000 in f32",
    ),
    (
        ParseError,
        "%0 = stablehlo.constant dense<[1,⟦ ⟧, 2]> : tensor<3xf32>",
        "expected an element next to ','",
        None,
    ),
    (ParseError, "%0 = stablehlo.constant dense<⟦[⟧1, 2> : tensor<2xf32>", "this '[' is never closed", None),
    (
        ParseError,
        "%0 = stablehlo.constant dense<⟦1, 2⟧> : tensor<2xf32>",
        "several values need brackets",
        "such as dense<[1, 2]>",
    ),
    (
        ParseError,
        "%0 = stablehlo.constant dense<[⟦0x1FFFFFFFF⟧]> : tensor<1xf32>",
        "the bit pattern has more than the 32 bits of f32",
        None,
    ),
    (
        ParseError,
        '%0 = stablehlo.constant dense<⟦"0x0102"⟧> : tensor<2xf32>',
        "the literal has 2 bytes; tensor<2xf32> has 8, or 4 if all are the same",
        None,
    ),
    (
        ParseError,
        '%0 = stablehlo.constant dense<⟦"0x010"⟧> : tensor<2xf32>',
        "a literal in quotes has two hexadecimal digits for each byte; one digit is left over",
        None,
    ),
    (
        ParseError,
        '%0 = stablehlo.constant dense<⟦"hello"⟧> : tensor<2xf32>',
        "a literal in quotes starts with 0x and has hexadecimal digits only",
        None,
    ),
    (
        ParseError,
        "%0 = stablehlo.constant dense<⟦>⟧ : tensor<2xf32>",
        "the literal is empty, but tensor<2xf32> has 2 elements",
        None,
    ),
    (
        ParseError,
        "%0 = stablehlo.constant dense<1> : ⟦tensor<?xf32>⟧",
        "the sizes of a literal's type must be known, unlike those of tensor<?xf32>",
        None,
    ),
    (
        ParseError,
        "%0 = stablehlo.constant dense<1>⟦⟧",
        "expected ':' and the literal's type, found the end of the line",
        None,
    ),
    (
        ParseError,
        "%0 = stablehlo.constant dense<⟦1.0⟧> : tensor<complex<f32>>",
        "'1.0' is not a complex element",
        "a complex element is written (real, imaginary)",
    ),
    (
        ParseError,
        "%0 = stablehlo.constant dense<[(1,2), (1,⟦y⟧)]> : tensor<2xcomplex<f32>>",
        "'y' is not a number, which f32 needs",
        None,
    ),
    (
        ParseError,
        "%0 = stablehlo.constant dense<⟦2⟧> : tensor<i1>",
        "'2' is not a boolean",
        "elements of i1 are true and false",
    ),
    (
        ParseError,
        "%0 = stablehlo.constant dense<⟦true⟧> : tensor<i8>",
        "'true' is not an integer, which i8 needs",
        "booleans are elements of i1",
    ),
    # Attributes
    (ParseError, '"x.y"() {a = 1 : i64, ⟦a⟧ = 2} : () -> ()', "attribute 'a' is given twice", None),
    (
        ParseError,
        '"x.y"() <{a = 1}> {b = ⟦300⟧ : i8} : () -> ()',
        "300 does not fit in i8",
        "its values are -128 to 127",
    ),
    (ParseError, '"x.y"() {b = ⟦1.5 : i8⟧} : () -> ()', "1.5 is not an integer, which i8 needs", None),
    (
        ParseError,
        '"x.y"() {b = ⟦blah⟧} : () -> ()',
        "expected an attribute, found 'blah'",
        "an attribute is a number, a string, true, false, a list, a dictionary, a type, dense<…>, …",
    ),
    (ParseError, '"x.y"() {b = ⟦#nope⟧} : () -> ()', "#nope is not defined", None),
    (
        ParseError,
        '"x.y"() {b = ⟦"abc} : () -> ()⟧',
        "this string is not closed",
        'add a " on line 2, where it was opened',
    ),
    (
        ParseError,
        '"x.y"() {b = "é⟦\\q⟧"} : () -> ()',
        "unknown escape in a string",
        r"escapes are \" \\ \n \t and two hexadecimal digits, as in \0A",
    ),
    (
        ParseError,
        '"x.y"() {b = [1, 2⟦⟧\nc = 3} : () -> ()',
        "expected ',' or ']', found the end of the line",
        "the '[' opened on line 2 is not closed",
    ),
    (
        ParseError,
        '"x.y"() {b = #q.r<(⟦]⟧>} : () -> ()',
        "']' closes nothing",
        "it is between brackets opened on line 2",
    ),
    (
        ParseError,
        '"x.y"() {b = array<i64: 1, ⟦x⟧>} : () -> ()',
        "expected an element of i64, found 'x'",
        None,
    ),
    # Locations
    (
        ParseError,
        '%0 = stablehlo.negate %a : tensor<2xf32> loc("x"⟦⟧',
        "expected ')', which closes the location, found the end of the line",
        "the '(' opened on line 2 is not closed",
    ),
    (ParseError, "%0 = stablehlo.negate %a : tensor<2xf32> loc(⟦#x⟧)", "#x is not defined", None),
]
OF_A_PROGRAM: list[tuple[type[ProgramError], str, str, str | None]] = [
    (
        ParseError,
        "⟦hello⟧ world",
        "unknown op 'hello'",
        "a program is a module, or functions: func.func @main() { … }",
    ),
    (
        ParseError,
        "func.func ⟦main⟧() {}",
        "expected the function's name, which starts with '@', found 'main'",
        None,
    ),
    (
        ParseError,
        "func.func @f(%a ⟦tensor⟧<f32>) {}",
        "expected ':' and the argument's type, found 'tensor'",
        None,
    ),
    (
        StructureError,
        "func.func @f(%a: i1, ⟦%a⟧: i1) {}",
        "%a is defined twice, first on line 1",
        "give it another name: a value is never changed",
    ),
    (
        ParseError,
        "module {\n  func.func @f() {\n    return\n  }⟦⟧\n",
        "expected '}', a function or an operation, found the end of the text",
        "the '{' opened on line 1 is not closed",
    ),
    (
        ParseError,
        "func.func @f() {\n  return⟦⟧",
        "expected '}', an operation or a block, found the end of the text",
        "the '{' opened on line 1 is not closed",
    ),
    (
        ParseError,
        "func.func @f() { return }⟦}⟧",
        "expected the end of the text, found '}'",
        "a program is a module, or functions without a module",
    ),
    (ParseError, "#a = [⟦#a⟧]\nmodule attributes {b = #a} {}", "#a is defined in terms of itself", None),
    (ParseError, "#a = i1\n⟦#⟧a = i2\nmodule attributes {b = #a} {}", "#a is defined twice", None),
    (
        ParseError,
        "#mesh = i1\nmodule attributes {b = ⟦#mash⟧} {}",
        "#mash is not defined",
        "did you mean '#mesh'?",
    ),
    (ParseError, "#a = i1\nmodule {} loc(⟦#a⟧)", "#a is not a location", None),
    (ParseError, "⟦/⟧* c */ module {}", "expected an operation, found '/'", None),
    (ParseError, "module {} ⟦{-#⟧ x", "this '{-#' is never closed by '#-}'", None),
    (
        StructureError,
        '⟦"func.func"⟧() ({}) : () -> ()',
        "a function in the generic form has the properties sym_name and function_type",
        None,
    ),
    (
        ParseError,
        'module attributes {a = "⟦\ud800⟧"} {}',
        "the text contains an unpaired surrogate, which is not a character",
        None,
    ),
]


def check(kind: type[ProgramError], marked: str, message: str, hint: str | None) -> None:
    start, end = marked.index("⟦"), marked.index("⟧") - 1
    source = Source(marked.replace("⟦", "").replace("⟧", ""))
    with pytest.raises(kind) as raised:
        parse_module(source, OP_TABLE)
    error = raised.value
    assert type(error) is kind
    assert (error.message, error.hint) == (message, hint)
    assert source.line_and_column(error.span.start) == source.line_and_column(start)
    assert (error.span.start, error.span.end) == (start, end)


@for_each(("kind", "line", "message", "hint"), IN_A_FUNCTION, ids=[line for _, line, *_ in IN_A_FUNCTION])
def test_an_error_in_a_function(kind: type[ProgramError], line: str, message: str, hint: str | None) -> None:
    check(kind, f"{HEADER}\n  {line}\n}}", message, hint)


@for_each(("kind", "text", "message", "hint"), OF_A_PROGRAM, ids=[line for _, line, *_ in OF_A_PROGRAM])
def test_an_error_of_a_program(kind: type[ProgramError], text: str, message: str, hint: str | None) -> None:
    check(kind, text, message, hint)


@pytest.mark.parametrize(
    "text",
    [
        "module attributes {a = " + "[" * 10_000,
        "module attributes {a = " + "{b = " * 10_000,
        "module attributes {a = " + "(" * 10_000,
        "module attributes {a = " + "tuple<" * 10_000,
        "module attributes {a = " + "#x.y<" * 10_000,
        "module attributes {a = dense<" + "[" * 10_000 + "> : tensor<1xi8>} {}",
        "module {} loc(" + "callsite(" * 10_000,
        "module {} loc(" + "fused[" * 10_000,
        'func.func @f() {"x.y"() ({' * 1 + '"x.y"() ({' * 10_000,
        "module {} loc(#l0)\n"
        + "".join(f"#l{i} = loc(callsite(#l{i + 1} at #l{i + 1}))\n" for i in range(10_000)),
        "".join(f"#l{i + 1} = [#l{i}]\n" for i in range(300)) + "#l0 = 1\nmodule {}",
    ],
    ids=[
        *("list", "dictionary", "function type", "tuple", "opaque", "dense", "callsite", "fused"),
        *("regions", "locations", "aliases"),
    ],
)
def test_nesting_is_limited(text: str) -> None:
    with pytest.raises(LimitError) as raised:
        read(text)
    assert raised.value.label == "max_nesting"
    assert raised.value.message == "nested more than 200 levels deep"


@pytest.mark.parametrize("opening", ["[", "{b = ", "(", "tuple<"])
def test_up_to_the_limit_everything_reads(opening: str) -> None:
    closing = {"[": "]", "{b = ": "}", "(": ") -> ()", "tuple<": ">"}[opening]
    inner = "1" if opening == "{b = " else ""
    parse_attribute(opening * 199 + inner + closing * 199)


@pytest.mark.parametrize(
    ("limits", "text", "label"),
    [
        (Limits(max_program_bytes=10), "// é é é é", "max_program_bytes"),
        (
            Limits(max_ops=2),
            'func.func @f() { "a.b"() : () -> () "a.b"() : () -> () "a.b"() : () -> () }',
            "max_ops",
        ),
        (Limits(max_rank=2), "func.func @f(%a: tensor<1x1x1xf32>)", "max_rank"),
        (
            Limits(),
            "module attributes {a = dense<1> : tensor<9999999999x9999999999xf32>} {}",
            "max_tensor_bytes",
        ),
        (
            Limits(),
            "#l0 = [1]\n"
            + "".join(f"#l{i + 1} = [#l{i}, #l{i}]\n" for i in range(40))
            + "module attributes {a = #l40} {}",
            "max_program_bytes",
        ),
        (
            Limits(),
            "#l0 = loc(unknown)\n"
            + "".join(f"#l{i + 1} = loc(callsite(#l{i} at #l{i}))\n" for i in range(40))
            + "module {} loc(#l40)",
            "max_program_bytes",
        ),
    ],
)
def test_other_limits(limits: Limits, text: str, label: str) -> None:
    with pytest.raises(LimitError) as raised:
        parse_module(Source(text), OP_TABLE, limits)
    assert raised.value.label == label
