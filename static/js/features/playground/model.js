/**
 * The state of a form, and the effects of a change: pure functions from one state to the next.
 *
 * @typedef {import("../../core/types.js").FormTensorInfo} Tensor  null: it follows from the rest; a size of null is none yet
 * @typedef {{shape: (number|null)[]|null, type: string|null}} ResultType
 */
import { countOf, elementOf, numberOf } from "../../core/tensor/axes.js";
/** @import {FormState as State, OperandField as OperandForm, FormField as FieldForm, FormPreset as Preset, OpForm as Form, FieldPlace as Place, FormProblemInfo as Problem, PlaygroundAnswer as Answer} from "../../core/types.js" */

/** Maximum number of dimensions in a form. */
export const MOST_DIMENSIONS = 16;
/** Maximum number of elements typed in a table; more are typed as a list. */
export const MOST_CELLS = 256;
/** Maximum number of typed elements. */
export const MOST_TYPED = 4096;
/** The seed of generated values. */
export const KINDS = ["iota", "counting", "random", "zeros", "ones"];

/** @param {State} state @returns {State} */
const copy = (state) => structuredClone(state);

/** The operands in the order of the operation, each with its index. @param {Form} form @param {State} state */
export const flatten = (form, state) =>
  form.operands.flatMap((operand) =>
    (state.operands[operand.name] ?? []).map((tensor, index) => ({ operand, index, tensor })),
  );

/** The shape and type of an operand: its own, or those of the last answer. @param {Form} form @param {State} state @param {Answer|null} answer @param {string} name @param {number} index @returns {{shape: number[]|null, type: string|null}} */
export function effective(form, state, answer, name, index) {
  const all = flatten(form, state);
  const at = all.findIndex((item) => item.operand.name === name && item.index === index);
  const tensor = all[at]?.tensor;
  const told = answer?.operands?.length === all.length ? answer.operands[at] : undefined;
  const own = tensor?.shape && whole(tensor.shape) ? tensor.shape : null;
  return { shape: own ?? told?.shape ?? null, type: tensor?.type ?? told?.type ?? null };
}

/** @param {(number|null)[]} shape @returns {shape is number[]} */
export const whole = (shape) => shape.every((size) => size !== null);

/** The number of dimensions or entries that a field refers to; null if unknown. @param {Form} form @param {State} state @param {Answer|null} answer @param {string} of @returns {number|null} */
export function rankOf(form, state, answer, of) {
  if (of === "result")
    return state.fields.result?.shape?.length ?? answer?.picture?.results?.at(-1)?.shape?.length ?? null;
  if (state.operands[of])
    return state.operands[of][0]?.shape?.length ?? effective(form, state, answer, of, 0).shape?.length ?? null;
  return Array.isArray(state.fields[of]) ? state.fields[of].length : null;
}

/** The default of a new entry in a list of sizes: it changes nothing. @param {string} name @param {number} size */
function neutral(name, size) {
  if (name === "limit_indices") return size;
  return /slice_sizes|strides|dilation|window_dimensions|sizes/.test(name) ? 1 : 0;
}

/** Change a field; fields with one entry per entry of it are resized. @param {Form} form @param {State} state @param {string} name @param {any} value @returns {State} */
export function withField(form, state, name, value) {
  const next = copy(state);
  next.fields[name] = value;
  if (Array.isArray(value))
    fitFields(
      form,
      next,
      name,
      value.map(() => 0),
    );
  if (name === "grid") fitProcesses(form, next, processesOf(state), processesOf(next));
  return next;
}

/** Resize the fields with one entry per dimension of `of`. @param {Form} form @param {State} next @param {string} of @param {(number|null)[]} shape */
function fitFields(form, next, of, shape) {
  for (const { name, kind, of: about } of form.fields) {
    if (about !== of || !Array.isArray(next.fields[name])) continue;
    const before = next.fields[name];
    if (kind === "sizes") next.fields[name] = shape.map((size, d) => before[d] ?? neutral(name, size ?? 0));
    if (kind === "flags") next.fields[name] = shape.map((_, d) => before[d] ?? false);
    if (kind === "pairs") next.fields[name] = shape.map((_, d) => before[d] ?? [0, 0]);
    if (name === "permutation") {
      const kept = before.filter((/** @type {number} */ d) => d < shape.length);
      next.fields[name] = [...kept, ...shape.map((_, d) => d).filter((d) => !kept.includes(d))];
    }
  }
}

