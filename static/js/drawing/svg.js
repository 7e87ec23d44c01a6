/** Pictures as SVG text: drawing functions for canvases write into an `SvgContext`; `svgPicture` draws one tensor. */

/** @param {string} text @returns {string} */
function escapeXml(text) {
  /** @type {Record<string, string>} */
  const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (character) => names[character] ?? character);
}

/** @param {number} number */
const short = (number) => String(Math.round(number * 100) / 100);

const ANCHORS = { left: "start", start: "start", center: "middle", right: "end", end: "end" };

export class SvgContext {
  /** @param {CanvasRenderingContext2D} measuring knows how wide text is @param {{width: number, height: number}} size @param {string} prefix of identifiers */
  constructor(measuring, { width, height }, prefix) {
    this.measuring = measuring;
    this.canvas = { width, height };
    this.prefix = prefix;
    /** @type {string[]} */
    this.written = [];
    /** @type {string[]} */
    this.path = [];
    this.clips = 0;
    this.fillStyle = "#000";
    this.strokeStyle = "#000";
    this.lineWidth = 1;
    this.globalAlpha = 1;
    this.font = "10px sans-serif";
    this.textAlign = /** @type {keyof typeof ANCHORS} */ ("left");
    this.textBaseline = "alphabetic";
    this.lineJoin = "miter";
    this.imageSmoothingEnabled = false;
    /** @type {number[]} */
    this.dash = [];
    /** @type {{fillStyle: string, strokeStyle: string, lineWidth: number, globalAlpha: number, font: string, textAlign: keyof typeof ANCHORS, dash: number[], open: number}[]} */
    this.saved = [];
    this.open = 0;
  }

