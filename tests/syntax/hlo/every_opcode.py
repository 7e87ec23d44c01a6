"""One small program for every opcode of HLO text and every op it maps to, as XLA prints it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hloscope.engine.ops import op_table
from hloscope.engine.ops.core.field_plans import field_plans
from hloscope.engine.ops.elementwise.elementwise import Elementwise
from hloscope.engine.syntax.hlo.opcodes import FORMS

COMPUTATIONS = """
%add (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %r = f32[] add(%x, %y)
}

%ge (x: f32[], y: f32[]) -> pred[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %r = pred[] compare(%x, %y), direction=GE
}

%both (x: f32[], i: s32[], y: f32[], j: s32[]) -> (f32[], s32[]) {
  %x = f32[] parameter(0)
  %i = s32[] parameter(1)
  %y = f32[] parameter(2)
  %j = s32[] parameter(3)
  %v = f32[] add(%x, %y)
  %k = s32[] add(%i, %j)
  ROOT %r = (f32[], s32[]) tuple(%v, %k)
}

%step (x: f32[], c: f32[]) -> (f32[], f32[]) {
  %x = f32[] parameter(0)
  %c = f32[] parameter(1)
  %v = f32[] add(%x, %c)
  ROOT %r = (f32[], f32[]) tuple(%v, %v)
}

%negated (x: f32[2]) -> f32[2] {
  %x = f32[2]{0} parameter(0)
  ROOT %r = f32[2]{0} negate(%x)
}

%small (t: (s32[], f32[2])) -> pred[] {
  %t = (s32[], f32[2]{0}) parameter(0)
  %i = s32[] get-tuple-element(%t), index=0
  %n = s32[] constant(3)
  ROOT %r = pred[] compare(%i, %n), direction=LT
}

