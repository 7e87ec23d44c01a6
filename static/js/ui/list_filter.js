/** The head of a list: its filter, its grouping, and notes about both. */
import { html } from "htm/preact";
import { Choice, valueOf } from "./fields.js";

/**
 * @param {{label: string, by: string, text: string, setText: (text: string) => void, note?: string,
 *   grouping?: {chosen: string, options: readonly (readonly [string, string])[], choose: (id: string) => void, foldAll?: (fold: boolean) => void, isFolded?: boolean}}} props
 */
export function ListFilter({ label, by, text, setText, note, grouping }) {
  return html`<div class="list-filter">
    <input type="search" aria-label=${label} placeholder="Filter" title=${`Filter by ${by}`} value=${text} onInput=${(/** @type {Event} */ event) => setText(valueOf(event))} autocomplete="off" spellcheck=${false} />
    ${
      grouping &&
      html`<${Choice} aria-label=${label.replace(/^Filter/, "Group")} title="Group by" options=${grouping.options} value=${grouping.chosen} choose=${grouping.choose} />
      ${grouping.foldAll && html`<button onClick=${() => grouping.foldAll?.(!grouping.isFolded)} aria-label=${grouping.isFolded ? "Expand all groups" : "Collapse all groups"} title=${grouping.isFolded ? "Expand all groups" : "Collapse all groups"}><span aria-hidden="true">${grouping.isFolded ? "▸" : "▾"}</span></button>`}`
    }
    ${note && html`<span class="note" role="status">${note}</span>`}</div>`;
}
