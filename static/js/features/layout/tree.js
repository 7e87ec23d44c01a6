/**
 * The tree of the layout: rows and columns whose leaves are groups of tabs. Trees are immutable.
 *
 * A size up to 1 is a share of the remaining space, above 1 it is in pixels, and 0 is the panel's own size. A drawer
 * is a child of a row that takes no space: a strip of titles represents it, and it opens over its neighbours.
 *
 * @typedef {{isOpen: boolean, width: number}} Drawer
 * @typedef {{kind: "tabs", tabs: readonly string[], active: string, folded?: boolean, drawer?: Drawer}} Group
 * @typedef {{kind: "row"|"column", children: readonly Tree[], sizes: readonly number[], drawer?: Drawer}} Split
 * @typedef {Group|Split} Tree
 * @typedef {"center"|"left"|"right"|"top"|"bottom"} Zone
 * @typedef {{beside: string|null, zone: Zone, before?: string|null, size?: number}} Place
 *   beside: a panel of the target group; null: the whole page. before: the tab to stand in front of; size: at an edge
 *   of the page
 */

/** A panel beside one of fixed height needs a height. */
const NEW_PIXELS = 200;
const NEW_SHARE_OF_PAGE = 0.25;
const ROUNDING = 1e-9;

/** @param {readonly string[]} tabs @param {Partial<Group>} [more] @returns {Group} */
export const group = (tabs, more = {}) => ({ kind: "tabs", tabs, active: tabs[0] ?? "", ...more });

/** @param {"row"|"column"} kind @param {[number, Tree][]} parts @param {{drawer?: Drawer}} [more] @returns {Split} */
export const split = (kind, parts, more = {}) => ({
  kind,
  sizes: parts.map(([size]) => size),
  children: parts.map(([, child]) => child),
  ...more,
});

/** In reading order. @param {Tree} tree @returns {Group[]} */
export const groupsOf = (tree) => (tree.kind === "tabs" ? [tree] : tree.children.flatMap(groupsOf));

/** @param {Tree} tree @returns {string[]} */
export const panelsOf = (tree) => groupsOf(tree).flatMap(({ tabs }) => tabs);

/** @param {Tree} tree @param {string} panel @returns {Group|null} */
export const groupWith = (tree, panel) => groupsOf(tree).find(({ tabs }) => tabs.includes(panel)) ?? null;

/** The nodes from the tree down to the group of a panel. @param {Tree} tree @param {string} panel @returns {Tree[]} */
export function pathTo(tree, panel) {
  if (tree.kind === "tabs") return tree.tabs.includes(panel) ? [tree] : [];
  for (const child of tree.children) {
    const path = pathTo(child, panel);
    if (path.length > 0) return [tree, ...path];
  }
  return [];
}

/** The tree with one node replaced. @param {Tree} tree @param {Tree} old @param {Tree} node @returns {Tree} */
export function replace(tree, old, node) {
  if (tree === old) return node;
  if (tree.kind === "tabs") return tree;
  const children = tree.children.map((child) => replace(child, old, node));
  return children.every((child, at) => child === tree.children[at]) ? tree : { ...tree, children };
}

/** @param {Tree} tree @param {string} panel @param {Partial<Group>} changes of its group @returns {Tree} */
export function changeGroup(tree, panel, changes) {
  const found = groupWith(tree, panel);
  return found === null ? tree : replace(tree, found, { ...found, ...changes });
}

/** Remove a panel, and nodes that become empty. @param {Tree} tree @param {string} panel @returns {Tree|null} */
export function without(tree, panel) {
  const found = groupWith(tree, panel);
  if (found === null) return tree;
  const at = found.tabs.indexOf(panel);
  const tabs = found.tabs.filter((other) => other !== panel);
  const active = found.active === panel ? (tabs[Math.min(at, tabs.length - 1)] ?? "") : found.active;
  return tidy(replace(tree, found, { ...found, tabs, active }));
}

/** Remove empty groups, rows of one and rows in rows; shares add up to one. @param {Tree} tree @returns {Tree|null} */
export function tidy(tree) {
  if (tree.kind === "tabs") return tree.tabs.length > 0 ? tree : null;
  /** @type {[number, Tree][]} */
  const parts = [];
  tree.children.forEach((child, at) => {
    const tidied = tidy(child);
    if (tidied !== null) parts.push(...unwrap(tree.kind, tree.sizes[at] ?? 0, tidied));
  });
  const [only] = parts;
  if (!only) return null;
  if (parts.length === 1) return tree.drawer && !only[1].drawer ? { ...only[1], drawer: tree.drawer } : only[1];
  return { ...split(tree.kind, parts), ...(tree.drawer && { drawer: tree.drawer }), sizes: wholeShares(parts) };
}

