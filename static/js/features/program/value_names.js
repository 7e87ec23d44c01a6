/** Names of values under the pointer: hovering shows the card, a click selects the value. */
import { syntaxTree } from "@codemirror/language";
import { EditorView, hoverTooltip } from "@codemirror/view";
import * as store from "../../core/store.js";
import { programLanguage } from "../../ui/code/languages.js";
import { openValueMenu } from "../../ui/executions_menu.js";
import { offsetInRun } from "./positions_in_text.js";
import { pinCard, pinnedCard, valueCard, waitForPicture } from "./value_card.js";

const NAME = /%[-\w.$]+(?:#\d+)?/g;

/** The name of a value at `offset`, with its range. @param {import("@codemirror/state").EditorState} state @param {number} offset */
function nameAt(state, offset) {
  if (state.facet(programLanguage) === "hlo") return hloNameAt(state, offset);
  const line = state.doc.lineAt(offset);
  for (const found of line.text.matchAll(NAME)) {
    const from = line.from + found.index;
    if (from <= offset && offset <= from + found[0].length) return { name: found[0], from, to: from + found[0].length };
  }
  return null;
}

/** HLO text may omit the percent sign; opcodes and computations may have the name of a value. @param {import("@codemirror/state").EditorState} state @param {number} offset */
function hloNameAt(state, offset) {
  const tree = syntaxTree(state);
  const node = [tree.resolveInner(offset, 1), tree.resolveInner(offset, -1)].find(
    ({ name }) => name === "variableName",
  );
  if (!node) return null;
  const { from, to } = node;
  return { name: `%${state.sliceDoc(from, to).replace(/^%/, "")}`, from, to };
}

/** @param {import("@codemirror/state").EditorState} state @param {number} offset */
export function valueAt(state, offset) {
  const found = nameAt(state, offset);
  const inRun = found && offsetInRun(state, found.from);
  if (!found || inRun === null) return null;
  const value = store.program.value?.valueNamed(found.name, inRun) ?? null;
  return value === null ? null : { ...found, value };
}

/** Whether the pointer is between `from` and `to`. @param {{from: number, to: number}} range @param {number} offset @param {-1|1} side @returns {boolean} */
export const isInside = ({ from, to }, offset, side) =>
  side > 0 ? from <= offset && offset < to : from < offset && offset <= to;

/** Whether the pointer is on the name of a value of the run. @param {import("@codemirror/state").EditorState} state @param {number} offset @param {-1|1} side @returns {boolean} */
export function hasName(state, offset, side) {
  const found = valueAt(state, offset);
  return found !== null && isInside(found, offset, side);
}

const hover = hoverTooltip(
  async (view, offset, side) => {
    const found = valueAt(view.state, offset);
    if (!found || !isInside(found, offset, side) || view.state.field(pinnedCard)) return null;
    await waitForPicture(found.value);
    return { pos: found.from, end: found.to, above: true, create: () => valueCard(found.value) };
  },
  { hoverTime: 250 },
);

/** Open the card of the value at the cursor, or of the first one on its line, and focus it. @param {EditorView} view @returns {boolean} */
export function describeValueAtCursor(view) {
  const { head } = view.state.selection.main;
  const line = view.state.doc.lineAt(head);
  const first = line.from + Math.max(0, line.text.search(/\S/));
  const found = valueAt(view.state, head) ?? valueAt(view.state, first) ?? valueAt(view.state, first + 5);
  if (found) void waitForPicture(found.value).then(() => pinCard(view, found));
  return found !== null;
}

/** @param {(value: number) => void} choose */
export function names(choose) {
  return [
    hover,
    pinnedCard,
    EditorView.domEventHandlers({
      contextmenu: (event, view) => {
        const offset = view.posAtCoords({ x: event.clientX, y: event.clientY });
        const found = offset === null ? null : valueAt(view.state, offset);
        if (!found) return false;
        openValueMenu(found.value, { x: event.clientX, y: event.clientY, back: view.contentDOM });
        return true;
      },
      click: (event, view) => {
        const offset = view.posAtCoords({ x: event.clientX, y: event.clientY });
        if (offset === null || !view.state.selection.main.empty) return;
        const found = valueAt(view.state, offset);
        if (found) choose(found.value);
      },
    }),
  ];
}
