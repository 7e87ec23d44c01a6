/** The dock: rows and columns of groups of panels, with movable borders. It is rendered when the layout changes, never by a step. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { command } from "../../core/commands.js";
import { keysOf } from "../../core/keys.js";
import { afterPaint } from "../../core/later.js";
import { Dialog } from "../../ui/dialog.js";
import { HelpLink, helpPage } from "../../ui/help_link.js";
import { Icon } from "../../ui/icons.js";
import { Menu } from "../../ui/menu.js";
import { SharedBorder } from "../../ui/shared_border.js";
import { Tabs } from "../../ui/tabs.js";
import { dragTab, DropMark } from "./drag.js";
import { Drawer } from "./drawer.js";
import { fillPlace, giveUpHiddenPanels, rememberScrolled } from "./hosts.js";
import * as state from "./state.js";
import { drawerAround, evenBorder, groupsOf, groupWith, moveBorder, panelsOf, parentOf } from "./tree.js";
import { focusPanel } from "./walk.js";
/** @import {Split, Tree, Group} from "./tree.js" */

/**
 * @typedef {{at: number, style: Record<string, string|number>, isHidden: boolean}} Frame
 *   the place of a node in its row or column
 */

/** Minimum size of a part of the dock, in pixels. */
const LEAST = { row: 221, column: 56 };
/** Default height of a panel. */
const HEIGHT = 200;
const TITLES = 3;
/** @type {Frame} */
const WHOLE = { at: 0, style: { flex: "1 1 0" }, isHidden: false };

export function Dock() {
  const { tree } = state.layout.value;
  const shape = useRef("");
  rememberBefore(shape, tree);
  useEffect(giveUpHiddenPanels, []);
  return html`<div class="dock"><${Node} node=${tree} frame=${WHOLE} isRoot=${true} />
    <${DropMark} /><${MoveDialog} /></div>`;
}

/** Before panels move in the page. @param {{current: string}} shape @param {Tree} tree */
function rememberBefore(shape, tree) {
  const next = JSON.stringify([groupsOf(tree).map(({ tabs }) => tabs), state.layout.value.closed]);
  if (shape.current !== "" && shape.current !== next) rememberScrolled();
  shape.current = next;
}

/** @param {{node: Tree, frame: Frame, isRoot?: boolean, inDrawer?: boolean}} props */
function Node({ node, frame, isRoot = false, inDrawer = false }) {
  if (node.drawer && !inDrawer)
    return html`<${Drawer} node=${node} frame=${frame}><${Node} node=${node} frame=${WHOLE} inDrawer=${true} /><//>`;
  if (node.kind === "tabs") return html`<${Group} node=${node} frame=${frame} />`;
  return html`<${Rows} node=${node} frame=${frame} isRoot=${isRoot} />`;
}

/** A row or a column. @param {{node: Split, frame: Frame, isRoot: boolean}} props */
function Rows({ node, frame, isRoot }) {
  const shown = node.children.flatMap((child, at) => (state.hasPanels(child) ? [at] : []));
  const open = shown.filter((at) => !isAside(node, at));
  const parts = shown.map((at) => partOf(node, at, open));
  return html`<div class=${node.kind} data-at=${frame.at} style=${frame.style} hidden=${frame.isHidden}>
    ${isRoot ? timelineFirst(parts) : parts}
    ${open.slice(1).map((at, place) => html`<${Border} key=${`border ${at}`} node=${node} before=${Number(open[place])} after=${at} />`)}
  </div>`;
}

/** Tab order: toolbar, timeline, then the panels. @param {import("preact").VNode<any>[]} parts */
function timelineFirst(parts) {
  const isTimeline = (/** @type {import("preact").VNode<any>} */ part) =>
    panelsOf(part.props.node).includes("timeline");
  const isRow = (/** @type {import("preact").VNode<any>} */ part) => part.props.node.kind !== "tabs";
  return [
    ...parts.filter((part) => isTimeline(part) && !isRow(part)),
    ...parts.filter((part) => !isTimeline(part) || isRow(part)),
  ];
}

