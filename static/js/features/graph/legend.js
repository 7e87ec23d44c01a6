/** What the colours of the nodes mean, below the picture and in its file. */
import { html } from "htm/preact";
/** @import {Asked} from "./op_numbers.js" */
/** @import {Range} from "./values.js" */

/**
 * `signs`: colours, as tokens, with their meanings; `scale`: the ends of the scale
 *
 * @typedef {{signs: (readonly [string, string])[], scale: readonly [string, string]|null, about: string}} LegendParts
 */

/** @param {{colouring: import("./state.js").Colouring, asked: Asked|null, range: Range|null, families: readonly string[], isInfinite: boolean}} shown @returns {LegendParts} */
export function legendOf({ colouring, asked, range, families, isInfinite }) {
  if (colouring === "family")
    return { signs: families.map((family) => [`family-${family}`, family]), scale: null, about: "" };
  if (colouring === "nonfinite")
    return {
      signs: [
        ["alarm", "NaN or infinity"],
        ["line", "none, or no value yet"],
      ],
      scale: null,
      about: "",
    };
  const signs = /** @type {[string, string][]} */ (isInfinite ? [["alarm", "infinite"]] : []);
  if (!range) return { signs, scale: null, about: asked ? asked.told : "No value yet." };
  return { signs, scale: [range.text(range.low), range.text(range.high)], about: asked?.numbers?.about ?? "" };
}

/** @param {{legend: LegendParts, asked: Asked|null}} props */
export function Legend({ legend: { signs, scale, about }, asked }) {
  return html`<p class="graph-legend">
    ${scale && html`<span>${scale[0]}</span><i class="scale"></i><span>${scale[1]}</span>`}
    ${signs.map(([colour, text]) => html`<span key=${text}><i style=${{ background: `var(--${colour})` }}></i>${text}</span>`)}
    ${about && html`<span role=${scale ? null : "status"} title=${asked?.numbers?.title ?? null}>${about}</span>`}
    ${asked?.ask && html`<button class="plain" onClick=${asked.ask}>Run in more digits</button><span>to see the error of each op</span>`}</p>`;
}
