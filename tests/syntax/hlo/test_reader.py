"""Whole programs in HLO text: order of their parts, and errors."""

from __future__ import annotations

import numpy as np
import pytest

from hloscope.engine.frontend import Loaded, load
from hloscope.engine.ir.attributes import OpaqueAttribute
from hloscope.engine.ir.locations import FileLocation
from hloscope.engine.ops.core.values import leaves
from hloscope.engine.process_grid import results_of
from hloscope.engine.source import Source
from hloscope.engine.syntax import looks_like_hlo
from tests.each import for_each

X = np.array([1.0, 2.0], np.float32)
ADD = "add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] add(x, y) }\n"


def loaded(text: str) -> Loaded:
    """Load a text."""
    return load(Source(text, "m.hlo"))


def result(text: str, *inputs: object) -> list[object]:
    """The results of a program, as lists."""
    found = loaded(text)
    assert not found.diagnostics, found.diagnostics[0].format(found.source)
    assert found.program
    (value,) = results_of(found.program, [np.asarray(given) for given in inputs])
    return [leaf.tolist() for leaf in leaves(value)]


@pytest.mark.parametrize(
    "text",
    [
        "HloModule m\nENTRY e { ROOT x = f32[] parameter(0) }",
        "// about it\n/* and more */ HloModule m, is_scheduled=true\n",
        "ENTRY %e { ROOT x = f32[] parameter(0) }",
        "%add (x: f32[], y: f32[]) -> f32[] {\n}",
        "add {\n  x = f32[] parameter(0)\n}",
        "x = f32[2] add(f32[2] a, f32[2] b)",
        "ROOT %x = (f32[2], s32[]) tuple(a, b)",
    ],
)
def test_hlo_is_recognised(text: str) -> None:
    assert looks_like_hlo(text)


@pytest.mark.parametrize(
    "text",
    [
        "module { }",
        "module @m attributes {a = 1 : i32} {\n  func.func @main() { return }\n}",
        "func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }",
        "// HloModule\nmodule {}",
        "#loc = loc(unknown)",
        '"builtin.module"() ({}) : () -> ()',
        "",
    ],
)
def test_mlir_is_no_hlo(text: str) -> None:
    assert not looks_like_hlo(text)


@pytest.mark.parametrize(
    "text",
    [
        "ENTRY e { a = f32[2] parameter(0)  ROOT b = f32[2] add(a, a) }",
        "HloModule m\n\n%e (a: f32[2]) -> f32[2] {\n  %a = f32[2]{0} parameter(0)\n  ROOT %b = f32[2]{0} add(%a, %a)\n}",
        "HloModule m\nENTRY e {\n  ROOT b = f32[2] add(a, a)\n  a = f32[2] parameter(0)\n}",
        "HloModule m\nENTRY e { a = f32[2] parameter(0)\n  ROOT b = add(a, a) }",
        "HloModule m\nENTRY e { ROOT b = f32[2] add(c, d)\n a = f32[2] parameter(0)\n c = f32[2] copy(a)\n d = f32[2] copy(c) }",
        "HloModule m\nENTRY e { a = f32[2] parameter(0)\n b = f32[2] add(f32[2]{0} a, f32[2] a)\n ROOT c = f32[2] copy(b)\n d = f32[2] negate(c) }",
        "HloModule m\nENTRY e { a = f32[2] parameter(0)\n ROOT b = f32[2] add(a, f32[2] negate(f32[2] negate(a))) }",
        "ENTRY %e (a: f32[2], i: s32[]) -> f32[2] { %a = f32[2] parameter(0)\n ROOT %b = f32[2] add(%a, %a) }",
        "b = f32[2] add(f32[2] a, f32[2] a)",
        'HloModule m\nENTRY e { a = f32[2] parameter(0), metadata={op_name="a"}\n/* c */ ROOT b = f32[2] add(a, /*index=1*/a) // end\n }',
    ],
)
def test_the_same_program_in_many_spellings(text: str) -> None:
    assert result(text, X) == [[2.0, 4.0]]


