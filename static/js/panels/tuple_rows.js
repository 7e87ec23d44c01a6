/** The elements of a tuple as rows, tuples in it as rows that open: where each is, its picture, its type, its numbers. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { chooseValue } from "../actions.js";
import { arrivals, summary, thumbnail, withoutMean } from "../run/thumbnails.js";
import { addressIn } from "../run/addresses.js";
import { elementsAt, leafCount, pathText } from "../run/tuples.js";
import * as store from "../store.js";
import { Thumbnail } from "../ui/thumbnail.js";

/** @typedef {{value: number, address: string|null, elements: import("../types.js").TupleElement[], path: number[]}} Inside */

/** More are not drawn until one asks for them. */
const MOST_ROWS = 50;
/** Tuples with no more tensors than this begin open. */
const FEW = 24;

/** Rows that were opened or closed by hand, by value and path. */
const turned = signal(/** @type {ReadonlyMap<string, boolean>} */ (new Map()));
const more = signal(/** @type {ReadonlySet<string>} */ (new Set()));

/** @param {Inside} inside @returns {string} */
const keyOf = ({ value, path }) => `${value} ${path.join(",")}`;

/** @param {Inside} inside @param {boolean} begins whether it is open until it is closed @returns {boolean} */
export const isOpen = (inside, begins) => turned.value.get(keyOf(inside)) ?? begins;

/** The button that opens and closes a tuple. @param {{inside: Inside, name: string, open: boolean}} props */
export function Disclose({ inside, name, open }) {
  const turn = () => (turned.value = new Map(turned.value).set(keyOf(inside), !open));
  return html`<button class="disclose" aria-expanded=${open} aria-label=${`Elements of ${name}`} onClick=${turn}><span aria-hidden="true">${open ? "▾" : "▸"}</span></button>`;
}

/** @param {{inside: Inside, name: string}} props */
export function TupleRows({ inside, name }) {
  const { value, address, elements, path } = inside;
  const all = elementsAt(elements, path);
  const shown = more.value.has(keyOf(inside)) ? all : all.slice(0, MOST_ROWS);
  const showAll = () => (more.value = new Set(more.value).add(keyOf(inside)));
  return html`<ul class="tuple-rows" aria-label=${`Elements of ${name}`}>
    ${shown.map((element) => html`<li key=${element.path.join()}><${Row} value=${value} address=${address} element=${element} name=${`${name.replace(/\{.*/, "")}${pathText(element.path)}`} /></li>`)}
    ${shown.length < all.length && html`<li><button class="plain" onClick=${showAll}>Show all ${all.length.toLocaleString("en")} elements</button></li>`}
    ${all.length === 0 && html`<li class="quiet">It has no elements.</li>`}
  </ul>`;
}

/** @param {{value: number, address: string|null, element: import("../run/tuples.js").Element, name: string}} props */
function Row({ value, address, element, name }) {
  const { path, type, elements } = element;
  if (!elements) return html`<${Leaf} value=${value} address=${address} element=${element} name=${name} />`;
  const inside = { value, address, elements, path };
  const open = isOpen(inside, leafCount(elements) <= FEW);
  return html`<div class="tuple-row"><${Disclose} inside=${inside} name=${name} open=${open} />
      <button class="variable" aria-pressed=${isChosen(value, path)} title=${`${name} : ${type}`} onClick=${() => chooseValue(value, path)}>
        <span class="label">${pathText(path)}</span><span></span><span class="text"><span class="type">${type}</span></span></button></div>
    ${open && html`<${TupleRows} inside=${inside} name=${name} />`}`;
}

/** @param {{value: number, address: string|null, element: import("../run/tuples.js").Element, name: string}} props */
function Leaf({ value, address, element, name }) {
  arrivals.value;
  const { path, type, isTensor } = element;
  const info = address !== null && isTensor ? thumbnail(store.recordingKey.value ?? "", addressIn(address, path)) : null;
  const shown = info ? summary(info) : { type, range: "" };
  const chosen = isChosen(value, path);
  return html`<button class="variable leaf" aria-pressed=${chosen} aria-label=${`${name}: ${info ? info.text : type}`} title=${`${name} : ${info ? info.text : type}`} onClick=${() => chooseValue(chosen ? null : value, chosen ? [] : path)}>
    <span class="label">${pathText(path)}</span>
    ${info ? html`<${Thumbnail} info=${info} />` : html`<span></span>`}
    <span class="text"><span class="type">${shown.type}</span>
      ${address === null ? html`<span class="later">not yet</span>` : html`<span class=${info?.nonfinite ? "range alarm" : "range"}>${withoutMean(shown.range)}</span>`}</span>
  </button>`;
}

/** @param {number} value @param {number[]} path @returns {boolean} */
export const isChosen = (value, path) => store.chosenValue.value === value && String(store.chosenPath.value) === String(path);
