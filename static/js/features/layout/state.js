/** The layout of this page: its panels, their places, and all changes of them. Stored in the browser. */
import { computed, effect, signal, untracked } from "@preact/signals";
import { forAudience, presenter, recall, remember } from "../../core/preferences.js";
import * as store from "../../core/store.js";
import { setStageTab, setPanelsInFront } from "../../core/view_actions.js";
import { DRAWER, fitted, NARROW, narrowLayout, presetLayout, projectorLayout, WIDE } from "./presets.js";
import { layoutText, readLayout } from "./saved_layout.js";
import * as trees from "./tree.js";
import { matches } from "../../ui/media.js";
/** @import {Panel} from "./panels.js" */
/** @import {Layout} from "./presets.js" */
/** @import {Group, Tree} from "./tree.js" */

/** All panels of the page; see panels.js. */
export const panels = signal(/** @type {readonly Panel[]} */ ([]));

const stored = signal(/** @type {Layout|null} */ (null));
/** Storage key of the layout; a page with a lesson has another one. */
let keptAs = "layout";
/** The layout of a narrow window, or of a projector: it is not stored. */
const passing = signal(/** @type {Layout|null} */ (null));

/** In a narrow window: the visible pane. */
export const pane = signal(0);

/** The width class of the window: the layout changes only at these widths. */
const narrowWindow = matches(`(width < ${NARROW}px)`);
const wideWindow = matches(`(width >= ${WIDE}px)`);
/** Presenter mode scales everything by this factor. */
const wideForMany = matches(`(width >= ${1.3 * WIDE}px)`);
const width = computed(() => {
  if (narrowWindow.value) return NARROW - 1;
  return (presenter.value ? wideForMany : wideWindow).value ? WIDE : NARROW;
});

export const isNarrow = computed(() => width.value < NARROW && !forAudience.value);

export const layout = computed(() => {
  if (forAudience.value) return passing.value ?? projectorLayout(panels.value);
  if (isNarrow.value) return passing.value ?? narrowLayout(panels.value);
  const kept = stored.value ?? presetLayout("debug", panels.value, width.value);
  const isFitting = kept.isOwn || kept.isWide === width.value >= WIDE;
  return isFitting ? kept : fitted(kept, panels.value, width.value);
});

/** @param {string} id @returns {Panel} */
export function panelOf(id) {
  const found = panels.value.find((panel) => panel.id === id);
  if (!found) throw new RangeError(`there is no panel ${id}`);
  return found;
}

/** Whether a panel can be shown: it is not closed, and the program has what it shows. @param {string} id */
export const isOpen = (id) => !layout.value.closed.includes(id) && (panelOf(id).exists?.() ?? true);

/** The closed panels of a group, which its menu More opens. @param {Group} group */
export const closedIn = (group) =>
  group.tabs.map(panelOf).filter(({ id, exists }) => layout.value.closed.includes(id) && (exists?.() ?? true));

/** @param {Group} group @returns {string[]} */
export const tabsOf = (group) => group.tabs.filter(isOpen);

/** The tab in front. @param {Group} group @returns {string|null} */
export function activeOf(group) {
  const tabs = tabsOf(group);
  return tabs.includes(group.active) ? group.active : (tabs[0] ?? null);
}

/** @param {Tree} tree @returns {boolean} whether it contains an open panel */
export const hasPanels = (tree) => trees.groupsOf(tree).some((group) => tabsOf(group).length > 0);

/** The panel that presenter mode shows. */
const chosenToPresent = signal("program");
export const presented = computed(() => (isOpen(chosenToPresent.value) ? chosenToPresent.value : "program"));

/** The panel at the front of the stage. @returns {string} */
export function stageFront() {
  const group = trees.groupWith(layout.peek().tree, "tensor");
  const front = group && activeOf(group);
  return front === null || front === "program" ? "tensor" : front;
}

/** Show a panel in presenter mode. @param {string} id */
export function present(id) {
  bringToFront(id);
  chosenToPresent.value = id;
}

/** The maximised panel. */
export const maximised = computed(() => {
  if (presenter.value && !forAudience.value) return presented.value;
  const id = layout.value.maximised;
  return id !== null && isOpen(id) ? id : null;
});

/** The visible panels in reading order. */
export const visible = computed(() => {
  if (maximised.value !== null) return [maximised.value];
  return frontsOf(layout.value.tree, isOtherPane);
});

/** The panels at the front of their groups, including those hidden by a maximised panel or a narrow window. */
const inFront = computed(() => frontsOf(layout.value.tree, () => false));

/** @param {Tree} tree @param {(parent: import("./tree.js").Split, at: number) => boolean} isHidden @returns {string[]} */
function frontsOf(tree, isHidden) {
  if (tree.drawer && !tree.drawer.isOpen) return [];
  if (tree.kind !== "tabs")
    return tree.children.flatMap((child, at) => (isHidden(tree, at) ? [] : frontsOf(child, isHidden)));
  const active = tree.folded ? null : activeOf(tree);
  return active === null ? [] : [active];
}

/** Whether a narrow window hides this child of the row of panes. @param {import("./tree.js").Split} tree @param {number} at */
export const isOtherPane = (tree, at) => isNarrow.value && tree.kind === "row" && at !== pane.value;