def test_computations_in_any_order_and_inside() -> None:
    entry = "ENTRY e { a = f32[2] parameter(0)  z = f32[] constant(0)\n ROOT s = f32[] reduce(a, z), dimensions={0}, to_apply=add }\n"
    assert result("HloModule m\n" + entry + ADD, X) == [3.0]
    inside = ADD.removeprefix("add ").strip()
    assert result("HloModule m\n" + entry.replace("to_apply=add", f"to_apply={inside}"), X) == [3.0]


def test_branches_in_a_list() -> None:
    branches = (
        "{\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negate(x)\n}, {\n  ROOT x = f32[2] parameter(0)\n}"
    )
    entry = "ENTRY e { a = f32[2] parameter(0)\n i = s32[] constant(1)\n"
    text = f"HloModule m\n{entry} ROOT r = f32[2] conditional(i, a, a), branch_computations={{\n{branches}\n}} }}"
    assert result(text, X) == [[1.0, 2.0]]
    assert result(text.replace("constant(1)", "constant(0)"), X) == [[-1.0, -2.0]]


def test_a_computation_and_an_instruction_may_share_a_name() -> None:
    text = (
        "HloModule m\n"
        + ADD
        + "ENTRY e { a = f32[] parameter(0)\n ROOT add = f32[] call(a, a), to_apply=add }"
    )
    assert result(text, np.float32(2)) == [4.0]


def test_the_entry_is_the_last_computation_without_entry() -> None:
    text = "HloModule m\n" + ADD + "last { a = f32[] parameter(0)\n ROOT b = f32[] add(a, a) }"
    assert result(text, np.float32(2)) == [4.0]


def test_several_results_are_one_tuple() -> None:
    text = """HloModule m
    best {
      v = f32[] parameter(0)  i = s32[] parameter(1)  w = f32[] parameter(2)  j = s32[] parameter(3)
      later = pred[] compare(w, v), direction=GE
      value = f32[] select(later, w, v)
      place = s32[] select(later, j, i)
      ROOT both = (f32[], s32[]) tuple(value, place)
    }
    ENTRY e {
      x = f32[5] constant({1, 7, 3, 7, 2})
      i = s32[5] iota(), iota_dimension=0
      low = f32[] constant(-inf)
      zero = s32[] constant(0)
      ROOT r = (f32[], s32[]) reduce(x, i, low, zero), dimensions={0}, to_apply=best
    }"""
    assert result(text) == [7.0, 3]


def test_metadata_links_to_the_line_of_the_user() -> None:
    text = """HloModule m

    FileNames
    1 "/home/model.py"

    FunctionNames
    1 "loss"

    FileLocations
    1 {file_name_id=1 function_name_id=1 line=12 end_line=12 column=4 end_column=9}

    StackFrames
    1 {file_location_id=1 parent_frame_id=1}

    ENTRY e {
      a = f32[] parameter(0)
      b = f32[] negate(a), metadata={op_name="jit(f)/neg" stack_frame_id=1}
      ROOT c = f32[] negate(b), metadata={op_type="neg" op_name="n" source_file="f.py" source_line=7}
    }"""
    found = loaded(text.replace("/home/", ""))
    assert found.module
    function = found.module.functions[0]
    assert function.body
    first, second, _ = function.body.block.operations
    assert first.location
    assert second.location
    assert [(place.file, place.line) for place in first.location.files()] == [("model.py", 12)]
    assert [(place.file, place.line) for place in second.location.files()] == [("f.py", 7)]
    assert all(isinstance(place, FileLocation) for place in second.location.files())