%next (t: (s32[], f32[2])) -> (s32[], f32[2]) {
  %t = (s32[], f32[2]{0}) parameter(0)
  %i = s32[] get-tuple-element(%t), index=0
  %v = f32[2]{0} get-tuple-element(%t), index=1
  %one = s32[] constant(1)
  %j = s32[] add(%i, %one)
  ROOT %r = (s32[], f32[2]{0}) tuple(%j, %v)
}
"""

_GROUPS = "replica_groups={{0}}"
_INSTRUCTIONS: tuple[tuple[str, str], ...] = (
    ("f32[2]{0}", "f32[2]{0} copy(%p0)"),
    ("f32[2]{0}", "f32[2]{0} exponential(%p0), result_accuracy={mode=highest}"),
    ("f32[2]{0}", "f32[2]{0} tanh(%p0), result_accuracy={tolerance={atol=0,rtol=0.1,ulps=2}}"),
    ("f32[2]{0}", "pred[2]{0} is-finite(%p0)"),
    ("f32[2]{0}", "s32[2]{0} convert(%p0)"),
    ("f32[2]{0} f32[2]{0}", "c64[2]{0} complex(%p0, %p1)"),
    ("c64[2]{0}", "f32[2]{0} real(%p0)"),
    ("c64[2]{0}", "f32[2]{0} imag(%p0)"),
    ("f32[] f32[2]{0} f32[]", "f32[2]{0} clamp(%p0, %p1, %p2)"),
    ("pred[2]{0} f32[2]{0} f32[2]{0}", "f32[2]{0} select(%p0, %p1, %p2)"),
    ("pred[] (f32[2]{0}) (f32[2]{0})", "(f32[2]{0}) select(%p0, %p1, %p2)"),
    ("f32[2]{0} f32[2]{0}", "pred[2]{0} compare(%p0, %p1), direction=LT, type=TOTALORDER"),
    ("f32[2]{0}", "f32[2]{0} reduce-precision(%p0), exponent_bits=5, mantissa_bits=10"),
    ("f32[2]{0} u32[2]{0}", "s32[2]{0} stochastic-convert(%p0, %p1)"),
    # Tensors from no operand, and data movement
    ("", "f32[2,2]{1,0} constant({ { 1, -2.5 }, { inf, nan } })"),
    ("", "(f32[2]{0}, s32[]) constant(( {1, 2}, 3 ))"),
    ("", "s32[4,3]{1,0} iota(), iota_dimension=1"),
    ("f32[2]{0}", "f32[2,3]{1,0} broadcast(%p0), dimensions={0}"),
    ("f32[2,3]{1,0}", "f32[3,2]{1,0} transpose(%p0), dimensions={1,0}"),
    ("f32[2,3]{1,0}", "f32[2,3]{1,0} reverse(%p0), dimensions={1}"),
    ("f32[2]{0} f32[3]{0}", "f32[5]{0} concatenate(%p0, %p1), dimensions={0}"),
    ("f32[2,3]{1,0}", "f32[6]{0} reshape(%p0)"),
    ("f32[2]{0}", "u16[2,2]{1,0} bitcast-convert(%p0)"),
    ("f32[2,3]{1,0}", "f32[2,3]{0,1} bitcast(%p0)"),
    ("f32[6]{0}", "f32[2]{0} slice(%p0), slice={[1:5:2]}"),
    ("f32[6]{0}", "f32[4]{0} slice(%p0), slice={[1:5]}"),
    ("f32[2,2]{1,0} f32[]", "f32[4,2]{1,0} pad(%p0, %p1), padding=1_0_1x-1_1_0"),
    ("f32[5]{0} s32[]", "f32[2]{0} dynamic-slice(%p0, %p1), dynamic_slice_sizes={2}"),
    ("f32[5]{0} s32[1]{0}", "f32[2]{0} dynamic-slice(%p0, %p1), dynamic_slice_sizes={2}"),
    ("f32[5]{0} f32[2]{0} s32[]", "f32[5]{0} dynamic-update-slice(%p0, %p1, %p2)"),
    ("f32[5]{0} f32[2]{0} s32[1]{0}", "f32[5]{0} dynamic-update-slice(%p0, %p1, %p2)"),
    ("f32[6]{0} s32[] s32[]", "f32[<=3,2]{1,0} dynamic-reshape(%p0, %p1, %p2)"),
    ("f32[<=6,2]{1,0}", "s32[] get-dimension-size(%p0), dimensions={0}"),
    ("f32[6]{0} s32[]", "f32[<=6]{0} set-dimension-size(%p0, %p1), dimensions={0}"),
    (
        "f32[4,3]{1,0} s32[2,1]{1,0}",
        "f32[2,3]{1,0} gather(%p0, %p1), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
        "index_vector_dim=1, slice_sizes={1,3}, indices_are_sorted=true",
    ),
    # Contractions
    (
        "f32[2,3]{1,0} f32[3,4]{1,0}",
        "f32[2,4]{1,0} dot(%p0, %p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    ),
    (
        "f32[5,2,3]{2,1,0} f32[5,3,4]{2,1,0}",
        "f32[5,2,4]{2,1,0} dot(%p0, %p1), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, "
        "rhs_contracting_dims={1}, operand_precision={highest,default}",
    ),
    (
        "f32[2,3]{1,0} f32[3,4]{1,0}",
        "f32[2,4]{1,0} dot(%p0, %p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}, algorithm=dot_bf16_bf16_f32_x3",
    ),
    (
        "f8e4m3fn[2,64]{1,0} f8e4m3fn[64,4]{1,0} f8e8m0fnu[2,2]{1,0} f8e8m0fnu[2,4]{1,0}",
        "f32[2,4]{1,0} scaled-dot(%p0, %p1, %p2, %p3), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    ),
    (
        "f32[6,3]{1,0} f32[2,3,4]{2,1,0} s32[2]{0}",
        "f32[6,4]{1,0} ragged-dot(%p0, %p1, %p2), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
        "lhs_ragged_dims={0}, rhs_group_dims={0}",
    ),
    (
        "f32[1,5,5,2]{3,2,1,0} f32[3,3,1,4]{3,2,1,0}",
        "f32[1,3,2,4]{3,2,1,0} convolution(%p0, %p1), window={size=3x3 stride=2x2 pad=1_1x0_0}, "
        "dim_labels=b01f_01io->b01f, feature_group_count=2",
    ),
    ("f32[2]{0}", "c64[2]{0} fft(%p0), fft_type=RFFT, fft_length={2}"),
    ("f32[2,2]{1,0}", "f32[2,2]{1,0} cholesky(%p0), lower=true"),
    (
        "f32[2,2]{1,0} f32[2,3]{1,0}",
        "f32[2,3]{1,0} triangular-solve(%p0, %p1), left_side=true, lower=true, transpose_a=NO_TRANSPOSE",
    ),
    (
        "f32[4,2]{1,0} f32[2]{0} f32[2]{0}",
        "(f32[4,2]{1,0}, f32[2]{0}, f32[2]{0}) batch-norm-training(%p0, %p1, %p2), epsilon=0.001, feature_index=1",
    ),
    (
        "f32[4,2]{1,0} f32[2]{0} f32[2]{0} f32[2]{0} f32[2]{0}",
        "f32[4,2]{1,0} batch-norm-inference(%p0, %p1, %p2, %p3, %p4), epsilon=0.001, feature_index=1",
    ),
    (
        "f32[4,2]{1,0} f32[2]{0} f32[2]{0} f32[2]{0} f32[4,2]{1,0}",
        "(f32[4,2]{1,0}, f32[2]{0}, f32[2]{0}) batch-norm-grad(%p0, %p1, %p2, %p3, %p4), epsilon=0.001, feature_index=1",
    ),
    # Computations on elements
    ("f32[2,3]{1,0} f32[]", "f32[2]{0} reduce(%p0, %p1), dimensions={1}, to_apply=%add"),
    (
        "f32[3]{0} s32[3]{0} f32[] s32[]",
        "(f32[], s32[]) reduce(%p0, %p1, %p2, %p3), dimensions={0}, to_apply=%both",
    ),
    (
        "f32[5]{0} f32[]",
        "f32[3]{0} reduce-window(%p0, %p1), window={size=3 stride=2 pad=1_1 rhs_dilate=1}, to_apply=%add".replace(
            " rhs_dilate=1", ""
        ),
    ),
    (
        "f32[4]{0} f32[2]{0} f32[]",
        "f32[4]{0} select-and-scatter(%p0, %p1, %p2), window={size=2 stride=2}, select=%ge, scatter=%add",
    ),
    (
        "f32[4,3]{1,0} s32[2,1]{1,0} f32[2,3]{1,0}",
        "f32[4,3]{1,0} scatter(%p0, %p1, %p2), update_window_dims={1}, inserted_window_dims={0}, "
        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, unique_indices=true, to_apply=%add",
    ),
    ("f32[4]{0}", "f32[4]{0} sort(%p0), dimensions={0}, is_stable=true, to_apply=%ge"),
    ("f32[4]{0} f32[4]{0}", "f32[4]{0} map(%p0, %p1), dimensions={0}, to_apply=%add"),
    ("f32[2,5]{1,0}", "(f32[2,3]{1,0}, s32[2,3]{1,0}) topk(%p0), k=3, largest=true"),
    (
        "f32[4]{0} f32[]",
        "(f32[4]{0}, f32[]) scan(%p0, %p1), dimensions={0}, num_carries=1, is_associative=false, "
        "to_apply=%step",
    ),
    # Control flow, tuples, tokens
    ("f32[2]{0}", "f32[2]{0} call(%p0), to_apply=%negated"),
    (
        "f32[2]{0}",
        "f32[2]{0} call(%p0), to_apply=%negated, is_composite=true, "
        'frontend_attributes={composite.name="my.op",composite.attributes={n = 1 : i32},composite.version="1"}',
    ),
    ("f32[2]{0}", "f32[2]{0} fusion(%p0), kind=kLoop, calls=%negated"),
    ("(s32[], f32[2]{0})", "(s32[], f32[2]{0}) while(%p0), condition=%small, body=%next"),
    (
        "pred[] f32[2]{0} f32[2]{0}",
        "f32[2]{0} conditional(%p0, %p1, %p2), true_computation=%negated, false_computation=%negated",
    ),
    (
        "s32[] f32[2]{0} f32[2]{0}",
        "f32[2]{0} conditional(%p0, %p1, %p2), branch_computations={%negated, %negated}",
    ),
    ("f32[2]{0} s32[]", "(f32[2]{0}, s32[]) tuple(%p0, %p1)"),
    ("(f32[2]{0}, s32[])", "s32[] get-tuple-element(%p0), index=1"),
    ("(f32[2]{0}, s32[])", "(f32[2]{0}, s32[]) opt-barrier(%p0)"),
    ("", "token[] after-all()"),
    ("token[] token[]", "token[] after-all(%p0, %p1)"),
    ("f32[2]{0} token[]", "f32[2]{0} add-dependency(%p0, %p1)"),
    (
        "f32[2]{0}",
        'f32[2]{0} domain(%p0), domain={kind="sharding", entry={replicated}, exit={maximal device=0}}',
    ),
    ("f32[2]{0}", "((f32[2]{0}), f32[2]{0}, s32[]) async-start(%p0), calls=%negated"),
    ("((f32[2]{0}), f32[2]{0}, s32[])", "((f32[2]{0}), f32[2]{0}, s32[]) async-update(%p0)"),
    ("((f32[2]{0}), f32[2]{0}, s32[])", "f32[2]{0} async-done(%p0)"),
    ("f32[2]{0}", "(f32[2]{0}, f32[2]{0}, u32[]) copy-start(%p0)"),
    ("f32[2]{0}", "(f32[2]{0}, f32[2]{0}, u32[]) copy-start(%p0), cross_program_prefetch_index=0"),
    ("(f32[2]{0}, f32[2]{0}, u32[])", "f32[2]{0} copy-done(%p0)"),
    ("", "u32[] partition-id()"),
    ("", "u32[] replica-id()"),
    # Between processes, and with the host
    ("f32[2]{0}", f"f32[2]{{0}} all-gather(%p0), {_GROUPS}, dimensions={{0}}"),
    (
        "f32[2]{0}",
        "f32[2]{0} all-gather(%p0), channel_id=1, dimensions={0}, "
        "use_global_device_ids=true, replica_groups=[1,1]<=[1]",
    ),
    ("f32[2]{0}", f"(f32[2]{{0}}, f32[2]{{0}}) all-gather-start(%p0), {_GROUPS}, dimensions={{0}}"),
    ("(f32[2]{0}, f32[2]{0})", "f32[2]{0} all-gather-done(%p0)"),
    ("f32[2]{0}", f"f32[2]{{0}} all-reduce(%p0), {_GROUPS}, to_apply=%add"),
    ("f32[2]{0} f32[3]{0}", f"(f32[2]{{0}}, f32[3]{{0}}) all-reduce(%p0, %p1), {_GROUPS}, to_apply=%add"),
    ("f32[2]{0}", f"f32[2]{{0}} all-reduce-start(%p0), {_GROUPS}, to_apply=%add"),
    ("f32[2]{0}", "f32[2]{0} all-reduce-done(%p0)"),
    ("f32[2]{0}", f"f32[2]{{0}} reduce-scatter(%p0), {_GROUPS}, dimensions={{0}}, to_apply=%add"),
    (
        "f32[2]{0} f32[3]{0}",
        f"(f32[2]{{0}}, f32[3]{{0}}) reduce-scatter(%p0, %p1), {_GROUPS}, dimensions={{0}}, to_apply=%add",
    ),
    ("f32[2]{0}", f"f32[2]{{0}} collective-reduce(%p0), {_GROUPS}, to_apply=%add"),
    ("f32[2]{0}", f"f32[2]{{0}} all-to-all(%p0), {_GROUPS}, dimensions={{0}}"),
    ("f32[2]{0}", f"(f32[2]{{0}}) all-to-all(%p0), {_GROUPS}"),
    (
        "f32[4]{0} f32[4]{0} s32[1]{0} s32[1]{0} s32[1]{0} s32[1]{0}",
        f"f32[4]{{0}} ragged-all-to-all(%p0, %p1, %p2, %p3, %p4, %p5), {_GROUPS}",
    ),
    ("f32[2]{0}", f"f32[2]{{0}} collective-broadcast(%p0), {_GROUPS}"),
    ("f32[2]{0} f32[3]{0}", f"(f32[2]{{0}}, f32[3]{{0}}) collective-broadcast(%p0, %p1), {_GROUPS}"),
    ("f32[2]{0}", "f32[2]{0} collective-permute(%p0), source_target_pairs={{0,0}}"),
    (
        "f32[2]{0} f32[3]{0}",
        "(f32[2]{0}, f32[3]{0}) collective-permute(%p0, %p1), source_target_pairs={{0,0}}",
    ),
    (
        "f32[4]{0} f32[4]{0} (s32[]) (s32[])",
        "f32[4]{0} collective-permute(%p0, %p1, %p2, %p3), source_target_pairs={{0,0}}, slice_sizes={{2}}",
    ),
    (
        "f32[2]{0}",
        "(f32[2]{0}, f32[2]{0}, u32[], u32[]) collective-permute-start(%p0), source_target_pairs={{0,0}}",
    ),
    ("(f32[2]{0}, f32[2]{0}, u32[], u32[])", "f32[2]{0} collective-permute-done(%p0)"),
    ("token[]", "((f32[2]{0}), token[]) infeed(%p0)"),
    ("f32[2]{0} token[]", 'token[] outfeed(%p0, %p1), outfeed_config="a \\"b\\""'),
    ("f32[2]{0} token[]", "(f32[2]{0}, u32[], token[]) send(%p0, %p1), channel_id=2, is_host_transfer=true"),
    ("(f32[2]{0}, u32[], token[])", "token[] send-done(%p0), channel_id=2, is_host_transfer=true"),
    ("token[]", "(f32[2]{0}, u32[], token[]) recv(%p0), channel_id=2"),
    ("(f32[2]{0}, u32[], token[])", "(f32[2]{0}, token[]) recv-done(%p0), channel_id=2"),
    # Outside code
    (
        "f32[2]{0}",
        '(f32[2]{0}, s32[]) custom-call(%p0), custom_call_target="f", custom_call_has_side_effect=true, '
        "api_version=API_VERSION_TYPED_FFI, backend_config={uplo = 76 : ui8}",
    ),
    ("f32[2]{0}", 'f32[2]{0} custom-call(%p0), custom_call_target="f", called_computations={%negated}'),
    ("f32[] f32[]", "f32[3]{0} rng(%p0, %p1), distribution=rng_uniform"),
    ("u64[2]{0}", "(u64[2]{0}, u32[3]{0}) rng-bit-generator(%p0), algorithm=rng_three_fry"),
    ("", "u64[2]{0} rng-get-and-update-state(), delta=8"),
)


def _program(parameters: str, instruction: str) -> str:
    shapes = _shapes(parameters)
    lines = [f"  %p{number} = {shape} parameter({number})" for number, shape in enumerate(shapes)]
    return "\n".join(
        ["HloModule every", COMPUTATIONS, "ENTRY %e {", *lines, f"  ROOT %r = {instruction}", "}\n"]
    )


def _shapes(text: str) -> list[str]:
    """The shapes in a list separated by blanks; a tuple is one shape."""
    found: list[str] = []
    depth = 0
    for word in text.split():
        if depth:
            found[-1] += f" {word}"
        else:
            found.append(word)
        depth += word.count("(") - word.count(")")
    return found


def _elementwise_instructions() -> Iterator[tuple[str, str]]:
    """An instruction without attributes for each elementwise op that the list above lacks; all types are the same."""
    opcode = re.compile(r" ([\w-]+)\((?!.*\), )")
    listed = {found.group(1) for _, text in _INSTRUCTIONS if (found := opcode.search(text))}
    for form in FORMS:
        op_class = op_table()[form.name]
        plans = field_plans(op_class)
        needs_attributes = any(plan.required for plan in plans if plan.source == "attribute")
        if issubclass(op_class, Elementwise) and form.opcode not in listed and not needs_attributes:
            shape = "f32[2]{0}" if "float" in op_class.kinds else "s32[2]{0}"
            count = sum(plan.source == "operand" for plan in plans)
            operands = ", ".join(f"%p{number}" for number in range(count))
            yield " ".join([shape] * count), f"{shape} {form.opcode}({operands})"


_ALL = (*_INSTRUCTIONS, *_elementwise_instructions())
INSTRUCTIONS = {f"{number:03} {text.partition('(%')[0]}": text for number, (_, text) in enumerate(_ALL)}
"""The class of each program's root."""
PROGRAMS = {
    name: _program(parameters, text) for name, (parameters, text) in zip(INSTRUCTIONS, _ALL, strict=True)
}
"""The programs by opcode."""
