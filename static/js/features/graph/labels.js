/** Labels of edges: which operand an edge is, and in a neighbourhood its type; each where it covers nothing else. */
import { LETTER, typeOf } from "./arrange.js";
/** @import {Arrangement, Route} from "./arrange.js" */
/** @import {Parts} from "./parts.js" */

/**
 * `x`, `y`: its upper left corner
 *
 * @typedef {{text: string, x: number, y: number, width: number, height: number, route: Route}} Label
 * @typedef {{x: number, y: number, width: number, height: number}} Area
 */

export const SIZE = 9;
const HIGH = 11;
/** Distance to the arrow, and what the arrow itself takes at each side and upwards. */
const APART = 4;
const ARROW = { wide: 4, high: 13 };

/** @type {WeakMap<Arrangement, readonly Label[]>} */
const known = new WeakMap();

/** @param {Arrangement} arrangement @param {Parts} parts @param {boolean} hasTypes @returns {readonly Label[]} */
export function labelsOf(arrangement, parts, hasTypes) {
  const found = known.get(arrangement) ?? placed(arrangement, parts, hasTypes);
  known.set(arrangement, found);
  return found;
}

/** @param {Arrangement} arrangement @param {Parts} parts @param {boolean} hasTypes @returns {Label[]} */
function placed({ boxes, routes }, parts, hasTypes) {
  const taken = takenAreas();
  for (const box of boxes) if (!box.node.isOpen) taken.add(box);
  for (const { points, wire } of routes) {
    const [x, y] = endOf(points);
    if (wire.to.kind !== "port")
      taken.add({ x: x - ARROW.wide, y: y - ARROW.high, width: 2 * ARROW.wide, height: ARROW.high });
    for (const area of lastCurve(points)) taken.add(area);
  }
  return routes.flatMap((route) => {
    const [x, y] = endOf(route.points);
    const isFromRight = Number(route.points.at(-6)) > x;
    for (const text of textsOf(parts, route.wire, hasTypes)) {
      const width = text.length * LETTER * (SIZE / 11) + 2;
      const sides = [x + APART, x - APART - width];
      for (const left of isFromRight ? sides.reverse() : sides) {
        const label = { text, x: left, y: y - 1 - HIGH, width, height: HIGH, route };
        if (!taken.meets(label)) {
          taken.add(label);
          return label;
        }
      }
    }
    return [];
  });
}

const PIECES = 8;

/** What the curve before the arrow takes, in pieces; paint.js draws it. @param {Float64Array} points @returns {Area[]} */
function lastCurve(points) {
  const [fromX, fromY, toX, toY] = /** @type {[number, number, number, number]} */ (
    /** @type {unknown} */ (points.slice(-6, -2))
  );
  if (!(toY > fromY)) return [];
  const at = (/** @type {number} */ piece) => {
    const t = piece / PIECES;
    return { x: fromX + (toX - fromX) * t * t * (3 - 2 * t), y: fromY + (toY - fromY) * (1.5 * t * (1 - t) + t ** 3) };
  };
  return Array.from({ length: PIECES }, (_, piece) => {
    const [one, other] = [at(piece), at(piece + 1)];
    return { x: Math.min(one.x, other.x), y: one.y, width: Math.abs(other.x - one.x), height: other.y - one.y };
  });
}

/** @param {Float64Array} points @returns {[number, number]} */
const endOf = (points) => [Number(points[points.length - 2]), Number(points[points.length - 1])];

/** What may stand at an edge, the longest first; a shorter text where there is little room. @param {Parts} parts @param {import("./nest.js").Wire} wire @param {boolean} hasTypes @returns {string[]} */
function textsOf(parts, { uses, to }, hasTypes) {
  const [first] = uses;
  if (!first || to.kind === "more" || to.kind === "port") return [];
  if (to.op === null) return uses.length > 1 ? [`${uses.length} edges`, String(uses.length)] : [];
  const isOneOfSeveral = parts.program.op(to.op).operands.length > 1;
  const which = isOneOfSeveral ? uses.flatMap(({ operand }) => (operand >= 0 ? [operand] : [])).join(", ") : "";
  const type = hasTypes && uses.every(({ value }) => value === first.value) ? typeOf(parts.program, first.value) : "";
  return [...new Set([`${which} ${type}`.trim(), which])].filter(Boolean);
}

const ROW = 32;

/** Areas that are taken, found by their rows. */
function takenAreas() {
  /** @type {Map<number, Area[]>} */
  const rows = new Map();
  const rowsOf = (/** @type {Area} */ { y, height }) => {
    const first = Math.floor(y / ROW);
    return Array.from({ length: Math.floor((y + height) / ROW) - first + 1 }, (_, at) => {
      const row = rows.get(first + at) ?? [];
      rows.set(first + at, row);
      return row;
    });
  };
  return {
    add: (/** @type {Area} */ area) => rowsOf(area).forEach((row) => row.push(area)),
    meets: (/** @type {Area} */ area) => rowsOf(area).some((row) => row.some((other) => overlaps(area, other))),
  };
}

/** @param {Area} one @param {Area} other */
const overlaps = (one, other) =>
  one.x < other.x + other.width &&
  one.x + one.width > other.x &&
  one.y < other.y + other.height &&
  one.y + one.height > other.y;
