/**
 * Which op's maps are drawn: that of the chosen value, else the current one; where that makes nothing, and at the end of the
 * run, the one that made what is returned.
 *
 * @typedef {{op: number, step: number|null, why: "current"|"chosen"|"made", value: number|null}} Shown
 *   step: where the op was run, null where it was not; value: what it made that brought it here
 */
import { computed } from "@preact/signals";
import { parseAddress } from "../../core/addresses.js";
import * as store from "../../core/store.js";

/** Steps to look back for an op that made something. */
const LOOK_BACK = 256;

/** @returns {Shown|null} */
export const shownOp = computed(
  () =>
    ofValue(store.chosenValue.value, "chosen") ??
    ofCurrent() ??
    ofValue(store.selectedValue.value?.value ?? null, "made") ??
    before(),
);

/** The op that made a value; null for what no op makes. @param {number|null} value @param {"chosen"|"made"} why @returns {Shown|null} */
function ofValue(value, why) {
  const op = value === null ? null : (store.program.value?.definition(value).op ?? null);
  if (value === null || op === null) return null;
  const step = parseAddress(store.locate(value)?.address ?? "").step;
  return op === store.currentOp.value && (step ?? store.position.value) === store.position.value
    ? { op, step: store.position.value, why: "current", value }
    : { op, step, why, value };
}

/** @returns {Shown|null} */
function ofCurrent() {
  const op = store.currentOp.value;
  return op === null || !makesSomething(op) ? null : { op, step: store.position.value, why: "current", value: null };
}

/** @param {number} op */
const makesSomething = (op) => (store.program.value?.op(op).results.length ?? 0) > 0;

/** The last op that made something. @returns {Shown|null} */
function before() {
  return store.atPosition((outline, position) => {
    for (let step = Math.min(position, outline.steps) - 1; step >= Math.max(0, position - LOOK_BACK); step--) {
      const op = outline.op(step);
      if (makesSomething(op)) return { op, step, why: /** @type {const} */ ("made"), value: null };
    }
    return null;
  });
}