/** @param {State} state @returns {number} */
export const processesOf = (state) =>
  (state.fields.grid ?? [1]).reduce(
    (/** @type {number} */ count, /** @type {number|null} */ size) => count * (size ?? 1),
    1,
  );

/**
 * Change the shape of an operand, and of those that follow it; typed values keep their indices, and dependent fields are
 * resized.
 *
 * @param {Form} form @param {State} state @param {string} name @param {number} index @param {(number|null)[]|null} shape
 * @param {Answer|null} answer the last one, for shapes that follow from the rest @returns {State}
 */
export function withShape(form, state, name, index, shape, answer = null) {
  const next = copy(state);
  const tensor = next.operands[name]?.[index];
  if (!tensor) return state;
  const old = effective(form, state, answer, name, index).shape;
  const all = flatten(form, next);
  const told = all.map((_, at) => (answer?.operands?.length === all.length ? answer.operands[at]?.shape : undefined));
  const own = told[all.findIndex((each) => each.tensor === tensor)];
  tensor.shape = shape;
  all.forEach(({ tensor: each }, at) => {
    const follows = each === tensor || (own && each.shape === null && String(told[at]) === String(own));
    if (follows && Array.isArray(each.values) && shape && old && whole(shape))
      each.values = refit(each.values, old, shape, processesOf(state));
  });
  if (index === 0 && shape) {
    fitFields(form, next, name, shape);
    fitScalars(form, next, name, shape.length);
  }
  return next;
}

/** One scalar per dimension of the first operand. @param {Form} form @param {State} next @param {string} name @param {number} rank */
function fitScalars(form, next, name, rank) {
  const scalars = form.operands.find(({ scalars: found }) => found);
  if (!scalars || form.operands[0]?.name !== name) return;
  const given = next.operands[scalars.name] ?? [];
  const type = given[0]?.type ?? "i32";
  next.operands[scalars.name] = Array.from({ length: rank }, (_, d) => given[d] ?? { shape: [], type, values: ["0"] });
}

/**
 * Values at the same indices in another shape: values outside are dropped, new ones are 0. With another rank the
 * row-major order is kept.
 *
 * @param {string[]} values @param {number[]} before @param {number[]} after @param {number} [processes] @returns {string[]}
 */
export function refit(values, before, after, processes = 1) {
  const [old, count] = [countOf(before), countOf(after)];
  if (values.length === old * processes && processes > 1) {
    return Array.from({ length: processes }, (_, process) =>
      refit(values.slice(process * old, (process + 1) * old), before, after),
    ).flat();
  }
  if (values.length !== old || count > MOST_TYPED) return values;
  const zero = values.some((value) => value === "true" || value === "false") ? "false" : "0";
  if (before.length !== after.length) return Array.from({ length: count }, (_, at) => values[at] ?? zero);
  return Array.from({ length: count }, (_, at) => {
    const index = elementOf(after, at);
    return index.every((number, d) => number < (before[d] ?? 0)) ? (values[numberOf(before, index)] ?? zero) : zero;
  });
}

/** With other processes, new ones get the typed values of the first. @param {Form} form @param {State} next @param {number} before @param {number} after */
function fitProcesses(form, next, before, after) {
  for (const { tensor } of flatten(form, next)) {
    const count = Array.isArray(tensor.values) && tensor.shape && whole(tensor.shape) ? countOf(tensor.shape) : 0;
    if (!count || !Array.isArray(tensor.values) || tensor.values.length !== count * before || before === 1) continue;
    const { values } = tensor;
    tensor.values = Array.from({ length: count * after }, (_, at) => values[at] ?? values[at % count] ?? "0");
  }
}

/** Change the type or the values of an operand's tensor. @param {State} state @param {string} name @param {number} index @param {Partial<Tensor>} change @returns {State} */
export function withTensor(state, name, index, change) {
  const next = copy(state);
  const group = next.operands[name] ?? [];
  const tensor = group[index];
  if (tensor) group[index] = { ...tensor, ...change };
  return next;
}