/** @param {Partial<Layout>} changes @param {boolean} [isOwn] whether the user has arranged it */
function change(changes, isOwn = true) {
  const now = layout.peek();
  const next = { ...now, ...changes, isOwn: now.isOwn || isOwn };
  if (isNarrow.peek() || forAudience.peek()) return void (passing.value = next);
  stored.value = next;
  remember(keptAs, layoutText(next));
}

/** @param {Tree} tree @param {boolean} [isOwn] */
function changeTree(tree, isOwn) {
  if (tree !== layout.peek().tree) change({ tree }, isOwn);
}

/** Open a panel at its last place, in front of its group. @param {string} id */
export function showPanel(id) {
  bringToFront(id);
  chosenToPresent.value = id;
  if (isNarrow.peek()) pane.value = paneOf(id) ?? pane.peek();
}

/** The same; in a narrow window behind the visible pane. @param {string} id */
function bringToFront(id) {
  const { closed, tree, maximised: whole } = layout.peek();
  if (closed.includes(id)) change({ closed: closed.filter((other) => other !== id) }, false);
  const shown = trees.changeGroup(tree, id, { active: id, folded: false });
  const drawer = trees.drawerAround(shown, id);
  changeTree(drawer ? trees.changeDrawer(shown, drawer, { isOpen: true }) : shown, false);
  if (whole !== null && whole !== id) change({ maximised: null }, false);
  if (panelOf(id).dock === "stage") setStageTab(id);
}

/** @param {string} id @returns {number|null} */
function paneOf(id) {
  const row = layout.peek().tree;
  const panes = row.kind === "tabs" ? undefined : row.children[0];
  if (panes === undefined || panes.kind !== "row") return null;
  const at = panes.children.findIndex((child) => trees.groupWith(child, id) !== null);
  return at < 0 ? null : at;
}

/** @param {string} id */
export function closePanel(id) {
  const { closed, maximised: whole } = layout.peek();
  if (!closed.includes(id))
    change({ closed: [...closed, id], maximised: whole === id ? null : whole }, id !== "console");
}

/** @param {string} id */
export function togglePanel(id) {
  if (visible.peek().includes(id)) closePanel(id);
  else showPanel(id);
}

/** @param {string} id */
export const collapsePanel = (id) => changeTree(trees.collapse(layout.peek().tree, id, DRAWER));

/** Expand a collapsed panel. @param {string} id */
export const expandPanel = (id) => changeTree(trees.expand(layout.peek().tree, id));

/** Change the drawer of a panel. @param {string} id @param {Partial<import("./tree.js").Drawer>} changes */
export function changeDrawer(id, changes) {
  const { tree } = layout.peek();
  const drawer = trees.drawerAround(tree, id);
  if (drawer) changeTree(trees.changeDrawer(tree, drawer, changes), changes.width !== undefined);
}

/** Close the drawers of these panels; docked and presented panels stay. @param {readonly string[]} ids */
function closeDrawers(ids) {
  if (!presenter.peek()) for (const id of ids) changeDrawer(id, { isOpen: false });
}

/** Open or close the drawer of a panel; a docked panel is collapsed into a drawer. @param {string} id */
export function toggleDrawer(id) {
  const { tree } = layout.peek();
  const drawer = trees.drawerAround(tree, id);
  if (isNarrow.peek()) return showPanel(id);
  if (drawer) return changeDrawer(id, { isOpen: !drawer.drawer?.isOpen });
  const path = trees.pathTo(tree, id);
  const node = path.find((_, at) => path[at - 1]?.kind === "row");
  if (node) changeTree(trees.replace(tree, node, { ...node, drawer: { isOpen: false, width: DRAWER } }));
}

/** Maximise a panel, or restore it. @param {string} id */
export function toggleMaximised(id) {
  change({ maximised: layout.peek().maximised === id ? null : id }, false);
}

/** @param {string} id @param {import("./tree.js").Place} place */
export function movePanel(id, place) {
  const { tree, maximised: whole } = layout.peek();
  const moved = trees.movePanel(tree, id, place);
  if (moved !== tree) change({ tree: moved, maximised: whole === null ? null : whole });
}

/**
 * Change the row or column around a border, which its panels identify: the tree changes during a drag.
 *
 * @param {[string, string]} panels @param {(parent: import("./tree.js").Split) => Tree} make
 */
export function changeAround(panels, make) {
  const { tree } = layout.peek();
  const parent = trees.splitBetween(tree, ...panels);
  if (parent) changeTree(trees.replace(tree, parent, make(parent)));
}

/** @param {string} id @returns {Group|null} */
export const groupOf = (id) => trees.groupWith(layout.peek().tree, id);

/** @param {string} name */
export function choosePreset(name) {
  const made = presetLayout(name, panels.peek(), width.peek());
  passing.value = null;
  stored.value = made;
  remember(keptAs, layoutText(made));
}

/** Restore the preset. */
export const resetLayout = () => choosePreset(stored.peek()?.preset ?? "debug");

/** Set the panels of the page. @param {readonly Panel[]} table @param {boolean} isNew whether no former view of the session is stored @param {string} [name] storage key of the layout */
export function openLayout(table, isNew, name = "layout") {
  panels.value = table;
  keptAs = name;
  stored.value = readLayout(recall(keptAs), table);
  effect(() => setPanelsInFront(inFront.value));
  effect(() => {
    const asked = store.askedPanel.value;
    if (asked && (isNew || !asked.isFirst))
      untracked(() => {
        closeDrawers(asked.covering ?? []);
        (asked.isFirst || asked.isBehind ? bringToFront : showPanel)(asked.id);
      });
  });
}
