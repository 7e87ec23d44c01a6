/** Names of values under the pointer: hovering shows the card, a click selects the value. */
import { closeHoverTooltips, EditorView, hoverTooltip } from "@codemirror/view";
import { shownName } from "../../core/run/value_names.js";
import * as store from "../../core/store.js";
import { openValueMenu } from "../../ui/value_menu.js";
import { valueAt } from "./name_at.js";
import { definitionAt } from "./navigation.js";
import { pinCard, pinnedCard } from "../../ui/code/pinned_card.js";
import { valueCard, waitForPicture } from "./value_card.js";

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
    // A menu that opened meanwhile needs the room.
    if (document.querySelector(".menu")) return null;
    return { pos: found.from, end: found.to, above: true, create: () => valueCard(found.value) };
  },
  { hoverTime: 250 },
);

/** @param {EditorView} view @param {{value: number, from: number}} found */
function pinValue(view, { value, from }) {
  const program = store.program.value;
  const label = `The value ${program && shownName(program, value)}`;
  pinCard(view, { from, label, card: () => valueCard(value) });
}

/** Open the card of the value at the cursor, or of the first one on its line, and focus it. @param {EditorView} view @returns {boolean} */
export function describeValueAtCursor(view) {
  const { head } = view.state.selection.main;
  const line = view.state.doc.lineAt(head);
  const first = line.from + Math.max(0, line.text.search(/\S/));
  const found = valueAt(view.state, head) ?? valueAt(view.state, first) ?? valueAt(view.state, first + 5);
  if (found) void waitForPicture(found.value).then(() => pinValue(view, found));
  return found !== null;
}

/** The menu that Variables has for a value. @param {number} value @param {import("../../ui/menu.js").MenuPlace} place */
export function openMenuOf(value, place) {
  const program = store.program.value;
  if (program === null) return;
  const { shape } = program.value(value);
  const address = store.locate(value)?.address ?? null;
  openValueMenu({ value, address, path: [], name: shownName(program, value), isTensor: shape !== null }, place);
}

/** @param {(value: number) => void} choose */
export const names = (choose) => [
  hover,
  pinnedCard,
  EditorView.domEventHandlers({
    contextmenu: (event, view) => {
      const offset = view.posAtCoords({ x: event.clientX, y: event.clientY });
      const found = offset === null ? null : valueAt(view.state, offset);
      if (!found) return false;
      view.dispatch({ effects: closeHoverTooltips });
      openMenuOf(found.value, { x: event.clientX, y: event.clientY, back: view.contentDOM });
      return true;
    },
    click: (event, view) => {
      const offset = view.posAtCoords({ x: event.clientX, y: event.clientY });
      if (offset === null || !view.state.selection.main.empty) return;
      if (event.ctrlKey || event.metaKey) return void definitionAt(view, offset);
      const found = valueAt(view.state, offset);
      if (found) choose(found.value);
    },
  }),
];