WRONG = [
    (
        "ENTRY e { a = f32[2] parameter(0)\n  ROOT b = f32[2] neg(a) }",
        "2:19: error: unknown opcode 'neg'",
        "did you mean 'negate'?",
    ),
    (
        "ENTRY e { a = f32[2] parameter(0)\n  ROOT b = f32[2] shuffle(a) }",
        "2:19: error: unknown opcode 'shuffle'",
        "XLA has an opcode of this name, but documents no meaning for it, so that hloscope does not run it",
    ),
    (
        "ENTRY e { a = f32[2] parameter(0)\n  ROOT b = f32[2] exp2(a) }",
        "2:19: error: unknown opcode 'exp2'",
        "XLA of jaxlib 0.12 has this opcode; hloscope does not run it: write power(two, x)",
    ),
    (
        "ENTRY e { a = f32[2] parameter(0)\n  ROOT b = f32[2] ad(a, a) }",
        "2:19: error: unknown opcode 'ad'",
        "did you mean 'add'?",
    ),
    (
        "ENTRY e { abc = f32[2] parameter(0)\n  ROOT b = f32[2] add(abc, abd) }",
        "2:28: error: abd is not defined in computation e",
        "did you mean 'abc'?",
    ),
    (
        "ENTRY e { a = f32[2] parameter(0)\n  ROOT b = f32[3] add(a, a) }",
        "2:19: error: op 'add': C1: the result must have shape [2], not [3]",
        "",
    ),
    (
        "ENTRY e { a = f33[2] parameter(0) }",
        "1:15: error: 'f33' is not an element type",
        "did you mean 'f32'?",
    ),
    (
        "ENTRY e { a = f32[2,3] parameter(0)\n  ROOT b = f32[3,2] transpose(a), dimension={1,0} }",
        "2:35: error: transpose has no attribute 'dimension'",
        "did you mean 'dimensions'?",
    ),
    (
        "ENTRY e { a = f32[2,3] parameter(0)\n  ROOT b = f32[3,2] transpose(a) }",
        "2:21: error: op 'transpose': needs the attribute 'dimensions', such as dimensions={0}",
        "",
    ),
    (
        "ENTRY e { a = f32[2] parameter(0)\n  ROOT b = f32[2] adn(a, a) }",
        "2:19: error: unknown opcode 'adn'",
        "did you mean 'add'?",
    ),
    (
        "ENTRY e { ROOT a = f32[2] parameter(1000000000) }",
        "1:37: error: expected its number, found '1000000000'",
        "parameters are numbered from 0",
    ),
    (
        "ENTRY e { a = f32[2] parameter(0)\n  a = f32[2] add(a, a) }",
        "2:3: error: a is defined twice, first on line 1",
        "give it another name",
    ),
    (
        "ENTRY e { a = f32[2] parameter(0)\n  ROOT b = f32[2] add(a, a)\n",
        "2:28: error: expected an instruction or '}', found the end of the text",
        "the '{' opened on line 1 is not closed",
    ),
    (
        "ENTRY e { a = f32[2] parameter(0)\n  ROOT b = f32[2] add(a, a\n}",
        "2:27: error: expected ',' or ')', found the end of the line",
        "the '(' opened on line 2 is not closed",
    ),
    (
        "ENTRY e {\n  a = f32[2] add(b, b)\n  ROOT b = f32[2] add(a, a) }",
        "2:3: error: op 'add': a depends on its own result, directly or indirectly",
        "",
    ),
    (
        "f { x = f32[] parameter(0)\n ROOT r = f32[] call(x), to_apply=g }\n"
        "g { x = f32[] parameter(0)\n ROOT r = f32[] call(x), to_apply=f }",
        "4:35: error: computation f calls itself, directly or indirectly",
        "computations of HLO cannot be recursive; use while",
    ),
    (
        ADD + "ENTRY e { a = f32[2] parameter(0)\n z = f32[] constant(0)\n"
        " ROOT b = f32[] reduce(a, z), dimensions={0}, to_apply=ad }",
        "4:56: error: computation ad is not defined",
        "did you mean 'add'?",
    ),
    (
        "ENTRY e { a = f32[2] parameter(1) }",
        "1:7: error: computation e has no parameter(0), but 1 parameters",
        "parameters are numbered from 0",
    ),
    (
        "ENTRY e { a = f32[2] parameter(0)\n b = f32[2] parameter(0) }",
        "2:2: error: parameter 0 of e is defined twice",
        "",
    ),
    (
        "ENTRY %e (a: f32[3]) -> f32[2] { %a = f32[2] parameter(0)\n ROOT %b = f32[2] add(%a, %a) }",
        "1:11: error: a is f32[3] in the signature, but f32[2] where it is defined",
        "",
    ),
    (
        "ENTRY %e (a: f32[2]) -> f32[] { %a = f32[2] parameter(0)\n ROOT %b = f32[2] add(%a, %a) }",
        "1:25: error: the signature promises f32[], but the root is f32[2]",
        "",
    ),
    (
        "ENTRY e { a = f32[2] parameter(0)\n ROOT b = f32[2] add(a, f32[3] a) }",
        "2:32: error: op 'add': a is f32[2], but stated as f32[3]",
        "it is defined on line 1",
    ),
    (
        "ENTRY e { a = f32[2] parameter(0)\n ROOT b = f32[2] parameter(1)\n ROOT c = f32[2] add(a, b) }",
        "3:7: error: computation e has two roots",
        "leave out one ROOT",
    ),
    (
        "ENTRY e { a = f32[2] parameter(0) }\nENTRY f { a = f32[2] parameter(0) }",
        "2:7: error: there are two entry computations, the first on line 1",
        "leave out one ENTRY",
    ),
    (
        "HloModule m\n",
        "2:1: error: the module has no computation",
        "ENTRY main { ROOT x = f32[] parameter(0) }",
    ),
    (
        "ENTRY e { a = f32[2] parameter(0)\n b = f32[2] iota(), iota_dimension=0, iota_dimension=0 }",
        "2:39: error: attribute 'iota_dimension' is given twice",
        "",
    ),
    (
        "ENTRY e { a = f32[2] parameter(0)\n b = pred[2] compare(a, a), direction=LESS }",
        "2:39: error: unknown direction 'LESS'; expected one of EQ, NE, GE, GT, LE, LT",
        "",
    ),
    (
        "ENTRY e { a = f32[2,2] parameter(0)\n b = f32[2,2] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={5} }",
        "2:15: error: op 'dot': C8: rhs_contracting_dimensions [5] go outside",
        "",
    ),
    (
        "ENTRY e { a = f32[4] parameter(0)\n b = f32[2,3] reshape(a) }",
        "2:15: error: op 'reshape': C2: operand has 4 elements and the result 6",
        "",
    ),
]


