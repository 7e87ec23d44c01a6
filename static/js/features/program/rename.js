/** Rename a value or a function in the editor's text: all its words, in one step that can be undone. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { say } from "../../core/messages.js";
import { mentions, nameOf } from "../../core/navigation.js";
import * as store from "../../core/store.js";
import { act } from "./navigation.js";
import { card } from "../../ui/code/element.js";
import { pinCard, unpinCard } from "../../ui/code/pinned_card.js";
import { fromRun } from "./positions_in_text.js";
/** @import {EditorView} from "@codemirror/view" */
/** @import {Referent} from "../../core/run/mentions.js" */

const NAME = /^[A-Za-z_$][\w.$-]*$|^\d+$/;

/** Ask for the new name of what is named at the cursor. @param {EditorView} view */
export function renameAt(view) {
  if (store.readOnly.peek()) return say({ kind: "info", text: "This page is read-only: names cannot be changed." });
  act(view, ({ referent }) => {
    const label = `Rename ${bare(nameOf(referent))}`;
    pinCard(view, { from: view.state.selection.main.head, label, card: () => form(view, referent), isBelow: true });
  });
}

/** A name without its sign and the number of a result. @param {string} name */
const bare = (name) => name.replace(/^[%@]/, "").replace(/#\d+$/, "");

/** @param {EditorView} view @param {Referent} referent @returns {{dom: HTMLElement, destroy: () => void}} */
function form(view, referent) {
  const problem = signal("");
  const name = bare(nameOf(referent));
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const given = /** @type {HTMLFormElement} */ (event.currentTarget).querySelector("input")?.value ?? "";
    problem.value = rename(view, referent, given.replace(/^[%@]/, ""));
    if (problem.value === "") view.focus();
  };
  return card(
    "value rename",
    html`<form onSubmit=${submit}><label>New name <input value=${name} spellcheck=${false} autocomplete="off" /></label> <button>Rename</button>
        <div role="alert">${problem}</div></form>`,
  );
}

/** @param {EditorView} view @param {Referent} referent @param {string} name @returns {string} why it is not possible */
function rename(view, referent, name) {
  const words = mentions(referent);
  if (!NAME.test(name)) return "A name has letters, digits and the signs _ . $ -";
  if (isTaken(referent, name)) return `${name} is a name already.`;
  const changes = words.map(({ from, to }) => changeOf(view, from, to, name));
  if (changes.length === 0 || changes.includes(null))
    return "The text has changed since the run. Run it first, so that all uses are known.";
  unpinCard(view);
  view.dispatch({
    changes: /** @type {{from: number, to: number, insert: string}[]} */ (changes),
    userEvent: "rename",
  });
  return "";
}

/** The change of one word; null where the text is another one. @param {EditorView} view @param {number} from of the run @param {number} to @param {string} name */
function changeOf({ state }, from, to, name) {
  const word = store.run.value?.text.slice(from, to) ?? "";
  const [start, end] = [fromRun(state, from, 1), fromRun(state, to, -1)];
  if (start === null || end === null || state.sliceDoc(start, end) !== word) return null;
  return { from: start, to: end, insert: word.replace(bare(word), () => name) };
}

/** Whether a value of the same function has the name, or a function. @param {Referent} referent @param {string} name @returns {boolean} */
function isTaken(referent, name) {
  const program = store.program.value;
  if (!program) return false;
  if (!("value" in referent)) return program.functions.some((each) => each.name === name);
  const owner = (/** @type {number} */ value) => program.block(program.definition(value).block).function;
  return program.values.some(({ id, name: other }) => bare(other) === name && owner(id) === owner(referent.value));
}
