/** One process in full: the one under the pointer or the keys, else the one that all panels show. */
import { html } from "htm/preact";
import { showProcess } from "../../actions.js";
import { revealLine } from "../../editor/cursor.js";
import * as looking from "../../grid/looking.js";
import { namesOf } from "../../grid/naming.js";
import { seen as seenOf, STATE_WORDS } from "../../grid/seeing.js";
import { shortName } from "../../run/families.js";
import { arrivals, summary, thumbnail } from "../../run/thumbnails.js";
import * as store from "../../store.js";
import { ProcessMark } from "../../ui/process_marks.js";
import { Thumbnail } from "../../ui/thumbnail.js";

export function Detail() {
  arrivals.value;
  const grid = store.grid.value;
  const program = store.program.value;
  if (!grid || !program) return null;
  const process = looking.explained.value;
  const seen = store.inGrid(() => seenOf(grid, program, process));
  const name = grid.nameOf(process);
  if (!seen) return html`<section class="grid-detail" aria-label="Process"><h4>Process ${name}</h4></section>`;
  const op = seen.op === null ? null : program.op(seen.op);
  const group = seen.meeting?.info.groups.findIndex((members) => members.includes(process)) ?? -1;
  return html`<section class="grid-detail" aria-label=${`Process ${name}`}>
    <h4><${ProcessMark} state=${seen.state} />Process ${name}<span class="state">${STATE_WORDS[seen.state]}</span><span class="spring"></span>
      ${process === store.process.value ? html`<span class="quiet">shown</span>` : html`<button class="plain" onClick=${() => showProcess(process)}>Show it</button>`}</h4>
    <dl class="facts">
      <dt>Op</dt><dd>${op ? html`${shortName(op)} <button class="go" onClick=${() => revealLine(store.draftLine(op.line))}>line ${store.draftLine(op.line)}</button>` : "past its last op"}</dd>
      <dt>Step</dt><dd>${seen.step.toLocaleString("en")} of ${grid.track(process).steps.toLocaleString("en")}, tick ${seen.tick.toLocaleString("en")}</dd>
      ${seen.meeting && html`<dt>${seen.meeting.isMessage ? "Message" : "Group"}</dt><dd>${group >= 0 ? `${group}: ` : ""}${namesOf(grid, seen.meeting.info.group, 9)}</dd>`}
      ${seen.waitsFor.length > 0 && html`<dt>Waits for</dt><dd>${namesOf(grid, seen.waitsFor, 9)}</dd>`}
      <${Value} address=${seen.address} />
    </dl>
  </section>`;
}

/** Its copy of the selected value. @param {{address: string|null}} props */
function Value({ address }) {
  const selected = store.selectedValue.value;
  if (!selected) return null;
  const info = address ? thumbnail(store.recordingKey.value ?? "", address) : null;
  return html`<dt>${selected.name}</dt><dd class="value">${info ? html`<${Thumbnail} info=${info} /> ${summary(info).type} ${summary(info).range}` : address ? "" : "not yet"}</dd>`;
}