  save() {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, dash, open } = this;
    this.saved.push({ fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, dash, open });
  }

  restore() {
    const before = this.saved.pop();
    if (!before) return;
    for (; this.open > before.open; this.open--) this.written.push("</g>");
    Object.assign(this, before);
  }

  /** @param {string} attributes */
  group(attributes) {
    this.written.push(`<g ${attributes}>`);
    this.open++;
  }

  /** @param {number} x @param {number} y */
  translate(x, y) {
    this.group(`transform="translate(${short(x)} ${short(y)})"`);
  }

  beginPath() {
    this.path = [];
  }

  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.path.push(`M${short(x)} ${short(y)}`);
  }

  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    this.path.push(`L${short(x)} ${short(y)}`);
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  rect(x, y, width, height) {
    this.path.push(`M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}z`);
  }

  /** @param {Path|null|undefined} path */
  pathText(path) {
    return (path ? path.commands : this.path).join("");
  }

  /** @param {Path} [path] */
  clip(path) {
    const id = `${this.prefix}-${this.clips++}`;
    this.written.push(`<clipPath id="${id}"><path d="${this.pathText(path)}"/></clipPath>`);
    this.group(`clip-path="url(#${id})"`);
  }

  get opacity() {
    return this.globalAlpha < 1 ? ` opacity="${this.globalAlpha}"` : "";
  }

  get strokes() {
    const dash = this.dash.length > 0 ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    return `fill="none" stroke="${this.strokeStyle}" stroke-width="${short(this.lineWidth)}"${dash}${this.opacity}`;
  }

  /** @param {Path} [path] */
  stroke(path) {
    this.written.push(`<path d="${this.pathText(path)}" ${this.strokes}/>`);
  }

  /** @param {Path|null} [path] @param {string} [rule] */
  fill(path, rule) {
    this.written.push(
      `<path d="${this.pathText(path)}" fill="${this.fillStyle}"${rule ? ` fill-rule="${rule}"` : ""}${this.opacity}/>`,
    );
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  fillRect(x, y, width, height) {
    this.written.push(
      `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="${this.fillStyle}"${this.opacity}/>`,
    );
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  strokeRect(x, y, width, height) {
    this.written.push(
      `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" ${this.strokes}/>`,
    );
  }

  /** @param {number[]} dash */
  setLineDash(dash) {
    this.dash = dash;
  }

  /** @param {string} text */
  measureText(text) {
    this.measuring.font = this.font;
    return this.measuring.measureText(text);
  }

  /** @param {string} text @param {number} x @param {number} y */
  fillText(text, x, y) {
    const [, size = "10px", family = "sans-serif"] = /(\d+(?:\.\d+)?px)\s+(.*)$/.exec(this.font) ?? [];
    this.written.push(
      `<text x="${short(x)}" y="${short(y)}" font-size="${size}" font-family="${escapeXml(family)}" fill="${this.fillStyle}" text-anchor="${ANCHORS[this.textAlign]}" ` +
        `dominant-baseline="${this.textBaseline === "middle" ? "central" : "auto"}">${escapeXml(text)}</text>`,
    );
  }

  /** @param {HTMLCanvasElement} image @param {number[]} where as for a canvas: from the image, and to where */
  drawImage(image, ...where) {
    const [left = 0, top = 0, w = 0, h = 0, x = 0, y = 0, width = 0, height = 0] = where;
    const cut = document.createElement("canvas");
    cut.width = w;
    cut.height = h;
    cut.getContext("2d")?.drawImage(image, left, top, w, h, 0, 0, w, h);
    this.written.push(
      `<image x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" preserveAspectRatio="none" image-rendering="pixelated" href="${cut.toDataURL("image/png")}"/>`,
    );
  }

  /** Everything drawn so far. @returns {string} */
  text() {
    return this.written.join("") + "</g>".repeat(this.open);
  }
}

/** A path for this context; a canvas uses its own. @param {{canvas: unknown}|SvgContext|CanvasRenderingContext2D} context @param {Path} path @returns {any} */
export const drawable = (context, path) => (context instanceof SvgContext ? path : path.canvas);

/** A path for canvas and SVG: it records its commands. */
export class Path {
  constructor() {
    this.canvas = new Path2D();
    /** @type {string[]} */
    this.commands = [];
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  rect(x, y, width, height) {
    this.canvas.rect(x, y, width, height);
    this.commands.push(`M${x} ${y}h${width}v${height}h${-width}z`);
  }

  /** @param {Path} other */
  addPath(other) {
    this.canvas.addPath(other.canvas);
    this.commands.push(...other.commands);
  }
}

/**
 * A picture as SVG text for a file: a rectangle per element for few elements, else one image.
 *
 * @typedef {{x: number, y: number, width: number, height: number, colour: string, text: string|null, textColour: string}} SvgCell
 * @typedef {{title: string, cells: SvgCell[]|null, image: string|null, width: number, height: number,
 *   legend: {stops: string[], low: string, high: string}|null, text: string, ground: string, font: string}} SvgParts
 */

const HEAD = 28;
const FOOT = 34;

/** @param {SvgParts} parts @returns {string} */
export function svgPicture(parts) {
  const { title, cells, image, width, legend, text, ground, font } = parts;
  const height = parts.height + HEAD + FOOT;
  const body = cells
    ? cells.map(cellSvg).join("")
    : `<image y="${HEAD}" width="${width}" height="${parts.height}" href="${image ?? ""}"/>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${escapeXml(font)}">` +
    `<title>${escapeXml(title)}</title><rect width="${width}" height="${height}" fill="${ground.trim()}"/>` +
    `<text x="8" y="${HEAD / 2}" dominant-baseline="central" font-size="13" fill="${text.trim()}">${escapeXml(title)}</text>` +
    `${cells ? `<g transform="translate(0 ${HEAD})">${body}</g>` : body}${legend ? legendSvg(legend, HEAD + parts.height + 12, text.trim()) : ""}</svg>\n`
  );
}

/** @param {SvgCell} cell @returns {string} */
function cellSvg({ x, y, width, height, colour, text, textColour }) {
  const box = `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${colour}"/>`;
  if (!text) return box;
  return `${box}<text x="${x + width / 2}" y="${y + height / 2}" text-anchor="middle" dominant-baseline="central" font-size="10" fill="${textColour}">${escapeXml(text)}</text>`;
}

/** @param {{stops: string[], low: string, high: string}} legend @param {number} top @param {string} text @returns {string} */
function legendSvg({ stops, low, high }, top, text) {
  const bar = stops
    .map((colour, at) => `<rect x="${60 + at * 3}" y="${top}" width="3.2" height="10" fill="${colour}"/>`)
    .join("");
  const end = (/** @type {number} */ x, /** @type {string} */ anchor, /** @type {string} */ value) =>
    `<text x="${x}" y="${top + 5}" text-anchor="${anchor}" dominant-baseline="central" font-size="12" fill="${text}">${value}</text>`;
  return bar + end(54, "end", low) + end(66 + stops.length * 3, "start", high);
}
