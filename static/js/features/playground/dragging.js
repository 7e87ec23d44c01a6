/**
 * Integers that are dragged in the picture, or moved by Alt with arrow keys: starts, sizes, padding and strides. Pure
 * functions from the state of a form to the next.
 *
 * by: the distance along each dimension of the first operand; at: the chosen element of the result; sizes: whether sizes
 * change, not positions; starts: the start indices of a gather, where a rule generates them
 * @typedef {{by: number[], at: number[], sizes: boolean, starts: ArrayLike<number|bigint>|null}} Drag
 * @typedef {{next: State, place: Place}} Moved
 * @typedef {{says: string, over: readonly ("operand"|"result")[], move: (form: Form, state: State, drag: Drag) => Moved|null}} Mover
 *   over: the sides whose first tensor is dragged
 */
import { typedFrom, withField, withShape, withTensor } from "./model.js";
import { elementOf } from "../../core/tensor/axes.js";
/** @import {OpForm as Form, FieldPlace as Place, FormState as State} from "../../core/types.js" */

/** @param {number} value @param {number} low @param {number} high */
const within = (value, low, high) => Math.max(low, Math.min(high, value));

/** The sizes of an operand that the form states. @param {State} state @param {string} name @returns {number[]} */
const shapeOf = (state, name) => (state.operands[name]?.[0]?.shape ?? []).map((size) => size ?? 0);

/** @param {Form} form @param {State} state @param {Record<string, any>} fields the first one is the one that was changed @returns {Moved} */
const withFields = (form, state, fields) => ({
  next: Object.entries(fields).reduce((found, [name, value]) => withField(form, found, name, value), state),
  place: { name: Object.keys(fields)[0] ?? "", index: 0, part: "" },
});

/** @param {Form} form @param {State} state @param {Drag} drag */
function moveSlice(form, state, { by, sizes }) {
  const { start_indices: starts, limit_indices: limits } = state.fields;
  const shape = shapeOf(state, "operand");
  const far = by.map((step, d) =>
    within(step, (sizes ? starts[d] - limits[d] : -starts[d]) || 0, (shape[d] ?? 0) - limits[d]),
  );
  const limit_indices = limits.map((/** @type {number} */ limit, /** @type {number} */ d) => limit + (far[d] ?? 0));
  if (sizes) return withFields(form, state, { limit_indices });
  const start_indices = starts.map((/** @type {number} */ start, /** @type {number} */ d) => start + (far[d] ?? 0));
  return withFields(form, state, { start_indices, limit_indices });
}

/** Sizes of a window, at least `least` and at most those of the operand. @param {number[]} given @param {number[]} by @param {number[]} shape @param {number} least */
const resized = (given, by, shape, least = 0) =>
  given.map((size, d) => within(size + (by[d] ?? 0), least, Math.max(least, shape[d] ?? size)));

/** Starts out of range are clamped by the op: the picture shows both. @param {Form} form @param {State} state @param {Drag} drag */
function moveStarts(form, state, { by, sizes }) {
  const shape = shapeOf(state, "operand");
  if (sizes && state.fields.slice_sizes)
    return withFields(form, state, { slice_sizes: resized(state.fields.slice_sizes, by, shape) });
  if (sizes) {
    const update = resized(shapeOf(state, "update"), by, shape);
    return {
      next: withShape(form, state, "update", 0, update),
      place: { name: "update", index: 0, part: /** @type {const} */ ("shape") },
    };
  }
  const starts = state.operands.start_indices ?? [];
  const next = starts.reduce((found, { values }, d) => {
    const start = Array.isArray(values) ? Number(values[0]) : NaN;
    return by[d] && Number.isSafeInteger(start)
      ? withTensor(found, "start_indices", d, { values: [String(start + by[d])] })
      : found;
  }, state);
  return {
    next,
    place: { name: "start_indices", index: Math.max(0, by.findIndex(Boolean)), part: /** @type {const} */ ("values") },
  };
}

/** The start of the window that the chosen element is in. @param {Form} form @param {State} state @param {Drag} drag @returns {Moved|null} */
function moveGathered(form, state, { by, at, sizes, starts }) {
  const { offset_dims, collapsed_slice_dims, operand_batching_dims, start_index_map, index_vector_dim, slice_sizes } =
    state.fields;
  if (sizes) {
    const fixed = [...collapsed_slice_dims, ...operand_batching_dims];
    const free = by.map((step, d) => (fixed.includes(d) ? 0 : step));
    return withFields(form, state, { slice_sizes: resized(slice_sizes, free, shapeOf(state, "operand")) });
  }
  const { values, type } = state.operands.start_indices?.[0] ?? {};
  const shape = shapeOf(state, "start_indices");
  const count = shape.reduce((product, size) => product * size, 1);
  const given = Array.isArray(values) ? values : starts && typedFrom(starts, count, type ?? null);
  if (!given || given.length !== count) return null;
  const batch = at.filter((_, d) => !offset_dims.includes(d));
  const moved = given.map((value, number) => {
    const index = elementOf(shape, number);
    const component = index[index_vector_dim] ?? 0;
    const isHere = index.filter((_, d) => d !== index_vector_dim).every((place, d) => place === batch[d]);
    const step = by[start_index_map[component]] ?? 0;
    return isHere && step ? String(Number(value) + step) : value;
  });
  return {
    next: withTensor(state, "start_indices", 0, { values: moved }),
    place: { name: "start_indices", index: 0, part: "values" },
  };
}