/** Whether a child is hidden because another one is maximised. @param {Split} node @param {number} at @returns {boolean} */
function isAside(node, at) {
  const whole = state.maximised.value;
  const child = /** @type {Tree} */ (node.children[at]);
  if (whole === null) return state.isOtherPane(node, at);
  return groupWith(node, whole) !== null && groupWith(child, whole) === null;
}

/** @param {Split} node @param {number} at @param {number[]} open the visible children @returns {import("preact").VNode<any>} */
function partOf(node, at, open) {
  const child = /** @type {Tree} */ (node.children[at]);
  const isOnly = open.length === 1 && open[0] === at;
  const takesRest = !open.some((other) => isShare(node, other)) && open[0] === at;
  const style = { flex: isOnly || takesRest ? "1 1 0" : flexOf(child, Number(node.sizes[at])), order: 2 * at };
  return html`<${Node} key=${keyOf(child)} node=${child} frame=${{ at, style, isHidden: isAside(node, at) }} />`;
}

/** The key of a node is its first panel, so that Preact keeps the element. @param {Tree} node @returns {string} */
const keyOf = (node) => `${node.kind} ${panelsOf(node)[0]}`;

/** @param {Split} node @param {number} at */
const isShare = ({ sizes, children }, at) => {
  const size = Number(sizes[at]);
  return size > 0 && size <= 1 && !children[at]?.drawer && !isFolded(children[at]);
};

/** @param {Tree|undefined} node */
const isFolded = (node) => node?.kind === "tabs" && node.folded === true;

/** @param {Tree} child @param {number} size @returns {string} */
function flexOf(child, size) {
  if (child.drawer || isFolded(child)) return "none";
  if (size > 1) return `0 1 ${size}px`;
  return size > 0 ? `${1000 * size} 1 0` : `0 0 ${ownHeight(child)}px`;
}

/** The height that a panel states. @param {Tree} node @returns {number} */
const ownHeight = (node) => Math.max(...panelsOf(node).map((id) => state.panelOf(id).height?.() ?? HEIGHT));

/** @param {{node: Split, before: number, after: number}} props */
function Border({ node, before, after }) {
  const [first, second] = [/** @type {Tree} */ (node.children[before]), /** @type {Tree} */ (node.children[after])];
  const order = 2 * after - 1;
  const isUpright = node.kind === "row";
  const isFixed = [first, second].some((child) => child.drawer || isFolded(child));
  if (isFixed) return html`<div class=${`edge ${isUpright ? "upright" : "flat"}`} style=${{ order }}></div>`;
  const parts = (/** @type {HTMLElement} */ border) => neighbours(border, before, after);
  const panels = /** @type {[string, string]} */ ([panelsOf(first)[0], panelsOf(second)[0]]);
  return html`<${SharedBorder} label=${`Border between ${titleOf(first)} and ${titleOf(second)}`} isUpright=${isUpright} order=${order}
    now=${shareOf(node, before, after)} parts=${parts} least=${LEAST[node.kind]}
    move=${(/** @type {number} */ room, /** @type {number} */ both) => state.changeAround(panels, (parent) => moveBorder(parent, before, after, room, both))}
    reset=${() => state.changeAround(panels, (parent) => evenBorder(parent, before, after))} />`;
}

/** @param {HTMLElement} border @param {number} before @param {number} after @returns {import("../../ui/shared_border.js").Parts|null} */
function neighbours(border, before, after) {
  const part = (/** @type {number} */ at) =>
    /** @type {HTMLElement|null} */ (border.parentElement?.querySelector(`:scope > [data-at="${at}"]`));
  const [first, second] = [part(before), part(after)];
  return first && second ? { before: first, after: second } : null;
}

