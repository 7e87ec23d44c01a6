/**
 * The preset layouts, made from the table of panels: each panel states the dock where it starts.
 *
 * @typedef {"lesson"|"program"|"stage"|"inspector"|"frames"|"breakpoints"|"class"|"timeline"|"console"} Dock
 * @typedef {{id: string, dock: Dock, isExtra?: boolean}} Placed a panel and its dock; isExtra: opened on purpose, from the menu More
 * @typedef {{preset: string, isOwn: boolean, isWide: boolean, tree: Tree, closed: readonly string[], maximised: string|null}} Layout
 *   isOwn: the user has arranged it, so it stays when the window is resized; isWide: made for a window with space for
 *   the inspector
 */
import { group, groupsOf, groupWith, replace, split } from "./tree.js";
/** @import {Group, Tree} from "./tree.js" */

/** Minimum width in pixels for the inspector beside the stage; below it is a drawer. */
export const WIDE = 1400;
/** Below this width one pane is shown at a time. */
export const NARROW = 900;

/** Width in pixels for a name, its picture and a range. */
export const DRAWER = 344;
const CONSOLE = 168;
/** The class is below the panels: it covers no picture. */
const CLASS = 196;
/** Share of a lesson; program and stage have about 0.85 or 1. */
const LESSON_SHARE = 0.36;

export const PRESETS = /** @type {const} */ (["debug", "index map", "grid", "teaching"]);
export const PRESET_NAMES = { debug: "Debug", "index map": "Index map", grid: "Grid", teaching: "Teaching" };

/** The panels that a new tree closes: the console, which the status line replaces, and extra panels that are not in front. @param {Tree} tree @param {readonly Placed[]} panels @returns {string[]} */
function closedIn(tree, panels) {
  const fronts = groupsOf(tree).map(({ active }) => active);
  const isClosed = (/** @type {Placed} */ { id, isExtra = false }) =>
    id === "console" || (isExtra && !fronts.includes(id));
  return panels.filter(isClosed).map(({ id }) => id);
}

/** @param {string} preset @param {readonly Placed[]} panels @param {number} width of the window @returns {Layout} */
export function presetLayout(preset, panels, width) {
  const make = MAKERS[/** @type {keyof typeof MAKERS} */ (preset)] ?? debug;
  const lesson = idsIn(panels, "lesson");
  const row = make(panels, lesson.length > 0 ? NARROW : width);
  const tree = split("column", [
    [1, lesson.length > 0 ? withLesson(row, lesson) : row],
    [CLASS, group(idsIn(panels, "class"))],
    [0, group(idsIn(panels, "timeline"))],
    [CONSOLE, group(idsIn(panels, "console"))],
  ]);
  return {
    preset: preset in MAKERS ? preset : "debug",
    isOwn: false,
    isWide: width >= WIDE,
    tree,
    closed: closedIn(tree, panels),
    maximised: null,
  };
}

/** @param {readonly Placed[]} panels @param {Dock} dock @returns {string[]} */
const idsIn = (panels, dock) => panels.filter((panel) => panel.dock === dock).map(({ id }) => id);

const MAKERS = { debug, "index map": indexMap, grid, teaching };

/** A lesson is at the left; the inspector becomes a drawer to make space for it. @param {import("./tree.js").Split} row @param {string[]} lesson @returns {Tree} */
const withLesson = (row, lesson) => ({
  ...row,
  children: [group(lesson), ...row.children],
  sizes: [LESSON_SHARE, ...row.sizes],
});

/** @param {readonly Placed[]} panels @param {number} width @returns {import("./tree.js").Split} */
function debug(panels, width) {
  const inspector = inspectorOf(panels, width < WIDE);
  return split("row", [
    [0.45, group(idsIn(panels, "program"))],
    [0.4, stageOf(panels, "tensor")],
    [0.15, inspector],
  ]);
}

/** @param {readonly Placed[]} panels @returns {import("./tree.js").Split} */
function indexMap(panels) {
  return split("row", [
    [0.34, group(idsIn(panels, "program"))],
    [0.66, stageOf(panels, "index")],
    [0.2, inspectorOf(panels, true)],
  ]);
}

/** All processes above, the value of the shown one below. @param {readonly Placed[]} panels @returns {import("./tree.js").Split} */
function grid(panels) {
  const above = ["grid", "queues"].filter((id) => panels.some((panel) => panel.id === id));
  const rest = idsIn(panels, "stage").filter((id) => !above.includes(id));
  return split("row", [
    [0.34, group(idsIn(panels, "program"))],
    [
      0.66,
      split("column", [
        [0.6, group(above)],
        [0.4, group(rest)],
      ]),
    ],
    [0.2, inspectorOf(panels, true)],
  ]);
}