/** The parts of a row in a row join the outer one. @param {"row"|"column"} kind @param {number} size @param {Tree} child @returns {[number, Tree][]} */
function unwrap(kind, size, child) {
  if (child.kind !== kind || child.drawer) return [[size, child]];
  const { sizes } = child;
  return child.children.map((inner, at) => [isShare(sizes[at]) ? Number(sizes[at]) * size : Number(sizes[at]), inner]);
}

/** @param {number|undefined} size */
const isShare = (size) => size !== undefined && size > 0 && size <= 1;

/** One child must take the remaining space. @param {[number, Tree][]} parts @returns {number[]} */
function wholeShares(parts) {
  const isShared = parts.some(([size, child]) => isShare(size) && !child.drawer);
  const sizes = parts.map(([size], at) => (!isShared && at === 0 ? 1 : size));
  const sum = sizes.filter(isShare).reduce((total, size) => total + size, 0);
  if (Math.abs(sum - 1) < ROUNDING) return sizes;
  return sizes.map((size) => (isShare(size) ? size / sum : size));
}

/** Insert a panel that is not in the tree. @param {Tree} tree @param {string} panel @param {Place} place @returns {Tree} */
export function insert(tree, panel, { beside, zone, before = null, size = NEW_SHARE_OF_PAGE }) {
  if (beside === null) return tidy(atEdge(tree, group([panel]), zone, size)) ?? tree;
  const target = groupWith(tree, beside);
  if (target === null) return tree;
  if (zone !== "center") return tidy(besideNode(tree, target, group([panel]), zone, 0.5)) ?? tree;
  const at = before === null ? target.tabs.length : target.tabs.indexOf(before);
  return replace(tree, target, { ...target, tabs: target.tabs.toSpliced(at, 0, panel), active: panel, folded: false });
}

/** @param {Tree} tree @param {Tree} node @param {Zone} zone @param {number} size @returns {Split} */
function atEdge(tree, node, zone, size) {
  const parts = /** @type {[number, Tree][]} */ ([
    [isShare(size) ? 1 - size : 1, tree],
    [size, node],
  ]);
  return split(kindOf(zone), comesFirst(zone) ? parts.reverse() : parts);
}

/** @param {Zone} zone @returns {"row"|"column"} */
const kindOf = (zone) => (zone === "left" || zone === "right" ? "row" : "column");

/** @param {Zone} zone */
const comesFirst = (zone) => zone === "left" || zone === "top";

/** Insert a node beside another one, with a share of its space. @param {Tree} tree @param {Tree} target @param {Tree} node @param {Zone} zone @param {number} share @returns {Tree} */
function besideNode(tree, target, node, zone, share) {
  const [kind, isFirst] = [kindOf(zone), comesFirst(zone)];
  const parent = parentOf(tree, target);
  if (parent?.kind === kind) return replace(tree, parent, withSibling(parent, target, node, isFirst, share));
  const { drawer, ...inner } = target;
  const parts = /** @type {[number, Tree][]} */ ([
    [1 - share, inner],
    [share, node],
  ]);
  return replace(tree, target, split(kind, isFirst ? parts.reverse() : parts, drawer ? { drawer } : {}));
}

/** @param {Split} parent @param {Tree} target @param {Tree} node @param {boolean} isFirst @param {number} share @returns {Split} */
function withSibling(parent, target, node, isFirst, share) {
  const at = parent.children.indexOf(target);
  const size = Number(parent.sizes[at]);
  const [kept, taken] = isShare(size) ? [size * (1 - share), size * share] : [size, NEW_PIXELS];
  const place = isFirst ? at : at + 1;
  return {
    ...parent,
    children: parent.children.toSpliced(place, 0, node),
    sizes: parent.sizes.toSpliced(at, 1, kept).toSpliced(place, 0, taken),
  };
}

/** @param {Tree} tree @param {Tree} node @returns {Split|null} */
export function parentOf(tree, node) {
  if (tree.kind === "tabs") return null;
  if (tree.children.includes(node)) return tree;
  for (const child of tree.children) {
    const found = parentOf(child, node);
    if (found !== null) return found;
  }
  return null;
}

