/** Keeps the current line in view: also where lines become higher above it, as they do when results come to stand under them. */
import { EditorView, ViewPlugin } from "@codemirror/view";
import { onFrame } from "../../core/idle.js";

/** @typedef {import("@codemirror/state").StateEffect<any>} Effect */

/** The line that was scrolled to last, and whether one has gone elsewhere since: then one is left alone until the position moves. */
const shown = { line: /** @type {number|null} */ (null), isLeft: false };

/** Another line becomes the current one. @param {EditorView} view @param {number|null} line @returns {Effect[]} what brings it into view */
export function goToLine(view, line) {
  const [before, isFirst] = [shown.line, shown.line === null];
  if (line === before) return [];
  Object.assign(shown, { line, isLeft: false });
  if (line === null) return [];
  if (!isFirst) return scrollTo(view, line);
  // A new editor does not have its height yet.
  onFrame(() => view.dispatch({ effects: scrollTo(view, line) }));
  return [];
}

/** @param {EditorView} view @param {number} line @param {number} [around] lines like it that are to be seen above and below @returns {Effect[]} */
function scrollTo(view, line, around = 3) {
  const { from } = view.state.doc.line(Math.min(line, view.state.doc.lines));
  const block = view.lineBlockAt(from);
  const { scrollTop, scrollLeft, clientHeight } = view.scrollDOM;
  const margin = around * block.height;
  const inView = block.top > scrollTop + margin && block.bottom < scrollTop + clientHeight - margin;
  // The start of a line says what it is: it is shown even to who had scrolled to the side.
  if (inView && scrollLeft <= 0) return [];
  return [EditorView.scrollIntoView(from, { y: inView ? "nearest" : "center" })];
}

/** Lines have become higher or lower: in the next frame the line is where it was to be. @param {EditorView} view */
function follow(view) {
  const { line } = shown;
  onFrame(() => {
    if (line === null || line !== shown.line || shown.isLeft) return;
    const effects = scrollTo(view, line, 0);
    if (effects.length > 0) view.dispatch({ effects });
  });
}

/** Somebody looks elsewhere, by scrolling or by going to another line. */
export const leaveLine = () => void (shown.isLeft = true);

export const keptInView = ViewPlugin.define((view) => {
  for (const turn of ["wheel", "touchmove", "pointerdown", "keydown"])
    view.scrollDOM.addEventListener(turn, leaveLine, { passive: true });
  return {
    /** @param {import("@codemirror/view").ViewUpdate} update */
    update: ({ heightChanged, docChanged }) => {
      if (heightChanged && !docChanged && !shown.isLeft) follow(view);
    },
  };
});
