/** The bits of the element at the cursor: a part that opens on demand. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { isFile } from "../../core/source.js";
import { describeBits, quantization, wordAt } from "../../core/tensor/bits.js";
import { elementAt, elementName, floatText, indexText, roundingOf, short } from "../../core/tensor/elements.js";
/** @import {Plane} from "../../core/view_types.js" */
/** @import {Known} from "./recorded_value.js" */

/** Stays open from element to element. */
const open = signal(false);

/** @param {{known: Known, element: {plane: Plane, at: number}|null, index: readonly number[]|null}} props */
export function Bits({ known, element, index }) {
  const toggled = (/** @type {Event} */ event) =>
    (open.value = /** @type {HTMLDetailsElement} */ (event.currentTarget).open);
  return html`<details class="tensor-bits" open=${open.value} onToggle=${toggled}><summary>Bits</summary>
    ${open.value && (element && index ? html`<${Inside} known=${known} element=${element} index=${index} />` : html`<p class="quiet">Choose an element: its bits appear here.</p>`)}</details>`;
}

/** @param {{known: Known, element: {plane: Plane, at: number}, index: readonly number[]}} props */
function Inside({ known: { summary, selected }, element: { plane, at }, index }) {
  const { wire, elementType } = summary;
  const name = `${selected.name}${index.length > 0 ? indexText(index) : ""}`;
  if (wire.components === 2) {
    const type = wire.dtype;
    const part = { ...wire, components: /** @type {1} */ (1) };
    return html`<${Word} title=${`${name}, real part`} plane=${plane} wire=${part} type=${type} at=${2 * at} />
      <${Word} title=${`${name}, imaginary part`} plane=${plane} wire=${part} type=${type} at=${2 * at + 1} />`;
  }
  const quantized = quantization(elementType, index);
  const type = quantized?.storage ?? elementType;
  const stored = elementAt(plane, wire, at);
  return html`<${Word} title=${name} plane=${plane} wire=${wire} type=${type} spelled=${quantized ? type : elementName(summary)} at=${at} />
    ${quantized && html`<p class="tensor-bits-reading">Quantized: (${String(stored)} − ${quantized.zeroPoint}) × ${quantized.scale} = ${short((Number(stored) - quantized.zeroPoint) * quantized.scale, 7)}</p>`}
    ${type === "f32" && html`<${Readings} value=${Number(stored)} />`}
    ${isFile() && html`<p class="quiet">Stepping into an element needs the server: open the session there.</p>`}`;
}

/** The same number in the types that processors round f32 to. @param {{value: number}} props */
function Readings({ value }) {
  if (!Number.isFinite(value)) return null;
  const row = (/** @type {string} */ type) => {
    const rounded = roundingOf(type)?.(value) ?? value;
    const lost = value - rounded;
    return `${type} ${floatText(rounded, type)}${lost === 0 ? " (exact)" : ` (${short(lost, 3)} lost)`}`;
  };
  return html`<p class="tensor-bits-reading">Rounded to ${["tf32", "bf16"].map(row).join(", ")}</p>`;
}

/** @param {{title: string, plane: Plane, wire: import("../../core/tensor/elements.js").Wire, type: string, spelled?: string, at: number}} props */
function Word({ title, plane, wire, type, spelled = type, at }) {
  const word = wordAt(plane, wire, type, at);
  if (word === null)
    return html`<p class="tensor-bits-word">${title} is NaN. ${spelled} has several patterns for it; the page does not receive which one this is.</p>`;
  const { fields, hex, kind, exact, below, above, ulp } = describeBits(word, type);
  return html`<div class="tensor-bits-word" role="group" aria-label=${`Bits of ${title}`}>
    <p><span class="name">${title}</span> <code>${hex}</code> ${spelled}, ${kind}</p>
    <p class="tensor-bits-fields">${fields.map(
      ({ name, bits }) =>
        html`<span class=${`field ${name}`} role="img" aria-label=${`${name} ${bits}`}><span class="cells" aria-hidden="true">${[...bits].map((bit) => html`<i class=${bit === "1" ? "one" : ""}>${bit}</i>`)}</span><small aria-hidden="true">${name}</small></span>`,
    )}</p>
    <dl><dt>Exact</dt><dd>${exact}</dd>
      <dt>Below</dt><dd>${below ?? "none"}</dd><dt>Above</dt><dd>${above ?? "none"}</dd>
      ${ulp !== null && html`<dt title="Unit in the last place: the distance to the next larger magnitude">ULP</dt><dd>${ulp}</dd>`}</dl>
  </div>`;
}
