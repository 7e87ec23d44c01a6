/** One value: what it is, how it is looked at, and its picture or its numbers. */
import { html } from "htm/preact";
import { useRef } from "preact/hooks";
import { npyPath } from "../../api.js";
import { say } from "../../console.js";
import { FIRST_ZOOM } from "../../tensor/camera.js";
import { cssColour, inkOn } from "../../tensor/colours.js";
import { elementAt, fittedText } from "../../tensor/elements.js";
import { paint } from "../../tensor/paint.js";
import { AxisControls } from "./controls.js";
import { copyText, download, fileName, MOST_COPIED, pngOf, sliceText, svgOf } from "./export.js";
import { Header } from "./header.js";
import { Numbers } from "./numbers.js";
import { Picture, useInk } from "./picture.js";
import { OrderControl } from "./order.js";
import { axesInMemory, layoutOf, mode, setLayout } from "./settings.js";
import { Scalar } from "./scalar.js";
import { Statistics } from "./statistics.js";
import { isTuple, TupleValue } from "./tuple.js";
import { useSource } from "./use.js";

/** @typedef {import("./use.js").Known} Known */

/** @param {{known: Known}} props */
export function TensorValue({ known }) {
  const { summary } = known;
  if (isTuple(known)) return html`<${Header} known=${known} /><${TupleValue} known=${known} />`;
  if (!summary.shape) return html`<${Header} known=${known} /><p class="empty">A ${summary.type.replace(/^!stablehlo\.|\[\]$/g, "")} has no elements: it only says in which order things happen.</p>`;
  if (summary.count === 0) return html`<${Header} known=${known} /><p class="empty">This tensor is empty: ${emptiness(summary.shape)}</p>`;
  return html`<${Elements} known=${known} />`;
}

/** @param {number[]} shape @returns {string} */
function emptiness(shape) {
  const axes = shape.flatMap((size, axis) => (size === 0 ? [`d${axis}`] : []));
  return `${axes.join(" and ")} ${axes.length > 1 ? "have" : "has"} size 0, so there are no elements to draw.`;
}

/** @param {{known: Known}} props */
function Elements({ known }) {
  const { summary, selected, key } = known;
  const axes = axesInMemory(summary);
  const name = `${selected.value} ${selected.name}${axes ? " in memory" : ""}`;
  const layout = layoutOf(name, summary.shape, axes);
  const windows = useSource(known, layout);
  const ink = useInk(known);
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  const scalar = summary.count === 1 && summary.shape.length === 0;
  const title = `${selected.name} : ${summary.type}${axes ? ", in the order of memory" : ""}`;

  const copy = () => {
    const text = sliceText(windows.source, summary);
    if (text !== null) return copyText(text);
    return say({ kind: "info", text: `Only up to ${MOST_COPIED.toLocaleString("en")} elements are copied as text. Download the .npy file instead.` });
  };
  const png = async () => {
    const shot = canvas.current && (await pngOf({ title, canvas: canvas.current, ink }));
    if (shot) download(shot, fileName(selected.name, summary.address, "png"));
  };
  const svg = () => {
    if (canvas.current) download(svgOf({ title, canvas: canvas.current, ink }, cellsOf(windows.source, summary, ink, canvas.current)), fileName(selected.name, summary.address, "svg"));
  };
  const picture = mode.value === "picture" && !scalar;
  return html`<${Header} known=${known}>
      ${!scalar && html`<${Modes} />`}
      <span class="tensor-take" role="group" aria-label="Take along">
        <button onClick=${copy}>Copy</button>
        <a class="button" href=${npyPath(key, summary.address)} download=${fileName(selected.name, summary.address, "npy")}>.npy</a>
        ${picture && html`<button onClick=${png}>PNG</button><button onClick=${svg}>SVG</button>`}
      </span>
    </${Header}>
    ${!scalar && html`<div class="tensor-arrange"><${OrderControl} summary=${summary} />
      <${AxisControls} summary=${summary} layout=${layout} axes=${axes} change=${(/** @type {import("./settings.js").Layout} */ next) => setLayout(name, next)} /></div>`}
    ${scalar ? html`<${Scalar} known=${known} windows=${windows} />`
      : picture ? html`<${Picture} known=${known} layout=${layout} windows=${windows} canvas=${canvas} />`
      : html`<${Numbers} known=${known} layout=${layout} windows=${windows} />`}
    ${!scalar && html`<${Statistics} summary=${summary} />`}`;
}

function Modes() {
  const choose = (/** @type {typeof mode.value} */ next) => () => (mode.value = next);
  return html`<span class="tensor-modes" role="group" aria-label="Show as">
    <button aria-pressed=${mode.value === "picture"} onClick=${choose("picture")}>Heat map</button>
    <button aria-pressed=${mode.value === "numbers"} onClick=${choose("numbers")}>Numbers</button>
  </span>`;
}

/** Rectangles are for few elements. */
const MOST_RECTANGLES = 4096;

/**
 * A small picture as rectangles with numbers, or null where it is large or not here.
 *
 * @param {import("../../tensor/source.js").WindowSource} source @param {import("../../types.js").ValueSummary} summary
 * @param {import("../../tensor/paint.js").Ink} ink @param {HTMLCanvasElement} canvas
 * @returns {import("../../tensor/svg.js").SvgCell[]|null}
 */
function cellsOf(source, summary, ink, canvas) {
  const { height, width } = source.picture;
  const layer = source.at(0, 0);
  if (!layer || layer.request.level > 0 || height * width > MOST_RECTANGLES || !layer.window.planes.value) return null;
  return rectangles(layer.window, summary, ink, Math.min(canvas.clientWidth / width, canvas.clientHeight / height, FIRST_ZOOM));
}

/** @param {import("../../types.js").ValueWindow} window @param {import("../../types.js").ValueSummary} summary @param {import("../../tensor/paint.js").Ink} ink @param {number} size @returns {import("../../tensor/svg.js").SvgCell[]} */
function rectangles(window, { elementType, wire }, ink, size) {
  const plane = /** @type {import("../../types.js").Plane} */ (window.planes.value);
  const { width } = window.header;
  return Array.from(paint(window, ink), (pixel, index) => {
    const text = size > 26 && (index + 1) * wire.components <= plane.length ? fittedText(elementAt(plane, wire, index), elementType, wire, Math.floor(size / 6.4)) : null;
    return { x: (index % width) * size, y: Math.floor(index / width) * size, width: size, height: size, colour: cssColour(pixel), text, ink: inkOn(pixel) };
  });
}
