/** The result of an expression: one line, which opens into the elements of a small tensor or the statistics of a large one. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { asSentence } from "../core/messages.js";
import { countText, short } from "../core/tensor/elements.js";
import { Thumbnail } from "./thumbnails.js";
/** @import {ExpressionResult, TensorResult} from "../core/types.js" */

/** @param {{result: ExpressionResult, pin?: () => void}} props  pin: keeps the tensor in the tensor view */
export function Result({ result, pin }) {
  const [isOpen, setOpen] = useState(false);
  const { kind, text, fault, tensor } = result;
  if (kind === "fault")
    return html`<span class=${fault?.isForm ? "result fault" : "result fault here"}>${text}${fault?.hint && html`. <span class="hint">${asSentence(fault.hint)}</span>`}</span>`;
  if (tensor === null) return html`<code class="result">${text}</code>`;
  return html`<div class="result"><button aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}><span aria-hidden="true">${isOpen ? "▾" : "▸"}</span><${Thumbnail} info=${tensor.picture} /><code>${text.replace(" … ", "\u00a0…\u00a0")}</code></button>${pin && html`<button class="plain pin" title="Pin this tensor in Tensor, beside others" onClick=${pin}>Pin</button>`}
    ${isOpen && html`<${Tensor} tensor=${tensor} />`}</div>`;
}

/** @param {{tensor: TensorResult}} props */
function Tensor({ tensor }) {
  const { shape, elements, statistics, picture } = tensor;
  if (elements) return html`<div class="result-elements">${tablesOf(shape, elements)}</div>`;
  const facts = /** @type {[string, string][]} */ ([
    ...["min", "max", "mean", "std"].map((name) => [name, numberText(statistics?.[/** @type {"min"} */ (name)])]),
    ...["zeros", "nan", "posinf", "neginf"].map((name) => [
      NAMES[name] ?? name,
      countText(Number(statistics?.[/** @type {"nan"} */ (name)] ?? 0)),
    ]),
  ]);
  return html`<div class="result-statistics"><${Thumbnail} info=${picture} /><dl>${facts.map(([name, text]) => html`<div><dt>${name}</dt><dd>${text}</dd></div>`)}</dl></div>`;
}

const NAMES = /** @type {Record<string, string>} */ ({ nan: "NaN", posinf: "+Inf", neginf: "-Inf" });

/** A statistic of the finite elements, of which there may be none. @param {string|number|undefined} value */
const numberText = (value) => short(value === "NaN" ? null : value, 6);

/** A table for each index of the leading dimensions. @param {readonly number[]} shape @param {readonly string[]} elements */
function tablesOf(shape, elements) {
  const columns = shape.at(-1) ?? 1;
  const rows = shape.at(-2) ?? 1;
  const size = rows * columns;
  const count = size === 0 ? 0 : elements.length / size;
  if (count === 0) return html`<p>No elements.</p>`;
  return Array.from({ length: count }, (_, table) => {
    const row = (/** @type {number} */ at) =>
      elements.slice(table * size + at * columns, table * size + (at + 1) * columns);
    return html`${count > 1 && html`<p class="hint">${leading(shape, table)}</p>`}<table><tbody>
      ${Array.from({ length: rows }, (_, at) => html`<tr>${row(at).map((text) => html`<td>${text}</td>`)}</tr>`)}</tbody></table>`;
  });
}

/** `[2, 0, :, :]`. @param {readonly number[]} shape @param {number} table */
function leading(shape, table) {
  /** @type {number[]} */
  const index = [];
  let rest = table;
  for (const size of shape.slice(0, -2).reverse()) {
    index.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return `[${[...index, ":", ":"].join(", ")}]`;
}
