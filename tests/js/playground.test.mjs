/** The playground's form: what follows from a change, links that say it all, answers that come too late. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as model from "../../static/js/features/playground/model.js";
import { endsOf, readList } from "../../static/js/features/playground/controls.js";
import { matchFamilies } from "../../static/js/features/playground/gallery.js";
import { parseShape } from "../../static/js/features/playground/shape_field.js";
import { fromHash, readTensor, readType, toHash } from "../../static/js/features/playground/url_state.js";

const field = (name, kind, more = {}) => ({
  name,
  kind,
  label: "",
  says: "",
  of: "",
  choices: [],
  least: 0,
  group: "",
  types: [],
  ...more,
});
const TYPES = ["f32", "i32", "i64", "i1", "ui8", "complex<f32>", "quantized_axis"];
const operand = (name, more = {}) => ({
  name,
  label: "",
  says: "",
  types: TYPES,
  many: false,
  scalars: false,
  with: "operand",
  holdsPlaces: false,
  ...more,
});
const tensor = (shape, type, values) => ({ shape, type, values });

const FORM = {
  op: "stablehlo.test",
  opPage: "/ops/stablehlo.test",
  presets: [],
  rules: {},
  equallyMany: ["inputs", "updates"],
  operands: [
    operand("operand"),
    operand("inputs", { many: true }),
    operand("updates", { many: true }),
    operand("start_indices", { scalars: true }),
  ],
  fields: [
    field("flag", "flag"),
    field("count", "integer"),
    field("epsilon", "number"),
    field("axis", "dimension", { of: "operand" }),
    field("axes", "dimensions", { of: "operand" }),
    field("permutation", "dimensions", { of: "operand" }),
    field("strides", "sizes", { of: "operand" }),
    field("low", "sizes", { of: "operand" }),
    field("limit_indices", "sizes", { of: "operand" }),
    field("padding", "pairs", { of: "operand" }),
    field("window_reversal", "flags", { of: "axes" }),
    field("direction", "choice", { choices: ["LT", ""] }),
    field("precision", "pick", { choices: ["DEFAULT", "HIGH"] }),
    field("groups", "groups"),
    field("routes", "routes"),
    field("config", "text"),
    field("body", "body", { choices: ["add"] }),
    field("result", "tensor"),
    field("grid", "grid"),
  ],
  first: {
    operands: {
      operand: [tensor([2, 3], "i32", "iota")],
      inputs: [tensor([2], "f32", "random:7")],
      updates: [tensor(null, null, "counting")],
      start_indices: [tensor([], "i32", ["1"]), tensor([], "i32", ["2"])],
    },
    fields: {
      flag: true,
      count: -3,
      epsilon: 0.001,
      axis: 1,
      axes: [0, 1],
      permutation: [1, 0],
      strides: [1, 2],
      low: [-1, 0],
      limit_indices: [2, 3],
      padding: [
        [0, 1],
        [2, -3],
      ],
      window_reversal: [true, false],
      direction: "",
      precision: ["DEFAULT", "HIGH"],
      groups: [[0, 1], []],
      routes: [],
      config: "ij,jk->ik & more = 100%",
      body: "add",
      result: { shape: null, type: "f32" },
      grid: [2, 1],
    },
  },
};

/** A small generator of numbers, the same each time. */
function randomness(seed) {
  let state = seed;
  return (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
}

function randomState(next) {
  const numbers = (low, count) => Array.from({ length: next(count) }, () => next(20) + low);
  const values = () =>
    next(2)
      ? ["iota", "counting", "random", "random:12", "zeros", "ones"][next(6)]
      : Array.from({ length: next(6) + 1 }, () => ["1+2i", "-5", "nan", "true", "0.25", "−1"][next(6)]);
  const some = () =>
    tensor(
      next(4) ? numbers(0, 5) : null,
      next(3) ? ["f32", "complex<f32>", "quantized_axis", "ui8"][next(4)] : null,
      values(),
    );
  const rows = () => Array.from({ length: next(4) }, () => numbers(-2, 4));
  return {
    operands: {
      operand: [some()],
      inputs: [some(), some()],
      updates: [some(), some()],
      start_indices: Array.from({ length: next(3) }, () => tensor([], "i64", [String(next(9))])),
    },
    fields: {
      flag: next(2) === 1,
      count: next(100) - 50,
      epsilon: next(1000) / 8,
      axis: next(5),
      axes: numbers(-1, 4),
      permutation: numbers(0, 4),
      strides: numbers(0, 4),
      low: numbers(-9, 4),
      limit_indices: numbers(0, 3),
      padding: rows().map((row) => [row[0] ?? 0, row[1] ?? 0]),
      window_reversal: numbers(0, 4).map((number) => number % 2 === 0),
      direction: next(2) ? "LT" : "",
      precision: next(2) ? [] : ["HIGH"],
      groups: rows(),
      routes: [[0, next(9)]],
      config: ["", "a=b&c;d,e", "ß→%#?"][next(3)],
      body: "add",
      result: { shape: next(2) ? numbers(0, 3) : null, type: next(2) ? "i1" : null },
      grid: [next(4) + 1, 1],
    },
  };
}

test("links say all that a form holds", () => {
  assert.deepEqual(fromHash(FORM, toHash(FORM, FORM.first)), { state: FORM.first, ignored: [] });
  const next = randomness(7);
  for (let round = 0; round < 500; round++) {
    const state = randomState(next);
    const hash = toHash(FORM, state);
    assert.match(hash, /^#[\x21-\x7e]*$/);
    assert.deepEqual(fromHash(FORM, hash), { state, ignored: [] });
  }
});

test("links can be read by people", () => {
  assert.ok(
    toHash(FORM, FORM.first).startsWith(
      "#operand=2x3xi32:iota&inputs=2xf32:random:7&updates==x=:counting&start_indices=i32:1&start_indices=i32:2&flag=true&count=-3",
    ),
  );
});

test("what a link does not say is as at first; what makes no sense is told", () => {
  assert.deepEqual(fromHash(FORM, ""), { state: FORM.first, ignored: [] });
  const { state, ignored } = fromHash(
    FORM,
    "#start_indices=i32:0&count=x&axes=0,,1&direction=GT&nonsense=1&operand=2xx3&flag=maybe&body=add&config=%E0%A4%A",
  );
  assert.deepEqual(ignored.sort(), ["axes", "count", "direction", "flag", "nonsense", "operand"]);
  assert.deepEqual(state.operands.operand, FORM.first.operands.operand);
  assert.equal(state.fields.count, -3);
  assert.equal(state.fields.config, "");
});

test("types are spelled with x or ×, and nothing else is one", () => {
  assert.deepEqual(readType("2×3×f32"), { shape: [2, 3], type: "f32" });
  assert.deepEqual(readType("4xcomplex<f64>"), { shape: [4], type: "complex<f64>" });
  assert.deepEqual(readType("i1"), { shape: [], type: "i1" });
  for (const wrong of ["", "2x", "x", "2x3", "-1xf32", "xf32"])
    assert.ok(readType(wrong) === null || readType(wrong).type !== "f32", wrong);
  assert.deepEqual(readTensor("2xi32:"), tensor([2], "i32", []));
});

test("typed values stay at their indices when a shape changes", () => {
  const values = ["0", "1", "2", "3", "4", "5"];
  assert.deepEqual(model.refit(values, [2, 3], [3, 2]), ["0", "1", "3", "4", "0", "0"]);
  assert.deepEqual(model.refit(values, [2, 3], [6]), values);
  assert.deepEqual(model.refit(values, [2, 3], [2, 2, 2]), [...values, "0", "0"]);
  assert.deepEqual(model.refit(["true", "false"], [2], [3]), ["true", "false", "false"]);
  assert.deepEqual(model.refit(values, [3], [2], 2), ["0", "1", "3", "4"]);
  assert.deepEqual(model.refit([], [0, 3], [1, 2]), ["0", "0"]);
});

test("what has an entry for each dimension keeps up with the rank", () => {
  const more = model.withShape(FORM, FORM.first, "operand", 0, [2, 3, 4]);
  assert.deepEqual(more.fields.strides, [1, 2, 1]);
  assert.deepEqual(more.fields.low, [-1, 0, 0]);
  assert.deepEqual(more.fields.limit_indices, [2, 3, 4]);
  assert.deepEqual(more.fields.padding, [
    [0, 1],
    [2, -3],
    [0, 0],
  ]);
  assert.deepEqual(more.fields.permutation, [1, 0, 2]);
  assert.deepEqual(more.fields.axes, [0, 1]);
  assert.equal(more.operands.start_indices.length, 3);
  const less = model.withShape(FORM, more, "operand", 0, [5]);
  assert.deepEqual(less.fields.strides, [1]);
  assert.deepEqual(less.fields.permutation, [0]);
  assert.equal(less.operands.start_indices.length, 1);
  assert.deepEqual(FORM.first.fields.strides, [1, 2], "a state is never changed");
});

test("typed values of operands that follow keep up with a shape", () => {
  const form = { ...FORM, operands: [operand("lhs"), operand("rhs"), operand("init")] };
  const state = {
    op: FORM.op,
    fields: {},
    operands: {
      lhs: [tensor([1, 2], "i32", ["1", "2"])],
      rhs: [tensor(null, null, ["3", "4"])],
      init: [tensor(null, null, ["5"])],
    },
  };
  const answer = { operands: [[1, 2], [1, 2], []].map((shape) => ({ shape, type: "i32" })) };
  const { lhs, rhs, init } = model.withShape(form, state, "lhs", 0, [2, 2], answer).operands;
  assert.deepEqual(lhs[0].values, ["1", "2", "0", "0"]);
  assert.deepEqual(rhs[0].values, ["3", "4", "0", "0"]);
  assert.deepEqual(init[0].values, ["5"]);
  const next = model.withShape(form, { ...state, operands: { lhs, rhs, init } }, "lhs", 0, [1, 1], answer).operands;
  assert.deepEqual([next.lhs[0].values, next.rhs[0].values], [["1"], ["3"]], "before the next answer too");
});

test("a list that others have an entry for each of pulls them along", () => {
  const next = model.withField(FORM, FORM.first, "axes", [2, 0, 1]);
  assert.deepEqual(next.fields.window_reversal, [true, false, false]);
});

test("typed values are given for each process", () => {
  const typed = model.withTensor(FORM.first, "operand", 0, {
    values: ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"],
  });
  const next = model.withField(FORM, typed, "grid", [3, 1]);
  assert.equal(next.operands.operand[0].values.length, 18);
  assert.deepEqual(next.operands.operand[0].values.slice(12), ["0", "1", "2", "3", "4", "5"]);
});

test("operands that come in equal numbers grow and shrink together", () => {
  const more = model.withOneMore(FORM, FORM.first, "inputs");
  assert.deepEqual([more.operands.inputs.length, more.operands.updates.length], [2, 2]);
  const less = model.withoutOne(FORM, more, "updates", 0);
  assert.deepEqual([less.operands.inputs.length, less.operands.updates.length], [1, 1]);
});

test("shapes that follow are those of the answer", () => {
  const answer = {
    problems: [],
    operands: [[2, 3], [2], [9], [], []].map((shape) => ({ shape, type: "i32" })),
    picture: { results: [{ shape: [1, 1, 1] }] },
  };
  assert.deepEqual(model.effective(FORM, FORM.first, answer, "updates", 0), { shape: [9], type: "i32" });
  assert.equal(model.rankOf(FORM, FORM.first, answer, "operand"), 2);
  assert.equal(model.rankOf(FORM, FORM.first, answer, "updates"), 1);
  assert.equal(model.rankOf(FORM, FORM.first, answer, "result"), 3);
  assert.equal(model.rankOf(FORM, FORM.first, null, "updates"), null);
  assert.equal(model.rankOf(FORM, FORM.first, null, "axes"), 2);
});

test("a problem is told at the field that was changed last, if it speaks of it", () => {
  const place = (name, part = "", index = 0) => ({ name, index, part });
  const problem = { message: "no", label: "C1", hint: null, fields: [place("strides"), place("operand", "shape")] };
  assert.equal(model.markOf([problem], null, place("strides")).first, problem);
  assert.equal(model.markOf([problem], place("operand", "shape"), place("strides")).first, null);
  assert.equal(model.markOf([problem], place("operand", "shape"), place("strides")).involved, true);
  assert.equal(model.markOf([problem], place("operand", "shape"), place("operand", "shape")).first, problem);
  assert.equal(model.markOf([problem], null, place("operand", "values")).involved, false);
  assert.deepEqual(model.homeless(FORM, [problem, { ...problem, fields: [place("result2")] }]).length, 1);
});

test("what is not filled in is told before anybody is asked", () => {
  assert.deepEqual(model.gaps(FORM, FORM.first), []);
  const empty = structuredClone(FORM.first);
  empty.operands.operand[0].shape = [2, null];
  empty.operands.start_indices[1].values = [" "];
  empty.fields.padding[1][0] = null;
  assert.deepEqual(
    model.gaps(FORM, empty).map(({ fields }) => [fields[0].name, fields[0].index, fields[0].part]),
    [
      ["operand", 0, "shape"],
      ["start_indices", 1, "values"],
      ["padding", 0, ""],
    ],
  );
});

test("values that are shown can be typed over", () => {
  assert.deepEqual(model.typedFrom(new BigInt64Array([5n, -1n]), 3, "i64"), ["5", "-1", "0"]);
  assert.deepEqual(model.typedFrom(new Uint8Array([1, 0]), 2, "i1"), ["true", "false"]);
  assert.deepEqual(model.typedFrom(new Float32Array([NaN, -Infinity, 0.5]), 3, "f32"), ["nan", "-inf", "0.5"]);
});

test("shapes are pasted as anybody writes them", () => {
  for (const text of ["3x4x2", "3×4×2", "[3, 4, 2]", "(3,4,2)", "3 4 2", "tensor<3x4x2xbf16>", " 3x4x2xf32 "])
    assert.deepEqual(parseShape(text), [3, 4, 2], text);
  for (const text of ["", "7", "three", "3x-4", "tensor<f32>", "1.5x2"]) assert.equal(parseShape(text), null, text);
});

test("lists are typed with commas or blanks; what is not a number is a gap", () => {
  assert.deepEqual(readList("1, 2 −3"), [1, 2, -3]);
  assert.deepEqual(readList("[0,1]"), [0, 1]);
  assert.deepEqual(readList(" "), []);
  assert.deepEqual(readList("1, x, 2.5"), [1, null, null]);
});

test("ops are found by name first, then by sentence and family", () => {
  const families = [
    {
      name: "a",
      title: "Windows",
      ops: [
        { name: "stablehlo.select_and_scatter", sentence: "Scatters." },
        { name: "stablehlo.scatter", sentence: "Adds." },
      ],
    },
    { name: "b", title: "Others", ops: [{ name: "stablehlo.pad", sentence: "Puts a window around." }] },
  ];
  const names = (wanted) => matchFamilies(families, wanted).flatMap(({ ops }) => ops.map(({ name }) => name.slice(10)));
  assert.deepEqual(names(""), ["select_and_scatter", "scatter", "pad"]);
  assert.deepEqual(names("Scat"), ["scatter", "select_and_scatter"]);
  assert.deepEqual(names("window"), ["select_and_scatter", "scatter", "pad"]);
  assert.deepEqual(names("window pad"), ["pad"]);
  assert.deepEqual(names("nothing"), []);
});

test("the ends of a slider hold its number, and do not move while one drags", () => {
  assert.deepEqual(endsOf(3, 0), [0, 8]);
  assert.deepEqual(endsOf(8, 1), [1, 8]);
  assert.deepEqual(endsOf(9, 1), [1, 16]);
  assert.deepEqual(endsOf(-3, null), [-8, 8]);
  assert.deepEqual(endsOf(-20, null), [-32, 32]);
  assert.deepEqual(endsOf(-1, 0), [-1, 8]);
});
