/** The source of one value: a menu of kinds, and the fields of the chosen kind. */
import { html } from "htm/preact";
import { checkProgram } from "../../core/api.js";
import { useResource } from "../../ui/resource.js";
import { defaultSpec, generatedFor, isDistributed, literalProgram } from "./plan.js";
import { Choice, valueOf } from "../../ui/fields.js";
/** @import {ValueSpec} from "../../core/types.js" */
/** @import {Upload} from "./plan.js" */

const CHECK_AFTER_MS = 400;

/**
 * `fixed`: kinds before the generated ones. `only`: generated kinds alone.
 *
 * @param {{label: string, type: string, input: ValueSpec, upload: Upload|null, change: (input: ValueSpec) => void,
 *   fixed?: (readonly [string, string])[], only?: boolean, menu?: import("preact").RefObject<HTMLSelectElement>}} props
 */
export function ValueSource({ label, type, input, upload, change, fixed = [], only = false, menu }) {
  const kinds = [
    ...fixed,
    ...(type ? generatedFor(type) : []),
    ...(type && !only ? [/** @type {const} */ (["dense", "typed numbers"])] : []),
  ];
  const shown = input.kind === "uniform" && !isDistributed(type) ? "normal" : input.kind;
  return html`<div class="input-source">
    <select ref=${menu} aria-label=${`Source of ${label}`} onChange=${(/** @type {Event} */ event) => change(ofKind(valueOf(event), input, upload))}>
      ${kinds.map(([kind, text]) => html`<option value=${kind} selected=${shown === kind}>${text}</option>`)}
      ${type && !only && (upload || input.kind === "file") && html`<option value="file" selected=${input.kind === "file"}>array of the file</option>`}
    </select>
    <${Details} label=${label} type=${type} input=${input} upload=${upload} change=${change} />
  </div>`;
}

/** @param {string} kind @param {ValueSpec} before @param {Upload|null} upload @returns {ValueSpec} */
function ofKind(kind, before, upload) {
  if (kind === "stop" || kind === "skip") return { kind };
  if (kind === "dense") return { kind, text: "0" };
  if (kind === "file")
    return before.kind === "file" ? before : { kind, file: upload?.file ?? "", array: upload?.arrays[0]?.name ?? "" };
  return { ...defaultSpec(kind), seed: "seed" in before ? before.seed : 0 };
}

/** @param {{label: string, type: string, input: ValueSpec, upload: Upload|null, change: (input: ValueSpec) => void}} props */
function Details({ label, type, input, upload, change }) {
  if (input.kind === "dense")
    return html`<${Literal} label=${label} type=${type} text=${input.text} change=${change} />`;
  if (input.kind === "file")
    return html`<${FileArrayMenu} label=${label} input=${input} upload=${upload} change=${change} />`;
  if (input.kind !== "normal" && input.kind !== "uniform") return null;
  const set = (/** @type {Event} */ event) => {
    const seed = Number(valueOf(event));
    if (Number.isSafeInteger(seed) && seed >= 0) change({ ...input, seed });
  };
  const stretch = (/** @type {Event} */ event) => {
    const scale = Number(valueOf(event));
    if (Number.isFinite(scale)) change({ ...input, scale });
  };
  return html`<label class="input-seed">seed <input type="number" min="0" value=${input.seed ?? 0} aria-label=${`Seed of ${label}`} onChange=${set} /></label>
    ${isDistributed(type) && html`<label class="input-seed">times <input type="number" step="any" value=${input.scale ?? 1} aria-label=${`Factor of ${label}`} onChange=${stretch} /></label>`}`;
}

/** @param {{label: string, input: Extract<ValueSpec, {kind: "file"}>, upload: Upload|null, change: (input: ValueSpec) => void}} props */
function FileArrayMenu({ label, input, upload, change }) {
  if (!upload || upload.file !== input.file)
    return html`<span>array <code>${input.array}</code> of an earlier file</span>`;
  const options = upload.arrays.map(({ name, dtype, shape }) => [name, `${name}: ${dtype}[${shape.join(", ")}]`]);
  return html`<${Choice} aria-label=${`Array for ${label}`} options=${options} value=${input.array} choose=${(/** @type {string} */ array) => change({ ...input, array })} />`;
}

/** Typed numbers, checked while the user types. @param {{label: string, type: string, text: string, change: (input: ValueSpec) => void}} props */
function Literal({ label, type, text, change }) {
  const { value: problem = "" } = useResource(`${type} ${text}`, (signal) => check(text, type, signal), {
    pause: CHECK_AFTER_MS,
  });
  return html`<div class="input-literal"><textarea rows="2" spellcheck="false" aria-label=${`Numbers of ${label}`} aria-invalid=${problem !== ""}
      placeholder=${type.includes("?") ? "normal[5, 3]   or   [[1, 2], [3, 4]]" : "1.5   or   [[1, 2], [3, 4]]"} value=${text} onInput=${(/** @type {Event} */ event) => change({ kind: "dense", text: valueOf(event) })}></textarea>
    ${problem && html`<p class="alarm" role="status">${problem}</p>`}</div>`;
}

/** @param {string} text @param {string} type @param {AbortSignal} signal @returns {Promise<string>} */
async function check(text, type, signal) {
  if (text.trim() === "") return "Type one number for all elements, or lists of numbers.";
  // Only a run can check open sizes; `normal[5]` states them.
  if (type.includes("?")) return "";
  const { diagnostics } = await checkProgram(literalProgram(text, type), "input", signal);
  const error = diagnostics?.find((/** @type {{severity: string}} */ { severity }) => severity === "error");
  return error ? error.message : "";
}