/** Add a tensor to each of the operands that have equally many. @param {Form} form @param {State} state @param {string} name @returns {State} */
export function withOneMore(form, state, name) {
  const next = copy(state);
  for (const each of form.equallyMany.includes(name) ? form.equallyMany : [name]) {
    const group = next.operands[each] ?? [];
    const last = group.at(-1);
    group.push(
      last
        ? {
            ...structuredClone(last),
            values: Array.isArray(last.values) && group.length > 0 ? [...last.values] : last.values,
          }
        : { shape: null, type: null, values: "iota" },
    );
    next.operands[each] = group;
  }
  return next;
}

/** Remove a tensor. @param {Form} form @param {State} state @param {string} name @param {number} index @returns {State} */
export function withoutOne(form, state, name, index) {
  const next = copy(state);
  for (const each of form.equallyMany.includes(name) ? form.equallyMany : [name]) next.operands[each]?.splice(index, 1);
  return next;
}

/** The current values, as a start for typing. @param {ArrayLike<number|bigint>|null} shown @param {number} count @param {string|null} type @returns {string[]} */
export function typedFrom(shown, count, type) {
  const zero = type === "i1" ? "false" : "0";
  return Array.from({ length: count }, (_, at) =>
    shown && at < shown.length ? spell(/** @type {number|bigint} */ (shown[at]), type) : zero,
  );
}

/** @param {number|bigint} value @param {string|null} type @returns {string} */
function spell(value, type) {
  if (type === "i1") return value ? "true" : "false";
  return String(value).replace("Infinity", "inf").replace("NaN", "nan");
}

/** Missing entries, checked before a request. @param {Form} form @param {State} state @returns {Problem[]} */
export function gaps(form, state) {
  const found = [];
  for (const { operand, index, tensor } of flatten(form, state)) {
    if (tensor.shape && !whole(tensor.shape))
      found.push(gap("Each size must be a whole number.", { name: operand.name, index, part: "shape" }));
    if (Array.isArray(tensor.values) && tensor.values.some((value) => value.trim() === ""))
      found.push(gap("Each element must have a value.", { name: operand.name, index, part: "values" }));
  }
  for (const { name, kind } of form.fields) {
    const numbers = kind === "tensor" ? (state.fields[name]?.shape ?? []) : [state.fields[name]].flat(2);
    const missing = ["dimensions", "groups"].includes(kind)
      ? "These must be whole numbers, with commas between them."
      : "A number is missing.";
    if (!["choice", "body", "text", "flag"].includes(kind) && numbers.includes(null))
      found.push(gap(missing, { name, index: 0, part: "" }));
  }
  return found;
}

/** @param {string} message @param {Place} place @returns {Problem} */
const gap = (message, place) => ({ message, label: null, hint: null, fields: [place] });

/** The marks of fields: `first` shows the problem, `involved` are related to it. @param {Problem[]} problems @param {Place|null} last what was changed last @param {Place} place @returns {{first: Problem|null, involved: boolean}} */
export function markOf(problems, last, { name, index, part }) {
  const here = (/** @type {Place} */ place) =>
    place.name === name && place.index === index && (part === "" || place.part === "" || place.part === part);
  const first = problems.find((problem) => {
    const main = mainOf(problem, last);
    return main !== null && here(main);
  });
  return { first: first ?? null, involved: problems.some(({ fields }) => fields.some(here)) };
}

/** The field that shows a problem: the one changed last, if it is related. @param {Problem} problem @param {Place|null} last @returns {Place|null} */
export function mainOf({ fields }, last) {
  const changed = last && fields.find(({ name, index }) => name === last.name && index === last.index);
  return changed ?? fields[0] ?? null;
}

/** Problems without a field. @param {Form} form @param {Problem[]} problems @returns {Problem[]} */
export function homeless(form, problems) {
  const names = new Set([...form.operands, ...form.fields].map(({ name }) => name));
  return problems.filter(({ fields }) => !fields.some(({ name }) => names.has(name)));
}
