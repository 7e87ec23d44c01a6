/** The family of an op, for the colour of its mark: the six that one tells apart at a glance. */

const FAMILIES = {
  control: "call return while if case sort map composite optimization_barrier after_all custom_call",
  contraction: "dot dot_general convolution einsum triangular_solve cholesky fft",
  reduction: "reduce reduce_window select_and_scatter batch_norm_training batch_norm_grad batch_norm_inference",
  movement: "reshape broadcast broadcast_in_dim transpose slice dynamic_slice dynamic_update_slice concatenate pad "
    + "gather scatter reverse iota dynamic_gather dynamic_iota dynamic_pad dynamic_reshape dynamic_broadcast_in_dim "
    + "real_dynamic_slice bitcast_convert bitcast copy tuple get_tuple_element get_dimension_size set_dimension_size",
  collective: "all_gather all_reduce all_to_all collective_broadcast collective_permute reduce_scatter partition_id "
    + "replica_id send recv infeed outfeed cross_replica_sum",
  other: "constant parameter rng rng_bit_generator",
};

/** @type {Map<string, string>} */
const FAMILY = new Map(Object.entries(FAMILIES).flatMap(([family, names]) =>
  names.split(" ").map((name) => /** @type {[string, string]} */ ([name, family]))));

/** @param {string} op such as "stablehlo.add" @returns {string} a class name */
export function familyClass(op) {
  const name = op.slice(op.lastIndexOf(".") + 1).replaceAll("-", "_");
  return `family-${FAMILY.get(name) ?? "elementwise"}`;
}

/** The op without its dialect where that goes without saying. @param {string} op @returns {string} */
export function shortName(op) {
  return op.replace(/^(stablehlo|func|hlo)\./, "");
}

/**
 * Whether a frame is one of many of its region: what belongs to a loop says which iteration it is.
 *
 * @param {import("./outline.js").Outline} outline @param {import("./program.js").Program} program @param {number} frame
 * @returns {boolean}
 */
export function isIterated(outline, program, frame) {
  const { opener } = program.block(outline.block(frame));
  return opener !== null && (shortName(program.op(opener).name) === "while" || outline.iteration(frame) > 0);
}
