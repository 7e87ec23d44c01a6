/** Source: the lines of the user's code of the current op, and those around them. */
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { goTo, stepOverSourceLine } from "../../core/actions.js";
import { getJson } from "../../core/api.js";
import { keysOf } from "../../core/keys.js";
import { reportError } from "../../core/messages.js";
import { executionsOf } from "../../core/run/executions.js";
import { whenHere } from "../../core/run/recording.js";
import { opsOfFile, sourceLine } from "../../core/run/source_lines.js";
import * as store from "../../core/store.js";
import { useResource } from "../../ui/resource.js";
import { command } from "../../core/commands.js";
import { addPanel } from "../layout/panels.js";

addPanel({
  id: "source",
  title: "Source",
  dock: "stage",
  order: 9,
  help: "source",
  Panel: SourcePanel,
  exists: hasSources,
});

/** Number of lines shown around the current one. */
const AROUND = 200;
/** Constants and returns have no source: maximum number of previous steps searched. */
const LOOK_BACK = 64;

/** Whether any op has a source location. @returns {boolean} */
function hasSources() {
  return store.program.value?.ops.some(({ location }) => location !== null) ?? false;
}

export function SourcePanel() {
  const program = store.program.value;
  const place = sourceHere();
  const file = place?.file ?? null;
  const ask = () =>
    getJson(`/api/source?${new URLSearchParams({ file: String(file), session: store.sessionId.value })}`);
  const { answered, value } = useResource(file, ask);
  if (!program || !place) return html`<p class="empty">This op has no location in your code.</p>`;
  const found =
    answered === file ? /** @type {import("../../core/types.js").SourceText|undefined} */ (value) : undefined;
  return html`<div class="source-head"><strong>${place.file}:${place.line}</strong><span class="spring"></span>
      <button class="plain" title=${keysOf(command("overSource")).join(", ")} onClick=${stepOverSourceLine}>Step over line</button></div>
    ${found?.reason && html`<p class="empty">${found.reason}</p>`}
    ${found?.lines && html`<${Lines} lines=${found.lines} place=${place} program=${program} />`}`;
}

/** The location of the current op, or of the nearest previous step that has one. @returns {import("../../core/run/source_lines.js").SourceLine|null} */
const sourceHere = () =>
  store.atPosition((outline, position, program) => {
    const last = Math.min(position, outline.steps - 1);
    for (let step = last; step >= Math.max(0, last - LOOK_BACK); step--) {
      const found = sourceLine(program.op(outline.op(step)).location);
      if (found) return found;
    }
    return null;
  });

/** @param {{lines: string[], place: import("../../core/run/source_lines.js").SourceLine, program: import("../../core/run/program.js").Program}} props */
function Lines({ lines, place, program }) {
  const current = useRef(/** @type {HTMLLIElement|null} */ (null));
  useEffect(() => current.current?.scrollIntoView({ block: "nearest" }), [place.file, place.line]);
  const first = Math.max(1, place.line - AROUND);
  const ops = opsOfFile(program, place.file);
  return html`<ol class="source-lines" start=${first} aria-label=${place.file}>
    ${lines.slice(first - 1, place.line + AROUND).map((text, i) => {
      const number = first + i;
      const here = ops.get(number);
      const isCurrent = number === place.line;
      return html`<li key=${number} class=${isCurrent ? "current" : ""} aria-current=${isCurrent ? "step" : undefined} ref=${isCurrent ? current : undefined}>
        ${here ? html`<button class="source-number" title=${`Go to the first of ${here.length === 1 ? "its op" : `its ${here.length} ops`}`} onClick=${() => goToFirst(here)}>${number}</button>` : html`<span class="source-number">${number}</span>`}<code>${text}</code></li>`;
    })}</ol>`;
}

/** The first step of one of the ops, from the position or else from the start. @param {number[]} ops */
async function goToFirst(ops) {
  try {
    const steps = await whenHere(() => executionsOf(store.outline.value, new Set(ops)));
    const next = steps.find((step) => step > store.position.value) ?? steps[0];
    if (next !== undefined) goTo(next);
  } catch (error) {
    reportError(error);
  }
}
