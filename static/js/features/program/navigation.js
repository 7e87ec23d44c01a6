/** From the name at the cursor to its definition and its uses. */
import { html } from "htm/preact";
import { say } from "../../core/messages.js";
import { findUses, goToDefinition, mentions, nameOf } from "../../core/navigation.js";
import * as store from "../../core/store.js";
import { counted } from "../../core/tensor/elements.js";
import { referentAt } from "./name_at.js";
import { card } from "../../ui/code/element.js";
import { pinCard, unpinCard } from "../../ui/code/pinned_card.js";
import { fromRun } from "./positions_in_text.js";
/** @import {EditorView} from "@codemirror/view" */
/** @import {Mention, Referent} from "../../core/run/mentions.js" */

/** Maximum number of lines of a definition in place. */
const MOST_LINES = 8;

/** @param {EditorView} view @param {number} [offset] */
export const definitionAt = (view, offset) =>
  act(view, ({ referent, from }) => goToDefinition(referent, from ?? undefined), offset);

/** @param {EditorView} view */
export const usesAt = (view) => act(view, ({ referent }) => findUses(referent));

/** Show the definition below the cursor. @param {EditorView} view */
export function peekAt(view) {
  act(view, ({ referent }) => {
    const [first] = mentions(referent);
    const name = nameOf(referent);
    if (!first?.defines) return say({ kind: "info", text: `The text does not define ${name}.` });
    const definition = () => definitionCard(view, referent, first);
    const label = `The definition of ${name}`;
    pinCard(view, { from: view.state.selection.main.head, label, card: definition, isBelow: true });
  });
}

/** @param {EditorView} view @param {(found: NonNullable<ReturnType<typeof referentAt>>) => void} act @param {number} [offset] */
export function act(view, act, offset = view.state.selection.main.head) {
  const found = referentAt(view.state, offset);
  if (found) act(found);
  else say({ kind: "info", text: "There is no name of a value or a function of the run at the cursor." });
}

/** @param {EditorView} view @param {Referent} referent @param {Mention} definition @returns {{dom: HTMLElement, destroy: () => void}} */
function definitionCard(view, referent, definition) {
  const leading = (/** @type {() => void} */ go) => () => {
    unpinCard(view);
    go();
  };
  const uses = mentions(referent).length - 1;
  return card(
    "value peek",
    html`<${Definition} line=${view.state.doc.lineAt(fromRun(view.state, definition.from, 1) ?? 0).number} text=${textOf(definition)} />
    <div class="value-acts"><button onClick=${leading(() => goToDefinition(referent))}>Go to definition</button>
      <button onClick=${leading(() => findUses(referent))}>${counted(uses, "use")}</button></div>`,
  );
}

/** The line of a definition; of an op with regions its first lines. @param {Mention} definition @returns {string[]} */
function textOf({ from, op }) {
  const text = store.run.value?.text ?? "";
  const start = text.lastIndexOf("\n", from) + 1;
  const lines = text.slice(start, op === null ? from : store.program.value?.op(op).to).split("\n");
  const end = text.indexOf("\n", from);
  return op === null ? [text.slice(start, end < 0 ? text.length : end)] : lines.slice(0, MOST_LINES);
}

/** @param {{line: number, text: string[]}} props */
function Definition({ line, text }) {
  return html`<pre>${text.map((each, at) => html`<span class="line">${line + at}</span>${each}${"\n"}`)}</pre>`;
}
