/** Memory and traffic of this dump beside those of another one. */
import { html } from "htm/preact";
import { useJsonAt } from "../../ui/resource.js";
import { errorText } from "../../core/messages.js";
import { MemoryChanges } from "../../ui/memory_changes.js";
import { VirtualList } from "../../ui/virtual_list.js";
import { recents } from "../sessions/recents.js";
import * as state from "./state.js";
/** @import {ModuleMemoryDifference} from "../../core/types.js" */

/** The other dumps that were opened in this browser. */
const others = () => recents.value.filter(({ id, kind }) => kind === "passes" && id !== state.dump.value?.id);

/** The name of the other dump. */
const otherName = () => others().find(({ id }) => id === state.otherDump.value)?.name ?? "the other dump";

/** The dumps that one can compare with. */
export function OtherDumps() {
  const found = others();
  const at = found.findIndex(({ id }) => id === state.otherDump.value);
  const choose = (/** @type {number} */ index) => {
    const other = found[index];
    if (other) state.compareWith(other.id);
  };
  const row = (/** @type {number} */ index) => ({
    content: html`<span class="file"><span class="name">${found[index]?.name}</span><span class="quiet">${found[index]?.place}</span></span>`,
    selected: index === at,
    label: found[index]?.name ?? "",
  });
  if (found.length === 0)
    return html`<p class="empty">Open the second dump on <a href="/">the opening page</a>: this list has the other dumps that you opened in this browser.</p>`;
  return html`<p class="quiet pass-note">Choose the dump to compare with: peak, allocations, bytes sent, copies and collectives of the compiled modules.</p>
    <div class="file-rows"><${VirtualList} label="Other dumps" role="listbox" count=${found.length} scrolls cursor=${Math.max(0, at)} row=${row} choose=${choose} moveTo=${choose} /></div>`;
}

/** What changed from this dump to the chosen one. */
export function DumpMemory() {
  const other = state.otherDump.value;
  const { value, error } = useJsonAt(other === null ? null : state.dumpPath(`/memory?other=${other}`));
  /** @type {ModuleMemoryDifference[]|undefined} */
  const found = value;
  if (other === null) return html`<p class="empty">What differs from the dump that you choose is shown here.</p>`;
  if (error) return html`<p class="empty" role="alert">${errorText(error)}</p>`;
  if (!found) return html`<p class="empty" role="status">Comparing memory and traffic…</p>`;
  if (found.length === 0) return html`<p class="empty">The dumps have no module of the same name.</p>`;
  return html`<div class="dump-memory">${found.map((each) => html`<${ModuleChanges} key=${each.before} found=${each} other=${other} />`)}</div>`;
}

/** A module of both dumps. @param {{found: ModuleMemoryDifference, other: string}} props */
function ModuleChanges({ found, other }) {
  const own = state.dump.value;
  const before = side(own?.name ?? "", own?.id ?? "", found.beforeFile);
  const after = side(otherName(), other, found.afterFile);
  const name = found.before === found.after ? found.before : `${found.before} and ${found.after}`;
  return html`<section aria-label=${name}><h2>${name}</h2>
    <p>Peak of ${before.name}: <a href=${before.link(found.beforeLine)}>line ${found.beforeLine}</a>; of ${after.name}: <a href=${after.link(found.afterLine)}>line ${found.afterLine}</a>. From the last texts.</p>
    <${MemoryChanges} found=${found.difference} before=${before} after=${after} /></section>`;
}

/** @param {string} name @param {string} id @param {number} file */
const side = (name, id, file) => ({ name, link: (/** @type {number} */ line) => state.lineAddress(id, file, line) });
