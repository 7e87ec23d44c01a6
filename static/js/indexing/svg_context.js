/**
 * What draws on a canvas writes an SVG file here: the part of a canvas's context that the pictures of maps use.
 */
/** @typedef {import("./paths.js").Path} Path */

/** @param {string} text */
const escaped = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

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
    this.written.push(`<path d="${this.pathText(path)}" fill="${this.fillStyle}"${rule ? ` fill-rule="${rule}"` : ""}${this.opacity}/>`);
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  fillRect(x, y, width, height) {
    this.written.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="${this.fillStyle}"${this.opacity}/>`);
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  strokeRect(x, y, width, height) {
    this.written.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" ${this.strokes}/>`);
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
    this.written.push(`<text x="${short(x)}" y="${short(y)}" font-size="${size}" font-family="${escaped(family)}" fill="${this.fillStyle}" text-anchor="${ANCHORS[this.textAlign]}" ` +
      `dominant-baseline="${this.textBaseline === "middle" ? "central" : "auto"}">${escaped(text)}</text>`);
  }

  /** @param {HTMLCanvasElement} image @param {number[]} where as for a canvas: from the image, and to where */
  drawImage(image, ...where) {
    const [left = 0, top = 0, w = 0, h = 0, x = 0, y = 0, width = 0, height = 0] = where;
    const cut = document.createElement("canvas");
    cut.width = w;
    cut.height = h;
    cut.getContext("2d")?.drawImage(image, left, top, w, h, 0, 0, w, h);
    this.written.push(`<image x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" preserveAspectRatio="none" image-rendering="pixelated" href="${cut.toDataURL("image/png")}"/>`);
  }

  /** All that was drawn. @returns {string} */
  text() {
    return this.written.join("") + "</g>".repeat(this.open);
  }
}

/** A path as this context takes it: a canvas takes its own. @param {{canvas: unknown}|SvgContext|CanvasRenderingContext2D} context @param {Path} path @returns {any} */
export const drawable = (context, path) => (context instanceof SvgContext ? path : path.canvas);
