"""custom-call of HLO text: configurations, windows and tuples as XLA prints them for GPUs."""

from __future__ import annotations

import numpy as np

from hloscope.engine.entry import find_entry
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.values import leaves
from hloscope.engine.ops.custom_calls import CustomCall
from hloscope.engine.outside_results import outside_results
from hloscope.engine.process_grid import results_of
from hloscope.engine.program import BoundProgram
from tests.programs import load_program

PROGRAM = """
HloModule jit_step, is_scheduled=true

ENTRY %main {
  %a = f32[2,3]{1,0} parameter(0)
  %b = f32[3,4]{1,0} parameter(1)
  %bias = f32[4]{0} parameter(2)
  %x = f32[1,5,6,2]{3,2,1,0} parameter(3)
  %w = f32[3,2,2,4]{3,2,1,0} parameter(4)
  %keys = f32[2,8]{1,0} parameter(5)
  %matmul = (f32[2,4]{1,0}, s8[33554432]{0}) custom-call(%a, %b, %bias), custom_call_target="__cublas$lt$matmul", \
metadata={op_name="jit(step)/dot_general"}, backend_config={"operation_queue_id":"0","wait_on_operation_queues":[],\
"gemm_backend_config":{"alpha_real":1,"alpha_imag":0,"beta":0,"dot_dimension_numbers":{"lhs_contracting_dimensions":\
["1"],"rhs_contracting_dimensions":["0"],"lhs_batch_dimensions":[],"rhs_batch_dimensions":[]},"precision_config":{\
"operand_precision":["DEFAULT","DEFAULT"],"algorithm":"ALG_UNSET"},"epilogue":"BIAS_RELU","damax_output":false}}
  %product = f32[2,4]{1,0} get-tuple-element(%matmul), index=0
  %forward = (f32[1,3,3,4]{3,2,1,0}, u8[0]{0}) custom-call(%x, %w), window={size=3x2 stride=1x2 pad=0_0x1_0}, \
dim_labels=b01f_01io->b01f, custom_call_target="__cudnn$convForward", backend_config={"cudnn_conv_backend_config":{\
"conv_result_scale":1,"activation_mode":"kNone","side_input_scale":0}}
  %y = f32[1,3,3,4]{3,2,1,0} get-tuple-element(%forward), index=0
  %backward = (f32[1,5,6,2]{3,2,1,0}, u8[0]{0}) custom-call(%y, %w), window={size=3x2 stride=1x2 pad=0_0x1_0}, \
dim_labels=b01f_01io->b01f, custom_call_target="__cudnn$convBackwardInput"
  %dx = f32[1,5,6,2]{3,2,1,0} get-tuple-element(%backward), index=0
  %sorted = (f32[2,8]{1,0}, u8[1279]{0}) custom-call(%keys), custom_call_target="__cub$DeviceRadixSort", \
backend_config={"descending":true}
  %descending = f32[2,8]{1,0} get-tuple-element(%sorted), index=0
  %eigen = (f32[2,2]{0,1}, f32[2]{0}, s32[]) custom-call(%square), custom_call_target="cusolver_syevd_ffi", \
operand_layout_constraints={f32[2,2]{0,1}}, output_to_operand_aliasing={{0}: (0, {})}, \
api_version=API_VERSION_TYPED_FFI, backend_config={"custom_call_backend_config":{"attributes":"{algorithm = 0 : ui8, \
lower = true}"}}
  %square = f32[2,2]{0,1} constant({{2, 99}, {1, 2}})
  %values = f32[2]{0} get-tuple-element(%eigen), index=1
  %factor = (f32[2,2]{0,1}, s32[]) custom-call(%square), custom_call_target="lapack_spotrf_ffi", \
api_version=API_VERSION_TYPED_FFI, backend_config={uplo = 76 : ui8}
  %lower = f32[2,2]{0,1} get-tuple-element(%factor), index=0
  ROOT %all = (f32[2,4], f32[1,3,3,4], f32[1,5,6,2], f32[2,8], f32[2], f32[2,2]) \
tuple(%product, %y, %dx, %descending, %values, %lower)
}
"""


def _program() -> BoundProgram:
    return load_program(PROGRAM)


def _inputs() -> list[Array]:
    random = np.random.default_rng(0)
    shapes = ((2, 3), (3, 4), (4,), (1, 5, 6, 2), (3, 2, 2, 4), (2, 8))
    return [random.standard_normal(shape).astype(np.float32) for shape in shapes]


def test_calls_as_xla_prints_them() -> None:
    inputs = _inputs()
    a, b, bias, x, w, keys = inputs
    (whole,) = results_of(_program(), inputs)
    product, y, dx, descending, values, lower = leaves(whole)
    np.testing.assert_allclose(product, np.maximum(a @ b + bias, 0), rtol=1e-5, atol=1e-6)
    padded = np.pad(x[0], ((0, 0), (1, 0), (0, 0)))
    patches = np.lib.stride_tricks.sliding_window_view(padded, (3, 2), (0, 1))[:, ::2]
    np.testing.assert_allclose(y[0], np.einsum("yxcij,ijco->yxo", patches, w), rtol=1e-4, atol=1e-5)
    # The gradient is the adjoint: <y, forward(x)> = <backward(y), x>.
    np.testing.assert_allclose(np.vdot(y, y), np.vdot(dx, x), rtol=1e-4)
    np.testing.assert_array_equal(descending, -np.sort(-keys, -1))
    np.testing.assert_allclose(values, [1, 3], rtol=1e-6)
    np.testing.assert_allclose(np.tril(lower), np.linalg.cholesky([[2, 1], [1, 2]]), rtol=1e-6)


def test_known_calls_are_not_outside() -> None:
    program = _program()
    assert not outside_results(program, find_entry(program, None))
    calls = [found.op for found in program.ops if isinstance(found.op, CustomCall)]
    assert len(calls) == 6
    assert all(call.target for call in calls)
