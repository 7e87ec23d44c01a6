/** Stored layouts. A stored one may be damaged, or of another version or other panels. */
import { DRAWER, edgeOf, neighboursOf } from "./presets.js";
import { group, groupWith, insert, panelsOf, replace, tidy } from "./tree.js";
/** @import {Layout, Placed} from "./presets.js" */
/** @import {Drawer, Tree} from "./tree.js" */

/** Layouts of other versions are ignored, except what the user arranged before the stage had the menu More. */
export const VERSION = 2;
const BEFORE_MORE = 1;

const DEEPEST = 16;
const LEAST_DRAWER = 160;
const MOST_DRAWER = 4_000;

/** @param {Layout} layout @returns {string} */
export const layoutText = (layout) => JSON.stringify({ version: VERSION, ...layout });

/**
 * A layout that contains each panel exactly once; null if the text has none.
 *
 * @param {string|null} text @param {readonly Placed[]} panels all panels @returns {Layout|null}
 */
export function readLayout(text, panels) {
  const kept = parsed(text);
  if (!isRecord(kept)) return null;
  if (kept.version !== VERSION && !(kept.version === BEFORE_MORE && kept.isOwn === true)) return null;
  const known = new Set(panels.map(({ id }) => id));
  const read = readTree(kept.tree, known, 0);
  const tree = read && tidy(read);
  if (!tree) return null;
  const strings = Array.isArray(kept.closed) ? kept.closed : [];
  const isNew = (/** @type {Placed} */ { id, isExtra }) => isExtra && known.has(id);
  const closed = panels.filter((panel) => strings.includes(panel.id) || isNew(panel)).map(({ id }) => id);
  if (closed.length >= panels.length) return null;
  const maximised = panels.find(({ id }) => id === kept.maximised)?.id ?? null;
  const preset = typeof kept.preset === "string" ? kept.preset : "debug";
  return {
    preset,
    isOwn: kept.isOwn === true,
    isWide: kept.isWide === true,
    tree: withMissing(tree, panels),
    closed,
    maximised,
  };
}

/** @param {string|null} text @returns {unknown} */
function parsed(text) {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Removes from `left` the panels that it has placed. @param {unknown} node @param {Set<string>} left @param {number} depth @returns {Tree|null} */
function readTree(node, left, depth) {
  if (!isRecord(node) || depth > DEEPEST) return null;
  const drawer = readDrawer(node.drawer);
  if (node.kind === "tabs") return readGroup(node, left, drawer);
  if ((node.kind !== "row" && node.kind !== "column") || !Array.isArray(node.children)) return null;
  const given = Array.isArray(node.sizes) ? node.sizes : [];
  const parts = node.children.map((child, at) => ({ size: given[at], child: readTree(child, left, depth + 1) }));
  const here = parts.filter(({ child }) => child !== null);
  const sizes = here.map(({ size }) => (isSize(size) ? size : 1 / here.length));
  return { kind: node.kind, children: here.map(({ child }) => /** @type {Tree} */ (child)), sizes, ...drawer };
}

/** @param {unknown} size */
const isSize = (size) => typeof size === "number" && Number.isFinite(size) && size >= 0 && size < 100_000;

/** @param {Record<string, unknown>} node @param {Set<string>} left @param {{drawer?: Drawer}} drawer @returns {Tree|null} */
function readGroup(node, left, drawer) {
  const tabs = (Array.isArray(node.tabs) ? node.tabs : []).filter((id) => left.delete(id));
  if (tabs.length === 0) return null;
  const active = tabs.find((id) => id === node.active) ?? tabs[0];
  return group(tabs, { active, ...(node.folded === true && { folded: true }), ...drawer });
}

/** @param {unknown} drawer @returns {{drawer?: Drawer}} */
function readDrawer(drawer) {
  if (!isRecord(drawer)) return {};
  const width = typeof drawer.width === "number" ? drawer.width : NaN;
  const isWidth = width >= LEAST_DRAWER && width <= MOST_DRAWER;
  return { drawer: { isOpen: drawer.isOpen === true, width: isWidth ? width : DRAWER } };
}

/** Add panels that are new since, each beside those of its dock. @param {Tree} tree @param {readonly Placed[]} panels @returns {Tree} */
function withMissing(tree, panels) {
  const placed = new Set(panelsOf(tree));
  return panels.filter(({ id }) => !placed.has(id)).reduce((grown, { id }) => restored(grown, id, panels), tree);
}

/** @param {Tree} tree @param {string} id @param {readonly Placed[]} panels @returns {Tree} */
function restored(tree, id, panels) {
  const friend = neighboursOf(panels, id).find((other) => groupWith(tree, other) !== null);
  if (friend === undefined) return insert(tree, id, { beside: null, ...edgeOf(panels, id) });
  const own = /** @type {import("./tree.js").Group} */ (groupWith(tree, friend));
  // A panel that is added automatically does not come to the front.
  return replace(tree, own, { ...own, tabs: [...own.tabs, id] });
}
