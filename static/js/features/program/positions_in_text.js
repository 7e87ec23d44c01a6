/**
 * Maps positions between the text in the editor and the text that ran. Edits never change a run: CodeMirror maps its
 * positions through the changes.
 */
import { ChangeSet, MapMode, StateEffect, StateField, Text } from "@codemirror/state";

/** Sent with the text of another run that is shown. */
export const showRunText = StateEffect.define(/** @type {{map?: (value: string) => string}} */ ({}));

/**
 * @typedef {{text: Text, changes: import("@codemirror/state").ChangeDesc}} RunText The text that ran, and the changes
 *   from it to the editor's text.
 */

export const runText = StateField.define({
  create: () => /** @type {RunText|null} */ (null),
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(showRunText)) return since(Text.of(String(effect.value).split(/\r\n?|\n/)), transaction.newDoc);
    }
    if (value === null || !transaction.docChanged) return value;
    return { text: value.text, changes: value.changes.composeDesc(transaction.changes) };
  },
});

/** The difference is one change between the common prefix and suffix. @param {Text} text @param {Text} doc @returns {RunText} */
function since(text, doc) {
  const [before, now] = [text.toString(), doc.toString()];
  const shorter = Math.min(before.length, now.length);
  let start = 0;
  while (start < shorter && before[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === now[now.length - 1 - end]) end++;
  const change = { from: start, to: before.length - end, insert: now.slice(start, now.length - end) };
  return { text, changes: ChangeSet.of(before === now ? [] : change, before.length).desc };
}

/** @param {import("@codemirror/state").EditorState} state @param {number} line a line of the run @returns {number|null} the same line in the editor */
export function toDraft(state, line) {
  const run = state.field(runText);
  if (!run || line < 1 || line > run.text.lines) return null;
  const { from, to } = run.text.line(line);
  // The first remaining letter of a line represents it: the line is deleted only with all its letters.
  const start = run.changes.mapPos(from, 1, MapMode.TrackAfter);
  if (start !== null) return state.doc.lineAt(start).number;
  const end = run.changes.mapPos(to, -1, MapMode.TrackBefore);
  return end === null ? null : state.doc.lineAt(end).number;
}

/** @param {import("@codemirror/state").EditorState} state @param {number} line @returns {number|null} */
export function toRun(state, line) {
  const run = state.field(runText);
  if (!run || line < 1 || line > state.doc.lines) return null;
  return run.text.lineAt(offsetInRun(state, state.doc.line(line).from) ?? 0).number;
}

/** @param {import("@codemirror/state").EditorState} state @param {number} offset @returns {number|null} */
export function offsetInRun(state, offset) {
  const run = state.field(runText);
  return run === null ? null : run.changes.invertedDesc.mapPos(offset, 1);
}

/** The position in the editor of a position in the run. @param {import("@codemirror/state").EditorState} state @param {number} offset @param {1|-1} side @returns {number|null} */
export function fromRun(state, offset, side) {
  const run = state.field(runText);
  return run === null || offset > run.text.length ? null : run.changes.mapPos(offset, side);
}