/** The innermost row or column that separates two panels. @param {Tree} tree @param {string} panel @param {string} other @returns {Split|null} */
export function splitBetween(tree, panel, other) {
  const path = pathTo(tree, other);
  const found = pathTo(tree, panel).findLast((node) => path.includes(node));
  return found === undefined || found.kind === "tabs" ? null : found;
}

/** @param {Tree} tree @param {string} panel @param {Place} place @returns {Tree} */
export function movePanel(tree, panel, place) {
  const own = groupWith(tree, panel);
  if (own === null || place.before === panel) return tree;
  const beside = place.beside === panel ? own.tabs.find((other) => other !== panel) : place.beside;
  if (beside === undefined || (beside === null && own.tabs.length === 1 && own === tree)) return tree;
  const rest = without(tree, panel);
  if (rest === null || (beside !== null && groupWith(rest, beside) === null)) return tree;
  return insert(rest, panel, { ...place, beside });
}

/**
 * Move a border of a row or column: the child before it gets the size `room`, and the sum of both stays.
 *
 * @param {Split} parent @param {number} before @param {number} after the children on both sides of the border
 * @param {number} room pixels @param {number} both pixels @returns {Split}
 */
export function moveBorder(parent, before, after, room, both) {
  const sizes = [...parent.sizes];
  const [first, second] = [Number(sizes[before]), Number(sizes[after])];
  if (isShare(first) && isShare(second)) {
    sizes[before] = ((first + second) * room) / both;
    sizes[after] = first + second - sizes[before];
  } else {
    if (!isShare(first)) sizes[before] = Math.max(2, Math.round(room));
    if (!isShare(second)) sizes[after] = Math.max(2, Math.round(both - room));
  }
  return { ...parent, sizes };
}

/** Make both sides of a border equal. @param {Split} parent @param {number} before @param {number} after @returns {Split} */
export function evenBorder(parent, before, after) {
  const both = Number(parent.sizes[before]) + Number(parent.sizes[after]);
  const isEven = isShare(parent.sizes[before]) && isShare(parent.sizes[after]);
  const sizes = parent.sizes.map((size, at) =>
    at !== before && at !== after ? size : isEven ? both / 2 : isShare(size) ? size : 0,
  );
  return { ...parent, sizes };
}

/**
 * Collapse the group of a panel: in a column to its head, in a row to a drawer. A column of heads alone becomes a
 * drawer.
 *
 * @param {Tree} tree @param {string} panel @param {number} width of the drawer @returns {Tree}
 */
export function collapse(tree, panel, width) {
  const path = pathTo(tree, panel);
  const own = /** @type {Group|undefined} */ (path.at(-1));
  const parent = path.at(-2);
  if (!own || parent === undefined || parent.kind === "tabs") return tree;
  const isLast = parent.children.every((child) => child === own || (child.kind === "tabs" && child.folded));
  const above = path.at(-3);
  const isAlone = parent.children.every((child) => child === own || child.drawer !== undefined);
  if (parent.kind === "row" && isAlone) return tree;
  if (parent.kind === "row") return replace(tree, own, { ...own, drawer: { isOpen: false, width } });
  if (isLast && above?.kind === "row") return replace(tree, parent, { ...parent, drawer: { isOpen: false, width } });
  return replace(tree, own, { ...own, folded: true });
}

/** The drawer around a panel's group. @param {Tree} tree @param {string} panel @returns {Tree|null} */
export const drawerAround = (tree, panel) => pathTo(tree, panel).find(({ drawer }) => drawer !== undefined) ?? null;

/** Expand the group of a panel. @param {Tree} tree @param {string} panel @returns {Tree} */
export function expand(tree, panel) {
  const unfolded = groupWith(tree, panel)?.folded ? changeGroup(tree, panel, { folded: false }) : tree;
  const node = drawerAround(unfolded, panel);
  if (node === null) return unfolded;
  const docked = { ...node };
  delete docked.drawer;
  return replace(unfolded, node, docked);
}

/** @param {Tree} tree @param {Tree} node a drawer @param {Partial<Drawer>} changes @returns {Tree} */
export const changeDrawer = (tree, node, changes) =>
  node.drawer ? replace(tree, node, { ...node, drawer: { ...node.drawer, ...changes } }) : tree;
