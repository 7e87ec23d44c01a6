/** The picture as a file: all tensors in place, the sentences, and the formulas as a caption. */
import { html } from "htm/preact";
import { useEffect } from "preact/hooks";
import { SvgContext } from "../../drawing/svg.js";
import { GridView } from "../../ui/tensor_grid/grid_view.js";
import { coloursOf } from "../../drawing/canvas.js";
import { Menu } from "../../ui/menu.js";
import { download } from "../../ui/export.js";

const LINE = 16;
const MARGIN = 12;
const HEAD = 20;

/** @typedef {{view: GridView, title: string, x: number, y: number, width: number, height: number}} Placed */

/** The grids of a picture with their titles, relative to its corner. @param {HTMLElement} picture @returns {Placed[]} */
function layOut(picture) {
  const corner = picture.getBoundingClientRect();
  return [...picture.querySelectorAll(".index-tensor")].flatMap((figure) => {
    const canvas = /** @type {HTMLCanvasElement|null} */ (figure.querySelector("canvas"));
    const view = canvas && GridView.on(canvas);
    if (!canvas || !view) return [];
    const { left, top, width, height } = canvas.getBoundingClientRect();
    return [
      {
        view,
        title: titleOf(figure),
        x: left - corner.left + MARGIN,
        y: top - corner.top + HEAD + MARGIN,
        width,
        height,
      },
    ];
  });
}

/** The texts of a picture, without its controls. @param {Element} figure @returns {string} */
function titleOf(figure) {
  const caption = /** @type {HTMLElement|undefined} */ (figure.querySelector("figcaption")?.cloneNode(true));
  caption?.querySelectorAll("button, .quiet").forEach((other) => other.remove());
  return caption?.textContent?.replace(/\s+/g, " ").trim() ?? "";
}

/** @param {Placed[]} grids @param {string[]} caption */
function sizeOf(grids, caption) {
  const width =
    Math.max(
      320,
      ...grids.map(({ x, width: wide }) => x + wide),
      ...caption.map((line) => line.length * 6.7 + 2 * MARGIN),
    ) + MARGIN;
  const bottom = Math.max(0, ...grids.map(({ y, height }) => y + height));
  return { width: Math.ceil(width), height: Math.ceil(bottom + MARGIN + caption.length * LINE + MARGIN), bottom };
}

/** @param {HTMLElement} picture */
function themeOf(picture) {
  const [colour, canvas] = [coloursOf(picture), picture.querySelector("canvas")];
  const mono = canvas ? getComputedStyle(canvas).fontFamily : "monospace";
  return { text: colour("--text"), ground: colour("--surface"), mono };
}

/** Draw the grids, the titles and the caption. @param {any} context a canvas's, or one that writes SVG @param {HTMLElement} picture @param {string[]} caption @param {Placed[]} grids */
function drawAll(context, picture, caption, grids) {
  const theme = themeOf(picture);
  const { width, height, bottom } = sizeOf(grids, caption);
  context.fillStyle = theme.ground;
  context.fillRect(0, 0, width, height);
  for (const { view, title, x, y } of grids) {
    context.save();
    context.translate(x, y);
    context.font = `600 12px ${theme.mono}`;
    context.fillStyle = theme.text;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillText(title, 0, -8);
    view.drawTo(context);
    context.restore();
  }
  context.font = `11px ${theme.mono}`;
  context.fillStyle = theme.text;
  context.textAlign = "left";
  context.textBaseline = "middle";
  caption.forEach((line, at) => context.fillText(line, MARGIN, bottom + MARGIN + (at + 0.5) * LINE));
}

/** @param {HTMLElement} picture @param {string} title @param {string[]} caption @returns {Blob} */
export function pictureSvg(picture, title, caption) {
  const grids = layOut(picture);
  const context = new SvgContext(sizeOf(grids, caption));
  drawAll(context, picture, caption, grids);
  return context.file(title);
}

/** @param {HTMLElement} picture @param {string[]} caption @returns {Promise<Blob|null>} */
export function picturePng(picture, caption) {
  const canvas = document.createElement("canvas");
  drawPicture(canvas, picture, caption);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

/** Draw on a canvas, which gets the size of the picture. @param {HTMLCanvasElement} canvas @param {HTMLElement} picture @param {string[]} caption */
export function drawPicture(canvas, picture, caption) {
  const grids = layOut(picture);
  const { width, height } = sizeOf(grids, caption);
  const density = Math.max(1, window.devicePixelRatio);
  if (canvas.width !== width * density) canvas.width = width * density;
  if (canvas.height !== height * density) canvas.height = height * density;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.save();
  context.scale(density, density);
  drawAll(context, picture, caption, grids);
  context.restore();
}

/** The corner of the tensors in a file. */
export const originOf = () => ({ x: MARGIN, y: HEAD + MARGIN });

/** Buttons of a picture: pin, enlarge, save. */

/** @param {{state: import("../../ui/tensor_grid/state.js").PictureState, picture: {current: HTMLElement|null}, title: string, caption: () => string[]}} props */
export function PictureTools({ state, picture, title, caption }) {
  const large = state.enlarged.value;
  useEffect(() => {
    const leave = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape" && !event.defaultPrevented) state.enlarged.value = false;
    };
    if (!large) return undefined;
    window.addEventListener("keydown", leave);
    return () => window.removeEventListener("keydown", leave);
  }, [large]);
  const svg = () =>
    picture.current && download(pictureSvg(picture.current, title, caption()), `${fileStem(title)}.svg`);
  const png = async () => {
    const file = picture.current && (await picturePng(picture.current, caption()));
    if (file) download(file, `${fileStem(title)}.png`);
  };
  return html`<span class="index-tools" role="group" aria-label="This picture">
    <button aria-pressed=${state.pinned.value} aria-disabled=${state.shown.value === null} onClick=${() => state.togglePin()} title="Keep the selection while the pointer moves (Enter)">Pin</button>
    <button aria-pressed=${large} onClick=${() => (state.enlarged.value = !large)} title="Fill the window, or go back (Escape)">Enlarge</button>
    <${Menu} label="Export" class="quiet" title="Download the picture" content="Export ▾" items=${() => [
      { text: "PNG", title: "Download the picture as it is drawn", run: png },
      { text: "SVG", title: "Download the picture for documents", run: svg },
    ]} /></span>`;
}

/** @param {string} title */
const fileStem = (title) => `index-map-${title.replace(/[^\w.-]+/g, "_").replace(/^_+/, "")}`;
