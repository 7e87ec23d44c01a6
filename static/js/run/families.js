/** The family of an op, for the colour of its mark: the six that one tells apart at a glance. */

import { NONE } from "./outline.js";

const FAMILIES = {
  control: "call return while if case sort map composite optimization_barrier after_all custom_call fusion conditional "
    + "opt_barrier add_dependency domain async_start async_update async_done ROOT",
  contraction: "dot dot_general convolution einsum triangular_solve cholesky fft scaled_dot ragged_dot",
  reduction: "reduce reduce_window select_and_scatter batch_norm_training batch_norm_grad batch_norm_inference",
  movement: "reshape broadcast broadcast_in_dim transpose slice dynamic_slice dynamic_update_slice concatenate pad "
    + "gather scatter reverse iota dynamic_gather dynamic_iota dynamic_pad dynamic_reshape dynamic_broadcast_in_dim "
    + "real_dynamic_slice bitcast_convert bitcast copy copy_start copy_done tuple get_tuple_element get_dimension_size set_dimension_size",
  collective: "all_gather all_reduce all_to_all collective_broadcast collective_permute reduce_scatter partition_id "
    + "replica_id send recv infeed outfeed cross_replica_sum ragged_all_to_all collective_reduce send_done recv_done "
    + "all_gather_start all_gather_done all_reduce_start all_reduce_done collective_permute_start collective_permute_done",
  other: "constant parameter rng rng_bit_generator rng_get_and_update_state",
};

/** @type {Map<string, string>} */
const FAMILY = new Map(Object.entries(FAMILIES).flatMap(([family, names]) =>
  names.split(" ").map((name) => /** @type {[string, string]} */ ([name, family]))));

/** @param {import("../types.js").OpInfo} info @returns {string} a class name */
export function familyClass(info) {
  const op = spelled(info);
  const name = op.slice(op.lastIndexOf(".") + 1).replaceAll("-", "_");
  return `family-${FAMILY.get(name) ?? "elementwise"}`;
}

/** What the program's text calls an op. @param {import("../types.js").OpInfo} op @returns {string} */
export const spelled = ({ name, opcode }) => opcode || name;

/** The op without its dialect where that goes without saying. @param {import("../types.js").OpInfo} op @returns {string} */
export function shortName(op) {
  return spelled(op).replace(/^(stablehlo|func|hlo)\./, "");
}

/**
 * Whether a frame is one of many of its region: what belongs to a loop says which iteration it is.
 *
 * @param {import("./outline.js").Outline} outline @param {import("./program.js").Program} program @param {number} frame
 * @returns {boolean}
 */
export function isIterated(outline, program, frame) {
  const [opener, iteration] = [outline.opener(frame), outline.iteration(frame)];
  if (opener === NONE || iteration === NONE) return false;
  const op = program.op(outline.op(opener));
  // A function that is called runs once; the computations of HLO text are functions.
  return op.regions.includes(outline.block(frame)) && (shortName(op) === "while" || iteration > 0);
}
