/** Said of a run that does not begin at its beginning, and of one that is being prepared. */
import { html } from "htm/preact";
import { runProgram } from "../../core/actions.js";
import { beginWords } from "../../core/run/stop_reasons.js";
import { isFile } from "../../core/source.js";
import * as store from "../../core/store.js";
import { cancel, job } from "../../core/run/later_start.js";

/** Nothing of any other run. */
export function LaterStart() {
  const going = job.value;
  if (going) {
    return html`<span class="later-start" role="status">XLA: ${going.doing}, ${going.seconds.toFixed(0)} s
      <button class="plain" onClick=${() => void cancel()}>Cancel</button></span>`;
  }
  const begin = store.program.value?.begin;
  if (!begin) return null;
  return html`<span class="later-start" title=${beginWords(begin)}>begins at line ${store.draftLine(begin.line)}
    ${isFile() || html`<button class="plain" title="Run the whole program, and record it from its first operation on" onClick=${() => void runProgram()}>From the beginning</button>`}</span>`;
}
