/** What one takes out of the page: the value as text or as a file, its picture as PNG or SVG. */
import { html } from "htm/preact";
import { npyPath } from "../../core/api.js";
import { isFile } from "../../core/source.js";
import { elementAt, fittedText } from "../../core/tensor/elements.js";
import { FIRST_ZOOM } from "../../drawing/camera.js";
import { cssColour, textColourOn } from "../../drawing/colour_maps.js";
import { paint } from "../../drawing/paint.js";
import { Menu } from "../../ui/menu.js";
import { useColours } from "./colour_scale.js";
import { copyText, download, fileName, pngOf, sliceText, svgOf, tooMany } from "../../ui/export.js";
import { axesInMemory } from "./settings.js";

/** @typedef {import("./recorded_value.js").Known} Known */

/** The menu that copies and downloads the value; its picture, where one is drawn. @param {{known: Known, windows: import("./picture.js").Windows, canvas: {current: HTMLCanvasElement|null}|null}} props */
export function ExportMenu({ known, windows, canvas }) {
  const { summary, selected, key } = known;
  const { colourScale } = useColours(known);
  const title = `${selected.name} : ${summary.type}${axesInMemory(summary) ? ", in the order of memory" : ""}`;
  const nameOf = (/** @type {string} */ ending) => fileName(selected.name, summary.address, ending);
  const png = async () => {
    if (!canvas?.current) return;
    const shot = await pngOf({ title, canvas: canvas.current, colourScale });
    if (shot) download(shot, nameOf("png"));
  };
  const svg = () => {
    if (!canvas?.current) return;
    const cells = cellsOf(windows.source, summary, colourScale, canvas.current);
    download(svgOf({ title, canvas: canvas.current, colourScale }, cells), nameOf("svg"));
  };
  const pictures = [
    { text: "PNG", title: "Download the picture as it is drawn", run: png },
    { text: "SVG", title: "Download the picture for documents", run: svg },
  ];
  const npy = {
    text: ".npy",
    title: "Download the value for NumPy",
    href: npyPath(key, summary.address),
    download: nameOf("npy"),
  };
  const items = () => [
    {
      text: "Copy",
      title: "Copy the elements that are shown, as text",
      run: () => void copySlice(windows.source, summary),
    },
    ...(isFile() ? [] : [npy]),
    ...(canvas ? pictures : []),
  ];
  return html`<${Menu} label="Export" class="quiet" content="Export ▾" items=${items} title="Copy the value, or download it or its picture" />`;
}

/** @param {import("../../core/tensor/window_source.js").WindowSource} source @param {import("../../core/types.js").ValueSummary} summary */
function copySlice(source, summary) {
  const text = sliceText(source, summary);
  if (text !== null) return copyText(text);
  return tooMany();
}

/** Rectangles are for few elements. */
const MOST_RECTANGLES = 4096;

/**
 * A small picture as rectangles with numbers, or null where it is large or not here.
 *
 * @param {import("../../core/tensor/window_source.js").WindowSource} source @param {import("../../core/types.js").ValueSummary} summary
 * @param {import("../../drawing/paint.js").ColourScale} colourScale @param {HTMLCanvasElement} canvas
 * @returns {import("../../drawing/svg.js").SvgCell[]|null}
 */
function cellsOf(source, summary, colourScale, canvas) {
  const { height, width } = source.picture;
  const layer = source.at(0, 0);
  if (!layer || layer.request.level > 0 || height * width > MOST_RECTANGLES || !layer.window.planes.value) return null;
  return rectangles(
    layer.window,
    summary,
    colourScale,
    Math.min(canvas.clientWidth / width, canvas.clientHeight / height, FIRST_ZOOM),
  );
}

/** @param {import("../../core/view_types.js").ValueWindow} window @param {import("../../core/types.js").ValueSummary} summary @param {import("../../drawing/paint.js").ColourScale} colourScale @param {number} size @returns {import("../../drawing/svg.js").SvgCell[]} */
function rectangles(window, { elementType, wire }, colourScale, size) {
  const plane = /** @type {import("../../core/view_types.js").Plane} */ (window.planes.value);
  const { width } = window.header;
  return Array.from(paint(window, colourScale), (pixel, index) => {
    const text =
      size > 26 && (index + 1) * wire.components <= plane.length
        ? fittedText(elementAt(plane, wire, index), elementType, wire, Math.floor(size / 6.4))
        : null;
    return {
      x: (index % width) * size,
      y: Math.floor(index / width) * size,
      width: size,
      height: size,
      colour: cssColour(pixel),
      text,
      textColour: textColourOn(pixel),
    };
  });
}