/** The part before the border, in percent of both. @param {Split} node @param {number} before @param {number} after @returns {number} */
function shareOf({ sizes, children }, before, after) {
  const pixels = (/** @type {number} */ at) => Number(sizes[at]) || ownHeight(/** @type {Tree} */ (children[at]));
  const [first, second] = [pixels(before), pixels(after)];
  const whole = window.innerHeight;
  if (first <= 1 && second <= 1) return (100 * first) / (first + second);
  if (first > 1 && second > 1) return (100 * first) / (first + second);
  return first > 1 ? Math.min(100, (100 * first) / whole) : Math.max(0, 100 - (100 * second) / whole);
}

/** The panels at the front of their groups. @param {Tree} node @returns {string} */
export function titleOf(node) {
  const titles = groupsOf(node).flatMap((group) => state.activeOf(group) ?? []);
  return titles
    .slice(0, TITLES)
    .map((id) => state.panelOf(id).title)
    .join(", ");
}

/** @param {{node: Group, frame: Frame}} props */
function Group({ node, frame }) {
  const tabs = state.tabsOf(node);
  const active = state.activeOf(node);
  const place = useRef(/** @type {HTMLDivElement|null} */ (null));
  useLayoutEffect(() => fillPlace(place.current, tabs, node.folded ? null : active));
  if (active === null) return null;
  const isBare = tabs.length === 1 && state.panelOf(active).isBare === true && !node.folded;
  return html`<section class=${`pane${isBare ? " bare" : ""}${node.folded ? " folded" : ""}`} aria-label=${state.panelOf(active).title}
    data-panel=${active} data-at=${frame.at} style=${frame.style} hidden=${frame.isHidden}>
    <${GroupHead} node=${node} tabs=${tabs} active=${active} />
    <div class="dock-place" ref=${place} hidden=${node.folded}></div>
  </section>`;
}

/** @param {{node: import("./tree.js").Group, tabs: string[], active: string}} props */
function GroupHead({ node, tabs, active }) {
  const { title, Head, help, canClose } = state.panelOf(active);
  const about = typeof help === "function" ? help() : help;
  const dots = html`<${Icon} name="more" />`;
  const isNarrow = state.isNarrow.value;
  return html`<div class="pane-head">
    ${isNarrow && canClose && tabs.length === 1 ? html`<h2>${title}</h2>` : html`<${GroupTabs} tabs=${tabs} active=${active} />`}
    <${MorePanels} node=${node} />
    ${Head && !node.folded ? html`<${Head} />` : html`<span class="spring"></span>`}
    <${HelpLink} about=${about} title=${title} />
    ${!isNarrow && html`<${Menu} class="panel-menu" label=${`Arrange ${title}`} content=${dots} items=${() => itemsFor(active, helpPage(about))} />`}
    ${canClose && html`<button class="close" title="Close" onClick=${() => state.closePanel(active)}><${Icon} name="close" /><span class="hidden">Close ${title}</span></button>`}
  </div>`;
}

/** In a narrow window the tab of the pane replaces that of its only panel. @param {{tabs: string[], active: string}} props */
function GroupTabs({ tabs, active }) {
  const isNarrow = state.isNarrow.value;
  if (isNarrow && tabs.length === 1) return null;
  const named = tabs.map(tabOf);
  const label = named.map(({ title }) => title).join(", ");
  return html`<${Tabs} label=${label} tabs=${named} chosen=${active} panel="tab" choose=${state.showPanel} onGrab=${isNarrow ? undefined : dragTab} />`;
}

/** The closed panels of a group, with their badges: each opens as a tab, with the focus. @param {{node: Group}} props */
function MorePanels({ node }) {
  const closed = state.closedIn(node);
  if (closed.length === 0) return null;
  const items = () => closed.map(({ id, title, about }) => ({ text: title, note: about, run: () => openPanel(id) }));
  return html`<${Menu} class="more-panels" label="More panels" content=${html`More${closed.map(({ Badge }) => Badge && html`<${Badge} />`)} <span class="arrow" aria-hidden="true">▾</span>`} items=${items} />`;
}

