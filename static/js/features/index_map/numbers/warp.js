/** Reads of an operand by a warp: the form, the verdict, and the sectors that its 32 threads access. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { decimalText, percentText } from "../../../core/tensor/elements.js";
import { TYPING_MS, useJson } from "../../../ui/resource.js";
import { numbersIn, integerText } from "./words.js";
import { Details } from "../../../ui/details.js";
/** @import {Named} from "./tile.js" */
/** @import {SpreadInfo as Spread, AccessInfo as Access, CoalescingInfo as Answer} from "../../../core/types.js" */

const START = {
  operand: 0,
  result: 0,
  kind: "linear",
  threads: "128",
  vector: "1",
  padding: "0",
  block: "0, 0, 0",
  warp: "0",
  loops: "",
};

/** @param {{path: string, operands: Named[], results: Named[], at: string}} props */
export function WarpForm({ path, operands, results, at }) {
  const [form, setForm] = useState(START);
  const set = (/** @type {string} */ name) => (/** @type {Event} */ event) => {
    const { value } = /** @type {HTMLInputElement} */ (event.currentTarget);
    setForm({ ...form, [name]: name === "operand" || name === "result" ? Number(value) : value });
  };
  const wrong = mistake(form);
  const drawable = operands.some(({ shape }) => shape !== null) && results.some(({ shape }) => shape !== null);
  const question = drawable && !wrong ? `${path}/coalescing?${queryOf(form)}${at}` : null;
  const { value: answer = null, error } = useJson(question, { pause: TYPING_MS });
  if (!drawable) return null;
  const text = (/** @type {keyof typeof START} */ name, /** @type {string} */ label, size = 5) =>
    html`<label>${label} <input type="text" inputmode="numeric" size=${size} value=${form[name]} onInput=${set(name)} /></label>`;
  /** @param {"operand"|"result"} name @param {Named[]} from @param {string} label */
  const tensors = (
    name,
    from,
    label,
  ) => html`<label>${label} <select aria-label=${`${label} ${name}`} value=${form[name]} onChange=${set(name)}>
    ${from.map((tensor, k) => html`<option value=${k} disabled=${tensor.shape === null}>${tensor.name}</option>`)}</select></label>`;
  return html`<section class="number-part" aria-label="Warp"><h4>Warp</h4>
    <div class="number-form">
      ${tensors("operand", operands, "reads")}${results.length > 1 && tensors("result", results, "for")}
      <label>threads <select aria-label="order of threads" value=${form.kind} onChange=${set("kind")}><option value="linear">one after the other</option><option value="tiled">32 × 8 for a tile of 32 × 32</option></select></label>
      ${form.kind === "linear" && text("threads", "a block of", 5)}${form.kind === "linear" && text("vector", "vector", 3)}
      ${text("padding", "padding", 3)}${text("block", "block x, y, z", 8)}${text("warp", "warp", 3)}
      ${(answer?.threads.steps.length ?? 0) > 0 && text("loops", `loops (below ${answer?.threads.steps.join(", ")})`, 7)}
    </div>
    ${wrong || error ? html`<p class="number-wrong" role="alert">${wrong || error?.message}</p>` : answer ? html`<${WarpAnswer} answer=${answer} />` : html`<p class="quiet" role="status">Loading…</p>`}
  </section>`;
}

/** @param {typeof START} form @returns {string} */
function mistake({ threads, vector, padding, warp, block, loops }) {
  const single = [threads, vector, padding, warp].some((text) => numbersIn(text)?.length !== 1);
  if (single || numbersIn(loops) === null) return "These are whole numbers.";
  return numbersIn(block)?.length === 3 ? "" : "A block has three numbers: x, y and z.";
}

/** @param {typeof START} form @returns {string} */
function queryOf({ operand, result, kind, ...texts }) {
  const query = new URLSearchParams({ operand: String(operand), result: String(result), kind });
  for (const [name, text] of Object.entries(texts)) {
    const numbers = numbersIn(text);
    if (numbers && numbers.length > 0) query.set(name, String(numbers));
  }
  return String(query);
}

