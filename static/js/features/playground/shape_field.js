/** A shape, one field per size, and an element type. */
import { html } from "htm/preact";
import { TextChoice, NumberBox, Small } from "./controls.js";
import { MOST_DIMENSIONS } from "./model.js";
import { readType } from "./url_state.js";

const USUAL = ["f32", "i32", "i64", "i1", "bf16", "f16", "f64", "ui8", "i8", "complex<f32>"];
const SPOKEN = { quantized: "i8 quantized", quantized_axis: "i8 quantized per axis" };

/**
 * @param {{shape: (number|null)[]|null, found: number[]|null, follows: string, name: string, mark: import("./controls.js").Mark,
 *   change: (shape: (number|null)[]|null) => void}} props `follows`: what it is like where it states none, empty where it must; `found`: the shape that it has then
 */
export function ShapeField({ shape, found, follows, name, mark, change }) {
  const shown = shape ?? found ?? [];
  const set = (/** @type {number} */ d, /** @type {number|null} */ size) =>
    change(shown.map((other, at) => (at === d ? size : other)));
  const paste = (/** @type {string} */ text) => {
    const read = parseShape(text);
    if (read) change(read);
    return read !== null;
  };
  const boxes = shown.map(
    (
      size,
      d,
    ) => html`${d > 0 && html`<span class="times" aria-hidden="true">×</span>`}<${NumberBox} key=${d} value=${size} least=${0} mark=${mark}
    label=${`Size of dimension ${d} of ${name}`} change=${(/** @type {number|null} */ next) => set(d, next)} paste=${paste} />`,
  );
  return html`<span class="shape" role="group" aria-label=${`Shape of ${name}`}>
    ${shape === null ? html`<span class="follows">${found ? found.join("×") || "scalar" : "…"}</span>` : boxes}
    ${shape !== null && shown.length === 0 && html`<span class="follows">scalar</span>`}
    ${
      shape !== null &&
      html`<span class="steppers"><${Small} does=${`Remove the last dimension of ${name}`} sign="−" disabled=${shown.length === 0} act=${() => change(shown.slice(0, -1))} />
      <${Small} does=${`Add a dimension to ${name}`} sign="+" disabled=${shown.length >= MOST_DIMENSIONS} act=${() => change([...shown, 2])} /></span>`
    }
    ${follows && html`<label class="follow"><input type="checkbox" checked=${shape === null} onChange=${() => change(shape === null ? (found ?? [2]) : null)} />${follows}</label>`}
  </span>`;
}

/** A whole shape in any notation: `3x4x2`, `[3, 4, 2]`, `tensor<3x4xf32>`. @param {string} text @returns {number[]|null} */
export function parseShape(text) {
  const inside = text
    .trim()
    .replace(/^tensor<(.*)>$/, "$1")
    .replace(/^[[(](.*)[\])]$/, "$1");
  const sizes = inside.split(/\s*[x×*,;]\s*|\s+/).filter(Boolean);
  if (sizes.length > 1 && sizes.every((size) => /^\d{1,12}$/.test(size))) return sizes.map(Number);
  const typed = readType(inside);
  return typed?.shape && typed.shape.length > 0 ? typed.shape : null;
}

/** @param {{type: string|null, found: string|null, types: string[], follows: string, name: string, mark: import("./controls.js").Mark, change: (type: string|null) => void}} props */
export function TypeField({ type, found, types, follows, name, mark, change }) {
  const usual = USUAL.filter((each) => types.includes(each));
  const choices = [...usual, ...types.filter((each) => !usual.includes(each))].map((each) => ({
    value: each,
    title: SPOKEN[/** @type {keyof typeof SPOKEN} */ (each)] ?? each,
  }));
  const like = follows ? [{ value: "", title: type === null && found ? `${short(found)} ${follows}` : follows }] : [];
  return html`<${TextChoice} class="type" value=${type ?? ""} choices=${[...like, ...choices]} label=${`Element type of ${name}`} mark=${mark} change=${(/** @type {string} */ next) => change(next || null)} />`;
}

/** @param {string} type */
const short = (type) => (type.startsWith("!quant") ? "quantized" : type);
