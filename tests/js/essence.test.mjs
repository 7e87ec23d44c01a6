/** The essence of lines: what is left out, and that names, ops and operands never are. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { essenceOf, essenceText } from "../../static/js/ui/code/essence/essence.js";
import { shortType } from "../../static/js/ui/code/essence/stablehlo_essence.js";
import { languageOf } from "../../static/js/ui/code/recognise_language.js";

const EXAMPLES = new URL("../../app/reference/examples/", import.meta.url);

/** @param {string} line @param {string} expected @param {"stablehlo"|"hlo"} [language] */
function shows(line, expected, language = "stablehlo") {
  assert.equal(essenceText(line, language), expected);
}

test("StableHLO: operands and values of attributes are left", () => {
  shows(
    "    %6 = stablehlo.dot_general %5, %arg4, batching_dims = [0] x [0], contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>",
    "    %6 = dot_general %5 × %arg4  batch [0]·[0]  [1]·[0]",
  );
  shows(
    '  %6 = "stablehlo.gather"(%arg1, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 768>}> : (tensor<50257x768xf32>, tensor<64x1xi32>) -> tensor<64x768xf32>',
    "  %6 = gather %arg1 at %5  sizes [1,768]",
  );
  shows(
    "  %1 = stablehlo.convolution(%arg0, %arg2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [0, 0]], lhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 8 : i64, precision_config = [#stablehlo<precision DEFAULT>]} : (tensor<2x8x8x8xf32>, tensor<3x3x1x16xf32>) -> tensor<2x8x8x16xf32>",
    "  %1 = convolution %arg0 ∗ %arg2  b01f·01io→b01f  stride [2,2] pad [[1,1],[0,0]]  groups 8",
  );
  shows(
    "  %8 = stablehlo.reduce(%7 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<64x768xf32>, tensor<f32>) -> tensor<64xf32> loc(#loc38)",
    "  %8 = reduce add %7 init %cst over [1]",
  );
  shows(
    '  %1 = stablehlo.custom_call @callback(%arg0) {api_version = 4 : i32, backend_config = {index = 1 : ui64}, mhlo.sharding = "{maximal device=0}"} : (tensor<8xf32>) -> tensor<8xf32>',
    "  %1 = custom_call @callback(%arg0)",
  );
  shows(
    "  %1 = stablehlo.compare LT, %a, %b, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>",
    "  %1 = compare %a < %b",
  );
  shows("    return %24 : tensor<32x10xf32> loc(#loc32)", "    return %24");
});

test("StableHLO: where the result's type is what an op does, it is left", () => {
  shows(
    "  %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x256xf32>) -> tensor<32x256xf32>",
    "  %2 = broadcast_in_dim %1  [0,1] → f32[32,256]",
  );
  shows("  %2 = stablehlo.convert %1 : (tensor<4xf32>) -> tensor<4xbf16>", "  %2 = convert %1 → bf16[4]");
  shows("  %c = stablehlo.constant dense<7.680000e+02> : tensor<f32>", "  %c = constant 768");
  shows("  %c = stablehlo.constant dense<9.99999974E-6> : tensor<f32>", "  %c = constant 9.99999974E-6");
  shows("  %c = stablehlo.constant dense<0xFF800000> : tensor<4xf32>", "  %c = constant -Inf → f32[4]");
  assert.equal(shortType("tensor<?x3x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>"), "!quant.uniform<…>[?,3]");
});

test("StableHLO: heads keep their first arguments, and comments stay", () => {
  shows(
    '  func.func public @main(%arg0: tensor<64xi32> {mhlo.layout_mode = "default"} loc("tokens"), %b: tensor<f32>) -> (tensor<64x2xf32> {jax.result_info = "result"}) {',
    "  func.func public @main(%arg0: i32[64], %b: f32) → f32[64,2] {",
  );
  const many = Array.from({ length: 9 }, (_, i) => `%arg${i}: tensor<f32>`).join(", ");
  shows(
    `func.func @main(${many}) -> tensor<f32> {`,
    "func.func @main(%arg0: f32, %arg1: f32, %arg2: f32, %arg3: f32, … 5 more) → f32 {",
  );
  shows("  ^bb0(%a: tensor<f32>, %b: tensor<f32>):", "  ^bb0(%a: f32, %b: f32):");
  shows("module @jit_f attributes {mhlo.num_partitions = 1 : i32} {", "module @jit_f {");
  shows("  // loc(here) : not a type", "  // loc(here) : not a type");
  shows("  }) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32> loc(#loc)", "  })");
});

