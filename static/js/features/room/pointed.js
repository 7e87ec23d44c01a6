/**
 * The target of a pointer: a line of a text, a cell of a heat map, a control or a paragraph. Windows differ in width,
 * scroll and zoom, so followers see the same target; coordinates are used only without one.
 *
 * @typedef {NonNullable<PointerPlace["thing"]>} Thing
 * @typedef {{x: number, y: number}} Point in the window
 */
import { EditorView } from "@codemirror/view";
import { HeatMap } from "../../drawing/heat_map.js";
/** @import {PointerPlace} from "../../core/types.js" */

/** Elements that are targets as a whole; the innermost counts. */
const THINGS =
  "button, a, input, select, textarea, summary, label, th, td, dt, dd, li, p, h2, h3, h4, output, figure, canvas, [role=option], [role=tab], [role=treeitem]";
const LONGEST_NAME = 60;

/** The target at a point of a panel, or null. @param {Element} panel @param {Element} target @param {Point} point @returns {Thing|null} */
export const thingAt = (panel, target, point) =>
  lineAt(target, point) ?? cellAt(panel, target, point) ?? controlAt(panel, target, point);

/** The position of a target in this window; null if it is not visible. @param {Element} panel @param {Thing} thing @returns {Point|null} */
export function placeOfThing(panel, thing) {
  if (thing.kind === "line") return placeOfLine(panel, thing);
  if (thing.kind === "cell") return placeOfCell(panel, thing);
  return placeOfControl(panel, thing);
}

/** The editor in an element, which may be in a shadow root. @param {Element} element @returns {EditorView|null} */
function editorIn(element) {
  const hosts = [element, ...element.querySelectorAll(".editor")].flatMap(({ shadowRoot }) => shadowRoot ?? []);
  const found = [element, ...hosts].map((root) => root.querySelector(".cm-editor")).find((each) => each !== null);
  return found ? EditorView.findFromDOM(/** @type {HTMLElement} */ (found)) : null;
}

/** @param {Element} target the event's target; for a shadow root, its host @param {Point} point @returns {Thing|null} */
function lineAt(target, point) {
  const host = target.closest(".cm-editor")?.parentElement ?? (target.shadowRoot ? target : null);
  const view = host && editorIn(host);
  if (!view) return null;
  const offset = view.posAtCoords(point, false);
  const line = view.state.doc.lineAt(offset);
  return { kind: "line", line: line.number, column: offset - line.from };
}

/** @param {Element} panel @param {Extract<Thing, {kind: "line"}>} thing @returns {Point|null} */
function placeOfLine(panel, { line, column }) {
  const view = editorIn(panel);
  if (!view || line > view.state.doc.lines) return null;
  const { from, to } = view.state.doc.line(line);
  const box = view.coordsAtPos(Math.min(from + column, to)) ?? null;
  if (box) return { x: box.left, y: (box.top + box.bottom) / 2 };
  // Outside the drawn part: above or below.
  const { top, height } = view.lineBlockAt(from);
  return { x: view.contentDOM.getBoundingClientRect().left, y: view.documentTop + top + height / 2 };
}

/** Visible heat maps of a panel, in order. @param {Element} panel */
const mapsIn = (panel) => [...panel.querySelectorAll("canvas")].flatMap((canvas) => HeatMap.on(canvas) ?? []);

/** @param {Element} panel @param {Element} target @param {Point} point @returns {Thing|null} */
function cellAt(panel, target, point) {
  const map = HeatMap.on(target);
  if (!map) return null;
  const { left, top } = target.getBoundingClientRect();
  const place = map.placeAt({ x: point.x - left, y: point.y - top });
  const { height, width } = map.picture;
  return place && { kind: "cell", picture: mapsIn(panel).indexOf(map), height, width, ...place };
}

/** @param {Element} panel @param {Extract<Thing, {kind: "cell"}>} thing @returns {Point|null} */
function placeOfCell(panel, { picture, height, width, row, column }) {
  const map = mapsIn(panel)[picture];
  if (!map || map.picture.height !== height || map.picture.width !== width) return null;
  const { left, top } = map.canvas.getBoundingClientRect();
  const { x, y } = map.pointAt({ row, column });
  return { x: left + x, y: top + y };
}

/** @param {Element} panel @param {Element} target @param {Point} point @returns {Thing|null} */
function controlAt(panel, target, { x, y }) {
  const thing = target.closest(THINGS);
  if (!thing || !panel.contains(thing)) return null;
  const { left, top, width, height } = thing.getBoundingClientRect();
  if (width === 0 || height === 0) return null;
  const [tag, name] = [thing.tagName.toLowerCase(), nameOf(thing)];
  return {
    kind: "control",
    ...{ tag, name, nth: likeIt(panel, tag, name).indexOf(thing) },
    ...{ x: fraction((x - left) / width), y: fraction((y - top) / height) },
  };
}

/** @param {Element} panel @param {Extract<Thing, {kind: "control"}>} thing @returns {Point|null} */
function placeOfControl(panel, { tag, name, nth, x, y }) {
  const found = likeIt(panel, tag, name)[nth]?.getBoundingClientRect();
  if (!found || found.width === 0) return null;
  return { x: found.left + x * found.width, y: found.top + y * found.height };
}

/** @param {Element} panel @param {string} tag @param {string} name */
const likeIt = (panel, tag, name) => [...panel.querySelectorAll(tag)].filter((each) => nameOf(each) === name);

/** The label of a control or paragraph. @param {Element} thing @returns {string} */
function nameOf(thing) {
  const text = thing.getAttribute("aria-label") ?? thing.textContent ?? "";
  return text.replace(/\s+/g, " ").trim().slice(0, LONGEST_NAME);
}

/** @param {number} number */
export const fraction = (number) => Math.round(1e4 * Math.min(1, Math.max(0, number))) / 1e4;
