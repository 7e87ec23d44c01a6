/**
 * The path: elements of a value, their sources or uses, and so on. Later hops stay when the user goes back, as pages
 * do in a browser's history.
 *
 * @typedef {{address: string, elements: string, set: WireSet|null, name: string, type: string, process: number, step: number|null,
 *   tick: number|null, value: number|null, op: number|null, way?: import("./question.js").Direction}} Hop  way: how it was walked to
 */
import { computed, signal } from "@preact/signals";
import { goTo, goToIn, goToTick } from "../../core/actions.js";
import { parseAddress } from "../../core/addresses.js";
import { afterPause } from "../../core/idle.js";
import * as store from "../../core/store.js";
import { countOf } from "../../core/tensor/axes.js";
import { chooseValue, takeFollowed } from "../../core/view_actions.js";
import { oneElement, queryOf } from "../../core/tensor/element_sets.js";
/** @import {WireSet, ProvenanceNode as Node} from "../../core/types.js" */

export const direction = signal(/** @type {import("./question.js").Direction} */ ("back"));
export const reach = signal(/** @type {import("./question.js").Reach} */ ("step"));

/** Whether all elements are followed, or only NaN and infinities. */
export const only = signal(/** @type {import("./question.js").Only} */ (""));

const walked = signal(/** @type {{key: string|null, hops: Hop[], at: number}} */ ({ key: null, hops: [], at: 0 }));

/** The path of the shown recording; another recording has another path. */
const own = computed(() =>
  walked.value.key === store.recordingKey.value ? walked.value : { key: null, hops: [], at: 0 },
);
export const hops = computed(() => own.value.hops);
export const at = computed(() => own.value.at);

/** The current elements; without a path, the element at the cursor of the selected value, or its only one. */
export const current = computed(() => own.value.hops[own.value.at] ?? selectedHop());

/** @returns {Hop|null} */
function selectedHop() {
  const selected = store.selectedValue.value;
  if (!selected || selected.shape === undefined) return null;
  const { address, name, type, value } = selected;
  const shape = /** @type {number[]|null} */ (selected.shape);
  const at = shape && startIn(address, shape);
  const only = shape && at ? oneElement(at, shape) : null;
  return {
    address,
    elements: only ? queryOf(only) : "",
    set: only,
    name,
    type,
    process: parseAddress(address).process,
    step: parseAddress(address).step,
    tick: null,
    value,
    op: null,
  };
}

/** The element that is followed by default. @param {string} address @param {number[]} shape @returns {number[]|null} */
function startIn(address, shape) {
  const standing = store.standing.value;
  const isHere = standing?.address === address && standing.index.length === shape.length;
  if (isHere && standing.index.every((at, axis) => at < (shape[axis] ?? 0))) return standing.index;
  return countOf(shape) === 1 ? shape.map(() => 0) : null;
}

/** Start a path. @param {Hop} hop */
export function begin(hop) {
  walked.value = { key: store.recordingKey.value, hops: [hop], at: 0 };
}

/** Choose other elements of the current value; later hops are dropped. @param {WireSet|null} set @param {string} elements */
export function choose(set, elements) {
  const { hops: before, at: place } = own.value;
  const hop = current.value;
  if (hop)
    walked.value = {
      key: store.recordingKey.value,
      hops: [...before.slice(0, place), { ...hop, set, elements }],
      at: before.length === 0 ? 0 : place,
    };
}

/**
 * Follow an edge to sources or uses.
 *
 * @param {Node} node @param {WireSet} asked the elements that were asked about: of a value at which nobody has chosen any, those that were pointed at
 */
export function walkTo(node, asked) {
  const { hops: before, at: place } = own.value;
  const from = current.value;
  if (!from || node.address === null) return;
  const start = from.set || from.elements ? from : { ...from, set: asked, elements: queryOf(asked) };
  const kept = [...before.slice(0, place), start];
  walked.value = {
    key: store.recordingKey.value,
    hops: [...kept, { ...hopTo(node), way: direction.value }],
    at: kept.length,
  };
  visit(hopTo(node));
}

/** @param {Pick<Node, "address"|"elements"> & Pick<Hop, "name"|"type"|"process"|"step"|"tick"|"value"|"op">} node @returns {Hop} */
export const hopTo = ({ address, elements, name, type, process, step, tick, value, op }) => ({
  address: address ?? "",
  elements: queryOf(elements),
  set: elements,
  name,
  type,
  process,
  step,
  tick,
  value,
  op,
});

/** Return to a hop of the path. @param {number} place */
export function lookAt(place) {
  const hop = own.value.hops[place];
  if (!hop) return;
  walked.value = { ...own.value, at: place };
  visit(hop);
}

/** Clear the path, and follow the selection. */
export function leave() {
  walked.value = { key: null, hops: [], at: 0 };
}

/** Show the op that produced the value, and select the value. @param {Hop} hop */
export function visit({ process, step, tick, value, address }) {
  chooseValue(value, parseAddress(address).path);
  if (step !== null) goToIn(process, step);
  else if (tick !== null) store.grid.value ? goToTick(tick, process) : goTo(tick);
}

/** Follow elements that other panels request. */
store.followed.subscribe((wanted) => {
  if (wanted) afterPause(() => follow(wanted), 0);
});

/** @param {import("../../core/store.js").Followed} wanted */
function follow({ address, elements, only: wanted, direction: where }) {
  takeFollowed();
  only.value = wanted ?? "";
  direction.value = where ?? direction.value;
  if (wanted) {
    direction.value = "back";
    reach.value = "all";
  }
  const value = store.valueAt(address);
  const { name, type } =
    value === null ? { name: address, type: "" } : (store.program.value?.value(value) ?? { name: address, type: "" });
  const { process, step } = parseAddress(address);
  begin(hopTo({ address, elements, name, type, process, step, tick: null, value, op: null }));
}
