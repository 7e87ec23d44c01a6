/** From a name to its definition and its uses, and back and forward through the places visited. */
import { batch } from "@preact/signals";
import { goToIn } from "./actions.js";
import { reveal, revealInRun } from "./cursor.js";
import { afterPaint } from "./later.js";
import { say } from "./messages.js";
import { takePlace } from "./places.js";
import { mentionsOf } from "./run/mentions.js";
import * as store from "./store.js";
import { chooseValue, openDialog } from "./view_actions.js";
/** @import {Mention, Referent} from "./run/mentions.js" */

/** The words of the text that ran, the definition first. @param {Referent} referent @returns {Mention[]} */
export function mentions(referent) {
  const [program, run] = [store.program.value, store.run.value];
  return program && run ? mentionsOf(program, run.text, referent) : [];
}

/** The name as the text has it: `%x`, `@main`, `add`. @param {Referent} referent @returns {string} */
export function nameOf(referent) {
  if ("value" in referent) return store.program.value?.value(referent.value).name ?? "";
  return store.program.value?.language === "hlo" ? referent.function : `@${referent.function}`;
}

/** Select the definition in the editor; where the cursor is on it already, list the uses. @param {Referent} referent @param {number} [from] of the word at the cursor, in the text that ran */
export function goToDefinition(referent, from) {
  const [first] = mentions(referent);
  if (!first?.defines) say({ kind: "info", text: `The text does not define ${nameOf(referent)}.` });
  else if (first.from === from) findUses(referent);
  else revealInRun(first);
}

/** List the uses in the find box. @param {Referent} referent */
export function findUses(referent) {
  batch(() => {
    store.sought.value = referent;
    openDialog("uses");
  });
}

/** Go to the place visited before, or to the one that one came back from. @param {"back"|"forward"} direction */
export function travel(direction) {
  const place = takePlace(direction);
  if (!place) return;
  const { process, step, value, path, head } = place;
  const moves = step !== store.position.value || process !== store.process.value;
  if (moves) goToIn(process, step, "browse");
  if (value !== store.chosenValue.value || String(path) !== String(store.chosenPath.value)) chooseValue(value, path);
  const show = () => {
    const op = store.currentOp.value;
    const line = op === null ? 1 : store.draftLine(store.program.value?.op(op).line ?? 1);
    reveal.value = { line, ...(head === null ? {} : { from: head, to: head }), focus: false, at: Date.now() };
  };
  // The editor scrolls to the current line of another step first.
  if (!moves) show();
  else if (head !== null) afterPaint(show);
}