/** @param {string} id */
function openPanel(id) {
  const focused = document.activeElement;
  state.showPanel(id);
  // Unless the next key has opened something else by then.
  afterPaint(() => document.activeElement === focused && focusPanel(id));
}

/** @param {string} id @returns {import("../../ui/tabs.js").Tab} */
function tabOf(id) {
  const { title, Badge } = state.panelOf(id);
  return { id, title, badge: Badge && html`<${Badge} />`, panel: `panel-${id}` };
}

/** @param {string} id @param {string|undefined} help @returns {import("../../ui/menu.js").MenuItem[]} */
function itemsFor(id, help) {
  const { title } = state.panelOf(id);
  const { tree, maximised } = state.layout.peek();
  const keys = keysOf(command("maximise"))[0];
  return [
    { text: maximised === id ? "Restore" : "Maximise", keys, run: () => state.toggleMaximised(id) },
    collapseItem(id, tree),
    { text: "Close", note: "the Layout menu opens it again", run: () => state.closePanel(id) },
    { text: `Move ${title} to…`, run: () => askWhere(id) },
    ...(help ? [{ text: `Help: ${title}`, note: "new tab", href: help }] : []),
  ];
}

/** @param {string} id @param {Tree} tree @returns {import("../../ui/menu.js").MenuItem} */
function collapseItem(id, tree) {
  const own = state.groupOf(id);
  if (drawerAround(tree, id)) return { text: "Keep open beside the others", run: () => state.expandPanel(id) };
  if (own?.folded) return { text: "Expand", run: () => state.expandPanel(id) };
  const parent = own && parentOf(tree, own);
  return {
    text: "Collapse",
    note: parent?.kind === "row" ? "to a drawer" : "to its title",
    run: () => state.collapsePanel(id),
  };
}

/** The panel that the dialog "Move to…" moves: the keyboard alternative to dragging a tab. */
const moving = signal(/** @type {string|null} */ (null));

/** @param {string} id */
const askWhere = (id) => (moving.value = id);

/** The whole page as a target. */
const PAGE = "";
const ZONES = /** @type {[import("./tree.js").Zone, string][]} */ ([
  ["center", "as a tab of"],
  ["left", "left of"],
  ["right", "right of"],
  ["top", "above"],
  ["bottom", "below"],
]);

function MoveDialog() {
  const id = moving.value;
  const form = useRef(/** @type {HTMLFormElement|null} */ (null));
  if (id === null) return null;
  const close = () => (moving.value = null);
  const move = (/** @type {Event} */ event) => {
    event.preventDefault();
    const chosen = new FormData(form.current ?? undefined);
    const beside = String(chosen.get("beside"));
    const zone = /** @type {import("./tree.js").Zone} */ (String(chosen.get("zone")));
    close();
    state.movePanel(
      id,
      beside === PAGE ? { beside: null, zone: zone === "center" ? "right" : zone } : { beside, zone },
    );
    state.showPanel(id);
  };
  return html`<${Dialog} title=${`Move ${state.panelOf(id).title}`} close=${close}><form class="move-panel" ref=${form} onSubmit=${move}>
    <label>Where <select name="zone">${ZONES.map(([zone, text]) => html`<option value=${zone}>${text}</option>`)}</select></label>
    <label>Of what <select name="beside">${targetsFor(id).map(([beside, text]) => html`<option value=${beside}>${text}</option>`)}</select></label>
    <button class="primary" type="submit">Move</button></form><//>`;
}

/** The groups by their panels, and the page. @param {string} id @returns {[string, string][]} */
function targetsFor(id) {
  const groups = groupsOf(state.layout.value.tree).flatMap((group) => {
    const others = state.tabsOf(group).filter((other) => other !== id);
    const [first] = others;
    return first === undefined
      ? []
      : [/** @type {[string, string]} */ ([first, others.map((other) => state.panelOf(other).title).join(", ")])];
  });
  return [...groups, [PAGE, "the whole page"]];
}
