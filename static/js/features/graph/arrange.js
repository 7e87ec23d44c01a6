/**
 * The sizes and positions of all visible nodes: each open group is laid out on its own, from the inside out.
 *
 * @typedef {{node: Node, x: number, y: number, width: number, height: number}} Box
 * @typedef {{points: Float64Array, wire: Wire, left: number, top: number, right: number, bottom: number}} Route
 * @typedef {{boxes: Box[], routes: Route[], width: number, height: number, byNode: Map<Node, Box>}} Arrangement
 *   boxes: groups before what is inside
 */
import { shownName } from "../../core/run/value_names.js";
import { countText, elementName } from "../../core/tensor/elements.js";
import { layOut, ranksOf } from "./layered.js";
import { chipOf, cut } from "./nest.js";
/** @import {Node, Wire} from "./nest.js" */
/** @import {Parts} from "./parts.js" */

/** Width of a character, and sizes of the parts of a node. */
export const LETTER = 6.7;
export const ROW = 15;
export const CHIPS = 17;
export const HEAD = 22;
export const PICTURE = { width: 48, height: 26 };
export const MARGIN = 9;
const BORDER = 14;
const LEAST_WIDTH = 76;
/** Maximum characters of a line in a node. */
const LINE = 30;
const MOST_CHIPS = 4;
/** Edges that pass more layers are drawn as the name of the value at the reader. */
const FAR = 9;

/** @param {Parts} parts @param {Node} root @returns {Arrangement} */
export function arrange(parts, root) {
  /** @type {Map<Node, {width: number, height: number, place: (x: number, y: number) => void}>} */
  const sizes = new Map();
  /** @type {Arrangement} */
  const found = { boxes: [], routes: [], width: 0, height: 0, byNode: new Map() };
  const measure = (/** @type {Node} */ node) => {
    const known = sizes.get(node);
    if (known) return known;
    const made = node.isOpen ? openSize(parts, node, measure, found) : { ...leafSize(parts, node), place: () => {} };
    const { width, height, place } = made;
    const sized = {
      width,
      height,
      place: (/** @type {number} */ x, /** @type {number} */ y) => {
        if (node !== root) put(found, { node, x, y, width, height });
        place(x, y);
      },
    };
    sizes.set(node, sized);
    return sized;
  };
  const { width, height, place } = measure(root);
  place(0, 0);
  return Object.assign(found, { width, height });
}

/** @param {Arrangement} found @param {Box} box */
function put({ boxes, byNode }, box) {
  boxes.push(box);
  byNode.set(box.node, box);
}

/** The lines of a node: what it does, and what it makes. @param {Parts} parts @param {Node} node @returns {[string, string]} */
export function linesOf({ program }, node) {
  if (node.kind === "group" || node.kind === "more")
    return [cut(node.title, LINE), node.kind === "more" ? "" : opsText(node)];
  const [value] = node.values;
  if (value === undefined) return [node.title, ""];
  const name = shownName(program, value);
  const others = node.values.length > 1 ? ` +${node.values.length - 1}` : "";
  const [first, second] = node.kind === "argument" ? [name, ""] : [node.title, `${cut(name, 14)} `];
  return [cut(first, LINE), `${second}${cut(typeOf(program, value), LINE - 8)}${others}`];
}

/** @param {Node} node @returns {string} */
const opsText = ({ count, reason }) =>
  `${countText(count)} ${count === 1 ? "op" : "ops"}${reason === "function, not called" ? ", not called" : ""}`;

/** `f32[4,8]`. @param {import("../../core/run/program.js").Program} program @param {number} value @returns {string} */
export function typeOf(program, value) {
  const info = program.value(value);
  const { shape, type } = info;
  return shape ? `${elementName(info)}[${shape.map((size) => size ?? "?").join(",")}]` : type;
}

/** @param {Node} node @returns {boolean} */
export const hasPicture = ({ kind, values }) => (kind === "op" || kind === "argument") && values.length > 0;

/** The chips that are drawn; the number of the others. @param {Node} node */
export function chipsOf({ chips }) {
  const shown = chips.slice(0, chips.length > MOST_CHIPS ? MOST_CHIPS - 1 : MOST_CHIPS);
  return { shown, others: chips.length - shown.length };
}

/** The width of a chip. @param {string} text */
export const chipWidth = (text) => text.length * LETTER * 0.9 + 10;

