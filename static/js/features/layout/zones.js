/**
 * Drop zones of a dragged panel: the edges of a group (a quarter of it each), its middle, between its tabs, or the
 * edges of the page.
 *
 * @typedef {{left: number, top: number, width: number, height: number}} Box
 */
/** @import {Zone} from "./tree.js" */

const EDGE = 0.25;
/** Distance in pixels from the edge of the page that selects the page instead of the group. */
const RIM = 8;

/** @param {Box} box @param {number} x @param {number} y @returns {boolean} */
export const isInside = ({ left, top, width, height }, x, y) =>
  x >= left && x < left + width && y >= top && y < top + height;

/** The nearest edge, as a share of the box. @param {Box} box @param {number} x @param {number} y @returns {Zone} */
export function zoneAt({ left, top, width, height }, x, y) {
  const [across, down] = [(x - left) / width, (y - top) / height];
  const edges = /** @type {[Zone, number][]} */ ([
    ["left", across],
    ["right", 1 - across],
    ["top", down],
    ["bottom", 1 - down],
  ]);
  const [zone, distance] = edges.reduce((nearest, edge) => (edge[1] < nearest[1] ? edge : nearest));
  return distance < EDGE ? zone : "center";
}

/** The edge of the page, or null inside. @param {Box} box @param {number} x @param {number} y @returns {Zone|null} */
export function rimAt({ left, top, width, height }, x, y) {
  if (x - left < RIM) return "left";
  if (left + width - x < RIM) return "right";
  if (y - top < RIM) return "top";
  return top + height - y < RIM ? "bottom" : null;
}

/** The area of a zone. @param {Box} box @param {Zone} zone @param {number} share @returns {Box} */
export function boxOf({ left, top, width, height }, zone, share) {
  const [wide, high] = [width * share, height * share];
  if (zone === "left") return { left, top, width: wide, height };
  if (zone === "right") return { left: left + width - wide, top, width: wide, height };
  if (zone === "top") return { left, top, width, height: high };
  return zone === "bottom" ? { left, top: top + height - high, width, height: high } : { left, top, width, height };
}
