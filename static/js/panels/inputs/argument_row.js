/** One argument, or one result of code outside of the program, and where its value comes from. */
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { isToken } from "./plan.js";
import { ValueSource } from "./value_source.js";
import { baseOf, inWay, placeName, processesOf, wayOf, waysFor, withBase, withSpec } from "./ways.js";

/** @typedef {import("../../types.js").InputSpec} InputSpec */
/** @typedef {import("../../types.js").ValueSpec} ValueSpec */
/** @typedef {import("../../types.js").GridSize} GridSize */

/** @param {{number: number, planned: import("./plan.js").Planned, grid: GridSize, upload: import("./plan.js").Upload|null, change: (input: InputSpec) => void, wanted?: boolean}} props `wanted`: what one came for */
export function ArgumentRow({ number, planned, grid, upload, change, wanted = false }) {
  const { name, type, literal, location, input, outside, whole } = planned;
  const menu = useRef(/** @type {HTMLSelectElement|null} */ (null));
  useEffect(() => {
    if (wanted) menu.current?.focus();
  }, []);
  const label = outside ? `${outside.maker}, line ${outside.line}${type && `, ${name}`}` : `argument ${number}, ${name}`;
  const note = outside ? `${type ? `${outside.maker}, ` : ""}line ${outside.line}` : location;
  const way = wayOf(input);
  const many = !outside && processesOf(grid) > 1;
  const cut = whole && way === "one" ? whole : null;
  const shown = cut ? (cut.literal ?? cut.type) : (literal ?? type);
  if (!outside && isToken(type)) {
    return html`<li class="input-row"><div class="input-name"><code class="name">${name}</code> <code class="type">${type}</code> <span class="quiet">there without being given</span></div></li>`;
  }
  return html`<li class="input-row">
    <div class="input-name"><code class="name">${type ? name : outside?.maker}</code> <code class="type">${type}</code>
      ${whole && html` <span class="quiet">a part of <code>${whole.type}</code></span>`}${note && html` <span class="quiet">${note}</span>`}</div>
    ${many && html`<select class="input-way" aria-label=${`How processes get ${label}`}
        onChange=${(/** @type {Event} */ event) => change(inWay(/** @type {import("./ways.js").Way} */ (/** @type {HTMLSelectElement} */ (event.currentTarget).value), input, processesOf(grid)))}>
      ${waysFor(Boolean(whole)).map(([key, text]) => html`<option value=${key} selected=${key === way}>${text}</option>`)}</select>`}
    ${input.kind === "each" ? html`<${EachSource} label=${label} type=${shown} input=${input} grid=${grid} upload=${upload} change=${change} />`
      : html`<${ValueSource} menu=${menu} label=${label} type=${type && shown} input=${baseOf(input)} upload=${upload} only=${way === "apart"}
          fixed=${fixedKinds(planned)} change=${(/** @type {ValueSpec} */ spec) => change(withBase(input, spec))} />`}
  </li>`;
}

/** What there is to choose for results from outside besides values. @param {import("./plan.js").Planned} planned @returns {(readonly [string, string])[]} */
function fixedKinds({ type, outside }) {
  if (!outside) return [];
  return [["stop", "stop there"], ...(type ? [] : [/** @type {const} */ (["skip", "skip it"])])];
}

/** A value for each process. @param {{label: string, type: string, input: Extract<InputSpec, {kind: "each"}>, grid: GridSize, upload: import("./plan.js").Upload|null, change: (input: InputSpec) => void}} props */
function EachSource({ label, type, input, grid, upload, change }) {
  return html`<ol class="input-each" aria-label=${`Values of ${label}`}>${input.specs.map((spec, process) => html`<li key=${process}>
    <span class="input-process">${placeName(process, grid)}</span>
    <${ValueSource} label=${`${label}, process ${placeName(process, grid)}`} type=${type} input=${spec} upload=${upload}
      change=${(/** @type {ValueSpec} */ found) => change(withSpec(input, process, found))} />
  </li>`)}</ol>`;
}