/** @param {{answer: Answer}} props */
function WarpAnswer({ answer }) {
  const { access, accesses, lookedAt, sectors, lines, conflicts } = answer;
  const all =
    lookedAt === Number(accesses)
      ? `all ${integerText(accesses)} accesses`
      : `${integerText(lookedAt)} of ${integerText(accesses)} accesses`;
  /** @param {string} name @param {number} own @param {number|string} ideal @param {Spread} spread */
  const row = (
    name,
    own,
    ideal,
    spread,
  ) => html`<tr><th scope="row">${name}</th><td class="number">${integerText(own)}</td><td class="number">${ideal}</td>
    <td class="number">${spread.least}</td><td class="number">${decimalText(spread.mean, 2)}</td><td class="number">${spread.most}</td></tr>`;
  return html`<p class=${answer.coalesced ? "" : "noted"}><span class="verdict">${answer.coalesced ? "Coalesced." : "Not coalesced."}</span> ${answer.reason}
      ${answer.assumed && html` <span class="quiet">Runtime values are taken from the middle of their intervals.</span>`}</p>
    <${Lanes} access=${access} bits=${answer.bits} />
    <div class="table" tabindex="0" role="region" aria-label="Transactions"><table class="number-table"><thead>
      <tr><td></td><th scope="colgroup" colspan="2" class="number">this warp</th><th scope="colgroup" colspan="3" class="number">${all}</th></tr>
      <tr><td></td>${["touches", "at least", "least", "mean", "most"].map((name) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead><tbody>
      ${row("sectors of 32 bytes", access.sectors, access.leastSectors, sectors)}
      ${row("lines of 128 bytes", access.lines, access.leastLines, lines)}
      ${row("words of the busiest bank, in shared memory", access.conflicts, 1, conflicts)}</tbody></table></div>
    <p class="quiet">This warp asks for ${integerText(access.bytes)} bytes. Of all sectors that are touched, ${percentText(answer.ideal)} would do.</p>
    <${Details} name="thread map" class="index-rewrites" summary="Thread map, and where each element lies in memory"><pre>${answer.threads.map}</pre><pre>${answer.memory}</pre><//>`;
}

const CELL = 14;
const TOP = 16;
const GAP = 44;

/** The threads above, the sectors below, and a line from each thread to its sector. @param {{access: Access, bits: number}} props */
function Lanes({ access, bits }) {
  const sectorOf = (/** @type {number} */ address) => Math.floor((address * bits) / 8 / 32);
  const read = access.addresses.map((address) => (address === null ? null : sectorOf(Number(address))));
  const touched = [...new Set(read.filter((sector) => sector !== null))].sort((a, b) => a - b);
  if (touched.length === 0) return null;
  const width = 32 * CELL;
  const step = Math.min(CELL * 2, width / touched.length);
  const left = (width - step * touched.length) / 2;
  const middle = (/** @type {number} */ sector) => left + (touched.indexOf(sector) + 0.5) * step;
  const bottom = TOP + CELL + GAP;
  return html`<svg class="number-lanes" viewBox=${`0 0 ${width} ${bottom + CELL + 16}`} role="img" aria-label=${`The 32 threads of the warp read first from ${touched.length} sectors of 32 bytes.`}>
    <text x="0" y="11">threads 0 to 31</text>
    ${read.map((sector, lane) => html`<rect class=${sector === null ? "lane idle" : "lane"} x=${lane * CELL + 1} y=${TOP} width=${CELL - 2} height=${CELL} />`)}
    ${read.map((sector, lane) => sector !== null && html`<line x1=${(lane + 0.5) * CELL} y1=${TOP + CELL} x2=${middle(sector)} y2=${bottom} />`)}
    ${touched.map((sector, k) => html`<rect class=${Math.floor(sector / 4) % 2 ? "sector odd" : "sector"} x=${left + k * step + 0.5} y=${bottom} width=${Math.max(1, step - 1)} height=${CELL} />`)}
    <text x="0" y=${bottom + CELL + 12}>sectors, by line: byte ${integerText(/** @type {number} */ (touched[0]) * 32)} on</text></svg>`;
}
