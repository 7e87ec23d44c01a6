/**
 * The picture of a standstill: who waits for whom as arrows between cells. Pure functions.
 *
 * @typedef {{from: number, to: number, inCycle: boolean}} Arrow  processes
 */
import { placeOf } from "./layout.js";

/** Of a crowd only so many arrows are drawn, those of the cycle first. */
const MOST_ARROWS = 64;

/**
 * @param {import("./record.js").Story} story @param {number|null} only the waits of this process alone, and the cycle
 * @returns {Arrow[]}
 */
export function arrowsOf({ waits, cycle }, only = null) {
  const next = new Map(cycle.map((process, at) => [process, cycle[(at + 1) % cycle.length]]));
  const arrows = waits.flatMap(({ process, missing }) => missing.map((to) => ({ from: process, to, inCycle: next.get(process) === to })));
  const once = [...new Map(arrows.map((arrow) => [`${arrow.from} ${arrow.to}`, arrow])).values()];
  const shown = only === null ? once : once.filter(({ from, to, inCycle }) => inCycle || from === only || to === only);
  return shown.sort((a, b) => Number(b.inCycle) - Number(a.inCycle)).slice(0, MOST_ARROWS);
}

/** Those who are waited for and wait for nobody themselves: who never came. @param {import("./record.js").Story} story @returns {number[]} */
export function neverCame({ waits }) {
  const waiting = new Set(waits.map(({ process }) => process));
  return [...new Set(waits.flatMap(({ missing }) => missing))].filter((process) => !waiting.has(process));
}

/** An arrow as the path of a curve and of its head, between two cells of a layout. @param {import("./layout.js").Layout} layout @param {number} from index @param {number} to index @returns {{curve: string, head: string}} */
export function arrowPath(layout, from, to) {
  const { width, height } = layout.cell;
  const middle = (/** @type {number} */ index) => {
    const { x, y } = placeOf(layout, index);
    return { x: x + width / 2, y: y + height / 2 };
  };
  const [a, b] = [middle(from), middle(to)];
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const distance = Math.hypot(dx, dy) || 1;
  // Two that wait for each other have an arrow each: both bend to their own left.
  const bend = Math.min(0.22 * distance, 0.6 * Math.min(width, height));
  const control = { x: (a.x + b.x) / 2 + (dy / distance) * bend, y: (a.y + b.y) / 2 - (dx / distance) * bend };
  const short = Math.min(0.3 * Math.min(width, height), 0.3 * distance);
  const start = towards(a, control, short);
  const end = towards(b, control, short);
  const angle = Math.atan2(end.y - control.y, end.x - control.x);
  const reach = Math.max(5, Math.min(10, 0.12 * Math.min(width, height)));
  const wing = (/** @type {number} */ side) => `L${round(end.x - reach * Math.cos(angle + side))} ${round(end.y - reach * Math.sin(angle + side))}`;
  return {
    curve: `M${round(start.x)} ${round(start.y)}Q${round(control.x)} ${round(control.y)} ${round(end.x)} ${round(end.y)}`,
    head: `M${round(end.x)} ${round(end.y)}${wing(0.5)}${wing(-0.5)}z`,
  };
}

/** @param {{x: number, y: number}} from @param {{x: number, y: number}} to @param {number} by */
function towards(from, to, by) {
  const distance = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return { x: from.x + ((to.x - from.x) / distance) * by, y: from.y + ((to.y - from.y) / distance) * by };
}

/** @param {number} number @returns {number} */
const round = (number) => Math.round(10 * number) / 10;