/** The operand moves within the result, whose sizes stay. @param {Form} form @param {State} state @param {Drag} drag */
function movePadded(form, state, { by, sizes }) {
  const { edge_padding_low: low, edge_padding_high: high } = state.fields;
  const edge_padding_high = high.map(
    (/** @type {number} */ size, /** @type {number} */ d) => size + (sizes ? 1 : -1) * (by[d] ?? 0),
  );
  if (sizes) return withFields(form, state, { edge_padding_high });
  const edge_padding_low = low.map((/** @type {number} */ size, /** @type {number} */ d) => size + (by[d] ?? 0));
  return withFields(form, state, { edge_padding_low, edge_padding_high });
}

/**
 * The first window moves by the padding, the others by the stride.
 *
 * @param {(state: State) => number[]} axes the window's dimensions in the operand @param {(state: State) => number[]} results the same in the result
 * @param {(form: Form, state: State, by: number[]) => Moved} resize @returns {Mover["move"]}
 */
const moveWindows =
  (axes, results, resize) =>
  (form, state, { by, at, sizes }) => {
    const along = axes(state).map((axis) => by[axis] ?? 0);
    if (sizes) return resize(form, state, along);
    const numbers = results(state).map((axis) => at[axis] ?? 0);
    const padding = state.fields.padding.map((/** @type {[number, number]} */ [low, high], /** @type {number} */ d) => {
      const step = numbers[d] === 0 ? (along[d] ?? 0) : 0;
      return [low - step, high + step];
    });
    const window_strides = state.fields.window_strides.map((/** @type {number} */ stride, /** @type {number} */ d) =>
      numbers[d] ? Math.max(1, stride + Math.round((along[d] ?? 0) / numbers[d])) : stride,
    );
    const isStride = along.some((step, d) => step !== 0 && numbers[d] !== 0);
    return withFields(form, state, isStride ? { window_strides, padding } : { padding, window_strides });
  };

/** @param {State} state */
const everyAxis = (state) => shapeOf(state, "inputs").map((_, d) => d);

/** @param {Form} form @param {State} state @param {number[]} by @returns {Moved} */
function resizeKernel(form, state, by) {
  const shape = shapeOf(state, "rhs").map((size, d) => {
    const spatial = state.fields.kernel_spatial_dimensions.indexOf(d);
    return spatial < 0 ? size : Math.max(1, size + (by[spatial] ?? 0));
  });
  return { next: withShape(form, state, "rhs", 0, shape), place: { name: "rhs", index: 0, part: "shape" } };
}

const STARTS = { says: "start_indices; with Shift the size", over: /** @type {const} */ (["operand"]) };
const WINDOWS = {
  says: "the padding if the chosen element is the first, else window_strides; with Shift the size of the window",
  over: /** @type {const} */ (["operand"]),
};

/** What is dragged, by op. @type {Readonly<Record<string, Mover>>} */
export const MOVERS = {
  "stablehlo.slice": {
    says: "start_indices and limit_indices; with Shift limit_indices alone",
    over: ["operand"],
    move: moveSlice,
  },
  "stablehlo.dynamic_slice": { ...STARTS, move: moveStarts },
  "stablehlo.dynamic_update_slice": { ...STARTS, over: ["operand", "result"], move: moveStarts },
  "stablehlo.gather": {
    ...STARTS,
    says: "the start of the chosen element's window; with Shift slice_sizes",
    move: moveGathered,
  },
  "stablehlo.pad": {
    says: "edge_padding_low and edge_padding_high; with Shift edge_padding_high alone",
    over: ["operand", "result"],
    move: movePadded,
  },
  "stablehlo.reduce_window": {
    ...WINDOWS,
    move: moveWindows(everyAxis, everyAxis, (form, state, by) =>
      withFields(form, state, {
        window_dimensions: state.fields.window_dimensions.map((/** @type {number} */ size, /** @type {number} */ d) =>
          Math.max(1, size + (by[d] ?? 0)),
        ),
      }),
    ),
  },
  "stablehlo.convolution": {
    ...WINDOWS,
    move: moveWindows(
      ({ fields }) => fields.input_spatial_dimensions,
      ({ fields }) => fields.output_spatial_dimensions,
      resizeKernel,
    ),
  },
};
