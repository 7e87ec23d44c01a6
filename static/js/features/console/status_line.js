/** The status line: the last message while the console is closed. Errors open the console. */
import { computed, effect, untracked } from "@preact/signals";
import { html } from "htm/preact";
import { areMarksHidden, isAnythingHidden } from "../../core/hidden_values.js";
import { keysOf } from "../../core/keys.js";
import { reportError } from "../../core/messages.js";
import * as store from "../../core/store.js";
import { Icon } from "../../ui/icons.js";
import { command } from "../../core/commands.js";
import { goToFirst } from "../findings/go.js";
import { showPanel, visible } from "../layout/state.js";
import { MARKS } from "./panel.js";

/** @typedef {{kind: keyof typeof MARKS, text: string}} Said */

/** The toolbar shows the reason of a stop; this line shows diagnostics, messages and printed texts. */
const last = computed(() => problem("error") ?? message() ?? problem("warning") ?? printed());

/** @param {"error"|"warning"} kind @returns {Said|null} */
function problem(kind) {
  const found = store.diagnostics.value.filter(({ severity }) => severity === kind);
  const [first] = found;
  if (!first) return null;
  const more = found.length > 1 ? ` (and ${found.length - 1} more)` : "";
  return { kind, text: `line ${first.line}: ${first.message}${more}` };
}

/** @returns {Said|null} */
function message() {
  // A finding may answer a question of the lesson.
  const key = store.recordingKey.value;
  const silent = ["stop", "expression", ...(isAnythingHidden() ? ["finding", "log"] : [])];
  if (areMarksHidden(key ?? "")) silent.push("finding");
  const found = store.consoleLines.value.findLast(
    ({ kind, recording }) => !silent.includes(kind) && (recording === undefined || recording === key),
  );
  return found ? { kind: found.kind, text: found.text } : null;
}

/** @returns {Said|null} */
function printed() {
  if (isAnythingHidden()) return null;
  const found = store.prints.value.at(-1);
  return found ? { kind: "program", text: found.text } : null;
}

export function StatusLine() {
  if (visible.value.includes("console")) return null;
  const said = last.value;
  const { title, keys, run } = command("console");
  const text = said?.text ?? "Messages and output appear here.";
  const isFinding = said?.kind === "finding";
  return html`<footer class="status-line">
    ${
      isFinding &&
      html`<button class="finding" title="Go there" aria-label=${`Go there. ${text}`} onClick=${() => goToFirst().catch(reportError)}>
      <span class="kind" aria-hidden="true">${MARKS.finding}</span><span class="text">${text}</span></button>`
    }
    <button class=${isFinding ? "alone" : (said?.kind ?? "quiet")} aria-label=${`Open the console. ${text}`} title=${`${title} (${keysOf({ id: "console", title, keys })[0]})`} onClick=${run}>
      ${!isFinding && html`<span class="kind" aria-hidden="true">${said ? MARKS[said.kind] : ""}</span><span class="text">${text}</span>`}
      <span class="spring"></span><${Icon} name="console" /><span class="name" aria-hidden="true">Console</span></button>
    <span class="hidden" role="status">${said?.text}</span></footer>`;
}

/** Open the console for an error or a failed run, which needs an action; not for diagnostics while the user types. */
export function openConsoleOnErrors() {
  if (store.diagnostics.peek().some(({ severity }) => severity === "error")) showPanel("console");
  const errors = computed(() => store.consoleLines.value.filter(({ kind }) => kind === "error").length);
  const failed = computed(() => store.recordingState.value.kind === "failed");
  let before = errors.peek();
  effect(() => {
    const count = errors.value;
    if (count > before) untracked(() => showPanel("console"));
    before = count;
  });
  effect(() => {
    if (failed.value) untracked(() => showPanel("console"));
  });
}
