/** The dimensions of operands and results that a field names, and what it says of each. */
import { flatten } from "./model.js";
/** @import {LitAxes} from "../../ui/tensor_grid/state.js" */
/** @import {FormField as FieldForm, OpForm as Form, FormState as State} from "../../core/types.js" */

/** @param {Form} form @param {State} state @param {FieldForm} field @returns {LitAxes} */
export function axesOf(form, state, { name, kind, of }) {
  const value = state.fields[name];
  const target = tensorOf(form, state, of);
  if (!target || value === null || value === undefined) return [];
  const { axes, ...tensor } = target;
  const lit = (/** @type {number} */ axis, /** @type {string} */ text) => ({
    ...tensor,
    axis: axes?.[axis] ?? axis,
    text,
  });
  switch (kind) {
    case "integer":
    case "dimension":
      return [lit(value, name)];
    case "dimensions":
      return value.map((/** @type {number} */ axis, /** @type {number} */ at) =>
        lit(axis, value.length > 1 ? `${name}[${at}]` : name),
      );
    case "sizes":
    case "flags":
      return value.map((/** @type {any} */ each, /** @type {number} */ axis) => lit(axis, `${name} ${each}`));
    case "pairs":
      return value.map(([low, high] = [0, 0], /** @type {number} */ axis) => lit(axis, `${name} ${low}, ${high}`));
    default:
      return [];
  }
}

/** The tensor that a field refers to; a list of dimensions refers to those of the first operand. @param {Form} form @param {State} state @param {string} of @returns {{side: "operand"|"result", number: number, axes?: number[]}|null} */
function tensorOf(form, state, of) {
  if (of === "result") return { side: "result", number: 0 };
  const number = flatten(form, state).findIndex(({ operand }) => operand.name === of);
  if (number >= 0) return { side: "operand", number };
  return Array.isArray(state.fields[of]) ? { side: "operand", number: 0, axes: state.fields[of] } : null;
}
