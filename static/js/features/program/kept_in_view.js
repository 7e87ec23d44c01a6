/** Keeps the current line in view, also while lines above it grow because results appear below them. */
import { EditorView, ViewPlugin } from "@codemirror/view";
import { effect } from "@preact/signals";
import { onFrame } from "../../core/idle.js";
import * as store from "../../core/store.js";
import { setTopLine } from "../../core/view_actions.js";

/** @typedef {import("@codemirror/state").StateEffect<any>} Effect */

/** The line scrolled to last, and whether the user has scrolled since: then the view stays until the position moves. */
const shown = { line: /** @type {number|null} */ (null), isLeft: false };

/** Another line becomes the current one. @param {EditorView} view @param {number|null} line @returns {Effect[]} scrolls it into view */
export function goToLine(view, line) {
  const [before, isFirst] = [shown.line, shown.line === null];
  if (line === before) return [];
  Object.assign(shown, { line, isLeft: false });
  if (line === null) return [];
  if (!isFirst) return scrollTo(view, line);
  // A new editor has no height yet; until it has, a link may have gone to another step.
  onFrame(() => view.dispatch({ effects: scrollTo(view, shown.line ?? line) }));
  return [];
}

/** Centre a line that is not in view. @param {EditorView} view @param {number} line @param {number} [around] lines to keep visible above and below @returns {Effect[]} */
export function scrollTo(view, line, around = 3) {
  const { from } = view.state.doc.line(Math.min(line, view.state.doc.lines));
  const block = view.lineBlockAt(from);
  const { scrollTop, scrollLeft, clientHeight } = view.scrollDOM;
  const margin = around * block.height;
  const inView = block.top > scrollTop + margin && block.bottom < scrollTop + clientHeight - margin;
  // Show the start of the line even after horizontal scrolling.
  if (inView && scrollLeft <= 0) return [];
  return [EditorView.scrollIntoView(from, { y: inView ? "nearest" : "center" })];
}

/** After lines or the editor change height, scroll back to the line in the next frame. @param {EditorView} view */
function follow(view) {
  const { line } = shown;
  onFrame(() => {
    if (line === null || line !== shown.line || shown.isLeft) return;
    const effects = scrollTo(view, line, 0);
    if (effects.length > 0) view.dispatch({ effects });
  });
}

/** Scroll so that a line is the first in view. @param {EditorView} view @param {number|null} line */
function scrollToTop(view, line) {
  if (line === null || line > view.state.doc.lines) return;
  const { from } = view.state.doc.line(line);
  // In an update of the editor none may be dispatched.
  onFrame(() => view.dispatch({ effects: EditorView.scrollIntoView(from, { y: "start", yMargin: 0 }) }));
}

/** The user scrolled or moved to another line. */
export const leaveLine = () => void (shown.isLeft = true);

/** Scroll back to the margin once the cursor is in view there: else the end of one long line would leave short ones empty. */
const TO_MARGIN = {
  key: "margin",
  /** @param {EditorView} view */
  read: (view) => {
    const { scrollLeft, clientWidth } = view.scrollDOM;
    if (scrollLeft <= 0) return false;
    const cursor = view.coordsAtPos(view.state.selection.main.head);
    const left = view.scrollDOM.getBoundingClientRect().left;
    return cursor !== null && cursor.left - left + scrollLeft < 0.9 * clientWidth;
  },
  /** @param {boolean} isNear @param {EditorView} view */
  write: (isNear, view) => void (isNear && (view.scrollDOM.scrollLeft = 0)),
};

export const keptInView = ViewPlugin.define((view) => {
  for (const turn of ["wheel", "touchmove", "pointerdown", "keydown"])
    view.scrollDOM.addEventListener(turn, leaveLine, { passive: true });
  const noteTop = () => {
    const { top } = view.scrollDOM.getBoundingClientRect();
    setTopLine(view.state.doc.lineAt(view.elementAtHeight(top - view.documentTop).from).number);
  };
  view.scrollDOM.addEventListener("scroll", noteTop, { passive: true });
  const end = effect(() => scrollToTop(view, store.askedTopLine.value));
  return {
    destroy: end,
    /** @param {import("@codemirror/view").ViewUpdate} update */
    update: ({ geometryChanged, docChanged, transactions }) => {
      if (geometryChanged && !docChanged && !shown.isLeft) follow(view);
      if (transactions.some((each) => each.isUserEvent("select") && !each.isUserEvent("select.pointer")))
        view.requestMeasure(TO_MARGIN);
    },
  };
});
