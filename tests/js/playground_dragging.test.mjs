/** Integers that are dragged in the picture of the playground: the form that each drag leads to. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MOVERS } from "../../static/js/features/playground/dragging.js";

const sized = (name, of = "operand") => ({ name, kind: "sizes", of });
const form = (op, fields = []) => ({ op, operands: [], fields, equallyMany: [] });
const tensor = (shape, values = "iota") => ({ shape, type: "i32", values });

/** @param {string} op @param {any} state @param {any} drag */
const moved = (op, state, { by, at = [], sizes = false, starts = null }, fields = []) =>
  MOVERS[`stablehlo.${op}`].move(form(op, fields), state, { by, at, sizes, starts });

test("a slice stays within its operand, and Shift moves its end", () => {
  const state = {
    operands: { operand: [tensor([4, 6])] },
    fields: { start_indices: [1, 2], limit_indices: [3, 4], strides: [1, 1] },
  };
  const { next, place } = moved("slice", state, { by: [-5, 1] });
  assert.deepEqual(
    [next.fields.start_indices, next.fields.limit_indices],
    [
      [0, 3],
      [2, 5],
    ],
  );
  assert.equal(place.name, "start_indices");
  const far = moved("slice", state, { by: [9, 9] }).next.fields;
  assert.deepEqual(
    [far.start_indices, far.limit_indices],
    [
      [2, 4],
      [4, 6],
    ],
  );
  const wide = moved("slice", state, { by: [-9, 9], sizes: true }).next.fields;
  assert.deepEqual(
    [wide.start_indices, wide.limit_indices],
    [
      [1, 2],
      [1, 6],
    ],
  );
});

test("dynamic starts may leave the operand, sizes may not", () => {
  const state = {
    operands: { operand: [tensor([4, 6])], start_indices: [tensor([], ["1"]), tensor([], ["5"])] },
    fields: { slice_sizes: [2, 3] },
  };
  const { next, place } = moved("dynamic_slice", state, { by: [0, 2] });
  assert.deepEqual(
    next.operands.start_indices.map(({ values }) => values),
    [["1"], ["7"]],
  );
  assert.deepEqual([place.name, place.index, place.part], ["start_indices", 1, "values"]);
  assert.deepEqual(moved("dynamic_slice", state, { by: [9, -9], sizes: true }).next.fields.slice_sizes, [4, 0]);
  const update = { operands: { ...state.operands, update: [tensor([2, 3])] }, fields: {} };
  assert.deepEqual(
    moved("dynamic_update_slice", update, { by: [1, 0], sizes: true }).next.operands.update[0].shape,
    [3, 3],
  );
});

const GATHER = {
  offset_dims: [1],
  collapsed_slice_dims: [0],
  operand_batching_dims: [],
  start_index_map: [1, 0],
  index_vector_dim: 1,
  slice_sizes: [1, 2],
};

test("a gather moves the start of the chosen element's window, through start_index_map", () => {
  const operands = { operand: [tensor([4, 6])], start_indices: [tensor([2, 2], ["0", "1", "2", "3"])] };
  const state = { operands, fields: GATHER };
  const { next } = moved("gather", state, { by: [1, 2], at: [1, 0] });
  assert.deepEqual(next.operands.start_indices[0].values, ["0", "1", "4", "4"]);
  // Of the collapsed dimension the size stays 1.
  assert.deepEqual(moved("gather", state, { by: [2, 2], sizes: true }).next.fields.slice_sizes, [1, 4]);
});

test("generated starts become typed when they move, if they are known", () => {
  const operands = { operand: [tensor([4, 6])], start_indices: [tensor([2, 2], "zeros")] };
  const drag = { by: [1, 0], at: [0, 0] };
  assert.equal(moved("gather", { operands, fields: GATHER }, drag), null);
  const { next } = moved("gather", { operands, fields: GATHER }, { ...drag, starts: [5, 6, 7, 8] });
  assert.deepEqual(next.operands.start_indices[0].values, ["5", "7", "7", "8"]);
});

test("a padded operand moves within the result, whose sizes stay", () => {
  const state = {
    operands: { operand: [tensor([2])] },
    fields: { edge_padding_low: [1], edge_padding_high: [2], interior_padding: [0] },
  };
  const { edge_padding_low: low, edge_padding_high: high } = moved("pad", state, { by: [2] }).next.fields;
  assert.deepEqual([low, high], [[3], [0]]);
  assert.deepEqual(moved("pad", state, { by: [2], sizes: true }).next.fields.edge_padding_high, [4]);
});

test("the first window moves by the padding, the others by the stride", () => {
  const state = {
    operands: { inputs: [tensor([4, 6])] },
    fields: {
      window_dimensions: [2, 2],
      window_strides: [2, 2],
      padding: [
        [0, 0],
        [1, 0],
      ],
    },
  };
  const first = moved("reduce_window", state, { by: [1, -1], at: [0, 0] });
  assert.deepEqual(first.next.fields.padding, [
    [-1, 1],
    [2, -1],
  ]);
  assert.equal(first.place.name, "padding");
  const third = moved("reduce_window", state, { by: [0, 3], at: [0, 2] });
  assert.deepEqual(
    [third.next.fields.window_strides, third.next.fields.padding],
    [
      [2, 4],
      [
        [0, 0],
        [1, 0],
      ],
    ],
  );
  assert.equal(third.place.name, "window_strides");
  assert.deepEqual(moved("reduce_window", state, { by: [-9, 1], sizes: true }).next.fields.window_dimensions, [1, 3]);
});

test("the windows of a convolution go along its spatial dimensions", () => {
  const state = {
    operands: { lhs: [tensor([1, 5, 6, 1])], rhs: [tensor([3, 3, 1, 1], "ones")] },
    fields: {
      window_strides: [1, 1],
      padding: [
        [0, 0],
        [0, 0],
      ],
      input_spatial_dimensions: [1, 2],
      kernel_spatial_dimensions: [0, 1],
      output_spatial_dimensions: [1, 2],
    },
  };
  const { next } = moved("convolution", state, { by: [0, 1, 2, 0], at: [0, 0, 1, 0] }, [sized("x")]);
  assert.deepEqual(
    [next.fields.padding, next.fields.window_strides],
    [
      [
        [-1, 1],
        [0, 0],
      ],
      [1, 3],
    ],
  );
  const larger = moved("convolution", state, { by: [0, -1, 1, 0], sizes: true }).next.operands.rhs[0];
  assert.deepEqual(larger.shape, [2, 4, 1, 1]);
});
