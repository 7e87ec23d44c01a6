/** The key to the colours: the range, and what stands for NaN and infinities. */
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { cssColour, ENTRIES, SPECIALS } from "../../tensor/colours.js";
import { markPath } from "../../tensor/draw.js";
import { counted, short } from "../../tensor/elements.js";
import { reader } from "../../tensor/scale.js";

/**
 * @param {{ink: import("../../tensor/paint.js").Ink, kind: import("../../tensor/elements.js").Kind,
 *   statistics: Record<string, string|number|null>|null}} props
 */
export function Legend({ ink, kind, statistics }) {
  return html`${kind === "boolean" ? html`<${TwoColours} table=${ink.table} />` : html`<${Bar} ink=${ink} />`}
    ${/** @type {(keyof typeof SPECIALS)[]} */ (Object.keys(SPECIALS)).map((name) => html`<${Special} key=${name} name=${name} count=${Number(statistics?.[name] ?? 0)} />`)}`;
}

/** @param {{ink: import("../../tensor/paint.js").Ink}} props */
function Bar({ ink }) {
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  useEffect(() => {
    if (canvas.current) paintBar(canvas.current, ink.table);
  }, [ink]);
  const at = reader(ink.scale);
  const [low, middle, high] = [0, 0.5, 1].map((place) => short(at(place), 3));
  if (ink.categories) return html`<span class="quiet">one colour for each last digit</span>`;
  if (low === high) return html`<span class="tensor-swatch"><${Swatch} colour=${cssColour(ink.table[ENTRIES >> 1] ?? 0)} />all ${low}</span>`;
  const beyond = ink.scale.clipped ? "colours end here, values go on" : undefined;
  return html`<span class="tensor-bar" title=${beyond}><canvas ref=${canvas} aria-hidden="true"></canvas>
    <span>${ink.scale.clipped && "≤ "}${low}</span><span>${middle}</span><span>${ink.scale.clipped && "≥ "}${high}</span></span>`;
}

/** @param {HTMLCanvasElement} canvas @param {Uint32Array} table */
function paintBar(canvas, table) {
  canvas.width = ENTRIES;
  canvas.height = 1;
  const context = canvas.getContext("2d");
  const image = context?.createImageData(ENTRIES, 1);
  if (!context || !image) return;
  new Uint32Array(image.data.buffer).set(table);
  context.putImageData(image, 0, 0);
}

/** @param {{table: Uint32Array}} props */
function TwoColours({ table }) {
  return html`<span class="tensor-swatch"><${Swatch} colour=${cssColour(table[0] ?? 0)} />false</span>
    <span class="tensor-swatch"><${Swatch} colour=${cssColour(table[ENTRIES - 1] ?? 0)} />true</span>`;
}

/** @param {{colour: string, mark?: string}} props */
function Swatch({ colour, mark }) {
  return html`<svg class="swatch" viewBox="0 0 12 12" aria-hidden="true"><rect width="12" height="12" fill=${colour} />
    ${mark && html`<path d=${mark} fill="none" stroke="#ffffff" stroke-width="1.4" />`}</svg>`;
}

/** @param {{name: keyof typeof SPECIALS, count: number}} props */
function Special({ name, count }) {
  if (count === 0) return null;
  const { colour, name: text } = SPECIALS[name];
  return html`<span class="tensor-swatch"><${Swatch} colour=${colour} mark=${markPath(name, 6, 6, 3.4)} />${text} <span class="quiet">${counted(count)}</span></span>`;
}
