/** The values and elements that a teacher can ask about at the position of the page. */
import { parseAddress, resultAddress } from "../../core/addresses.js";
import { elementAtCursor } from "../../core/position_url.js";
import { shownName } from "../../core/run/value_names.js";
import * as store from "../../core/store.js";

/**
 * @typedef {{address: string, value: number, path: number[], name: string, shape: number[], element: number[]|null}} Askable
 *   element: at the cursor
 */

/** The chosen value, the results of the current op, and its operands; the value with a chosen element first. @returns {Askable[]} */
export function askables() {
  const selected = store.selectedValue.peek();
  const chosen = selected ? fromSelected(selected, elementAtCursor()) : null;
  const all = chosen?.element ? [chosen, ...madeHere(), ...readHere()] : [...madeHere(), chosen, ...readHere()];
  /** @type {Map<string, Askable>} */
  const found = new Map();
  for (const one of all) if (one && !found.has(one.address)) found.set(one.address, one);
  return [...found.values()];
}

/** The source of an element: the operands of the op that made it. @param {Askable} of @returns {Askable[]} */
export function sourcesOf({ value, address }) {
  const program = store.program.peek();
  const op = program?.definition(value).op ?? null;
  const { step } = parseAddress(address);
  if (!program || op === null) return [];
  return program.op(op).operands.flatMap((operand) => located(operand, step ?? undefined));
}

/** @param {import("../../core/view_types.js").SelectedValue} selected @param {number[]|null} element @returns {Askable|null} */
function fromSelected({ address, value, path, name, shape: sizes }, element) {
  const shape = wholeShape(sizes);
  return shape ? { address, value, path, name, shape, element } : null;
}

/** Sizes known only to the run cannot be checked here. @param {readonly (number|null)[]|null} shape @returns {number[]|null} */
const wholeShape = (shape) => (shape?.every((size) => size !== null) ? /** @type {number[]} */ ([...shape]) : null);

/** @returns {Askable[]} */
function madeHere() {
  const [op, program] = [store.currentOp.peek(), store.program.peek()];
  if (op === null || !program) return [];
  return program.op(op).results.flatMap((value, index) => {
    const shape = wholeShape(program.value(value).shape);
    const address = resultAddress(store.process.peek(), store.position.peek(), index);
    return shape ? [{ address, value, path: [], name: shownName(program, value), shape, element: null }] : [];
  });
}

function readHere() {
  const op = store.currentOp.peek();
  return op === null ? [] : (store.program.peek()?.op(op).operands ?? []).flatMap((value) => located(value));
}

/** @param {number} value @param {number} [from] @returns {Askable[]} */
function located(value, from) {
  const seen = store.locate(value, from);
  const found = seen && fromSelected(seen, null);
  return found ? [found] : [];
}
