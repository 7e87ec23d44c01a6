/** The state of the graph panel, and the tree of nodes that follows from it. */
import { computed, signal } from "@preact/signals";
import { opNames } from "../../core/run/scopes.js";
import * as store from "../../core/store.js";
import { neighbourhood } from "./neighbourhood.js";
import { wholeProgram } from "./nest.js";
import { Parts } from "./parts.js";
/** @import {Node} from "./nest.js" */

/** @typedef {"family"|"nonfinite"|"magnitude"|"bytes"|"time"|"error"} Colouring */

/** What the graph shows: the ops around the selected value, or the whole program. */
export const extent = signal(/** @type {"around"|"whole"} */ ("around"));
/** The number of edges from the selected value to the farthest op. */
export const radius = signal(2);
export const colouring = signal(/** @type {Colouring} */ ("family"));

/** Groups that the user opened or folded, by key; those of another program are forgotten. */
const folds = signal({ key: "", open: /** @type {ReadonlyMap<string, boolean>} */ (new Map()) });

/** Maximum visible nodes of a program whose groups are open at first, and minimum before more are opened. */
const MOST_AT_FIRST = 110;
const ENOUGH_AT_FIRST = 45;
/** Maximum nodes that one command opens. */
const MOST_OPEN = 3_000;

export const parts = computed(() => {
  const [program, run] = [store.program.value, store.run.value];
  return program && run ? new Parts(program, run.text, opNames()) : null;
});

/** The value in the middle, which follows a step once it is painted. */
export const middle = computed(() => store.valueToDraw(store.calmPosition.value)?.value ?? null);

const whole = computed(() => {
  const found = parts.value;
  if (!found) return null;
  const entry = store.run.value?.entry;
  const { key, open } = folds.value;
  const chosen = key === store.recordingKey.value ? open : new Map();
  const first = firstOpen.value;
  return wholeProgram(found, entry, (node) => chosen.get(node) ?? first.has(node));
});

/** Groups that are open until the user folds them. */
const firstOpen = computed(() => {
  const found = parts.value;
  return found ? openAtFirst(found, store.run.value?.entry) : new Set();
});

/** The tree that is drawn. @returns {Node|null} */
export const tree = computed(() => {
  if (extent.value === "whole") return whole.value;
  const [found, value] = [parts.value, middle.value];
  return found && value !== null ? neighbourhood(found, value, radius.value) : null;
});

/** A small program is open; of a large one the outermost groups, as far as there is room. @param {Parts} found @param {string|undefined} entry @returns {Set<string>} */
export function openAtFirst(found, entry) {
  /** @type {Set<string>} */
  const open = new Set();
  for (;;) {
    const nodes = nodesOf(wholeProgram(found, entry, (key) => open.has(key)));
    let visible = nodes.filter(({ isOpen }) => !isOpen).length;
    if (visible >= ENOUGH_AT_FIRST) return open;
    const before = open.size;
    for (const { key, kind, op, count, canOpen, isOpen, reason } of nodes) {
      if (!canOpen || isOpen || reason.endsWith("not called")) continue;
      if (kind === "op" && !/control|other/.test(found.program.op(op ?? 0).family)) continue;
      if (visible + count > MOST_AT_FIRST) continue;
      visible += count;
      open.add(key);
    }
    if (open.size === before) return open;
  }
}

/** All visible nodes, groups before what is inside. @param {Node} root @returns {Node[]} */
export const nodesOf = (root) => root.children.flatMap((child) => [child, ...nodesOf(child)]);

/** Open groups of the whole program, or fold them. @param {readonly Node[]} nodes @param {boolean} isOpen */
export function setOpen(nodes, isOpen) {
  const key = store.recordingKey.value ?? "";
  const open = new Map(folds.value.key === key ? folds.value.open : []);
  for (const node of nodes) open.set(node.key, isOpen);
  folds.value = { key, open };
}

/** Open one level more everywhere, as far as nodes can be drawn. */
export function openMore() {
  const root = whole.value;
  if (!root) return;
  const nodes = nodesOf(root);
  let visible = nodes.length;
  const opened = nodes.filter(({ canOpen, isOpen, count, reason }) => {
    if (!canOpen || isOpen || reason.endsWith("not called") || visible + Math.min(count, 160) > MOST_OPEN) return false;
    visible += Math.min(count, 160);
    return true;
  });
  setOpen(opened, true);
}

/** Fold all groups. */
export function foldAll() {
  const nodes = whole.value ? nodesOf(whole.value) : [];
  setOpen(
    nodes.filter(({ isOpen }) => isOpen),
    false,
  );
}

/** Whether a folded group has a value inside. @param {Node} node @param {number} value @returns {boolean} */
export function holds(node, value) {
  const found = parts.value;
  if (!found || node.values.includes(value) || !node.canOpen || node.isOpen) return false;
  let { block, op } = found.program.definition(value);
  for (;;) {
    if ((op !== null && node.ops.includes(op)) || node.bodies.includes(block)) return true;
    const { opener } = found.program.block(block);
    if (opener === null) return false;
    [op, block] = [opener, found.program.op(opener).block];
  }
}