/** The program beside its op: the picture above, the description below. @param {readonly Placed[]} panels @returns {import("./tree.js").Split} */
function teaching(panels) {
  const rest = idsIn(panels, "stage").filter((id) => id !== "op");
  return split("row", [
    [0.45, group(idsIn(panels, "program"))],
    [
      0.55,
      split("column", [
        [0.64, group(rest, { active: "index" })],
        [0.36, group(["op"])],
      ]),
    ],
    [0.2, inspectorOf(panels, true)],
  ]);
}

/** @param {readonly Placed[]} panels @param {string} active @returns {Group} */
const stageOf = (panels, active) => group(idsIn(panels, "stage"), { active });

/** @param {readonly Placed[]} panels @param {boolean} isDrawer @returns {Tree} */
function inspectorOf(panels, isDrawer) {
  const parts = split("column", [
    [0.64, group(idsIn(panels, "inspector"))],
    [0.36, group(idsIn(panels, "frames"))],
    [0, group(idsIn(panels, "breakpoints"))],
  ]);
  return isDrawer ? { ...parts, drawer: { isOpen: false, width: DRAWER } } : parts;
}

/** In a narrow window: three panes, one of them visible, and a fourth for a lesson. @param {readonly Placed[]} panels @returns {Layout} */
export function narrowLayout(panels) {
  const inspector = /** @type {Dock[]} */ (["inspector", "frames", "breakpoints", "class"]);
  /** @type {[number, Tree][]} */
  const lesson = idsIn(panels, "lesson").map((id) => [0.4, group([id])]);
  const row = split("row", [
    [0.4, group(idsIn(panels, "program"))],
    [0.3, stageOf(panels, "tensor")],
    [0.3, group(inspector.flatMap((dock) => idsIn(panels, dock)))],
    ...lesson,
  ]);
  const tree = split("column", [
    [1, row],
    [0, group(idsIn(panels, "timeline"))],
    [CONSOLE, group(idsIn(panels, "console"))],
  ]);
  return { preset: "narrow", isOwn: false, isWide: false, tree, closed: closedIn(tree, panels), maximised: null };
}

/** On a projector: the text and the step of the lesson at the left, and most of the window for the picture. @param {readonly Placed[]} panels @returns {Layout} */
export function projectorLayout(panels) {
  const lesson = idsIn(panels, "lesson");
  const program = group(idsIn(panels, "program"));
  const left = lesson.length > 0 ? split("column", [[0.4, program], [0.6, group(lesson)]]) : program; // prettier-ignore
  const tree = split("row", [
    [0.4, left],
    [0.6, stageOf(panels, "tensor")],
  ]);
  const shown = panels.filter(({ dock }) => ["program", "stage", "lesson"].includes(dock));
  const closed = panels.filter((panel) => !shown.includes(panel)).map(({ id }) => id);
  return { preset: "projector", isOwn: false, isWide: true, tree, closed, maximised: null };
}

/** A preset for another window width, with the same tabs in front. @param {Layout} layout @param {readonly Placed[]} panels @param {number} width @returns {Layout} */
export function fitted(layout, panels, width) {
  const made = presetLayout(layout.preset, panels, width);
  const tree = groupsOf(layout.tree).reduce((fresh, { active }) => {
    const found = groupWith(fresh, active);
    return found ? replace(fresh, found, { ...found, active }) : fresh;
  }, made.tree);
  return { ...layout, isWide: made.isWide, tree };
}

/** The panels of the group in which a panel starts. @param {readonly Placed[]} panels @param {string} panel @returns {string[]} */
export function neighboursOf(panels, panel) {
  const found = groupsOf(presetLayout("debug", panels, WIDE).tree).find(({ tabs }) => tabs.includes(panel));
  return found?.tabs.filter((other) => other !== panel) ?? [];
}

/** The edge of the page, and the size there, for a panel without its former neighbours. @param {readonly Placed[]} panels @param {string} panel @returns {{zone: import("./tree.js").Zone, size: number}} */
export function edgeOf(panels, panel) {
  const dock = panels.find(({ id }) => id === panel)?.dock;
  if (dock === "timeline") return { zone: "bottom", size: 0 };
  if (dock === "class") return { zone: "bottom", size: CLASS };
  if (dock === "console") return { zone: "bottom", size: CONSOLE };
  if (dock === "lesson") return { zone: "left", size: 0.3 };
  return dock === "program" ? { zone: "left", size: 0.45 } : { zone: "right", size: 0.25 };
}