test("HLO: layouts and what the compiler notes are left out", () => {
  shows(
    '  ROOT %dot.25 = f32[8,4]{1,0} dot(f32[8,2]{1,0} %a, %b), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}, metadata={op_name="jit(f)/dot" stack_frame_id=35}',
    "  ROOT %dot.25 = dot(%a × %b)  [2]·[1]  batch [0]·[0]",
    "hlo",
  );
  shows(
    '  %f = f32[32,256]{1,0} fusion(%x.1, %w), kind=kLoop, calls=%fused_computation.6, backend_config={"outer":["4"]}',
    "  %f = fusion(%x.1, %w)  kLoop  %fused_computation.6",
    "hlo",
  );
  shows("  %g = s32[4]{0} get-tuple-element(%t), index=1", "  %g = get-tuple-element(%t)[1]", "hlo");
  shows("  lt = pred[8]{0} compare(i, n), direction=LT", "  lt = compare(i < n)", "hlo");
  shows("  %t = (f32[2]{0}, s32[], /*index=2*/pred[]) tuple(%a, %b, %c)", "  %t = tuple(%a, %b, %c)", "hlo");
  shows(
    '  %c = f32[4]{0} custom-call(%a), custom_call_target="topk", api_version=API_VERSION_STATUS_RETURNING',
    "  %c = custom-call(%a)  topk",
    "hlo",
  );
  shows(
    "HloModule jit_step, is_scheduled=true, entry_computation_layout={(f32[])->f32[]}",
    "HloModule jit_step …",
    "hlo",
  );
  shows(
    "  %r = f32[4]{0} reduce(%x, %zero), dimensions={1}, to_apply=%add",
    "  %r = reduce(%x, %zero)  [1]  %add",
    "hlo",
  );
});

test("HLO: where the result's type is what an op does, it stands behind", () => {
  shows("  %b = f32[2,4]{1,0} broadcast(%a), dimensions={0}", "  %b = broadcast(%a)  [0] → f32[2,4]", "hlo");
  shows("  %p = f32[8,2]{1,0} parameter(0)", "  %p = parameter(0) → f32[8,2]", "hlo");
  shows("  %c = bf16[4]{0} convert(f32[4]{0} %a)", "  %c = convert(%a) → bf16[4]", "hlo");
  shows('  %c = bf16[4]{0} convert(%a), metadata={op_name="jit(f)/c"}', "  %c = convert(%a) → bf16[4]", "hlo");
  shows("  %c = f32[] constant(768)", "  %c = constant(768)", "hlo");
  shows("  %c = f32[2]{0} constant({1, 2})", "  %c = constant({1, 2}) → f32[2]", "hlo");
  shows("  %p = (f32[2]{0}, s32[], pred[]) parameter(1)", "  %p = parameter(1) → (f32[2], … 2 more)", "hlo");
  shows("  %r = f32[4]{0} reshape(%a), control-predecessors={%b}", "  %r = reshape(%a) → f32[4]  after {%b}", "hlo");
});

/** The names of a line's results and operands, and its op: what stands before types and attributes. @param {string} line @param {"stablehlo"|"hlo"} language @returns {string[]} */
function mustStay(line, language) {
  if (/^\s*(?:\/\/|func\.func|module|\^|#|HloModule|%?[\w.-]+ \(.*\{$)/.test(line)) return [];
  const code = line.replace(/\s\/\/.*$/, "");
  if (language === "hlo") {
    const found = /^\s*(?:ROOT )?(%?[\w.-]+) = .*?\s?([a-z][\w-]*)\(/.exec(code);
    return found ? [found[1] ?? "", ...[...code.matchAll(/%[\w.-]+/g)].map(([name]) => name)] : [];
  }
  const op = /^\s*(?:%[^=]*=\s*)?"?(?:[a-z]+\.)*([a-z_]\w*)"?[ (]/.exec(code);
  return op && /^\s*(?:%|"|[a-z]+\.|return|call)/.test(code)
    ? [op[1] ?? "", ...[...code.matchAll(/%[-\w.$]+(?:#\d+)?/g)].map(([name]) => name)]
    : [];
}

test("no example loses a result, an op or an operand", () => {
  const files = ["", "ops/"].flatMap((folder) =>
    readdirSync(new URL(folder, EXAMPLES))
      .filter((name) => /\.(?:mlir|hlo)$/.test(name))
      .map((name) => folder + name),
  );
  let lines = 0;
  let [before, after] = [0, 0];
  for (const file of files) {
    const text = readFileSync(new URL(file, EXAMPLES), "utf8");
    const language = languageOf(text);
    for (const line of text.split("\n")) {
      const shown = essenceText(line, language);
      for (const name of mustStay(line, language))
        assert.ok(shown.includes(name), `${file}: ${name} is gone from\n${line}\n${shown}`);
      const pieces = essenceOf(line, language);
      for (const [i, { from, to }] of pieces.entries())
        assert.ok(
          from >= (pieces[i - 1]?.to ?? 0) && to >= from && to <= line.length,
          `${file}: pieces overlap in ${line}`,
        );
      if (mustStay(line, language).length > 0) [before, after] = [before + line.length, after + shown.length];
      lines++;
    }
  }
  assert.ok(files.length > 200 && lines > 4_000);
  assert.ok(after < 0.6 * before, `${after} of ${before} characters are left`);
});

test("a line that is not finished, or nothing at all, is shown as far as it goes", () => {
  for (const line of [
    "  %1 = stablehlo.add %a, (",
    "  %1 = ",
    "stablehlo.",
    "  %x = f32[2]{",
    "  %x = f32[2] constant({1, 2",
    "}",
    '  %1 = "stablehlo.',
    "func.func @main(",
  ])
    for (const language of /** @type {const} */ (["stablehlo", "hlo"]))
      assert.ok(essenceText(line, language).length <= line.length + 4, line);
});