/** @param {Parts} parts @param {Node} node */
function leafSize(parts, node) {
  if (node.kind === "port") return { width: 6, height: 0 };
  const [first, second] = linesOf(parts, node);
  const { shown, others } = chipsOf(node);
  const chips = shown.reduce((sum, { text }) => sum + chipWidth(text) + 4, others > 0 ? chipWidth(`+${others}`) : 0);
  const text = Math.max(first.length + (node.canOpen ? 2 : 0), second.length) * LETTER;
  const picture = hasPicture(node) ? PICTURE.width + 6 : 0;
  const width = Math.max(LEAST_WIDTH, text + picture + 2 * MARGIN, chips + 2 * MARGIN);
  return { width, height: (second === "" ? 1 : 2) * ROW + 8 + (shown.length > 0 ? CHIPS : 0) };
}

/** @param {Parts} parts @param {Node} group @param {(node: Node) => {width: number, height: number, place: (x: number, y: number) => void}} measure @param {Arrangement} found */
function openSize(parts, group, measure, found) {
  const ports = [...group.ports.values()];
  const nodes = [...ports, ...group.children];
  const numbers = new Map(nodes.map((node, at) => [node, at]));
  const indices = (/** @type {string} */ side) => ports.flatMap(({ reason }, at) => (reason === side ? [at] : []));
  const fixed = { first: indices("in"), last: indices("out") };
  const all = group.allWires();
  const ends = all.map(({ from, to }) => ({ from: Number(numbers.get(from)), to: Number(numbers.get(to)) }));
  const ranks = ranksOf(nodes.length, ends, fixed);
  const isFar = (/** @type {number} */ at) => {
    const { from, to } = /** @type {{from: number, to: number}} */ (ends[at]);
    return all[at]?.to.kind !== "port" && Number(ranks[to]) - Number(ranks[from]) > FAR;
  };
  const wires = all.filter((wire, at) => !isFar(at) || chipped(parts, wire));
  const sizes = nodes.map(measure);
  const edges = wires.map(({ from, to, uses }) => ({
    from: Number(numbers.get(from)),
    to: Number(numbers.get(to)),
    out: portOffset(from, "out", uses, measure),
    in: portOffset(to, "in", uses, measure),
  }));
  const widths = sizes.map(({ width }) => width);
  const heights = sizes.map(({ height }) => height);
  const laid = layOut({ widths, heights, edges }, ranks);
  const isRoot = group.parent === null;
  const [head, border] = isRoot ? [0, 0] : [HEAD + (group.chips.length > 0 ? CHIPS : 0), BORDER];
  const title = (linesOf(parts, group).join(" ").length + 6) * LETTER;
  const width = Math.max(laid.width + 2 * border, isRoot ? 0 : title);
  const inset = (width - laid.width) / 2;
  ports.forEach((port, at) => offsets.set(port, Number(laid.x[at]) + 3 + inset - width / 2));
  // Ports are on the border itself.
  const ins = fixed.first.length > 0 ? 8 : border;
  const outs = fixed.last.length > 0 ? 8 : border;
  const place = (/** @type {number} */ x, /** @type {number} */ y) => {
    nodes.forEach((node, at) => {
      if (node.kind !== "port") sizes[at]?.place(x + inset + Number(laid.x[at]), y + head + ins + Number(laid.y[at]));
    });
    wires.forEach((wire, at) => {
      const points = /** @type {Float64Array} */ (laid.routes[at]).map(
        (each, axis) => each + (axis % 2 === 0 ? x + inset : y + head + ins),
      );
      found.routes.push({ points, wire, ...boundsOf(points) });
    });
  };
  return { width, height: laid.height + head + ins + outs, place };
}

/** Where the ports of open groups are, from their middle. @type {WeakMap<Node, number>} */
const offsets = new WeakMap();

/** Where a value enters or leaves an open group, from its middle; undefined: at its border as at that of a folded one. @param {Node} node @param {"in"|"out"} side @param {readonly {value: number}[]} uses @param {(node: Node) => unknown} measure @returns {number|undefined} */
function portOffset(node, side, uses, measure) {
  if (!node.isOpen) return undefined;
  measure(node);
  const port = node.ports.get(`${side} ${uses[0]?.value}`);
  return port && offsets.get(port);
}

/** Draw a far operand at its reader. @param {Parts} parts @param {Wire} wire @returns {false} */
function chipped(parts, { to, uses }) {
  for (const { value, operand } of uses)
    if (!to.chips.some((chip) => chip.value === value && chip.operand === operand))
      to.chips.push(chipOf(parts, value, operand, "far"));
  return false;
}

/** @param {Float64Array} points */
function boundsOf(points) {
  const [xs, ys] = [points.filter((_, at) => at % 2 === 0), points.filter((_, at) => at % 2 === 1)];
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}
