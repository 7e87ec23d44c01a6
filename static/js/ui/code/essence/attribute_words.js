/** The short form of attributes: the word before the value, and default values that are omitted. */

/** Maximum length of the value of an unknown attribute; longer ones appear only on hover. */
const LONGEST = 32;

/** Attributes that are always omitted: implementation, notes of the compiler, and what the operands show already. */
const SILENT = new Set(
  (
    "precision precision_config operand_precision algorithm dimension_numbers gather_dimension_numbers " +
    "scatter_dimension_numbers channel_handle channel_id use_global_device_ids api_version backend_config " +
    "operand_layouts result_layouts output_operand_aliases operandSegmentSizes resultSegmentSizes " +
    "operand_layout_constraints index_vector_dim start_index_map collapsed_slice_dims offset_dims update_window_dims " +
    "inserted_window_dims scatter_dims_to_operand_dims operand_batching_dims start_indices_batching_dims " +
    "input_batching_dims scatter_indices_batching_dims metadata frontend_attributes sharding statistics origin " +
    "original_value result_accuracy compare_type in_shardings out_shardings sharding_rule async_collective_name " +
    "called_computations_layout constrain_layout has_side_effect"
  ).split(" "),
);

/** The word before the value; empty if the value is clear without it. @type {Record<string, string>} */
const WORDS = {
  contracting_dims: "",
  batching_dims: "batch",
  dims: "",
  dimensions: "",
  broadcast_dimensions: "",
  permutation: "",
  dim: "dim",
  dimension: "dim",
  iota_dimension: "dim",
  concat_dimension: "concat",
  split_dimension: "split",
  all_gather_dim: "dim",
  scatter_dimension: "dim",
  sizes: "",
  slice: "",
  slice_sizes: "sizes",
  dynamic_slice_sizes: "",
  window_dimensions: "window",
  window_strides: "strides",
  rhs_dilation: "dilate",
  lhs_dilation: "dilate lhs",
  padding: "pad",
  feature_group_count: "groups",
  batch_group_count: "batch groups",
  feature_index: "feature",
  replica_groups: "groups",
  source_target_pairs: "pairs",
  index: "",
  kind: "",
  direction: "",
  comparison_direction: "",
  custom_call_target: "",
  call_target_name: "",
  dim_labels: "",
  dim_numbers: "",
  calls: "",
  to_apply: "",
  condition: "while",
  body: "do",
  true_computation: "then",
  false_computation: "else",
  branch_computations: "",
  called_computations: "",
};

/** Values that are omitted. */
const NEUTRAL = [
  /^(?:false|\[\]|\{\}|"")$/,
  // No padding, no dilation, one group: the usual values of `interior`, `rhs_dilation` and `feature_group_count`.
  /^\[(?:\[0,0\],?)+\]$/,
];
/** Default values of single attributes. @type {Record<string, RegExp>} */
const NEUTRAL_OF = {
  padding: /^0$/,
  low: /^\[(?:0,?)*\]$/,
  high: /^\[(?:0,?)*\]$/,
  interior: /^\[(?:0,?)*\]$/,
  window_strides: /^\[(?:1,?)*\]$/,
  stride: /^\[(?:1,?)*\]$/,
  base_dilations: /^\[(?:1,?)*\]$/,
  window_dilations: /^\[(?:1,?)*\]$/,
  lhs_dilation: /^\[(?:1,?)*\]$/,
  rhs_dilation: /^\[(?:1,?)*\]$/,
  lhs_dilate: /^\[(?:1,?)*\]$/,
  rhs_dilate: /^\[(?:1,?)*\]$/,
  window_reversal: /^\[(?:false,?)*\]$/,
  reverse: /^\[(?:false,?|0,?)*\]$/,
  feature_group_count: /^1$/,
  batch_group_count: /^1$/,
};

/** The value without MLIR's and HLO's syntax: `array<i64: 1, 6>` and `{1,6}` are `[1,6]`, `dense<2> : tensor<i64>` is `2`. @param {string} value @returns {string} */
export function compactValue(value) {
  const bare = value
    .trim()
    .replace(/^array<\w+(?::\s*(.*))?>$/s, (_, items = "") => `[${items}]`)
    .replace(/^dense<(.*)>\s*:\s*tensor<.*>$/s, "$1")
    .replace(/^(-?[\d.eE+-]+|true|false)\s*:\s*\w+$/, "$1")
    .replace(/^#\w+<\w+ (\w+)>$/, "$1")
    .replace(/^"([^"]*)"$/, "$1")
    .replaceAll(", ", ",");
  // HLO writes braces for brackets.
  return /^\{[\d,{}:[\]-]*\}$/.test(bare) ? bare.replaceAll("{", "[").replaceAll("}", "]") : bare;
}

/** `[1] x [0]`: matching dimensions of two operands. @param {string} value @returns {string} */
const paired = (value) => value.replace(/\] x \[/, "]·[");

/** `[b,0,1,f]x[0,1,i,o]->[b,0,1,f]` in HLO's form. @param {string} value @returns {string} */
const labels = (value) =>
  value
    .replace(/\]x\[/, "·")
    .replace(/\]->\[/, "→")
    .replaceAll(/[[\],]/g, "")
    .replace("_", "·")
    .replace("->", "→");

/** `{stride = [1, 1], pad = [[1, 1], [1, 1]]}` without default values. @param {string} value @returns {string} */
const windowText = (value) =>
  [...value.matchAll(/(\w+)\s*=\s*((?:\[[^\]=]*\](?:,\s*|\]))*\[?[^\]=]*\]+|[^\s,}]+)/g)]
    .map(([, name = "", found = ""]) => attributeText(name, found.replace(/,\s*$/, "")))
    .filter(Boolean)
    .join(" ");

/** The short form of an attribute; empty if it is omitted. @param {string} name @param {string|null} value null: a name alone @returns {string} */
export function attributeText(name, value) {
  const short = name.replace(/^\w+\./, "");
  if (SILENT.has(short) || /^(?:mhlo|jax|xla|sdy|tf)\./.test(name)) return "";
  if (value === null) return short;
  if (short === "window") return value.includes("=") ? windowText(value.replace(/^\{|\}$/g, "")) : value;
  const compact = paired(compactValue(value));
  if (NEUTRAL.some((form) => form.test(compact)) || NEUTRAL_OF[short]?.test(compact)) return "";
  if (short === "dim_labels" || short === "dim_numbers") return labels(compact);
  if (compact === "true") return short.replace(/^is_/, "");
  const word = WORDS[short] ?? short;
  if (WORDS[short] === undefined && compact.length > LONGEST) return "…";
  return word === "" ? compact : `${word} ${compact}`;
}