@for_each(("text", "wanted", "hint"), WRONG)
def test_what_is_wrong_is_said(text: str, wanted: str, hint: str) -> None:
    found = loaded(text)
    assert found.diagnostics
    diagnostic = found.diagnostics[0]
    assert wanted in diagnostic.format(found.source)
    assert hint in (diagnostic.hint or "")


@pytest.mark.parametrize(
    ("order", "wanted"),
    [("", False), (", order=PARTIAL", False), (", order=TOTAL", True), (", type=TOTALORDER", True)],
)
def test_a_total_order_has_two_spellings(order: str, wanted: bool) -> None:
    text = f"ENTRY e {{ a = f32[] constant(1)\n  b = f32[] constant(nan)\n  ROOT c = pred[] compare(a, b), direction=LT{order} }}"
    assert result(text) == [wanted]


FUSIONS = """HloModule m

%double (p: f32[2]) -> f32[2] {
  %p = f32[2]{0} parameter(0)
  ROOT %d = f32[2]{0} add(%p, %p)
}

%negated (p: f32[2]) -> f32[2] {
  %p = f32[2]{0} parameter(0)
  ROOT %n = f32[2]{0} negate(%p)
}

%both (p: f32[2]) -> f32[4] {
  %p = f32[2]{0} parameter(0)
  ROOT %b = f32[4]{0} concatenate(%p, %p), dimensions={0}
}

ENTRY %main (x: f32[2]) -> f32[2] {
  %x = f32[2]{0} parameter(0)
  %a = f32[2]{0} fusion(%x), kind=kLoop, calls=%double, backend_config={"n":"1","of":[1,{"x":"}"}]}
  %b = f32[2]{0} fusion(%a), kind=kLoop, calls=%negated, backend_config={"n":"24","of":[3,{"x":"}"}]}
  ROOT %c = f32[2]{0} fusion(%b), kind=kLoop, calls=%double, backend_config={"n":"3","of":[5,{"x":"}"}]}
}
"""
"""Three calls of the same types: what is known of the first holds for the others but for the function."""


