/**
 * The maps as formulas in one of two styles: in words, with the numbers of the chosen element, and the
 * simplifications.
 */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { imageOf } from "../../core/indexing/maps.js";
import { numbersOf } from "../../core/indexing/numbered_map.js";
import { firstIndices, pointBox } from "../../core/indexing/regions.js";
import { withoutRules } from "../../core/hidden_values.js";
import { remember, recall } from "../../core/preferences.js";
import { Details } from "../../ui/details.js";
import { withCode } from "../../ui/with_code.js";
/** @import {RewriteText, MapTexts as MapText} from "../../core/types.js" */

/** Maximum number of elements listed. */
const FIRST = 8;

/** The style of formulas, for all pages. @type {import("@preact/signals").Signal<import("../../core/indexing/numbered_map.js").Style>} */
export const style = signal(recall("index-style") === "xla-2024" ? "xla-2024" : "xla");

/** @param {import("../../core/indexing/numbered_map.js").Style} chosen */
export function chooseStyle(chosen) {
  style.value = chosen;
  remember("index-style", chosen);
}

const STYLES = /** @type {const} */ ([
  ["xla", "XLA now"],
  ["xla-2024", "XLA 2024"],
]);

/** @param {{maps: import("../../core/types.js").OpMapsInfo, chosen: import("../../core/indexing/related.js").Chosen|null, values: import("../../core/indexing/maps.js").Values, version?: number}} props `version`: grows when values have come */
export function Formulas({ maps, chosen, values, version }) {
  const side = chosen?.side ?? "result";
  const number = chosen?.number ?? 0;
  const direction = side === "result" ? "output-to-input" : "input-to-output";
  const shown = maps.texts.filter(
    (text) => text.direction === direction && (side === "result" ? text.result : text.operand) === number,
  );
  if (maps.operands.length === 0) return null;
  return html`<section class="index-formulas" aria-label="Formulas">
    <div class="index-line"><h3>${side === "result" ? `Elements that an element of ${maps.results[number]?.name ?? "the result"} reads` : `Elements that read an element of ${maps.operands[number]?.name ?? "the operand"}`}</h3>
      <span class="index-choice" role="group" aria-label="Style of formulas">${STYLES.map(
        ([id, title]) => html`<button aria-pressed=${style.value === id} onClick=${() => chooseStyle(id)}
        title=${id === "xla" ? "As XLA prints maps today" : "As in the document of 2024"}>${title}</button>`,
      )}</span></div>
    ${shown.map((text) => html`<${Formula} key=${`${text.operand} ${text.result}`} maps=${maps} text=${text} at=${single(chosen)} values=${values} version=${version} />`)}
    ${shown.length === 0 && html`<p class="quiet">No map for this selection.</p>`}
  </section>`;
}

/** A sentence, or a list of sentences for several maps. @param {{words: string}} props */
function Words({ words }) {
  const lines = words.split("\n");
  if (lines.length === 1) return html`<p class="words">${withCode(words)}</p>`;
  return html`<ul class="words">${lines.map((line) => html`<li>${withCode(line)}</li>`)}</ul>`;
}

/** The only chosen element; null for several. @param {import("../../core/indexing/related.js").Chosen|null} chosen @returns {number[]|null} */
function single(chosen) {
  const [box] = chosen?.boxes ?? [];
  return chosen && chosen.boxes.length === 1 && box?.sizes.every((size) => size === 1) ? chosen.at : null;
}

/** @param {{maps: import("../../core/types.js").OpMapsInfo, text: MapText, at: number[]|null, values: import("../../core/indexing/maps.js").Values, version?: number}} props */
function Formula({ maps, text, at, values, version }) {
  const out = text.direction === "output-to-input";
  const name = (out ? maps.operands[text.operand] : maps.results[text.result])?.name ?? "";
  const items = (out ? maps.maps : maps.inverse).filter(
    ({ operand, result }) => operand === text.operand && result === text.result,
  );
  return html`<div class="index-formula"><h4>${out ? "" : "→ "}${name}</h4>
    ${text.words && html`<${Words} words=${withoutRules(text.words)} />`}
    ${text.hedges?.map((hedge) => html`<p class="quiet" key=${hedge}>${hedge[0]?.toUpperCase()}${hedge.slice(1)}.</p>`)}
    <pre tabindex="0" aria-label=${`Map ${out ? "to" : "from"} ${name}`}>${text[style.value]}</pre>
    ${at && items.map(({ map }, number) => html`<${Numbers} key=${number} maps=${maps} map=${map} at=${at} values=${values} version=${version} several=${items.length > 1} out=${out} number=${out ? text.operand : text.result} />`)}
    ${text.rewrites.length > 0 && html`<${Rewrites} rewrites=${text.rewrites} />`}</div>`;
}

/** Omit maps of a union whose domain excludes the element. @param {{maps: import("../../core/types.js").OpMapsInfo, map: import("../../core/types.js").MapInfo, at: number[], values: import("../../core/indexing/maps.js").Values, several: boolean, out: boolean, number: number}} props */
function Numbers({ maps, map, at, values, several, out, number }) {
  const named = [...maps.operands.map(({ name }) => name), ...maps.found];
  const { lines, holds } = numbersOf(map, at, values, style.value, (operand) => named[operand] ?? `operand ${operand}`);
  if (several && !holds) return null;
  const other = (out ? maps.operands : maps.results)[number];
  const led = holds && other?.shape ? elementsText(map, at, other.name, other.shape, values) : "";
  if (led) lines.push(led);
  return html`<pre class=${`numbers${holds ? "" : " outside"}`} tabindex="0" aria-label="With the numbers of this element">${lines.join("\n")}</pre>`;
}

/** The first elements that a map yields. @param {import("../../core/types.js").MapInfo} map @param {number[]} at @param {string} name @param {number[]} shape @param {import("../../core/indexing/maps.js").Values} values @returns {string} */
function elementsText(map, at, name, shape, values) {
  const region = imageOf(map, null, pointBox(at), shape, values);
  if (!region || !region.complete || region.waiting) return "";
  const first = firstIndices(region, FIRST + 1);
  if (first.length === 0) return `⇒ no element of ${name}`;
  if (shape.length === 0) return `⇒ ${name}`;
  return `⇒ ${name}${first
    .slice(0, FIRST)
    .map((index) => `[${index.join(", ")}]`)
    .join(", ")}${first.length > FIRST ? ", …" : ""}`;
}

/** @param {{rewrites: RewriteText[]}} props */
function Rewrites({ rewrites }) {
  const written = (/** @type {RewriteText} */ rewrite) =>
    style.value === "xla-2024" ? rewrite["xla-2024"] : [rewrite.before, rewrite.after];
  return html`<${Details} name="rewrites" class="index-rewrites" summary=${`Simplified in ${rewrites.length === 1 ? "one step" : `${rewrites.length} steps`}`}>
    <ol>${rewrites.map((rewrite) => {
      const [before, after] = written(rewrite);
      return html`<li><span class="rule">${rewrite.rule}</span> <span class="quiet">in ${rewrite.where}: ${rewrite.sentence}</span>
        <code>${before}</code> → <code>${after || "nothing"}</code></li>`;
    })}</ol><//>`;
}
