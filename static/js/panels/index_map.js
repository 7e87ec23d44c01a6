/** The stage tab "Index map": which elements the current op reads, and which results read them. */
import { html } from "htm/preact";
import { IndexPicture } from "../indexing/picture.js";
import * as store from "../store.js";
import { useMaps, useSources } from "./index_map/use.js";

export function IndexMapPanel() {
  const [key, op] = [store.recordingKey.value, store.currentOp.value];
  if (key === null || op === null) return html`<p class="empty">At an op of the program, this tab shows which elements of its operands each element of a result reads, and which results read an element.</p>`;
  return html`<${OpMaps} key=${`${key} ${op}`} recording=${key} op=${op} />`;
}

/** @param {{recording: string, op: number}} props */
function OpMaps({ recording, op }) {
  const { maps, error, retry } = useMaps(recording, op);
  if (error) return html`<div class="empty" role="alert"><p>${error instanceof Error ? error.message : "The maps could not be fetched."}</p><p><button class="plain" onClick=${retry}>Try again</button></p></div>`;
  if (!maps) return html`<p class="empty" role="status">Fetching the maps …</p>`;
  return html`<${Picture} recording=${recording} op=${op} maps=${maps} />`;
}

/** @param {{recording: string, op: number, maps: import("../indexing/picture.js").Maps}} props */
function Picture({ recording, op, maps }) {
  const sources = useSources(recording, op, maps);
  if (!sources) return html`<p class="empty" role="status">Fetching operands and results …</p>`;
  return html`<article class="index-map"><${IndexPicture} maps=${maps} operands=${sources.operands} results=${sources.results} found=${sources.found} /></article>`;
}