def test_fusions_of_the_same_types_call_their_own_computations() -> None:
    assert result(FUSIONS, X) == [[-4, -8]]
    program = loaded(FUSIONS).program
    assert program
    configs = [
        bound.operation.attributes["backend_config"] for bound in program.ops if bound.op.traits.is_kernel
    ]
    assert configs == [
        OpaqueAttribute(f'{{"n":"{n}","of":[{of},{{"x":"}}"}}]}}') for n, of in ((1, 1), (24, 3), (3, 5))
    ]


@for_each(
    ("right", "wrong", "message"),
    [
        ("calls=%negated", "calls=%both", "calls both as (f32[2]) -> f32[2], but its type is"),
        ("calls=%negated", "calls=%other", "computation other is not defined"),
        ("calls=%negated", "calls=%main", "computation main calls itself"),
        ('{"n":"24","of":[3,{"x":"}"}]}', '{"n":"24","of":[3,{"x":"}"}}', "closes nothing"),
        ('{"n":"24","of":[3,{"x":"}"}]}', r'{"n":"\4","of":[3,{"x":"}"}]}, calls=%both', "given twice"),
    ],
)
def test_one_of_several_fusions_is_wrong(right: str, wrong: str, message: str) -> None:
    found = loaded(FUSIONS.replace(right, wrong))
    (one,) = found.diagnostics
    assert message in one.message
    assert found.source.line_text(found.source.line_and_column(one.span.start)[0]).startswith("  %b = ")


def test_an_attribute_that_nobody_knows_is_kept() -> None:
    found = loaded(
        'ENTRY e { a = f32[] parameter(0)\n ROOT b = f32[] negate(a), something_new={x={1,2} y="}"} }'
    )
    assert not found.diagnostics
    assert found.module
    assert found.module.functions[0].body
    operation = found.module.functions[0].body.block.operations[0]
    assert getattr(operation.attributes["something_new"], "text", "") == '{x={1,2} y="}"}'


def test_deep_nesting_is_refused_and_long_chains_are_not() -> None:
    deep = "a"
    for _ in range(300):
        deep = f"f32[] negate({deep})"
    found = loaded(f"ENTRY e {{ a = f32[] parameter(0)\n ROOT b = {deep} }}")
    assert found.diagnostics[0].label == "max_nesting"
    calls = "".join(
        f"c{k} {{ x = f32[] parameter(0)\n ROOT y = f32[] call(x), to_apply=c{k - 1} }}\n"
        for k in range(1, 3000)
    )
    first = "c0 { x = f32[] parameter(0)\n ROOT y = f32[] negate(x) }\n"
    found = loaded(
        calls + first + "ENTRY e { a = f32[] parameter(0)\n ROOT b = f32[] call(a), to_apply=c2999 }"
    )
    assert not found.diagnostics


def test_async_pairs_in_their_short_spelling() -> None:
    text = """HloModule m
    ENTRY e {
      a = f32[2] parameter(0)
      s = ((f32[2]), f32[2], s32[]) negate-start(a), metadata={op_name="n"}
      u = ((f32[2]), f32[2], s32[]) negate-update(s)
      ROOT d = f32[2] negate-done(u)
    }"""
    assert result(text, X) == [[-1.0, -2.0]]
    attributes = text.replace("negate-start(a)", "slice-start(a), slice={[1:2]}").replace("negate", "slice")
    assert result(
        attributes.replace("f32[2], s32", "f32[1], s32").replace("d = f32[2]", "d = f32[1]"), X
    ) == [[2.0]]
